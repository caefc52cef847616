/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The net of a prefix, for tests. */
#ifndef TERN_TEST_LIB_TABLE_FIND_H
#define TERN_TEST_LIB_TABLE_FIND_H

#include "nest/rib/nlri.h"
#include "nest/rib/table.h"

/* rig_find - NULL: @t, a table of IP prefixes, has no paths of @p. Any thread, under
 * RCU. */
static inline const struct net *
rig_find(const struct table *t, const struct prefix *p)
{
	struct nlri k = nlri_of_prefix(p);

	return table_find_nlri(t, &k);
}

#endif

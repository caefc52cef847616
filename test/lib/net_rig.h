/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of a table by their prefix. */
#ifndef TERN_TEST_LIB_NET_RIG_H
#define TERN_TEST_LIB_NET_RIG_H

#include "nest/rib/table_priv.h"

static inline struct net *
rig_net_get(struct table *t, const struct prefix *p, uint32_t *id)
{
	struct nlri k = nlri_of_prefix(p);

	return table_net_get(t, &k, id);
}

static inline struct net *
rig_net_find(const struct table *t, const struct prefix *p, uint32_t *id)
{
	struct nlri k = nlri_of_prefix(p);

	return table_net_find(t, &k, id);
}

#endif

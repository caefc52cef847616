/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of an index of longest matches by itself, even while the index lags behind
 * its table. Who includes this header has included nest/rib/index/match_index.c before.
 */
#ifndef TERN_TEST_LIB_MATCH_FIND_H
#define TERN_TEST_LIB_MATCH_FIND_H

#include "lib/net/ip.h"
#include "lib/net/lpm.h"
#include "nest/rib/table.h"

/* match_find - NULL: the index of @t has no match with a route now. Without an index, the
 * table is asked. Any thread, under RCU. */
static inline const struct net *
match_find(const struct table *t, struct ip_addr a)
{
	const struct match_index *x = match_index_of(t);
	uint32_t value;

	if (!x)
		return table_match(t, a);
	value = lpm_find(x->map, a);
	return value ? index_best_of(t, value) : NULL;
}

#endif

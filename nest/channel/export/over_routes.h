/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of an overlay (nest/rib/table/overlay.h), for whoever looks at the whole
 * table: its own, and those of its base as the policy of the pipe leaves them.
 *
 * Any thread, under RCU; what is found is good until the next quiescent state. */
#ifndef TERN_NEST_OVER_ROUTES_H
#define TERN_NEST_OVER_ROUTES_H

#include "lib/mt/rcu.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table/overlay.h"

struct arena;
struct filter_thread;
struct net;

/* Those of one net that are live, filtered ones left out. */
struct over_routes {
	const struct net *own, *net; /* the table's, the base's; NULL: it hasn't it */
	struct overlay_cand *cand; /* in any order until one was taken */
	unsigned cnt;
	bool sorted; /* private */
	struct attr_store *store;
	struct rcu_loan loan;
};

/* over_routes_get - of the net at @k. @a: reset for each run of the policy. */
void over_routes_get(struct over_routes *r, const struct overlay *o,
    struct filter_thread *ft, struct arena *a, const struct nlri *k);
/* over_routes_take - the best of those that are left, of which there are some; then
 * over_cand_done. */
struct overlay_cand over_routes_take(struct over_routes *r);
void over_cand_done(const struct over_routes *r, struct overlay_cand *c);
void over_routes_done(struct over_routes *r);
/* over_limit, over_at - the nets of table and base, by number. Returns: false: there is
 * none, or a lower number has it already. */
uint32_t over_limit(const struct overlay *o);
bool over_at(const struct overlay *o, uint32_t pos, struct nlri *k);

#endif

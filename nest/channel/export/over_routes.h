/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of an overlay (nest/rib/table/overlay.h), for a look at the whole table: own
 * routes, and routes of the base after the policy of the pipe.
 *
 * Any thread, under RCU; results are valid until the next quiescent state. Owner of
 * struct over_routes: the caller, on the stack, until over_routes_done. */
#ifndef TERN_NEST_CHANNEL_EXPORT_OVER_ROUTES_H
#define TERN_NEST_CHANNEL_EXPORT_OVER_ROUTES_H

#include "lib/mt/rcu.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table/overlay.h"

struct arena;
struct filter_thread;
struct net;

/* The living, unfiltered routes of one net. */
struct over_routes {
	const struct net *own, *net; /* net of the overlay, of the base; NULL: none */
	struct overlay_cand *cand; /* unordered until over_routes_sort */
	unsigned cnt;
	bool sorted; /* private */
	struct attr_store *store;
	struct rcu_loan loan;
};

/* over_routes_get - collect the routes of net @k. @a: reset for each run of the
 * policy. */
void over_routes_get(struct over_routes *r, const struct overlay *o,
    struct filter_thread *ft, struct arena *a, const struct nlri *k);
/* over_routes_sort - sort the routes, the best last. */
void over_routes_sort(struct over_routes *r);
/* over_routes_take - remove the best remaining route; routes remain. The caller then
 * calls over_cand_done. */
struct overlay_cand over_routes_take(struct over_routes *r);
void over_cand_done(const struct over_routes *r, struct overlay_cand *c);
void over_routes_done(struct over_routes *r);
/* over_limit - the nets of overlay and base have numbers below the returned limit. */
uint32_t over_limit(const struct overlay *o);
/* over_at - net number @pos. Returns: false: number @pos has no net, or a lower number
 * has the same net. */
bool over_at(const struct overlay *o, uint32_t pos, struct nlri *k);

#endif

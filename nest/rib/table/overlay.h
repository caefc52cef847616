/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An overlay: a table over another table, its base. The overlay stores only the routes
 * of one member. Readers of the overlay also see the routes of the base, as far as the
 * policy of the pipe between the two tables accepts the routes. The overlay stores no
 * nets for routes of the base: readers read the base and apply the policy.
 *
 * The pipe publishes base and policy while the pipe is up (overlay_set); before, the
 * table has only its own routes. The configuration decides which tables are overlays
 * (nest/conf/conf_overlay.c). An overlay can become an ordinary table while its channels
 * run (nest/channel/export/channel_ground.c); a running table never becomes an overlay.
 *
 * Owner of struct overlay: the references. Life: until the last overlay_put. Candidates
 * belong to the caller. Tests: test_overlay.py.
 *
 * Loop: the table's, but for functions that are marked "any thread". */
#ifndef TERN_NEST_RIB_TABLE_OVERLAY_H
#define TERN_NEST_RIB_TABLE_OVERLAY_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/rib/nlri.h"

struct config_ref;
struct filter;
struct net;
struct origin;
struct path;
struct table;

/* Base and policy of an overlay. Immutable but for refs. */
struct overlay {
	struct rcu_node rcu;
	/* of the table, and of readers that apply the policy later */
	struct counter32 refs;
	struct table *base; /* with a use count, until the struct is freed */
	const struct table *over;
	const struct filter *policy;
	struct config_ref *conf; /* with a reference: owner of the policy */
	/* source of the pipe in the base: its routes come from the overlay and do not
	 * return */
	uint32_t back;
	/* source of the pipe in the overlay: its routes are not the overlay's own */
	uint32_t pipe;
	/* the pipe has fed all routes and the table is ordinary: only channels that do
	 * not know yet use the struct */
	bool poured;
	unsigned max_generation; /* of pipes on the way */
	uint64_t nr; /* changes with each change of the policy */
	uint64_t soft_nr; /* changes with each change by `configure soft` */
};

/* overlay_set - publish @o soon; NULL: end the overlay, unless another pipe published
 * since. @back: source of the pipe. Readers of the table are woken. The pipe's worker. */
void overlay_set(struct table *over, TAKE struct overlay *o, uint32_t back);
/* overlay_new - a zeroed struct with one reference. */
OWNED struct overlay *overlay_new(void);
/* overlay_put - drop a reference. Any thread. */
void overlay_put(TAKE struct overlay *o);
/* overlay_of - the overlay state of @over; NULL: none, or the pipe is down. Any thread
 * under RCU.
 * overlay_ref - with a reference. overlay_at, overlay_at_ref - also a poured state. */
const struct overlay *overlay_of(const struct table *over);
struct overlay *overlay_ref(const struct table *over);
const struct overlay *overlay_at(const struct table *over);
struct overlay *overlay_at_ref(const struct table *over);
/* overlay_owns - true: path @p of the table is the table's own. */
bool overlay_owns(const struct overlay *o, const struct path *p);
/* overlay_brings - true: routes of source @src of the base, with origin @from, belong to
 * the overlay if the policy accepts them. */
bool overlay_brings(const struct overlay *o, uint32_t src, const struct origin *from);
/* overlay_is_empty - true: the table has no own routes. */
bool overlay_is_empty(const struct table *over);
/* overlay_own - the best own route for net @k of the base; NULL: none. Any thread under
 * RCU. */
const struct path *overlay_own(const struct table *over, const struct nlri *k);

/* A route of an overlay: an own route, or a route of the base after policy. */
struct overlay_cand {
	const struct path *path;
	struct attr_set *set;
	struct attr_set *held; /* reference of the caller to set; NULL: none */
	const struct origin *from;
	uint64_t time_ns; /* as path_time_ns */
	unsigned generation; /* number of pipes on the way */
	unsigned nr; /* for overlay_sort: original position */
	bool own;
};
/* overlay_cand - make a candidate from @path of @t; @set NULL: the path's set. Returns:
 * false: the origin is gone. */
bool overlay_cand(struct overlay_cand *c, const struct table *t, const struct path *path,
    struct attr_set *set, bool own);
/* overlay_tied - true: equal in all steps before MED. */
bool overlay_tied(const struct overlay_cand *a, const struct overlay_cand *b);
/* overlay_med - MED of the candidate, and the group of candidates that compare MEDs.
 * Returns: false: no MED. */
bool overlay_med(const struct overlay_cand *c, uint64_t *group, uint32_t *med);
/* overlay_best - index of the best of @cnt candidates; @cnt is not 0. */
unsigned overlay_best(const struct overlay_cand *c, unsigned cnt);
/* overlay_sort - sort into the order of repeated overlay_best, the best last. Cost: O(cnt
 * log cnt). */
void overlay_sort(struct overlay_cand *c, unsigned cnt);
/* overlay_sort_ties - sort candidates of the table @t by the steps that decide among
 * equal routes (path_tie.h), the best first; overlay_sort keeps this order of equal
 * routes. Cost: O(cnt^2). path_tie_sort.c. Any thread under RCU. */
void overlay_sort_ties(const struct table *t, struct overlay_cand *c, unsigned cnt);

#endif

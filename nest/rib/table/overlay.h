/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that lies over another one, its base: of its own it holds what one member
 * announces; the rest are routes of the base, those that the policy of the pipe between
 * the two lets through. These have no nets here: whoever asks for them looks at the base,
 * and asks the policy.
 *
 * The pipe says by which policy, as long as it is up (overlay_set); until then the table
 * has its own routes alone. Which tables are overlays stands in the configuration
 * (nest/conf/conf_overlay.c). An overlay becomes an ordinary table while its channels go
 * on (nest/channel/export/channel_ground.c); a running table never becomes an overlay.
 *
 * Tests: test_overlay.py. */
#ifndef TERN_NEST_OVERLAY_H
#define TERN_NEST_OVERLAY_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/rib/nlri.h"

struct config_ref;
struct filter;
struct net;
struct origin;
struct path;
struct table;

/* What a table has of its base. Immutable but for refs. */
struct overlay {
	struct rcu_node rcu;
	struct counter32 refs; /* the table's, and of who asks the policy later */
	struct table *base; /* used until this is freed */
	const struct table *over;
	const struct filter *policy;
	struct config_ref *conf; /* counted: where the policy lies */
	/* of the pipe in the base: what came from the table doesn't come back */
	uint32_t back;
	/* of the pipe in the table: what it has put there isn't the table's own */
	uint32_t pipe;
	/* the pipe has put all of it into the table, which is an ordinary one: only
	 * channels that don't know yet go by this */
	bool poured;
	unsigned max_generation; /* of pipes on the way */
	uint64_t nr; /* another one whenever the policy says something else */
	uint64_t soft_nr; /* the same of what was changed by `configure soft` */
};

/* overlay_set - from now on, or a moment later; NULL: none, but what another pipe has
 * said stays. @back: of the pipe. Who reads the table is woken. The pipe's worker. */
void overlay_set(struct table *over, TAKE struct overlay *o, uint32_t back);
/* overlay_new - all of it is 0 but for one reference. */
OWNED struct overlay *overlay_new(void);
/* overlay_put - one reference less. Any thread. */
void overlay_put(TAKE struct overlay *o);
/* overlay_of - NULL: none, or the pipe isn't up. Any thread under RCU. overlay_ref - the
 * same, with a reference. overlay_at, overlay_at_ref - also what was poured. */
const struct overlay *overlay_of(const struct table *over);
struct overlay *overlay_ref(const struct table *over);
const struct overlay *overlay_at(const struct table *over);
struct overlay *overlay_at_ref(const struct table *over);
/* overlay_owns - is @p, of the table, one of its own? */
bool overlay_owns(const struct overlay *o, const struct path *p);
/* overlay_brings - may what comes from @src of the base, which has @from, be in it, if
 * the policy lets it through? */
bool overlay_brings(const struct overlay *o, uint32_t src, const struct origin *from);
/* overlay_is_empty - has the table no routes of its own? */
bool overlay_is_empty(const struct table *over);
/* overlay_own - its own best route of a net of its base; NULL: none. Any thread under
 * RCU. */
const struct path *overlay_own(const struct table *over, const struct nlri *k);

/* A route of a net of the table: its own, or one of the base, as the policy left it. */
struct overlay_cand {
	const struct path *path;
	struct attr_set *set;
	struct attr_set *held; /* the caller's reference on set; NULL: none */
	const struct origin *from;
	uint64_t time_ns; /* as path_time_ns */
	unsigned generation; /* how many pipes it has passed */
	unsigned nr; /* of overlay_sort: where it stood */
	bool own;
};
/* overlay_cand - @path of @t as one; @set: NULL: as it is there. Returns: false: where it
 * came from has gone. */
bool overlay_cand(struct overlay_cand *c, const struct table *t, const struct path *path,
    struct attr_set *set, bool own);
/* overlay_tied - are they equal in all that comes before MED? */
bool overlay_tied(const struct overlay_cand *a, const struct overlay_cand *b);
/* overlay_med - its MED, and the group of those with which it is compared; false: it has
 * none. */
bool overlay_med(const struct overlay_cand *c, uint64_t *group, uint32_t *med);
/* overlay_best - which of @cnt, at least 1, comes first? */
unsigned overlay_best(const struct overlay_cand *c, unsigned cnt);
/* overlay_sort - into the order in which overlay_best would take them out, the best last.
 * Cost: O(cnt log cnt). */
void overlay_sort(struct overlay_cand *c, unsigned cnt);

#endif

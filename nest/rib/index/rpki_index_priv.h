/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of an index: for the files of nest/rib/index only.
 * owner: the index's worker, but for what is marked; lives: as the index. */
#ifndef TERN_NEST_RIB_INDEX_RPKI_INDEX_PRIV_H
#define TERN_NEST_RIB_INDEX_RPKI_INDEX_PRIV_H

#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/core/tern.h"
#include "nest/rib/index/follower.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/read.h"
#include "sysdep/loop/loop.h"

struct net;
struct path;

#define ROA_GROUP_SLOTS 64

enum roa_phase { ROA_QUIET, ROA_GRACE, ROA_MARKING, ROA_WALKING };

/* ROA_OTHER: the providers of a customer changed. */
enum roa_change { ROA_CAME, ROA_WENT, ROA_OTHER, ROA_CHANGE_CNT };

/* Changed prefixes of VRPs, or customers with changed providers. Embedded in struct
 * rpki_index, which owns it. */
struct roa_changes {
	bool customers; /* constant */
	uint32_t of[ROA_CHANGE_CNT]; /* number of changes */
	bool all; /* too many changes for a list: any net may be affected */
	union {
		struct prefix *p; /* of a round: disjoint, ascending */
		uint32_t *as; /* of a round: ascending, each once */
	};
	uint32_t cnt, cap;
	const struct wire_set *last; /* customers: the last set looked at in this turn, */
	bool last_touched; /* and whether its path has a changed customer */
};

/* Nets found by the walk since the last notify_found. Embedded in struct rpki_index,
 * which owns it until the walk ends. */
struct roa_found {
	uint32_t cnt; /* numbers in all lists */
	struct roa_affected *nets; /* NULL: no nets */
	/* by number of the feeder: nets with routes of the feeder; NULL: none */
	struct roa_affected **owner;
	uint32_t owner_cap;
};

/* Sums for the next log line about rounds. Embedded in struct rpki_index, which owns it;
 * lives as long. */
struct roa_said {
	struct timer timer; /* while it runs, rounds are summed up */
	uint32_t rounds;
	uint64_t of[ROA_CHANGE_CNT]; /* changes in these rounds */
	uint64_t in, out; /* routes to be asked about again, on import and on export */
	uint32_t ins, outs; /* channels of in, out */
	uint32_t all; /* channels that do not keep refused routes */
	uint32_t nr; /* of the next line */
};

/* The wait for the first data. rpki_wait.c. Part of struct rpki_index, freed with the
 * index. */
struct rpki_wait {
	struct pub64 most_ns; /* the control worker writes; 0: nobody waits */
	struct pub32 ready; /* nobody waits any more */
	uint64_t begun_ns; /* start time of the worker */
	struct pub64 end_ns; /* 0: not begun yet */
	struct timer timer;
	struct pub32 fill; /* number of the last fill; the control worker writes */
	/* number of the last fill whose routes the table has, and the index has */
	uint32_t in_table;
	struct pub32 filled;
	bool whole; /* the table has all data, although no cache sent the data */
};

/* The nets that the index follows. rpki_index.c. Part of struct rpki_index, freed with
 * the index. */
struct rpki_feed {
	struct bitmap there; /* by net id: the map has the net */
	struct bitmap noted; /* by net id: `id` has the net */
	/* nets that may have changed since the last flush, without duplicates */
	uint32_t *id;
	uint32_t id_cnt, id_cap;
};

/* Changes that wait for the next round. roa_notify.c, roa_whole.c. Part of struct
 * rpki_index, freed with the index. */
struct roa_pending {
	struct pub64 settle_min_ns, settle_max_ns; /* the control worker writes */
	/* written by the control worker: complete data settles too */
	struct pub32 settle_given;
	struct roa_changes changed; /* since the last round began */
	uint64_t first_ns; /* time of the first of these changes */
	struct timer settle;
	struct counter32 open; /* open marks of sources; any thread */
	uint32_t taken; /* marks handled since the index last read all segments */
	bool whole; /* a source completed its data: need not settle */
	bool came; /* a source completed its data for the first time */
};

/* The round under way. roa_notify.c. Part of struct rpki_index, freed with the index. */
struct roa_round {
	enum roa_phase phase;
	struct roa_changes changes;
	uint32_t waiting; /* marks that the present round waits for */
	/* marks and grace periods, of any round, that will post to the index */
	uint32_t marks_out;
	struct rcu_node grace; /* of the round in ROA_GRACE */
	struct msg graced;
	struct pub64 applied; /* number of batches of changes in the map */
	/* applied at the start of the round: includes all changes of the round */
	uint64_t round_applied;
	struct list *next_group; /* next group to walk; &subs.groups: none */
	struct roa_group *walked; /* NULL: choose the next */
	uint32_t walk_pos;
	/* turn_ns: interval between subscribers that need all routes again, over all
	 * tables (0: not known yet); after_ns: delay of the next of them */
	uint64_t turn_ns, after_ns;
	struct roa_found found;
};

/* Groups of subscribers, by the table of the routes. roa_notify.c, roa_subs.c. Part of
 * struct rpki_index, freed with the index. */
struct roa_subs {
	struct list groups;
	struct list by_routes[ROA_GROUP_SLOTS];
};

/* The subscribers that decide about routes of one table. Owner: the index. Life: while
 * the group has a subscriber. Freed by: notify_group_gone. */
struct roa_group {
	struct list link; /* of roa_subs.groups */
	struct list same_slot;
	struct table *routes;
	struct list subs;
};

static inline struct roa_group *
roa_group_of(struct list *n)
{
	return container_of(n, struct roa_group, link);
}

/* Owner: its worker, but for fields marked so. Lives while counted. Freed by: the last
 * rpki_index_unref. */
struct rpki_index {
	struct follower f;
	struct rcu_node rcu;
	struct counter32 refs;
	/* 1 until the index is deleted, plus 1 for each subscription until it is dropped.
	 * At 0 no new subscription is possible. */
	struct counter32 users;
	struct roa_map *map; /* constant; NULL: of ASPAs */
	struct aspa_map *aspa; /* constant; else NULL */
	struct rpki_wait wait;
	struct rpki_feed feed;
	struct roa_subs subs;
	struct roa_pending pending;
	struct roa_round round;
	struct roa_said said; /* roa_said.c */
};

static inline struct rpki_index *
rpki_index_of_worker(struct worker *w)
{
	return container_of(w, struct rpki_index, f.worker);
}

/* roa_notify_init, fini - the parts of roa_notify.c. */
void roa_notify_init(struct rpki_index *x);
void roa_notify_fini(struct rpki_index *x);
/* roa_notify_batch_end - changes were published: start the settle timer. */
void roa_notify_batch_end(struct rpki_index *x);
/* roa_whole_caught_up - the map has all segments published before the last messages were
 * handled. roa_whole_held - a round is about to begin. Returns: true: a source is
 * incomplete; the settle timer was set again. */
void roa_whole_caught_up(struct rpki_index *x);
bool roa_whole_held(struct rpki_index *x);
/* roa_notify_run - in the worker's run. */
void roa_notify_run(struct rpki_index *x);
void roa_changes_add(struct roa_changes *c, const struct vrp *v, enum roa_change what);
bool roa_changes_any(const struct roa_changes *c);
/* roa_changes_take - move all of @from, for a round, to @to. */
void roa_changes_take(struct roa_changes *to, struct roa_changes *from);
void roa_changes_clear(struct roa_changes *c);
/* roa_changes_touch - true: answers about routes of @n may have changed. c->last is NULL
 * at the beginning of a turn. @looks: counts the looks. Under RCU. */
bool roa_changes_touch(
    struct roa_changes *c, const struct table *t, const struct net *n, uint32_t *looks);
/* roa_changes_route - after roa_changes_touch: may answers about route @p have
 * changed? */
bool roa_changes_route(struct roa_changes *c, const struct path *p, uint32_t *looks);
/* roa_affected_new - with a reference. */
OWNED struct roa_affected *roa_affected_new(bool all);
/* roa_found_net - add net @id. roa_found_route - add a route of the net, from the feeder
 * with number @feeder. */
void roa_found_net(struct roa_found *f, uint32_t id);
void roa_found_route(struct roa_found *f, uint32_t feeder, uint32_t id);
/* roa_found_alone - all routes of the last added net are from number @feeder. */
void roa_found_alone(struct roa_found *f, uint32_t feeder);
/* roa_found_of - the list for @feeder; NULL: empty. */
struct roa_affected *roa_found_of(const struct roa_found *f, uint32_t feeder);
/* roa_found_add - add net @n and its affected routes. Under RCU. */
void roa_found_add(
    struct rpki_index *x, uint32_t id, const struct net *n, uint32_t *looks);
/* roa_found_for - the list for @s; NULL: empty. */
struct roa_affected *roa_found_for(const struct roa_found *f, const struct roa_sub *s);
void roa_found_clear(struct roa_found *f);

/* roa_said_init - the part of roa_said.c. */
void roa_said_init(struct rpki_index *x);
/* roa_said_end - a round is over. */
void roa_said_end(struct rpki_index *x);
/* roa_said_count - count that @s is notified of @h. roa_said_all - count that @s is
 * notified of all nets; @nets: nets of the table. */
void roa_said_count(
    struct rpki_index *x, struct roa_sub *s, const struct roa_affected *h);
void roa_said_all(struct rpki_index *x, struct roa_sub *s, uint64_t nets);

/* roa_subs_each - @fn of all subscribers. roa_subs.c. */
void roa_subs_each(struct rpki_index *x, void (*fn)(struct roa_sub *s));

/* rpki_wait_init; rpki_wait_begin - the worker begins. */
void rpki_wait_init(struct rpki_index *x, const struct conf_table *cf);
void rpki_wait_begin(struct rpki_index *x);
/* rpki_wait_set - as @cf says. Control worker. */
void rpki_wait_set(struct rpki_index *x, const struct conf_table *cf);
/* rpki_wait_notify - notify @s that the wait is over. */
void rpki_wait_notify(struct roa_sub *s);
/* rpki_wait_over - the first data is complete. */
void rpki_wait_over(struct rpki_index *x);
/* rpki_wait_caught_up - as roa_whole_caught_up, for fills. */
void rpki_wait_caught_up(struct rpki_index *x);

/* rpki_index_try_stop - leave the table and end, if the index was deleted and has no
 * users. rpki_end.c. */
void rpki_index_try_stop(struct rpki_index *x);

#endif

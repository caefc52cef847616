/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of an index: for the files of nest/rib/index only. */
#ifndef TERN_NEST_RPKI_INDEX_PRIV_H
#define TERN_NEST_RPKI_INDEX_PRIV_H

#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/read.h"
#include "nest/tern.h"
#include "sysdep/loop/loop.h"

struct net;
struct path;

#define ROA_GROUP_SLOTS 64

enum roa_phase { ROA_QUIET, ROA_GRACE, ROA_MARKING, ROA_WALKING };

/* Of a customer it may also be that its providers aren't the same. */
enum roa_change { ROA_CAME, ROA_WENT, ROA_OTHER, ROA_CHANGE_CNT };

/* What came or went: prefixes of VRPs, or customers whose providers changed. */
struct roa_changes {
	bool customers; /* constant */
	uint32_t of[ROA_CHANGE_CNT]; /* how many there were */
	bool all; /* there were too many: everything may have changed */
	union {
		struct prefix *p; /* of a round: disjoint, ascending */
		uint32_t *as; /* of a round: ascending, each once */
	};
	uint32_t cnt, cap;
	const struct wire_set *last; /* customers: looked at last in this turn, */
	bool last_touched; /* and whether they are in its path */
};

/* Nets that a walk has found since it last told. */
struct roa_found {
	uint32_t cnt; /* numbers in all lists */
	struct roa_hits *nets; /* NULL: none */
	/* by number of the feeder: nets that it has routes of; NULL: none */
	struct roa_hits **owner;
	uint32_t owner_cap;
};

/* What the log has to say of rounds. */
struct roa_said {
	struct timer timer; /* while it runs rounds are added up */
	uint32_t rounds;
	uint64_t of[ROA_CHANGE_CNT]; /* changes in them */
	uint64_t in, out; /* routes to be asked about again, on import and on export */
	uint32_t ins, outs; /* channels that these are of */
	uint32_t all; /* channels that don't keep what they refuse */
	uint32_t nr; /* of the next line */
};

/* owner: its worker, but for what is marked; lives: while counted. */
struct rpki_index {
	struct worker worker;
	struct rcu_node rcu;
	struct counter32 refs;
	/* 1 until it is deleted, and one for each subscription until that was dropped.
	 * Once it is 0 nobody subscribes any more. */
	struct counter32 users;
	struct tern *tern;
	struct table *table; /* constant; used (table_use) until the worker ends */
	struct roa_map *map; /* constant; NULL: of ASPAs */
	struct aspa_map *aspa; /* constant; else NULL */
	struct pub64 settle_min_ns, settle_max_ns; /* the control worker writes */
	struct pub32 settle_given; /* likewise: so does what a source says is whole */

	/* rpki_wait.c */
	struct pub64 wait_ns; /* the control worker writes; 0: nobody waits */
	struct pub32 ready; /* nobody waits any more */
	uint64_t begun_ns; /* when its worker did */
	struct pub64 wait_end_ns; /* 0: not begun yet */
	struct timer wait;
	bool came; /* a source is through, for the first time */

	struct reader reader;
	struct arena arena;
	bool attached, leaving;
	struct bitmap there; /* by net id: what of it is in the map */
	struct bitmap noted; /* by net id: it is in `id` */
	uint32_t *id; /* nets that may have changed since the last flush, each once */
	uint32_t id_cnt, id_cap;

	/* roa_notify.c */
	/* of subscribers, by the table whose routes they decide about */
	struct list groups;
	struct list group_by_routes[ROA_GROUP_SLOTS];
	struct roa_changes changed; /* since the last round began */
	uint64_t first_ns; /* of these */
	struct timer settle;
	struct counter32 open; /* marks of sources that are in the middle; any thread */
	uint32_t taken; /* of them, by the worker, since it had read all */
	bool whole; /* a source is through: what has come needn't settle */
	enum roa_phase phase;
	struct roa_changes round;
	uint32_t waiting; /* marks that this round waits for */
	/* marks and grace periods that will post to us, of any round */
	uint32_t marks_out;
	struct rcu_node grace; /* of the round that is in ROA_GRACE */
	struct msg graced;
	struct pub64 applied; /* batches of changes that whoever asks now sees */
	/* the same when this round began: all its changes are of those */
	uint64_t round_applied;
	struct list *next_group; /* to be walked; &groups: none */
	struct roa_group *walked; /* NULL: choose the next */
	uint32_t walk_pos;
	/* between two of those who have to be sent all again, whatever table they have
	 * (0: not known yet); when the next of them has its turn, from now on */
	uint64_t turn_ns, after_ns;
	struct roa_found found;
	struct roa_said said; /* roa_said.c */
};

/* rpki_index_msg - to be posted to the index, which lives until it came; @fn frees it. */
OWNED struct msg *rpki_index_msg(void (*fn)(struct worker *w, TAKE struct msg *m));
/* roa_notify_init, fini - the parts of roa_notify.c. */
void roa_notify_init(struct rpki_index *x);
void roa_notify_fini(struct rpki_index *x);
/* roa_notify_batch_end - changes are published: see to it that they are told. */
void roa_notify_batch_end(struct rpki_index *x);
/* roa_whole_caught_up - all that was published when the worker's messages were handled is
 * in the map. roa_whole_held - a round would begin now: is a source in the middle of what
 * it says? Then the settle timer is set anew. */
void roa_whole_caught_up(struct rpki_index *x);
bool roa_whole_held(struct rpki_index *x);
/* roa_notify_run - in the worker's run. */
void roa_notify_run(struct rpki_index *x);
void roa_changes_add(struct roa_changes *c, const struct vrp *v, enum roa_change what);
bool roa_changes_any(const struct roa_changes *c);
/* roa_changes_take - move all of @from, for a round, to @to. */
void roa_changes_take(struct roa_changes *to, struct roa_changes *from);
void roa_changes_clear(struct roa_changes *c);
/* roa_changes_touch - may answers about the routes of @n differ? c->last is NULL at the
 * beginning of a turn. @looks: counts what has been looked at. Under RCU. */
bool roa_changes_touch(
    struct roa_changes *c, const struct table *t, const struct net *n, uint32_t *looks);
/* roa_changes_route - and about the route @p of it, if they may differ about the net? */
bool roa_changes_route(struct roa_changes *c, const struct path *p, uint32_t *looks);
/* roa_hits_new - with a reference. */
OWNED struct roa_hits *roa_hits_new(bool all);
/* roa_found_net - net @id may be concerned. roa_found_route - and a route of it, of
 * number @feeder. */
void roa_found_net(struct roa_found *f, uint32_t id);
void roa_found_route(struct roa_found *f, uint32_t feeder, uint32_t id);
/* roa_found_alone - all routes of the net that was added last are of number @feeder. */
void roa_found_alone(struct roa_found *f, uint32_t feeder);
/* roa_found_of - what was found of @feeder; NULL: nothing. */
struct roa_hits *roa_found_of(const struct roa_found *f, uint32_t feeder);
/* roa_found_add - net @n, and all of its routes that the changes concern. Under RCU. */
void roa_found_add(
    struct rpki_index *x, uint32_t id, const struct net *n, uint32_t *looks);
/* roa_found_for - what @s is to be told of; NULL: nothing. */
struct roa_hits *roa_found_for(const struct roa_found *f, const struct roa_sub *s);
void roa_found_clear(struct roa_found *f);

/* roa_said_init - the part of roa_said.c. */
void roa_said_init(struct rpki_index *x);
/* roa_said_end - a round is over. */
void roa_said_end(struct rpki_index *x);
/* roa_said_told - @s is told of @h. roa_said_all - of all nets; @nets: that its table
 * has. */
void roa_said_told(struct rpki_index *x, struct roa_sub *s, const struct roa_hits *h);
void roa_said_all(struct rpki_index *x, struct roa_sub *s, uint64_t nets);

/* roa_notify_each - @fn of all subscribers. */
void roa_notify_each(struct rpki_index *x, void (*fn)(struct roa_sub *s));

/* rpki_wait_init; rpki_wait_begin - its worker begins; rpki_wait_stop - it ends. */
void rpki_wait_init(struct rpki_index *x, const struct conf_table *cf);
void rpki_wait_begin(struct rpki_index *x);
void rpki_wait_stop(struct rpki_index *x);
/* rpki_wait_set - as @cf says. Control worker. */
void rpki_wait_set(struct rpki_index *x, const struct conf_table *cf);
/* rpki_wait_tell - @s, that it needn't wait. */
void rpki_wait_tell(struct roa_sub *s);
/* rpki_wait_over - there is all of the first data. */
void rpki_wait_over(struct rpki_index *x);

/* rpki_index_try_stop - leave the table and end, if it was deleted and nobody is left. */
void rpki_index_try_stop(struct rpki_index *x);

#endif

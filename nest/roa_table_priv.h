/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a ROA table: nest/roa_table.c and roa_notify.c only. */
#ifndef TERN_NEST_ROA_TABLE_PRIV_H
#define TERN_NEST_ROA_TABLE_PRIV_H

#include "nest/roa_table.h"
#include "nest/table.h"
#include "nest/tern.h"

enum roa_phase { ROA_QUIET, ROA_MARKING, ROA_WALKING };

/* Prefixes of VRPs that came or went. Beyond a bound it is the whole family. */
struct roa_changes {
	struct prefix *p;
	uint32_t cnt, cap;
};

/* owner: its worker, but for what is marked; lives: while counted. */
struct roa_table {
	struct worker worker;
	struct rcu_node rcu;
	struct counter32 refs;
	/* 1 until it is deleted, and one for each subscription until that was dropped. Once it is 0
	 * nobody subscribes any more. */
	struct counter32 users;
	struct tern *tern;
	char *name; /* constant */
	enum family fam; /* constant */
	struct roa_map *map; /* constant */
	struct counter64 routes;
	struct pub64 settle_min_ns, settle_max_ns; /* the control worker writes */
	uint32_t source_cnt;

	/* roa_notify.c */
	struct list subs;
	uint64_t last_number;
	struct roa_changes changed; /* since the last round began */
	uint64_t first_ns; /* of these */
	struct timer settle;
	enum roa_phase phase;
	struct roa_changes round; /* disjoint, ascending */
	uint32_t waiting; /* marks that this round waits for */
	uint32_t marks_out; /* marks that will post to us, of any round */
	uint64_t round_number;
	const struct table *walked; /* NULL: choose the next */
	uint64_t
	    walked_to; /* of the subscribers' numbers: those below have been served */
	uint32_t walk_pos;
	struct roa_hits *found;
};

/* roa_notify_init, fini - the parts of roa_notify.c. */
void roa_notify_init(struct roa_table *t);
void roa_notify_fini(struct roa_table *t);
/* roa_notify_changed - a VRP of @p came or went. */
void roa_notify_changed(struct roa_table *t, const struct prefix *p);
/* roa_notify_batch_end - changes are published: see to it that they are told. */
void roa_notify_batch_end(struct roa_table *t);
/* roa_notify_run - in the worker's run. */
void roa_notify_run(struct roa_table *t);
/* roa_table_try_stop - end, if it was deleted and nobody is left. */
void roa_table_try_stop(struct roa_table *t);

#endif

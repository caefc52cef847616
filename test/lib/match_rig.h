/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of longest matches over the table of test/lib/spine_rig.h; peers announce
 * whatever prefixes a test likes. Who includes it has included
 * nest/rib/index/match_index.c before. */
#ifndef TERN_TEST_LIB_MATCH_RIG_H
#define TERN_TEST_LIB_MATCH_RIG_H

#include "test/lib/spine_rig.h"
#include "test/lib/wait.h"
#include <unistd.h>

#define MATCH_BATCH 500 /* prefixes of one announcement */

static struct match_index *match;

static inline void
match_rig_start(void)
{
	rig_start(NULL);
	for (unsigned k = 0; k < RIG_PEERS; k++) {
		rig.peer[k]->count_only = true;
		rig.peer[k]->room = 1u << 30;
		spine_rig_up(k);
	}
	match = match_index_new(&rig.tern, rig_table(), "match");
}

static inline void
match_rig_delete(void)
{
	match_index_delete(match);
	rig_wait_workers(4 + RIG_PEERS);
}

static inline void
match_rig_finish(void)
{
	match_rig_delete();
	rig_finish(NULL);
}

/* What one peer says of up to MATCH_BATCH prefixes. */
struct match_feed {
	unsigned peer;
	uint32_t med;
	bool withdraws;
	uint32_t cnt;
	struct prefix p[MATCH_BATCH];
};

static inline void
match_do_feed(void *arg)
{
	struct match_feed *f = arg;
	struct channel *ch = rig.peer[f->peer]->ch;
	struct attr_local local = { .dest = DEST_UNICAST, .rts = RTS_BGP };
	uint8_t data[64], nlri[MATCH_BATCH * PREFIX_WIRE_MAX + 16] = { 0 };
	uint32_t len = 0;

	for (uint32_t i = 0; i < f->cnt; i++)
		len += prefix_put(nlri + len, &f->p[i]);
	if (f->withdraws)
		channel_withdraw(ch, nlri, len);
	else
		channel_import(
		    ch, data, rig_attrs(data, f->peer + 1, f->med), &local, nlri, len);
	while (!channel_flush_pending(ch)) {
		rcu_quiesce();
		wait_pause(200);
	}
}

/* match_rig_feed - in the peer's thread; the table may not have taken it yet. */
static inline void
match_rig_feed(struct match_feed *f)
{
	rig_in(&rig.peer[f->peer]->p.worker, match_do_feed, f);
}

static inline bool
match_rig_is_level(void)
{
	struct match_stats st;

	return match_index_stats(rig_table(), &st) && !st.behind;
}

/* match_rig_level - until the index has all that is published. */
static inline void
match_rig_level(void)
{
	uint64_t until = rig_until();

	while (!match_rig_is_level()) {
		rcu_quiesce();
		wait_pause(200);
		assert_true(clock_now_ns() < until);
	}
}

/* ---- an index that lags ---- */

struct match_block {
	struct msg msg;
	sem_t held, go;
};

static inline void
match_do_block(struct worker *w, TAKE struct msg *m)
{
	struct match_block *b = container_of(m, struct match_block, msg);

	(void)w;
	sem_post(&b->held);
	rcu_sleep(); /* it lags, and is quiescent */
	sem_wait(&b->go);
	rcu_wake();
	sem_post(&b->held);
}

/* match_rig_block - until match_rig_go the index does nothing. */
static inline void
match_rig_block(struct match_block *b)
{
	sem_init(&b->held, 0, 0);
	sem_init(&b->go, 0, 0);
	b->msg.handle = match_do_block;
	worker_post(&match->f.worker, &b->msg);
	rig_wait(&b->held);
}

static inline void
match_rig_go(struct match_block *b)
{
	sem_post(&b->go);
	rig_wait(&b->held);
}

#endif

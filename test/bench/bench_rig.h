/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A real table with real sessions (test/lib/spine_rig.h) for benchmarks: prefixes, sets,
 * rounds that are timed in the table's thread. Who includes it has included
 * nest/rib/table/table_best.c before, and said how many RIG_PEERS there are. */
#ifndef TERN_TEST_BENCH_BENCH_RIG_H
#define TERN_TEST_BENCH_BENCH_RIG_H

#include "proto/bgp/in/bgp_decide.h"
#include "test/bench/bench.h"
#include "test/lib/net_rig.h"
#include "test/lib/spine_rig.h"
#include <malloc.h>

#define MIX 0x9e3779b1u /* odd: a permutation of 24 bits */

static inline struct prefix
bench_rig_net_of(uint32_t i)
{
	return prefix_make(ip4((i * MIX & 0xffffff) << 8), 24, FAM_IP4);
}

/* make_set - typical attributes; @k tells sets apart. */
static inline struct attr_set *
bench_rig_make_set(uint32_t peer, uint32_t k)
{
	struct attr_local local = {
		.preference = 100, .dest = DEST_UNICAST, .rts = RTS_BGP
	};
	uint8_t path[14] = { AS_SEQUENCE, 3 }, val[8], data[128];
	struct wbuf w = wbuf_of(data, sizeof(data));

	put_be32(path + 2, 65000 + peer);
	put_be32(path + 6, k);
	put_be32(path + 10, 3);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	put_be32(val, 0x0a000001 + peer);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, val, 4);
	put_be32(val, 50);
	wire_item(&w, 0x80, ATTR_MED, val, 4);
	wire_item(&w, 0x40, ATTR_LOCAL_PREF, val, 4);
	put_be32(val + 4, 65000u << 16 | 1);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, val, 8);
	return attr_store_intern(
	    rig.tern.store, data, (uint32_t)wbuf_len(&w), &local, NULL, 0);
}

/* forget - the batch ends, but nothing is published; unlinked paths are freed at once:
 * nobody reads. */
static inline void
bench_rig_forget(struct table *t)
{
	for (uint32_t i = 0; i < t->work.retired_cnt; i++)
		table_path_free(t, t->work.retired[i]);
	t->work.retired_cnt = t->best.change_cnt = t->best.change_seen = 0;
	store_relaxed32(&t->batch, load_relaxed32(&t->batch) + 1);
}

/* ---- rig ---- */

static inline void
bench_rig_start(void)
{
	rig_class.order.rank = bgp_decide_cmp;
	rig_class.order.tied = bgp_decide_tied;
	rig_class.order.select = bgp_decide_select;
	rig_class.order.lowest = bgp_decide_lowest;
	ASSERT(rig_start(NULL) == 0);
	for (unsigned k = 0; k < RIG_PEERS; k++) {
		rig.peer[k]->count_only = true;
		rig.peer[k]->room = 1u << 30;
		spine_rig_up(k);
	}
}

static inline void
bench_rig_finish(void)
{
	rig_finish(NULL);
	malloc_trim(0);
}

/* timed - in the table's thread. */
struct timed {
	void (*fn)(void *arg);
	void *arg;
	uint64_t ns;
};

static inline void
run_timed(void *arg)
{
	struct timed *m = arg;
	uint64_t from = clock_thread_cpu_ns();

	m->fn(m->arg);
	m->ns = clock_thread_cpu_ns() - from;
}

static inline uint64_t
time_in_table(void (*fn)(void *arg), void *arg)
{
	struct timed m = { .fn = fn, .arg = arg };

	rig_in(&rig_table()->worker, run_timed, &m);
	return m.ns;
}

static inline void
sort_into(struct bench_row *r, double *v, unsigned cnt)
{
	qsort(v, cnt, sizeof(*v), bench_cmp);
	r->best = v[0];
	r->median = v[cnt / 2];
	bench_row(r);
}

#endif

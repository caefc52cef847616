/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adj-RIB-Out of one channel: bits over net ids and, if configured, an export table with
 * the announcement of each net. Owner: the session. Life: embedded in the channel's sink.
 *
 * A bit is set when the message is queued: the peer holds, or is being sent, a route for
 * the net. A session that ends drops queue and bits together. Every function that changes
 * bits changes the export table as well: an id has a bit if and only if the table has an
 * announcement for the id.
 *
 * Loop: the session's. */
#ifndef TERN_PROTO_BGP_OUT_ADJ_OUT_H
#define TERN_PROTO_BGP_OUT_ADJ_OUT_H

#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "nest/rib/stream/segment.h"
#include "proto/bgp/out/export_table.h"

/* The Adj-RIB-Out. Owner: the session; embedded in the channel's sink, freed with the
 * sink. */
struct adj_out {
	struct bitmap out;
	uint32_t out_cnt;
	struct export_table *table; /* owned; NULL: no export table */
};

static inline void
adj_out_init(struct adj_out *a)
{
	bitmap_init(&a->out, MEM_PROTO);
	a->out_cnt = 0;
	a->table = NULL;
}

static inline void
adj_out_fini(struct adj_out *a)
{
	bitmap_fini(&a->out);
	export_table_free(a->table);
}

static inline void
adj_out_clear(struct adj_out *a)
{
	bitmap_clear_all(&a->out);
	a->out_cnt = 0;
	if (a->table)
		export_table_clear(a->table);
}

/* adj_out_fetch - net @id is about to be sent: ask for its bit. */
static inline void
adj_out_fetch(const struct adj_out *a, uint32_t id)
{
	if (id / 64 < a->out.word_cnt)
		__builtin_prefetch(&a->out.word[id / 64], 1);
	if (unlikely(a->table != NULL))
		export_table_fetch(a->table, id);
}

/* adj_out_sent - these ids were announced, and an export table has recorded the
 * announcements. */
static inline void
adj_out_sent(struct adj_out *a, uint32_t id, uint32_t cnt)
{
	if (cnt == 1) /* half of all runs */
		a->out_cnt += bitmap_set(&a->out, id);
	else
		a->out_cnt += bitmap_set_range(&a->out, id, cnt);
}

/* adj_out_ranges - the same of several. */
static inline void
adj_out_ranges(struct adj_out *a, const struct seg_run *run, uint32_t run_cnt)
{
	for (uint32_t r = 0; r < run_cnt; r++)
		adj_out_sent(a, run[r].id, run[r].cnt);
}

/* adj_out_record - record that the ids were announced as @what says (@hint: see
 * export_table_sent); @what NULL: the channel has no export table. */
static inline void
adj_out_record(struct adj_out *a, const struct seg_run *run, uint32_t run_cnt,
    const struct announce *what, struct pub32 *hint)
{
	adj_out_ranges(a, run, run_cnt);
	if (unlikely(a->table != NULL))
		export_table_sent(a->table, what, hint, run, run_cnt);
}

/* adj_out_like - an empty Adj-RIB-Out, with an export table if @a has one. adj_out_rename
 * - copy bit and announcement of @id in @a to @to_id in @to. adj_rename.c */
OWNED struct adj_out *adj_out_like(const struct adj_out *a);
void adj_out_rename(
    const struct adj_out *a, uint32_t id, struct adj_out *to, uint32_t to_id);

static inline void
adj_out_gone(struct adj_out *a, uint32_t id, uint32_t cnt)
{
	if (!a->out_cnt)
		return;
	a->out_cnt -= bitmap_clear_range(&a->out, id, cnt);
	if (unlikely(a->table != NULL))
		export_table_gone(a->table, id, cnt);
}

#endif

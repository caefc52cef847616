/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ids of a stream that wait until all readers have told the withdrawal, and closing of
 * readers that hold too many ids. The table's loop. Tested by
 * test/unit/test_table_publish.c. */
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "nest/rib/read.h"
#include "nest/rib/stream.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

/* Items of a block of the queue: 256 kB, so that malloc returns each block to the system.
 * (A doubling ring took 11 ms to make room for a million nets withdrawn by a member;
 * blocks of 16 kB left half of the daemon's memory allocated.) */
#define DEAD_BLOCK 16384

static struct dead_item *
table_dead_at(const struct dead_items *d, uint32_t i)
{
	uint32_t pos = d->head + i;

	return &d->block[pos / DEAD_BLOCK][pos % DEAD_BLOCK];
}

static void
dead_block_add(struct dead_items *d)
{
	d->block = vec_room(
	    MEM_TABLE, d->block, &d->block_cap, d->block_cnt + 1, sizeof(*d->block));
	d->block[d->block_cnt++] = mem_alloc(MEM_TABLE, DEAD_BLOCK * sizeof(**d->block));
}

/* dead_block_drop - free the first block, which has no waiting item. */
static void
dead_block_drop(struct dead_items *d)
{
	mem_free(MEM_TABLE, d->block[0]);
	d->block_cnt--;
	memmove(d->block, d->block + 1, d->block_cnt * sizeof(*d->block));
	d->head = 0;
}

void
stream_dead_put(struct stream *st, uint32_t id)
{
	struct dead_items *d = &st->dead;

	if (d->head + d->cnt == d->block_cnt * DEAD_BLOCK)
		dead_block_add(d);
	d->cnt++;
	d->fresh++;
	*table_dead_at(d, d->cnt - 1) = (struct dead_item){ .id = id, .seq = UINT64_MAX };
}

void
stream_dead_settle(struct stream *st)
{
	const struct stream *all = st->table->all;
	uint64_t tail = load_relaxed64(&st->journal.tail);
	uint32_t all_tail = (uint32_t)(all ? load_relaxed64(&all->journal.tail)
					   : journal_start());

	for (; st->dead.fresh; st->dead.fresh--) {
		struct dead_item *d = table_dead_at(
		    &st->dead, st->dead.cnt - st->dead.fresh);

		d->seq = tail;
		d->all_seq = all_tail;
	}
}

static uint64_t
dead_progress_of(const struct reader *r)
{
	return reader_ops_of(r)->progress ? reader_ops_of(r)->progress(r)
					  : counter64_get(&r->turns);
}

static void
table_dead_report_slow(struct reader *r, uint64_t out_pos, uint64_t progress, bool anyway)
{
	if (reader_ops_of(r)->slow)
		reader_ops_of(r)->slow(r, out_pos, progress, anyway);
}

/* table_dead_look_at_all - Returns: of the readers that hold the oldest waiting id and
 * made no progress since the last look, the reader that holds most ids; NULL: none. */
static struct reader *
table_dead_look_at_all(struct stream *st)
{
	uint64_t min = table_dead_at(&st->dead, 0)->seq;
	struct reader *stuck = NULL;
	struct list *n;

	list_for_each (n, &st->readers) {
		struct reader *r = container_of(n, struct reader, link);
		uint64_t progress = dead_progress_of(r), out;
		bool stands = progress == r->seen_progress;

		r->seen_progress = progress;
		if (!stands ||
		    load_acquire64(&r->cursor.pos) == CURSOR_IDLE) /* pairs: JPOS */
			continue;
		out = load_acquire64(&r->cursor.out_pos); /* pairs: JOUT */
		if (out < min) {
			min = out;
			stuck = r;
		}
	}
	return stuck;
}

/* dead_too_many_wait - more ids wait than the bound allows: ask all readers to read the
 * journal (an item that was never sent needs no withdrawal). A reader without progress
 * for a second is closed, one reader a second, beginning with the reader that holds most
 * ids. Slow readers with progress stay, until ids get scarce (dead.max). */
static void
dead_too_many_wait(struct stream *st, struct cursor *slowest, uint64_t out_pos)
{
	struct reader *most = slowest ? container_of(slowest, struct reader, cursor)
				      : NULL;
	struct dead_items *d = &st->dead;
	uint32_t bound = load_relaxed32(&st->ids.limit) / 4;
	uint64_t now = loop_now_ns(&st->table->worker);
	bool first = !d->crowded_ns;
	struct reader *stuck;

	if (bound < d->min)
		bound = d->min;
	if (!slowest || d->cnt <= bound) {
		d->crowded_ns = 0;
		return;
	}
	if (!first && now - d->crowded_ns <= NS_PER_S)
		return;
	d->crowded_ns = now;
	journal_hurry(&st->journal);
	stuck = table_dead_look_at_all(st);
	if (first)
		return;
	if (d->cnt > d->max)
		table_dead_report_slow(most, out_pos, 0, true);
	else if (stuck)
		table_dead_report_slow(stuck, load_relaxed64(&stuck->cursor.out_pos),
		    stuck->seen_progress, false);
}

uint64_t
stream_dead_min(struct stream *st)
{
	struct cursor *slowest;
	uint64_t min = journal_min_out(&st->journal, &slowest);

	dead_too_many_wait(st, slowest, min);
	return min;
}

const struct dead_item *
stream_dead_ahead(const struct stream *st, uint32_t k)
{
	return k < st->dead.cnt ? table_dead_at(&st->dead, k) : NULL;
}

struct dead_item
stream_dead_pop(struct stream *st)
{
	struct dead_item d = *table_dead_at(&st->dead, 0);

	st->dead.head++;
	if (!--st->dead.cnt) /* reuse the pages */
		st->dead.head = 0;
	else if (st->dead.head == DEAD_BLOCK)
		dead_block_drop(&st->dead);
	return d;
}

void
stream_dead_free(struct stream *st)
{
	struct dead_items *d = &st->dead;

	while (d->block_cnt)
		mem_free(MEM_TABLE, d->block[--d->block_cnt]);
	mem_free(MEM_TABLE, d->block);
	d->block = NULL;
	d->block_cap = d->head = 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stream of a table: ids of items, segments of changes for the journal, waking of
 * readers (stream.h). The table's loop.
 *
 * The table wakes readers at once if the last round was long enough ago (eight times the
 * whole cost of a round), else by a timer. So a single change reaches every reader
 * without delay, and readers read a flow of changes in large steps. The pacing makes
 * 1,000 clients affordable. A quiet table with few changes waits less, and runs most
 * readers itself (sysdep/loop/loop_lease.c). Tested by test/unit/test_table_all.c and
 * test/prop/prop_spine.c. */
#include "nest/rib/stream.h"

#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "nest/core/tern.h"
#include "nest/rib/ids.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/express.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os.h"

#define JOURNAL_ORDER 18 /* 262,144 segments */
/* Limits count segments with the caches of readers: one set of messages takes two thirds
 * of a segment with few nets, and equals a segment with many nets. */
#define JOURNAL_SOFT (40u << 20) /* octets at which lagging readers must use dirty bits */
#define JOURNAL_HARD (56u << 20) /* octets at which the journal drops entries */
/* after this number of journal octets, freeing starts at once */
#define RECLAIM_BYTES (3u << 17)
#define WAKE_FEW      16 /* segments since the last round: single changes */
/* under load the interval of rounds is this multiple of a round's cost */
#define WAKE_PACE    8
#define WAKE_LOOP_NS 10000 /* CPU cost of waking one thread */
#define DEAD_MIN     (1u << 20) /* 32 MB of IPv4 nets */
#define DEAD_MAX     (NET_ID_MAX / 2) /* then ids get scarce */

#define CHUNKS_LEN (CHUNK_MAX * sizeof(struct net_chunk))

_Static_assert(CHUNKS_LEN <= VMEM_STEP, "the records fit one step");

static void stream_wake_fired(struct timer *tm);

static void
stream_free_entry(struct journal_entry *e, void *arg)
{
	struct stream *st = arg;

	segment_free(st->table, container_of(e, struct segment, je));
}

/* stream_chunks_new - reserve the chunks; pages are allocated at their first use. */
static struct net_chunk *
stream_chunks_new(void)
{
	struct net_chunk *chunk = vmem_reserve(VMEM_STEP);

	vmem_open(MEM_TABLE, chunk, false);
	mem_note(MEM_TABLE, (ptrdiff_t)CHUNKS_LEN - VMEM_STEP);
	return chunk;
}

void
stream_init(struct stream *st, struct table *t)
{
	st->table = t;
	st->chunk = stream_chunks_new();
	bitmap_init(&st->ids.free, MEM_TABLE);
	st->express.credit.left = EXPRESS_BURST;
	st->dead.min = DEAD_MIN;
	st->dead.max = DEAD_MAX;
	list_init(&st->readers);
	journal_init(&st->journal, JOURNAL_ORDER, JOURNAL_SOFT, JOURNAL_HARD,
	    stream_free_entry, st);
	if (t->tern && table_lends(t)) /* a test's table has no daemon */
		st->journal.fan = (uint32_t)min_u64(
		    max_u64(os_cpu_count(), 2) - 1, st->journal.fan);
	timer_init(&st->waking.timer, &t->worker, stream_wake_fired);
}

void
stream_fini(struct stream *st)
{
	tail_news_fini(&st->news);
	journal_fini(&st->journal);
	vmem_fini(MEM_TABLE, st->chunk, VMEM_STEP, CHUNKS_LEN);
	mem_free(MEM_TABLE, st->change);
	stream_dead_free(st);
	bitmap_fini(&st->ids.free);
}

/* ---- ids ---- */

static void
stream_open_to(struct stream *st, uint32_t cnt)
{
	size_t open = load_relaxed64(&st->slot_open);

	if (!st->slot)
		table_nets_open(st->table, cnt);
	else if (cnt * sizeof(*st->slot) > open) {
		vmem_open(MEM_TABLE, (uint8_t *)st->slot + open, false);
		store_relaxed64(&st->slot_open, open + VMEM_STEP);
	}
}

uint32_t
stream_id_new(struct stream *st)
{
	struct stream_ids *ids = &st->ids;
	uint32_t limit = load_relaxed32(&ids->limit), id;

	if (ids->alloc_pos % 64 && bitmap_test(&ids->free, ids->alloc_pos)) {
		id = ids->alloc_pos;
	} else if (ids->free_cnt >= 64 && ids->free_cnt > limit / 8) {
		id = bitmap_next(&ids->free, 0);
		/* Prefer a wholly free word nearby. */
		for (uint32_t w = id / 64, n = 0; n < 64 && w < ids->free.word_cnt;
		     n++, w++)
			if (ids->free.word[w] == UINT64_MAX) {
				id = w * 64;
				break;
			}
	} else if (limit < NET_ID_MAX) {
		stream_open_to(st, limit + 1);
		store_release32(&ids->limit, limit + 1); /* pairs: TLIMIT */
		return limit;
	} else if (ids->free_cnt) {
		id = bitmap_next(&ids->free, 0);
	} else {
		return NO_ID;
	}
	bitmap_clear(&ids->free, id);
	ids->free_cnt--;
	ids->alloc_pos = id + 1;
	return id;
}

/* stream_chunk_is_free - true: no id of the chunk is in use. */
static bool
stream_chunk_is_free(const struct stream *st, uint32_t chunk)
{
	return bitmap_count_range(&st->ids.free, chunk << CHUNK_ORDER, CHUNK_NETS) ==
	       CHUNK_NETS;
}

/* stream_chunk_release - no id of the chunk is in use: release its pages. A zeroed net
 * has no path, and a zeroed slot has none. */
static void
stream_chunk_release(struct stream *st, uint32_t chunk)
{
	uint8_t *base = st->slot ? (uint8_t *)st->slot : st->table->net.at;
	size_t one = st->slot ? sizeof(*st->slot) : st->table->net.size;

	vmem_release(base + chunk * CHUNK_NETS * one, CHUNK_NETS * one);
}

void
stream_id_free(struct stream *st, uint32_t id)
{
	bitmap_set(&st->ids.free, id);
	st->ids.free_cnt++;
	if (st->ids.free.word[id / 64] == UINT64_MAX &&
	    stream_chunk_is_free(st, id >> CHUNK_ORDER))
		stream_chunk_release(st, id >> CHUNK_ORDER);
}

bool
stream_empty(const struct stream *st)
{
	uint32_t none = st->slot != NULL; /* id 0 of paths */

	return st->ids.free_cnt + none >= load_relaxed32(&st->ids.limit);
}

void
stream_trim(struct stream *st)
{
	if (st->slot)
		vmem_release(st->slot, load_relaxed64(&st->slot_open));
	else
		vmem_release(st->table->net.at, load_relaxed64(&st->table->net_open));
	DCHECK(!st->change_cnt && !st->dead.cnt);
	stream_dead_free(st);
	mem_free(MEM_TABLE, st->change);
	st->change = NULL;
	st->change_cap = 0;
}

/* ---- publishing ---- */

void
stream_grow_changes(struct stream *st)
{
	st->change = vec_room(MEM_TABLE, st->change, &st->change_cap, st->change_cnt + 1,
	    sizeof(*st->change));
}

void
stream_note_single(struct stream *st, bool few)
{
	uint32_t i = st->change_seen, cnt = st->change_cnt;

	st->change_seen = cnt;
	if (!few || !express_spend(&st->express.credit, st->table->time.now_cs, cnt - i))
		return;
	for (; i < cnt; i++)
		st->change[i].single = 1;
}

static void
table_stream_emit(void *arg, TAKE struct segment *s)
{
	struct stream *st = arg;
	struct table *t = st->table;

	counter64_bump(&t->st.segments, 1);
	counter64_bump(&t->st.segment_nets, s->nets.cnt);
	if (!s->set)
		counter64_bump(&t->st.withdraws, 1);
	journal_append(&st->journal, &s->je);
}

/* table_stream_moved - true: the state of @id changed in this batch, maybe back. Clears
 * the mark. */
static bool
table_stream_moved(struct stream *st, uint32_t id)
{
	struct net *n = table_net_ptr(st->table, id);
	bool yes = n->flags & NET_MOVED;

	n->flags &= (uint8_t)~NET_MOVED;
	return yes;
}

static struct seg_item
stream_item_of(struct stream *st, struct change *c)
{
	const struct path *now = stream_path(st, c->id);
	bool has_moved = st->slot || table_stream_moved(st, c->id);
	/* Equal states before and after the batch are not enough: a reader may have seen
	 * a state between. */
	bool same = now && now->set == c->old_set &&
		    (path_feeder(now) != c->old_src || !has_moved);

	c->single &= has_moved;
	return (struct seg_item){
		.id = c->id,
		.src = now ? path_feeder(now) : NO_FEEDER,
		.old_src = same ? c->old_src : NO_FEEDER,
		.origin = now ? path_origin(now) : 0,
		.set = now ? now->set : NULL,
	};
}

bool
stream_publish(struct stream *st)
{
	struct table *t = st->table;
	struct seg_item *item;

	if (!st->change_cnt)
		return false;
	arena_reset(&t->work.scratch);
	item = arena_alloc(&t->work.scratch, st->change_cnt * sizeof(*item));
	if (st->change_cnt * sizeof(*item) <= SCRATCH_SIZE)
		store_relaxed_ptr(&t->pub.scratch, item);
	for (uint32_t i = 0; i < st->change_cnt; i++)
		item[i] = stream_item_of(st, &st->change[i]);
	if (!st->reader_cnt) /* a new reader reads cuts first */
		return true;
	segment_group(st, &t->out.seg, &t->work.scratch, item, st->change_cnt,
	    load_relaxed32(&t->batch), table_stream_emit, st);
	if (unlikely(tail_news_notify(&st->news)))
		tail_news_reap(&st->news);
	return true;
}

void
stream_notify_single(struct stream *st)
{
	for (uint32_t i = 0; i < st->change_cnt; i++)
		if (st->change[i].single)
			express_put(&st->express, st->change[i].id,
			    load_relaxed32(&st->table->batch));
	st->change_cnt = st->change_seen = 0;
}

/* ---- waking ---- */

static uint64_t
stream_wake_cost(const struct stream *st)
{
	uint32_t loops = st->reader_cnt, limit = st->table->tern->process.thread_limit;

	if (limit && limit < loops)
		loops = limit;
	return (uint64_t)loops * WAKE_LOOP_NS;
}

/* stream_wake_readers - Returns: true: continue the round in the table's next turn. */
static bool
stream_wake_readers(struct stream *st)
{
	st->waking.waits = false;
	st->waking.last_ns = clock_now_ns();
	st->waking.tail = load_relaxed64(&st->journal.tail);
	counter64_bump(&st->table->st.wake_rounds, 1);
	return journal_wake(&st->journal) && table_lends(st->table);
}

bool
stream_few(const struct stream *st)
{
	return load_relaxed64(&st->journal.tail) - st->waking.tail <= WAKE_FEW;
}

/* stream_wake_paced - a few changes alone don't wait for as long as many. */
static bool
stream_wake_paced(struct stream *st, bool quiet)
{
	uint64_t cost = stream_wake_cost(st);
	bool few = quiet && table_lends(st->table) && stream_few(st) &&
		   !journal_waking(&st->journal);
	uint64_t next = st->waking.last_ns + (few ? cost : WAKE_PACE * cost);

	if (clock_now_ns() >= next)
		return stream_wake_readers(st);
	if (!st->waking.waits) {
		st->waking.waits = true;
		timer_set(&st->waking.timer, next);
	}
	return false;
}

bool
stream_wake(struct stream *st, bool used, bool quiet)
{
	if (used && load_relaxed64(&st->journal.tail) != st->waking.tail)
		return stream_wake_paced(st, quiet);
	return quiet && table_lends(st->table) && journal_wake_more(&st->journal);
}

static void
stream_wake_fired(struct timer *tm)
{
	struct stream *st = container_of(tm, struct stream, waking.timer);

	if (st->waking.waits && stream_wake_readers(st))
		worker_again(&st->table->worker);
}

/* ---- freeing ---- */

void
stream_reclaim(struct stream *st)
{
	st->reclaimed_at = journal_reclaim(&st->journal);
}

bool
stream_grown(const struct stream *st)
{
	return journal_bytes(&st->journal) > st->reclaimed_at + RECLAIM_BYTES;
}

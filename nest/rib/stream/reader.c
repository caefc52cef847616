/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reader follows a table (read.h): the reader reads the journal in order, and tells
 * dirty nets chunk by chunk.
 *
 * A reader whose owner has no room does not move the reader's cursor. The reader later
 * continues with the shared segments in order. When the journal demands progress, the
 * reader turns unread segments into dirty bits. Single changes do not wait
 * (reader_early.c).
 *
 * I1  After telling state from a cut, the reader is ahead of unread segments. In segments
 *     up to ahead_batch, the reader compares each net's latest segment number, and skips
 *     nets with a newer segment, which it will read later. The reader skips whole
 *     segments whose chunks it told in the segment's state or later (shown).
 * I2  A sweep goes once over all ids. At its end, every withdrawal that was in the
 *     journal before the sweep is settled: the reader publishes this position to the
 *     table (out_pos).
 * I3  Reading a segment cleans its nets, or the segment has no change that the owner
 *     could see. So a dirty bit is as old as its last setting, and any cut that shows
 *     that time is new enough (since), although newer segments were read.
 * I4  A running sweep never restarts. A request for all nets during a sweep starts
 *     another sweep afterwards, once for any number of requests; a sweep that has not
 *     passed any net (all_new) answers the request itself. So a flood of requests costs
 *     at most what the owner accepts, and out_pos advances.
 *
 * Loop: the owner's. Tests: test_reader.c, test_reader_turn.c, test_reader_early.c,
 * prop_spine.c. */
#include "nest/rib/read.h"

#include "lib/base/bitmap.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/mt/bump.h"
#include "lib/mt/journal.h"
#include "nest/rib/ids.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/cut.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define TURN_OCTETS   65536 /* taken before a flush */
#define TURN_SEGMENTS 512
#define TURN_FLUSHES  4 /* flushes of a turn; then the loop does its other work */
#define RUN_SEGMENTS  32 /* given to ops->run at a time */
#define RUN_SEEN      8 /* further segments given for prefetching */
#define RUN_NETS      1024 /* a run ends at this number of nets */
/* limit of a turn: segments refused by filters fill no flush */
#define TURN_NS NS_PER_MS
/* segments read in a lease; the reader's own thread reads longer backlogs */
#define LENT_SEGMENTS 32
#define HURRY_MAX     8192 /* segments turned into dirty bits in a turn */
/* octets waiting for a grace period above which readers make no cuts */
#define WAITING_MAX (64u << 20)
#define PAUSE_NS    (5 * NS_PER_MS)
/* flushes without reaching the journal's end before dirty nets get a flush */
#define BEHIND_MAX 8

/* ---- dirty nets ---- */

static void
reader_all_dirty(struct reader *r)
{
	uint32_t limit = stream_limit(r->st);

	if (limit)
		reader_dirty(r, 0, limit);
}

/* reader_lost - the journal has gone on without the reader: all may have changed. */
static void
reader_lost(struct reader *r)
{
	reader_all_dirty(r);
	r->sweep.owed = OWED_ALL;
}

/* reader_settle - publish @pos: the owner has got all withdrawals of the journal before
 * @pos. */
static void
reader_settle(struct reader *r, uint64_t pos)
{
	if (load_relaxed64(&r->cursor.out_pos) < pos)
		store_release64(&r->cursor.out_pos, pos); /* pairs: JOUT */
}

/* reader_hurry - no room, and the journal demands progress: turn unread segments into
 * dirty bits. Returns: true: call again. */
static bool
reader_hurry(struct reader *r)
{
	struct cursor *c = &r->cursor;
	unsigned cnt = 0;
	void *e = NULL;

	while (cnt++ < HURRY_MAX && (e = journal_read(&r->st->journal, c))) {
		if (e == JOURNAL_LOST)
			reader_lost(r);
		else
			reader_dirty_segment(r,
			    container_of((struct journal_entry *)e, struct segment, je));
	}
	journal_done(c);
	if (!r->sweep.owed)
		reader_settle(r, c->read);
	return e != NULL;
}

/* ---- ahead of the journal ---- */

/* reader_go_ahead - segments up to @batch are looked at net by net from now on. */
static void
reader_go_ahead(struct reader *r, uint32_t batch)
{
	if (!r->shown.ahead || batch_after(batch, r->shown.ahead_batch))
		r->shown.ahead_batch = batch;
	r->shown.ahead = true;
}

void
reader_look(struct reader *r)
{
	/* Decisions about told nets may change now: no segment is skipped as a whole. */
	reader_shown_drop(r);
	reader_go_ahead(r, load_acquire32(&r->table->batch)); /* pairs: TBATCH */
}

/* reader_superseded - true: net @id has a newer, unread segment. The newer segment is
 * then checked net by net too: otherwise the reader would skip a segment that only
 * reports a changed source. */
static bool
reader_superseded(struct reader *r, const struct segment *s, uint32_t id)
{
	uint32_t batch = load_acquire32(stream_batch_of(r->st, id)); /* pairs: NBATCH */

	if (batch == s->batch)
		return false;
	if (batch_after(batch, r->shown.ahead_batch))
		r->shown.ahead_batch = batch;
	return true;
}

bool
reader_passes(
    struct reader *r, const struct segment *s, uint32_t id, enum read_check check)
{
	switch (check) {
	case READ_ALL:
	case READ_ONCE:
		return true;
	case READ_DIRTY:
		return bitmap_test(&r->dirty, id);
	case READ_LATER:
		return !reader_early_told(r, id, s->batch);
	case READ_LATEST:
		break;
	}
	return !reader_early_told(r, id, s->batch) && !reader_superseded(r, s, id);
}

/* ---- the journal ---- */

/* reader_before_early - Returns: number of leading segments of @s without a net that was
 * told early. */
static unsigned
reader_before_early(struct reader *r, struct segment *const *s, unsigned cnt)
{
	unsigned i = 0;

	for (unsigned k = 0; k < cnt; k++)
		__builtin_prefetch(s[k]);
	while (i < cnt && r->early.nets && !reader_early_touches(r, s[i]))
		i++;
	return r->early.nets ? i : cnt;
}

/* reader_few_nets - Returns: number of leading segments handled as one run. */
static unsigned
reader_few_nets(struct segment *const *s, unsigned cnt)
{
	unsigned i = 0;

	for (uint32_t nets = 0; i < cnt && nets < RUN_NETS; i++)
		nets += s[i]->nets.cnt;
	return i;
}

/* reader_follow_run - handle a run of segments. Returns: number of handled segments. */
static unsigned
reader_follow_run(struct reader *r, uint64_t tail, unsigned max)
{
	const struct journal *j = &r->st->journal;
	void *e[RUN_SEGMENTS + RUN_SEEN];
	struct segment *s[RUN_SEGMENTS + RUN_SEEN];
	unsigned seen, cnt;

	if (r->shown.ahead)
		return 0;
	if (max > RUN_SEGMENTS)
		max = RUN_SEGMENTS;
	seen = journal_look(j, &r->cursor, e, max + RUN_SEEN, tail);
	for (unsigned i = 0; i < seen; i++)
		s[i] = container_of((struct journal_entry *)e[i], struct segment, je);
	cnt = reader_few_nets(s, seen < max ? seen : max);
	if (unlikely(r->early.nets))
		cnt = reader_before_early(r, s, cnt);
	cnt = cnt ? reader_ops_of(r)->run(r, s, cnt, seen) : 0;
	r->cursor.read += cnt;
	return cnt;
}

/* reader_check_of - how @s, the next of the journal, is to be looked at. */
static enum read_check
reader_check_of(struct reader *r, const struct segment *s)
{
	if (unlikely(r->shown.ahead)) {
		if (!batch_after(s->batch, r->shown.ahead_batch))
			return READ_LATEST;
		r->shown.ahead = false;
		reader_shown_drop(r);
	}
	return unlikely(r->early.nets) && reader_early_touches(r, s) ? READ_LATER
								     : READ_ALL;
}

/* reader_follow_one - handle the next segment alone. Returns: false: the journal has no
 * further segment. */
static bool
reader_follow_one(struct reader *r)
{
	struct journal_entry *e = journal_read(&r->st->journal, &r->cursor);
	struct segment *s;
	enum read_check check;

	if (!e)
		return false;
	if (e == JOURNAL_LOST) {
		reader_lost(r);
		return true;
	}
	s = container_of(e, struct segment, je);
	check = reader_check_of(r, s);
	if (check != READ_LATEST || !reader_is_shown(r, s))
		reader_ops_of(r)->segment(r, s, check);
	return true;
}

bool
reader_is_late(const struct reader *r)
{
	return clock_now_ns() > r->late_ns;
}

/* reader_follow - one flush of the journal. Returns: true: the journal's end was
 * reached. */
static bool
reader_follow(struct reader *r)
{
	uint64_t tail = load_acquire64(&r->st->journal.tail); /* pairs: JTAIL */
	unsigned cnt = 0;

	while (cnt < TURN_SEGMENTS && r->queued < r->limit) {
		cnt += reader_follow_run(r, tail, TURN_SEGMENTS - cnt);
		if (cnt >= TURN_SEGMENTS || r->queued >= r->limit)
			break;
		if (!reader_follow_one(r))
			return true;
		cnt++;
		if (reader_is_late(r))
			break;
	}
	return false;
}

static void
reader_flush(struct reader *r)
{
	reader_ops_of(r)->flush(r);
	r->queued = 0;
}

/* ---- sweeps over dirty nets ---- */

/* reader_start_all - tell all again, from the next sweep on. */
static void
reader_start_all(struct reader *r)
{
	reader_all_dirty(r);
	r->sweep.all_on = r->sweep.all_new = true;
	r->sweep.all_again = false;
	r->sweep.all_end = stream_limit(r->st);
}

/* reader_end_of_sweep - Returns: true: another sweep is needed. */
static bool
reader_end_of_sweep(struct reader *r)
{
	r->sweep.on = false;
	if (!r->dirty_cnt)
		r->sweep.owed = 0;
	reader_settle(r, r->dirty_cnt ? r->sweep.from : r->cursor.read);
	if (r->sweep.all_again) /* I4 */
		reader_start_all(r);
	return r->dirty_cnt > 0 || r->sweep.all_on;
}

static void
reader_all_reached(struct reader *r, uint32_t pos)
{
	if (r->sweep.all_on && pos >= r->sweep.all_end) {
		r->sweep.all_on = false;
		if (reader_ops_of(r)->synced)
			reader_ops_of(r)->synced(r);
	}
}

/* reader_tell_gone - tell the dirty nets without a route in the cut's chunk. */
static void
reader_tell_gone(struct reader *r, const struct cut *c, const uint64_t *mask)
{
	uint32_t first = c->chunk << CHUNK_ORDER, cnt = 0, *id = NULL;

	/* By words: normally most dirty nets have a route. */
	for (uint32_t w = 0; w < CHUNK_NETS / 64; w++) {
		uint64_t gone = mask[w] & ~c->present[w];

		if (gone && !id)
			id = arena_alloc(r->arena, CHUNK_NETS * sizeof(*id));
		for (; gone; gone &= gone - 1)
			id[cnt++] = first + w * 64 + (uint32_t)__builtin_ctzll(gone);
	}
	if (cnt)
		reader_ops_of(r)->gone(r, id, cnt);
}

/* reader_tell_segment - tell the dirty nets of one segment (nest/rib/stream/segment.h).
 */
static void
reader_tell_segment(struct reader *r, struct segment *s)
{
	uint32_t dirty = seg_runs_marked(&r->dirty, segment_runs(s), s->run_cnt);

	if (dirty)
		reader_ops_of(r)->segment(
		    r, s, dirty < s->nets.cnt ? READ_DIRTY : READ_ALL);
}

/* reader_mask_of - the dirty nets of @chunk. Returns: how many. */
static uint32_t
reader_mask_of(const struct reader *r, uint32_t chunk, uint64_t mask[CHUNK_NETS / 64])
{
	uint32_t first = chunk << CHUNK_ORDER, cnt = 0;

	for (uint32_t w = 0; w < CHUNK_NETS / 64; w++) {
		mask[w] = first / 64 + w < r->dirty.word_cnt
			      ? r->dirty.word[first / 64 + w]
			      : 0;
		cnt += (uint32_t)__builtin_popcountll(mask[w]);
	}
	return cnt;
}

/* reader_is_whole - true: the @cnt nets are all nets of @chunk. Called after the cut was
 * made: a net added after the count of dirty nets may belong to a batch of the cut. */
static bool
reader_is_whole(const struct reader *r, uint32_t chunk, uint32_t cnt)
{
	return cnt == CHUNK_NETS || cnt == stream_limit(r->st) - (chunk << CHUNK_ORDER);
}

/* reader_tell_chunk - tell the dirty nets of @chunk. Returns: false: no room is left,
 * the chunk isn't finished. */
static bool
reader_tell_chunk(struct reader *r, uint32_t chunk)
{
	uint64_t mask[CHUNK_NETS / 64];
	uint32_t cnt = reader_mask_of(r, chunk, mask);
	struct cut *c = cut_get(r->st, chunk, mask, r->sweep.since, r->arena);
	uint32_t i;

	reader_go_ahead(r, c->batch);
	reader_tell_gone(r, c, mask);
	for (i = 0; i < c->seg_cnt && r->queued < r->limit; i++)
		reader_tell_segment(r, c->seg[i]);
	if (i == c->seg_cnt && reader_is_whole(r, chunk, cnt))
		reader_show(r, chunk, c->done);
	/* The cut must live until the end of the flush. */
	reader_flush(r);
	cut_put(c);
	return bitmap_next(&r->dirty, chunk << CHUNK_ORDER) >= (chunk + 1) << CHUNK_ORDER;
}

/* reader_crowded - true: too much memory waits for grace periods; the reader pauses. Many
 * readers behind a busy table make short-lived cuts faster than grace periods end:
 * gigabytes. A sleeping reader does not delay grace periods. */
static bool
reader_crowded(struct reader *r)
{
	if (bump_waiting() <= WAITING_MAX)
		return false;
	if (!timer_active(&r->sweep.pause))
		timer_set(&r->sweep.pause, loop_now_ns(r->worker) + PAUSE_NS);
	return true;
}

/* reader_sweep - one flush of dirty nets. Returns: true: no net is dirty. */
static bool
reader_sweep(struct reader *r)
{
	uint32_t id;

	if (!r->sweep.on) {
		r->sweep.on = true;
		r->sweep.pos = 0;
		r->sweep.from = r->cursor.read;
	}
	id = bitmap_next(&r->dirty, r->sweep.pos);
	if (id == UINT32_MAX) {
		reader_all_reached(r, UINT32_MAX);
		return !reader_end_of_sweep(r);
	}
	reader_all_reached(r, id);
	if (reader_tell_chunk(r, id >> CHUNK_ORDER))
		r->sweep.pos = ((id >> CHUNK_ORDER) + 1) << CHUNK_ORDER;
	else
		r->sweep.pos = id & ~(CHUNK_NETS - 1);
	return false;
}

/* ---- turns ---- */

static void
reader_work(struct reader *r)
{
	if (r->busy && !reader_crowded(r))
		reader_ops_of(r)->work(r);
}

static void
reader_set_limit(struct reader *r, size_t room)
{
	r->limit = room < TURN_OCTETS ? room : TURN_OCTETS;
	r->queued = 0;
}

/* reader_catch_up - the reader has not reached the journal's end for a while: give the
 * owner's work and the dirty nets a flush. */
static void
reader_catch_up(struct reader *r)
{
	size_t room = reader_ops_of(r)->room(r);

	r->behind = 0;
	reader_set_limit(r, room);
	reader_work(r);
	if (r->queued)
		reader_flush(r);
	else if (room && !reader_crowded(r) &&
		 (r->dirty_cnt || r->sweep.on || r->sweep.all_on))
		reader_sweep(r);
}

static void
reader_settle_read(struct reader *r)
{
	r->sweep.owed = 0;
	reader_settle(r, r->cursor.read);
}

/* reader_turn - one flush. Returns: true: more work is left. */
static bool
reader_turn(struct reader *r, size_t room)
{
	bool told;

	counter64_bump(&r->turns, 1);
	reader_set_limit(r, room);
	r->sweep.all_new = false;
	reader_early_send(r);
	if (r->queued) {
		reader_flush(r);
		return true;
	}
	r->early.octets = 0;
	if (!reader_follow(r)) {
		reader_flush(r);
		journal_done(&r->cursor);
		if (reader_caught_up(r))
			reader_settle_read(r);
		if (++r->behind >= BEHIND_MAX)
			reader_catch_up(r);
		return true;
	}
	r->behind = 0;
	reader_work(r);
	told = r->queued > 0;
	if (told)
		reader_flush(r);
	journal_done(&r->cursor);
	if (reader_caught_up(r)) {
		reader_settle_read(r);
		return false;
	}
	if (told)
		return true;
	if (reader_crowded(r))
		return false;
	return !reader_sweep(r) || r->busy;
}

bool
reader_run(struct reader *r)
{
	unsigned flushes = 0;
	bool more = true;

	r->late_ns = clock_now_ns() + TURN_NS;
	while (more && (!flushes || !reader_is_late(r)) && flushes++ < TURN_FLUSHES) {
		size_t room = reader_ops_of(r)->room(r);

		if (!room)
			return load_relaxed64(&r->cursor.hurry) >
				   load_relaxed64(&r->cursor.pos) &&
			       reader_hurry(r);
		more = reader_turn(r, room);
		arena_reset(r->arena);
	}
	return more;
}

/* reader_lent_follow - Returns: true: all available segments were handled. */
static bool
reader_lent_follow(struct reader *r)
{
	const struct journal *j = &r->st->journal;
	uint64_t tail = load_acquire64(&j->tail); /* pairs: JTAIL */
	void *e[LENT_SEGMENTS];
	struct segment *s[LENT_SEGMENTS];
	unsigned cnt;

	if (tail - r->cursor.read > LENT_SEGMENTS)
		return false;
	cnt = journal_look(j, &r->cursor, e, LENT_SEGMENTS, tail);
	for (unsigned i = 0; i < cnt; i++)
		s[i] = container_of((struct journal_entry *)e[i], struct segment, je);
	r->cursor.read += cnt ? reader_ops_of(r)->lent(r, s, cnt) : 0;
	return r->cursor.read == tail;
}

bool
reader_lent(struct reader *r)
{
	size_t room = r->on ? reader_ops_of(r)->room(r) : 0;
	bool all;

	if (!room) /* the reader is deaf, or is about to be */
		return load_relaxed64(&r->cursor.hurry) > load_relaxed64(&r->cursor.pos);
	if (!reader_caught_up(r) || r->shown.ahead || r->early.nets ||
	    !reader_ops_of(r)->lent)
		return true;
	counter64_bump(&r->turns, 1);
	reader_set_limit(r, room);
	all = reader_lent_follow(r);
	if (r->queued)
		reader_flush(r);
	journal_done(&r->cursor);
	reader_settle_read(r);
	arena_reset(r->arena);
	return !all;
}

void
reader_all(struct reader *r)
{
	if (r->sweep.all_on || r->sweep.on) { /* I4 */
		r->sweep.all_again = !r->sweep.all_new;
		return;
	}
	reader_start_all(r);
	worker_again(r->worker);
}

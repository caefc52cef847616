/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export: follow the journal, send dirty nets. Runs in the session's thread.
 *
 * Two ways lead to the peer. The journal, in order, while the socket takes octets; and,
 * for what the journal didn't serve (a feed, a refresh, a changed filter, what went by
 * while the socket was full), dirty bits: the present state of these nets, chunk by
 * chunk, from shared cuts.
 *
 * A session whose socket is full leaves its cursor where it is, so that it can go on with
 * shared messages in order, until the journal asks it to hurry; then it turns what it
 * hasn't read into dirty bits. Single changes don't wait for all that (nest/channel/channel_early.c).
 *
 * I1  Having read state from the table (a cut), the session has run ahead of segments
 * that it hasn't read: up to cut->batch it looks at each net's number of its latest
 * segment, and skips nets that have a newer one, which it will still read. I2  A sweep
 * goes once over all ids. When it ends, every withdrawal that was in the journal before
 * it began is out: that is the position told to the table (out_pos). I3  Bits follow what
 * is queued to the socket; queued octets are copied by the protocol if the socket doesn't
 * take them, so nothing here points into a segment after tx_flush. I4  A sweep isn't
 * begun anew: who asks for all again while one is on gets another one after it, however
 * often that is asked; what has passed nothing yet (feed_new) is an answer to that, too.
 * So a flood of requests costs what the socket takes, and out_pos goes on. */
#include "nest/channel/channel_priv.h"

#include "nest/rib/cut.h"
#include "sysdep/clock.h"
#include "sysdep/log.h"

#define TURN_OCTETS   65536 /* queued before a flush */
#define TURN_SEGMENTS 512
#define TURN_FLUSHES  4 /* of a turn; then the loop looks at its other work */
#define HURRY_MAX     8192 /* segments that are turned to dirty bits in a turn */
#define WAITING_MAX                                                                      \
	(64u << 20) /* octets that wait for a grace period, with which no cuts are made */
#define PAUSE_NS   (5 * NS_PER_MS)
#define BEHIND_MAX 8 /* flushes of a journal without end before dirty nets have one */

static void
all_dirty(struct channel *ch)
{
	uint32_t limit = table_id_limit(ch->table);

	if (limit)
		adj_out_dirty(&ch->adj, 0, limit);
}

/* withdrawn_dirty - a withdrawal concerns only nets that the peer holds: a net that came and went while the
 * socket was full leaves no trace, and its id isn't held back. */
static void
withdrawn_dirty(struct channel *ch, uint32_t id, uint32_t cnt)
{
	uint32_t held = bitmap_count_range(&ch->adj.out, id, cnt);

	if (!held) {
		ch->adj.dirty_cnt -= bitmap_clear_range(&ch->adj.dirty, id, cnt);
		return;
	}
	ch->owed += held;
	for (uint32_t i = id; i < id + cnt; i++)
		if (bitmap_test(&ch->adj.out, i))
			adj_out_dirty(&ch->adj, i, 1);
		else if (bitmap_clear(&ch->adj.dirty, i))
			ch->adj.dirty_cnt--;
}

static void
segment_dirty(struct channel *ch, const struct segment *s)
{
	const struct seg_run *run = segment_runs(s);

	for (uint32_t r = 0; r < s->run_cnt; r++)
		if (s->set)
			adj_out_dirty(&ch->adj, run[r].id, run[r].cnt);
		else
			withdrawn_dirty(ch, run[r].id, run[r].cnt);
}

/* settle - tell the table up to where withdrawals are out. */
static void
settle(struct channel *ch, uint64_t pos)
{
	if (load_relaxed64(&ch->ts.cursor.out_pos) < pos)
		store_release64(&ch->ts.cursor.out_pos, pos); /* pairs: JOUT */
}

/* hurry - the socket is full and the journal wants its room: remember what is in it as
 * dirty bits. Returns: whether more is to be done. */
static bool
hurry(struct channel *ch)
{
	struct cursor *c = &ch->ts.cursor;
	unsigned cnt = 0;
	void *e = NULL;

	while (cnt++ < HURRY_MAX && (e = journal_read(&ch->table->journal, c))) {
		if (e == JOURNAL_LOST) {
			all_dirty(ch);
			ch->owed = UINT32_MAX / 2;
		} else {
			segment_dirty(ch, e);
		}
	}
	journal_done(c);
	if (!ch->owed)
		settle(ch, c->read);
	return e != NULL;
}

/* export_limit - tell once a crossing. Block refuses single nets (channel_send.c). */
static void
export_limit(struct channel *ch)
{
	const struct conf_limit *l = &ch->cf->export_limit;
	bool over = l->action == LIMIT_BLOCK ? ch->adj.out_cnt >= l->max
					     : ch->adj.out_cnt > l->max;

	if (l->action == LIMIT_OFF || over == ch->export_hit)
		return;
	ch->export_hit = over;
	if (over)
		channel_limit_own(ch);
}

static void
publish_counts(struct channel *ch)
{
	export_limit(ch);
	counter64_set(&ch->stats.exported, ch->adj.out_cnt);
	counter64_set(&ch->stats.dirty, ch->adj.dirty_cnt);
	if (!ch->adj.dirty_cnt && ch->adj.dirty.word)
		bitmap_clear_all(&ch->adj.dirty); /* with many sessions it is worth it */
}

static void
flush(struct channel *ch)
{
	channel_send_away(ch);
	ch->ops->tx_flush(ch);
}

/* fetch_ahead - the journal is read by all at about the same time, but each thread's cache has to get it: ask
 * for the next segments, and for the bits of their nets, before they are needed. */
static void
fetch_ahead(const struct channel *ch, uint64_t tail)
{
	const struct journal *j = &ch->table->journal;
	const struct segment *far = journal_ahead(j, &ch->ts.cursor, 8, tail);
	const struct segment *near = journal_ahead(j, &ch->ts.cursor, 4, tail);

	if (far) {
		__builtin_prefetch(far);
		if (!ch->view->plain)
			__builtin_prefetch((const char *)far + CACHE_LINE);
	}
	if (near)
		adj_out_fetch(&ch->adj, near->nets.id);
}

/* check_of - how @s, the next of the journal, is to be looked at. */
static enum send_check
check_of(struct channel *ch, const struct segment *s)
{
	if (unlikely(ch->ahead)) {
		if (!batch_after(s->batch, ch->ahead_batch))
			return SEND_LATEST;
		ch->ahead = false;
	}
	return unlikely(ch->early) && channel_early_touches(ch, s) ? SEND_LATER
								   : SEND_ALL;
}

/* follow - one flush's worth of the journal. Returns: whether the end was reached. */
static bool
follow(struct channel *ch, size_t room)
{
	struct journal *j = &ch->table->journal;
	struct cursor *c = &ch->ts.cursor;
	uint64_t tail = load_acquire64(&j->tail); /* pairs: JTAIL */
	struct plain_run plain = { 0 };
	unsigned cnt = 0;
	bool end = false, plainly = !ch->traces;

	while (cnt++ < TURN_SEGMENTS && ch->queued < room) {
		struct journal_entry *e;
		struct segment *s;
		enum send_check check;

		fetch_ahead(ch, tail);
		e = journal_read(j, c);
		if (!e) {
			end = true;
			break;
		}
		if (e == JOURNAL_LOST) {
			all_dirty(ch);
			ch->owed = UINT32_MAX / 2;
			continue;
		}
		s = container_of(e, struct segment, je);
		check = check_of(ch, s);
		if (check == SEND_ALL && plainly && channel_send_plain(ch, s, &plain))
			continue;
		channel_plain_put(ch, &plain);
		channel_send_segment(ch, s, check);
	}
	channel_plain_done(ch, &plain);
	return end;
}

/* start_feed - send all again, from the next sweep on. */
static void
start_feed(struct channel *ch)
{
	channel_compare_stop(ch);
	ch->soft = false;
	all_dirty(ch);
	ch->feed_on = ch->feed_new = true;
	ch->feed_again = false;
	ch->feed_end = table_id_limit(ch->table);
}

/* end_of_sweep - Returns: whether another one is needed. */
static bool
end_of_sweep(struct channel *ch)
{
	ch->sweeping = false;
	if (!ch->adj.dirty_cnt)
		ch->owed = 0;
	settle(ch, ch->adj.dirty_cnt ? ch->sweep_from : ch->ts.cursor.read);
	if (ch->feed_again) /* I4 */
		start_feed(ch);
	return ch->adj.dirty_cnt > 0 || ch->feed_on;
}

static void
feed_reached(struct channel *ch, uint32_t pos)
{
	if (ch->feed_on && pos >= ch->feed_end) {
		ch->feed_on = false;
		ch->ops->feed_done(ch);
	}
}

/* send_chunk - dirty nets of @chunk. Returns: false: no room is left, the chunk isn't
 * finished. */
static bool
send_chunk(struct channel *ch, uint32_t chunk, size_t room)
{
	uint64_t mask[CHUNK_NETS / 64];
	uint32_t first = chunk << CHUNK_ORDER;
	struct cut *c;

	for (uint32_t w = 0; w < CHUNK_NETS / 64; w++)
		mask[w] = first / 64 + w < ch->adj.dirty.word_cnt
			      ? ch->adj.dirty.word[first / 64 + w]
			      : 0;
	c = cut_get(ch->table, chunk, mask, &ch->arena);
	if (!ch->ahead || batch_after(c->batch, ch->ahead_batch))
		ch->ahead_batch = c->batch;
	ch->ahead = true;
	channel_send_withdrawals(ch, chunk, c->present);
	for (uint32_t i = 0; i < c->seg_cnt && ch->queued < room; i++)
		channel_send_cut_segment(ch, c->seg[i]);
	/* The messages of the cut must outlive the flush. */
	flush(ch);
	ch->queued = 0;
	cut_put(c);
	return bitmap_next(&ch->adj.dirty, first) >= first + CHUNK_NETS;
}

static void
pause_ends(struct timer *tm)
{
	worker_again(&container_of(tm, struct channel, pause)->proto->worker);
}

void
channel_export_init(struct channel *ch)
{
	timer_init(&ch->pause, &ch->proto->worker, pause_ends);
}

/* crowded - many sessions that lag behind a busy table make cuts which are stale soon, faster than grace
 * periods end: gigabytes. They pause while too much waits; asleep, they don't hold up grace periods. */
static bool
crowded(struct channel *ch)
{
	if (bump_waiting() <= WAITING_MAX)
		return false;
	if (!timer_active(&ch->pause))
		timer_set(&ch->pause, loop_now_ns(&ch->proto->worker) + PAUSE_NS);
	return true;
}

/* compare - go on with it. */
static void
compare(struct channel *ch)
{
	if (ch->before && !crowded(ch))
		channel_compare_step(ch);
}

/* sweep - one flush's worth of dirty nets. Returns: whether none is left. */
static bool
sweep(struct channel *ch, size_t room)
{
	uint32_t id;

	if (!ch->sweeping) {
		ch->sweeping = true;
		ch->sweep_pos = 0;
		ch->sweep_from = ch->ts.cursor.read;
	}
	id = bitmap_next(&ch->adj.dirty, ch->sweep_pos);
	if (id == UINT32_MAX) {
		feed_reached(ch, UINT32_MAX);
		return !end_of_sweep(ch);
	}
	feed_reached(ch, id);
	if (send_chunk(ch, id >> CHUNK_ORDER, room))
		ch->sweep_pos = ((id >> CHUNK_ORDER) + 1) << CHUNK_ORDER;
	else
		ch->sweep_pos = id & ~(CHUNK_NETS - 1);
	return false;
}

/* catch_up - the journal has had no end for a while: a feed, and what a changed filter asks for, have
 * their turn all the same. */
static void
catch_up(struct channel *ch)
{
	size_t room = ch->ops->tx_room(ch);

	ch->behind = 0;
	ch->queued = 0;
	compare(ch);
	if (room && !crowded(ch) && (ch->adj.dirty_cnt || ch->sweeping || ch->feed_on))
		sweep(ch, room < TURN_OCTETS ? room : TURN_OCTETS);
}

/* is_level - is all that has been read out, so that nothing but the journal is left to send? */
static bool
is_level(const struct channel *ch)
{
	return !ch->before && !ch->adj.dirty_cnt && !ch->sweeping && !ch->feed_on;
}

static void
settle_read(struct channel *ch)
{
	ch->owed = 0;
	settle(ch, ch->ts.cursor.read);
}

/* turn - one flush. Returns: whether there is more to do. */
static bool
turn(struct channel *ch, size_t room)
{
	if (room > TURN_OCTETS)
		room = TURN_OCTETS;
	ch->queued = 0;
	ch->feed_new = false;
	channel_early_send(ch);
	if (ch->queued) {
		flush(ch);
		return true;
	}
	ch->early_octets = 0;
	if (!follow(ch, room)) {
		flush(ch);
		journal_done(&ch->ts.cursor);
		if (is_level(ch))
			settle_read(ch);
		if (++ch->behind >= BEHIND_MAX)
			catch_up(ch);
		return true;
	}
	ch->behind = 0;
	compare(ch);
	if (ch->queued)
		flush(ch);
	journal_done(&ch->ts.cursor);
	if (is_level(ch)) {
		settle_read(ch);
		return false;
	}
	if (ch->queued)
		return true;
	if (crowded(ch))
		return false;
	return !sweep(ch, room) || ch->before;
}

bool
channel_export_run(struct channel *ch)
{
	size_t room;
	unsigned flushes = 0;
	bool more = true;

	if (!ch->up || ch->import_only)
		return false;
	channel_trace_renew(ch);
	while (more && flushes++ < TURN_FLUSHES) {
		room = ch->ops->tx_room(ch);
		if (!room) {
			more = load_relaxed64(&ch->ts.cursor.hurry) >
				   load_relaxed64(&ch->ts.cursor.pos) &&
			       hurry(ch);
			break;
		}
		counter64_bump(&ch->stats.turns, 1);
		more = turn(ch, room);
		arena_reset(&ch->arena);
	}
	publish_counts(ch);
	/* A reload gives hundreds of sessions so much to do at once that the last would be silent until all others
	 * are through, each a slice of time long; what follows the journal is shorter. */
	if (more && (ch->before || ch->adj.dirty_cnt))
		worker_give_way(&ch->proto->worker);
	return more;
}

bool
channel_has_room(const struct channel *ch)
{
	return ch->up && !ch->import_only &&
	       ch->ops->tx_room((struct channel *)(uintptr_t)ch) > 0;
}

void
channel_refresh_out(struct channel *ch)
{
	if (!ch->up || ch->import_only)
		return;
	if (ch->feed_on || ch->sweeping) { /* I4 */
		ch->feed_again = !ch->feed_new;
		return;
	}
	start_feed(ch);
	worker_again(&ch->proto->worker);
}

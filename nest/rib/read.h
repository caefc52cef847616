/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reader of a table: whoever wants to know what its nets are now, and what becomes of
 * them.
 *
 * Two ways lead to it. The journal, in order, while the reader has room; and, for what
 * the journal didn't serve (a feed, a refresh, what went by while there was no room),
 * dirty bits: the present state of these nets, chunk by chunk, from shared cuts (cut.h).
 * A channel has a reader; so may anything else that keeps up with a table.
 *
 * G1  What the owner was told last of a net is its present state, once nothing is
 *     pending.
 * G2  Segments that it is given are borrowed until ops->flush returns; the cursor moves
 *     after that, and only then may the table free them.
 * G3  The cursor's out_pos tells the table up to where withdrawals are settled: net ids
 *     wait for that. So a reader must get on, or be closed (ops->slow).
 *
 * All functions are the owner's, in its worker, but for those that are marked. */
#ifndef TERN_NEST_READ_H
#define TERN_NEST_READ_H

#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/base/wrap.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "nest/rib/stream/segment.h"
#include "sysdep/loop/loop.h"

struct feeder;
struct path;
struct reader;
struct stream;

/* Which nets of a segment are news. */
enum read_check {
	READ_ALL,
	/* all; but the segment is gone when the call returns: nothing is borrowed */
	READ_ONCE,
	READ_DIRTY,
	READ_LATER, /* those that weren't told early as they were then, or later */
	READ_LATEST, /* the same, and none that has a newer segment */
};

/* What the owner does. Constant; in its worker, but for those that are marked. */
struct reader_ops {
	/* room - octets (or whatever `queued` counts) that it takes now; 0: it is
	 * blocked; reader_run follows when that changes. */
	size_t (*room)(struct reader *r);
	/* run - as `segment` with READ_ALL for each of @cnt segments, while queued <
	 * limit. @s has @seen (>= cnt) entries: to fetch ahead. Returns: how many it
	 * took. */
	unsigned (*run)(
	    struct reader *r, struct segment *const *s, unsigned cnt, unsigned seen);
	/* lent - as `run`, in a lease (worker_is_lent): it stops before a segment about
	 * which it would have to decide anything anew, and when the lease is to end
	 * (worker_lease_ends). */
	unsigned (*lent)(struct reader *r, struct segment *const *s, unsigned cnt);
	/* segment - takes those nets of @s that reader_passes says, and calls
	 * reader_clean for them; adds to `queued`. */
	void (*segment)(struct reader *r, struct segment *s, enum read_check check);
	/* gone - dirty nets without a route; as segment. */
	void (*gone)(struct reader *r, const uint32_t *id, uint32_t cnt);
	/* holds - how many of these nets has it that it would have to be told of if they
	 * go? */
	uint32_t (*holds)(const struct reader *r, uint32_t id, uint32_t cnt);
	/* minds_behind - of a net that isn't dirty: does it matter what is behind its
	 * best route? NULL: always. */
	bool (*minds_behind)(const struct reader *r, uint32_t id);
	/* flush - what was taken since the last one is let go of. */
	void (*flush)(struct reader *r);
	/* synced - all nets that were there when reader_all was called are through.
	 * NULL: that is nothing to it. */
	void (*synced)(struct reader *r);
	/* work - a step of what the owner does between journal and dirty nets, while
	 * `busy`. NULL: it never is. */
	void (*work)(struct reader *r);
	/* slow - it holds net ids back, from @out_pos on: let go, unless it has got on
	 * since @progress. @anyway: also then. Table's thread. NULL: it waits for nobody
	 * but the processor. */
	void (*slow)(struct reader *r, uint64_t out_pos, uint64_t progress, bool anyway);
	/* progress - another number whenever it had room, or what it gave was taken.
	 * Table's thread. NULL: its turns. */
	uint64_t (*progress)(const struct reader *r);
};

struct early; /* reader_early.c */

/* owner: its worker, but for what is marked. Embedded in whatever reads. */
struct reader {
	struct cursor cursor; /* the table reads its positions */
	struct table *table;
	struct stream *st; /* of the table's: what it follows */
	struct tail_watch tail; /* of the table's journal */
	struct worker *worker;
	const struct reader_ops *ops;
	struct arena *arena; /* of one callback; reset after each flush */
	bool on; /* between reader_start and reader_stop */
	bool busy; /* the owner's: ops->work has more to do */
	/* set before reader_attach: */
	bool wants_all; /* it follows all paths, not the best of each net */
	/* with wants_all: it takes none of this one's paths, and needn't be told of them;
	 * NULL: it takes all. Attached before it, and detached after it */
	const struct feeder *own;
	/* it wants nets told of which a path behind the best changed (SEG_BEHIND) */
	bool wants_behind;

	/* what is dirty, and how it goes out */
	struct bitmap dirty;
	uint32_t dirty_cnt;
	uint32_t since; /* a cut serves if it shows all batches up to this one */
	uint32_t owed; /* withdrawals read in a hurry and not yet sent, at most */
	uint64_t sweep_from; /* the cursor when the present sweep over dirty nets began */
	uint32_t sweep_pos; /* next net id of the sweep */
	bool sweeping;
	bool all_on; /* synced is due when all_end is reached */
	bool all_new; /* and nothing was sent since reader_all */
	bool all_again; /* reader_all when the present sweep is through */
	uint32_t all_end; /* net ids below it belong to it */
	struct timer pause; /* the sweep waits, since too much memory does */

	uint64_t late_ns; /* of a turn: what waits gets another one */

	/* of one flush */
	size_t limit; /* room, at most TURN_OCTETS */
	size_t queued; /* taken since the last flush */
	struct counter64 turns; /* in which there was room; any thread reads it */
	uint8_t behind; /* flushes since the journal's end was last reached */

	/* state was read from the table, beyond what was read of the journal */
	bool ahead; /* segments up to ahead_batch are looked at net by net */
	uint32_t ahead_batch;
	uint32_t *shown; /* by chunk: batch up to which all its nets were told; or NULL */
	uint32_t shown_cnt;
	struct early *early; /* nets that were sent before their turn; or NULL */
	uint64_t express_pos; /* what was told up to there was sent, or has its turn */
	size_t early_octets; /* sent early since the backlog last had its turn */
	uint64_t early_cnt; /* nets, ever */

	/* the table's */
	struct list link; /* of table->readers */
	uint64_t seen_progress; /* ops->progress, when too_many_wait last looked */
};

/* reader_init - nobody knows it yet. @arena: borrowed. */
void reader_init(struct reader *r, struct table *t, struct worker *w,
    const struct reader_ops *ops, struct arena *arena);
/* reader_fini - after reader_detach was answered. */
void reader_fini(struct reader *r);
/* reader_attach - @done comes when the table has it: others may wake the worker from now
 * on.
 * reader_detach - stopped before; @done comes a grace period after nobody finds it. */
void reader_attach(struct reader *r, TAKE struct msg *done);
void reader_detach(struct reader *r, TAKE struct msg *done);

/* reader_start - follow the journal from here on; nothing is dirty. The worker runs. */
void reader_start(struct reader *r);
void reader_stop(struct reader *r);
/* reader_all - tell the state of all nets, then call synced. While dirty nets are being
 * told that is remembered, and done once after it: it may be asked for as often as
 * anybody likes. */
void reader_all(struct reader *r);
/* reader_unread - nets that are dirty, and what is to be read. */
uint64_t reader_unread(const struct reader *r);
/* reader_is_late - has a turn lasted long enough? What else the owner does in it is to
 * wait for another one. */
bool reader_is_late(const struct reader *r);
/* reader_run - go on. Returns: true if more is to be done now. */
bool reader_run(struct reader *r);
/* reader_lent - a short turn of another thread, while the worker's own sleeps. Returns:
 * true if something is left for that. */
bool reader_lent(struct reader *r);
/* reader_listen - after reader_run: what is published from now on wakes the worker, if
 * the reader can do anything with it. */
void reader_listen(struct reader *r);
/* reader_wake_more - first thing when its worker runs: wakes others, if a round of waking
 * is on. */
void reader_wake_more(struct reader *r);
/* reader_idle - nothing has happened for a while: give memory back. */
void reader_idle(struct reader *r);

/* reader_limit - all ids of what it follows are below it. reader_net - the net of one,
 * which is held back for the reader. */
uint32_t reader_limit(const struct reader *r);
const struct net *reader_net(const struct reader *r, uint32_t id);
/* reader_path - what stands at @id now: a path, or the best of a net; it may be dead, if
 * it is about to be withdrawn. NULL: nothing. Under RCU. */
const struct path *reader_path(const struct reader *r, uint32_t id);
/* reader_dirty, reader_dirty_segment - tell the present state of these nets. reader_clean
 * - it is known. */
void reader_dirty(struct reader *r, uint32_t id, uint32_t cnt);
void reader_dirty_segment(struct reader *r, const struct segment *s);
static inline void
reader_clean(struct reader *r, uint32_t id, uint32_t cnt)
{
	if (r->dirty_cnt)
		r->dirty_cnt -= bitmap_clear_range(&r->dirty, id, cnt);
}

static inline bool
reader_is_dirty(const struct reader *r, uint32_t id)
{
	return r->dirty_cnt && bitmap_test(&r->dirty, id);
}

/* reader_passes - is net @id of @s news, as @check says? */
bool reader_passes(
    struct reader *r, const struct segment *s, uint32_t id, enum read_check check);
/* reader_look - what was published by now is looked at net by net, as after a cut: the
 * owner decides otherwise from now on, and a segment that says only that the source
 * changed may matter. */
void reader_look(struct reader *r);
/* reader_tail - the end of what is published. reader_has_read - all before @tail? */
uint64_t reader_tail(const struct reader *r);
bool reader_has_read(const struct reader *r, uint64_t tail);
/* reader_level - is nothing but the journal left to tell? */
static inline bool
reader_level(const struct reader *r)
{
	return !r->busy && !r->dirty_cnt && !r->sweeping && !r->all_on;
}

static inline bool
batch_after(uint32_t a, uint32_t b)
{
	return serial_after(a, b);
}

/* ---- between the files of a reader ---- */

#define OWED_ALL (UINT32_MAX / 2) /* owed: nobody knows how many */

/* reader_show - all nets of @chunk were told as they were in @batch, or later. */
void reader_show(struct reader *r, uint32_t chunk, uint32_t batch);
/* reader_is_shown - were all nets of @s told as they are in it, or later? */
bool reader_is_shown(const struct reader *r, const struct segment *s);
/* reader_shown_drop - nothing is known to be told whole any more. */
void reader_shown_drop(struct reader *r);

/* reader_shown_idle - the same, and no segment is looked at net by net any more, if all
 * those that would be have been read. */
void reader_shown_idle(struct reader *r);
/* reader_has_done - has it read all segments of the batches up to @batch? */
bool reader_has_done(const struct reader *r, uint32_t batch);

/* reader_early_start - from now on; _drop - nothing is remembered any more; _idle - the
 * same if all has been read. */
void reader_early_start(struct reader *r);
void reader_early_drop(struct reader *r);
void reader_early_idle(struct reader *r);
/* reader_early_send - if the reader lags: tell the present state of some nets that
 * changed by themselves, before anything else of a turn. */
void reader_early_send(struct reader *r);
/* reader_early_touches - was a net of @s told early? r->early isn't NULL; @s is the next
 * of the journal. */
bool reader_early_touches(struct reader *r, const struct segment *s);
/* reader_early_said - was net @id told as it was after @batch, or later? */
bool reader_early_said(const struct reader *r, uint32_t id, uint32_t batch);

#endif

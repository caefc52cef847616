/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reader of a table: an object that needs the present state of the nets and all later
 * changes.
 *
 * A reader gets changes in two ways. While the reader has room, it reads the journal in
 * order. Changes that the journal did not serve (a feed, a refresh, segments read while
 * there was no room) are dirty bits: the reader then gets the present state of the dirty
 * nets, chunk by chunk, from shared cuts (cut.h). Each channel has a reader; other
 * objects that follow a table have readers too.
 *
 * G1  When no work is pending, the reader has told the owner the present state of each
 *     net.
 * G2  Segments are borrowed until ops->flush returns. The cursor moves after flush, and
 *     only then the table may free the segments.
 * G3  The reader publishes in the cursor's out_pos the position up to which withdrawals
 *     are settled. Net ids wait for that position. So a reader must make progress, or is
 *     closed (ops->slow).
 *
 * Owner: the worker of the reader; all functions run there, but for marked functions.
 * Life: from reader_init until the embedding object is freed, after reader_detach was
 * answered. */
#ifndef TERN_NEST_RIB_READ_H
#define TERN_NEST_RIB_READ_H

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

/* The nets of a segment that a reader must tell. */
enum read_check {
	READ_ALL,
	/* all nets; the segment ends with the call, so the owner borrows nothing */
	READ_ONCE,
	READ_DIRTY,
	/* nets that the reader has not told early in the segment's state or a later
	 * state */
	READ_LATER,
	READ_LATEST, /* READ_LATER, without nets that have a newer segment */
};

/* Calls to the owner. Constant. In the owner's worker, but for marked functions. */
struct reader_ops {
	/* room - octets (or units of `queued`) that the owner accepts now; 0: blocked;
	 * the owner calls reader_run when there is room again. */
	size_t (*room)(struct reader *r);
	/* run - do `segment` with READ_ALL for each of @cnt segments, while queued <
	 * limit. @s has @seen (>= cnt) entries, for prefetching. Returns: number of
	 * handled segments. */
	unsigned (*run)(
	    struct reader *r, struct segment *const *s, unsigned cnt, unsigned seen);
	/* lent - `run` in a lease (worker_is_lent). The owner stops before a segment that
	 * needs a new decision, and when the lease must end (worker_lease_ends). */
	unsigned (*lent)(struct reader *r, struct segment *const *s, unsigned cnt);
	/* segment - handle the nets of @s that reader_passes accepts, call reader_clean
	 * for them, and add to `queued`. */
	void (*segment)(struct reader *r, struct segment *s, enum read_check check);
	/* gone - handle dirty nets without a route, as segment does. */
	void (*gone)(struct reader *r, const uint32_t *id, uint32_t cnt);
	/* holds - number of nets of the range whose withdrawal the owner would have to
	 * send. */
	uint32_t (*holds)(const struct reader *r, uint32_t id, uint32_t cnt);
	/* minds_behind - for a clean net: do routes behind the best route matter? NULL:
	 * always. */
	bool (*minds_behind)(const struct reader *r, uint32_t id);
	/* flush - stop borrowing the segments since the last flush. */
	void (*flush)(struct reader *r);
	/* synced - the reader has told all nets of the time of reader_all. NULL: no
	 * call. */
	void (*synced)(struct reader *r);
	/* work - a step of the owner's own work, between journal and dirty nets, while
	 * `busy`. NULL: no such work. */
	void (*work)(struct reader *r);
	/* slow - the reader holds net ids from @out_pos on: stop reading, unless the
	 * reader made progress since @progress. @anyway: stop in any case. Table's
	 * thread. NULL: the reader never waits for a peer. */
	void (*slow)(struct reader *r, uint64_t out_pos, uint64_t progress, bool anyway);
	/* progress - a number that changes whenever the reader had room, or its output
	 * was accepted. Table's thread. NULL: number of turns. */
	uint64_t (*progress)(const struct reader *r);
};

struct early; /* reader_early.c */

/* The nets that a reader wants; set before reader_attach. Owner: the reader's worker.
 * Life: as the reader. */
struct reader_wants {
	bool all; /* follow all paths instead of the best routes */
	/* nets in which a path behind the best changed (SEG_BEHIND) */
	bool behind;
	/* with `all`: the reader ignores paths of this feeder; NULL: the reader wants
	 * all paths. The feeder is attached before the reader, and detached after it */
	const struct feeder *shunned;
};

/* The sweep over dirty nets. reader.c. Owner: the reader's worker. Life: as the
 * reader. */
struct reader_sweep {
	/* a cut is new enough if the cut shows all batches up to `since` */
	uint32_t since;
	uint32_t owed; /* upper bound of withdrawals read in a hurry and not yet sent */
	/* position of the cursor at the start of the present sweep */
	uint64_t from;
	uint32_t pos; /* next net id of the sweep */
	bool on;
	bool all_on; /* call synced when the sweep reaches all_end */
	bool all_new; /* all_on, and nothing was sent since reader_all */
	bool all_again; /* repeat reader_all after the present sweep */
	uint32_t all_end; /* reader_all concerns net ids below all_end */
	struct timer pause; /* the sweep pauses, because too much memory is in use */
};

/* State read from the table beyond the position in the journal. reader_shown.c. Owner:
 * the reader's worker. Life: as the reader. */
struct reader_shown {
	bool ahead; /* check each net of segments up to ahead_batch */
	uint32_t ahead_batch;
	/* by chunk: the reader has told all nets in the state of this batch or later; or
	 * NULL */
	uint32_t *batch;
	uint32_t cnt;
};

/* Nets that are sent before their turn. reader_early.c. Owner: the reader's worker.
 * Life: as the reader. */
struct reader_early {
	struct early *nets; /* nets sent before their turn; or NULL */
	uint64_t pos; /* position up to which express notices were handled */
	size_t octets; /* octets sent early since the last turn of the backlog */
	uint64_t cnt; /* nets sent early, in total */
};

/* A reader. Embedded in its owner. Other threads use only fields marked so. */
struct reader {
	struct cursor cursor; /* the table reads the positions */
	struct table *table;
	struct stream *st; /* the stream of the table that the reader follows */
	struct tail_watch tail; /* of the table's journal */
	struct worker *worker;
	struct pubptr ops; /* reader_ops_of */
	struct arena *arena; /* for one callback; reset after each flush */
	bool on; /* between reader_start and reader_stop */
	bool busy; /* set by the owner: ops->work must be called */
	struct reader_wants wants;

	struct bitmap dirty;
	uint32_t dirty_cnt;
	struct reader_sweep sweep;

	uint64_t late_ns; /* end of a turn; remaining work waits for the next turn */

	/* the present flush: */
	size_t limit; /* room, at most TURN_OCTETS */
	size_t queued; /* handled since the last flush */
	struct counter64 turns; /* turns with room; any thread reads */
	uint8_t behind; /* flushes since the reader last reached the journal's end */

	struct reader_shown shown;
	struct reader_early early;

	/* fields of the table: */
	struct list link; /* of table->readers */
	uint64_t seen_progress; /* ops->progress at the last look of dead_too_many_wait */
};

/* reader_init - fill in @r. No other object knows @r yet. @arena: borrowed. */
void reader_init(struct reader *r, struct table *t, struct worker *w,
    const struct reader_ops *ops, struct arena *arena);
/* reader_ops_of - the calls to the owner. The owner may replace the calls while the
 * reader runs (reader_set_ops). Any thread. */
static inline const struct reader_ops *
reader_ops_of(const struct reader *r)
{
	return load_relaxed_ptr(&r->ops);
}

/* reader_set_ops - replace the calls. slow and progress stay. */
static inline void
reader_set_ops(struct reader *r, const struct reader_ops *ops)
{
	store_relaxed_ptr(&r->ops, (void *)(uintptr_t)ops);
}

/* reader_fini - free the buffers. reader_detach was answered. */
void reader_fini(struct reader *r);
/* reader_attach - register with the table. @done arrives when the table knows the reader;
 * from now on the table may wake the worker.
 * reader_detach - leave the table; the reader is stopped. @done arrives a grace period
 * after the last thread can find the reader. */
void reader_attach(struct reader *r, TAKE struct msg *done);
void reader_detach(struct reader *r, TAKE struct msg *done);

/* reader_start - follow the journal from its present end; no net is dirty. The worker
 * runs. */
void reader_start(struct reader *r);
void reader_stop(struct reader *r);
/* reader_all - tell the state of all nets, then call synced. While a sweep runs, further
 * calls are remembered and done once after the sweep; so callers may repeat the call
 * freely. */
void reader_all(struct reader *r);
/* reader_unread - number of dirty nets and of unread segments. */
uint64_t reader_unread(const struct reader *r);
/* reader_is_late - true: the turn has lasted long enough, and remaining work of the owner
 * must wait for the next turn. */
bool reader_is_late(const struct reader *r);
/* reader_run - one turn. Returns: true: more work can be done now. */
bool reader_run(struct reader *r);
/* reader_lent - a short turn in another thread, while the reader's worker sleeps.
 * Returns: true: work is left for the worker. */
bool reader_lent(struct reader *r);
/* reader_listen - after reader_run: later publications wake the worker, if the reader can
 * handle them. */
void reader_listen(struct reader *r);
/* reader_wake_more - first call of each turn: help an active round of waking. */
void reader_wake_more(struct reader *r);
/* reader_idle - no work for a while: free spare memory. */
void reader_idle(struct reader *r);

/* reader_limit - upper bound of the ids in the followed stream. reader_net - the net of
 * item @id; the id is held back for the reader. */
uint32_t reader_limit(const struct reader *r);
const struct net *reader_net(const struct reader *r, uint32_t id);
/* reader_path - the present path of item @id: the path, or the best path of the net. The
 * path may be dead and about to be withdrawn. NULL: none. Under RCU. */
const struct path *reader_path(const struct reader *r, uint32_t id);
/* reader_dirty, reader_dirty_segment - mark nets as dirty. reader_clean - the owner knows
 * the present state of the nets. */
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

/* reader_passes - true: the reader must tell net @id of @s under @check. */
bool reader_passes(
    struct reader *r, const struct segment *s, uint32_t id, enum read_check check);
/* reader_look - check each net of the segments published by now, as after a cut. The
 * owner decides differently from now on, so a segment that only reports a changed source
 * may matter. */
void reader_look(struct reader *r);
/* reader_tail - the end of the journal. reader_has_read - true: the reader passed
 * @tail. */
uint64_t reader_tail(const struct reader *r);
bool reader_has_read(const struct reader *r, uint64_t tail);
/* reader_caught_up - true: only the journal is left to read. */
static inline bool
reader_caught_up(const struct reader *r)
{
	return !r->busy && !r->dirty_cnt && !r->sweep.on && !r->sweep.all_on;
}

static inline bool
batch_after(uint32_t a, uint32_t b)
{
	return serial_after(a, b);
}

/* ---- between the files of a reader ---- */

#define OWED_ALL (UINT32_MAX / 2) /* owed: the number is unknown */

/* reader_show - note that the reader has told all nets of @chunk in the state of @batch
 * or later. */
void reader_show(struct reader *r, uint32_t chunk, uint32_t batch);
/* reader_is_shown - true: the reader has told all nets of @s in the state of @s or
 * later. */
bool reader_is_shown(const struct reader *r, const struct segment *s);
/* reader_shown_drop - forget the notes of reader_show. */
void reader_shown_drop(struct reader *r);

/* reader_shown_idle - forget the notes, and stop checking nets of segments, as soon as
 * all segments to check were read. */
void reader_shown_idle(struct reader *r);
/* reader_has_done - true: the reader read all segments of batches up to @batch. */
bool reader_has_done(const struct reader *r, uint32_t batch);

/* reader_early_start - begin to remember early nets. reader_early_drop - forget them.
 * reader_early_forget - forget them if all segments were read; nets were sent early.
 * reader_early_idle - reader_early_forget if nets were sent early. */
void reader_early_start(struct reader *r);
void reader_early_drop(struct reader *r);
void reader_early_forget(struct reader *r);
static inline void
reader_early_idle(struct reader *r)
{
	if (r->early.nets)
		reader_early_forget(r);
}

/* reader_early_send - first call of a turn: if the reader lags, tell the present state of
 * a few nets that changed alone. */
void reader_early_send(struct reader *r);
/* reader_early_touches - true: a net of @s, the next segment of the journal, was told
 * early. r->early is not NULL. */
bool reader_early_touches(struct reader *r, const struct segment *s);
/* reader_early_told - true: the reader has told net @id in the state after @batch, or
 * later. */
bool reader_early_told(const struct reader *r, uint32_t id, uint32_t batch);

#endif

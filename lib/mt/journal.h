/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log of published entries: one writer, many cursors, bounded.
 *
 * Which calls may run at the same time:
 *
 *   the writer       journal_append, journal_reclaim, journal_add, journal_remove,
 *                    journal_min_out, journal_hurry, journal_bytes, journal_wake
 *   a cursor's       journal_read, journal_look, journal_ahead, journal_done,
 *   reader, each     journal_pending, cursor_*
 *   any of these     journal_wake_more, journal_waking, journal_charge
 *
 * G1  A reader sees entries in order, each once, or is told that it was cut off
 *     (journal_read: LOST).
 * G2  An entry that journal_read gave stays until the reader calls journal_done, which it
 *     does in the same callback (a reader that was cut off is protected by RCU until
 *     then).
 * G3  A reader that found nothing and announced sleep is woken after the next append by
 *     somebody: by the writer or by another reader that was woken (journal_wake), unless
 *     it said that it is deaf. Who is woken runs, and a reader that runs calls
 *     journal_wake_more first thing.
 * Progress: append and read are wait-free; reclaim looks at every cursor.
 *
 * Waking a thousand readers one by one would keep the writer busy for ms; so it wakes a
 * few, and each reader that runs claims a block of further cursors and wakes these before
 * its own work. */
#ifndef TERN_LIB_MT_JOURNAL_H
#define TERN_LIB_MT_JOURNAL_H

#include "lib/base/check.h"
#include "lib/mt/atomic.h"

#define JOURNAL_LOST ((void *)1)
#define CURSOR_IDLE  UINT64_MAX

struct journal;

/* owner: its reader; embedded in it; lives: until journal_remove was answered and a grace
 * period. */
struct cursor {
	struct pub64 pos; /* next entry to read; CURSOR_IDLE: holds nothing */
	/* all that was before is settled downstream (withdrawals are sent) */
	struct pub64 out_pos;
	/* it can do nothing with entries now, and isn't woken for them */
	struct pub32 deaf;
	struct pub64 hurry; /* pass this position, even if nothing can be sent */
	uint64_t read; /* reader's own: next to read; pos follows with journal_done */
	bool (*wake)(
	    struct cursor *c, bool sleeper_only); /* any thread; was it asleep? */
	uint32_t slot; /* writer's */
};

/* What the writer keeps of an entry. */
struct journal_entry {
	uint64_t seq; /* its position */
	uint32_t bytes; /* for the ceiling */
	struct pub32 held; /* 1 and what was charged; 0: it isn't in a journal. private */
	struct journal_entry *next_free; /* writer's, while it waits to be freed */
};

/* owner: the writer's loop. */
struct journal {
	/* read by all */
	struct pub64 tail; /* one past the last entry */
	struct pub64 floor; /* entries before it are gone */
	struct pubptr cursors; /* struct cursor_list * */
	/* next cursor to be claimed for waking */
	_Alignas(CACHE_LINE) struct pub32 wake_next;
	struct pubptr *item; /* ring of entries: item[seq & mask] */
	uint32_t mask;
	uint32_t fan; /* sleepers that one waker wakes before its own work; constant */
	_Alignas(CACHE_LINE) struct counter64 held; /* all that was charged */
	/* private to the writer */
	_Alignas(CACHE_LINE) uint64_t bytes, freed;
	uint64_t trimmed; /* places before it were given back since they were used */
	uint64_t soft_bytes, hard_bytes;
	uint64_t cut_cnt; /* entries that were cut off */
	void (*free_entry)(struct journal_entry *e, void *arg);
	void *arg;
};

/* journal_start - Returns: the tail of a journal that has had no entry. Any thread. */
uint64_t journal_start(void);
/* journal_init - @cap_order: 2^cap_order entries at most; @soft: octets at which laggards
 * are told to hurry;
 * @hard: octets at which they are cut off. @free_entry: in the writer's loop or in
 * liburcu's thread. */
void journal_init(struct journal *j, unsigned cap_order, uint64_t soft, uint64_t hard,
    void (*free_entry)(struct journal_entry *e, void *arg), void *arg);
/* journal_fini - no cursor is left; frees all entries. */
void journal_fini(struct journal *j);
/* journal_add, journal_remove - a cursor, idle at first. After remove it may be freed a
 * grace period later. */
void journal_add(struct journal *j, struct cursor *c);
void journal_remove(struct journal *j, struct cursor *c);
/* journal_append - publish @e; e->bytes is set. Makes room by journal_reclaim, then by
 * cutting. Orders: what was written before is seen by whoever gets the entry (pairs:
 * JTAIL). */
void journal_append(struct journal *j, TAKE struct journal_entry *e);
/* journal_charge - @cnt octets more hang on @e and go with it: they count for the bounds.
 * No effect if @e is in no journal. Any thread that may read @e. */
static inline void
journal_charge(struct journal *j, struct journal_entry *e, uint32_t cnt)
{
	uint32_t held = load_relaxed32(&e->held);

	if (!held)
		return;
	counter64_add(&j->held, cnt); /* first: what an entry gives back is in it */
	while (held && !cas_acq_rel32(&e->held, &held, held + cnt)) /* pairs: JHELD */
		;
	if (!held) /* it was just cut off */
		counter64_add(&j->held, 0 - (uint64_t)cnt);
}

/* journal_bytes - of all entries, with what was charged to them. Writer. */
static inline uint64_t
journal_bytes(const struct journal *j)
{
	return j->bytes + counter64_get(&j->held);
}

/* journal_reclaim - free what all cursors have passed; beyond the ceiling also what they
 * haven't. Returns: octets still live. */
uint64_t journal_reclaim(struct journal *j);
/* journal_min_out - the least out_pos of all cursors that are not idle; the tail if there
 * is none.
 * @slowest: whose, or NULL. Writer. */
uint64_t journal_min_out(struct journal *j, struct cursor **slowest);
/* journal_hurry - ask every reader that isn't at the tail to pass it, whether it can send
 * or not. Writer. */
void journal_hurry(struct journal *j);
/* journal_wake - start a round of waking: the writer, after a batch of appends. Returns:
 * whether it is still on. */
bool journal_wake(struct journal *j);
/* journal_waking - is a round of waking on? */
bool journal_waking(const struct journal *j);
/* journal_wake_more - a reader that runs, or the writer: wake the next ones, if a round
 * is on. Returns: whether it is still on: those that were woken go on with it. */
bool journal_wake_more(struct journal *j);

/* cursor_init - idle. */
void cursor_init(struct cursor *c, bool (*wake)(struct cursor *c, bool sleeper_only));
/* cursor_start - begin to read at the present tail: what is published from now on is
 * seen. Reader. */
void cursor_start(struct cursor *c, struct journal *j);
/* cursor_deafen - is the reader to be left asleep, whatever is published? When it isn't
 * any more it looks at the tail afterwards. Reader. */
void cursor_deafen(struct cursor *c, bool deaf);
/* cursor_stop - hold nothing any more. Reader. */
void cursor_stop(struct cursor *c);
/* journal_read - the next entry and step on; NULL: none; JOURNAL_LOST: the reader was cut
 * off and now stands at the tail: everything may have changed. */
void *journal_read(struct journal *j, struct cursor *c);
/* journal_ahead - the entry @k places beyond the next one, for prefetching; NULL: not
 * there yet. Only good within the same callback; @tail: what load_acquire64(&j->tail)
 * gave. */
static inline void *
journal_ahead(const struct journal *j, const struct cursor *c, unsigned k, uint64_t tail)
{
	return c->read + k < tail
		   ? load_acquire_ptr(
			 &j->item[(c->read + k) & j->mask]) /* pairs: JITEM */
		   : NULL;
}

/* journal_look - the entries from the next one on, at most @max, without stepping on
 * (c->read += n does); fewer if there are no more, none if the reader was cut off. @tail:
 * as in journal_ahead. Good as what journal_read gives. */
static inline unsigned
journal_look(const struct journal *j, const struct cursor *c, void **e, unsigned max,
    uint64_t tail)
{
	uint64_t left = tail - c->read;
	unsigned max_cnt = left < max ? (unsigned)left : max, cnt = 0;

	for (; cnt < max_cnt; cnt++) {
		e[cnt] = load_acquire_ptr(
		    &j->item[(c->read + cnt) & j->mask]); /* pairs: JITEM */
		if (!e[cnt])
			break; /* it was cut */
	}
	/* Where another entry has its place, the floor was above it before. */
	return load_acquire64(&j->floor) > c->read ? 0 : cnt; /* pairs: JFLOOR */
}

/* journal_done - all that was read is settled: publish the position. */
void journal_done(struct cursor *c);

/* journal_unread - how many entries are to be read. Reader. */
static inline uint64_t
journal_unread(const struct journal *j, const struct cursor *c)
{
	return load_acquire64(&j->tail) - c->read; /* pairs: JTAIL */
}

static inline bool
journal_pending(const struct journal *j, const struct cursor *c)
{
	return load_acquire64(&j->tail) != c->read; /* pairs: JTAIL */
}

#endif

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
 * G1  A reader sees entries in order, each once, or learns that its position was dropped
 *     (journal_read: LOST).
 * G2  An entry from journal_read stays valid until the reader calls journal_done, which
 *     the reader does in the same callback (RCU protects a reader that lost entries until
 *     then).
 * G3  If a reader found no entry and announced sleep, then after the next append the
 *     writer or another woken reader wakes the sleeper (journal_wake), unless the sleeper
 *     is deaf. A woken reader runs, and a running reader first calls journal_wake_more.
 * Progress: append and read are wait-free; reclaim looks at every cursor.
 *
 * Waking a thousand readers one by one would occupy the writer for milliseconds. The
 * writer therefore wakes a few readers. Each reader that runs claims a block of further
 * cursors, and wakes the readers of the claimed cursors before the reader reads entries.
 *
 * Loop: the loop of the writer and the loops of the readers, as the table says. */
#ifndef TERN_LIB_MT_JOURNAL_H
#define TERN_LIB_MT_JOURNAL_H

#include "lib/base/check.h"
#include "lib/mt/atomic.h"

#define JOURNAL_LOST ((void *)1)
#define CURSOR_IDLE  UINT64_MAX

struct journal;

/* Owner: the reader, whose object embeds the cursor. Life: until the writer has confirmed
 * journal_remove and a grace period has passed. */
struct cursor {
	struct pub64 pos; /* next entry to read; CURSOR_IDLE: holds nothing */
	/* every entry before out_pos is settled downstream (withdrawals are sent) */
	struct pub64 out_pos;
	/* the reader cannot use entries now and is not woken for entries */
	struct pub32 deaf;
	struct pub64 hurry; /* pass this position even if the socket accepts nothing */
	/* private to the reader: next entry to read; journal_done copies the value to
	 * pos */
	uint64_t read;
	bool (*wake)(
	    struct cursor *c, bool sleeper_only); /* any thread; was it asleep? */
	uint32_t slot; /* writer's */
};

/* The writer's part of an entry. Owner: the journal, from journal_append on. Life: until
 * every cursor has passed, or a drop and a grace period. Freed by: stream_free_entry. */
struct journal_entry {
	uint64_t seq; /* position of the entry */
	uint32_t bytes; /* for the ceiling */
	struct pub32 held; /* 1 plus the charged octets; 0: not in a journal. private */
	/* private to the writer, while the entry waits to be freed */
	struct journal_entry *next_free;
};

/* Owner: the writer's loop. Life: embedded, until journal_fini. */
struct journal {
	/* read by all */
	struct pub64 tail; /* position after the last entry */
	struct pub64 floor; /* entries before floor are freed or dropped */
	struct pubptr cursors; /* struct cursor_list * */
	/* next cursor to be claimed for waking */
	_Alignas(CACHE_LINE) struct pub32 wake_next;
	struct pubptr *item; /* ring of entries: item[seq & mask] */
	uint32_t mask;
	uint32_t fan; /* sleepers that one waker wakes before its other work; constant */
	_Alignas(CACHE_LINE) struct counter64 held; /* sum of the charged octets */
	/* private to the writer */
	_Alignas(CACHE_LINE) uint64_t bytes, freed;
	uint64_t trimmed; /* pages of slots before this position were returned */
	uint64_t soft_bytes, hard_bytes;
	uint64_t dropped_cnt; /* entries dropped at the ceiling */
	void (*free_entry)(struct journal_entry *e, void *arg);
	void *arg;
};

/* journal_start - the tail of a journal without entries. Any thread. */
uint64_t journal_start(void);
/* journal_init - set up an empty journal of 2^@cap_order entries at most. Above @soft
 * octets slow readers are asked to hurry; above @hard octets the journal drops entries.
 * @stream_free_entry runs in the writer's loop or in liburcu's thread. */
void journal_init(struct journal *j, unsigned cap_order, uint64_t soft, uint64_t hard,
    void (*free_entry)(struct journal_entry *e, void *arg), void *arg);
/* journal_fini - no cursor is left; frees all entries. */
void journal_fini(struct journal *j);
/* journal_add, journal_remove - add or remove a cursor; a new cursor is idle. A removed
 * cursor may be freed a grace period later. */
void journal_add(struct journal *j, struct cursor *c);
void journal_remove(struct journal *j, struct cursor *c);
/* journal_append - publish @e; e->bytes is set. Makes room by journal_reclaim, then by
 * dropping entries.
 * Orders: a reader of @e sees all writes before the call (pairs: JTAIL). */
void journal_append(struct journal *j, TAKE struct journal_entry *e);
/* journal_charge - count @cnt more octets for @e against the bounds; the octets are freed
 * with @e. No effect if @e is in no journal. Any thread that may read @e. */
static inline void
journal_charge(struct journal *j, struct journal_entry *e, uint32_t cnt)
{
	uint32_t held = load_relaxed32(&e->held);

	if (!held)
		return;
	/* first, so that `held` covers all octets that an entry subtracts */
	counter64_add(&j->held, cnt);
	while (held && !cas_acq_rel32(&e->held, &held, held + cnt)) /* pairs: JHELD */
		;
	if (!held) /* the entry was just dropped */
		counter64_add(&j->held, 0 - (uint64_t)cnt);
}

/* journal_bytes - of all entries, with what was charged to them. Writer. */
static inline uint64_t
journal_bytes(const struct journal *j)
{
	return j->bytes + counter64_get(&j->held);
}

/* journal_reclaim - free the entries that all cursors have passed; above the ceiling drop
 * further entries. Returns: octets still in the journal. */
uint64_t journal_reclaim(struct journal *j);
/* journal_min_out - the least out_pos of all cursors that are not idle; the tail if every
 * cursor is idle. @slowest: the cursor with the least out_pos, or NULL. Writer. */
uint64_t journal_min_out(struct journal *j, struct cursor **slowest);
/* journal_hurry - ask every reader behind the tail to pass the tail, even if the reader's
 * socket accepts nothing. Writer. */
void journal_hurry(struct journal *j);
/* journal_wake - start a round of waking; the writer calls after a batch of appends.
 * Returns: true: cursors are left in the round. */
bool journal_wake(struct journal *j);
/* journal_waking - true during a round of waking. */
bool journal_waking(const struct journal *j);
/* journal_wake_more - wake the next sleepers of the round, if a round is running. A
 * running reader or the writer calls. Returns: true: cursors are left; the woken readers
 * continue. */
bool journal_wake_more(struct journal *j);

/* cursor_init - idle. */
void cursor_init(struct cursor *c, bool (*wake)(struct cursor *c, bool sleeper_only));
/* cursor_start - begin to read at the present tail: the reader sees every later entry.
 * Reader. */
void cursor_start(struct cursor *c, struct journal *j);
/* cursor_deafen - @deaf: leave the reader asleep whatever the writer publishes. After
 * @deaf = false the reader looks at the tail. Reader. */
void cursor_deafen(struct cursor *c, bool deaf);
/* cursor_stop - release all entries. Reader. */
void cursor_stop(struct cursor *c);
/* journal_read - the next entry and step on; NULL: none; JOURNAL_LOST: the reader lost
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

/* journal_look - read up to @max entries from the next entry on without advancing (the
 * caller advances by c->read += n). Returns: number of entries; fewer than @max at the
 * tail, 0 if the reader lost entries. @tail: as in journal_ahead. The entries stay valid
 * like the entry of journal_read. */
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
			break; /* the entry was dropped */
	}
	/* If another entry has taken the slot, the floor was raised above the slot
	 * before. */
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single changed nets that lagging readers tell before they read the journal.
 *
 * While a full table of one member goes through the journal, a single change of another
 * member would wait behind the full table for each slow peer. So the table notes nets
 * changed by sources that change little; a lagging reader sends the present state of
 * these nets first (nest/rib/stream/reader_early.c).
 *
 * The notes are hints: a missed or overwritten entry does no harm, because the journal
 * has all changes in order, and the state of any net may be sent at any time. One writer,
 * the table's loop; any readers. Owner of the structs: the table. Life: embedded in the
 * table's stream or in a feeder. */
#ifndef TERN_NEST_RIB_STREAM_EXPRESS_H
#define TERN_NEST_RIB_STREAM_EXPRESS_H

#include "lib/mt/atomic.h"

#define EXPRESS_CNT 256

/* Credit for changes that are noted: at once, and per hundredth of a second; further
 * changes make a debt up to EXPRESS_DEBT. All sources of a table share a credit of equal
 * size: small changes of many members at a time are no single changes, and each lagging
 * reader would send them in separate messages. */
#define EXPRESS_BURST  64
#define EXPRESS_REFILL 8
#define EXPRESS_DEBT   1024

/* owner: the table. */
struct express_credit {
	int32_t left;
	uint64_t at_cs; /* table->time.now_cs then */
};

/* express_spend - charge @cnt changes. Returns: true: note the changes. */
static inline bool
express_spend(struct express_credit *c, uint64_t now_cs, uint32_t cnt)
{
	int64_t left = c->left + (int64_t)(now_cs - c->at_cs) * EXPRESS_REFILL;

	left = (left > EXPRESS_BURST ? EXPRESS_BURST : left) - cnt;
	c->left = left < -EXPRESS_DEBT ? -EXPRESS_DEBT : (int32_t)left;
	c->at_cs = now_cs;
	return left >= 0;
}

/* The ring of notes; one in each stream. */
struct express {
	struct pub64 tail; /* entries ever put */
	struct pub64 item[EXPRESS_CNT]; /* batch << 32 | id of the net */
	struct express_credit credit; /* of all sources */
};

/* express_put - note that net @id changed in @batch, which is published. */
static inline void
express_put(struct express *x, uint32_t id, uint32_t batch)
{
	uint64_t tail = load_relaxed64(&x->tail);

	store_relaxed64(&x->item[tail % EXPRESS_CNT], (uint64_t)batch << 32 | id);
	store_release64(&x->tail, tail + 1); /* pairs: XTAIL */
}

static inline uint64_t
express_tail(const struct express *x)
{
	return load_acquire64(&x->tail); /* pairs: XTAIL */
}

/* express_get - read the entry at *@pos, which is below @tail (of express_tail); *@pos
 * advances, past overwritten entries. */
static inline void
express_get(
    const struct express *x, uint64_t *pos, uint64_t tail, uint32_t *id, uint32_t *batch)
{
	uint64_t item;

	if (tail - *pos > EXPRESS_CNT)
		*pos = tail - EXPRESS_CNT;
	item = load_relaxed64(&x->item[(*pos)++ % EXPRESS_CNT]);
	*id = (uint32_t)item;
	*batch = (uint32_t)(item >> 32);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single nets that changed, told beside the journal to readers that lag.
 *
 * While one member's full table goes through the journal, another's single change would
 * wait behind it for each peer that reads slowly. So the table notes here which nets were
 * changed by sources that change little; a reader that is behind sends the present state
 * of these first (nest/rib/stream/reader_early.c).
 *
 * It is a hint: an entry that a reader misses, or reads while it is overwritten, does no
 * harm, since all comes again in the journal's order, and the state of any net may be
 * sent at any time. One writer, the table's loop; any readers. */
#ifndef TERN_NEST_EXPRESS_H
#define TERN_NEST_EXPRESS_H

#include "lib/mt/atomic.h"

#define EXPRESS_CNT 256

/* Changes that a source may make at once, and in each hundredth of a second from then on,
 * to have them told here; who makes more owes them, up to EXPRESS_DEBT. The same for all
 * sources of a table together: what many members change a little of at a time is no
 * single change, and each reader that lags would send it by messages of its own. */
#define EXPRESS_BURST  64
#define EXPRESS_REFILL 8
#define EXPRESS_DEBT   1024

/* owner: the table. */
struct express_credit {
	int32_t left;
	uint64_t at_cs; /* table->now_cs then */
};

/* express_spend - @cnt changes more. Returns: are they told? */
static inline bool
express_spend(struct express_credit *c, uint64_t now_cs, uint32_t cnt)
{
	int64_t left = c->left + (int64_t)(now_cs - c->at_cs) * EXPRESS_REFILL;

	left = (left > EXPRESS_BURST ? EXPRESS_BURST : left) - cnt;
	c->left = left < -EXPRESS_DEBT ? -EXPRESS_DEBT : (int32_t)left;
	c->at_cs = now_cs;
	return left >= 0;
}

/* owner: its table. */
struct express {
	struct pub64 tail; /* entries ever put */
	struct pub64 item[EXPRESS_CNT]; /* batch << 32 | id of the net */
	struct express_credit credit; /* of all sources */
};

/* express_put - net @id changed in @batch, which is published. */
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

/* express_get - the entry at *@pos, which is below @tail (of express_tail); *@pos moves
 * on, beyond what is overwritten. */
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

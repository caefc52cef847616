/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adj-RIB-Out of one channel as bits over net ids. Owner: the session.
 *
 * A bit is set when the peer holds (or is being sent) a route for the net: when the
 * message is queued. A session that dies drops queue and bits together. */
#ifndef TERN_PROTO_BGP_ADJ_OUT_H
#define TERN_PROTO_BGP_ADJ_OUT_H

#include "lib/base/bitmap.h"
#include "lib/base/mem.h"

struct adj_out {
	struct bitmap out;
	uint32_t out_cnt;
};

static inline void
adj_out_init(struct adj_out *a)
{
	bitmap_init(&a->out, MEM_PROTO);
	a->out_cnt = 0;
}

static inline void
adj_out_clear(struct adj_out *a)
{
	bitmap_clear_all(&a->out);
	a->out_cnt = 0;
}

/* adj_out_fetch - net @id is about to be sent: ask for its bit. */
static inline void
adj_out_fetch(const struct adj_out *a, uint32_t id)
{
	if (id / 64 < a->out.word_cnt)
		__builtin_prefetch(&a->out.word[id / 64], 1);
}

static inline void
adj_out_sent(struct adj_out *a, uint32_t id, uint32_t cnt)
{
	if (cnt == 1) /* half of all runs */
		a->out_cnt += bitmap_set(&a->out, id);
	else
		a->out_cnt += bitmap_set_range(&a->out, id, cnt);
}

static inline void
adj_out_gone(struct adj_out *a, uint32_t id, uint32_t cnt)
{
	if (a->out_cnt)
		a->out_cnt -= bitmap_clear_range(&a->out, id, cnt);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of a channel that looks behind best routes: for channel_secondary.c only. Owner:
 * the channel. Life: until channel_secondary_free. Loop: the session's; queries of `show
 * route` in any thread, under RCU. */
#ifndef TERN_NEST_CHANNEL_EXPORT_CHANNEL_SECONDARY_PRIV_H
#define TERN_NEST_CHANNEL_EXPORT_CHANNEL_SECONDARY_PRIV_H

#include "lib/base/bitmap.h"
#include "nest/channel/export/sent_set.h"
#include "nest/channel/sink.h"

/* The answer about a route, kept while a segment is handled. */
struct secondary_memo {
	const struct attr_set *set; /* NULL: none */
	const struct origin *facts;
	struct export_answer answer;
};

/* Nets whose first route the peer may not get, for a channel with `secondary`
 * (channel_secondary.c). */
struct channel_secondary {
	struct bitmap watched; /* the watched nets */
	uint32_t watched_cnt;
	uint32_t watched_nr; /* counts additions to watched */
	struct sent_set sent; /* routes of watched nets held by the peer */
	uint32_t looked; /* newest batch that a look may have seen */
	struct secondary_memo memo[4];
	unsigned memo_next; /* next place to use */
};

#endif

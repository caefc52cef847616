/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a channel that looks behind the best route knows: for channel_second.c only. */
#ifndef TERN_NEST_CHANNEL_SECOND_PRIV_H
#define TERN_NEST_CHANNEL_SECOND_PRIV_H

#include "lib/base/bitmap.h"
#include "nest/channel/export/sent_set.h"
#include "nest/channel/sink.h"

/* The answer about a route, for as long as a segment is worked at. */
struct second_memo {
	const struct attr_set *set; /* NULL: none */
	const struct origin *facts;
	struct export_answer answer;
};

/* What a channel with `secondary` knows of nets whose first route its peer may not have
 * (channel_second.c). owner: as the channel. */
struct channel_second {
	struct bitmap watched; /* these nets */
	uint32_t watched_cnt;
	uint32_t watched_nr; /* counts those that came to them */
	struct sent_set sent; /* what the peer holds of them */
	uint32_t looked; /* newest batch of which a look may have seen something */
	struct second_memo memo[4];
	unsigned memo_next; /* the place that is taken next */
};

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asking a peer for its routes (channel_refresh.c): for the files of nest/channel
 * only. */
#ifndef TERN_NEST_CHANNEL_REFRESH_PRIV_H
#define TERN_NEST_CHANNEL_REFRESH_PRIV_H

#include "nest/channel/channel_priv.h"

/* channel_ask_init - with the channel. channel_ask_up, channel_ask_down - with its
 * session. */
void channel_ask_init(struct channel *ch);
void channel_ask_up(struct channel *ch);
void channel_ask_down(struct channel *ch);
/* channel_ask_now - for all routes again. Returns: false: the peer can't send them. */
bool channel_ask_now(struct channel *ch);
/* channel_ask_later - what filters ask has changed: the same, in its turn, which is
 * @after_ns from now, or later (refresh_plan.h). */
void channel_ask_later(struct channel *ch, uint64_t after_ns);

#endif

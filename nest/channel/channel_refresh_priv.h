/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests for the routes of a peer (channel_refresh.c). Only files of nest/channel
 * include the header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_REFRESH_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_REFRESH_PRIV_H

#include "nest/channel/channel_priv.h"

/* channel_ask_init - with the channel. channel_ask_up, channel_ask_down - with its
 * session. */
void channel_ask_init(struct channel *ch);
void channel_ask_up(struct channel *ch);
void channel_ask_down(struct channel *ch);
/* channel_ask_now - ask for all routes. Returns: false: the peer cannot send them. */
bool channel_ask_now(struct channel *ch);
/* channel_ask_later - tables queried by filters changed: ask after @after_ns, the
 * channel's turn, or later (refresh_plan.h). */
void channel_ask_later(struct channel *ch, uint64_t after_ns);

#endif

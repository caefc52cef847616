/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stale routes of a channel (channel_stale.c). Only files of nest/channel include the
 * header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_STALE_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_STALE_PRIV_H

#include "nest/channel/channel_priv.h"
#include "nest/rib/source.h"

/* channel_has_routes - true: up, or away with stale routes. */
static inline bool
channel_has_routes(const struct channel *ch)
{
	return ch->life.up || ch->life.away;
}

/* channel_stale_reconf - channel_reconf of a channel that is away. channel_stale_lost -
 * the policy changed and the stale routes cannot be decided again: @why. */
void channel_stale_reconf(struct channel *ch, uint32_t change, bool soft);
void channel_stale_lost(struct channel *ch, const char *why);

#endif

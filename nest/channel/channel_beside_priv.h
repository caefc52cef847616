/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel beside another channel (channel_beside.c). Only files of nest/channel
 * include the header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_BESIDE_PRIV_H
#define TERN_NEST_CHANNEL_BESIDE_PRIV_H

#include "nest/channel/channel_priv.h"
#include "nest/rib/source.h"

/* channel_beside_adopt - the channel beside @ch takes over ch->cf. channel_beside_free -
 * free the channel beside @ch, with @ch. */
void channel_beside_adopt(struct channel *ch);
void channel_beside_free(struct channel *ch);
/* channel_feeder - the feeder whose routes @ch never sends. */
static inline const struct feeder *
channel_feeder(const struct channel *ch)
{
	return &(ch->of ? ch->of : ch)->ts;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel beside another one (channel_beside.c): for the files of nest/channel only. */
#ifndef TERN_NEST_CHANNEL_BESIDE_PRIV_H
#define TERN_NEST_CHANNEL_BESIDE_PRIV_H

#include "nest/channel/channel_priv.h"
#include "nest/rib/source.h"

/* channel_beside_adopt - the one beside @ch goes by ch->cf. channel_beside_free - with
 * @ch. */
void channel_beside_adopt(struct channel *ch);
void channel_beside_free(struct channel *ch);
/* channel_feeder - whose routes @ch is never to send. */
static inline const struct feeder *
channel_feeder(const struct channel *ch)
{
	return &(ch->of ? ch->of : ch)->ts;
}

#endif

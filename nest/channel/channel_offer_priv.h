/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The offer channel of a channel (channel_offer.c). Only files of nest/channel include
 * the header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_OFFER_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_OFFER_PRIV_H

#include "nest/channel/channel_priv.h"
#include "nest/rib/source.h"

/* channel_without_policy - copy @cf without its policy. channel_offer_adopt - the offer
 * channel of @ch takes over ch->cf. offer_conf.c */
void channel_without_policy(struct conf_channel *out, const struct conf_channel *cf);
void channel_offer_adopt(struct channel *ch);
/* channel_feeder - the feeder whose routes @ch never sends. */
static inline const struct feeder *
channel_feeder(const struct channel *ch)
{
	return &(ch->offer.of ? ch->offer.of : ch)->ts;
}

#endif

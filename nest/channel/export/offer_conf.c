/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration of an offer channel: the configuration of the channel without policy
 * (channel_offer.c). Loop: the session's. Tested by test/net/test_bmp_out.py. */
#include "nest/channel/channel_offer_priv.h"
#include "filter/filter.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_rpki_priv.h"
#include "nest/conf/config.h"

void
channel_without_policy(struct conf_channel *out, const struct conf_channel *cf)
{
	const struct conf_limit none = { .action = LIMIT_OFF };

	*out = *cf;
	out->import = out->export = &filter_accept_all;
	out->limit.import = out->limit.receive = out->limit.export = none;
	out->has_export_in = false;
	out->keep_filtered = false;
}

void
channel_offer_adopt(struct channel *ch)
{
	struct channel *b = ch->offer.ch;

	channel_without_policy(b->offer.like, ch->cf);
	if ((b->life.up || b->rpki.watch) && !b->life.detaching)
		channel_watch_update(b);
	channel_ground_begin(b);
}

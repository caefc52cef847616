/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which routes a channel keeps as they were before policy: for nest/channel only. */
#ifndef TERN_NEST_CHANNEL_KEEPS_PRIV_H
#define TERN_NEST_CHANNEL_KEEPS_PRIV_H

#include "lib/mt/atomic.h"
#include "nest/channel/channel_priv.h"
#include "nest/conf/config.h"

/* channel_keeps_pre - channel_keeps, of the configuration that is at work.
 * channel_notes_pre - are routes that come now kept so, refused ones, too? */
static inline bool
channel_keeps_pre(const struct channel *ch)
{
	return ch->cf->keep_filtered || load_relaxed32(&ch->keeps_pre);
}

static inline bool
channel_notes_pre(const struct channel *ch)
{
	return ch->cf->keep_filtered || load_relaxed32(&ch->notes_pre);
}

#endif

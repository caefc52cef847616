/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes kept before policy. Only files of nest/channel include the header. Loop: the
 * session's; channel_keeps_pre and channel_notes_pre also in the table's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_KEEPS_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_KEEPS_PRIV_H

#include "lib/mt/atomic.h"
#include "nest/channel/channel_priv.h"
#include "nest/conf/config.h"

/* channel_keeps_pre - channel_keeps with the active configuration. channel_notes_pre -
 * true: routes from now on are kept before policy, including refused routes. */
static inline bool
channel_keeps_pre(const struct channel *ch)
{
	return ch->cf->keep_filtered || load_relaxed32(&ch->pub.keeps_pre);
}

static inline bool
channel_notes_pre(const struct channel *ch)
{
	return ch->cf->keep_filtered || load_relaxed32(&ch->pub.notes_pre);
}

#endif

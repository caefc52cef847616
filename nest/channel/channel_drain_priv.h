/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes of a session that is to end soon (RFC 8326). Only files of nest/channel include
 * the header. Loop: the session's; channel_drain_set in any thread. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_DRAIN_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_DRAIN_PRIV_H

#include "nest/channel/channel_priv.h"
#include "nest/channel/proto.h"

struct attr_edit;
struct attr_store;

/* channel_drains - true: the routes of the channel have GRACEFUL_SHUTDOWN. */
static inline bool
channel_drains(const struct channel *ch)
{
	return unlikely(ch->proto->orders.drains) && !ch->offer.of;
}

/* channel_drain_set - the set of @e with GRACEFUL_SHUTDOWN, and (@import) with preference
 * 0. Without room for the community the set lacks the community. Changes @e. Returns:
 * NULL: the set of @e alone is too long. */
OWNED struct attr_set *channel_drain_set(
    struct attr_store *store, struct attr_edit *e, bool import);
/* channel_drain_path - bring the path @p of the channel, which keeps no routes before
 * policy, into the present state of the drain. Returns: a reference to the set that the
 * path has then; NULL: another path replaces @p. */
OWNED struct attr_set *channel_drain_path(
    struct channel *ch, const struct net *n, const struct path *p);
/* channel_reload_drain - bring all paths into the present state of the drain and of the
 * overrides, in steps: channel_reload.c. */
void channel_reload_drain(struct channel *ch);

#endif

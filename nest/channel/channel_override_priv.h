/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides of an operator at a channel (nest/core/override.h). Only files of
 * nest/channel include the header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_OVERRIDE_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_OVERRIDE_PRIV_H

#include "nest/channel/channel_priv.h"
#include "nest/channel/proto.h"
#include "nest/core/override.h"

struct attr_set;
struct net;
struct path;
struct prefix;

/* channel_override_choose - note whether overrides or a quarantine concern the channel:
 * the session, or the orders of the instance, have changed. */
void channel_override_choose(struct channel *ch);
/* channel_override_import - the override about the import of @net; NULL: none. Only if
 * imp.overrides is not NULL. */
const struct override *channel_override_import(
    const struct channel *ch, const struct prefix *net);
/* channel_quarantined - true: no accepted route of the channel is selectable, and the
 * peer gets no route. channel_override_blocks - true: the accepted route of @net is kept
 * out of selection; @o: channel_override_import. */
static inline bool
channel_quarantined(const struct channel *ch)
{
	return ch->proto->orders.quarantined && !ch->offer.of;
}

static inline bool
channel_override_blocks(const struct channel *ch, const struct override *o)
{
	return channel_quarantined(ch) || (o && o->kind == OVERRIDE_BLOCK);
}

/* channel_override_limit - change the import limit @l of the configuration if an override
 * says so. */
void channel_override_limit(const struct channel *ch, struct conf_limit *l);
/* channel_override_path - the path @p of @n, which has the set @set, becomes filtered or
 * not, as the overrides say. The channel keeps no routes before policy. */
void channel_override_path(
    struct channel *ch, const struct net *n, const struct path *p, struct attr_set *set);

#endif

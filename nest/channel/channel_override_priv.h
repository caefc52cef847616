/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides of an operator at a channel (nest/core/override.h). Only files of
 * nest/channel include the header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_OVERRIDE_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_OVERRIDE_PRIV_H

#include "nest/channel/channel_priv.h"

struct attr_set;
struct net;
struct override;
struct path;
struct prefix;

/* channel_override_choose - note whether overrides concern the channel: the session, or
 * orders.overrides of the instance, has changed. */
void channel_override_choose(struct channel *ch);
/* channel_override_import - the override about the import of @net; NULL: none. Only if
 * imp.overrides is not NULL. */
const struct override *channel_override_import(
    const struct channel *ch, const struct prefix *net);
/* channel_override_limit - change the import limit @l of the configuration if an override
 * says so. */
void channel_override_limit(const struct channel *ch, struct conf_limit *l);
/* channel_override_path - the path @p of @n, which has the set @set, becomes filtered or
 * not, as the overrides say. The channel keeps no routes before policy. */
void channel_override_path(
    struct channel *ch, const struct net *n, const struct path *p, struct attr_set *set);

#endif

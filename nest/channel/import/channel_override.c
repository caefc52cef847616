/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides of an operator on import (nest/core/override.h): blocked routes are refused
 * after the import filter, accepted routes pass in spite of the import filter. A session
 * in quarantine blocks all accepted routes.
 *
 * I1  A blocked route stays in the table as a filtered path, also in a channel that keeps
 *     no routes before policy. So the end of the override restores the route without a
 *     request to the peer.
 * I2  A block precedes an acceptance. A quarantine blocks what the filter or an
 *     acceptance accepts.
 *
 * Loop: the session's. Tested by test/net/test_override.py and
 * test/net/test_quarantine.py. */
#include "nest/channel/channel_override_priv.h"

#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/override.h"
#include "nest/core/tern.h"

/* channel_override_first - the override of kind @k about this session and @net (NULL: any
 * network). */
static const struct override *
channel_override_first(
    const struct channel *ch, enum override_kind k, const struct prefix *net)
{
	return overrides_find(
	    ch->proto->orders.overrides, k, ch->proto->name, ch->imp.facts.peer_as, net);
}

void
channel_override_choose(struct channel *ch)
{
	ch->imp.overrides = !ch->offer.of &&
			    (channel_quarantined(ch) ||
				channel_override_first(ch, OVERRIDE_BLOCK, NULL) ||
				channel_override_first(ch, OVERRIDE_ACCEPT, NULL));
}

const struct override *
channel_override_import(const struct channel *ch, const struct prefix *net)
{
	const struct override *o = channel_override_first(ch, OVERRIDE_BLOCK, net);

	return o ? o : channel_override_first(ch, OVERRIDE_ACCEPT, net);
}

static void
channel_override_change(struct conf_limit *l, const struct override *o)
{
	if (!o)
		return;
	l->max = o->limit;
	if (l->action == LIMIT_OFF)
		l->action = LIMIT_BLOCK;
}

void
channel_override_limit(const struct channel *ch, struct conf_limit *l)
{
	channel_override_change(l, channel_override_first(ch, OVERRIDE_LIMIT, NULL));
}

bool
channel_in_quarantine(const struct channel *ch)
{
	return load_relaxed32(&ch->proto->orders.quarantine);
}

/* channel_override_seen - the override in force of kind @k, for readers in any thread. */
static const struct override *
channel_override_seen(
    const struct channel *ch, enum override_kind k, const struct prefix *net)
{
	const struct proto *p = ch->proto;
	const struct overrides *s = tern_overrides_get(p->tern);
	struct proto_member m = { 0 };

	if (!s || !p->cls->member.describe || !p->cls->member.describe(p, &m))
		return NULL;
	return overrides_find(s, k, p->name, m.as, net);
}

const struct override *
channel_override_at(const struct channel *ch, const struct prefix *net, bool export)
{
	return channel_override_seen(
	    ch, export ? OVERRIDE_NO_EXPORT : OVERRIDE_BLOCK, net);
}

const struct override *
channel_override_accepting(const struct channel *ch, const struct prefix *net)
{
	return channel_override_at(ch, net, false)
		   ? NULL
		   : channel_override_seen(ch, OVERRIDE_ACCEPT, net);
}

struct conf_limit
channel_import_limit(const struct channel *ch)
{
	struct conf_limit l = channel_conf(ch)->limit.import;

	channel_override_change(&l, channel_override_seen(ch, OVERRIDE_LIMIT, NULL));
	return l;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders of an operator begin or end at a channel: a drain (RFC 8326), overrides
 * (nest/core/override.h), a quarantine. The routes at hand get the new decision.
 *
 * Loop: the session's. Tested by test/net/test_drain.py, test/net/test_override.py and
 * test/net/test_quarantine.py. */
#include "nest/channel/channel.h"
#include "nest/channel/channel_drain_priv.h"
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_override_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_refresh_priv.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/proto.h"
#include "nest/core/override.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

/* channel_orders_import - decide the imported routes again, without a request to the
 * peer. */
static void
channel_orders_import(struct channel *ch)
{
	if (channel_keeps_pre(ch))
		(void)channel_reload_in(ch);
	else
		channel_reload_drain(ch);
}

/* channel_orders_export - decide the exported routes again. */
static void
channel_orders_export(struct channel *ch)
{
	if (ch->life.up && ch->sink)
		channel_policy_changed(ch, channel_swap_view(ch, true));
}

/* channel_orders_both - decide the routes of both directions again. */
static void
channel_orders_both(struct channel *ch)
{
	if (!channel_has_routes(ch))
		return;
	channel_orders_import(ch);
	channel_orders_export(ch);
	worker_again(&ch->proto->worker);
}

void
channel_drain(struct channel *ch)
{
	channel_orders_both(ch);
}

void
channel_overrides(struct channel *ch, const struct overrides *old)
{
	const struct overrides *now = ch->proto->orders.overrides;
	const char *name = ch->proto->name;
	uint32_t as = ch->imp.facts.peer_as;
	bool accepts = !overrides_same(old, now, OVERRIDE_ACCEPT, name, as);

	channel_override_choose(ch);
	if (!channel_has_routes(ch))
		return;
	if (!overrides_same(old, now, OVERRIDE_LIMIT, name, as))
		channel_post_limits(ch);
	if (accepts || !overrides_same(old, now, OVERRIDE_BLOCK, name, as)) {
		channel_orders_import(ch);
		if (accepts && !channel_keeps_pre(ch) && ch->life.up &&
		    !channel_ask_now(ch))
			proto_log(ch->proto, LOG_C_WARN,
			    "The overrides have changed, but the peer can't send its "
			    "routes "
			    "again");
	}
	if (!overrides_same(old, now, OVERRIDE_NO_EXPORT, name, as))
		channel_orders_export(ch);
	worker_again(&ch->proto->worker);
}

void
channel_quarantine(struct channel *ch)
{
	channel_override_choose(ch);
	channel_orders_both(ch);
}

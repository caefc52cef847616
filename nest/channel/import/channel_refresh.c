/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests to the peer of a channel for all its routes: at once, or, after changed ROAs
 * or ASPAs, by a plan (refresh_plan.h). A pipe or static routes can bring routes at any
 * time, and need no plan.
 *
 * Loop: the session's. Tests: test_channel_recheck.c. */
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_refresh_priv.h"

#include "nest/channel/channel.h"
#include "nest/channel/import/refresh_plan.h"
#include "nest/channel/proto.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

static uint64_t
channel_refresh_now_of(const struct channel *ch)
{
	return loop_now_ns(&ch->proto->worker);
}

bool
channel_ask_now(struct channel *ch)
{
	if (!ch->ops->refresh(ch))
		return false;
	refresh_plan_asked(&ch->imp.plan, channel_refresh_now_of(ch));
	timer_cancel(&ch->imp.ask);
	return true;
}

bool
channel_refresh_in(struct channel *ch)
{
	return !ch->life.up || channel_ask_now(ch);
}

/* channel_refresh_ask_now - ask after changed ROAs. A failed request counts as a
 * request. */
static void
channel_refresh_ask_now(struct channel *ch)
{
	ch->imp.unsettled = true;
	if (channel_ask_now(ch))
		return;
	refresh_plan_asked(&ch->imp.plan, channel_refresh_now_of(ch));
	proto_log(ch->proto, LOG_C_WARN,
	    "ROAs or ASPAs have changed, but the peer can't send its routes again");
}

static void
refresh_time_comes(struct timer *tm)
{
	struct channel *ch = container_of(tm, struct channel, imp.ask);
	uint64_t due = refresh_plan_due(&ch->imp.plan);

	if (due > channel_refresh_now_of(ch))
		timer_set(tm, due);
	else
		channel_refresh_ask_now(ch);
}

void
channel_ask_later(struct channel *ch, uint64_t after_ns)
{
	if (!ch->ops->far) {
		channel_refresh_ask_now(ch);
		return;
	}
	refresh_plan_want(&ch->imp.plan, channel_refresh_now_of(ch) + after_ns);
	timer_set(&ch->imp.ask, refresh_plan_due(&ch->imp.plan));
}

void
channel_import_end(struct channel *ch)
{
	refresh_plan_end(&ch->imp.plan);
	if (timer_active(&ch->imp.ask))
		timer_set(&ch->imp.ask, refresh_plan_due(&ch->imp.plan));
}

void
channel_ask_init(struct channel *ch)
{
	timer_init(&ch->imp.ask, &ch->proto->worker, refresh_time_comes);
}

void
channel_ask_up(struct channel *ch)
{
	refresh_plan_up(&ch->imp.plan, channel_refresh_now_of(ch));
	ch->imp.unsettled = false;
}

void
channel_ask_down(struct channel *ch)
{
	timer_cancel(&ch->imp.ask);
}

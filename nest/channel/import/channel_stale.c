/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stale routes of a channel: the peer of an away channel restarts (RFC 4724), or the peer
 * of an up channel sends all routes again (RFC 7313).
 *
 * I1  Stale routes follow the import policy like all routes. After a change of a filter,
 *     limit, ROA or ASPA entry they pass the policy again, if the table keeps routes
 *     before policy (`import table`, `import keep filtered`). Otherwise the result of the
 *     new policy is unknown, and the protocol withdraws the routes (ops->withdraw_stale).
 * I2  A policy that changed before the session ended applies to the routes that become
 *     stale: a reload interrupted by the end of the session begins again; and a peer
 *     that has not sent requested routes does not leave stale routes
 *     (channel_unsettled).
 *
 * Loop: the session's. Tests: test/net/test_stale, test/net/test_restart. */
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"

#include "nest/channel/channel.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/import/refresh_plan.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/rib/source.h"
#include "sysdep/loop/loop.h"

bool
channel_unsettled(const struct channel *ch)
{
	if (channel_keeps_pre(ch))
		return false;
	return timer_active(&ch->imp.ask) ||
	       (ch->imp.unsettled &&
		   refresh_plan_runs(&ch->imp.plan, loop_now_ns(&ch->proto->worker)));
}

bool
channel_is_away(const struct channel *ch)
{
	return ch->life.away;
}

void
channel_stale(struct channel *ch)
{
	channel_post_rec(ch, &(struct rec){ .type = REC_STALE }, NULL);
}

void
channel_long_lived(struct channel *ch)
{
	channel_post_rec(ch, &(struct rec){ .type = REC_OVERDUE }, NULL);
}

void
channel_sweep(struct channel *ch)
{
	channel_post_rec(ch, &(struct rec){ .type = REC_SWEEP }, NULL);
}

void
channel_stale_lost(struct channel *ch, const char *why)
{
	if (ch->ops->withdraw_stale)
		ch->ops->withdraw_stale(ch, why);
}

void
channel_stale_reconf(struct channel *ch, uint32_t change, bool soft)
{
	/* if stale routes cross the limit, the table reports: limit_hit */
	if (change & CONF_CH_LIMIT)
		channel_post_limits(ch);
	if (soft)
		return;
	if (channel_keeps_pre(ch) && (change & (CONF_CH_IMPORT | CONF_CH_LIMIT)))
		channel_reload_in(ch);
	else if (change & CONF_CH_IMPORT)
		channel_stale_lost(ch, "The import filter has changed");
}

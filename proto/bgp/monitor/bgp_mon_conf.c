/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes that a session keeps for monitors, by configuration:
 * - received routes before the import policy (RFC 7854);
 * - Adj-RIB-Out after the export policy: routes that the peer holds (RFC 8671);
 * - the offer: routes for the peer before the export policy (RFC 8671).
 * A changed configuration restarts no session.
 *
 * I1  A table that is turned on is filled while the session continues: the session
 *     requests the peer's routes (ROUTE-REFRESH), or sends all routes again. A peer
 *     without ROUTE-REFRESH sends its routes in the next session. A monitor that asks
 *     for all routes gets an answer when the table is complete (bgp_sink.fills).
 * I2  A table that is turned off is kept until the session comes up again, except the
 *     offer, which stops at once.
 * I3  The receive limit counts the refused routes of an import table, and of `import keep
 *     filtered`. A monitor does not change the number of routes that a peer may send.
 *
 * Loop: the session's. Tests: test/net/test_untouched.py, test_bmp_out.py. */
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/log/log_class.h"

bool
mon_keeps_pre(const struct conf_channel *c)
{
	return bgp_channel_conf_of(c)->import_table || c->monitored.in;
}

bool
mon_keeps_out(const struct conf_channel *c)
{
	return bgp_channel_conf_of(c)->export_table || c->monitored.out;
}

static void
conf_begin_pre(struct bgp_session *s, struct channel *ch)
{
	bool had = channel_keeps(ch);

	channel_keep_pre(ch, true);
	if (!had && channel_is_up(ch) && !channel_refresh_in(ch))
		proto_log(&s->p, LOG_C_WARN,
		    "Monitors receive only %s routes that arrive from now on, "
		    "because the peer can't send its routes again",
		    channel_name(ch));
}

void
mon_reconf(struct bgp_session *s, unsigned f)
{
	struct channel *ch = s->chan[f];
	const struct conf_channel *c = channel_conf(ch);

	if (mon_keeps_pre(c) && !channel_keeps_import(ch))
		conf_begin_pre(s, ch);
	if (bgp_channel_conf_of(c)->import_table)
		channel_count_filtered(ch, true);
	if (mon_keeps_out(c) && !channel_keeps_export(ch)) {
		bgp_sink_keep_table(&s->sink[f], s->p.tern);
		channel_refresh_out(ch);
	}
	bgp_offer_reconf(
	    s, f, c->monitored.offer, bgp_channel_conf_of(c)->add_paths & BGP_ADDPATH_TX);
}

void
mon_channel_up(struct bgp_session *s, unsigned f)
{
	struct channel *ch = s->chan[f];
	const struct conf_channel *c = channel_conf(ch);

	/* stale routes are removed by means of the kept table */
	if (!channel_is_away(ch))
		channel_keep_pre(ch, mon_keeps_pre(c));
	channel_count_filtered(ch, bgp_channel_conf_of(c)->import_table);
	if (channel_keeps_export(ch) && !mon_keeps_out(c))
		bgp_sink_drop_table(&s->sink[f]);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reply of `show protocols all` about a channel, and queries of `show route export`.
 *
 * Tools parse the lines up to the counters; tern's additional lines follow, in the form
 * "key: value", which the tools take for further keys.
 *
 * I1  Only published state of the channel is read: counters, its view, its configuration.
 *
 * Any thread, under RCU. Tested by test/net/test_show_counts.py and
 * test/net/test_birdc.py. */
#include "filter/filter.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/core/reply.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/os/clock.h"

bool
cmd_channel_is_source(const struct channel *ch, const struct route_view *r)
{
	return r->feeder == channel_source_id(ch);
}

/* cmd_channel_place - rank of a channel among the channels of its instance. */
static unsigned
cmd_channel_place(const struct channel *ch)
{
	return 2 * channel_conf(ch)->kind + channel_conf(ch)->side;
}

/* The list is in the order of making, or its reverse; the order of display is by kind. */
struct channel *
channel_after(const struct proto *p, const struct channel *ch)
{
	struct channel *best = NULL;

	for (struct channel *c = load_acquire_ptr(&p->channels); c; /* pairs: PCHAN */
	     c = channel_next(c))
		if ((!ch || cmd_channel_place(c) > cmd_channel_place(ch)) &&
		    (!best || cmd_channel_place(c) < cmd_channel_place(best)))
			best = c;
	return best;
}

struct channel *
proto_first_channel(const struct proto *p)
{
	return channel_after(p, NULL);
}

static const char *const limit_action_name[] = { "none", "warn", "block", "restart",
	"disable" };

bool
channel_is_hit(const struct conf_limit *l, uint64_t now)
{
	return now > l->max || (l->action == LIMIT_BLOCK && now == l->max);
}

void
channel_reply_limit(struct reply *r, const char *key, const char *label,
    const struct conf_limit *l, uint64_t now)
{
	if (l->action == LIMIT_OFF)
		return;
	reply_open(r, key);
	reply_text(r, "    %-16s", label);
	reply_u64(r, "max", "%s", l->max);
	reply_bool(r, "hit", " [HIT]", channel_is_hit(l, now));
	reply_str(
	    r, "action", "\n      Action:       %s\n", limit_action_name[l->action]);
	reply_close(r);
}

void
channel_reply_changes(struct reply *r, const char *key, const char *label,
    const uint64_t cnt[CHANGE_COUNTS])
{
	static const char *const column[CHANGE_COUNTS] = { "received", "rejected",
		"filtered", "ignored", "accepted" };

	reply_open(r, key);
	reply_text(r, "%s", label);
	for (unsigned i = 0; i < CHANGE_COUNTS; i++)
		if (cnt[i] < CHANGE_NEVER)
			reply_u64(r, column[i], " %10s", cnt[i]);
		else
			reply_text(r, " %10s", cnt[i] == CHANGE_NEVER ? "0" : "---");
	reply_text(r, "\n");
	reply_close(r);
}

static unsigned long long
cmd_channel_get(const struct counter64 *c)
{
	return counter64_get(c);
}

static void
channel_reply_routes(const struct channel *ch, bool keeps, struct reply *r)
{
	const struct channel_stats *st = channel_stats_get(ch);

	reply_open(r, "routes");
	reply_u64(r, "imported", "    Routes:         %s imported, ",
	    cmd_channel_get(&st->in.imported));
	if (keeps)
		reply_u64(
		    r, "filtered", "%s filtered, ", cmd_channel_get(&st->in.filtered));
	reply_u64(r, "exported", "%s exported, ", cmd_channel_get(&st->exported));
	reply_u64(r, "preferred", "%s preferred\n", channel_preferred(ch));
	reply_some(r, "not_installed", "    Not installed:  %s of the exported routes\n",
	    channel_failures(ch));
	reply_close(r);
}

static void
channel_reply_all_changes(const struct channel_stats *st, struct reply *r)
{
	const uint64_t in[] = { cmd_channel_get(&st->imp_upd_received),
		cmd_channel_get(&st->imp_upd_invalid),
		cmd_channel_get(&st->imp_upd_filtered),
		cmd_channel_get(&st->in.imp_upd_ignored),
		cmd_channel_get(&st->in.imp_upd_accepted) };
	const uint64_t in_wd[] = { cmd_channel_get(&st->imp_wd_received),
		cmd_channel_get(&st->imp_wd_invalid), CHANGE_NONE,
		cmd_channel_get(&st->in.imp_wd_ignored),
		cmd_channel_get(&st->in.imp_wd_accepted) };
	const uint64_t out[] = { cmd_channel_get(&st->exp_upd_received),
		cmd_channel_get(&st->exp_upd_rejected),
		cmd_channel_get(&st->exp_upd_filtered), CHANGE_NONE,
		cmd_channel_get(&st->exp_upd_accepted) };
	const uint64_t out_wd[] = { cmd_channel_get(&st->exp_wd_received), CHANGE_NONE,
		CHANGE_NONE, CHANGE_NONE, cmd_channel_get(&st->exp_wd_accepted) };

	reply_text(r, "    Route change stats:     received   rejected   filtered    "
		      "ignored   accepted\n");
	reply_open(r, "changes");
	channel_reply_changes(r, "import_updates", "      Import updates:    ", in);
	channel_reply_changes(r, "import_withdraws", "      Import withdraws:  ", in_wd);
	channel_reply_changes(r, "export_updates", "      Export updates:    ", out);
	channel_reply_changes(r, "export_withdraws", "      Export withdraws:  ", out_wd);
	reply_close(r);
}

/* channel_reply_lag - the lag of the peer behind the table's publications. */
static void
channel_reply_lag(const struct channel_stats *st, struct reply *r)
{
	uint64_t sent_ns = counter64_get(&st->last_tx_ns), now_ns = clock_now_ns();
	uint64_t behind_ns = counter64_get(&st->behind_ns);

	reply_open(r, "sending");
	reply_u64(
	    r, "dirty_networks", "    Dirty networks: %s\n", cmd_channel_get(&st->dirty));
	if (sent_ns)
		reply_seconds(r, "last_sent_age_s", "    Last sent:      %s s ago\n",
		    now_ns > sent_ns ? now_ns - sent_ns : 0);
	reply_seconds(r, "behind_s", NULL,
	    behind_ns && now_ns > behind_ns ? now_ns - behind_ns : 0);
	reply_u64(r, "segments_read", "    Segments read:  %s\n",
	    cmd_channel_get(&st->segments));
	reply_u64(
	    r, "decisions", "    Decisions made: %s\n", cmd_channel_get(&st->decisions));
	reply_u64(r, "messages_built", "    Messages built: %s\n",
	    cmd_channel_get(&st->messages_built));
	reply_u64(r, "messages_sent", "    Messages sent:  %s\n",
	    cmd_channel_get(&st->messages_sent));
	reply_u64(
	    r, "sent_early", "    Sent early:     %s\n", cmd_channel_get(&st->early));
	reply_close(r);
}

/* channel_reply_offer - text alone: the routes without policy, reported to monitors. */
static void
channel_reply_offer(const struct channel *ch, struct reply *r)
{
	const struct channel *b = channel_offer(ch);
	const struct channel_stats *st = b ? channel_stats_get(b) : NULL;

	if (st)
		reply_text(r, "    Before policy:  %llu exported, %llu dirty\n",
		    cmd_channel_get(&st->exported), cmd_channel_get(&st->dirty));
}

const char *const channel_shown_key[] = { "down", "start", "up" };

enum shown
channel_shown_as(const struct channel *ch)
{
	const struct channel_stats *st = channel_stats_get(ch);
	bool up = channel_seems_up(ch);

	if (up && proto_status_get(channel_proto(ch))->state != PS_START)
		return SHOWN_UP;
	return cmd_channel_get(&st->in.stale) || (up && cmd_channel_get(&st->in.imported))
		   ? SHOWN_START
		   : SHOWN_DOWN;
}

/* channel_net_limit_of - `net limit` as a limit. channel_net_counted - the limit, if the
 * limit has refused a path since it last changed. */
static struct conf_limit
channel_net_limit_of(const struct conf_channel *cf)
{
	return (struct conf_limit){ .max = cf->limit.net,
		.action = cf->limit.net ? LIMIT_BLOCK : LIMIT_OFF };
}

static uint64_t
channel_net_counted(const struct channel_stats *st, const struct conf_limit *net)
{
	return cmd_channel_get(&st->in.net_refused) ? net->max : 0;
}

void
channel_limits(const struct channel *ch, struct channel_limit out[CHANNEL_LIMITS])
{
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);
	struct conf_limit net = channel_net_limit_of(cf);

	out[0] = (struct channel_limit){ "receive", "Receive limit:", cf->limit.receive,
		feeder_counted(&st->in, LIMIT_RECEIVE) };
	out[1] = (struct channel_limit){ "import",
		"Import limit:", channel_import_limit(ch),
		feeder_counted(&st->in, LIMIT_IMPORT) };
	out[2] = (struct channel_limit){ "export", "Export limit:", cf->limit.export,
		counter64_get(&st->exported) };
	out[3] = (struct channel_limit){ "net", "Net limit:", net,
		channel_net_counted(st, &net) };
}

static void
channel_reply_limits(const struct channel *ch, struct reply *r)
{
	struct channel_limit l[CHANNEL_LIMITS];

	channel_limits(ch, l);
	reply_open(r, "limits");
	for (unsigned i = 0; i < CHANNEL_LIMITS; i++)
		channel_reply_limit(r, l[i].key, l[i].label, &l[i].limit, l[i].now);
	reply_close(r);
}

bool
channel_reply_reasons(const struct channel *ch, struct reply *r)
{
	const struct channel_stats *st = channel_stats_get(ch);
	bool some = false;

	reply_open(r, "reasons");
	for (unsigned i = 1; i < REASON_CNT; i++) {
		const char *key = reason_key((enum reason)i);
		uint64_t cnt = counter64_get(&st->reason[i]);

		if (!cnt)
			continue;
		some = true;
		reply_text(r, "  %-20s ", key);
		reply_u64(r, key, "%10s  ", cnt);
		reply_text(r, "%s\n", reason_text((enum reason)i));
	}
	reply_close(r);
	return some;
}

static void
channel_reply_recovery(const struct channel *ch, struct reply *r)
{
	if (!channel_recovery(ch))
		return;
	reply_open(r, "recovery");
	reply_text(r, "    GR recovery:   ");
	reply_bool(r, "pending", " pending", channel_recovery(ch) & CHANNEL_AWAITED);
	reply_bool(r, "waiting", " waiting", channel_recovery(ch) & CHANNEL_HELD);
	reply_text(r, "\n");
	reply_close(r);
}

/* channel_reply_work - the counters of a channel that has routes. */
static void
channel_reply_work(const struct channel *ch, struct reply *r)
{
	const struct channel_stats *st = channel_stats_get(ch);

	channel_reply_routes(ch, channel_conf(ch)->keep_filtered, r);
	channel_reply_all_changes(st, r);
	if (!r->json)
		return;
	(void)channel_reply_reasons(ch, r);
	reply_u64(r, "stale_routes", NULL, cmd_channel_get(&st->in.stale));
	reply_u64(r, "queued_octets", NULL, channel_queued(ch));
	reply_open(r, "filter_steps");
	reply_u64(r, "import", NULL, cmd_channel_get(&st->import_steps));
	reply_u64(r, "export", NULL, cmd_channel_get(&st->export_steps));
	reply_close(r);
}

void
channel_reply(const struct channel *ch, struct reply *r)
{
	static const char *const name[] = { "DOWN", "START", "UP" };
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);
	const struct proto *p = channel_proto(ch);
	enum shown state = channel_shown_as(ch);
	unsigned long long stale = cmd_channel_get(&st->in.stale);

	reply_open(r, NULL);
	reply_str(r, "name", "  Channel %s\n", channel_name(ch));
	reply_str(r, "state", "    State:          %s\n",
	    r->json ? channel_shown_key[state] : name[state]);
	reply_str(r, "table", "    Table:          %s\n", table_name(channel_table(ch)));
	reply_u64(r, "preference", "    Preference:     %s\n", cf->preference);
	reply_str(
	    r, "import_filter", "    Input filter:   %s\n", filter_name(cf->import));
	reply_str(
	    r, "export_filter", "    Output filter:  %s\n", filter_name(cf->export));
	channel_reply_limits(ch, r);
	channel_reply_recovery(ch, r);
	if (state != SHOWN_DOWN)
		channel_reply_work(ch, r);
	if (stale)
		reply_text(r, "    Stale routes:   %llu\n", stale);
	if (p->cls->show.channel)
		p->cls->show.channel(p, ch, r);
	if (state == SHOWN_UP && channel_exports(ch)) {
		channel_reply_lag(st, r);
		channel_reply_offer(ch, r);
	}
	reply_close(r);
}

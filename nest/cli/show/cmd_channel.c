/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of `show protocols all` about a channel, and queries of `show route export`.
 *
 * Tools parse the lines up to the counters; tern's additional lines follow, in the form
 * "key: value", which the tools take for further keys.
 *
 * I1  Only published state of the channel is read: counters, its view, its configuration.
 *
 * Any thread, under RCU. Tested by test/net/test_show_counts.py and
 * test/net/test_birdc.py. */
#include "nest/cli/show/cmd_channel.h"
#include "filter/filter.h"
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/reason.h"
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
channel_show_limit(
    struct strbuf *out, const char *name, const struct conf_limit *l, uint64_t now)
{
	if (l->action == LIMIT_OFF)
		return;
	strbuf_addf(
	    out, "    %-16s%u%s\n", name, l->max, channel_is_hit(l, now) ? " [HIT]" : "");
	strbuf_addf(out, "      Action:       %s\n", limit_action_name[l->action]);
}

void
channel_json_limit(
    struct json *j, const char *key, const struct conf_limit *l, uint64_t now)
{
	if (l->action == LIMIT_OFF)
		return;
	json_open(j, key);
	json_u64(j, "max", l->max);
	json_str(j, "action", limit_action_name[l->action]);
	json_bool(j, "hit", channel_is_hit(l, now));
	json_close(j);
}

static unsigned long long
cmd_channel_get(const struct counter64 *c)
{
	return counter64_get(c);
}

static void
show_counters(const struct channel *ch, bool keeps, struct strbuf *out)
{
	const struct channel_stats *st = channel_stats_get(ch);

	strbuf_addf(out, "    Routes:         %llu imported, ",
	    cmd_channel_get(&st->in.imported));
	if (keeps)
		strbuf_addf(out, "%llu filtered, ", cmd_channel_get(&st->in.filtered));
	strbuf_addf(out, "%llu exported, %llu preferred\n",
	    cmd_channel_get(&st->exported), (unsigned long long)channel_preferred(ch));
	if (channel_failures(ch))
		strbuf_addf(out, "    Not installed:  %u of the exported routes\n",
		    channel_failures(ch));
	strbuf_adds(out, "    Route change stats:     received   rejected   filtered    "
			 "ignored   accepted\n");
	strbuf_addf(out, "      Import updates:     %10llu %10llu %10llu %10llu %10llu\n",
	    cmd_channel_get(&st->imp_upd_received), cmd_channel_get(&st->imp_upd_invalid),
	    cmd_channel_get(&st->imp_upd_filtered),
	    cmd_channel_get(&st->in.imp_upd_ignored),
	    cmd_channel_get(&st->in.imp_upd_accepted));
	strbuf_addf(out,
	    "      Import withdraws:   %10llu %10llu        --- %10llu %10llu\n",
	    cmd_channel_get(&st->imp_wd_received), cmd_channel_get(&st->imp_wd_invalid),
	    cmd_channel_get(&st->in.imp_wd_ignored),
	    cmd_channel_get(&st->in.imp_wd_accepted));
	strbuf_addf(out,
	    "      Export updates:     %10llu %10llu %10llu        --- %10llu\n",
	    cmd_channel_get(&st->exp_upd_received),
	    cmd_channel_get(&st->exp_upd_rejected),
	    cmd_channel_get(&st->exp_upd_filtered),
	    cmd_channel_get(&st->exp_upd_accepted));
	strbuf_addf(out,
	    "      Export withdraws:   %10llu        ---        ---        --- %10llu\n",
	    cmd_channel_get(&st->exp_wd_received), cmd_channel_get(&st->exp_wd_accepted));
}

/* The lag of the peer behind the table's publications. */
static void
show_lag(const struct channel_stats *st, struct strbuf *out)
{
	uint64_t sent_ns = counter64_get(&st->last_tx_ns), now_ns = clock_now_ns();

	strbuf_addf(out, "    Dirty networks: %llu\n", cmd_channel_get(&st->dirty));
	if (sent_ns)
		strbuf_addf(out, "    Last sent:      %.3f s ago\n",
		    now_ns > sent_ns ? (double)(now_ns - sent_ns) / 1e9 : 0.0);
	strbuf_addf(out, "    Segments read:  %llu\n", cmd_channel_get(&st->segments));
	strbuf_addf(out, "    Decisions made: %llu\n", cmd_channel_get(&st->decisions));
	strbuf_addf(
	    out, "    Messages built: %llu\n", cmd_channel_get(&st->messages_built));
	strbuf_addf(
	    out, "    Messages sent:  %llu\n", cmd_channel_get(&st->messages_sent));
	strbuf_addf(out, "    Sent early:     %llu\n", cmd_channel_get(&st->early));
}

/* show_channel_offer - the routes without policy, reported to monitors. */
static void
show_channel_offer(const struct channel *ch, struct strbuf *out)
{
	const struct channel *b = channel_offer(ch);
	const struct channel_stats *st = b ? channel_stats_get(b) : NULL;

	if (st)
		strbuf_addf(out, "    Before policy:  %llu exported, %llu dirty\n",
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
channel_show(const struct channel *ch, struct strbuf *out)
{
	static const char *const name[] = { "DOWN", "START", "UP" };
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);
	const struct proto *p = channel_proto(ch);
	enum shown state = channel_shown_as(ch);
	unsigned long long stale = cmd_channel_get(&st->in.stale);
	struct conf_limit net = channel_net_limit_of(cf);

	strbuf_addf(out, "  Channel %s\n", channel_name(ch));
	strbuf_addf(out, "    State:          %s\n", name[state]);
	strbuf_addf(out, "    Table:          %s\n", table_name(channel_table(ch)));
	strbuf_addf(out, "    Preference:     %u\n", cf->preference);
	strbuf_addf(out, "    Input filter:   %s\n", filter_name(cf->import));
	strbuf_addf(out, "    Output filter:  %s\n", filter_name(cf->export));
	channel_show_limit(out, "Receive limit:", &cf->limit.receive,
	    feeder_counted(&st->in, LIMIT_RECEIVE));
	channel_show_limit(out, "Import limit:", &cf->limit.import,
	    feeder_counted(&st->in, LIMIT_IMPORT));
	channel_show_limit(
	    out, "Export limit:", &cf->limit.export, counter64_get(&st->exported));
	channel_show_limit(out, "Net limit:", &net, channel_net_counted(st, &net));
	if (channel_recovery(ch))
		strbuf_addf(out, "    GR recovery:   %s%s\n",
		    channel_recovery(ch) & CHANNEL_AWAITED ? " pending" : "",
		    channel_recovery(ch) & CHANNEL_HELD ? " waiting" : "");
	if (state != SHOWN_DOWN)
		show_counters(ch, cf->keep_filtered, out);
	if (stale)
		strbuf_addf(out, "    Stale routes:   %llu\n", stale);
	if (p->cls->show.channel)
		p->cls->show.channel(p, ch, out);
	if (state == SHOWN_UP && channel_exports(ch)) {
		show_lag(st, out);
		show_channel_offer(ch, out);
	}
}

/* ---- as JSON ---- */

void
channel_limits(const struct channel *ch, struct channel_limit out[CHANNEL_LIMITS])
{
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);
	struct conf_limit net = channel_net_limit_of(cf);

	out[0] = (struct channel_limit){ "receive", cf->limit.receive,
		feeder_counted(&st->in, LIMIT_RECEIVE) };
	out[1] = (struct channel_limit){ "import", cf->limit.import,
		feeder_counted(&st->in, LIMIT_IMPORT) };
	out[2] = (struct channel_limit){ "export", cf->limit.export,
		counter64_get(&st->exported) };
	out[3] = (struct channel_limit){ "net", net, channel_net_counted(st, &net) };
}

static void
channel_json_limits(const struct channel *ch, struct json *j)
{
	struct channel_limit l[CHANNEL_LIMITS];

	channel_limits(ch, l);
	json_open(j, "limits");
	for (unsigned i = 0; i < CHANNEL_LIMITS; i++)
		channel_json_limit(j, l[i].key, &l[i].limit, l[i].now);
	json_close(j);
}

struct count {
	const char *key;
	const struct counter64 *n;
};

static void
channel_json_counts(struct json *j, const char *key, const struct count *c, unsigned cnt)
{
	json_open(j, key);
	for (unsigned i = 0; i < cnt; i++)
		json_u64(j, c[i].key, counter64_get(c[i].n));
	json_close(j);
}

static void
channel_json_routes(const struct channel *ch, bool keeps, struct json *j)
{
	const struct channel_stats *st = channel_stats_get(ch);

	json_open(j, "routes");
	json_u64(j, "imported", counter64_get(&st->in.imported));
	if (keeps)
		json_u64(j, "filtered", counter64_get(&st->in.filtered));
	json_u64(j, "exported", counter64_get(&st->exported));
	if (channel_failures(ch))
		json_u64(j, "not_installed", channel_failures(ch));
	json_u64(j, "preferred", channel_preferred(ch));
	json_close(j);
}

static void
cmd_channel_json_changes(const struct channel_stats *st, struct json *j)
{
	const struct count in[] = { { "received", &st->imp_upd_received },
		{ "rejected", &st->imp_upd_invalid },
		{ "filtered", &st->imp_upd_filtered },
		{ "ignored", &st->in.imp_upd_ignored },
		{ "accepted", &st->in.imp_upd_accepted } };
	const struct count in_wd[] = { { "received", &st->imp_wd_received },
		{ "rejected", &st->imp_wd_invalid },
		{ "ignored", &st->in.imp_wd_ignored },
		{ "accepted", &st->in.imp_wd_accepted } };
	const struct count out[] = { { "received", &st->exp_upd_received },
		{ "rejected", &st->exp_upd_rejected },
		{ "filtered", &st->exp_upd_filtered },
		{ "accepted", &st->exp_upd_accepted } };
	const struct count out_wd[] = { { "received", &st->exp_wd_received },
		{ "accepted", &st->exp_wd_accepted } };

	json_open(j, "changes");
	channel_json_counts(j, "import_updates", in, ARRAY_LEN(in));
	channel_json_counts(j, "import_withdraws", in_wd, ARRAY_LEN(in_wd));
	channel_json_counts(j, "export_updates", out, ARRAY_LEN(out));
	channel_json_counts(j, "export_withdraws", out_wd, ARRAY_LEN(out_wd));
	json_close(j);
}

void
channel_json_reasons(const struct channel *ch, struct json *j)
{
	const struct channel_stats *st = channel_stats_get(ch);

	json_open(j, "reasons");
	for (unsigned r = 1; r < REASON_CNT; r++)
		if (counter64_get(&st->reason[r]))
			json_u64(
			    j, reason_key((enum reason)r), counter64_get(&st->reason[r]));
	json_close(j);
}

static void
channel_json_lag(const struct channel_stats *st, struct json *j)
{
	uint64_t sent_ns = counter64_get(&st->last_tx_ns), now_ns = clock_now_ns();
	uint64_t behind_ns = counter64_get(&st->behind_ns);

	json_open(j, "sending");
	json_u64(j, "dirty_networks", cmd_channel_get(&st->dirty));
	if (sent_ns)
		json_seconds(
		    j, "last_sent_age_s", now_ns > sent_ns ? now_ns - sent_ns : 0);
	json_seconds(
	    j, "behind_s", behind_ns && now_ns > behind_ns ? now_ns - behind_ns : 0);
	json_u64(j, "segments_read", cmd_channel_get(&st->segments));
	json_u64(j, "decisions", cmd_channel_get(&st->decisions));
	json_u64(j, "messages_built", cmd_channel_get(&st->messages_built));
	json_u64(j, "messages_sent", cmd_channel_get(&st->messages_sent));
	json_u64(j, "sent_early", cmd_channel_get(&st->early));
	json_close(j);
}

void
channel_json(const struct channel *ch, struct json *j)
{
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);
	const struct proto *p = channel_proto(ch);
	enum shown state = channel_shown_as(ch);
	unsigned long long stale = cmd_channel_get(&st->in.stale);

	json_open(j, NULL);
	json_str(j, "name", channel_name(ch));
	json_str(j, "state", channel_shown_key[state]);
	json_str(j, "table", table_name(channel_table(ch)));
	json_u64(j, "preference", cf->preference);
	json_str(j, "import_filter", filter_name(cf->import));
	json_str(j, "export_filter", filter_name(cf->export));
	channel_json_limits(ch, j);
	if (channel_recovery(ch)) {
		json_open(j, "recovery");
		json_bool(j, "pending", channel_recovery(ch) & CHANNEL_AWAITED);
		json_bool(j, "waiting", channel_recovery(ch) & CHANNEL_HELD);
		json_close(j);
	}
	if (state != SHOWN_DOWN) {
		channel_json_routes(ch, cf->keep_filtered, j);
		cmd_channel_json_changes(st, j);
		channel_json_reasons(ch, j);
		json_u64(j, "stale_routes", stale);
		json_u64(j, "queued_octets", channel_queued(ch));
		json_open(j, "filter_steps");
		json_u64(j, "import", cmd_channel_get(&st->import_steps));
		json_u64(j, "export", cmd_channel_get(&st->export_steps));
		json_close(j);
	}
	if (p->cls->show.json_channel)
		p->cls->show.json_channel(p, ch, j);
	if (state == SHOWN_UP && channel_exports(ch))
		channel_json_lag(st, j);
	json_close(j);
}

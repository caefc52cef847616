/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `show protocols all` says about a channel, and what `show route export` asks it.
 *
 * Tools parse the lines up to the counters; what tern adds stands behind them, as "key:
 * value" lines, which those tools take for further keys.
 *
 * I1  Only what the channel publishes is read: counters, its view, its configuration.
 *
 * Any thread, under RCU. */
#include "nest/cli/show/cmd_channel.h"
#include "filter/filter.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/clock.h"

bool
channel_is_own(const struct channel *ch, const struct route_view *r)
{
	return r->feeder == channel_source_id(ch);
}

/* place - where a channel stands among those of its instance. */
static unsigned
place(const struct channel *ch)
{
	return 2 * channel_conf(ch)->kind + channel_conf(ch)->side;
}

/* The list is in the order in which they were made, or its reverse; show them by
 * what they carry. */
struct channel *
channel_after(const struct proto *p, const struct channel *ch)
{
	struct channel *best = NULL;

	for (struct channel *c = load_acquire_ptr(&p->channels); c; /* pairs: PCHAN */
	     c = channel_next(c))
		if ((!ch || place(c) > place(ch)) && (!best || place(c) < place(best)))
			best = c;
	return best;
}

struct channel *
proto_first_channel(const struct proto *p)
{
	return channel_after(p, NULL);
}

void
channel_show_limit(
    struct strbuf *out, const char *name, const struct conf_limit *l, uint64_t now)
{
	static const char *const action[] = { "none", "warn", "block", "restart",
		"disable" };
	bool hit = now > l->max || (l->action == LIMIT_BLOCK && now == l->max);

	if (l->action == LIMIT_OFF)
		return;
	strbuf_addf(out, "    %-16s%u%s\n", name, l->max, hit ? " [HIT]" : "");
	strbuf_addf(out, "      Action:       %s\n", action[l->action]);
}

static unsigned long long
get(const struct counter64 *c)
{
	return counter64_get(c);
}

static void
show_counters(const struct channel_stats *st, bool keeps, struct strbuf *out)
{
	strbuf_addf(out, "    Routes:         %llu imported, ", get(&st->in.imported));
	if (keeps)
		strbuf_addf(out, "%llu filtered, ", get(&st->in.filtered));
	strbuf_addf(out, "%llu exported, %llu preferred\n", get(&st->exported),
	    get(&st->in.preferred));
	strbuf_adds(out, "    Route change stats:     received   rejected   filtered    "
			 "ignored   accepted\n");
	strbuf_addf(out, "      Import updates:     %10llu %10llu %10llu %10llu %10llu\n",
	    get(&st->imp_upd_received), get(&st->imp_upd_invalid),
	    get(&st->imp_upd_filtered), get(&st->in.imp_upd_ignored),
	    get(&st->in.imp_upd_accepted));
	strbuf_addf(out,
	    "      Import withdraws:   %10llu %10llu        --- %10llu %10llu\n",
	    get(&st->imp_wd_received), get(&st->imp_wd_invalid),
	    get(&st->in.imp_wd_ignored), get(&st->in.imp_wd_accepted));
	strbuf_addf(out,
	    "      Export updates:     %10llu %10llu %10llu        --- %10llu\n",
	    get(&st->exp_upd_received), get(&st->exp_upd_rejected),
	    get(&st->exp_upd_filtered), get(&st->exp_upd_accepted));
	strbuf_addf(out,
	    "      Export withdraws:   %10llu        ---        ---        --- %10llu\n",
	    get(&st->exp_wd_received), get(&st->exp_wd_accepted));
}

/* How far the peer is behind what the table has published. */
static void
show_lag(const struct channel_stats *st, struct strbuf *out)
{
	uint64_t sent_ns = counter64_get(&st->last_tx_ns), now_ns = clock_now_ns();

	strbuf_addf(out, "    Dirty networks: %llu\n", get(&st->dirty));
	if (sent_ns)
		strbuf_addf(out, "    Last sent:      %.3f s ago\n",
		    now_ns > sent_ns ? (double)(now_ns - sent_ns) / 1e9 : 0.0);
	strbuf_addf(out, "    Segments read:  %llu\n", get(&st->segments));
	strbuf_addf(out, "    Decisions made: %llu\n", get(&st->decisions));
	strbuf_addf(out, "    Messages built: %llu\n", get(&st->messages_built));
	strbuf_addf(out, "    Messages sent:  %llu\n", get(&st->messages_sent));
	strbuf_addf(out, "    Sent early:     %llu\n", get(&st->early));
}

void
channel_show(const struct channel *ch, struct strbuf *out)
{
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);
	const struct proto *p = channel_proto(ch);
	bool up = channel_seems_up(ch);
	unsigned long long stale = get(&st->in.stale);

	strbuf_addf(out, "  Channel %s\n", channel_name(ch));
	strbuf_addf(out, "    State:          %s\n",
	    up      ? "UP"
	    : stale ? "START"
		    : "DOWN");
	strbuf_addf(out, "    Table:          %s\n", table_name(channel_table(ch)));
	strbuf_addf(out, "    Preference:     %u\n", cf->preference);
	strbuf_addf(out, "    Input filter:   %s\n", filter_name(cf->import));
	strbuf_addf(out, "    Output filter:  %s\n", filter_name(cf->export));
	channel_show_limit(out, "Receive limit:", &cf->receive_limit,
	    feeder_counted(&st->in, LIMIT_RECEIVE));
	channel_show_limit(out, "Import limit:", &cf->import_limit,
	    feeder_counted(&st->in, LIMIT_IMPORT));
	channel_show_limit(
	    out, "Export limit:", &cf->export_limit, counter64_get(&st->exported));
	if (up || stale)
		show_counters(st, cf->keep_filtered, out);
	if (stale)
		strbuf_addf(out, "    Stale routes:   %llu\n", stale);
	if (p->cls->show_channel)
		p->cls->show_channel(p, ch, out);
	if (up && channel_exports(ch))
		show_lag(st, out);
}

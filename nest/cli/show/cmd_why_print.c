/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why: the words, as lines and as objects.
 *
 * In the session's loop, under RCU. */
#include "filter/filter.h"
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/channel/reject_memory.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_route.h"
#include "nest/cli/show/cmd_why.h"
#include "nest/conf/config.h"
#include "nest/rib/segment.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"

/* ---- words ---- */

/* What operators read of a step of the decision. */
static const char *
step_text(const char *step)
{
	static const struct {
		const char *step, *text;
	} row[] = {
		{ "preference", "lower preference" },
		{ "other_protocol", "of another kind of protocol" },
		{ "reachable", "unreachable next hop" },
		{ "long_lived_stale", "long-lived stale" },
		{ "local_pref", "lower LOCAL_PREF" },
		{ "aigp", "higher AIGP metric" },
		{ "as_path_length", "longer AS path" },
		{ "origin", "higher ORIGIN" },
		{ "med", "higher MED" },
		{ "external", "from an internal peer" },
		{ "igp_metric", "higher metric to the next hop" },
		{ "older", "younger" },
		{ "router_id", "higher router id" },
		{ "cluster_list_length", "longer CLUSTER_LIST" },
		{ "peer_address", "higher peer address" },
		{ "pipes", "more pipes on the way" },
		{ "earlier_protocol", "from a later protocol" },
		{ "attributes", "attributes that are later in order" },
		{ "path_id", "higher path identifier" },
	};

	for (unsigned i = 0; i < ARRAY_LEN(row); i++)
		if (!strcmp(row[i].step, step))
			return row[i].text;
	return step;
}

static const char *
mark_name(uint8_t mark)
{
	switch (mark) {
	case SEG_NO_EXPORT:
		return "no_export";
	case SEG_NO_ADVERTISE:
		return "no_advertise";
	case SEG_NO_SUBCONFED:
		return "no_export_subconfed";
	case SEG_LLGR_STALE:
		return "llgr_stale";
	default:
		return "internal";
	}
}

static const char *
mark_text(uint8_t mark)
{
	switch (mark) {
	case SEG_NO_EXPORT:
		return "community NO_EXPORT";
	case SEG_NO_ADVERTISE:
		return "community NO_ADVERTISE";
	case SEG_NO_SUBCONFED:
		return "community NO_EXPORT_SUBCONFED";
	case SEG_LLGR_STALE:
		return "long-lived stale, which it doesn't know";
	default:
		return "from an internal peer to another one";
	}
}

/* ---- the printers: a route, with what became of it ---- */

static struct json *
begin_object(const struct why *w, const char *type, const char *proto, uint32_t rid)
{
	struct json *j = cli_object(w->s, type);

	json_str(j, "table", table_name(w->table));
	json_prefix(j, "network", &w->q.prefix);
	json_str(j, "protocol", proto);
	if (rid)
		json_u64(j, "path_id", rid);
	return j;
}

static void
put_place(struct json *j, const char *filter, const char *file, uint32_t line)
{
	json_str(j, "filter", filter);
	if (!file)
		return;
	json_str(j, "file", file);
	json_u64(j, "line", line);
}

static void
put_route(const struct why *w, const struct why_told *t)
{
	struct json *j = begin_object(w, "why", t->proto, t->rid);

	json_ip(j, "from", t->from);
	json_str(j, "fate", t->fate);
	if (t->lost) {
		json_str(j, "step", t->lost->step);
		if (t->lost->has_values) {
			json_u64(j, "own_value", t->lost->own);
			json_u64(j, "best_value", t->lost->best);
		}
	}
	if (t->at)
		put_place(j, t->at->filter, t->at->file, t->at->line);
	cli_object_end(w->s);
}

/* add_place - " by filter f_in at rs.conf:17" */
static void
add_place(struct strbuf *b, const char *filter, const char *file, uint32_t line)
{
	strbuf_addf(b, " by filter %s", filter);
	if (file)
		strbuf_addf(b, " at %s:%u", file, line);
}

static void
say_route(const struct why *w, const struct why_told *t)
{
	char ip[IP_STR_MAX];
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "\t%s", t->proto);
	if (!ip_is_none(t->from))
		strbuf_addf(&b, " from %s", ip_str(ip, t->from));
	if (t->rid)
		strbuf_addf(&b, " path %u", t->rid);
	strbuf_addf(&b, ": %s", t->fate);
	if (t->lost)
		strbuf_addf(&b, ", %s", step_text(t->lost->step));
	if (t->lost && t->lost->has_values)
		strbuf_addf(&b, ": %llu, the best has %llu",
		    (unsigned long long)t->lost->own, (unsigned long long)t->lost->best);
	if (t->at)
		add_place(&b, t->at->filter, t->at->file, t->at->line);
	cli_put_line(w->s, CLI_ROUTE, b.s);
	strbuf_fini(&b);
}

void
why_tell(struct why *w, const struct why_told *t)
{
	if (w->s->json)
		put_route(w, t);
	else
		say_route(w, t);
	w->told++;
}

/* ---- to a member ---- */

static const char *
bar_name(enum export_bar b)
{
	static const char *const name[] = { [BAR_NONE] = NULL,
		[BAR_DOWN] = "down",
		[BAR_OWN] = "own",
		[BAR_MARK] = "rule",
		[BAR_ELSEWHERE] = "elsewhere",
		[BAR_FILTER] = "filter",
		[BAR_PIPE] = "pipe",
		[BAR_BEHIND] = "behind_own",
		[BAR_SETTLED] = "settled" };

	return name[b];
}

/* What may still keep a route back that may go. */
struct way_out {
	uint64_t dirty; /* networks that wait to be sent */
	bool at_limit;
	bool known, held; /* an export table: has the peer been told? */
};

static struct way_out
way_out(const struct why *w, const struct channel *ch, const struct path *p)
{
	const struct channel_stats *st = channel_stats_get(ch);
	const struct conf_limit *l = &channel_conf(ch)->export_limit;
	uint32_t id = channel_gives(ch) == GIVES_ALL ? path_id(p)
						     : net_id(w->table, w->net);

	return (struct way_out){ .dirty = counter64_get(&st->dirty),
		.at_limit = l->action == LIMIT_BLOCK &&
			    counter64_get(&st->exported) >= l->max,
		.known = channel_keeps_export(ch),
		.held = channel_keeps_export(ch) && channel_said(ch, id) };
}

static void
put_to(const struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y)
{
	const struct route_source *src = path_facts(w->table, p);
	struct json *j = begin_object(w, "why_to", src->proto, path_rid(p));
	struct way_out o = way_out(w, ch, p);

	json_str(j, "to", channel_proto(ch)->name);
	json_str(j, "channel", channel_name(ch));
	json_bool(j, "goes", y->bar == BAR_NONE);
	json_str(j, "bar", bar_name(y->bar));
	json_str(j, "rule", y->bar == BAR_MARK ? mark_name(y->mark) : NULL);
	json_str(j, "what", y->what);
	if (y->bar == BAR_FILTER || y->bar == BAR_PIPE)
		put_place(j, filter_name(y->filter), y->file, y->line);
	if (o.known)
		json_bool(j, "sent", o.held);
	json_u64(j, "dirty_networks", o.dirty);
	json_bool(j, "at_limit", o.at_limit);
	cli_object_end(w->s);
}

static void
add_bar(struct strbuf *b, const struct export_why *y)
{
	static const char *const text[] = { [BAR_DOWN] = "not sent, the session is down",
		[BAR_OWN] = "not sent, it came from there",
		[BAR_MARK] = "not sent, ",
		[BAR_ELSEWHERE] = "not sent, not in the part of the addresses that goes",
		[BAR_FILTER] = "refused",
		[BAR_PIPE] = "refused by its pipe",
		[BAR_BEHIND] = "not sent, the best is its own",
		[BAR_SETTLED] = "not sent, " };

	strbuf_adds(b, text[y->bar]);
	if (y->bar == BAR_MARK)
		strbuf_adds(b, mark_text(y->mark));
	else if (y->bar == BAR_SETTLED)
		strbuf_adds(b, y->what ? y->what : "its attributes don't fit");
	else if (y->bar == BAR_FILTER || y->bar == BAR_PIPE)
		add_place(b, filter_name(y->filter), y->file, y->line);
}

static void
add_goes(struct strbuf *b, const struct way_out *o)
{
	if (o->known) {
		strbuf_adds(b, o->held ? "sent" : "goes, but isn't sent yet");
	} else {
		strbuf_adds(b, "goes");
		if (o->dirty)
			strbuf_addf(b,
			    ", if it isn't one of %llu networks that wait to be sent",
			    (unsigned long long)o->dirty);
	}
	if (o->at_limit && !o->held)
		strbuf_adds(b, ", but the export limit is reached");
}

static void
say_to(const struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y)
{
	struct way_out o = way_out(w, ch, p);
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "\tto %s.%s, %s: ", channel_proto(ch)->name, channel_name(ch),
	    path_facts(w->table, p)->proto);
	if (y->bar)
		add_bar(&b, y);
	else
		add_goes(&b, &o);
	cli_put_line(w->s, CLI_ROUTE, b.s);
	strbuf_fini(&b);
}

void
why_tell_to(struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y)
{
	if (w->s->json)
		put_to(w, ch, p, y);
	else
		say_to(w, ch, p, y);
	w->told++;
}

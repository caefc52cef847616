/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why: the words, as lines and as objects.
 *
 * In the session's loop, under RCU. Tested by test/net/test_why.py. */
#include "filter/filter.h"
#include "lib/attr/attr.h"
#include "lib/attr/community.h"
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/cli/show/route/cmd_why.h"
#include "nest/cli/show/route/cmd_words.h"
#include "nest/conf/comm_words.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"

/* ---- words ---- */

/* print_is_sent - true: the route was sent, although the remote side refused it. */
static bool
print_is_sent(enum reason r)
{
	return reason_stage(r) == REASON_AT_KERNEL;
}

/* print_bar_name - the group of reasons for `bar`, a member older than the reasons. */
static const char *
print_bar_name(enum reason r)
{
	switch (r) {
	case REASON_NONE:
		return NULL;
	case REASON_DOWN:
	case REASON_OWN:
	case REASON_ELSEWHERE:
	case REASON_PIPE:
	case REASON_BEHIND_OWN:
		return reason_key(r);
	case REASON_EXPORT_FILTER:
		return "filter";
	default:
		if (print_is_sent(r))
			return NULL;
		return reason_stage(r) == REASON_AT_EXPORT_CHECK ? "rule" : "settled";
	}
}

/* ---- printers of a route with its state ---- */

static struct json *
print_begin_object(const struct why *w, const char *type, const char *proto, uint32_t rid)
{
	struct json *j = cli_object(w->s, type);

	json_str(j, "table", table_name(w->table));
	json_prefix(j, "network", &w->q.prefix);
	json_str(j, "protocol", proto);
	if (rid)
		json_u64(j, "path_id", rid);
	return j;
}

/* print_text_or_null - @s; NULL if empty. */
static const char *
print_text_or_null(const char *s)
{
	return s && *s ? s : NULL;
}

static void
print_put_reason(struct json *j, enum reason r)
{
	if (!r)
		return;
	json_str(j, "reason", reason_key(r));
	json_str(j, "stage", reason_stage_key(reason_stage(r)));
	json_str(j, "text", reason_text(r));
	json_str(j, "page", reason_page(r));
}

static void
print_put_place(struct json *j, const struct reject_at *at)
{
	json_str(j, "filter", at->filter);
	json_str(j, "file", at->file);
	if (at->file)
		json_u64(j, "line", at->line);
	filtered_json_by(j, &at->by);
	json_str(j, "said", print_text_or_null(at->said));
	json_str(j, "added_communities", print_text_or_null(at->comms));
}

static const struct comm_words *
cmd_why_print_words_of(const struct why *w)
{
	return w->s->conf->conf->comm_words;
}

/* print_put_added - the texts of communities that a filter has added. */
static void
print_put_added(const struct why *w, struct json *j, const char *comms)
{
	struct strbuf b;

	strbuf_init(&b);
	comm_words_added(cmd_why_print_words_of(w), comms, &b);
	if (b.len)
		json_text(j, "added_communities_text", b.s, b.len);
	strbuf_fini(&b);
}

/* cmd_why_print_put_origin - the origin AS of a refused route, and the ROAs. */
static void
cmd_why_print_put_origin(const struct why *w, struct json *j, uint32_t as)
{
	if (as)
		json_u64(j, "origin_as", as);
	filtered_json_roas(j, tern_view_get(w->s->tern), &w->q.prefix, as);
}

static void
cmd_why_print_put_route(const struct why *w, const struct why_explained *t)
{
	struct json *j = print_begin_object(w, "why", t->proto, t->rid);

	json_ip(j, "from", t->from);
	json_str(j, "fate", t->fate);
	if (t->lost) {
		json_str(j, "step", reason_key(t->lost->step));
		if (t->lost->has_values) {
			json_u64(j, "own_value", t->lost->value);
			json_u64(j, "best_value", t->lost->best);
		}
	}
	if (t->lost)
		print_put_reason(j, t->lost->step);
	if (t->at) {
		print_put_reason(j, t->at->reason);
		print_put_place(j, t->at);
		print_put_added(w, j, t->at->comms);
	}
	if (t->filtered)
		filtered_json(j, w->s->conf->conf, t->filtered);
	if (t->filtered && t->wire && t->filtered->way != FILTERED_CHECK)
		cmd_why_print_put_origin(w, j, wire_path_last(t->wire));
	if (t->wire)
		cmd_words_json(j, cmd_why_print_words_of(w), t->wire);
	cli_object_end(w->s);
}

/* print_add_place - " by filter f_in at rs.conf:17: text; adds (65000,1101,7)", or ",
 * own AS in the path" */
static void
print_add_place(struct strbuf *b, const struct reject_at *at)
{
	if (at->filter)
		strbuf_addf(b, " by filter %s", at->filter);
	else
		strbuf_addf(b, ", %s", reason_text(at->reason));
	if (at->file)
		strbuf_addf(b, " at %s:%u", at->file, at->line);
	filtered_add_by(b, &at->by);
	if (print_text_or_null(at->said))
		strbuf_addf(b, ": %s", at->said);
	if (print_text_or_null(at->comms))
		strbuf_addf(b, "; adds %s", at->comms);
}

void
why_title(struct why *w)
{
	char net[PREFIX_STR_MAX];

	if (w->s->json || w->titled == w->table)
		return;
	w->titled = w->table;
	cli_say(w->s, CLI_ROUTE, "Table %s:", table_name(w->table));
	cli_put_line(w->s, CLI_ROUTE, prefix_str(net, &w->q.prefix));
}

static void
print_add_added(const struct why *w, struct strbuf *b, const char *comms)
{
	struct strbuf words;

	strbuf_init(&words);
	comm_words_added(cmd_why_print_words_of(w), comms, &words);
	if (words.len)
		strbuf_addf(b, " (%s)", words.s);
	strbuf_fini(&words);
}

/* print_add_said - the communities whose texts the line of the route has: the community
 * that makes the route count as filtered, and the communities that the filter adds. */
static void
print_add_said(struct strbuf *b, const struct why_explained *t)
{
	if (t->filtered && t->filtered->way == FILTERED_TAGGED)
		comm_print_one(b, t->filtered->comm.kind, t->filtered->comm.comm);
	if (t->at && t->at->comms)
		strbuf_adds(b, t->at->comms);
}

static void
print_say_route(const struct why *w, const struct why_explained *t)
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
		strbuf_addf(&b, ", %s", reason_text(t->lost->step));
	if (t->lost && t->lost->has_values)
		strbuf_addf(&b, ": %llu, the best has %llu",
		    (unsigned long long)t->lost->value,
		    (unsigned long long)t->lost->best);
	if (t->at) {
		print_add_place(&b, t->at);
		print_add_added(w, &b, t->at->comms);
	}
	if (t->filtered && t->filtered->way != FILTERED_IMPORT &&
	    t->filtered->way != FILTERED_CHECK) {
		strbuf_adds(&b, ", ");
		filtered_text(&b, w->s->conf->conf, t->filtered);
	}
	cli_put_line(w->s, CLI_ROUTE, b.s);
	strbuf_reset(&b);
	print_add_said(&b, t);
	if (t->wire)
		cmd_words_say(w->s, CLI_ROUTE, cmd_why_print_words_of(w), t->wire, b.s);
	strbuf_fini(&b);
}

void
why_explain(struct why *w, const struct why_explained *t)
{
	why_title(w);
	if (w->s->json)
		cmd_why_print_put_route(w, t);
	else
		print_say_route(w, t);
	w->explained++;
}

/* ---- to a member ---- */

/* Delays of an allowed route. */
struct way_out {
	uint64_t dirty; /* networks waiting to be sent */
	bool at_limit;
	bool known, held; /* an export table: has the peer received the route? */
};

uint32_t
why_id(const struct why *w, const struct channel *ch, const struct path *p)
{
	return channel_gives(ch) == GIVES_ALL ? path_id(p) : net_id(w->table, w->net);
}

struct reject_at
why_place_of(const struct export_why *y)
{
	return (struct reject_at){ .reason = y->reason,
		.filter = y->filter ? filter_name(y->filter) : NULL,
		.file = y->file,
		.line = y->line,
		.by = y->by,
		.said = y->said };
}

void
why_put_bar(struct json *j, const struct export_why *y)
{
	const char *bar = print_bar_name(y->reason);
	struct reject_at at;

	json_str(j, "bar", bar);
	json_str(j, "rule", bar && !strcmp(bar, "rule") ? reason_key(y->reason) : NULL);
	json_str(
	    j, "what", bar && !strcmp(bar, "settled") ? reason_text(y->reason) : NULL);
	print_put_reason(j, y->reason);
	if (!y->filter && !y->said)
		return;
	at = why_place_of(y);
	print_put_place(j, &at);
}

static struct way_out
print_way_out(const struct why *w, const struct channel *ch, const struct path *p)
{
	const struct channel_stats *st = channel_stats_get(ch);
	const struct conf_limit *l = &channel_conf(ch)->limit.export;
	uint32_t id = why_id(w, ch, p);

	return (struct way_out){ .dirty = counter64_get(&st->dirty),
		.at_limit = l->action == LIMIT_BLOCK &&
			    counter64_get(&st->exported) >= l->max,
		.known = channel_keeps_export(ch),
		.held = channel_keeps_export(ch) && channel_announced(ch, id) };
}

static void
print_put_to(const struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y)
{
	const struct route_source *src = path_facts(w->table, p);
	struct json *j = print_begin_object(w, "why_to", src->proto, path_rid(p));
	struct way_out o = print_way_out(w, ch, p);

	json_str(j, "to", channel_proto(ch)->name);
	json_str(j, "channel", channel_name(ch));
	json_bool(j, "goes", y->reason == REASON_NONE || print_is_sent(y->reason));
	if (print_is_sent(y->reason))
		json_bool(j, "installed", false);
	why_put_bar(j, y);
	if (o.known)
		json_bool(j, "sent", o.held);
	json_u64(j, "dirty_networks", o.dirty);
	json_bool(j, "at_limit", o.at_limit);
	cli_object_end(w->s);
}

void
why_add_bar(struct strbuf *b, const struct export_why *y)
{
	struct reject_at at;

	if (print_is_sent(y->reason)) {
		strbuf_addf(b, "sent, but not installed: %s", reason_text(y->reason));
		return;
	}
	if (!y->filter) {
		strbuf_addf(b, "not sent, %s", reason_text(y->reason));
		if (y->said && *y->said)
			strbuf_addf(b, ": %s", y->said);
		return;
	}
	at = why_place_of(y);
	strbuf_adds(b, y->reason == REASON_PIPE ? reason_text(y->reason) : "refused");
	print_add_place(b, &at);
}

static void
print_add_goes(struct strbuf *b, const struct way_out *o)
{
	if (o->known) {
		strbuf_adds(
		    b, o->held ? "sent" : "accepted for export, but not sent yet");
	} else {
		strbuf_adds(b, "goes");
		if (o->dirty)
			strbuf_addf(b,
			    ", unless the network is among %llu networks that wait to be "
			    "sent",
			    (unsigned long long)o->dirty);
	}
	if (o->at_limit && o->dirty && !o->held)
		strbuf_adds(b, ", but the export limit is reached");
}

static void
print_say_to(const struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y)
{
	struct way_out o = print_way_out(w, ch, p);
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "\tto %s.%s, %s", channel_proto(ch)->name, channel_name(ch),
	    path_facts(w->table, p)->proto);
	if (path_rid(p))
		strbuf_addf(&b, " path %u", path_rid(p));
	strbuf_adds(&b, ": ");
	if (y->reason)
		why_add_bar(&b, y);
	else
		print_add_goes(&b, &o);
	cli_put_line(w->s, CLI_ROUTE, b.s);
	strbuf_fini(&b);
}

void
why_explain_to(struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y)
{
	why_title(w);
	if (w->s->json)
		print_put_to(w, ch, p, y);
	else
		print_say_to(w, ch, p, y);
	w->explained++;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why: the words.
 *
 * In the session's loop, under RCU. Tested by test/net/test_why.py. */
#include "filter/filter.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_json.h"
#include "lib/attr/community.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/cli/show/route/cmd_words.h"
#include "nest/conf/config.h"
#include "nest/core/override.h"
#include "nest/core/reason.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
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

/* ---- a route with its state ---- */

/* The parts of a line. */
enum { WHY_PROTO, WHY_FROM, WHY_FATE };

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

/* print_network - the network and the protocol; @form: of the protocol. */
static void
print_network(const struct why *w, struct reply *r, const char *form, const char *proto)
{
	reply_str(r, "table", NULL, table_name(w->table));
	reply_prefix(r, "network", NULL, &w->q.prefix);
	reply_str(r, "protocol", form, proto);
}

/* print_reason - JSON alone. */
static void
print_reason(struct reply *r, enum reason reason)
{
	if (!reason)
		return;
	reply_str(r, "reason", NULL, reason_key(reason));
	reply_str(r, "stage", NULL, reason_stage_key(reason_stage(reason)));
	reply_str(r, "text", NULL, reason_text(reason));
	reply_str(r, "page", NULL, reason_page(reason));
}

static void
print_lost(struct reply *r, const struct lost_at *lost)
{
	reply_str(r, "step", NULL, reason_key(lost->step));
	reply_text(r, ", %s", reason_text(lost->step));
	if (lost->has_values) {
		reply_u64(r, "own_value", ": %s", lost->value);
		reply_u64(r, "best_value", ", the best has %s", lost->best);
	}
	print_reason(r, lost->step);
}

/* print_filtered - JSON also has the origin AS of a refused route, and the ROAs. */
static void
print_filtered(const struct why *w, struct reply *r, const struct why_explained *t)
{
	enum filtered_way way = t->filtered->way;
	uint32_t as = t->wire ? wire_path_last(t->wire) : 0;

	if (way != FILTERED_IMPORT && way != FILTERED_CHECK)
		reply_text(r, ", ");
	filtered_reply_way(r, w->s->conf->conf, t->filtered);
	if (!r->json || way == FILTERED_CHECK)
		return;
	reply_some(r, "origin_as", NULL, as);
	filtered_reply_roas(r, tern_view_get(w->s->tern), &w->q.prefix, as);
}

/* print_words - the texts of communities; the line of the route has the texts of the
 * community that makes the route count as filtered, and of the communities that the
 * filter adds. */
static void
print_words(const struct why *w, struct reply *r, const struct why_explained *t)
{
	struct strbuf said;

	strbuf_init(&said);
	if (t->filtered && t->filtered->way == FILTERED_TAGGED)
		comm_print_one(&said, t->filtered->comm.kind, t->filtered->comm.comm);
	if (t->at && t->at->comms)
		strbuf_adds(&said, t->at->comms);
	cmd_words_reply(r, w->s->conf->conf->comm.words, t->wire, said.s);
	strbuf_fini(&said);
}

void
why_reply_attributes(struct reply *r, const struct wire_set *wire)
{
	if (!r->json || !wire)
		return;
	reply_open(r, "attributes");
	attr_json_wire(r->json, wire);
	reply_close(r);
}

/* print_fate_of - a route and its fate. */
static void
print_fate_of(struct why *w, struct reply *r, const struct why_explained *t)
{
	print_network(w, r, "\t%s", t->proto);
	reply_part(r, WHY_FATE);
	reply_some(r, "path_id", " path %s", t->rid);
	reply_part(r, WHY_FROM);
	reply_ip(r, "from", ip_is_none(t->from) ? NULL : " from %s", t->from);
	reply_part(r, WHY_FATE);
	reply_str(r, "fate", ": %s", t->fate);
	if (t->lost)
		print_lost(r, t->lost);
	if (t->at) {
		print_reason(r, t->at->reason);
		filtered_reply_at(r, w->s->conf->conf, t->at);
	}
	if (t->by) {
		reply_str(r, "accepted_by",
		    ", accepted by an override of an operator: %s", t->by->text);
		reply_str(r, "filter_asked_about",
		    t->by_after ? " (the filter was asked about the route in the %s)"
				: NULL,
		    t->by_after ? "table" : "received");
	}
	if (t->filtered)
		print_filtered(w, r, t);
	reply_text(r, "\n");
	if (t->at || t->filtered)
		why_reply_attributes(r, t->wire);
	if (t->wire)
		print_words(w, r, t);
}

void
why_explain(struct why *w, const struct why_explained *t)
{
	struct why_remedy m;
	struct reply *r;

	print_fate_of(w, why_remedy_begin(&m, "why"), t);
	why_remedy_end(&m);
	why_title(w);
	r = cli_reply(w->s, "why");
	print_fate_of(w, r, t);
	why_remedy_reply(&m, r);
	cli_reply_end(w->s, CLI_ROUTE);
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

/* why_place_of - the reason of @y, and where a filter has refused. */
static struct reject_at
why_place_of(const struct export_why *y)
{
	return (struct reject_at){ .reason = y->reason,
		.filter = y->filter ? filter_name(y->filter) : NULL,
		.file = y->file,
		.line = y->line,
		.by = y->by,
		.said = y->said,
		.failed = y->failed };
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

/* print_bar - JSON alone: `bar` and its members. */
static void
print_bar(struct reply *r, enum reason reason)
{
	const char *bar = print_bar_name(reason);

	reply_str(r, "bar", NULL, bar);
	reply_str(
	    r, "rule", NULL, bar && !strcmp(bar, "rule") ? reason_key(reason) : NULL);
	reply_str(
	    r, "what", NULL, bar && !strcmp(bar, "settled") ? reason_text(reason) : NULL);
	print_reason(r, reason);
}

void
why_reply_bar(struct reply *r, const struct config *c, const struct export_why *y)
{
	struct reject_at at = why_place_of(y);

	if (print_is_sent(y->reason)) {
		reply_text(r, "sent, but not installed: %s", reason_text(y->reason));
		return;
	}
	reply_text(r, "%s",
	    !y->filter                 ? "not sent"
	    : y->reason == REASON_PIPE ? reason_text(y->reason)
				       : "refused");
	filtered_reply_at(r, c, &at);
}

void
why_reply_verdict(struct reply *r, const struct config *c, const struct export_why *y)
{
	print_bar(r, y->reason);
	why_reply_bar(r, c, y);
}

/* print_goes - text alone: the state of an allowed route. */
static void
print_goes(struct reply *r, const struct way_out *o)
{
	if (o->known) {
		reply_text(r, o->held ? "sent" : "accepted for export, but not sent yet");
	} else {
		reply_text(r, "goes");
		if (o->dirty)
			reply_text(r,
			    ", unless the network is among %llu networks that wait to be "
			    "sent",
			    (unsigned long long)o->dirty);
	}
	if (o->at_limit && o->dirty && !o->held)
		reply_text(r, ", but the export limit is reached");
}

/* print_tried - the attributes of @set, with the communities of the query. */
static void
print_tried(struct why *w, struct reply *r, const struct attr_set *set)
{
	struct attr_store *store = table_store(w->table);
	struct attr_set *tried;

	if (!r->json)
		return;
	if (!w->with.given) {
		why_reply_attributes(r, set->wire);
		return;
	}
	arena_reset(&w->arena);
	tried = why_tried_set(w, store, set);
	if (!tried)
		return;
	why_reply_attributes(r, tried->wire);
	attr_set_unref(store, tried, 1);
}

/* print_to - a route and its way to the member. */
static void
print_to(struct why *w, struct reply *r, const struct channel *ch, const struct path *p,
    const struct export_why *y)
{
	struct way_out o = print_way_out(w, ch, p);

	print_network(w, r, NULL, path_facts(w->table, p)->proto);
	reply_part(r, WHY_FATE);
	reply_text(r, ", %s", path_facts(w->table, p)->proto);
	reply_some(r, "path_id", " path %s", path_rid(p));
	reply_text(r, ": ");
	reply_part(r, WHY_PROTO);
	reply_str(r, "to", "\tto %s", channel_proto(ch)->name);
	reply_str(r, "channel", ".%s", channel_name(ch));
	reply_part(r, WHY_FATE);
	reply_bool(r, "goes", NULL, y->reason == REASON_NONE || print_is_sent(y->reason));
	if (print_is_sent(y->reason))
		reply_bool(r, "installed", NULL, false);
	if (y->reason)
		why_reply_verdict(r, w->s->conf->conf, y);
	else
		print_goes(r, &o);
	if (o.known)
		reply_bool(r, "sent", NULL, o.held);
	reply_u64(r, "dirty_networks", NULL, o.dirty);
	reply_bool(r, "at_limit", NULL, o.at_limit);
	if (y->reason)
		print_tried(w, r, path_set(p));
}

void
why_explain_to(struct why *w, const struct channel *ch, const struct path *p,
    const struct export_why *y)
{
	struct why_remedy m;
	struct reply *r;

	print_to(w, why_remedy_begin(&m, "why_to"), ch, p, y);
	why_remedy_end(&m);
	why_title(w);
	r = cli_reply(w->s, "why_to");
	print_to(w, r, ch, p, y);
	reply_text(r, "\n");
	why_remedy_reply(&m, r);
	cli_reply_end(w->s, CLI_ROUTE);
	w->explained++;
}

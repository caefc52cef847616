/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A route as text or as JSON (doc/json.md). Tools parse the lines of the text; blanks and
 * order are bird2's (observed on its control socket).
 *
 * In the session's loop, under RCU. Tested by test/net/test_birdc.py,
 * test/net/test_cli.py and test/net/test_json.py. */
#include "nest/cli/show/route/cmd_route.h"

#include "filter/run/value.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_json.h"
#include "lib/attr/attr_print.h"
#include "lib/attr/route.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route_facts.h"
#include "nest/cli/show/route/cmd_route_krt.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/cli/show/route/cmd_words.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/index/aspa_set.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "sysdep/iface/iface.h"

#include <stdio.h>

#define VALUE_LINE_MAX 500 /* octets of a line of `all` */

/* ---- headings ---- */

static const char *const kept_word[] = { NULL, "import", "export" };

const char *
route_table_title(const struct route_table *t)
{
	return t->kept ? kept_word[t->kept] : t->name;
}

void
route_put_heading(struct cli_session *s, struct route_job *j)
{
	if (j->at.heading || s->json)
		return;
	j->at.heading = true;
	if (j->headings++)
		cli_put_line(s, CLI_ROUTE, "");
	cli_say(s, CLI_ROUTE, "Table %s:", route_table_title(&j->q.table[j->at.table]));
}

/* ---- routes ---- */

/* The parts of the first line. */
enum { LINE_NET, LINE_DEST, LINE_PROTO, LINE_STAR, LINE_METRIC, LINE_ORIGIN };

_Static_assert(LINE_ORIGIN < REPLY_PARTS, "each part of the line has a buffer");

static void
print_net(struct reply *r, enum nlri_kind kind, const struct nlri *k, bool named)
{
	char text[NLRI_STR_MAX] = "";
	struct vrp v;

	if (r->text) {
		if (named)
			nlri_str(text, kind, k->word, k->head);
		reply_str(r, NULL, "%-20s ", text);
	} else if (nlri_is_ip(kind)) {
		struct prefix p = nlri_prefix(kind, k->word, k->head);

		reply_prefix(r, "network", NULL, &p);
	} else {
		v = nlri_vrp(kind, k->word, k->head);
		if (kind == NLRI_ASPA) {
			reply_u64(r, "customer_as", NULL, v.asn);
			return;
		}
		reply_prefix(r, "network", NULL, &v.net);
		reply_u64(r, "max_length", NULL, v.max_len);
		reply_u64(r, "as", NULL, v.asn);
	}
}

/* route_print_origin - text: the line ends in ") [AS64500i]", or ")" without a peer. */
static void
route_print_origin(struct reply *r, const struct route_facts *f)
{
	static const char *const end[] = { "i]\n", "e]\n", "?]\n" };
	uint8_t origin = f->set->wire->origin;

	if (f->set->local.rts != RTS_BGP) {
		reply_text(r, ")\n");
		return;
	}
	if (f->origin_as)
		reply_u64(r, "origin_as", ") [AS%s", f->origin_as);
	else
		reply_text(r, ") [");
	reply_text(r, "%s", end[origin < 2 ? origin : 2]);
}

/* print_way - text: "\tvia 192.0.2.1 on eth0 mpls 100 onlink weight 5", "\tdev eth0". */
static void
print_way(struct reply *r, const struct route_way *w)
{
	bool direct = ip_is_none(w->gw);

	reply_open(r, NULL);
	reply_text(r, direct ? "\tdev " : "\tvia ");
	reply_ip(r, "gateway", direct ? NULL : "%s on ", w->gw);
	reply_str(r, "interface", "%s", w->on || r->json ? w->on : "?");
	if (w->has_label)
		reply_u64(r, "mpls_label", " mpls %s", w->label);
	if (w->onlink)
		reply_bool(r, "onlink", " onlink", true);
	if (w->several)
		reply_u64(r, "weight", direct ? NULL : " weight %s", w->weight);
	reply_text(r, "\n");
	reply_close(r);
}

static void
print_ways(struct reply *r, const struct route_job *j, const struct route_facts *f)
{
	const struct iface_list *l = iface_list_get(j->ifaces);
	struct route_way w;
	unsigned i = 0;

	for (; route_way(&w, f, l, i); i++) {
		if (!i)
			reply_list(r, "next_hops");
		print_way(r, &w);
	}
	if (i)
		reply_close(r);
}

/* print_fate - why the route counts as filtered or is not sent, if asked. */
static void
print_fate(struct cli_session *s, struct reply *r, const struct route_scene *sc,
    const struct route_shown *n, uint32_t origin_as)
{
	const struct filtered *f = &n->filtered;
	struct prefix net;

	if (f->way) {
		reply_text(r, "\t");
		filtered_reply(r, s->conf->conf, f);
		reply_text(r, "\n");
	}
	if (r->json && f->way && f->way != FILTERED_CHECK) {
		net = net_prefix(sc->table, n->net);
		filtered_reply_roas(r, tern_view_get(s->tern), &net, origin_as);
	}
	if (n->bar.reason) {
		reply_text(r, "\t");
		reply_str(r, "reason", NULL, reason_key(n->bar.reason));
		why_reply_bar(r, s->conf->conf, &n->bar);
		reply_text(r, "\n");
	}
}

/* print_route - the first line, and the lines of next hops and fate. */
static void
print_route(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct route_shown *n, const struct route_facts *f)
{
	struct reply *r = cli_reply(s, "route");
	struct nlri k = net_nlri(sc->table, n->net);
	enum reason failure = route_failure(sc, n);

	r->time = cli_time(s, &s->conf->conf->time.route);
	reply_str(r, "table", NULL, table_name(sc->table));
	print_net(r, j->at.kind, &k, n->named);
	reply_part(r, LINE_PROTO);
	reply_str(r, "protocol", " [%s ", f->src->proto);
	reply_str(r, "source", NULL, f->source);
	reply_part(r, LINE_STAR);
	reply_bool(r, "best", failure ? NULL : " *", n->best);
	if (failure) {
		reply_text(r, " !");
		reply_str(r, "not_installed", NULL, reason_key(failure));
	}
	if (path_filtered(n->path))
		reply_bool(r, "filtered", NULL, true);
	reply_some(r, "path_id", NULL, path_rid(n->path));
	reply_part(r, LINE_PROTO);
	reply_time_kept(
	    r, "changed_unix_s", "%s", path_time_ns(sc->table, n->path), &j->time);
	reply_ip(r, "from",
	    ip_is_none(f->from) || ip_equal(f->from, f->gw) ? NULL : " from %s", f->from);
	reply_text(r, "]");
	reply_part(r, LINE_METRIC);
	reply_u64(r, "preference", " (%s", f->set->local.preference);
	reply_part(r, LINE_DEST);
	reply_fill(r, "destination", "%s", f->dest);
	reply_part(r, LINE_ORIGIN);
	route_print_origin(r, f);
	reply_part(r, LINE_METRIC);
	if (f->stale)
		reply_bool(r, "stale", "s", true);
	if (f->has_metric)
		reply_u64(r, "metric", "/%s", f->metric);
	reply_part(r, LINE_ORIGIN);
	print_ways(r, j, f);
	print_fate(s, r, sc, n, f->origin_as);
}

/* ---- attributes ---- */

/* print_shorten - the value @b of a line of text whose head has @head octets. */
static void
print_shorten(const struct reply *r, struct strbuf *b, size_t head)
{
	if (r->json || b->len + head <= VALUE_LINE_MAX)
		return;
	strbuf_truncate(b, VALUE_LINE_MAX - 3 - head);
	strbuf_adds(b, "...");
}

/* print_providers - of a route in a table of type aspa. */
static void
print_providers(struct reply *r, const struct attr_set *set)
{
	const uint32_t *provider;
	uint32_t cnt = aspa_get_providers(set, &provider);
	struct strbuf b;

	if (!cnt)
		return;
	reply_list(r, "aspa_providers");
	for (uint32_t i = 0; i < cnt; i++)
		reply_u64(r, NULL, NULL, provider[i]);
	reply_close(r);
	if (r->json)
		return;
	strbuf_init(&b);
	aspa_print_providers(&b, provider, cnt);
	print_shorten(r, &b, strlen("\taspa_providers: "));
	reply_str(r, NULL, "\taspa_providers: %s\n", b.s);
	strbuf_fini(&b);
}

/* print_value - in JSON numbers and booleans are values, other types text of the
 * language. */
static void
print_value(struct reply *r, const char *name, const struct fvalue *v)
{
	struct strbuf b;

	reply_open(r, NULL);
	reply_str(r, "name", "\t%s: ", name);
	if (r->json && v->type == T_INT) {
		reply_u64(r, "value", NULL, v->i);
	} else if (r->json && v->type == T_BOOL) {
		reply_bool(r, "value", NULL, v->i);
	} else {
		strbuf_init(&b);
		fvalue_show(&b, v);
		print_shorten(r, &b, strlen(name) + strlen("\t: "));
		reply_span(r, "value", "%s\n", b.s, b.len);
		strbuf_fini(&b);
	}
	reply_close(r);
}

static void
print_custom(struct reply *r, const struct attr_set *set, const struct config *c)
{
	const char *name;
	struct fvalue v;
	uint32_t pos = 0;

	if (!set->local.custom_words)
		return;
	reply_list(r, "custom");
	while (route_custom(set, c, &pos, &name, &v))
		print_value(r, name, &v);
	reply_close(r);
}

/* print_reserved - attributes of the language written by filters, and of a kernel. */
static void
print_reserved(struct reply *r, const struct attr_set *set)
{
	const char *name, *word;
	unsigned pos = 0;
	struct route_krt k;
	char key[32];
	uint32_t v;

	while (route_reserved(set, &pos, &name, &v, &word)) {
		reply_text(r, "\t%s: ", name);
		if (word)
			reply_str(r, name, "%s\n", word);
		else
			reply_u64(r, name, "%s\n", v);
	}
	pos = 0;
	while (route_krt(set, &pos, &k)) {
		snprintf(key, sizeof(key), "krt_%s", k.name);
		reply_text(r, "\tKernel.%s: ", k.name);
		if (k.is_text)
			reply_str(r, key, "%s\n", k.text);
		else
			reply_u64(r, key, "%s\n", k.value);
	}
}

static void
print_line(void *arg, const char *line)
{
	reply_str(arg, NULL, "%s\n", line);
}

/* print_attrs - the additional lines and members of `all`. */
static void
print_attrs(struct cli_session *s, struct reply *r, const struct route_facts *f)
{
	const struct attr_set *set = f->set;
	uint32_t igp_metric = set->local.igp_metric;

	if (r->text)
		reply_str(r, NULL, "\tType: %s ", f->source);
	reply_str(r, "scope", "%s\n", f->scope);
	cli_reply_lines(s, CLI_ROUTE_TYPE);
	/* 0: a neighbour on the link */
	if (igp_metric != UINT32_MAX)
		reply_some(r, "igp_metric", "\tigp_metric: %s\n", igp_metric);
	reply_open(r, "attributes");
	print_reserved(r, set);
	if (r->json)
		attr_json_wire(r->json, set->wire);
	else
		attr_print_wire(set->wire, print_line, r);
	print_providers(r, set);
	print_custom(r, set, s->conf->conf);
	reply_close(r);
	if (r->json)
		cmd_words_reply(r, s->conf->conf->comm.words, set->wire, NULL);
}

void
route_print(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct route_shown *n)
{
	struct route_facts f;

	if (!route_facts(&f, sc, n))
		return;
	print_route(s, j, sc, n, &f);
	if (j->q.all) {
		cli_reply_lines(s, CLI_ROUTE);
		print_attrs(s, &s->text.reply, &f);
		cli_reply_end(s, CLI_ATTRIBUTE);
	} else {
		cli_reply_end(s, CLI_ROUTE);
	}
}

/* ---- sums ---- */

void
route_print_sum(struct cli_session *s, const struct route_sum *m, const char *table)
{
	cli_say(s, CLI_ROUTE, "%llu of %llu routes for %llu networks in table %s",
	    (unsigned long long)m->shown, (unsigned long long)m->routes,
	    (unsigned long long)m->nets, table);
}

void
route_print_table(struct cli_session *s, const struct route_job *job)
{
	const struct route_table *t = &job->q.table[job->at.table];
	struct reply *r = cli_reply(s, "route_table");

	reply_str(r, "table", NULL, t->name);
	reply_str(r, "kept", NULL, kept_word[t->kept]);
	reply_str(r, "protocol", NULL, t->proto);
	reply_str(r, "channel", NULL, t->channel);
	reply_u64(r, "shown", NULL, job->sum.shown);
	reply_u64(r, "routes", NULL, job->sum.routes);
	reply_u64(r, "networks", NULL, job->sum.nets);
	cli_reply_end(s, CLI_ROUTE);
}

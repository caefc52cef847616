/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A route as text. Tools parse these lines; blanks and order are bird2's (observed on its
 * control socket).
 *
 * In the session's loop, under RCU. Tested by test/net/test_birdc.py and
 * test/net/test_cli.py. */
#include "nest/cli/show/route/cmd_route.h"

#include "filter/run/value.h"
#include "filter/value/fvalue.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_print.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route_facts.h"
#include "nest/cli/show/route/cmd_route_krt.h"
#include "nest/cli/show/route/cmd_why.h"
#include "nest/conf/config.h"
#include "nest/rib/index/aspa_set.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "sysdep/iface/iface.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

#define METRIC_TEXT 24

/* ---- headings ---- */

const char *
route_table_title(const struct route_table *t)
{
	static const char *const kept[] = { NULL, "import", "export" };

	return t->kept ? kept[t->kept] : t->name;
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

/* " [AS64500i]"; empty for routes without a peer. */
static void
cmd_route_print_put_origin(char *to, size_t len, const struct route_facts *f)
{
	static const char letter[] = "ie?";
	const struct wire_set *w = f->set->wire;
	char c = letter[w->origin < 2 ? w->origin : 2];

	if (f->set->local.rts != RTS_BGP)
		*to = 0;
	else if (f->origin_as)
		snprintf(to, len, " [AS%u%c]", f->origin_as, c);
	else
		snprintf(to, len, " [%c]", c);
}

struct line_arg {
	struct cli_session *s;
};

static void
print_put_attr_line(void *arg, const char *line)
{
	cli_put_line(((struct line_arg *)arg)->s, CLI_ATTRIBUTE, line);
}

/* print_providers - of a route in a table of type aspa. */
static void
print_providers(struct cli_session *s, const struct attr_set *set)
{
	const uint32_t *provider;
	uint32_t cnt = aspa_get_providers(set, &provider);
	struct strbuf b;

	if (!cnt)
		return;
	strbuf_init(&b);
	strbuf_adds(&b, "\taspa_providers: ");
	aspa_print_providers(&b, provider, cnt);
	if (b.len > 500) {
		strbuf_truncate(&b, 497);
		strbuf_adds(&b, "...");
	}
	cli_put_line(s, CLI_ATTRIBUTE, b.s);
	strbuf_fini(&b);
}

static void
print_custom(struct cli_session *s, const struct attr_set *set)
{
	const char *name;
	struct fvalue v;
	struct strbuf b;
	uint32_t pos = 0;

	print_providers(s, set);
	strbuf_init(&b);
	while (route_custom(set, s->conf->conf, &pos, &name, &v)) {
		strbuf_reset(&b);
		strbuf_addf(&b, "\t%s: ", name);
		fvalue_show(&b, &v);
		if (b.len > 500) {
			strbuf_truncate(&b, 497);
			strbuf_adds(&b, "...");
		}
		cli_put_line(s, CLI_ATTRIBUTE, b.s);
	}
	strbuf_fini(&b);
}

/* Attributes of the language written by filters. */
static void
print_reserved(struct cli_session *s, const struct attr_set *set)
{
	const char *name, *word;
	unsigned pos = 0;
	uint32_t v;

	while (route_reserved(set, &pos, &name, &v, &word))
		if (word)
			cli_say(s, CLI_ATTRIBUTE, "\t%s: %s", name, word);
		else
			cli_say(s, CLI_ATTRIBUTE, "\t%s: %u", name, v);
}

static void
print_kernel(struct cli_session *s, const struct attr_set *set)
{
	struct route_krt k;
	unsigned pos = 0;

	while (route_krt(set, &pos, &k))
		if (k.is_text)
			cli_say(s, CLI_ATTRIBUTE, "\tKernel.%s: %s", k.name, k.text);
		else
			cli_say(s, CLI_ATTRIBUTE, "\tKernel.%s: %u", k.name, k.value);
}

/* print_attrs - the additional lines of `all`. */
static void
print_attrs(struct cli_session *s, const struct route_facts *f)
{
	const struct attr_set *set = f->set;
	struct line_arg a = { s };

	cli_say(s, CLI_ROUTE_TYPE, "\tType: %s %s", f->source, f->scope);
	/* 0: a neighbour on the link */
	if (set->local.igp_metric && set->local.igp_metric != UINT32_MAX)
		cli_say(s, CLI_ATTRIBUTE, "\tigp_metric: %u", set->local.igp_metric);
	print_reserved(s, set);
	print_kernel(s, set);
	attr_print_wire(set->wire, print_put_attr_line, &a);
	print_custom(s, set);
}

/* print_way - "\tvia 192.0.2.1 on eth0 mpls 100 onlink weight 5", "\tdev eth0". */
static void
print_way(struct cli_session *s, const struct route_way *w)
{
	const char *on = w->on ? w->on : "?";
	char ip[IP_STR_MAX], way[48] = "";
	size_t n = 0;

	if (w->has_label)
		n = (size_t)snprintf(way, sizeof(way), " mpls %u", w->label);
	if (w->onlink)
		n += (size_t)snprintf(way + n, sizeof(way) - n, " onlink");
	if (w->several && !ip_is_none(w->gw))
		snprintf(way + n, sizeof(way) - n, " weight %u", w->weight);
	if (ip_is_none(w->gw))
		cli_say(s, CLI_ROUTE, "\tdev %s%s", on, way);
	else
		cli_say(s, CLI_ROUTE, "\tvia %s on %s%s", ip_str(ip, w->gw), on, way);
}

/* Routes of one batch have one time, and its text costs as much as the rest of the
 * line. */
static const char *
print_time_text(struct cli_session *s, struct route_job *j, uint64_t mono_ns)
{
	if (mono_ns != j->time_ns || !mono_ns) {
		clock_print(j->time_text, sizeof(j->time_text),
		    cli_time(s, &s->conf->conf->time.route), mono_ns);
		j->time_ns = mono_ns;
	}
	return j->time_text;
}

static void
print_filtered(struct cli_session *s, const struct route_shown *r)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addc(&b, '\t');
	filtered_text(&b, s->conf->conf, &r->filtered);
	cli_put_line(s, CLI_ROUTE, b.s);
	strbuf_fini(&b);
}

static void
print_bar(struct cli_session *s, const struct route_shown *r)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addc(&b, '\t');
	why_add_bar(&b, &r->bar);
	cli_put_line(s, CLI_ROUTE, b.s);
	strbuf_fini(&b);
}

static void
print_text(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct route_shown *r)
{
	char net[NLRI_STR_MAX] = "", from[IP_STR_MAX + 8] = "", origin[32],
	     ip[IP_STR_MAX], metric[METRIC_TEXT] = "";
	struct nlri k = net_nlri(sc->table, r->net);
	struct route_facts f;
	struct route_way w;

	if (!route_facts(&f, sc, r))
		return;
	if (r->named)
		nlri_str(net, j->at.kind, k.word, k.head);
	if (!ip_is_none(f.from) && !ip_equal(f.from, f.gw))
		snprintf(from, sizeof(from), " from %s", ip_str(ip, f.from));
	if (f.has_metric)
		snprintf(metric, sizeof(metric), "/%llu", (unsigned long long)f.metric);
	cmd_route_print_put_origin(origin, sizeof(origin), &f);
	cli_say(s, CLI_ROUTE, "%-20s %s [%s %s%s]%s (%u%s%s)%s", net, f.dest,
	    f.src->proto, print_time_text(s, j, path_time_ns(sc->table, r->path)), from,
	    route_failure(sc, r) ? " !"
	    : r->best            ? " *"
				 : "",
	    f.set->local.preference, f.stale ? "s" : "", metric, origin);
	for (unsigned i = 0; route_way(&w, &f, iface_list_get(j->ifaces), i); i++)
		print_way(s, &w);
	if (r->filtered.way)
		print_filtered(s, r);
	if (r->bar.reason)
		print_bar(s, r);
	if (j->q.all)
		print_attrs(s, &f);
}

void
route_print(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct route_shown *r)
{
	if (s->json)
		route_print_object(s, j, sc, r);
	else
		print_text(s, j, sc, r);
}

void
route_print_sum(struct cli_session *s, const struct route_sum *m, const char *table)
{
	cli_say(s, CLI_ROUTE, "%llu of %llu routes for %llu networks in table %s",
	    (unsigned long long)m->shown, (unsigned long long)m->routes,
	    (unsigned long long)m->nets, table);
}

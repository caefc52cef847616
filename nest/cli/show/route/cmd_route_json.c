/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A route as JSON, an object a line: doc/json.md names the members.
 *
 * In the session's loop, under RCU. Tested by test/net/test_json.py. */
#include "nest/cli/show/route/cmd_route.h"

#include "filter/run/value.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_json.h"
#include "lib/attr/route.h"
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route_facts.h"
#include "nest/cli/show/route/cmd_route_krt.h"
#include "nest/cli/show/route/cmd_why.h"
#include "nest/cli/show/route/cmd_words.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/index/aspa_set.h"
#include "nest/rib/nlri.h"
#include "nest/rib/reason.h"
#include "nest/rib/table.h"
#include "sysdep/iface/iface.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

static void
json_put_net(struct json *j, enum nlri_kind kind, const struct nlri *k)
{
	struct vrp v;

	if (nlri_is_ip(kind)) {
		struct prefix p = nlri_prefix(kind, k->word, k->head);

		json_prefix(j, "network", &p);
		return;
	}
	v = nlri_vrp(kind, k->word, k->head);
	if (kind == NLRI_ASPA) {
		json_u64(j, "customer_as", v.asn);
		return;
	}
	json_prefix(j, "network", &v.net);
	json_u64(j, "max_length", v.max_len);
	json_u64(j, "as", v.asn);
}

static void
json_put_ways(struct json *j, const struct route_job *job, const struct route_facts *f)
{
	struct route_way w;

	for (unsigned i = 0; route_way(&w, f, iface_list_get(job->ifaces), i); i++) {
		if (!i)
			json_list(j, "next_hops");
		json_open(j, NULL);
		json_ip(j, "gateway", w.gw);
		json_str(j, "interface", w.on);
		if (w.has_label)
			json_u64(j, "mpls_label", w.label);
		if (w.onlink)
			json_bool(j, "onlink", true);
		if (w.several)
			json_u64(j, "weight", w.weight);
		json_close(j);
	}
	if (route_way(&w, f, iface_list_get(job->ifaces), 0))
		json_close(j);
}

static void
json_put_providers(struct json *j, const struct attr_set *set)
{
	const uint32_t *provider;
	uint32_t cnt = aspa_get_providers(set, &provider);

	if (!cnt)
		return;
	json_list(j, "aspa_providers");
	for (uint32_t i = 0; i < cnt; i++)
		json_u64(j, NULL, provider[i]);
	json_close(j);
}

/* json_put_value - numbers and booleans as JSON values, other types as text of the
 * language. */
static void
json_put_value(struct json *j, const struct fvalue *v)
{
	struct strbuf b;

	if (v->type == T_INT) {
		json_u64(j, "value", v->i);
		return;
	}
	if (v->type == T_BOOL) {
		json_bool(j, "value", v->i);
		return;
	}
	strbuf_init(&b);
	fvalue_show(&b, v);
	json_text(j, "value", b.s, b.len);
	strbuf_fini(&b);
}

static void
json_put_reserved(struct json *j, const struct attr_set *set)
{
	const char *name, *word;
	unsigned pos = 0;
	uint32_t v;

	while (route_reserved(set, &pos, &name, &v, &word))
		if (word)
			json_str(j, name, word);
		else
			json_u64(j, name, v);
}

static void
json_put_kernel(struct json *j, const struct attr_set *set)
{
	char key[32];
	struct route_krt k;
	unsigned pos = 0;

	while (route_krt(set, &pos, &k)) {
		snprintf(key, sizeof(key), "krt_%s", k.name);
		if (k.is_text)
			json_str(j, key, k.text);
		else
			json_u64(j, key, k.value);
	}
}

static void
cmd_route_json_put_custom(
    struct json *j, const struct attr_set *set, const struct config *c)
{
	const char *name;
	struct fvalue v;
	uint32_t pos = 0;

	json_list(j, "custom");
	while (route_custom(set, c, &pos, &name, &v)) {
		json_open(j, NULL);
		json_str(j, "name", name);
		json_put_value(j, &v);
		json_close(j);
	}
	json_close(j);
}

/* cmd_route_json_put_all - the additional members of `all`. */
static void
cmd_route_json_put_all(
    struct json *j, const struct cli_session *s, const struct route_facts *f)
{
	const struct attr_set *set = f->set;

	json_str(j, "scope", f->scope);
	if (set->local.igp_metric && set->local.igp_metric != UINT32_MAX)
		json_u64(j, "igp_metric", set->local.igp_metric);
	json_open(j, "attributes");
	json_put_reserved(j, set);
	json_put_kernel(j, set);
	attr_json_wire(j, set->wire);
	json_put_providers(j, set);
	if (set->local.custom_words)
		cmd_route_json_put_custom(j, set, s->conf->conf);
	json_close(j);
	cmd_words_json(j, s->conf->conf->comm_words, set->wire);
}

static void
cmd_route_json_put_origin(struct json *j, const struct route_facts *f)
{
	if (f->origin_as)
		json_u64(j, "origin_as", f->origin_as);
	if (f->stale)
		json_bool(j, "stale", true);
	if (f->has_metric)
		json_u64(j, "metric", f->metric);
}

void
route_print_object(struct cli_session *s, struct route_job *job,
    const struct route_scene *sc, const struct route_shown *r)
{
	struct nlri k = net_nlri(sc->table, r->net);
	struct route_facts f;
	struct reject_at at;
	struct prefix net;
	struct json *j;

	if (!route_facts(&f, sc, r))
		return;
	j = cli_object(s, "route");
	json_str(j, "table", table_name(sc->table));
	json_put_net(j, job->at.kind, &k);
	json_str(j, "protocol", f.src->proto);
	json_str(j, "source", f.source);
	json_bool(j, "best", r->best);
	if (route_failure(sc, r))
		json_str(j, "not_installed", reason_key(route_failure(sc, r)));
	if (path_filtered(r->path))
		json_bool(j, "filtered", true);
	if (path_rid(r->path))
		json_u64(j, "path_id", path_rid(r->path));
	json_seconds(
	    j, "changed_unix_s", clock_real_ns(path_time_ns(sc->table, r->path)));
	json_ip(j, "from", f.from);
	json_u64(j, "preference", f.set->local.preference);
	json_str(j, "destination", f.dest[0] ? f.dest : NULL);
	cmd_route_json_put_origin(j, &f);
	json_put_ways(j, job, &f);
	if (r->filtered.way)
		filtered_json(j, s->conf->conf, &r->filtered);
	if (r->filtered.way == FILTERED_IMPORT)
		filtered_json_at(j, s->conf->conf, &r->filtered.at);
	if (r->filtered.way && r->filtered.way != FILTERED_CHECK) {
		net = net_prefix(sc->table, r->net);
		filtered_json_roas(j, tern_view_get(s->tern), &net, f.origin_as);
	}
	if (r->bar.reason) {
		at = why_place_of(&r->bar);
		filtered_json_at(j, s->conf->conf, &at);
	}
	if (job->q.all)
		cmd_route_json_put_all(j, s, &f);
	cli_object_end(s);
}

void
route_print_table(struct cli_session *s, const struct route_job *job)
{
	static const char *const kept[] = { NULL, "import", "export" };
	const struct route_table *t = &job->q.table[job->at.table];
	struct json *j = cli_object(s, "route_table");

	json_str(j, "table", t->name);
	json_str(j, "kept", kept[t->kept]);
	json_str(j, "protocol", t->proto);
	json_str(j, "channel", t->channel);
	json_u64(j, "shown", job->sum.shown);
	json_u64(j, "routes", job->sum.routes);
	json_u64(j, "networks", job->sum.nets);
	cli_object_end(s);
}

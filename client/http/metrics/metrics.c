/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics in the text format of Prometheus. Loop: the only thread of ternhttp.
 *
 * The format wants all series of a metric together, and a daemon sends protocol by
 * protocol: the view gathers the values of all channels and writes the text at the end.
 * The series of one server have the labels of bird_exporter; a request for several
 * servers adds the label `server`.
 *
 * Tested by test/net/test_http_metrics.py. */
#include "client/http/metrics/metrics.h"

#include "client/http/job/ask.h"
#include "client/http/job/jview.h"
#include "client/http/job/request.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROWS_MAX   40000
#define PREFIX_MAX 16
#define PREFIX_LEN 20

/* The counts of a channel: suffix in the new form, in the old form, place in JSON. */
static const struct {
	const char *suffix, *old, *object, *key;
} counts[] = {
	{ "prefix_import_count", "prefix_count_import", "routes", "imported" },
	{ "prefix_export_count", "prefix_count_export", "routes", "exported" },
	{ "prefix_filter_count", "prefix_count_filter", "routes", "filtered" },
	{ "prefix_preferred_count", "prefix_count_preferred", "routes", "preferred" },
};
static const struct {
	const char *name, *key;
} directions[] = { { "update_import", "import_updates" },
	{ "withdraw_import", "import_withdraws" }, { "update_export", "export_updates" },
	{ "withdraw_export", "export_withdraws" } };
static const struct {
	const char *name, *key;
} fates[] = { { "receive", "received" }, { "reject", "rejected" },
	{ "filter", "filtered" }, { "accept", "accepted" }, { "ignore", "ignored" } };

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
enum { COUNTS = LEN(counts), CHANGES = LEN(directions) * LEN(fates) };

/* A channel of a protocol. */
struct metric_row {
	char *labels; /* without braces */
	char *state; /* the label of `up` */
	unsigned prefix; /* of the name: index of struct metrics.prefix */
	bool up;
	uint64_t uptime_s, count[COUNTS], change[CHANGES];
};

/* owner: the job. */
struct metrics {
	struct metric_row *row;
	unsigned cnt, room;
	unsigned servers; /* in question */
	char prefix[PREFIX_MAX][PREFIX_LEN]; /* of names, each once */
	unsigned prefix_cnt;
	struct strbuf own[6]; /* tern's own metrics */
	struct strbuf query;
	struct strbuf daemon[5];
};

enum { OWN_REFUSED, OWN_DIRTY, OWN_NETWORKS, OWN_ROUTES, OWN_MEMORY, OWN_AGE };
static const char *const own_head[] = { "tern_refused_routes", "tern_dirty_networks",
	"tern_table_networks", "tern_table_routes", "tern_memory_octets",
	"tern_rpki_data_age_seconds" };
static const char *const daemon_head[] = { "bird_daemon_up", "bird_daemon_info",
	"bird_last_reboot_timestamp_seconds", "bird_last_reconfig_timestamp_seconds",
	"bird_server_time_timestamp_seconds" };

static void
metrics_begin(struct job *j)
{
	static const enum ask asks[] = { ASK_STATUS, ASK_PROTOCOLS, ASK_TABLES,
		ASK_MEMORY };
	struct metrics *m = j->state;

	strbuf_init(&m->query);
	for (size_t i = 0; i < LEN(m->own); i++)
		strbuf_init(&m->own[i]);
	for (size_t i = 0; i < LEN(m->daemon); i++)
		strbuf_init(&m->daemon[i]);
	for (unsigned i = 0; i < j->web->server_cnt; i++) {
		if (!job_wants(j, i))
			continue;
		m->servers++;
		for (size_t k = 0; k < LEN(asks); k++)
			(void)job_ask(j, i, asks[k], NULL);
	}
	if (!m->servers)
		job_problem(j, 404, "no such server");
}

static void
metrics_free(struct job *j)
{
	struct metrics *m = j->state;

	for (unsigned i = 0; i < m->cnt; i++) {
		mem_free(MEM_OTHER, m->row[i].labels);
		mem_free(MEM_OTHER, m->row[i].state);
	}
	mem_free(MEM_OTHER, m->row);
	strbuf_fini(&m->query);
	for (size_t i = 0; i < LEN(m->own); i++)
		strbuf_fini(&m->own[i]);
	for (size_t i = 0; i < LEN(m->daemon); i++)
		strbuf_fini(&m->daemon[i]);
}

/* label_name - a comma if a label precedes, and `name=`. */
static void
label_name(struct strbuf *o, const char *name)
{
	if (o->len && o->s[o->len - 1] != '{')
		strbuf_addc(o, ',');
	strbuf_addf(o, "%s=", name);
}

/* label_add - `name="value"` with the escapes of the format. */
static void
label_add(struct strbuf *o, const char *name, struct jview v)
{
	struct strbuf text;

	strbuf_init(&text);
	jview_add(&text, v);
	label_name(o, name);
	strbuf_addc(o, '"');
	for (size_t i = 0; i < text.len; i++) {
		char c = text.s[i];

		if (c == '\\' || c == '"')
			strbuf_addc(o, '\\');
		if (c == '\n')
			strbuf_adds(o, "\\n");
		else
			strbuf_addc(o, c);
	}
	strbuf_addc(o, '"');
	strbuf_fini(&text);
}

static void
label_text(struct strbuf *o, const char *name, const char *value)
{
	label_name(o, name);
	strbuf_addf(o, "\"%s\"", value);
}

/* label_server - the label `server`, if the request concerns several servers. */
static void
label_server(struct strbuf *o, struct job *j)
{
	const struct metrics *m = j->state;

	if (m->servers > 1)
		label_text(o, "server", j->web->server[j->now->server].name);
}

/* metrics_own_add - a series of tern's own metrics: `name{` labels. own_end - the
 * value. */
static struct strbuf *
metrics_own_add(struct job *j, int which)
{
	struct metrics *m = j->state;
	struct strbuf *o = &m->own[which];

	strbuf_addf(o, "%s{", own_head[which]);
	label_server(o, j);
	return o;
}

static void
own_end(struct strbuf *o, struct jview v)
{
	strbuf_addf(o, "} %llu\n", (unsigned long long)jview_u64(v, 0));
}

/* --- A protocol --- */

/* metrics_prefix - the index of the prefix of names: in the new form the same for all, in
 * the old form such as bgp4_session. */
static unsigned
metrics_prefix(struct metrics *m, bool old, const char *proto, const char *family)
{
	char text[PREFIX_LEN], lower[8];
	unsigned i = 0;
	size_t n = 0;

	for (; proto[n] && n < sizeof(lower) - 1; n++)
		lower[n] = (char)(proto[n] | 0x20);
	lower[n] = 0;
	if (old)
		snprintf(text, sizeof(text), "%s%s%s", lower,
		    strcmp(family, "4") ? "6" : "4",
		    strcmp(lower, "bgp") ? "" : "_session");
	else
		snprintf(text, sizeof(text), "bird_protocol");
	while (i < m->prefix_cnt && strcmp(m->prefix[i], text))
		i++;
	if (i == m->prefix_cnt && i < PREFIX_MAX - 1)
		memcpy(m->prefix[m->prefix_cnt++], text, sizeof(text));
	return i;
}

static struct metric_row *
metrics_row(struct metrics *m)
{
	struct metric_row *r;

	if (m->cnt == ROWS_MAX)
		return NULL;
	if (m->cnt == m->room) {
		m->room = m->room ? 2 * m->room : 64;
		m->row = mem_realloc(MEM_OTHER, m->row, m->room, sizeof(*m->row));
	}
	r = &m->row[m->cnt++];
	memset(r, 0, sizeof(*r));
	return r;
}

/* metrics_values - the counts of the channel @c. */
static void
metrics_values(struct metric_row *r, struct jview c)
{
	struct jview changes = jview_get(c, "changes");
	unsigned n = 0;

	for (size_t i = 0; i < COUNTS; i++)
		r->count[i] = jview_u64(
		    jview_get(jview_get(c, counts[i].object), counts[i].key), 0);
	for (size_t d = 0; d < LEN(directions); d++) {
		struct jview v = jview_get(changes, directions[d].key);

		for (size_t f = 0; f < LEN(fates); f++)
			r->change[n++] = jview_u64(jview_get(v, fates[f].key), 0);
	}
}

/* metrics_channel - the channel @c of the protocol @v; @first: of the protocol. */
static void
metrics_channel(
    struct job *j, struct jview v, struct jview c, const char *family, bool first)
{
	struct metric_row *r = metrics_row(j->state);
	double since = jview_seconds(jview_get(v, "since_unix_s"));
	struct strbuf text;
	char proto[16] = "";

	if (!r)
		return;
	(void)jview_copy(proto, sizeof(proto), jview_get(v, "protocol"));
	strbuf_init(&text);
	label_server(&text, j);
	if (!j->req.old) {
		label_add(&text, "export_filter", jview_get(c, "export_filter"));
		label_add(&text, "import_filter", jview_get(c, "import_filter"));
		label_text(&text, "ip_version", family);
	}
	label_add(&text, "name", jview_get(v, "name"));
	if (!j->req.old)
		label_text(&text, "proto", proto);
	r->labels = strbuf_take(&text);
	strbuf_reset(&text);
	label_add(
	    &text, "state", first ? jview_get(v, "info") : (struct jview){ NULL, 0 });
	r->state = strbuf_take(&text);
	strbuf_fini(&text);
	r->prefix = metrics_prefix(j->state, j->req.old, proto, family);
	r->up = jview_is(jview_get(v, "state"), "up");
	r->uptime_s = since > 0 && time(NULL) > (time_t)since
			  ? (uint64_t)time(NULL) - (uint64_t)since
			  : 0;
	metrics_values(r, c);
}

/* metrics_own - tern's own metrics of the channel @c. */
static void
metrics_own(struct job *j, struct jview v, struct jview c)
{
	struct jview at = jview_get(c, "reasons"), key, item;
	struct jview dirty = jview_get(jview_get(c, "sending"), "dirty_networks");
	struct strbuf *o;

	while (jview_next(&at, &key, &item)) {
		o = metrics_own_add(j, OWN_REFUSED);
		label_add(o, "name", jview_get(v, "name"));
		label_add(o, "channel", jview_get(c, "name"));
		label_add(o, "reason", key);
		own_end(o, item);
	}
	if (!dirty.p)
		return;
	o = metrics_own_add(j, OWN_DIRTY);
	label_add(o, "name", jview_get(v, "name"));
	label_add(o, "channel", jview_get(c, "name"));
	own_end(o, dirty);
}

static void
metrics_protocol(struct job *j, struct jview v)
{
	static const char *const known[] = { "BGP", "Static", "Kernel", "Direct",
		"RPKI" };
	struct jview proto = jview_get(v, "protocol"), at = jview_get(v, "channels"), c,
		     other = { NULL, 0 };
	struct jview age = jview_get(jview_get(v, "rpki"), "updated_age_s");
	bool wanted = false, any = false;

	for (size_t i = 0; i < LEN(known); i++)
		wanted |= jview_is(proto, known[i]);
	if (!wanted)
		return;
	while (jview_next(&at, NULL, &c)) {
		bool v4 = jview_is(jview_get(c, "name"), "ipv4");

		metrics_own(j, v, c);
		if (!v4 && !jview_is(jview_get(c, "name"), "ipv6"))
			other = c;
		if (other.p == c.p)
			continue;
		metrics_channel(j, v, c, v4 ? "4" : "6", !any);
		any = true;
	}
	if (!any)
		metrics_channel(j, v, other, "", true);
	if (age.p) {
		struct strbuf *o = metrics_own_add(j, OWN_AGE);

		label_add(o, "name", jview_get(v, "name"));
		own_end(o, age);
	}
}

/* --- The daemon --- */

/* metrics_daemon - a metric of the daemon with the labels so far in @labels. */
static void
metrics_daemon(struct job *j, int which, const char *labels, double value)
{
	struct metrics *m = j->state;
	struct strbuf *o = &m->daemon[which];

	strbuf_adds(o, daemon_head[which]);
	if (m->servers > 1 || *labels) {
		strbuf_addc(o, '{');
		label_server(o, j);
		if (m->servers > 1 && *labels)
			strbuf_addc(o, ',');
		strbuf_addf(o, "%s}", labels);
	}
	strbuf_addf(o, " %.3f\n", value);
}

static void
metrics_status(struct job *j, struct jview v)
{
	struct strbuf labels;

	strbuf_init(&labels);
	label_add(&labels, "router_id", jview_get(v, "router_id"));
	label_add(&labels, "version", jview_get(v, "bird_version"));
	metrics_daemon(j, 0, "", 1);
	metrics_daemon(j, 1, labels.s, 1);
	metrics_daemon(j, 2, "", jview_seconds(jview_get(v, "started_unix_s")));
	metrics_daemon(j, 3, "", jview_seconds(jview_get(v, "configured_unix_s")));
	metrics_daemon(j, 4, "", jview_seconds(jview_get(v, "now_unix_s")));
	strbuf_fini(&labels);
}

static void
metrics_line(struct job *j, struct jview v)
{
	struct jview type = jview_get(v, "type");
	struct strbuf *o;

	/* old values are no measurement */
	if (j->stale)
		return;
	if (jview_is(type, "status")) {
		metrics_status(j, v);
	} else if (jview_is(type, "protocol")) {
		metrics_protocol(j, v);
	} else if (jview_is(type, "table")) {
		o = metrics_own_add(j, OWN_NETWORKS);
		label_add(o, "table", jview_get(v, "name"));
		own_end(o, jview_get(v, "networks"));
		if (!jview_get(v, "routes").p)
			return;
		o = metrics_own_add(j, OWN_ROUTES);
		label_add(o, "table", jview_get(v, "name"));
		own_end(o, jview_get(v, "routes"));
	} else if (jview_is(type, "memory")) {
		o = metrics_own_add(j, OWN_MEMORY);
		label_add(o, "kind", jview_get(v, "name"));
		own_end(o, jview_get(v, "effective_octets"));
	}
}

static void
metrics_step(struct job *j)
{
	struct metrics *m = j->state;

	if (j->now->ask != ASK_PROTOCOLS)
		return;
	strbuf_adds(&m->query, "bird_socket_query_success");
	if (m->servers > 1) {
		strbuf_addc(&m->query, '{');
		label_server(&m->query, j);
		strbuf_addc(&m->query, '}');
	}
	strbuf_addf(&m->query, " %d\n", !j->rc);
}

/* --- The text --- */

/* metrics_suffix - the metrics with one suffix, one for each prefix. @which: the count or
 * change; -1: the uptime; -2: the state. */
static void
metrics_suffix(struct job *j, const char *suffix, int which)
{
	struct metrics *m = j->state;
	struct strbuf *o = &j->out;

	for (unsigned p = 0; p < m->prefix_cnt; p++) {
		strbuf_addf(o, "# TYPE %s_%s gauge\n", m->prefix[p], suffix);
		for (unsigned i = 0; i < m->cnt; i++) {
			const struct metric_row *r = &m->row[i];
			uint64_t v = which == -2      ? r->up
				     : which < 0      ? r->uptime_s
				     : which < COUNTS ? r->count[which]
						      : r->change[which - COUNTS];

			if (r->prefix != p)
				continue;
			strbuf_addf(o, "%s_%s{%s%s%s} %llu\n", m->prefix[p], suffix,
			    r->labels, which == -2 ? "," : "",
			    which == -2 ? r->state : "", (unsigned long long)v);
		}
	}
}

static void
metrics_end(struct job *j)
{
	struct metrics *m = j->state;
	struct strbuf *o = &j->out;
	char suffix[64];
	int n = COUNTS;

	strbuf_addf(o, "# TYPE bird_socket_query_success gauge\n%s", m->query.s);
	for (size_t i = 0; i < LEN(m->daemon); i++)
		if (m->daemon[i].len)
			strbuf_addf(
			    o, "# TYPE %s gauge\n%s", daemon_head[i], m->daemon[i].s);
	metrics_suffix(j, "up", -2);
	metrics_suffix(j, "uptime", -1);
	for (int i = 0; i < COUNTS; i++)
		metrics_suffix(j, j->req.old ? counts[i].old : counts[i].suffix, i);
	for (size_t d = 0; d < LEN(directions); d++)
		for (size_t f = 0; f < LEN(fates); f++) {
			snprintf(suffix, sizeof(suffix), "changes_%s_%s_count",
			    directions[d].name, fates[f].name);
			metrics_suffix(j, suffix, n++);
		}
	for (size_t i = 0; i < LEN(m->own); i++)
		if (m->own[i].len)
			strbuf_addf(o, "# TYPE %s gauge\n%s", own_head[i], m->own[i].s);
}

static void
metrics_problem(struct job *j, const char *detail)
{
	j->type = "text/plain; charset=utf-8";
	strbuf_addf(&j->out, "%s\n", detail);
}

const struct view metrics_view = {
	.type = "text/plain; version=0.0.4; charset=utf-8",
	.state_size = sizeof(struct metrics),
	.begin = metrics_begin,
	.line = metrics_line,
	.step = metrics_step,
	.end = metrics_end,
	.problem = metrics_problem,
	.free = metrics_free,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics in the text format of Prometheus or in OpenMetrics. Loop: the
 * only thread of ternhttp.
 *
 * The format wants all series of a metric together, and a daemon sends protocol by
 * protocol: the view gathers the values of all channels and writes the text at the end.
 * The series of one server have the labels of bird_exporter; a request for several
 * servers adds the label `daemon`.
 *
 * Tested by test/net/test_http_metrics.py. */
#include "client/http/metrics/metrics.h"
#include "client/http/metrics/metrics_priv.h"

#include "client/http/job/ask.h"
#include "client/http/job/jview.h"
#include "client/http/job/request.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
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
	uint32_t cnt, cap;
	unsigned servers; /* in question */
	char prefix[PREFIX_MAX][PREFIX_LEN]; /* of names, each once */
	unsigned prefix_cnt;
	struct tern_metrics tern;
	struct strbuf query;
	struct strbuf daemon[5];
};

static const char *const daemon_head[] = { "bird_daemon_up", "bird_daemon_info",
	"bird_last_reboot_timestamp_seconds", "bird_last_reconfig_timestamp_seconds",
	"bird_server_time_timestamp_seconds" };

static void
metrics_begin(struct job *j)
{
	static const enum ask asks[] = { ASK_STATUS, ASK_PROTOCOLS, ASK_TABLES,
		ASK_MEMORY, ASK_THREADS, ASK_HEALTH };
	struct metrics *m = j->state;

	strbuf_init(&m->query);
	tern_metric_init(&m->tern);
	if (j->req.openmetrics)
		j->type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
	for (size_t i = 0; i < LEN(m->daemon); i++)
		strbuf_init(&m->daemon[i]);
	for (unsigned i = 0; i < j->web->server_cnt; i++) {
		if (!job_wants(j, i))
			continue;
		m->servers++;
		for (size_t k = 0; k < LEN(asks); k++)
			(void)job_ask(j, i, asks[k], NULL);
	}
	m->tern.daemons = m->servers > 1;
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
	tern_metric_fini(&m->tern);
	for (size_t i = 0; i < LEN(m->daemon); i++)
		strbuf_fini(&m->daemon[i]);
}

/* metrics_label_server - the label `daemon`, if the request concerns several servers. */
static void
metrics_label_server(struct strbuf *o, struct job *j)
{
	const struct metrics *m = j->state;

	if (m->servers > 1)
		label_text(o, "daemon", j->web->server[j->now->server].name);
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
	m->row = vec_room(MEM_OTHER, m->row, &m->cap, m->cnt + 1, sizeof(*m->row));
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
	metrics_label_server(&text, j);
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

static void
metrics_protocol(struct job *j, struct jview v)
{
	static const char *const known[] = { "BGP", "Static", "Kernel", "Direct",
		"RPKI" };
	struct jview proto = jview_get(v, "protocol"), at = jview_get(v, "channels"), c,
		     other = { NULL, 0 };
	struct metrics *m = j->state;
	bool wanted = false, any = false;

	for (size_t i = 0; i < LEN(known); i++)
		wanted |= jview_is(proto, known[i]);
	if (!wanted)
		return;
	tern_metric_protocol(&m->tern, j, v);
	while (jview_next(&at, NULL, &c)) {
		bool v4 = jview_is(jview_get(c, "name"), "ipv4");

		tern_metric_channel(&m->tern, j, v, c);
		if (!v4 && !jview_is(jview_get(c, "name"), "ipv6"))
			other = c;
		if (other.p == c.p)
			continue;
		metrics_channel(j, v, c, v4 ? "4" : "6", !any);
		any = true;
	}
	if (!any)
		metrics_channel(j, v, other, "", true);
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
		metrics_label_server(o, j);
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
	struct metrics *m = j->state;
	struct jview type = jview_get(v, "type");

	/* old values are no measurement */
	if (j->reply.stale)
		return;
	if (jview_is(type, "status"))
		metrics_status(j, v);
	if (jview_is(type, "protocol"))
		metrics_protocol(j, v);
	else
		tern_metric_line(&m->tern, j, v);
}

static void
metrics_step(struct job *j)
{
	struct metrics *m = j->state;

	tern_metric_step(&m->tern, j);
	if (j->now->ask != ASK_PROTOCOLS)
		return;
	strbuf_adds(&m->query, "bird_socket_query_success");
	if (m->servers > 1) {
		strbuf_addc(&m->query, '{');
		metrics_label_server(&m->query, j);
		strbuf_addc(&m->query, '}');
	}
	strbuf_addf(&m->query, " %d\n", !j->reply.rc);
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
	tern_metric_write(&m->tern, o, j->req.openmetrics);
	if (j->req.openmetrics)
		strbuf_adds(o, "# EOF\n");
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
	.paged = true,
	.begin = metrics_begin,
	.line = metrics_line,
	.step = metrics_step,
	.end = metrics_end,
	.problem = metrics_problem,
	.free = metrics_free,
};

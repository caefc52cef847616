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
#include "lib/json/jview.h"
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

#define DAEMON_HEADS 5 /* metrics of a daemon */

#define METRICS_KEY(name, key) key,
static const char *const protocol_key[] = { METRIC_OF_PROTOCOL(METRICS_KEY) };
static const char *const channel_key[] = { METRIC_OF_CHANNEL(METRICS_KEY) };

/* The counts of a channel: key in JSON, suffix in the new form, in the old form. */
static const char *const count_key[] = { "imported", "exported", "filtered",
	"preferred" };
static const char *const count_new[] = { "prefix_import_count", "prefix_export_count",
	"prefix_filter_count", "prefix_preferred_count" };
static const char *const count_old[] = { "prefix_count_import", "prefix_count_export",
	"prefix_count_filter", "prefix_count_preferred" };
static const char *const count_help[] = { "accepted routes of the channel",
	"routes sent by the channel", "filtered routes that the table keeps",
	"routes of the channel that are best" };
/* The changes of a channel: keys in JSON, parts of the suffix. */
static const char *const way_key[] = { "import_updates", "import_withdraws",
	"export_updates", "export_withdraws" };
static const char *const way_name[] = { "update_import", "withdraw_import",
	"update_export", "withdraw_export" };
static const char *const way_help[] = { "updates from the peer",
	"withdrawals from the peer", "updates to the peer", "withdrawals to the peer" };
static const char *const fate_key[] = { "received", "rejected", "filtered", "accepted",
	"ignored" };
static const char *const fate_name[] = { "receive", "reject", "filter", "accept",
	"ignore" };

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
enum { COUNTS = LEN(count_key), WAYS = LEN(way_key), FATES = LEN(fate_key) };

/* A channel of a protocol. */
struct metric_row {
	char *labels; /* without braces */
	size_t labels_len;
	char *state; /* the label of `up` */
	unsigned prefix; /* of the name: index of struct metrics.prefix */
	bool up;
	uint64_t uptime_s, count[COUNTS], change[WAYS * FATES];
};

/* owner: the job. */
struct metrics {
	struct metric_row *row;
	uint32_t cnt, cap;
	unsigned servers; /* in question */
	char prefix[PREFIX_MAX][PREFIX_LEN]; /* of names, each once */
	unsigned prefix_cnt;
	struct tern_metrics tern;
	struct bfd_metrics bfd;
	bool has_bfd; /* the present daemon */
	struct strbuf query;
	struct strbuf daemon[DAEMON_HEADS];
};

static const struct {
	const char *name, *help;
} daemon_head[] = { { "bird_daemon_up", "1: the daemon answers" },
	{ "bird_daemon_info", "router id and version of the daemon" },
	{ "bird_last_reboot_timestamp_seconds", "start of the daemon" },
	{ "bird_last_reconfig_timestamp_seconds", "last configuration" },
	{ "bird_server_time_timestamp_seconds", "time of the daemon" } };

static void
metrics_begin(struct job *j)
{
	/* the first two questions are part of each answer */
	static const enum ask asks[] = { ASK_STATUS, ASK_PROTOCOLS, ASK_TABLES,
		ASK_MEMORY, ASK_THREADS, ASK_HEALTH };
	size_t cnt = request_collects(&j->req, COLLECT_SERVER) ? LEN(asks) : 2;
	struct metrics *m = j->state;

	strbuf_init(&m->query);
	tern_metric_init(&m->tern);
	bfd_metric_init(&m->bfd);
	if (j->req.openmetrics)
		j->type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
	for (size_t i = 0; i < LEN(m->daemon); i++)
		strbuf_init(&m->daemon[i]);
	for (unsigned i = 0; i < j->web->server_cnt; i++) {
		if (!job_wants(j, i))
			continue;
		m->servers++;
		for (size_t k = 0; k < cnt; k++)
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
	bfd_metric_fini(&m->bfd);
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

	for (; n < sizeof(lower) - 1 && proto[n]; n++)
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

/* metrics_values - the counts of the channel with the members @c. */
static void
metrics_values(struct metric_row *r, const struct jview *c)
{
	struct jview count[COUNTS], way[WAYS], fate[FATES];

	jview_pick(count, c[METRIC_CHANNEL_ROUTES], count_key, COUNTS);
	for (int i = 0; i < COUNTS; i++)
		r->count[i] = jview_u64(count[i], 0);
	jview_pick(way, c[METRIC_CHANNEL_CHANGES], way_key, WAYS);
	for (int w = 0; w < WAYS; w++) {
		jview_pick(fate, way[w], fate_key, FATES);
		for (int f = 0; f < FATES; f++)
			r->change[w * FATES + f] = jview_u64(fate[f], 0);
	}
}

/* metrics_channel - the channel with the members @c of the protocol with the members @v;
 * @first: of the protocol. */
static void
metrics_channel(struct job *j, const struct jview *v, const struct jview *c,
    const char *family, bool first)
{
	struct metric_row *r = metrics_row(j->state);
	double since = jview_seconds(v[METRIC_PROTOCOL_SINCE]);
	struct strbuf text;
	char proto[16] = "";

	if (!r)
		return;
	(void)jview_copy(proto, sizeof(proto), v[METRIC_PROTOCOL_PROTOCOL]);
	strbuf_init(&text);
	metrics_label_server(&text, j);
	if (!j->req.old) {
		label_add(&text, "export_filter", c[METRIC_CHANNEL_EXPORT]);
		label_add(&text, "import_filter", c[METRIC_CHANNEL_IMPORT]);
		label_text(&text, "ip_version", family);
	}
	label_add(&text, "name", v[METRIC_PROTOCOL_NAME]);
	if (!j->req.old)
		label_text(&text, "proto", proto);
	r->labels_len = text.len;
	r->labels = strbuf_take(&text);
	strbuf_reset(&text);
	label_add(
	    &text, "state", first ? v[METRIC_PROTOCOL_INFO] : (struct jview){ NULL, 0 });
	r->state = strbuf_take(&text);
	strbuf_fini(&text);
	r->prefix = metrics_prefix(j->state, j->req.old, proto, family);
	r->up = jview_is(v[METRIC_PROTOCOL_STATE], "up");
	r->uptime_s = since > 0 && time(NULL) > (time_t)since
			  ? (uint64_t)time(NULL) - (uint64_t)since
			  : 0;
	metrics_values(r, c);
}

/* metrics_channels - the channels of the protocol with the members @v. */
static void
metrics_channels(struct job *j, const struct jview *v)
{
	struct jview at = v[METRIC_PROTOCOL_CHANNELS], item;
	struct jview c[METRIC_CHANNEL_CNT], other[METRIC_CHANNEL_CNT];
	struct metrics *m = j->state;
	bool any = false;

	memset(other, 0, sizeof(other));
	while (jview_next(&at, NULL, &item)) {
		bool v4;

		jview_pick(c, item, channel_key, METRIC_CHANNEL_CNT);
		v4 = jview_is(c[METRIC_CHANNEL_NAME], "ipv4");
		tern_metric_channel(&m->tern, j, v, c);
		if (!v4 && !jview_is(c[METRIC_CHANNEL_NAME], "ipv6")) {
			memcpy(other, c, sizeof(other));
			continue;
		}
		metrics_channel(j, v, c, v4 ? "4" : "6", !any);
		any = true;
	}
	if (!any)
		metrics_channel(j, v, other, "", true);
}

static void
metrics_protocol(struct job *j, struct jview line)
{
	static const char *const known[] = { "BGP", "Static", "Kernel", "Direct",
		"RPKI" };
	struct jview v[METRIC_PROTOCOL_CNT];
	struct metrics *m = j->state;
	bool wanted = false;

	jview_pick(v, line, protocol_key, METRIC_PROTOCOL_CNT);
	m->has_bfd |= jview_is(v[METRIC_PROTOCOL_PROTOCOL], "BFD");
	for (size_t i = 0; i < LEN(known); i++)
		wanted |= jview_is(v[METRIC_PROTOCOL_PROTOCOL], known[i]);
	if (!wanted)
		return;
	if (request_collects(&j->req, COLLECT_MEMBERS))
		tern_metric_protocol(&m->tern, j, v);
	metrics_channels(j, v);
}

/* --- The daemon --- */

/* metrics_daemon - a metric of the daemon with the labels so far in @labels. */
static void
metrics_daemon(struct job *j, int which, const char *labels, double value)
{
	struct metrics *m = j->state;
	struct strbuf *o = &m->daemon[which];

	strbuf_adds(o, daemon_head[which].name);
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
	else if (jview_is(type, "bfd_session"))
		bfd_metric_line(&m->bfd,
		    m->servers > 1 ? j->web->server[j->now->server].name : NULL, v);
	else if (request_collects(&j->req, COLLECT_SERVER))
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
	/* the page of counters has no BFD sessions */
	if (m->has_bfd && request_collects(&j->req, COLLECT_PROTOCOLS))
		(void)job_ask(j, j->now->server, ASK_BFD, NULL);
	m->has_bfd = false;
}

/* --- The text --- */

/* metrics_suffix - the metrics with one suffix, one for each prefix. @which: the count or
 * change; -1: the uptime; -2: the state. */
static void
metrics_suffix(struct job *j, const char *suffix, const char *help, int which)
{
	struct metrics *m = j->state;
	struct strbuf *o = &j->out;

	for (unsigned p = 0; p < m->prefix_cnt; p++) {
		char head[PREFIX_LEN + 64];
		size_t len = (size_t)snprintf(
		    head, sizeof(head), "%s_%s{", m->prefix[p], suffix);

		strbuf_addf(o, "# HELP %s_%s %s\n# TYPE %s_%s gauge\n", m->prefix[p],
		    suffix, help, m->prefix[p], suffix);
		for (unsigned i = 0; i < m->cnt; i++) {
			const struct metric_row *r = &m->row[i];

			if (r->prefix != p)
				continue;
			strbuf_add(o, head, len);
			strbuf_add(o, r->labels, r->labels_len);
			if (which == -2) {
				strbuf_addc(o, ',');
				strbuf_adds(o, r->state);
			}
			strbuf_add(o, "} ", 2);
			strbuf_addu64(o, which == -2      ? r->up
					 : which < 0      ? r->uptime_s
					 : which < COUNTS ? r->count[which]
							  : r->change[which - COUNTS]);
			strbuf_addc(o, '\n');
		}
	}
}

/* metrics_groups - the metrics of protocols in the wanted groups. */
static void
metrics_groups(struct job *j)
{
	const char *const *count = j->req.old ? count_old : count_new;
	char suffix[64], help[64];

	if (request_collects(&j->req, COLLECT_PROTOCOLS)) {
		metrics_suffix(j, "up", "1: the protocol is up", -2);
		metrics_suffix(
		    j, "uptime", "seconds since the last change of the state", -1);
		for (int i = 0; i < COUNTS; i++)
			metrics_suffix(j, count[i], count_help[i], i);
	}
	if (!request_collects(&j->req, COLLECT_CHANGES))
		return;
	for (int i = 0; i < WAYS * FATES; i++) {
		snprintf(suffix, sizeof(suffix), "changes_%s_%s_count",
		    way_name[i / FATES], fate_name[i % FATES]);
		snprintf(help, sizeof(help), "%s: %s", way_help[i / FATES],
		    fate_key[i % FATES]);
		metrics_suffix(j, suffix, help, COUNTS + i);
	}
}

static void
metrics_end(struct job *j)
{
	struct metrics *m = j->state;
	struct strbuf *o = &j->out;

	strbuf_addf(o,
	    "# HELP bird_socket_query_success 1: the daemon has answered\n"
	    "# TYPE bird_socket_query_success gauge\n%s",
	    m->query.s);
	for (size_t i = 0; i < LEN(m->daemon); i++)
		if (m->daemon[i].len)
			strbuf_addf(o, "# HELP %s %s\n# TYPE %s gauge\n%s",
			    daemon_head[i].name, daemon_head[i].help, daemon_head[i].name,
			    m->daemon[i].s);
	metrics_groups(j);
	bfd_metric_write(&m->bfd, o);
	tern_metric_write(&m->tern, o, &j->req);
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

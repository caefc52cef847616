/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API of birdwatcher. Facts about the reader, Alice-LG 6.2: Loop: the only thread of
 * ternhttp.
 *
 * - Alice-LG never looks at the status of HTTP. JSON without `routes` counts as no
 * route,
 *   so an error is plain text, which Alice-LG shows as an error.
 * - Times have no decimals and no zone; tern gives UTC, the default of Alice-LG. -
 * Alice-LG asks for the neighbors at most once until `ttl`.
 *
 * Tested by test/net/test_http_bw.py. */
#include "client/http/bw/bw.h"

#include "client/http/job/ask.h"
#include "client/http/job/jview.h"
#include "client/http/job/request.h"
#include "lib/base/json.h"
#include "lib/base/strbuf.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define BW_TTL_S 60

/* owner: the job. */
struct bw {
	bool more; /* a value stands before the next value */
	bool head;
	unsigned code;
	int rc;
	char address[64]; /* of the session */
};

static void
bw_time(char *to, size_t size, const char *format, double unix_s)
{
	time_t t = (time_t)unix_s;
	struct tm tm;

	strftime(to, size, format, gmtime_r(&t, &tm));
}

/* bw_ask - the question of a page. */
static enum ask
bw_ask(enum page page)
{
	switch (page) {
	case PAGE_BW_STATUS:
		return ASK_STATUS;
	case PAGE_BW_PROTOCOLS:
	case PAGE_BW_BGP:
		return ASK_PROTOCOLS;
	case PAGE_BW_FILTERED:
		return ASK_FILTERED;
	case PAGE_BW_NOEXPORT:
		return ASK_NOT_EXPORTED;
	case PAGE_BW_TABLE:
		return ASK_TABLE_ROUTES;
	case PAGE_BW_TABLE_FILTERED:
		return ASK_TABLE_FILTERED;
	default:
		return ASK_ACCEPTED;
	}
}

static void
bw_begin(struct job *j)
{
	enum ask ask = bw_ask(j->req.page);

	/* birdwatcher's name of BIRD 1 */
	if (ask == ASK_TABLE_ROUTES || ask == ASK_TABLE_FILTERED)
		if (!strcmp(j->req.args.name, "master"))
			snprintf(j->req.args.name, sizeof(j->req.args.name), "master4");
	for (unsigned i = 0; i < j->web->server_cnt; i++) {
		if (!job_wants(j, i))
			continue;
		/* the session's address, and whether there is such a session */
		if (ask == ASK_ACCEPTED || ask == ASK_FILTERED || ask == ASK_NOT_EXPORTED)
			(void)job_ask(j, i, ASK_PROTOCOL, &j->req.args);
		(void)job_ask(j, i, ask, &j->req.args);
	}
	if (!j->put)
		job_problem(j, 404, "no such server");
}

/* bw_head - the envelope, up to the data. */
static void
bw_head(struct job *j)
{
	struct bw *b = j->state;
	double now = (double)time(NULL);
	char at[32], ttl[32];

	if (b->head)
		return;
	b->head = true;
	bw_time(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", now - (double)j->age_ms / 1000);
	bw_time(ttl, sizeof(ttl), "%Y-%m-%dT%H:%M:%SZ", now + BW_TTL_S);
	strbuf_addf(&j->out,
	    "{\"api\":{\"Version\":\"2.0.0\",\"result_from_cache\":false,"
	    "\"cache_status\":{\"cached_at\":{\"date\":\"%s\","
	    "\"timezone_type\":\"UTC\",\"timezone\":\"UTC\"}}},"
	    "\"cached_at\":\"%s\",\"ttl\":\"%s\",\n",
	    at, at, ttl);
	if (j->req.page == PAGE_BW_STATUS)
		strbuf_adds(&j->out, "\"status\":");
	else if (j->req.page == PAGE_BW_PROTOCOLS || j->req.page == PAGE_BW_BGP)
		strbuf_adds(&j->out, "\"protocols\":{");
	else
		strbuf_adds(&j->out, "\"routes\":[");
}

/* bw_next - the head, or a comma. */
static void
bw_next(struct job *j)
{
	struct bw *b = j->state;

	bw_head(j);
	if (b->more)
		strbuf_adds(&j->out, ",\n");
	b->more = true;
}

static void
bw_copy(struct json *o, const char *key, struct jview v, const char *none)
{
	char text[256];

	json_str(o, key, jview_copy(text, sizeof(text), v) ? text : none);
}

static void
bw_when(struct json *o, const char *key, struct jview v)
{
	double at = jview_seconds(v);
	char text[32];

	bw_time(text, sizeof(text), "%Y-%m-%d %H:%M:%S", at > 0 ? at : 0);
	json_str(o, key, text);
}

static void
bw_status(struct job *j, struct jview v)
{
	struct json o;

	bw_next(j);
	json_init(&o, &j->out);
	json_open(&o, NULL);
	bw_copy(&o, "version", jview_get(v, "bird_version"), "unknown");
	bw_copy(&o, "router_id", jview_get(v, "router_id"), "0.0.0.0");
	json_str(&o, "message", "Daemon is up and running");
	bw_when(&o, "current_server", jview_get(v, "now_unix_s"));
	bw_when(&o, "last_reboot", jview_get(v, "started_unix_s"));
	bw_when(&o, "last_reconfig", jview_get(v, "configured_unix_s"));
	json_close(&o);
}

/* The counts of routes of birdwatcher. */
static const char *const bw_counts[] = { "imported", "filtered", "exported",
	"preferred" };
enum { BW_COUNTS = sizeof(bw_counts) / sizeof(bw_counts[0]) };

static void
bw_routes(struct json *o, const char *key, const uint64_t *count)
{
	json_open(o, key);
	for (int i = 0; i < BW_COUNTS; i++)
		json_u64(o, bw_counts[i], count[i]);
	json_close(o);
}

/* bw_channels - the counts of each channel, and the sum. Alice-LG 6.2 reads the counts of
 * a family as `routes_count`, birdwatcher writes `routes`. */
static void
bw_channels(struct json *o, struct jview v)
{
	struct jview at = jview_get(v, "channels"), c, whole = jview_get(v, "routes");
	uint64_t sum[BW_COUNTS] = { 0 }, count[BW_COUNTS];
	char name[32];

	for (int i = 0; i < BW_COUNTS; i++)
		sum[i] = jview_u64(jview_get(whole, bw_counts[i]), 0);
	json_open(o, "channels");
	while (jview_next(&at, NULL, &c)) {
		if (!jview_copy(name, sizeof(name), jview_get(c, "name")))
			continue;
		for (int i = 0; i < BW_COUNTS; i++) {
			count[i] = jview_u64(
			    jview_get(jview_get(c, "routes"), bw_counts[i]), 0);
			sum[i] += count[i];
		}
		json_open(o, name);
		bw_routes(o, "routes", count);
		bw_routes(o, "routes_count", count);
		json_close(o);
	}
	json_close(o);
	bw_routes(o, "routes", sum);
}

static void
bw_protocol(struct job *j, struct jview v)
{
	struct jview kind = jview_get(v, "protocol"), bgp = jview_get(v, "bgp");
	struct jview at = jview_get(v, "channels"), c = { NULL, 0 };
	bool up = jview_is(jview_get(v, "state"), "up");
	struct jview table = jview_get(v, "table");
	struct json o;

	if (j->req.page == PAGE_BW_BGP && !jview_is(kind, "BGP"))
		return;
	bw_next(j);
	strbuf_add(&j->out, jview_get(v, "name").p, jview_get(v, "name").len);
	strbuf_addc(&j->out, ':');
	/* as birdwatcher, the table of the last channel */
	while (jview_next(&at, NULL, &c))
		table = jview_get(c, "table");
	json_init(&o, &j->out);
	json_open(&o, NULL);
	bw_copy(&o, "bird_protocol", kind, "");
	bw_copy(&o, "protocol", jview_get(v, "name"), "");
	bw_copy(&o, "table", table, "");
	json_str(&o, "state", up ? "UP" : "DOWN");
	bw_when(&o, "state_changed", jview_get(v, "since_unix_s"));
	bw_copy(&o, "description", jview_get(v, "description"), "");
	bw_copy(&o, "neighbor_address", jview_get(bgp, "neighbor_address"), "");
	json_u64(&o, "neighbor_as", jview_u64(jview_get(bgp, "neighbor_as"), 0));
	bw_copy(&o, "last_error", jview_get(bgp, "last_error"), "");
	bw_copy(&o, "bgp_state", jview_get(bgp, "state"), "");
	bw_copy(&o, "neighbor_id", jview_get(bgp, "neighbor_id"), NULL);
	bw_channels(&o, v);
	json_close(&o);
}

static void
bw_line(struct job *j, struct jview v)
{
	struct bw *b = j->state;
	struct jview type = jview_get(v, "type");

	/* an old reply says nothing about the present state */
	if (j->stale)
		return;
	if (j->now->ask == ASK_PROTOCOL) {
		(void)jview_copy(b->address, sizeof(b->address),
		    jview_get(jview_get(v, "bgp"), "neighbor_address"));
	} else if (jview_is(type, "status")) {
		bw_status(j, v);
	} else if (jview_is(type, "protocol")) {
		bw_protocol(j, v);
	} else if (jview_is(type, "route") || jview_is(type, "filtered_route")) {
		bw_next(j);
		bw_route(&j->out, v, b->address);
	}
}

static void
bw_step(struct job *j)
{
	struct bw *b = j->state;

	if (j->rc && j->started)
		j->failed = true;
	if (j->rc)
		b->rc = j->rc;
	else if (j->code >= 8000 && j->code != 8099 && !b->code)
		b->code = j->code;
}

static void
bw_end(struct job *j)
{
	struct bw *b = j->state;

	if (b->rc && !j->started) {
		job_problem(j, job_gone(b->rc), "the route server does not answer");
		return;
	}
	if (b->code && !j->started && !b->head) {
		job_problem(j, 404, "no such protocol or table");
		return;
	}
	bw_head(j);
	if (j->req.page == PAGE_BW_STATUS)
		strbuf_adds(&j->out, "}\n");
	else if (j->req.page == PAGE_BW_PROTOCOLS || j->req.page == PAGE_BW_BGP)
		strbuf_adds(&j->out, "}}\n");
	else
		strbuf_adds(&j->out, "]}\n");
}

static void
bw_problem(struct job *j, const char *detail)
{
	j->type = "text/plain; charset=utf-8";
	strbuf_addf(&j->out, "%s\n", detail);
}

const struct view bw_view = {
	.type = "application/json",
	.state_size = sizeof(struct bw),
	.begin = bw_begin,
	.line = bw_line,
	.step = bw_step,
	.end = bw_end,
	.problem = bw_problem,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API of birdwatcher. Alice-LG never looks at the status of HTTP, and an object
 * without `routes` is an empty list for Alice-LG: errors are plain text, which Alice-LG
 * shows as an error. Loop: the only thread of ternhttp.
 *
 * Tables of members: Alice-LG asks for routes that the import refused
 * (/routes/filtered/NAME) and for routes that the pipe refused (/routes/pipe/filtered),
 * and shows both lists together. So, if the session's table is the peer table of a pipe,
 * /routes/filtered/NAME leaves out the second kind.
 *
 * Tested by test/net/test_http_bw.py. */
#include "client/http/bw/bw.h"

#include "client/http/job/ask.h"
#include "client/http/job/jcopy.h"
#include "lib/json/jview.h"
#include "client/http/job/request.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define BW_TTL_S    60
#define BW_TABLES   4 /* channels of a session */
#define BW_UTC_TIME "%Y-%m-%dT%H:%M:%SZ"

/* owner: the job. */
struct bw {
	bool more; /* a value stands before the next value */
	bool head;
	unsigned code;
	int rc;
	uint64_t count;
	char address[64]; /* of the session */
	/* Tables of the session's channels; `piped`: the peer table of a pipe. */
	struct {
		char name[ASK_NAME_MAX + 1];
		bool piped;
	} table[BW_TABLES];
	unsigned table_cnt;
	char member_table[ASK_NAME_MAX + 1]; /* of the pipe in question */
};

/* bw_ask - the question of a page. */
static enum ask
bw_ask(enum page page)
{
	switch (page) {
	case PAGE_BW_STATUS:
		return ASK_STATUS;
	case PAGE_BW_PROTOCOLS:
	case PAGE_BW_BGP:
	case PAGE_BW_PEER:
		return ASK_PROTOCOLS;
	case PAGE_BW_SHORT:
		return ASK_PROTOCOLS_SHORT;
	case PAGE_BW_FILTERED:
		return ASK_FILTERED;
	case PAGE_BW_NOEXPORT:
		return ASK_NO_EXPORT;
	case PAGE_BW_TABLE:
		return ASK_TABLE_ROUTES;
	case PAGE_BW_TABLE_FILTERED:
		return ASK_TABLE_FILTERED;
	case PAGE_BW_TABLE_PEER:
		return ASK_TABLE_FROM;
	case PAGE_BW_PIPE:
		return ASK_PIPE_NOT_EXPORTED;
	case PAGE_BW_PIPE_COUNT:
		return ASK_PIPE_COUNT;
	default:
		return ASK_ACCEPTED;
	}
}

static void
bw_begin(struct job *j)
{
	enum ask ask = bw_ask(j->req.page);

	/* birdwatcher's name of BIRD 1 */
	if (!strcmp(j->req.args.name, "master") && ask != ASK_ACCEPTED &&
	    ask != ASK_FILTERED && ask != ASK_NO_EXPORT)
		snprintf(j->req.args.name, sizeof(j->req.args.name), "master4");
	for (unsigned i = 0; i < j->web->server_cnt; i++) {
		if (!job_wants(j, i))
			continue;
		/* address and tables of the session, and whether the session exists */
		if (ask == ASK_ACCEPTED || ask == ASK_FILTERED || ask == ASK_NO_EXPORT)
			(void)job_ask(j, i, ASK_PROTOCOL, &j->req.args);
		if (ask == ASK_FILTERED)
			(void)job_ask(j, i, ASK_PIPES, NULL);
		(void)job_ask(j, i, ask, &j->req.args);
	}
	if (!j->put)
		job_problem(j, 404, "no such server");
}

static bool
bw_is_protocols(const struct job *j)
{
	return j->req.page == PAGE_BW_PROTOCOLS || j->req.page == PAGE_BW_BGP ||
	       j->req.page == PAGE_BW_SHORT;
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
	jcopy_time(at, sizeof(at), BW_UTC_TIME, now - (double)j->reply.age_ms / 1000);
	jcopy_time(ttl, sizeof(ttl), BW_UTC_TIME, now + BW_TTL_S);
	strbuf_addf(&j->out,
	    "{\"api\":{\"Version\":\"2.0.0\",\"result_from_cache\":false,"
	    "\"cache_status\":{\"cached_at\":{\"date\":\"%s\","
	    "\"timezone_type\":\"UTC\",\"timezone\":\"UTC\"}}},"
	    "\"cached_at\":\"%s\",\"ttl\":\"%s\",\n",
	    at, at, ttl);
	if (j->req.page == PAGE_BW_STATUS)
		strbuf_adds(&j->out, "\"status\":");
	else if (bw_is_protocols(j))
		strbuf_adds(&j->out, "\"protocols\":{");
	else if (j->req.page == PAGE_BW_PIPE_COUNT)
		strbuf_addf(&j->out, "\"routes\":%llu", (unsigned long long)b->count);
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

/* bw_session - keep facts of the session or pipe that the request names. */
static void
bw_session(struct job *j, struct jview v)
{
	struct bw *b = j->state;
	struct jview at = jview_get(v, "channels"), c;

	(void)jview_copy(b->address, sizeof(b->address),
	    jview_get(jview_get(v, "bgp"), "neighbor_address"));
	if (j->req.page == PAGE_BW_NOEXPORT)
		(void)jview_copy(b->member_table, sizeof(b->member_table),
		    jview_get(jview_get(v, "pipe"), "peer_table"));
	while (b->table_cnt < BW_TABLES && jview_next(&at, NULL, &c))
		if (jview_copy(b->table[b->table_cnt].name, sizeof(b->table[0].name),
			jview_get(c, "table")))
			b->table_cnt++;
}

/* bw_pipe - mark a table of the session that is the peer table of the pipe @v. */
static void
bw_pipe(struct bw *b, struct jview v)
{
	struct jview table = jview_get(jview_get(v, "pipe"), "peer_table");

	for (unsigned i = 0; i < b->table_cnt; i++)
		b->table[i].piped |= jview_is(table, b->table[i].name);
}

/* bw_peer - ask for the routes of the session @v, if the session has the address. */
static void
bw_peer(struct job *j, struct jview v)
{
	struct bw *b = j->state;
	struct jview have = jview_get(jview_get(v, "bgp"), "neighbor_address");
	struct ask_args a = { 0 };
	char text[IP_STR_MAX], name[ASK_NAME_MAX + 1];

	if (!jview_is(have, ip_str(text, j->req.args.prefix.addr)) ||
	    !jview_copy(name, sizeof(name), jview_get(v, "name")) ||
	    !ask_set_name(a.name, name))
		return;
	memcpy(b->address, text, sizeof(text));
	(void)job_ask(j, j->now->server, ASK_ACCEPTED, &a);
}

/* bw_wants - does the list of the page have the route @v? */
static bool
bw_wants(struct job *j, struct jview v)
{
	const struct bw *b = j->state;
	struct jview table = jview_get(v, "table"), by = jview_get(v, "filtered_by");

	if (*b->member_table && jview_is(table, b->member_table))
		return false;
	if (!by.p || jview_is(by, "import"))
		return true;
	for (unsigned i = 0; i < b->table_cnt; i++)
		if (b->table[i].piped && jview_is(table, b->table[i].name))
			return false;
	return true;
}

static void
bw_object(struct job *j, struct jview v)
{
	struct jview type = jview_get(v, "type");

	if (jview_is(type, "status")) {
		bw_next(j);
		bw_status(&j->out, v);
	} else if (jview_is(type, "protocol") && j->req.page == PAGE_BW_SHORT) {
		bw_next(j);
		bw_short(&j->out, v);
	} else if (jview_is(type, "protocol") &&
		   (j->req.page != PAGE_BW_BGP ||
		       jview_is(jview_get(v, "protocol"), "BGP"))) {
		bw_next(j);
		bw_protocol(&j->out, v);
	}
}

static void
bw_line(struct job *j, struct jview v)
{
	struct bw *b = j->state;
	struct jview type = jview_get(v, "type");

	/* an old reply says nothing about the present state */
	if (j->reply.stale)
		return;
	if (j->now->ask == ASK_PROTOCOL) {
		bw_session(j, v);
	} else if (j->now->ask == ASK_PIPES) {
		bw_pipe(b, v);
	} else if (j->req.page == PAGE_BW_PEER && j->now->ask == ASK_PROTOCOLS) {
		bw_peer(j, v);
	} else if (j->req.page == PAGE_BW_PIPE_COUNT) {
		b->count += jview_u64(jview_get(v, "shown"), 0);
	} else if (!jview_is(type, "route") && !jview_is(type, "filtered_route")) {
		bw_object(j, v);
	} else if (bw_wants(j, v)) {
		bw_next(j);
		bw_route(&j->out, v, b->address);
	}
}

static void
bw_step(struct job *j)
{
	struct bw *b = j->state;

	if (j->reply.rc && j->started)
		j->failed = true;
	if (j->reply.rc)
		b->rc = j->reply.rc;
	else if (job_is_refused(j) && !b->code)
		b->code = j->reply.code;
}

static void
bw_end(struct job *j)
{
	struct bw *b = j->state;

	if (b->rc && !j->started) {
		job_problem(j, job_gone(b->rc), "the route server does not answer");
		return;
	}
	/* no session has the address */
	if (j->req.page == PAGE_BW_PEER && !*b->address && !b->code)
		b->code = 9001;
	if (b->code && !j->started && !b->head) {
		job_problem(j, 404, "no such protocol or table");
		return;
	}
	bw_head(j);
	if (j->req.page == PAGE_BW_STATUS || j->req.page == PAGE_BW_PIPE_COUNT)
		strbuf_adds(&j->out, "}\n");
	else if (bw_is_protocols(j))
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

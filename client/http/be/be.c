/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API of Bird's Eye. IXP Manager reads an answer with a status of 400 and above as an
 * empty text, and ignores the body. Loop: the only thread of ternhttp.
 *
 * A list is preceded by a question for the count, since a list of more than BE_MAX
 * routes is an error; IXP Manager learns BE_MAX from `api.max_routes`. The list of
 * /routes/lc-zwild has no such bound: IXP Manager gathers the refused routes of members
 * there. This list has routes of the table with the communities, and routes that the
 * import filter refused with the communities.
 *
 * Tested by test/net/test_http_be.py. */
#include "client/http/be/be.h"

#include "client/http/job/ask.h"
#include "client/http/job/jcopy.h"
#include "lib/json/jview.h"
#include "client/http/job/request.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"

#include <stdio.h>
#include <string.h>

#define BE_MAX     1000 /* routes of a list */
#define BE_CLASSES 16 /* classes of symbols */

/* owner: the job. */
struct be {
	bool more; /* a value stands before the next value */
	bool head;
	unsigned code;
	int rc;
	uint64_t count;
	char address[64]; /* of the session */
	/* The symbols of each class: a list without brackets. */
	struct {
		char name[32];
		struct strbuf list;
	} class[BE_CLASSES];
	unsigned class_cnt;
};

/* The questions of a page: the count that the list may not exceed, the page's question,
 * and the name of the data. */
static const struct {
	enum page page;
	int count, ask; /* enum ask; -1: none */
	const char *data;
} be_page[] = {
	{ PAGE_BE_STATUS, -1, ASK_STATUS, "\"status\":" },
	{ PAGE_BE_BGP, -1, ASK_PROTOCOLS, "\"protocols\":{" },
	{ PAGE_BE_PROTOCOL, -1, ASK_PROTOCOL, "\"protocol\":" },
	{ PAGE_BE_SYMBOLS, -1, ASK_SYMBOLS, "\"symbols\":" },
	{ PAGE_BE_TABLES, -1, ASK_SYMBOLS, "\"symbols\":" },
	{ PAGE_BE_NAMES, -1, ASK_SYMBOLS, "\"symbols\":" },
	{ PAGE_BE_ROUTES, ASK_PROTOCOL_COUNT, ASK_ACCEPTED, "\"routes\":[" },
	{ PAGE_BE_TABLE, ASK_TABLE_COUNT, ASK_TABLE_ROUTES, "\"routes\":[" },
	{ PAGE_BE_EXPORT, ASK_EXPORT_COUNT, ASK_EXPORTED, "\"routes\":[" },
	{ PAGE_BE_ROUTES_COUNT, ASK_PROTOCOL_COUNT, -1, "\"count\":" },
	{ PAGE_BE_TABLE_COUNT, ASK_TABLE_COUNT, -1, "\"count\":" },
	{ PAGE_BE_EXPORT_COUNT, ASK_EXPORT_COUNT, -1, "\"count\":" },
	{ PAGE_BE_LARGE, -1, ASK_LARGE_COMMUNITY, "\"routes\":[" },
	{ PAGE_BE_FOR, -1, ASK_FOR, "\"routes\":[" },
	{ PAGE_BE_FOR_PROTOCOL, -1, ASK_FOR_PROTOCOL, "\"routes\":[" },
	{ PAGE_BE_FOR_TABLE, -1, ASK_FOR_TABLE, "\"routes\":[" },
	{ PAGE_BE_FOR_EXPORT, -1, ASK_FOR_EXPORT, "\"routes\":[" },
};
enum { BE_PAGES = sizeof(be_page) / sizeof(be_page[0]) };

/* be_row - the index of the page in be_page. */
static unsigned
be_row(const struct job *j)
{
	unsigned i = 0;

	while (i < BE_PAGES - 1 && be_page[i].page != j->req.page)
		i++;
	return i;
}

static void
be_begin(struct job *j)
{
	unsigned row = be_row(j);
	enum page page = j->req.page;
	bool table = page == PAGE_BE_TABLE || page == PAGE_BE_TABLE_COUNT ||
		     page == PAGE_BE_FOR_TABLE;

	/* the name of BIRD 1 */
	if (table && !strcmp(j->req.args.name, "master"))
		snprintf(j->req.args.name, sizeof(j->req.args.name), "master4");
	for (unsigned i = 0; i < j->web->server_cnt; i++) {
		if (!job_wants(j, i))
			continue;
		if (page == PAGE_BE_LARGE)
			(void)job_ask(j, i, ASK_PROTOCOL, &j->req.args);
		if (be_page[row].count >= 0)
			(void)job_ask(j, i, (enum ask)be_page[row].count, &j->req.args);
		if (be_page[row].ask >= 0)
			(void)job_ask(j, i, (enum ask)be_page[row].ask, &j->req.args);
		if (page == PAGE_BE_LARGE)
			(void)job_ask(j, i, ASK_FILTERED, &j->req.args);
	}
	if (!j->put)
		job_problem(j, 404, "no such server");
}

/* be_head - the envelope, up to the data. */
static void
be_head(struct job *j)
{
	struct be *b = j->state;

	if (b->head)
		return;
	b->head = true;
	strbuf_addf(&j->out,
	    "{\"api\":{\"from_cache\":false,\"ttl_mins\":1,\"version\":\"2.1.0\","
	    "\"max_routes\":%d},\n%s",
	    BE_MAX, be_page[be_row(j)].data);
}

/* be_next - the head, or a comma. */
static void
be_next(struct job *j)
{
	struct be *b = j->state;

	be_head(j);
	if (b->more)
		strbuf_adds(&j->out, ",\n");
	b->more = true;
}

static void
be_status(struct job *j, struct jview v)
{
	struct json o;

	be_next(j);
	json_init(&o, &j->out);
	json_open(&o, NULL);
	jcopy_text(&o, "version", jview_get(v, "bird_version"), "unknown");
	jcopy_text(&o, "router_id", jview_get(v, "router_id"), "0.0.0.0");
	jcopy_when(&o, "server_time", BE_TIME, jview_get(v, "now_unix_s"));
	jcopy_when(&o, "last_reboot", BE_TIME, jview_get(v, "started_unix_s"));
	jcopy_when(&o, "last_reconfig", BE_TIME, jview_get(v, "configured_unix_s"));
	json_str(&o, "message", "Daemon is up and running");
	json_close(&o);
}

static void
be_one_session(struct job *j, struct jview v)
{
	if (!jview_is(jview_get(v, "protocol"), "BGP"))
		return;
	be_next(j);
	if (j->req.page == PAGE_BE_BGP) {
		strbuf_add(&j->out, jview_get(v, "name").p, jview_get(v, "name").len);
		strbuf_addc(&j->out, ':');
	}
	be_protocol(&j->out, v);
}

/* be_symbol - add a symbol to the list of its class. */
static void
be_symbol(struct be *b, struct jview v)
{
	struct jview name = jview_get(v, "name"), class = jview_get(v, "class");
	unsigned i = 0;

	while (i < b->class_cnt && !jview_is(class, b->class[i].name))
		i++;
	if (i == BE_CLASSES || !name.p)
		return;
	if (i == b->class_cnt) {
		if (!jview_copy(b->class[i].name, sizeof(b->class[i].name), class))
			return;
		strbuf_init(&b->class[i].list);
		b->class_cnt++;
	}
	if (b->class[i].list.len)
		strbuf_addc(&b->class[i].list, ',');
	strbuf_add(&b->class[i].list, name.p, name.len);
}

/* be_symbols - the lists of all classes, or the list of one class. */
static void
be_symbols(struct job *j)
{
	static const char *const always[] = { "routing table", "protocol" };
	struct be *b = j->state;
	bool all = j->req.page == PAGE_BE_SYMBOLS, more = false;
	const char *one = j->req.page == PAGE_BE_NAMES ? "protocol" : "routing table";

	/* the page of IXP Manager wants both lists */
	for (int k = 0; k < 2; k++) {
		unsigned i = 0;

		while (i < b->class_cnt && strcmp(b->class[i].name, always[k]))
			i++;
		if (i == b->class_cnt && i < BE_CLASSES) {
			strbuf_init(&b->class[i].list);
			snprintf(
			    b->class[i].name, sizeof(b->class[i].name), "%s", always[k]);
			b->class_cnt++;
		}
	}
	if (all)
		strbuf_addc(&j->out, '{');
	for (unsigned i = 0; i < b->class_cnt; i++) {
		if (!all && strcmp(b->class[i].name, one) != 0)
			continue;
		if (all)
			strbuf_addf(
			    &j->out, "%s\"%s\":", more ? ",\n" : "", b->class[i].name);
		strbuf_addf(
		    &j->out, "[%s]", b->class[i].list.len ? b->class[i].list.s : "");
		more = true;
	}
	if (all)
		strbuf_addc(&j->out, '}');
}

/* be_marked - has the refused route @v a large community of the request? */
static bool
be_marked(struct job *j, struct jview v)
{
	struct jview at = jview_get(jview_get(v, "attributes"), "bgp_large_community");
	struct jview item, part;
	char text[1024], want[32];

	if (!jview_is(jview_get(v, "filtered_by"), "import"))
		return false;
	while (jview_next(&at, NULL, &item)) {
		struct jview in = item;
		bool same = true;

		for (int i = 0; i < 2; i++)
			same &= jview_next(&in, NULL, &part) &&
				jview_u64(part, UINT64_MAX) == j->req.args.large[i];
		if (same)
			return true;
	}
	snprintf(
	    want, sizeof(want), "(%u, %u, ", j->req.args.large[0], j->req.args.large[1]);
	return jview_copy(text, sizeof(text), jview_get(v, "added_communities")) &&
	       strstr(text, want);
}

static void
be_line(struct job *j, struct jview v)
{
	struct be *b = j->state;
	struct jview type = jview_get(v, "type");

	/* an old reply says nothing about the present state */
	if (j->reply.stale)
		return;
	if (jview_is(type, "status")) {
		be_status(j, v);
	} else if (jview_is(type, "protocol") && j->req.page == PAGE_BE_LARGE) {
		(void)jview_copy(b->address, sizeof(b->address),
		    jview_get(jview_get(v, "bgp"), "neighbor_address"));
	} else if (jview_is(type, "protocol")) {
		be_one_session(j, v);
	} else if (jview_is(type, "symbol")) {
		be_symbol(b, v);
	} else if (jview_is(type, "route_table")) {
		b->count += jview_u64(jview_get(v, "shown"), 0);
	} else if (jview_is(type, "route") || jview_is(type, "filtered_route")) {
		if (j->now->ask == ASK_FILTERED && !be_marked(j, v))
			return;
		be_next(j);
		be_route(&j->out, v, b->address);
	}
}

static void
be_step(struct job *j)
{
	struct be *b = j->state;
	unsigned row = be_row(j);
	char text[80];

	if (j->reply.rc && j->started)
		j->failed = true;
	if (j->reply.rc)
		b->rc = j->reply.rc;
	else if (job_is_refused(j) && !b->code)
		b->code = j->reply.code;
	if (be_page[row].ask < 0 || j->now->ask != be_page[row].count ||
	    b->count <= BE_MAX)
		return;
	snprintf(text, sizeof(text), "%llu routes, more than %d",
	    (unsigned long long)b->count, BE_MAX);
	job_problem(j, 403, text);
}

static void
be_end(struct job *j)
{
	struct be *b = j->state;
	const char *data = be_page[be_row(j)].data;
	size_t len = strlen(data);

	if (b->rc && !j->started) {
		job_problem(j, job_gone(b->rc), "the route server does not answer");
		return;
	}
	/* a protocol that is no BGP session has no object */
	if (!j->started && !b->head && (b->code || j->req.page == PAGE_BE_PROTOCOL)) {
		job_problem(j, 404, "no such protocol or table");
		return;
	}
	be_head(j);
	if (!strcmp(data, "\"symbols\":"))
		be_symbols(j);
	if (!strcmp(data, "\"count\":"))
		strbuf_addf(&j->out, "{\"routes\":%llu}", (unsigned long long)b->count);
	if (data[len - 1] == '[')
		strbuf_addc(&j->out, ']');
	if (data[len - 1] == '{')
		strbuf_addc(&j->out, '}');
	strbuf_adds(&j->out, "}\n");
}

static void
be_problem(struct job *j, const char *detail)
{
	j->type = "text/plain; charset=utf-8";
	strbuf_addf(&j->out, "%s\n", detail);
}

static void
be_free(struct job *j)
{
	struct be *b = j->state;

	for (unsigned i = 0; i < b->class_cnt; i++)
		strbuf_fini(&b->class[i].list);
}

const struct view be_view = {
	.type = "application/json",
	.state_size = sizeof(struct be),
	.begin = be_begin,
	.line = be_line,
	.step = be_step,
	.end = be_end,
	.problem = be_problem,
	.free = be_free,
};

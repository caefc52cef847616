/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API, version 1. The lines of the daemon are copied. Tested by
 * test/net/test_http.py. Loop: the only thread of ternhttp. */
#include "client/http/api/api.h"

#include "client/http/api/cursor.h"
#include "client/http/api/gather.h"
#include "client/http/api/place.h"
#include "client/http/api/questions.h"
#include "client/http/api/tag.h"
#include "client/http/job/ask.h"
#include "lib/json/jview.h"
#include "client/http/job/request.h"
#include "client/http/job/when.h"
#include "lib/wire/remedy.h"
#include "lib/wire/words.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* owner: the job. */
struct api {
	unsigned servers; /* whose object has begun */
	unsigned answers; /* servers that answered the question */
	int rc; /* of the last server that did not answer */
	unsigned code; /* of the last reply that was no success */
	char message[200];
	bool open; /* an object of a server is open */
	bool more; /* a line stands before the next line */
	struct gather gather;
	struct tag tag; /* of the answer */
	struct cursor cursor, next; /* of this page, of the next page */
	bool asked; /* a line of the present question has come */
	bool refused; /* the present server has refused a route of the network */
	bool hinted; /* the message says that a server has refused a route */
	/* Of the present server: its number plus 1; 0: none. */
	unsigned server;
	struct places places; /* of a list in pages */
	bool found; /* the session of the cursor */
	bool full; /* the page */
	bool gone; /* the session of the cursor */
	bool unreachable;
	uint64_t age_ms;
};

/* api_cursor - the page of the request begins. Returns: false: no cursor of this list. */
static bool
api_cursor(struct job *j)
{
	struct cursor *c = &((struct api *)j->state)->cursor;

	if (!cursor_scan(c, j->req.cursor))
		return false;
	for (unsigned i = 0; i < SERVERS_MAX; i++)
		if (c->servers >> i & 1 &&
		    (!job_wants(j, i) || c->at[i].part > (j->req.kind == KIND_RECEIVED)))
			return false;
	return true;
}

/* api_server - begin with the present server, unless the answer is there already. */
static void
api_server(struct job *j)
{
	struct api *a = j->state;
	unsigned server = j->now->server;

	if (a->server == server + 1)
		return;
	a->server = server + 1;
	a->found = a->full = false;
	a->places = cursor_begin(&a->cursor, server, j->req.limit);
}

/* api_is_tagged - does the answer depend on nothing but configurations and tables? What
 * a member gets depends on its session as well. Refused routes may be in no table. */
static bool
api_is_tagged(const struct job *j)
{
	return j->req.page == PAGE_API_ROUTES ||
	       (j->req.page == PAGE_API_MEMBER_ROUTES && j->req.kind == KIND_ACCEPTED);
}

/* api_is_tag - is the present question about the tag? */
static bool
api_is_tag(const struct job *j)
{
	return api_is_tagged(j) &&
	       (j->now->ask == ASK_STATUS || j->now->ask == ASK_TABLES);
}

/* api_tag_step - a question about the tag has ended. */
static void
api_tag_step(struct job *j)
{
	struct tag *t = &((struct api *)j->state)->tag;

	t->unknown |= j->reply.rc != 0 || j->reply.code >= 8000;
	if (j->now + 1 < j->questions.step + j->questions.step_cnt &&
	    (j->now[1].ask == ASK_STATUS || j->now[1].ask == ASK_TABLES))
		return;
	tag_str(j->tag, t);
	if (tag_match(j->http.have, j->tag))
		job_unchanged(j);
}

static void
api_begin(struct job *j)
{
	struct api *a = j->state;
	enum ask ask = questions_first(&j->req);
	bool tagged = api_is_tagged(j);
	const char *wrong;

	if (!api_cursor(j)) {
		job_problem(j, 400, "this list has no such cursor");
		return;
	}
	if (j->req.page == PAGE_API_DIFF &&
	    (wrong = when_args(&j->req.args, &j->req, (uint64_t)time(NULL)))) {
		job_problem(j, 400, wrong);
		return;
	}
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (tagged && job_wants(j, i) &&
		    !(job_ask(j, i, ASK_STATUS, NULL) && job_ask(j, i, ASK_TABLES, NULL)))
			return;
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i) && cursor_has(&a->cursor, i))
			(void)job_ask(j, i, ask, &j->req.args);
	strbuf_adds(&j->out, "{\"servers\":[");
	if (!j->put)
		job_problem(j, 404, "no such server");
}

/* api_open - begin the object of the present server. */
static void
api_open(struct job *j)
{
	struct api *a = j->state;

	if (a->open)
		return;
	if (a->servers++)
		strbuf_adds(&j->out, ",\n");
	strbuf_addf(&j->out, "{\"server\":\"%s\",\"objects\":[",
	    j->web->server[j->now->server].name);
	a->open = true;
	a->more = false;
}

/* api_close - end the object of the present server. */
static void
api_close(struct job *j)
{
	struct api *a = j->state;
	struct json o;

	strbuf_adds(&j->out, "],\n\"reply\":");
	json_init(&o, &j->out);
	json_open(&o, NULL);
	json_str(&o, "state", a->unreachable ? "away" : "up");
	if (!j->reply.rc || j->reply.stale)
		json_seconds(&o, "age_s", a->age_ms * 1000000);
	if (!j->reply.rc)
		json_u64(&o, "code", a->full ? CLI_DONE : j->reply.code);
	json_str(&o, "message",
	    a->full ? "more routes follow"
	    /* of an old reply the end says nothing about the present state */
	    : *j->reply.message && !j->reply.rc ? j->reply.message
						: NULL);
	json_close(&o);
	strbuf_addc(&j->out, '}');
	a->open = a->unreachable = false;
	a->age_ms = 0;
}

/* api_session - ask for the routes of the session in @line, unless the session stands
 * before the cursor. */
static void
api_session(struct job *j, struct jview line)
{
	struct api *a = j->state;
	const struct place *from = &a->places.from;
	enum kind kind = j->req.kind;

	if (a->places.skipping && !a->found) {
		if (!jview_is(jview_get(line, "name"), from->session))
			return;
		a->found = true;
		/* the accepted routes were on earlier pages */
		if (from->part)
			kind = KIND_FILTERED;
	}
	(void)routes_ask(j, kind, line);
}

/* api_takes - does @line belong to the page? */
static bool
api_takes(struct job *j, struct jview line)
{
	struct api *a = j->state;
	struct places *p = &a->places;
	unsigned part = j->req.kind == KIND_RECEIVED && j->now->ask == ASK_FILTERED;

	if (!a->asked) {
		a->asked = true;
		places_begin(p, j->now->server, j->now->args.name, part);
	}
	switch (places_line(p, line)) {
	case PLACE_SHOW:
		return true;
	case PLACE_FULL:
		a->full = true;
		job_stop(j);
		job_drop(j);
		return false;
	default:
		return false;
	}
}

/* api_is_who - does the page ask about one member after the other? */
static bool
api_is_who(const struct job *j)
{
	return j->req.page == PAGE_API_WHO || j->req.page == PAGE_API_COMMUNITIES;
}

/* api_explains - do lines of the present question say why a route is kept back? Long
 * lists of other routes do not pay for a look. */
static bool
api_explains(const struct job *j)
{
	switch (j->req.page) {
	case PAGE_API_MEMBER_ROUTES:
		return j->now->ask == ASK_FILTERED || j->req.kind == KIND_NOT_EXPORTED;
	case PAGE_API_WHY:
	case PAGE_API_WHO:
	case PAGE_API_COMMUNITIES:
		return true;
	default:
		return false;
	}
}

/* api_remedy - the remedy for @line, unless nothing is wrong. */
static void
api_remedy(struct job *j, struct jview line)
{
	struct strbuf todo;
	struct json o;

	strbuf_init(&todo);
	remedy_add(&todo, line);
	if (todo.len) {
		strbuf_adds(&j->out, ",\"remedy\":");
		json_init(&o, &j->out);
		json_text(&o, NULL, todo.s, todo.len);
	}
	strbuf_fini(&todo);
}

/* api_put - a line of the answer; a line with a reason gets words for members and the
 * remedy. */
static void
api_put(struct job *j, const char *text, size_t len)
{
	struct api *a = j->state;
	struct jview line = jview_of(text, len);
	const char *words = NULL;

	api_open(j);
	strbuf_adds(&j->out, a->more ? ",\n" : "\n");
	if (api_explains(j) &&
	    (jview_get(line, "reason").p || jview_get(line, "filtered_by").p))
		words = words_line(line);
	strbuf_add(&j->out, text, words ? len - 1 : len);
	if (words)
		strbuf_addf(&j->out, ",\"words\":\"%s\"", words);
	if (words) {
		if (!jview_get(line, "remedy").p)
			api_remedy(j, line);
		strbuf_addc(&j->out, '}');
	}
	a->more = true;
}

/* api_gathers - is @line no line of the answer as it stands? Then @line is taken. */
static bool
api_gathers(struct job *j, struct jview line)
{
	struct gather *g = &((struct api *)j->state)->gather;
	struct jview type = jview_get(line, "type");
	struct ask_args table = { 0 };

	switch (j->req.page) {
	case PAGE_API_TOP:
		gather_top(
		    g, j->req.by, j->req.limit ? j->req.limit : GATHER_TOP_DEFAULT, line);
		return true;
	case PAGE_API_WHO:
	case PAGE_API_COMMUNITIES:
		if (jview_is(type, "member"))
			gather_name(g, line);
		return (!jview_is(type, "why_to") && !jview_is(type, "why_with")) ||
		       !jview_is(jview_get(line, "to"), j->now->args.to);
	case PAGE_API_ROUTES:
		if (j->now->ask != ASK_WHY)
			return false;
		((struct api *)j->state)->refused |= jview_is(
		    jview_get(line, "fate"), "refused");
		return true;
	case PAGE_API_ASPA:
		if (j->now->ask != ASK_TABLES)
			return false;
		if (jview_get(line, "aspas").p &&
		    jview_copy(table.name, sizeof(table.name), jview_get(line, "name")) &&
		    ask_name(table.name))
			(void)job_ask(j, j->now->server, ASK_TABLE_ROUTES, &table);
		return true;
	default:
		return false;
	}
}

/* api_is_skipped - does the present member lack a channel of this family? Then the member
 * gets no route. The code is also that of a `from` that the daemon does not know. */
static bool
api_is_skipped(const struct job *j)
{
	return j->now->ask != ASK_MEMBERS && !j->reply.rc &&
	       j->reply.code == CLI_BAD_COMMAND &&
	       !strcmp(j->reply.message, "No valid tables");
}

/* api_gathered - a question has ended: ask about the next name, or write what was
 * gathered. */
static void
api_gathered(struct job *j)
{
	struct gather *g = &((struct api *)j->state)->gather;
	struct ask_args a = j->req.args;

	for (unsigned i = 0; i < g->top_cnt; i++)
		api_put(j, g->top[i].text, strlen(g->top[i].text));
	if (!api_is_who(j)) {
		gather_reset(g);
		return;
	}
	if (api_is_skipped(j))
		j->reply.code = 0;
	/* if the table has no such network, no member has a route */
	if (!j->reply.rc && j->reply.code < 8000 && gather_next(g, a.to))
		(void)job_ask(j, j->now->server, questions_who(&j->req), &a);
	else
		gather_reset(g);
}

static void
api_line(struct job *j, struct jview line)
{
	struct api *a = j->state;

	if (api_is_tag(j)) {
		tag_line(&a->tag, line);
		return;
	}
	api_server(j);
	if (j->req.page == PAGE_API_MEMBER_ROUTES && j->now->ask == ASK_MEMBERS_OF) {
		if (jview_is(jview_get(line, "type"), "member"))
			api_session(j, line);
		return;
	}
	if (!api_gathers(j, line) && api_takes(j, line))
		api_put(j, line.p, line.len);
}

/* api_misses - has the server no accepted route of the network? Then the next question is
 * about refused routes, which the answer depends on as well. */
static bool
api_misses(struct job *j)
{
	if (j->req.page != PAGE_API_ROUTES || j->reply.rc ||
	    j->reply.code != CLI_NO_ROUTE ||
	    (j->now->ask != ASK_ROUTE && j->now->ask != ASK_LONGEST))
		return false;
	*j->tag = 0;
	return job_ask(j, j->now->server, ASK_WHY, &j->req.args);
}

/* api_missed - the question of api_misses has ended: say what the visitor may know. */
static void
api_missed(struct job *j)
{
	struct api *a = j->state;
	char net[PREFIX_STR_MAX];

	prefix_str(net, &j->req.args.prefix);
	if (!j->reply.rc && a->refused) {
		snprintf(j->reply.message, sizeof(j->reply.message),
		    "no table has an accepted route; a route was received and refused: "
		    "/v1/why?%s=%s",
		    j->req.args.longest ? "longest" : "prefix", net);
		memcpy(a->message, j->reply.message, sizeof(a->message));
		a->hinted = true;
	} else if (!j->reply.rc && j->reply.code < 8000) {
		snprintf(j->reply.message, sizeof(j->reply.message), "Network not found");
	}
	if (!j->reply.rc)
		j->reply.code = CLI_NO_ROUTE;
	a->refused = false;
}

/* api_lost - the server answers, and has no session of the cursor. */
static void
api_lost(struct job *j)
{
	struct api *a = j->state;

	j->reply.code = CLI_BAD_COMMAND;
	snprintf(j->reply.message, sizeof(j->reply.message),
	    "the session of the cursor is gone");
	a->gone = true;
}

static void
api_step(struct job *j)
{
	struct api *a = j->state;

	if (api_is_tag(j)) {
		api_tag_step(j);
		return;
	}
	api_server(j);
	if (api_misses(j))
		return;
	if (j->req.page == PAGE_API_ROUTES && j->now->ask == ASK_WHY)
		api_missed(j);
	a->asked = false;
	api_gathered(j);
	if (*a->places.from.session && !a->found && !j->reply.rc && j->reply.code < 8000)
		api_lost(j);
	a->unreachable |= j->reply.rc != 0;
	if (j->reply.age_ms > a->age_ms)
		a->age_ms = j->reply.age_ms;
	if (j->reply.rc && !j->reply.stale && j->started) {
		j->failed = true;
		return;
	}
	/* 8099: health with a problem; an old reply is an answer, with its age */
	if (j->reply.stale)
		a->answers++;
	else if (j->reply.rc)
		a->rc = j->reply.rc;
	else if (!j->reply.stopped && j->reply.code >= 8000 && j->reply.code != 8099)
		a->code = j->reply.code;
	else if (!api_is_who(j) || job_last(j))
		a->answers++;
	if (!j->reply.rc && a->code && !a->hinted)
		memcpy(a->message, j->reply.message, sizeof(a->message));
	if (!job_last(j))
		return;
	api_open(j);
	api_close(j);
	if (a->full)
		cursor_put(&a->next, &a->places.at);
	else if (j->reply.rc && a->places.skipping)
		cursor_put(&a->next, &a->places.from); /* for another try */
}

static void
api_end(struct job *j)
{
	const struct api *a = j->state;

	if (!a->answers && a->gone)
		job_problem(j, 400, a->message);
	else if (!a->answers && a->code)
		job_problem(j,
		    a->code == CLI_DENIED     ? 403
		    : a->code == CLI_BAD_CONF ? 422
					      : 404,
		    a->message);
	else if (!a->answers)
		job_problem(j, job_gone(a->rc), "no route server answers");
	else {
		strbuf_adds(&j->out, "\n]");
		if (a->next.servers) {
			strbuf_adds(&j->out, ",\n\"next\":\"");
			cursor_add(&j->out, &a->next);
			strbuf_addc(&j->out, '"');
		}
		strbuf_adds(&j->out, "}\n");
	}
}

static void
api_problem(struct job *j, const char *detail)
{
	static const struct {
		int status;
		const char *title;
	} known[] = { { 400, "Bad Request" }, { 401, "Unauthorized" },
		{ 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
		{ 414, "URI Too Long" }, { 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" }, { 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" } };
	const char *title = "Error";
	struct json o;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].status == j->status)
			title = known[i].title;
	j->type = "application/problem+json";
	*j->tag = 0;
	json_init(&o, &j->out);
	json_open(&o, NULL);
	json_str(&o, "type", "about:blank");
	json_str(&o, "title", title);
	json_u64(&o, "status", (uint64_t)j->status);
	json_str(&o, "detail", detail);
	json_close(&o);
	strbuf_addc(&j->out, '\n');
}

static void
api_free(struct job *j)
{
	gather_reset(&((struct api *)j->state)->gather);
}

const struct view api_view = {
	.type = "application/json",
	.state_size = sizeof(struct api),
	.begin = api_begin,
	.line = api_line,
	.step = api_step,
	.end = api_end,
	.problem = api_problem,
	.free = api_free,
};

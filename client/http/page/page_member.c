/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a member: its sessions on each server, and the refused routes with reasons;
 * and the lists of all its routes of one kind. Loop: the only thread of ternhttp.
 *
 * Tested by test/net/test_http_pages.py. */
#include "client/http/api/questions.h"
#include "client/http/job/ask.h"
#include "client/http/page/downs.h"
#include "client/http/page/html.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/page/pages.h"
#include "client/http/job/request.h"
#include "client/http/page/route_row.h"
#include "client/http/right/rights.h"
#include "client/http/right/visitor.h"
#include "lib/base/strbuf.h"

#include <stdio.h>
#include <string.h>

#define MEMBER_ROWS 100 /* refused routes of a session on the page of the member */
#define LIST_ROWS   1000 /* routes of a session on a page of one kind */

/* owner: the job. */
struct member {
	bool head; /* of the page */
	bool section; /* of a server is open */
	bool table; /* is open */
	unsigned rows; /* of the table */
	unsigned rows_max;
	unsigned sessions; /* of all servers */
	bool here; /* the present server has a session */
	struct html_answers answers;
};

static void
member_begin(struct job *j)
{
	struct member *m = j->state;

	j->brief = j->req.kind == KIND_CNT;
	m->rows_max = j->brief ? MEMBER_ROWS : LIST_ROWS;
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i))
			(void)job_ask(j, i, ASK_MEMBERS_OF, &j->req.args);
	if (!j->put)
		job_problem(j, 404, "No such server");
}

/* What the lists are, in words. */
static const char *const kind_words[KIND_CNT] = { "Received routes", "Accepted routes",
	"Filtered routes", "Routes sent to the member", "Routes not sent" };

static void
member_head(struct job *j)
{
	struct member *m = j->state;
	char title[80];

	if (m->head)
		return;
	m->head = true;
	if (j->req.kind == KIND_CNT)
		snprintf(title, sizeof(title), "AS%u", j->req.args.as);
	else
		snprintf(title, sizeof(title), "AS%u: %s", j->req.args.as,
		    kind_words[j->req.kind]);
	html_head(j, title);
	strbuf_adds(&j->out, "<ul class=\"links\">");
	if (j->req.kind != KIND_CNT)
		strbuf_addf(&j->out, "<li><a href=\"/member/%u\">AS%u</a></li>",
		    j->req.args.as, j->req.args.as);
	for (int k = 0; k < KIND_CNT; k++)
		if (k != (int)j->req.kind)
			strbuf_addf(&j->out, "<li><a href=\"/member/%u/%s\">%s</a></li>",
			    j->req.args.as, request_kind((enum kind)k), kind_words[k]);
	strbuf_addf(&j->out,
	    "<li><a href=\"/changes?as=%u&amp;since=24h\">Changes</a></li>"
	    "</ul>\n<div class=\"sides\">\n",
	    j->req.args.as);
}

static void
member_section(struct job *j)
{
	struct member *m = j->state;

	member_head(j);
	if (m->section)
		return;
	m->section = true;
	strbuf_adds(&j->out, "<section>\n");
	html_server(j, j->web->server[j->now->server].name);
}

static void
member_counts(struct strbuf *o, const char *family, struct jview v)
{
	static const struct {
		const char *key, *head;
	} count[] = { { "received", "Received" }, { "accepted", "Accepted" },
		{ "filtered", "Filtered" }, { "exported", "Sent" } };

	if (!v.p)
		return;
	strbuf_addf(o, "<tr><th scope=\"row\">%s</th>", family);
	for (size_t i = 0; i < 4; i++) {
		strbuf_addf(o, "<td class=\"n\" data-k=\"%s\">", count[i].head);
		html_count(o, jview_u64(jview_get(v, count[i].key), 0));
		strbuf_adds(o, "</td>");
	}
	strbuf_adds(o, "</tr>\n");
}

/* member_session - the block of one session. */
static void
member_session(struct job *j, struct jview v)
{
	struct strbuf *o = &j->out;
	struct jview state = jview_get(v, "state"), cause = jview_get(v, "cause");
	struct jview limit = jview_get(v, "limit");
	const struct downs downs = downs_read(v);

	member_section(j);
	strbuf_adds(o, "<h3>");
	html_value(o, jview_get(v, "name"));
	strbuf_adds(o, " ");
	html_badge(o,
	    jview_is(state, "up")     ? "good"
	    : jview_is(state, "down") ? "bad"
				      : "warn",
	    jview_is(state, "up")     ? "up"
	    : jview_is(state, "down") ? "down"
				      : "disabled");
	strbuf_adds(o, "</h3>\n<p>");
	html_value(o, jview_get(v, "description"));
	strbuf_adds(o, " <span class=\"soft\">");
	html_value(o, jview_get(v, "address"));
	strbuf_adds(o, ", since ");
	html_time(o, jview_seconds(jview_get(v, "since_unix_s")));
	strbuf_adds(o, "</span> ");
	downs_picture(o, &downs);
	strbuf_adds(o, "</p>\n");
	if (cause.p) {
		strbuf_adds(o, "<p>Cause: ");
		html_value(o, jview_get(cause, "text"));
		strbuf_adds(o, "</p>\n");
	}
	strbuf_adds(o,
	    "<div class=\"wide\" tabindex=\"0\"><table class=\"stack\"><thead><tr>"
	    "<th>Routes</th>"
	    "<th class=\"n\">Received</th><th class=\"n\">Accepted</th>"
	    "<th class=\"n\">Filtered</th><th class=\"n\">Sent</th></tr></thead>"
	    "<tbody>\n");
	member_counts(o, "IPv4", jview_get(v, "ipv4"));
	member_counts(o, "IPv6", jview_get(v, "ipv6"));
	strbuf_adds(o, "</tbody></table></div>\n");
	if (limit.p) {
		unsigned used = (unsigned)jview_u64(jview_get(limit, "used_percent"), 0);

		strbuf_adds(o, "<p class=\"soft\">Limit of ");
		strbuf_adds(o, jview_is(jview_get(limit, "kind"), "receive")  ? "received"
			       : jview_is(jview_get(limit, "kind"), "import") ? "accepted"
									      : "sent");
		strbuf_adds(o, " routes: ");
		html_count(o, jview_u64(jview_get(limit, "max"), 0));
		strbuf_addf(o, ", %u %% used ", used);
		if (used >= 90)
			html_badge(o, "warn", "near the limit");
		strbuf_adds(o, "</p>\n");
	}
}

/* member_table - the head of a list of one session. */
static void
member_table(struct job *j)
{
	struct member *m = j->state;
	bool reason = j->now->ask == ASK_FILTERED || j->now->ask == ASK_NOT_EXPORTED;
	char caption[128];

	if (m->table)
		return;
	m->table = true;
	m->rows = 0;
	member_section(j);
	snprintf(caption, sizeof(caption), "%s %s",
	    j->now->ask == ASK_FILTERED       ? "Filtered routes of"
	    : j->now->ask == ASK_NOT_EXPORTED ? "Routes not sent to"
	    : j->now->ask == ASK_EXPORTED     ? "Routes sent to"
					      : "Routes of",
	    j->now->args.name);
	route_table_head(&j->out, caption, reason);
}

/* member_sees - may the visitor see the routes of the page? */
static bool
member_sees(const struct job *j)
{
	return j->req.kind != KIND_CNT || visitor_sees(&j->visitor, j->req.args.as);
}

static void
member_line(struct job *j, struct jview v)
{
	struct member *m = j->state;
	struct jview type = jview_get(v, "type");

	if (j->now->ask == ASK_MEMBERS_OF) {
		if (!jview_is(type, "member"))
			return;
		m->sessions++;
		m->here = true;
		if (j->req.kind == KIND_CNT)
			member_session(j, v);
		if (!member_sees(j))
			return;
		(void)routes_ask(
		    j, j->req.kind == KIND_CNT ? KIND_FILTERED : j->req.kind, v);
		return;
	}
	if (!jview_is(type, "route") && !jview_is(type, "filtered_route"))
		return;
	member_table(j);
	route_row(&j->out, v,
	    j->now->ask == ASK_FILTERED || j->now->ask == ASK_NOT_EXPORTED,
	    j->req.kind == KIND_NOT_EXPORTED ? j->now->args.name : NULL);
	if (++m->rows >= m->rows_max)
		job_stop(j);
}

/* member_list_end - the end of the list of one session. */
static void
member_list_end(struct job *j)
{
	struct member *m = j->state;
	enum kind kind = j->req.kind == KIND_CNT ? KIND_FILTERED : j->req.kind;

	if (m->table) {
		route_table_foot(&j->out);
	} else if (!j->reply.rc && j->reply.code < 8000) {
		member_section(j);
		strbuf_adds(&j->out, "<p>The session <code>");
		html_text(&j->out, j->now->args.name);
		strbuf_addf(&j->out, "</code> has no %s route.</p>\n",
		    j->now->ask == ASK_FILTERED       ? "filtered"
		    : j->now->ask == ASK_NOT_EXPORTED ? "unsent"
		    : j->now->ask == ASK_EXPORTED     ? "sent"
						      : "accepted");
	} else if (!j->reply.rc) {
		member_section(j);
		strbuf_adds(&j->out, "<p>The session <code>");
		html_text(&j->out, j->now->args.name);
		strbuf_adds(&j->out, "</code> is not up, and has no routes.</p>\n");
	}
	if (j->reply.stopped)
		strbuf_addf(&j->out,
		    "<p>The first %u routes. <a href=\"%s/%u%s%s\">More</a></p>\n",
		    m->rows, j->req.kind == KIND_CNT ? "/member" : "/v1/members",
		    j->req.args.as, j->req.kind == KIND_CNT ? "/" : "/routes/",
		    request_kind(kind));
	m->table = false;
}

/* member_login - who sees the filtered routes, and how the member logs in. */
static void
member_login(struct job *j)
{
	strbuf_adds(&j->out, "<p>Only the member sees its filtered routes");
	if (visitor_knows(&j->visitor))
		strbuf_adds(&j->out, ".");
	else if (j->web->rights.token_cnt)
		strbuf_addf(&j->out,
		    ": <a href=\"/login?as=%u\">log in</a> with the token of the member "
		    "as "
		    "the password, and any user name.",
		    j->req.args.as);
	else
		strbuf_adds(&j->out, ": the portal of the exchange logs members in.");
	strbuf_adds(&j->out, "</p>\n");
}

static void
member_step(struct job *j)
{
	struct member *m = j->state;

	html_answered(j, &m->answers);
	if (j->now->ask != ASK_MEMBERS_OF)
		member_list_end(j);
	if (!job_last(j))
		return;
	member_section(j);
	if (j->reply.rc)
		strbuf_adds(&j->out, "<p>This server gives no answer at present.</p>");
	else if (!m->here)
		strbuf_adds(&j->out, "<p>The AS has no session on this server.</p>");
	else if (!member_sees(j))
		member_login(j);
	strbuf_adds(&j->out, "</section>\n");
	m->section = m->here = false;
}

static void
member_end(struct job *j)
{
	struct member *m = j->state;

	if (!m->sessions && !m->answers.rc && !j->started) {
		job_problem(j, 404, "No session has this AS");
		return;
	}
	strbuf_adds(&j->out, "</div>\n");
	html_end(j, &m->answers);
}

const struct view page_member_view = {
	.type = html_type,
	.state_size = sizeof(struct member),
	.begin = member_begin,
	.line = member_line,
	.step = member_step,
	.end = member_end,
	.problem = html_problem,
};

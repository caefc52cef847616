/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a community: for each server the routes that have the community, and who
 * announces these routes. Loop: the only thread of ternhttp.
 *
 * Tested by test/net/test_http_reasons.py. */
#include "client/http/job/ask.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/page/html.h"
#include "client/http/page/pages.h"
#include "client/http/page/route_row.h"
#include "lib/base/strbuf.h"

#include <stdio.h>
#include <string.h>

#define COMMUNITY_ROWS 1000 /* routes of a server */

/* owner: the job. */
struct community {
	char value[40]; /* 65000:1, 65000:1:2 */
	bool head; /* of the page */
	bool section; /* of the present server is open */
	bool table; /* is open */
	unsigned rows; /* of the table */
	struct html_answers answers;
};

static void
community_begin(struct job *j)
{
	const struct ask_args *a = &j->req.args;
	struct community *c = j->state;

	if (a->comm_cnt == 3)
		snprintf(c->value, sizeof(c->value), "%u:%u:%u", a->comm[0], a->comm[1],
		    a->comm[2]);
	else
		snprintf(c->value, sizeof(c->value), "%u:%u", a->comm[0], a->comm[1]);
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i))
			(void)job_ask(j, i,
			    a->comm_cnt == 3 ? ASK_COMMUNITY_LARGE : ASK_COMMUNITY, a);
	if (!j->put)
		job_problem(j, 404, "No such server");
}

static void
community_section(struct job *j)
{
	struct community *c = j->state;
	char title[64];

	if (!c->head) {
		snprintf(title, sizeof(title), "Community %s", c->value);
		html_head(j, title);
		strbuf_adds(&j->out, "<div class=\"sides\">\n");
	}
	c->head = true;
	if (c->section)
		return;
	c->section = true;
	strbuf_adds(&j->out, "<section>\n");
	html_server(j, j->web->server[j->now->server].name);
}

static void
community_line(struct job *j, struct jview v)
{
	struct community *c = j->state;
	char caption[64];

	if (!jview_is(jview_get(v, "type"), "route"))
		return;
	community_section(j);
	if (!c->table) {
		snprintf(caption, sizeof(caption), "Routes with %s", c->value);
		route_table_head(&j->out, caption, false);
	}
	c->table = true;
	route_row(&j->out, v, false, NULL);
	if (++c->rows >= COMMUNITY_ROWS)
		job_stop(j);
}

static void
community_step(struct job *j)
{
	struct community *c = j->state;
	struct strbuf *o = &j->out;

	html_answered(j, &c->answers);
	community_section(j);
	if (c->table)
		route_table_foot(o);
	if (j->reply.rc)
		strbuf_adds(o, "<p>This server gives no answer at present.</p>\n");
	else if (!c->rows)
		strbuf_adds(
		    o, "<p>No accepted route of a member has this community.</p>\n");
	else if (j->reply.stopped)
		strbuf_addf(o,
		    "<p>The first %u routes. <a href=\"/v1/routes?community=%s\">All "
		    "routes as JSON</a></p>\n",
		    c->rows, c->value);
	strbuf_addf(o,
	    "<p class=\"more\"><a "
	    "href=\"/v1/communities?value=%s&amp;server=%s\">Members that a route "
	    "with this community reaches, as JSON</a></p>\n</section>\n",
	    c->value, j->web->server[j->now->server].name);
	c->section = c->table = false;
	c->rows = 0;
}

static void
community_end(struct job *j)
{
	strbuf_adds(&j->out, "</div>\n");
	html_end(j, &((const struct community *)j->state)->answers);
}

const struct view page_community_view = {
	.type = html_type,
	.state_size = sizeof(struct community),
	.begin = community_begin,
	.line = community_line,
	.step = community_step,
	.end = community_end,
	.problem = html_problem,
};

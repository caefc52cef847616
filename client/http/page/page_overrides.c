/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of what operators have changed by commands: the overrides of each server, and
 * the members whose sessions drain. For the exchange. Loop: the only thread of ternhttp.
 *
 * Tested by test/net/test_http_rights.py. */
#include "client/http/job/ask.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/page/html.h"
#include "client/http/page/pages.h"
#include "lib/base/strbuf.h"

/* owner: the job. */
struct overrides_page {
	bool section, table, head;
	struct html_answers answers;
};

static void
overrides_begin(struct job *j)
{
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i)) {
			(void)job_ask(j, i, ASK_OVERRIDES, NULL);
			(void)job_ask(j, i, ASK_MEMBERS, NULL);
		}
	if (!j->put)
		job_problem(j, 404, "No such server");
}

static void
overrides_section(struct job *j)
{
	struct overrides_page *p = j->state;

	if (!p->head) {
		p->head = true;
		html_head(j, "Overrides and drains");
		strbuf_adds(&j->out, "<div class=\"sides\">\n");
	}
	if (p->section)
		return;
	p->section = true;
	strbuf_adds(&j->out, "<section>\n");
	html_server(j, j->web->server[j->now->server].name);
}

static void
overrides_table(struct job *j, const char *head)
{
	struct overrides_page *p = j->state;

	if (p->table)
		return;
	p->table = true;
	strbuf_addf(&j->out,
	    "<div class=\"wide\" tabindex=\"0\"><table class=\"stack\"><thead><tr>%s</tr>"
	    "</thead><tbody>\n",
	    head);
}

/* overrides_ends - the cell with the end @until_unix_s, and the cell with who and why. */
static void
overrides_ends(struct strbuf *o, struct jview v, const char *why)
{
	struct jview by = jview_get(v, "by"), words = jview_get(v, why);

	strbuf_adds(o, "</td><td data-k=\"Until\">");
	html_time(o, jview_seconds(jview_get(v, "until_unix_s")));
	strbuf_adds(o, "</td><td class=\"words\" data-k=\"Reason\">");
	html_value(o, words);
	if (by.p) {
		strbuf_adds(o, "<br><small>by ");
		html_value(o, by);
		strbuf_adds(o, ", ");
		html_time(o, jview_seconds(jview_get(v, "since_unix_s")));
		strbuf_adds(o, "</small>");
	}
	strbuf_adds(o, "</td></tr>\n");
}

static void
overrides_one(struct job *j, struct jview v)
{
	struct strbuf *o = &j->out;

	overrides_table(j, "<th>Override</th><th class=\"n\">Sessions</th><th>Until</th>"
			   "<th>Reason</th>");
	strbuf_adds(o, "<tr><th scope=\"row\">");
	html_value(o, jview_get(v, "id"));
	strbuf_adds(o, ": ");
	html_value(o, jview_get(v, "what"));
	strbuf_adds(o, "</th><td class=\"n\" data-k=\"Sessions\">");
	html_count(o, jview_u64(jview_get(v, "sessions"), 0));
	overrides_ends(o, v, "reason");
}

static void
overrides_drain(struct job *j, struct jview v)
{
	struct strbuf *o = &j->out;
	struct jview drain = jview_get(v, "drain");

	if (!drain.p)
		return;
	overrides_table(j,
	    "<th>Member</th><th>State</th><th class=\"n\">Networks left</th>"
	    "<th>Until</th><th>Message</th>");
	strbuf_adds(o, "<tr><th scope=\"row\">");
	html_value(o, jview_get(v, "name"));
	strbuf_adds(o, "</th><td data-k=\"State\">");
	html_badge(o, "warn",
	    jview_is(jview_get(drain, "phase"), "drained") ? "drained" : "draining");
	strbuf_adds(o, "</td><td class=\"n\" data-k=\"Networks left\">");
	html_count(o, jview_u64(jview_get(drain, "networks_left"), 0));
	overrides_ends(o, drain, "message");
}

static void
overrides_line(struct job *j, struct jview v)
{
	overrides_section(j);
	if (jview_is(jview_get(v, "type"), "override"))
		overrides_one(j, v);
	else if (jview_is(jview_get(v, "type"), "member"))
		overrides_drain(j, v);
}

static void
overrides_step(struct job *j)
{
	struct overrides_page *p = j->state;

	overrides_section(j);
	if (p->table)
		strbuf_adds(&j->out, "</tbody></table></div>\n");
	else if (j->reply.rc)
		strbuf_adds(&j->out, "<p>This server gives no answer at present.</p>\n");
	else
		strbuf_addf(&j->out, "<p>No %s.</p>\n",
		    j->now->ask == ASK_OVERRIDES ? "overrides" : "sessions that drain");
	p->table = false;
	html_answered(j, &p->answers);
	if (job_last(j)) {
		strbuf_adds(&j->out, "</section>\n");
		p->section = false;
	}
}

static void
overrides_end(struct job *j)
{
	strbuf_adds(&j->out, "</div>\n");
	html_end(j, &((const struct overrides_page *)j->state)->answers);
}

const struct view page_overrides_view = {
	.type = html_type,
	.state_size = sizeof(struct overrides_page),
	.begin = overrides_begin,
	.line = overrides_line,
	.step = overrides_step,
	.end = overrides_end,
	.problem = html_problem,
};

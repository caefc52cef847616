/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of RPKI: the caches of each server, and the tables of ROAs and ASPAs. Loop:
 * the only thread of ternhttp.
 *
 * Tested by test/net/test_http_pages.py. */
#include "client/http/job/ask.h"
#include "client/http/page/html.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/page/pages.h"
#include "lib/base/strbuf.h"

/* owner: the job. */
struct rpki {
	bool section, table, head;
	struct html_answers answers;
};

static void
rpki_begin(struct job *j)
{
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i)) {
			(void)job_ask(j, i, ASK_RPKI, NULL);
			(void)job_ask(j, i, ASK_TABLES, NULL);
		}
	if (!j->put)
		job_problem(j, 404, "No such server");
}

static void
rpki_section(struct job *j)
{
	struct rpki *r = j->state;

	if (!r->head) {
		r->head = true;
		html_head(j, "RPKI");
		strbuf_adds(&j->out, "<div class=\"sides\">\n");
	}
	if (r->section)
		return;
	r->section = true;
	strbuf_adds(&j->out, "<section>\n");
	html_server(j, j->web->server[j->now->server].name);
}

static void
rpki_table(struct job *j, const char *head)
{
	struct rpki *r = j->state;

	if (r->table)
		return;
	r->table = true;
	strbuf_addf(&j->out,
	    "<div class=\"wide\" tabindex=\"0\"><table class=\"stack\"><thead><tr>%s</tr>"
	    "</thead><tbody>\n",
	    head);
}

static void
rpki_cache(struct job *j, struct jview v)
{
	struct strbuf *o = &j->out;
	struct jview rpki = jview_get(v, "rpki");
	bool up = jview_is(jview_get(v, "state"), "up");

	rpki_table(j,
	    "<th>Cache</th><th>State</th><th>Server</th><th class=\"n\">Serial</th>"
	    "<th class=\"n\">Age of the data</th>");
	strbuf_adds(o, "<tr><th scope=\"row\">");
	html_value(o, jview_get(v, "name"));
	strbuf_adds(o, "</th><td data-k=\"State\">");
	html_badge(o, up ? "good" : "bad", up ? "up" : "down");
	strbuf_adds(o, "</td><td data-k=\"Server\">");
	html_value(o, jview_get(rpki, "server"));
	strbuf_adds(o, "</td><td class=\"n\" data-k=\"Serial\">");
	html_value(o, jview_get(rpki, "serial"));
	strbuf_adds(o, "</td><td class=\"n\" data-k=\"Age of the data\">");
	if (jview_get(rpki, "updated_age_s").p)
		html_span(o, jview_u64(jview_get(rpki, "updated_age_s"), 0));
	strbuf_adds(o, "</td></tr>\n");
}

static void
rpki_count(struct job *j, struct jview v, const char *what)
{
	struct strbuf *o = &j->out;

	rpki_table(j, "<th>Table</th><th>Holds</th><th class=\"n\">Entries</th>");
	strbuf_adds(o, "<tr><th scope=\"row\">");
	html_value(o, jview_get(v, "name"));
	strbuf_addf(o,
	    "</th><td data-k=\"Holds\">%s</td><td class=\"n\" data-k=\"Entries\">", what);
	html_count(o, jview_u64(jview_get(v, what[0] == 'R' ? "roas" : "aspas"), 0));
	strbuf_adds(o, "</td></tr>\n");
}

static void
rpki_line(struct job *j, struct jview v)
{
	rpki_section(j);
	if (jview_is(jview_get(v, "type"), "protocol"))
		rpki_cache(j, v);
	else if (jview_get(v, "roas").p)
		rpki_count(j, v, "ROAs");
	else if (jview_get(v, "aspas").p)
		rpki_count(j, v, "ASPAs");
}

static void
rpki_step(struct job *j)
{
	struct rpki *r = j->state;

	rpki_section(j);
	if (r->table)
		strbuf_adds(&j->out, "</tbody></table></div>\n");
	else if (j->reply.rc)
		strbuf_adds(&j->out, "<p>This server gives no answer at present.</p>\n");
	else
		strbuf_addf(&j->out, "<p>No %s.</p>\n",
		    j->now->ask == ASK_RPKI ? "caches" : "tables of ROAs or ASPAs");
	r->table = false;
	html_answered(j, &r->answers);
	if (job_last(j)) {
		strbuf_adds(&j->out, "</section>\n");
		r->section = false;
	}
}

static void
rpki_end(struct job *j)
{
	strbuf_adds(&j->out, "</div>\n");
	html_end(j, &((const struct rpki *)j->state)->answers);
}

const struct view page_rpki_view = {
	.type = html_type,
	.state_size = sizeof(struct rpki),
	.begin = rpki_begin,
	.line = rpki_line,
	.step = rpki_step,
	.end = rpki_end,
	.problem = html_problem,
};

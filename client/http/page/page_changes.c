/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of changes: "What changed at 03:00?" Sessions up and down with the cause,
 * reloads, configurations, and routes gained and lost, the newest first. Loop: the only
 * thread of ternhttp.
 *
 * The daemon sends the changes of one member after the other. The page gathers the lines
 * of a server, at most ROWS_MAX lines, and sorts the lines by time.
 *
 * Tested by test/net/test_http_pages.py. */
#include "client/http/job/ask.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/job/request.h"
#include "client/http/job/when.h"
#include "client/http/page/html.h"
#include "client/http/page/pages.h"
#include "lib/base/plural.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROWS_MAX 500

/* A line with its time. Owner: struct changes. */
struct changes_row {
	double at;
	char *text; /* MEM_OTHER */
	size_t len;
};

/* owner: the job. */
struct changes {
	struct changes_row row[ROWS_MAX]; /* the newest first */
	unsigned row_cnt;
	bool more; /* there were older rows */
	unsigned gaps; /* sessions whose history begins within the time, */
	double gaps_until; /* the last one at this time */
	struct html_answers answers;
};

/* ---- gathering ---- */

static void
changes_drop(struct changes *c)
{
	while (c->row_cnt)
		mem_free(MEM_OTHER, c->row[--c->row_cnt].text);
	c->more = false;
	c->gaps = 0;
	c->gaps_until = 0;
}

static void
changes_add(struct changes *c, struct jview line)
{
	double at = jview_seconds(jview_get(line, "at_unix_s"));
	unsigned i = c->row_cnt;

	/* the lines of one member are the newest last */
	while (i && c->row[i - 1].at <= at)
		i--;
	if (c->row_cnt == ROWS_MAX) {
		c->more = true;
		if (i == ROWS_MAX)
			return;
		mem_free(MEM_OTHER, c->row[--c->row_cnt].text);
	}
	memmove(&c->row[i + 1], &c->row[i], (c->row_cnt - i) * sizeof(c->row[0]));
	c->row[i].at = at;
	c->row[i].len = line.len;
	c->row[i].text = mem_zalloc(MEM_OTHER, line.len + 1);
	memcpy(c->row[i].text, line.p, line.len);
	c->row_cnt++;
}

static void
changes_line(struct job *j, struct jview line)
{
	struct changes *c = j->state;
	struct jview type = jview_get(line, "type");
	double until;

	if (jview_is(type, "change"))
		changes_add(c, line);
	if (!jview_is(type, "gap") || !jview_get(line, "protocol").p)
		return;
	until = jview_seconds(jview_get(line, "until_unix_s"));
	c->gaps++;
	c->gaps_until = until > c->gaps_until ? until : c->gaps_until;
}

/* ---- rows ---- */

static void
changes_family(struct strbuf *o, const char *family, struct jview v, const char *before)
{
	if (!v.p)
		return;
	strbuf_addf(o, "%s%s: ", before, family);
	html_count(o, jview_u64(jview_get(v, "gained"), 0));
	strbuf_adds(o, " gained, ");
	html_count(o, jview_u64(jview_get(v, "lost"), 0));
	strbuf_adds(o, " lost; now ");
	html_count(o, jview_u64(jview_get(v, "accepted"), 0));
	strbuf_adds(o, " accepted, ");
	html_count(o, jview_u64(jview_get(v, "filtered"), 0));
	strbuf_adds(o, " filtered");
}

static void
changes_routes(struct strbuf *o, struct jview v)
{
	struct jview v4 = jview_get(v, "ipv4");

	html_badge(o, "none", "routes");
	strbuf_addc(o, ' ');
	changes_family(o, "IPv4", v4, "");
	changes_family(o, "IPv6", jview_get(v, "ipv6"), v4.p ? "<br>" : "");
}

static void
changes_down(struct strbuf *o, struct jview v)
{
	struct jview cause = jview_get(v, "cause");

	html_badge(o, "bad", "down");
	strbuf_addc(o, ' ');
	html_value(o, jview_get(cause, "text"));
	strbuf_adds(o, " <span class=\"soft\">up for ");
	html_span(o, jview_u64(jview_get(v, "up_s"), 0));
	strbuf_adds(o, "</span>");
}

static void
changes_reload(struct strbuf *o, struct jview v)
{
	struct jview direction = jview_get(v, "direction");

	html_badge(o, "warn", "reload");
	strbuf_addf(o, " of the %s, by a ",
	    jview_is(direction, "import")   ? "import policy"
	    : jview_is(direction, "export") ? "export policy"
					    : "import and export policy");
	html_value(o, jview_get(v, "by"));
	if (jview_get(v, "partial").p)
		strbuf_adds(o, ", for some networks");
}

static void
changes_what(struct strbuf *o, struct jview v)
{
	struct jview kind = jview_get(v, "kind");

	if (jview_is(kind, "session_up"))
		html_badge(o, "good", "up");
	else if (jview_is(kind, "session_down"))
		changes_down(o, v);
	else if (jview_is(kind, "reload"))
		changes_reload(o, v);
	else if (jview_is(kind, "routes"))
		changes_routes(o, v);
	else if (jview_is(kind, "started"))
		html_badge(o, "warn", "the daemon has started");
	else if (jview_is(kind, "configured"))
		html_badge(o, "warn", "new configuration");
	else
		html_badge(o, "bad", "configure has failed");
}

static void
changes_row(struct strbuf *o, struct jview v)
{
	uint64_t as = jview_u64(jview_get(v, "as"), 0);

	strbuf_adds(o, "<tr><td data-k=\"Time\">");
	html_moment(o, jview_seconds(jview_get(v, "at_unix_s")));
	strbuf_adds(o, "</td><th scope=\"row\">");
	if (as)
		strbuf_addf(
		    o, "<a href=\"/member/%u\">AS%u</a> ", (unsigned)as, (unsigned)as);
	if (jview_get(v, "protocol").p)
		html_value(o, jview_get(v, "protocol"));
	else
		strbuf_adds(o, "route server");
	strbuf_adds(o, "</th><td class=\"words\" data-k=\"Change\">");
	changes_what(o, v);
	strbuf_adds(o, "</td></tr>\n");
}

static void
changes_table(struct strbuf *o, const struct changes *c)
{
	strbuf_adds(o,
	    "<div class=\"wide\" tabindex=\"0\"><table class=\"stack\"><thead><tr>"
	    "<th>Time</th><th>Member</th><th>Change</th></tr></thead><tbody>\n");
	for (unsigned i = 0; i < c->row_cnt; i++)
		changes_row(o, jview_of(c->row[i].text, c->row[i].len));
	strbuf_adds(o, "</tbody></table></div>\n");
	if (c->more)
		strbuf_addf(o, "<p>The table has the last %u changes.</p>\n", ROWS_MAX);
}

/* ---- the form ---- */

/* changes_field - a field of the form. */
static void
changes_field(struct strbuf *o, const char *name, const char *label, const char *value,
    const char *hint)
{
	/* one piece: the label and its field stay in one line, or stack together */
	strbuf_addf(o,
	    "<div class=\"field\"><label for=\"%s\">%s</label>\n<input id=\"%s\" "
	    "name=\"%s\" maxlength=\"30\" "
	    "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"%s\" value=\"",
	    name, label, name, name, hint);
	html_text(o, value);
	strbuf_adds(o, "\"></div>\n");
}

static void
changes_form(struct job *j)
{
	static const struct {
		const char *since, *words;
	} spans[] = { { "15m", "15 minutes" }, { "1h", "hour" }, { "6h", "6 hours" },
		{ "24h", "24 hours" } };
	const struct request *r = &j->req;
	struct strbuf *o = &j->out;
	char as[16] = "";

	if (r->args.has_as)
		snprintf(as, sizeof(as), "%u", r->args.as);
	strbuf_adds(o, "<form action=\"/changes\">\n");
	changes_field(o, "since", "From (UTC)", r->since, "03:00");
	changes_field(o, "until", "To (UTC)", r->until, "now");
	changes_field(o, "as", "AS", as, "all");
	strbuf_adds(o, "<button>Show</button>\n</form>\n<ul class=\"links\">");
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		strbuf_addf(o, "<li><a href=\"/changes?since=%s", spans[i].since);
		if (*as)
			strbuf_addf(o, "&amp;as=%s", as);
		strbuf_addf(o, "\">Last %s</a></li>", spans[i].words);
	}
	strbuf_adds(o, "</ul>\n<p>");
	html_moment(o, (double)r->args.since_s);
	strbuf_adds(o, " to ");
	if (r->args.until_s)
		html_moment(o, (double)r->args.until_s);
	else
		strbuf_adds(o, "now");
	strbuf_adds(o, "</p>\n<div class=\"sides\">\n");
}

/* ---- the view ---- */

static void
changes_begin(struct job *j)
{
	const char *wrong = when_args(&j->req.args, &j->req, (uint64_t)time(NULL));

	if (wrong) {
		job_problem(j, 400, wrong);
		return;
	}
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i))
			(void)job_ask(j, i, ASK_DIFF, &j->req.args);
	if (!j->put) {
		job_problem(j, 404, "No such server");
		return;
	}
	html_head(j, "Changes");
	changes_form(j);
}

static void
changes_step(struct job *j)
{
	struct changes *c = j->state;
	struct strbuf *o = &j->out;

	strbuf_adds(o, "<section>\n");
	html_server(j, j->web->server[j->now->server].name);
	if (c->row_cnt)
		changes_table(o, c);
	else if (j->reply.rc)
		strbuf_adds(o, "<p>This server gives no answer at present.</p>\n");
	else if (j->reply.code >= 8000)
		strbuf_adds(o, "<p>This server has no such member.</p>\n");
	else
		strbuf_adds(o, "<p>No changes.</p>\n");
	if (c->gaps) {
		strbuf_addf(o,
		    "<p class=\"soft\">The history of %u session%s begins within this "
		    "time, at the latest at ",
		    c->gaps, plural(c->gaps, "", "s"));
		html_moment(o, c->gaps_until);
		strbuf_adds(o, ".</p>\n");
	}
	strbuf_adds(o, "</section>\n");
	html_answered(j, &c->answers);
	changes_drop(c);
}

static void
changes_end(struct job *j)
{
	strbuf_adds(&j->out, "</div>\n");
	html_end(j, &((const struct changes *)j->state)->answers);
}

static void
changes_free(struct job *j)
{
	changes_drop(j->state);
}

const struct view page_changes_view = {
	.type = html_type,
	.state_size = sizeof(struct changes),
	.begin = changes_begin,
	.line = changes_line,
	.step = changes_step,
	.end = changes_end,
	.problem = html_problem,
	.free = changes_free,
};

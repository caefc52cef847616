/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of all members: a card for each server, and a row for each session, with the
 * servers side by side. A session is the same on two servers if AS and name are equal.
 * Loop: the only thread of ternhttp.
 *
 * Tested by test/net/test_http_pages.py. */
#include "client/http/job/ask.h"
#include "client/http/page/downs.h"
#include "client/http/page/html.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/page/pages.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOME_ROWS_MAX 20000

/* A session on one server. */
struct home_cell {
	char state[12]; /* "": not there */
	char cause[96];
	double since_unix_s;
	uint64_t accepted, filtered, exported;
	unsigned limit_percent;
	struct downs downs;
};

struct home_row {
	uint32_t as;
	char name[ASK_NAME_MAX + 1];
	char description[96];
	char address[48];
	struct home_cell cell[SERVERS_MAX];
};

#define HOME_PRINTED_MAX 2 /* servers side by side on paper */

/* owner: the job. */
struct home {
	struct home_row *row;
	uint32_t cnt, cap;
	unsigned next; /* where the next line of the server is likely */
	struct html_answers answers;
	struct strbuf cards;
	unsigned up, wanted;
	char version[32];
	double configured_unix_s;
	struct strbuf problems;
};

static void
home_begin(struct job *j)
{
	struct home *h = j->state;

	strbuf_init(&h->cards);
	strbuf_init(&h->problems);
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i)) {
			(void)job_ask(j, i, ASK_STATUS, NULL);
			(void)job_ask(j, i, ASK_HEALTH, NULL);
			(void)job_ask(j, i, ASK_MEMBERS, NULL);
		}
	if (!j->put)
		job_problem(j, 404, "No such server");
}

static void
home_free(struct job *j)
{
	struct home *h = j->state;

	strbuf_fini(&h->cards);
	strbuf_fini(&h->problems);
	mem_free(MEM_OTHER, h->row);
}

/* home_find - the row of a session, new if need be; NULL: too many rows. */
static struct home_row *
home_find(struct home *h, uint32_t as, const char *name)
{
	struct home_row *r;

	for (unsigned i = 0; i < h->cnt; i++) {
		unsigned at = (h->next + i) % h->cnt;

		r = &h->row[at];
		if (r->as == as && !strcmp(r->name, name)) {
			h->next = at + 1;
			return r;
		}
	}
	if (h->cnt == HOME_ROWS_MAX)
		return NULL;
	h->row = vec_room(MEM_OTHER, h->row, &h->cap, h->cnt + 1, sizeof(*h->row));
	r = &h->row[h->cnt++];
	memset(r, 0, sizeof(*r));
	r->as = as;
	snprintf(r->name, sizeof(r->name), "%s", name);
	return r;
}

static uint64_t
home_sum(struct jview line, const char *key)
{
	return jview_u64(jview_get(jview_get(line, "ipv4"), key), 0) +
	       jview_u64(jview_get(jview_get(line, "ipv6"), key), 0);
}

static void
home_member(struct job *j, struct jview v)
{
	char name[ASK_NAME_MAX + 1];
	struct home_row *r;
	struct home_cell *c;

	if (!jview_copy(name, sizeof(name), jview_get(v, "name")))
		return;
	r = home_find(j->state, (uint32_t)jview_u64(jview_get(v, "as"), 0), name);
	if (!r)
		return;
	(void)jview_copy(
	    r->description, sizeof(r->description), jview_get(v, "description"));
	(void)jview_copy(r->address, sizeof(r->address), jview_get(v, "address"));
	c = &r->cell[j->now->server];
	(void)jview_copy(c->state, sizeof(c->state), jview_get(v, "state"));
	(void)jview_copy(
	    c->cause, sizeof(c->cause), jview_get(jview_get(v, "cause"), "text"));
	c->since_unix_s = jview_seconds(jview_get(v, "since_unix_s"));
	c->downs = downs_read(v);
	c->accepted = home_sum(v, "accepted");
	c->filtered = home_sum(v, "filtered");
	c->exported = home_sum(v, "exported");
	c->limit_percent = (unsigned)jview_u64(
	    jview_get(jview_get(v, "limit"), "used_percent"), 0);
}

static void
home_line(struct job *j, struct jview v)
{
	struct home *h = j->state;
	struct jview type = jview_get(v, "type");

	if (jview_is(type, "member")) {
		home_member(j, v);
	} else if (jview_is(type, "members")) {
		h->up = (unsigned)jview_u64(jview_get(v, "up"), 0);
		h->wanted = (unsigned)jview_u64(jview_get(v, "sessions"), 0);
	} else if (jview_is(type, "status")) {
		(void)jview_copy(h->version, sizeof(h->version), jview_get(v, "version"));
		h->configured_unix_s = jview_seconds(jview_get(v, "configured_unix_s"));
	} else if (jview_is(type, "problem")) {
		strbuf_adds(&h->problems, "<li>");
		html_value(&h->problems, jview_get(v, "text"));
		strbuf_adds(&h->problems, "</li>");
	}
}

/* home_card - the card of the present server. */
static void
home_card(struct job *j)
{
	struct home *h = j->state;
	struct strbuf *o = &h->cards;

	strbuf_adds(o, "<section class=\"card\"><h2>");
	html_text(o, j->web->server[j->now->server].name);
	strbuf_addc(o, ' ');
	html_badge(
	    o, j->reply.rc ? "bad" : "good", j->reply.rc ? "does not answer" : "up");
	strbuf_adds(o, "</h2>\n");
	if (j->reply.rc && j->reply.stale) {
		strbuf_adds(o, "<p>The data below is ");
		html_span(o, j->reply.age_ms / 1000);
		strbuf_adds(o, " old.</p>");
	}
	if (!j->reply.rc || j->reply.stale) {
		strbuf_addf(o,
		    "<p><strong>%u</strong> of %u sessions are up</p><p class=\"soft\">"
		    "tern ",
		    h->up, h->wanted);
		html_text(o, h->version);
		strbuf_adds(o, ", configured ");
		html_time(o, h->configured_unix_s);
		strbuf_adds(o, "</p>");
	}
	if (h->problems.len)
		strbuf_addf(o, "<p>%s</p><ul>%s</ul>", "Problems:", h->problems.s);
	strbuf_adds(o, "</section>\n");
	strbuf_reset(&h->problems);
	h->up = h->wanted = h->next = 0;
}

static void
home_step(struct job *j)
{
	struct home *h = j->state;

	html_answered(j, &h->answers);
	if (job_last(j))
		home_card(j);
}

static int
home_compare(const void *a, const void *b)
{
	const struct home_row *x = a, *y = b;

	if (x->as != y->as)
		return x->as < y->as ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void
home_cell(struct strbuf *o, const char *server, const struct home_cell *c)
{
	bool up = !strcmp(c->state, "up");

	if (!*c->state) {
		strbuf_adds(o, "<td class=\"first soft\" colspan=\"4\">absent</td>");
		return;
	}
	strbuf_addf(o, "<td class=\"first\" data-k=\"%s\">", server);
	html_badge(o, up ? "good" : strcmp(c->state, "down") ? "warn" : "bad", c->state);
	strbuf_adds(o, " <small>since ");
	html_time(o, c->since_unix_s);
	strbuf_addc(o, ' ');
	downs_picture(o, &c->downs);
	if (*c->cause) {
		strbuf_adds(o, "<br>");
		html_text(o, c->cause);
	}
	if (c->limit_percent >= 90) {
		strbuf_adds(o, "<br>");
		html_badge(o, "warn", "near its limit");
		strbuf_addf(o, " %u %%", c->limit_percent);
	}
	strbuf_adds(o, "</small></td><td class=\"n\" data-k=\"Accepted\">");
	html_count(o, c->accepted);
	strbuf_adds(o, "</td><td class=\"n\" data-k=\"Filtered\">");
	if (c->filtered)
		strbuf_adds(o, "<strong>");
	html_count(o, c->filtered);
	if (c->filtered)
		strbuf_adds(o, "</strong>");
	strbuf_adds(o, "</td><td class=\"n\" data-k=\"Sent\">");
	html_count(o, c->exported);
	strbuf_adds(o, "</td>");
}

static void
home_row(struct job *j, const struct home_row *r)
{
	struct strbuf *o = &j->out;

	if (r->as)
		strbuf_addf(o,
		    "<tr><td class=\"n\" data-k=\"AS\"><a href=\"/member/%u\">%u</a>"
		    "</td>",
		    r->as, r->as);
	else
		strbuf_adds(o, "<tr><td class=\"n\"></td>");
	strbuf_adds(o, "<th scope=\"row\">");
	html_text(o, *r->description ? r->description : r->name);
	if (*r->description) {
		strbuf_adds(o, "<br><small>");
		html_text(o, r->name);
		strbuf_adds(o, "</small>");
	}
	strbuf_adds(o, "</th><td class=\"net\" data-k=\"Address\">");
	html_text(o, r->address);
	strbuf_adds(o, "</td>");
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i))
			home_cell(o, j->web->server[i].name, &r->cell[i]);
	strbuf_adds(o, "</tr>\n");
}

static void
home_table(struct job *j)
{
	struct home *h = j->state;
	struct strbuf *o = &j->out;
	unsigned servers = 0;

	for (unsigned i = 0; i < j->web->server_cnt; i++)
		servers += job_wants(j, i);
	strbuf_addf(o,
	    "<div class=\"wide\" tabindex=\"0\"><table class=\"stack%s\">\n<thead><tr>"
	    "<th rowspan=\"2\" class=\"n\">AS</th><th rowspan=\"2\">Member</th>"
	    "<th rowspan=\"2\">Address</th>",
	    servers > HOME_PRINTED_MAX ? " many" : "");
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i)) {
			strbuf_adds(
			    o, "<th class=\"group\" colspan=\"4\" scope=\"colgroup\">");
			html_text(o, j->web->server[i].name);
			strbuf_adds(o, "</th>");
		}
	strbuf_adds(o, "</tr>\n<tr>");
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i))
			strbuf_adds(o,
			    "<th class=\"first\">State</th>"
			    "<th class=\"n\">Accepted</th>"
			    "<th class=\"n\">Filtered</th><th class=\"n\">Sent</th>");
	strbuf_adds(o, "</tr></thead>\n<tbody>\n");
	for (unsigned i = 0; i < h->cnt; i++)
		home_row(j, &h->row[i]);
	strbuf_adds(o, "</tbody></table></div>\n");
}

static void
home_end(struct job *j)
{
	struct home *h = j->state;

	html_head(j, "Members");
	strbuf_adds(&j->out, "<div class=\"cards\">\n");
	strbuf_adds(&j->out, h->cards.s);
	strbuf_adds(&j->out, "</div>\n");
	if (h->cnt) {
		qsort(h->row, h->cnt, sizeof(*h->row), home_compare);
		home_table(j);
	}
	html_end(j, &h->answers);
}

const struct view page_home_view = {
	.type = html_type,
	.state_size = sizeof(struct home),
	.paged = true,
	.begin = home_begin,
	.line = home_line,
	.step = home_step,
	.end = home_end,
	.problem = html_problem,
	.free = home_free,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes pieces of HTML: text with escapes, times, counts, lists and links. No function
 * writes a text of a daemon or of a client without escapes. Loop: the only thread of
 * ternhttp.
 *
 * Tested by test/unit/test_http_html.c and test/net/test_http_pages.py. */
#include "client/http/page/html.h"

#include "lib/json/jview.h"
#include "client/http/job/request.h"
#include "client/http/right/rights.h"
#include "client/http/right/visitor.h"
#include "lib/base/strbuf.h"
#include "lib/net/prefix.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char html_type[] = "text/html; charset=utf-8";

/* html_add - @len octets at @s, escaped. */
static void
html_add(struct strbuf *o, const char *s, size_t len)
{
	static const char from[] = "&<>\"'";
	static const char *const into[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (size_t i = 0; i < len; i++) {
		const char *at = s[i] ? strchr(from, s[i]) : NULL;

		if (at)
			strbuf_adds(o, into[at - from]);
		else
			strbuf_addc(o, s[i]);
	}
}

void
html_text(struct strbuf *o, const char *s)
{
	html_add(o, s, strlen(s));
}

void
html_value(struct strbuf *o, struct jview v)
{
	struct strbuf text;

	strbuf_init(&text);
	jview_add(&text, v);
	html_add(o, text.s, text.len);
	strbuf_fini(&text);
}

static void
html_put_time(struct strbuf *o, double unix_s, bool seconds)
{
	time_t t = (time_t)unix_s;
	char iso[32], shown[32];
	struct tm tm;

	if (unix_s < 0 || !gmtime_r(&t, &tm))
		return;
	strftime(iso, sizeof(iso), "%Y-%m-%dT%H:%M:%SZ", &tm);
	strftime(shown, sizeof(shown), "%Y-%m-%d %H:%M:%S", &tm);
	if (!seconds)
		shown[16] = 0;
	strbuf_addf(o, "<time datetime=\"%s\">%s</time>", iso, shown);
}

void
html_time(struct strbuf *o, double unix_s)
{
	html_put_time(o, unix_s, false);
}

void
html_moment(struct strbuf *o, double unix_s)
{
	html_put_time(o, unix_s, true);
}

void
html_span(struct strbuf *o, uint64_t s)
{
	if (s < 60)
		strbuf_addf(o, "%u s", (unsigned)s);
	else if (s < 3600)
		strbuf_addf(o, "%u min %u s", (unsigned)(s / 60), (unsigned)(s % 60));
	else if (s < 86400)
		strbuf_addf(
		    o, "%u h %u min", (unsigned)(s / 3600), (unsigned)(s / 60 % 60));
	else
		strbuf_addf(
		    o, "%u d %u h", (unsigned)(s / 86400), (unsigned)(s / 3600 % 24));
}

void
html_count(struct strbuf *o, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			strbuf_adds(o, "&#8239;");
		strbuf_addc(o, digits[i]);
	}
}

void
html_badge(struct strbuf *o, const char *kind, const char *word)
{
	strbuf_addf(o, "<span class=\"badge %s\">", kind);
	html_text(o, word);
	strbuf_adds(o, "</span>");
}

void
html_path(struct strbuf *o, struct jview path)
{
	struct jview at = path, item;
	bool more = false;

	while (jview_next(&at, NULL, &item)) {
		if (more)
			strbuf_addc(o, ' ');
		/* a segment that is no sequence: an object with a list */
		if (*item.p == '{')
			strbuf_adds(o, "{…}");
		else
			html_value(o, item);
		more = true;
	}
}

/* html_list - the lists of numbers in @list as A:B:C. */
static void
html_list(struct strbuf *o, struct jview list)
{
	struct jview at = list, item, part;

	while (jview_next(&at, NULL, &item)) {
		struct jview in = item;
		bool more = false;

		strbuf_adds(o, "<code>");
		if (*item.p == '[')
			while (jview_next(&in, NULL, &part)) {
				if (more)
					strbuf_addc(o, ':');
				html_value(o, part);
				more = true;
			}
		else
			html_value(o, item);
		strbuf_adds(o, "</code> ");
	}
}

void
html_communities(struct strbuf *o, struct jview attributes)
{
	html_list(o, jview_get(attributes, "bgp_community"));
	html_list(o, jview_get(attributes, "bgp_large_community"));
	html_list(o, jview_get(attributes, "bgp_ext_community"));
}

/* html_events - the script, if the page has a stream of its events. */
static void
html_events(struct job *j)
{
	char net[PREFIX_STR_MAX];
	const struct request *r = &j->req;
	const char *sign = "?";

	if (j->status != 200 ||
	    (r->page != PAGE_HOME && r->page != PAGE_MEMBER && r->page != PAGE_NET))
		return;
	strbuf_adds(&j->out, "<script src=\"/live.js\" data-events=\"/v1/events");
	if (r->page == PAGE_NET) {
		strbuf_addf(&j->out, "?prefix=%s", prefix_str(net, &r->args.prefix));
		sign = "&amp;";
	}
	if (*r->server)
		strbuf_addf(&j->out, "%sserver=%s", sign, r->server);
	strbuf_adds(&j->out, "\" defer></script>\n");
}

void
html_head(struct job *j, const char *title)
{
	struct strbuf *o = &j->out;

	strbuf_adds(o,
	    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	html_text(o, title);
	strbuf_adds(o, " – looking glass</title>\n"
		       "<link rel=\"stylesheet\" href=\"/style.css\">\n");
	html_events(j);
	strbuf_adds(o,
	    "</head>\n<body>\n"
	    "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>\n"
	    "<nav aria-label=\"Pages\"><a class=\"home\" href=\"/\">Members</a> "
	    "<a href=\"/changes\">Changes</a> <a href=\"/rpki\">RPKI</a>");
	if (j->visitor.exchange)
		strbuf_adds(o, " <a href=\"/overrides\">Overrides</a>");
	if (!visitor_knows(&j->visitor) && j->web->rights.token_cnt)
		strbuf_adds(o, " <a href=\"/login\">Log in</a>");
	strbuf_adds(o, "</nav>\n"
		       "<form role=\"search\" action=\"/search\">\n"
		       "<label for=\"q\">Prefix, address, AS or community</label>\n"
		       "<input id=\"q\" name=\"q\" required maxlength=\"60\" "
		       "autocomplete=\"off\" spellcheck=\"false\" "
		       "placeholder=\"192.0.2.0/24\">\n<button>Search</button>\n"
		       "</form>\n</header>\n<main id=\"main\">\n<h1>");
	html_text(o, title);
	strbuf_adds(o, "</h1>\n");
}

void
html_foot(struct job *j)
{
	time_t now = time(NULL);

	strbuf_adds(&j->out, "</main>\n<footer><p>Asked at ");
	html_time(&j->out, (double)now);
	strbuf_adds(&j->out,
	    " UTC. Times are UTC. <span class=\"more\">The same data: "
	    "<a href=\"/v1/status\">API</a>, <a href=\"/metrics\">metrics</a>.</span>"
	    "</p></footer>\n</body>\n</html>\n");
}

void
html_answered(const struct job *j, struct html_answers *a)
{
	/* an old reply is an answer, with its age */
	if (!j->reply.rc || j->reply.stale)
		a->cnt++;
	else
		a->rc = j->reply.rc;
}

void
html_end(struct job *j, const struct html_answers *a)
{
	/* the sections say which server does not answer */
	if (!a->cnt)
		j->status = job_gone(a->rc);
	html_foot(j);
}

void
html_server(struct job *j, const char *name)
{
	strbuf_adds(&j->out, "<h2>");
	html_text(&j->out, name);
	if (j->reply.rc) {
		strbuf_addc(&j->out, ' ');
		html_badge(&j->out, "bad", "does not answer");
		if (j->reply.stale) {
			strbuf_adds(&j->out, " <small>the data is ");
			html_span(&j->out, j->reply.age_ms / 1000);
			strbuf_adds(&j->out, " old</small>");
		}
	}
	strbuf_adds(&j->out, "</h2>\n");
}

void
html_problem(struct job *j, const char *detail)
{
	struct strbuf text;

	j->type = html_type;
	html_head(j, j->status == 404   ? "Not found"
		     : j->status == 400 ? "Not understood"
		     : j->status == 401 ? "Login needed"
		     : j->status == 403 ? "Not permitted"
		     : j->status == 429 ? "Too many requests"
					: "No answer");
	strbuf_adds(&j->out, "<p>");
	strbuf_init(&text);
	strbuf_adds(&text, detail);
	if (text.len)
		text.s[0] = (char)toupper((unsigned char)text.s[0]);
	html_text(&j->out, text.s);
	strbuf_fini(&text);
	strbuf_adds(&j->out,
	    ".</p>\n<p>Search for a prefix (<code>192.0.2.0/24</code>), an "
	    "address (<code>2001:db8::1</code>), an AS "
	    "(<code>AS64500</code>) or a community (<code>64500:1</code>, "
	    "<code>64500:1:2</code>), or go to the "
	    "<a href=\"/\">members</a>.</p>\n");
	html_foot(j);
}

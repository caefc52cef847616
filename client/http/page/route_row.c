/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the rows of a table of routes in HTML. Tested by test/net/test_http_pages.py.
 * Pure functions. */
#include "client/http/page/route_row.h"

#include "lib/json/jview.h"
#include "client/http/page/html.h"
#include "lib/wire/remedy.h"
#include "lib/wire/words.h"
#include "lib/base/strbuf.h"

#include <string.h>

void
route_table_head(struct strbuf *o, const char *caption, bool reason)
{
	strbuf_adds(
	    o, "<div class=\"wide\" tabindex=\"0\"><table class=\"stack\"><caption>");
	html_text(o, caption);
	strbuf_adds(o, "</caption>\n<thead><tr><th class=\"net\">Network</th>");
	strbuf_adds(o, reason ? "<th>Reason and remedy</th>" : "<th>From</th>");
	strbuf_adds(o, "<th>AS path</th></tr></thead>\n<tbody>\n");
}

void
route_table_foot(struct strbuf *o)
{
	strbuf_adds(o, "</tbody></table></div>\n");
}

/* route_texts - the strings of a list or a string, each in a paragraph behind @label. */
static void
route_texts(struct strbuf *o, const char *label, struct jview v)
{
	struct jview at = v, item;

	if (!v.p)
		return;
	if (*v.p != '[') {
		strbuf_addf(o, "<br><small>%s ", label);
		html_value(o, v);
		strbuf_adds(o, "</small>");
		return;
	}
	while (jview_next(&at, NULL, &item)) {
		strbuf_addf(o, "<br><small>%s ", label);
		html_value(o, item);
		strbuf_adds(o, "</small>");
	}
}

/* route_rule - the filter and the line that decided. */
static void
route_rule(struct strbuf *o, struct jview line)
{
	struct jview filter = jview_get(line, "filter"), file = jview_get(line, "file");
	struct strbuf path;
	const char *base;

	if (filter.p) {
		strbuf_adds(o, "<br><small>Rule: filter <code>");
		html_value(o, filter);
		strbuf_adds(o, "</code>");
	}
	if (file.p) {
		strbuf_init(&path);
		jview_add(&path, file);
		base = strrchr(path.s, '/');
		strbuf_adds(o, filter.p ? ", " : "<br><small>Rule: ");
		html_text(o, base ? base + 1 : path.s);
		strbuf_addf(
		    o, " line %u", (unsigned)jview_u64(jview_get(line, "line"), 0));
		strbuf_fini(&path);
	}
	if (filter.p || file.p)
		strbuf_adds(o, "</small>");
}

/* row_teller - who says the text `said` of @line. */
static const char *
row_teller(struct jview line)
{
	struct jview reason = jview_get(line, "reason");

	if (jview_is(reason, "override") || jview_is(reason, "override_export"))
		return "The operator says:";
	return jview_true(jview_get(line, "run_time_error")) ? "Run-time error:"
							     : "The rule says:";
}

/* route_row_reason - the route server's reason in words: @words; NULL: the daemon's. */
static void
route_row_reason(struct strbuf *o, struct jview line, const char *words)
{
	struct jview reason = jview_get(line, "reason"), text = jview_get(line, "text");

	if (words)
		html_text(o, words);
	else
		html_value(o, text.p ? text : reason);
	route_texts(o, row_teller(line), jview_get(line, "said"));
	route_texts(o, "", jview_get(line, "community_text"));
	route_texts(o, "", jview_get(line, "added_communities_text"));
	route_texts(o, "Community", jview_get(line, "community"));
	route_texts(o, "Pipe", jview_get(line, "pipe"));
	route_rule(o, line);
}

void
route_reason(struct strbuf *o, struct jview line)
{
	struct strbuf todo;

	strbuf_init(&todo);
	route_row_reason(o, line, words_line(line));
	remedy_add(&todo, line);
	if (todo.len) {
		strbuf_adds(o, "<br><strong>To do:</strong> ");
		html_text(o, todo.s);
	}
	strbuf_fini(&todo);
}

void
route_acceptance(struct strbuf *o, struct jview line)
{
	route_texts(o,
	    jview_is(jview_get(line, "filter_asked_about"), "table")
		? "The import policy of the exchange refuses the route as the route "
		  "stands "
		  "in the table, and an operator of the exchange accepts the route for "
		  "some "
		  "time:"
		: "The import policy of the exchange refuses the route, and an operator "
		  "of "
		  "the exchange accepts the route for some time:",
	    jview_get(line, "accepted_by"));
}

static void
route_net(struct strbuf *o, struct jview line, const char *to)
{
	struct jview net = jview_get(line, "network");

	strbuf_adds(o, "<td class=\"net\"><a href=\"/prefix/");
	html_value(o, net);
	if (to) {
		strbuf_adds(o, "?to=");
		html_text(o, to);
	}
	strbuf_adds(o, "\">");
	html_value(o, net);
	strbuf_adds(o, "</a></td>");
}

/* route_community_texts - what the communities of the route mean. */
static void
route_community_texts(struct strbuf *o, struct jview line)
{
	struct jview at = jview_get(line, "community_texts"), one;

	while (at.p && jview_next(&at, NULL, &one)) {
		strbuf_adds(o, "<br><small>");
		html_value(o, jview_get(one, "community"));
		strbuf_adds(o, " ");
		html_value(o, jview_get(one, "text"));
		strbuf_adds(o, "</small>");
	}
}

void
route_attributes(struct strbuf *o, struct jview line)
{
	struct jview attributes = jview_get(line, "attributes");
	struct jview hops = jview_get(attributes, "bgp_next_hop"), hop;

	strbuf_adds(o, "<td class=\"path\" data-k=\"AS path\">");
	html_path(o, jview_get(attributes, "bgp_path"));
	if (jview_next(&hops, NULL, &hop)) {
		strbuf_adds(o, "<br><small>next hop ");
		html_value(o, hop);
		strbuf_adds(o, "</small>");
	}
	if (jview_get(attributes, "bgp_community").p ||
	    jview_get(attributes, "bgp_large_community").p ||
	    jview_get(attributes, "bgp_ext_community").p) {
		strbuf_adds(o, "<br><small>");
		html_communities(o, attributes);
		strbuf_adds(o, "</small>");
		route_community_texts(o, line);
	}
	strbuf_adds(o, "</td>");
}

void
route_row(struct strbuf *o, struct jview line, bool reason, const char *to)
{
	strbuf_adds(o, "<tr>");
	route_net(o, line, to);
	if (reason) {
		strbuf_adds(o, "<td class=\"words\" data-k=\"Reason\">");
		route_reason(o, line);
	} else {
		strbuf_adds(o, "<td data-k=\"From\">");
		html_value(o, jview_get(line, "protocol"));
		if (jview_true(jview_get(line, "best"))) {
			strbuf_addc(o, ' ');
			html_badge(o, "good", "best");
		}
	}
	strbuf_adds(o, "</td>");
	route_attributes(o, line);
	strbuf_adds(o, "</tr>\n");
}

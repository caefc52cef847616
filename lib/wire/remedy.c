/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the remedy of a refused route. Pure functions.
 *
 * The text of a rule is free: the table below lists words that operators, arouteserver
 * and IXP Manager use. A rule without such words gets a remedy that names the rule.
 *
 * Tested by test/unit/test_remedy.c. */
#include "lib/wire/remedy.h"

#include "lib/base/plural.h"
#include "lib/wire/words.h"

#include <ctype.h>
#include <string.h>

/* What a rule is about. */
enum remedy_topic {
	REMEDY_ROA,
	REMEDY_IRR,
	REMEDY_LEAK,
	REMEDY_BOGON_AS,
	REMEDY_BOGON,
	REMEDY_PATH,
	REMEDY_NEXT_HOP,
	REMEDY_FIRST_AS,
	REMEDY_SHORT,
	REMEDY_LONG,
	REMEDY_COMMUNITIES,
	REMEDY_LIST,
	REMEDY_COUNT,
	REMEDY_NONE
};

/* Beginnings of words that a text holds, in lower case; `also` may be NULL. The first row
 * that fits counts. */
static const struct {
	const char *word, *also;
	enum remedy_topic topic;
} topics[] = {
	{ "rpki", NULL, REMEDY_ROA },
	{ "roa", NULL, REMEDY_ROA },
	{ "irr", NULL, REMEDY_IRR },
	{ "as set", NULL, REMEDY_IRR },
	{ "route object", NULL, REMEDY_IRR },
	{ "not in origin as", NULL, REMEDY_IRR },
	{ "transit", NULL, REMEDY_LEAK },
	{ "leak", NULL, REMEDY_LEAK },
	{ "tier", NULL, REMEDY_LEAK },
	{ "never via", NULL, REMEDY_LEAK },
	{ "bogon", "as ", REMEDY_BOGON_AS },
	{ "bogon", "asn", REMEDY_BOGON_AS },
	{ "private", "as", REMEDY_BOGON_AS },
	{ "reserved", "as", REMEDY_BOGON_AS },
	{ "invalid asn", NULL, REMEDY_BOGON_AS },
	{ "bogon", NULL, REMEDY_BOGON },
	{ "martian", NULL, REMEDY_BOGON },
	{ "private", NULL, REMEDY_BOGON },
	{ "global unicast", NULL, REMEDY_BOGON },
	{ "default route", NULL, REMEDY_BOGON },
	{ "path", "long", REMEDY_PATH },
	{ "path", "length", REMEDY_PATH },
	{ "next hop", NULL, REMEDY_NEXT_HOP },
	{ "nexthop", NULL, REMEDY_NEXT_HOP },
	{ "first as", NULL, REMEDY_FIRST_AS },
	{ "left most", NULL, REMEDY_FIRST_AS },
	{ "leftmost", NULL, REMEDY_FIRST_AS },
	{ "peer as", NULL, REMEDY_FIRST_AS },
	{ "communit", NULL, REMEDY_COMMUNITIES },
	{ "too short", NULL, REMEDY_SHORT },
	{ "too long", NULL, REMEDY_LONG },
	{ "too specific", NULL, REMEDY_LONG },
	{ "too small", NULL, REMEDY_LONG },
	{ "prefix length", NULL, REMEDY_LONG },
	{ "blacklist", NULL, REMEDY_LIST },
	{ "black list", NULL, REMEDY_LIST },
	{ "blocked", NULL, REMEDY_LIST },
	{ "too many", NULL, REMEDY_COUNT },
	{ "limit", NULL, REMEDY_COUNT },
};

/* remedy_has - does @text, blank and word by turns, have words that begin with @word? */
static bool
remedy_has(const char *text, const char *word)
{
	size_t len = strlen(word);

	while ((text = strchr(text, ' ')))
		if (!strncmp(++text, word, len))
			return true;
	return false;
}

/* remedy_add_words - append the letters and digits of @v to @text: lower case, with a
 * blank in the place of other characters. */
static void
remedy_add_words(struct strbuf *text, struct jview v)
{
	size_t from = text->len;

	strbuf_addc(text, ' ');
	jview_add(text, v);
	strbuf_addc(text, ' ');
	for (size_t i = from; i < text->len; i++) {
		unsigned char c = (unsigned char)text->s[i];

		text->s[i] = (char)(isalnum(c) ? tolower(c) : ' ');
	}
}

/* remedy_topic_of - what the rule of @line is about: by its texts, else by the names of
 * the function and the filter. */
static enum remedy_topic
remedy_topic_of(struct jview line)
{
	static const char *const texts[] = { "said", "community_text",
		"added_communities_text", NULL };
	static const char *const names[] = { "filter", "pipe_filter", NULL };
	enum remedy_topic found = REMEDY_NONE;
	struct strbuf text;

	strbuf_init(&text);
	for (unsigned turn = 0; turn < 2 && found == REMEDY_NONE; turn++) {
		strbuf_reset(&text);
		for (const char *const *k = turn ? names : texts; *k; k++)
			remedy_add_words(&text, jview_get(line, *k));
		if (turn)
			remedy_add_words(
			    &text, jview_get(jview_get(line, "decided_by"), "function"));
		for (size_t i = 0;
		     i < sizeof(topics) / sizeof(topics[0]) && found == REMEDY_NONE; i++)
			if (remedy_has(text.s, topics[i].word) &&
			    (!topics[i].also || remedy_has(text.s, topics[i].also)))
				found = topics[i].topic;
	}
	strbuf_fini(&text);
	return found;
}

/* remedy_as - the AS number in @v; 0: none. */
static unsigned
remedy_as(struct jview v)
{
	return (unsigned)jview_u64(v, 0);
}

static void
remedy_net(struct strbuf *o, struct jview line)
{
	struct jview net = jview_get(line, "network");

	if (net.p)
		jview_add(o, net);
	else
		strbuf_adds(o, "the network");
}

/* remedy_origin - "AS65001", or "your AS number". */
static void
remedy_origin(struct strbuf *o, struct jview line)
{
	unsigned as = remedy_as(jview_get(line, "origin_as"));

	if (as)
		strbuf_addf(o, "AS%u", as);
	else
		strbuf_adds(o, "the AS number of the origin");
}

/* ---- ROAs ---- */

/* remedy_roa_of - the ROA of @line for the AS @as; absent: none. */
static struct jview
remedy_roa_of(struct jview line, unsigned as)
{
	struct jview at = jview_get(line, "roas"), roa;

	while (at.p && jview_next(&at, NULL, &roa))
		if (remedy_as(jview_get(roa, "as")) == as)
			return roa;
	return (struct jview){ NULL, 0 };
}

/* remedy_roa_length - the ROA @roa permits the origin, and no prefix of this length. */
static void
remedy_roa_length(struct strbuf *o, struct jview line, struct jview roa)
{
	unsigned max = remedy_as(jview_get(roa, "max_length"));

	strbuf_adds(o, "The ROA of ");
	remedy_origin(o, line);
	strbuf_adds(o, " for ");
	jview_add(o, jview_get(roa, "network"));
	strbuf_addf(
	    o, " permits prefixes up to /%u: announce such a prefix in place of ", max);
	remedy_net(o, line);
	strbuf_adds(o, ", or raise the maximum length in the ROA.");
}

/* remedy_roa_list - "AS65010 or AS65011", each AS of the ROAs once. Returns: their
 * number; AS 0 does not count. */
static unsigned
remedy_roa_list(struct strbuf *o, struct jview line)
{
	struct jview at = jview_get(line, "roas"), roa;
	unsigned seen[4], cnt = 0;

	while (at.p && cnt < 4 && jview_next(&at, NULL, &roa)) {
		unsigned as = remedy_as(jview_get(roa, "as")), i = 0;

		while (i < cnt && seen[i] != as)
			i++;
		if (!as || i < cnt)
			continue;
		seen[cnt++] = as;
		strbuf_addf(o, "%sAS%u", cnt > 1 ? " or " : "", as);
	}
	return cnt;
}

/* remedy_roa_invalid - each ROA forbids the route. */
static void
remedy_roa_invalid(struct strbuf *o, struct jview line)
{
	struct jview own = remedy_roa_of(line, remedy_as(jview_get(line, "origin_as")));
	struct strbuf list;

	if (own.p) {
		remedy_roa_length(o, line, own);
		return;
	}
	strbuf_init(&list);
	if (remedy_roa_list(&list, line)) {
		strbuf_adds(o, "Announce ");
		remedy_net(o, line);
		strbuf_addf(o, " with the origin %s, or ask %s for a ROA that permits ",
		    list.s, list.s);
		remedy_origin(o, line);
		strbuf_addc(o, '.');
	} else {
		strbuf_adds(o, "A ROA with AS0 forbids each origin: stop announcing ");
		remedy_net(o, line);
		strbuf_adds(o, ", or let the holder of the network create a ROA for ");
		remedy_origin(o, line);
		strbuf_addc(o, '.');
	}
	strbuf_fini(&list);
}

static void
remedy_roa(struct strbuf *o, struct jview line)
{
	struct jview state = jview_get(line, "roa_state");

	if (jview_is(state, "invalid")) {
		remedy_roa_invalid(o, line);
		return;
	}
	if (jview_is(state, "valid")) {
		strbuf_adds(o, "The ROAs permit ");
		remedy_origin(o, line);
		strbuf_adds(o, " now. If the route stays refused, ask the exchange.");
		return;
	}
	strbuf_adds(o, "Create a ROA for ");
	remedy_net(o, line);
	strbuf_adds(o, " with the origin ");
	remedy_origin(o, line);
	strbuf_addc(o, '.');
}

/* ---- other rules ---- */

static void
remedy_next_hop(struct strbuf *o, struct jview line)
{
	struct jview hops = jview_get(jview_get(line, "attributes"), "bgp_next_hop"), hop;

	strbuf_adds(
	    o, "Set the next hop to the address of your router on the peering network");
	if (hops.p && jview_next(&hops, NULL, &hop)) {
		strbuf_adds(o, "; the route has ");
		jview_add(o, hop);
	}
	strbuf_addc(o, '.');
}

/* remedy_path - the length and the first AS of the path; both 0: unknown. */
static unsigned
remedy_path(struct jview line, unsigned *first)
{
	struct jview at = jview_get(jview_get(line, "attributes"), "bgp_path"), item;
	unsigned cnt = 0;

	*first = 0;
	while (at.p && jview_next(&at, NULL, &item))
		if (!cnt++)
			*first = remedy_as(item);
	return cnt;
}

/* remedy_length - the prefix is too long for the rule. */
static void
remedy_length(struct strbuf *o, struct jview line)
{
	strbuf_adds(o, "Announce a shorter prefix that contains ");
	remedy_net(o, line);
	strbuf_adds(o, ". Most exchanges accept IPv4 prefixes up to /24 and IPv6 "
		       "prefixes up to /48.");
}

/* remedy_place - "filter f_in, line 9 of rs.conf". Returns: false: unknown. */
static bool
remedy_place(struct strbuf *o, struct jview line)
{
	struct jview filter = jview_get(line, "filter"), file = jview_get(line, "file");
	struct strbuf path;
	const char *base;

	if (!filter.p)
		filter = jview_get(line, "pipe_filter");
	if (filter.p && !jview_is(filter, "(unnamed)")) {
		strbuf_adds(o, "filter ");
		jview_add(o, filter);
	} else if (file.p || filter.p) {
		strbuf_adds(o, "the filter");
	}
	if (file.p) {
		strbuf_init(&path);
		jview_add(&path, file);
		base = strrchr(path.s, '/');
		strbuf_addf(o, ", line %u of %s",
		    (unsigned)jview_u64(jview_get(line, "line"), 0),
		    base ? base + 1 : path.s);
		strbuf_fini(&path);
	}
	return filter.p || file.p;
}

/* remedy_rule - the rule is about nothing that this file knows. */
static void
remedy_rule(struct strbuf *o, struct jview line)
{
	struct jview said = jview_get(line, "said");
	struct strbuf place;

	if (!said.p)
		said = jview_get(line, "community_text");
	strbuf_init(&place);
	if (jview_is(jview_get(line, "roa_state"), "invalid")) {
		remedy_roa_invalid(o, line);
		strbuf_addc(o, ' ');
	}
	if (said.p) {
		strbuf_adds(o, "Change the route as the rule says: ");
		jview_add(o, said);
		strbuf_adds(o, ". If the text is not clear, ask the exchange");
	} else {
		strbuf_adds(o, "Ask the exchange about the conditions of the rule");
	}
	if (remedy_place(&place, line))
		strbuf_addf(o, " (%s)", place.s);
	strbuf_addc(o, '.');
	strbuf_fini(&place);
}

/* remedy_error - a run-time error of a filter refuses the route: the filter is at fault,
 * and no change of the route is due. */
static void
remedy_error(struct strbuf *o, struct jview line)
{
	struct jview said = jview_get(line, "said");
	struct strbuf place;

	strbuf_init(&place);
	strbuf_adds(o, "Report the error to the exchange; the exchange corrects ");
	if (remedy_place(&place, line))
		strbuf_add(o, place.s, place.len);
	else
		strbuf_adds(o, "the filter");
	if (said.p) {
		strbuf_adds(o, ": ");
		jview_add(o, said);
	}
	strbuf_addc(o, '.');
	strbuf_fini(&place);
}

/* remedy_import - the import policy refuses or marks the route. */
static void
remedy_import(struct strbuf *o, struct jview line)
{
	unsigned first, cnt = remedy_path(line, &first);

	switch (remedy_topic_of(line)) {
	case REMEDY_ROA:
		remedy_roa(o, line);
		return;
	case REMEDY_IRR:
		strbuf_adds(o, "Register a route object for ");
		remedy_net(o, line);
		strbuf_adds(o, " with the origin ");
		remedy_origin(o, line);
		strbuf_adds(o, " in the IRR, and add ");
		remedy_origin(o, line);
		strbuf_adds(o, " to the AS-SET that the exchange knows.");
		return;
	case REMEDY_LEAK:
		strbuf_adds(o, "Stop announcing ");
		remedy_net(o, line);
		strbuf_adds(
		    o, " to the route server: the route is of a provider or a peer.");
		return;
	case REMEDY_BOGON_AS:
		strbuf_adds(
		    o, "Remove private and reserved AS numbers from the AS path.");
		return;
	case REMEDY_BOGON:
		strbuf_adds(o, "Stop announcing ");
		remedy_net(o, line);
		strbuf_adds(o, ": the network is not for the public Internet.");
		return;
	case REMEDY_PATH:
		strbuf_adds(o, "Prepend less");
		if (cnt)
			strbuf_addf(o, ": the AS path has %u AS number%s", cnt,
			    plural(cnt, "", "s"));
		strbuf_addc(o, '.');
		return;
	case REMEDY_NEXT_HOP:
		remedy_next_hop(o, line);
		return;
	case REMEDY_FIRST_AS:
		strbuf_adds(o, "Announce the route with your own AS number first");
		if (first)
			strbuf_addf(o, ": the AS path begins with AS%u", first);
		strbuf_addc(o, '.');
		return;
	case REMEDY_SHORT:
		strbuf_adds(o, "Announce longer prefixes in place of ");
		remedy_net(o, line);
		strbuf_addc(o, '.');
		return;
	case REMEDY_LONG:
		remedy_length(o, line);
		return;
	case REMEDY_COMMUNITIES:
		strbuf_adds(o, "Announce the route with fewer or other communities.");
		return;
	case REMEDY_LIST:
		strbuf_adds(o, "Ask the exchange: a list of the exchange blocks ");
		remedy_net(o, line);
		strbuf_addc(o, '.');
		return;
	case REMEDY_COUNT:
		strbuf_adds(
		    o, "Announce fewer routes, or ask the exchange for a higher limit.");
		return;
	default:
		remedy_rule(o, line);
	}
}

/* ---- exports ---- */

/* remedy_communities - the communities of the route, as "65000:1 65000:1:2". Returns:
 * their number. */
static unsigned
remedy_communities(struct strbuf *o, struct jview line)
{
	static const char *const kinds[] = { "bgp_community", "bgp_large_community" };
	struct jview attributes = jview_get(line, "attributes");
	unsigned cnt = 0;

	for (size_t i = 0; i < 2; i++) {
		struct jview at = jview_get(attributes, kinds[i]), one;

		while (at.p && cnt < 8 && jview_next(&at, NULL, &one)) {
			struct jview number;
			const char *sign = cnt++ ? " " : "";

			for (; jview_next(&one, NULL, &number); sign = ":")
				strbuf_addf(o, "%s%u", sign, remedy_as(number));
		}
	}
	return cnt;
}

/* remedy_has_none - are the attributes known, without a community of any kind? */
static bool
remedy_has_none(struct jview line)
{
	static const char *const kinds[] = { "bgp_community", "bgp_large_community",
		"bgp_ext_community", NULL };
	struct jview attributes = jview_get(line, "attributes");

	for (const char *const *k = kinds; *k; k++) {
		struct jview at = jview_get(attributes, *k), one;

		if (at.p && jview_next(&at, NULL, &one))
			return false;
	}
	return attributes.p != NULL;
}

/* remedy_announcer - the AS of the member that announces the route; 0: unknown. The path
 * of a dry run without a member has an AS number for documentation. */
static unsigned
remedy_announcer(struct jview line)
{
	unsigned first;

	if (jview_is(jview_get(line, "type"), "why_with") && !jview_get(line, "from").p)
		return 0;
	(void)remedy_path(line, &first);
	return first;
}

/* remedy_export - a policy keeps the route from a receiver. */
static void
remedy_export(struct strbuf *o, struct jview line)
{
	unsigned as = remedy_announcer(line);
	struct strbuf list;

	strbuf_init(&list);
	if (remedy_has_none(line)) {
		strbuf_adds(o, "Ask the exchange");
		if (remedy_place(&list, line))
			strbuf_addf(o, " about %s", list.s);
		strbuf_adds(o, ": the route has no communities.");
		strbuf_fini(&list);
		return;
	}
	if (as)
		strbuf_addf(o, "Ask AS%u, the announcing member,", as);
	else
		strbuf_adds(o, "Ask the announcing member");
	strbuf_adds(o, " to remove the communities that keep the route from the "
		       "receiver");
	if (remedy_communities(&list, line))
		strbuf_addf(o, " (the route has %s)", list.s);
	strbuf_reset(&list);
	strbuf_adds(o, ". If no community does so, ask the exchange");
	if (remedy_place(&list, line))
		strbuf_addf(o, " about %s", list.s);
	strbuf_addc(o, '.');
	strbuf_fini(&list);
}

void
remedy_add(struct strbuf *o, struct jview line)
{
	struct jview reason = jview_get(line, "reason"), done = jview_get(line, "remedy");

	if (done.p)
		jview_add(o, done);
	else if (jview_true(jview_get(line, "run_time_error")))
		remedy_error(o, line);
	else if (jview_is(reason, "import_filter") ||
		 (!reason.p && jview_get(line, "filtered_by").p))
		remedy_import(o, line);
	else if (jview_is(reason, "export_filter") || jview_is(reason, "pipe"))
		remedy_export(o, line);
	else if (jview_is(reason, "far_next_hop") || jview_is(reason, "bad_next_hop") ||
		 jview_is(reason, "own_next_hop"))
		remedy_next_hop(o, line);
	else
		strbuf_adds(o, words_do(reason));
}

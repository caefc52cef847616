/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and prints the position in a long list, and chooses the lines of the page behind
 * the position. Tested by test/unit/test_http_place.c and test/net/test_http.py. Pure
 * functions. */
#include "client/http/api/place.h"

#include "lib/net/ip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_FIELDS 6

/* place_number - Returns: false: @s is no number below 2^31. */
static bool
place_number(unsigned *n, const char *s)
{
	size_t len = strlen(s);

	if (!len || len > 9 || strspn(s, "0123456789") != len)
		return false;
	*n = (unsigned)strtoul(s, NULL, 10);
	return true;
}

bool
place_scan(struct place *p, const char *text)
{
	char copy[PLACE_TEXT_MAX], *field[PLACE_FIELDS], *next = copy;
	const char *end;

	memset(p, 0, sizeof(*p));
	if (strlen(text) >= sizeof(copy))
		return false;
	memcpy(copy, text, strlen(text) + 1);
	for (unsigned i = 0; i < PLACE_FIELDS; i++) {
		field[i] = strsep(&next, ",");
		if (!field[i])
			return false;
	}
	if (next || !place_number(&p->server, field[0]) ||
	    (*field[1] && !ask_set_name(p->session, field[1])) ||
	    !place_number(&p->part, field[2]) || !place_number(&p->table, field[3]) ||
	    !place_number(&p->refused, field[5]))
		return false;
	if (!*field[4])
		return true;
	end = prefix_scan(&p->net, field[4]);
	p->has_net = end && !*end;
	return p->has_net;
}

void
place_str(char *to, const struct place *p)
{
	char net[PREFIX_STR_MAX] = "";

	if (p->has_net)
		prefix_str(net, &p->net);
	snprintf(to, PLACE_TEXT_MAX, "%u,%s,%u,%u,%s,%u", p->server, p->session, p->part,
	    p->table, net, p->refused);
}

void
places_begin(struct places *s, unsigned server, const char *session, unsigned part)
{
	s->at = (struct place){ .server = server, .part = part };
	snprintf(s->at.session, sizeof(s->at.session), "%s", session);
	s->skipping = s->skipping && server == s->from.server && part == s->from.part &&
		      !strcmp(session, s->from.session);
}

/* place_rank - the order of lines within a table: first the beginning of the table, then
 * the networks, last the refused routes. */
static int
place_rank(const struct place *p)
{
	return p->refused ? 2 : p->has_net ? 1 : 0;
}

/* place_cmp - the order of two places in one question. */
static int
place_cmp(const struct place *a, const struct place *b)
{
	int c = place_rank(a) - place_rank(b);

	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	if (c || !place_rank(a))
		return c;
	if (a->refused)
		return a->refused < b->refused ? -1 : a->refused > b->refused;
	c = ip_cmp(a->net.addr, b->net.addr);
	return c ? c : (int)a->net.len - (int)b->net.len;
}

/* place_of - the place of @line behind @at. Returns: false: no route. */
static bool
place_of(struct place *p, const struct place *at, struct jview line)
{
	struct jview type = jview_get(line, "type");
	char net[PREFIX_STR_MAX];
	const char *end;

	*p = *at;
	if (jview_is(type, "filtered_route")) {
		p->has_net = false;
		p->refused++;
		return true;
	}
	if (!jview_is(type, "route") ||
	    !jview_copy(net, sizeof(net), jview_get(line, "network")))
		return false;
	end = prefix_scan(&p->net, net);
	p->has_net = end && !*end;
	return p->has_net;
}

enum place_verdict
places_line(struct places *s, struct jview line)
{
	struct place p;
	bool more;

	if (!place_of(&p, &s->at, line)) {
		if (jview_is(jview_get(line, "type"), "route_table")) {
			s->at.table++;
			s->at.has_net = false;
			s->at.refused = 0;
			return s->skipping && s->at.table <= s->from.table ? PLACE_SKIP
									   : PLACE_SHOW;
		}
		return s->skipping ? PLACE_SKIP : PLACE_SHOW;
	}
	if (s->skipping && place_cmp(&p, &s->from) <= 0) {
		s->at = p;
		return PLACE_SKIP;
	}
	s->skipping = false;
	more = place_cmp(&p, &s->at) != 0;
	if (s->limit && s->shown >= s->limit && more)
		return PLACE_FULL;
	s->shown++;
	s->at = p;
	return PLACE_SHOW;
}

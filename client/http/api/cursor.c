/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cursor of a list in pages: the texts of the places, separated by semicolons. Pure
 * functions. Tested by test/unit/test_http_cursor.c. */
#include "client/http/api/cursor.h"

#include "client/http/job/request.h"
#include "lib/base/strbuf.h"

#include <stdio.h>
#include <string.h>

void
cursor_put(struct cursor *c, const struct place *at)
{
	c->at[at->server] = *at;
	c->servers |= 1u << at->server;
}

bool
cursor_scan(struct cursor *c, const char *text)
{
	char copy[REQUEST_CURSOR_MAX], *next = copy, *one;
	struct place p;

	memset(c, 0, sizeof(*c));
	if (!*text)
		return true;
	if (strlen(text) >= sizeof(copy))
		return false;
	memcpy(copy, text, strlen(text) + 1);
	while ((one = strsep(&next, ";"))) {
		if (!place_scan(&p, one) || p.server >= SERVERS_MAX ||
		    c->servers >> p.server & 1)
			return false;
		cursor_put(c, &p);
	}
	return true;
}

void
cursor_add(struct strbuf *to, const struct cursor *c)
{
	char place[PLACE_TEXT_MAX];
	const char *sign = "";

	for (unsigned i = 0; i < SERVERS_MAX; i++) {
		if (!(c->servers >> i & 1))
			continue;
		place_str(place, &c->at[i]);
		strbuf_addf(to, "%s%s", sign, place);
		sign = ";";
	}
}

bool
cursor_has(const struct cursor *c, unsigned server)
{
	return !c->servers || c->servers >> server & 1;
}

struct places
cursor_begin(const struct cursor *c, unsigned server, unsigned limit)
{
	return (struct places){ .limit = limit,
		.skipping = c->servers >> server & 1,
		.from = c->at[server] };
}

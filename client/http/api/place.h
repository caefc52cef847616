/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of a long list: how many routes a page has, and where the next page begins. Pure
 * functions.
 *
 * The daemon sends the networks of a table in order. A cursor names the last network of
 * a page, so that routes that come or go between two pages neither repeat nor hide other
 * routes. Refused routes that no table keeps have no order: a cursor counts these.
 *
 * G1  A page ends behind the last route of a network, so a page may have more routes
 *     than the limit. */
#ifndef TERN_CLIENT_HTTP_API_PLACE_H
#define TERN_CLIENT_HTTP_API_PLACE_H

#include "client/http/job/ask.h"
#include "lib/json/jview.h"
#include "lib/net/prefix.h"

#define PLACE_TEXT_MAX 128

/* A place in the lines of a question. Owner: the holder. Life: by value. */
struct place {
	unsigned server; /* index */
	char session[ASK_NAME_MAX + 1]; /* ""; the question concerns no session */
	unsigned part; /* question of the session: 0, 1 */
	unsigned table; /* tables that have ended */
	bool has_net;
	struct prefix net;
	unsigned refused; /* refused routes of the table that no table keeps */
};

enum place_verdict {
	PLACE_SKIP, /* the line belongs to an earlier page */
	PLACE_SHOW,
	PLACE_FULL /* the line belongs to the next page */
};

/* A page that is made. Owner: the job. Life: that of the job; zeros are a page without a
 * limit. Part of the job, freed with the job. */
struct places {
	unsigned limit; /* routes; 0: all */
	unsigned shown; /* routes of the page */
	bool skipping; /* `from` is still ahead */
	struct place from; /* the last route of the page before */
	struct place at; /* the last route that was examined */
};

/* place_scan - read the cursor @text. place_str - print into @to of PLACE_TEXT_MAX
 * octets. Returns: false: no cursor. */
MUST_CHECK bool place_scan(struct place *p, const char *text);
void place_str(char *to, const struct place *p);
/* places_begin - a question begins. @session: "": none. */
void places_begin(struct places *s, unsigned server, const char *session, unsigned part);
/* places_line - what happens to @line? After PLACE_FULL s->at is the cursor of the next
 * page. */
enum place_verdict places_line(struct places *s, struct jview line);

#endif

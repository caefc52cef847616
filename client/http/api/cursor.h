/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cursor of a list in pages: for each server with further routes the place behind
 * which the next page begins. Pure functions. Tested by test/unit/test_http_cursor.c. */
#ifndef TERN_CLIENT_HTTP_API_CURSOR_H
#define TERN_CLIENT_HTTP_API_CURSOR_H

#include "client/http/api/place.h"
#include "client/http/job/job.h"

/* Owner: the job. Life: that of the job; zeros are the first page, and the last page. By
 * value: nothing to free. */
struct cursor {
	struct place at[SERVERS_MAX];
	unsigned servers; /* bits of the servers in `at` */
};

/* cursor_scan - read the places of @text, "" for the first page. Returns: false: no
 * cursor. cursor_add - append the text of @c to @to. */
MUST_CHECK bool cursor_scan(struct cursor *c, const char *text);
void cursor_add(struct strbuf *to, const struct cursor *c);
/* cursor_put - the next page of a server begins behind @at. */
void cursor_put(struct cursor *c, const struct place *at);
/* cursor_has - true: the page has routes of @server. */
bool cursor_has(const struct cursor *c, unsigned server);
/* cursor_begin - the routes of @server begin: @limit routes; 0: all. */
struct places cursor_begin(const struct cursor *c, unsigned server, unsigned limit);

#endif

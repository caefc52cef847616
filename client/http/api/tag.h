/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entity tag (RFC 9110, 8.8.3) of a list of routes: the generation of the daemons'
 * configurations and tables. Pure functions.
 *
 * G1  The job asks the daemons for the generation before the job asks for the routes. So
 *     the routes are at least as new as the tag: a client that holds an old list never
 *     gets the answer "not modified". */
#ifndef TERN_CLIENT_HTTP_API_TAG_H
#define TERN_CLIENT_HTTP_API_TAG_H

#include "lib/json/jview.h"

#define TAG_MAX 32

/* Owner: the job. Life: that of the job; zeros are the beginning. By value: nothing to
 * free. */
struct tag {
	uint64_t sum;
	bool unknown; /* a daemon gives no generation */
};

/* tag_line - take the generation in @line, of `show status` or `show table`. */
void tag_line(struct tag *t, struct jview line);
/* tag_str - the weak tag, with quotes, in @to of TAG_MAX octets; "": unknown. */
void tag_str(char *to, const struct tag *t);
/* tag_match - does the header If-None-Match @have hold the tag @tag? */
bool tag_match(const char *have, const char *tag);

#endif

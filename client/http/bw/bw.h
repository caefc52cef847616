/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API of birdwatcher, as Alice-LG reads the API with one table (doc/http.md). Loop:
 * the only thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_BW_BW_H
#define TERN_CLIENT_HTTP_BW_BW_H

#include "client/http/job/job.h"
#include "client/http/job/jview.h"

extern const struct view bw_view;

/* bw_route - the route @line as one object of birdwatcher, appended to @o. @address: the
 * session's address, for routes without an address of their own. */
void bw_route(struct strbuf *o, struct jview line, const char *address);

#endif

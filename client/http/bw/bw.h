/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API of birdwatcher, as Alice-LG reads the API with one table or with a table for
 * each member (doc/http.md). Loop: the only thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_BW_BW_H
#define TERN_CLIENT_HTTP_BW_BW_H

#include "client/http/job/job.h"
#include "lib/json/jview.h"

#define BW_TIME "%Y-%m-%d %H:%M:%S" /* UTC, as all times of objects */

extern const struct view bw_view;

/* Objects of birdwatcher, appended to @to. bw_status - of the line `status` @v.
 * bw_protocol, bw_short - of the line `protocol` @v, with the name as the key. */
void bw_status(struct strbuf *to, struct jview v);
void bw_protocol(struct strbuf *to, struct jview v);
void bw_short(struct strbuf *to, struct jview v);
/* bw_route - the route @line as one object of birdwatcher, appended to @to. @address: the
 * session's address, for routes without an address of their own. */
void bw_route(struct strbuf *to, struct jview line, const char *address);

#endif

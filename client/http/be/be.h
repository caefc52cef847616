/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The API of Bird's Eye, as IXP Manager reads the API (doc/http.md). Loop: the only
 * thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_BE_BE_H
#define TERN_CLIENT_HTTP_BE_BE_H

#include "client/http/job/job.h"
#include "lib/json/jview.h"

/* UTC, as all times of objects: IXP Manager refuses decimals of seconds. */
#define BE_TIME "%Y-%m-%dT%H:%M:%S+00:00"

extern const struct view be_view;

/* Objects of Bird's Eye, appended to @to. be_protocol - @v: the line `protocol` of a BGP
 * session. be_route - @line: the line `route` or `filtered_route`; @address: the
 * session's address, for routes without an address of their own. */
void be_protocol(struct strbuf *to, struct jview v);
void be_route(struct strbuf *to, struct jview line, const char *address);

#endif

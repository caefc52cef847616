/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that write the rows of a table of routes in HTML. Pure functions. */
#ifndef TERN_CLIENT_HTTP_PAGE_ROUTE_ROW_H
#define TERN_CLIENT_HTTP_PAGE_ROUTE_ROW_H

#include "lib/json/jview.h"
#include "lib/base/strbuf.h"

/* route_table_head - begin a table with the caption @caption and columns for routes;
 * @reason: also for the reason of a refusal. route_table_foot - its end. */
void route_table_head(struct strbuf *o, const char *caption, bool reason);
void route_table_foot(struct strbuf *o);
/* route_row - a row of the table: the network leads to the page of the prefix. @to: the
 * page answers whether the member @to gets the route; or NULL. */
void route_row(struct strbuf *o, struct jview line, bool reason, const char *to);
/* route_attributes - the cell with AS path, next hop and communities. */
void route_attributes(struct strbuf *o, struct jview line);
/* route_reason - the words of the reason in @line (a `route`, `filtered_route`, `why` or
 * `why_to`), the rule, and what to do. */
void route_reason(struct strbuf *o, struct jview line);
/* route_acceptance - the override by which the route of @line has passed against the
 * import policy; nothing if no override has. */
void route_acceptance(struct strbuf *o, struct jview line);

#endif

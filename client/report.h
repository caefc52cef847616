/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ternc report manrs`: the routes that the route server refuses, by member and by rule.
 * Loop: the only thread of ternc. */
#ifndef TERN_CLIENT_REPORT_H
#define TERN_CLIENT_REPORT_H

struct session;

/* report_manrs - print the report, as text, or with s->json as an object a line. @s: not
 * open yet. Returns: exit status; 0: the report is complete. Errors go to stderr. */
int report_manrs(struct session *s);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The questions to daemons that the pages of the API ask. Loop: the only thread of
 * ternhttp. */
#ifndef TERN_CLIENT_HTTP_API_QUESTIONS_H
#define TERN_CLIENT_HTTP_API_QUESTIONS_H

#include "client/http/job/ask.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/job/request.h"

/* questions_first - the first question of the page of @r.
 * questions_who - the question about a single member. The page of @r asks the daemon
 * about each member in turn. */
enum ask questions_first(const struct request *r);
enum ask questions_who(const struct request *r);
/* routes_ask - ask for the routes @kind of the session of the member in @line. Returns:
 * false: the session has a name that no command can hold, or too many questions. */
bool routes_ask(struct job *j, enum kind kind, struct jview line);

#endif

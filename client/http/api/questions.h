/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The questions to daemons that the pages of the API ask. Pure functions. */
#ifndef TERN_CLIENT_HTTP_API_QUESTIONS_H
#define TERN_CLIENT_HTTP_API_QUESTIONS_H

#include "client/http/job/ask.h"
#include "client/http/job/request.h"

/* questions_first - the first question of the page of @r. questions_who - the question
 * about one member, of a page that asks about one member after the other. */
enum ask questions_first(const struct request *r);
enum ask questions_who(const struct request *r);

#endif

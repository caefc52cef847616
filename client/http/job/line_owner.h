/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of a view that belong to one member alone: its filtered routes, with their
 * reasons. Pure functions.
 *
 * G1  A view gets a line of a daemon only if line_owner_shows permits the line for the
 * visitor.
 *     A line of an unknown form may name filtered routes, so the view does not get such a
 *     line.
 * G2  The owner of a line is the AS of the session that the line names, as `show members`
 *     lists the sessions. A line of an unknown session has no owner. */
#ifndef TERN_CLIENT_HTTP_JOB_LINE_OWNER_H
#define TERN_CLIENT_HTTP_JOB_LINE_OWNER_H

#include "client/http/job/ask.h"
#include "lib/json/jview.h"
#include "client/http/job/request.h"
#include "client/http/right/visitor.h"

/* The sessions of a daemon, and the last name that was looked up. Owner: the job. Life:
 * one question; the text is borrowed. By value: nothing to free. */
struct line_owner {
	const char *members; /* lines of `json show members`; NULL: unknown */
	size_t len;
	char name[ASK_NAME_MAX + 1];
	uint32_t as; /* of `name`; 0: none */
};

/* line_owner_begin - use the sessions in the @len octets at @members. */
void line_owner_begin(struct line_owner *o, const char *members, size_t len);
/* line_owner_shows - may @v see @line of the reply to @ask with the values @a? */
bool line_owner_shows(struct line_owner *o, const struct visitor *v, enum ask ask,
    const struct ask_args *a, struct jview line);
/* line_owner_problem_public - may anyone see a problem of the kind @kind? Overrides have
 * the words of operators. */
bool line_owner_problem_public(struct jview kind);
/* line_owner_page - may @v see the page of @r? Returns: 200; 401: a credential is
 * missing; 403: the page belongs to another member. */
int line_owner_page(const struct request *r, const struct visitor *v);

#endif

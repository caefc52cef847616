/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The questions to daemons that the pages of the API ask. Tested by
 * test/net/test_http.py. Pure functions, except for routes_ask. */
#include "client/http/api/questions.h"

#include "client/http/api/gather.h"
#include "client/http/job/ask.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/job/request.h"

/* questions_of_page - of a page that asks one question. */
static enum ask
questions_of_page(enum page page)
{
	switch (page) {
	case PAGE_API_HEALTH:
		return ASK_HEALTH;
	case PAGE_API_PROTOCOLS:
		return ASK_PROTOCOLS;
	case PAGE_API_MEMBERS:
		return ASK_MEMBERS;
	case PAGE_API_MEMBER:
	case PAGE_API_MEMBER_ROUTES:
		return ASK_MEMBERS_OF;
	case PAGE_API_TABLES:
		return ASK_TABLES;
	case PAGE_API_WHY:
		return ASK_WHY;
	case PAGE_API_PREVIEW:
		return ASK_PREVIEW;
	case PAGE_API_CONFIGURATIONS:
		return ASK_CONFIGURATIONS;
	case PAGE_API_OVERRIDES:
		return ASK_OVERRIDES;
	case PAGE_API_RPKI:
		return ASK_RPKI;
	case PAGE_API_DIFF:
		return ASK_DIFF;
	case PAGE_API_WHO:
	case PAGE_API_COMMUNITIES:
		return ASK_MEMBERS;
	case PAGE_API_ASPA:
		return ASK_TABLES;
	default:
		return ASK_STATUS;
	}
}

/* questions_of_routes - the question of a search for routes. */
static enum ask
questions_of_routes(const struct request *r)
{
	if (r->args.comm_cnt)
		return r->args.comm_cnt == 3 ? ASK_COMMUNITY_LARGE : ASK_COMMUNITY;
	if (r->args.has_as)
		return ASK_PATH;
	return r->args.longest ? ASK_LONGEST : ASK_ROUTE;
}

enum ask
questions_first(const struct request *r)
{
	if (r->page == PAGE_API_ROUTES)
		return questions_of_routes(r);
	return r->page == PAGE_API_TOP ? gather_ask(r->by) : questions_of_page(r->page);
}

enum ask
questions_who(const struct request *r)
{
	if (r->page == PAGE_API_WHO)
		return ASK_WHY;
	return r->args.has_prefix ? ASK_WHY_WITH : ASK_WHY_ANY;
}

bool
routes_ask(struct job *j, enum kind kind, struct jview line)
{
	static const enum ask ask_of[KIND_CNT] = { ASK_ACCEPTED, ASK_ACCEPTED,
		ASK_FILTERED, ASK_EXPORTED, ASK_NOT_EXPORTED };
	struct ask_args a = { 0 };
	char name[ASK_NAME_MAX + 1];
	unsigned server = j->now->server;

	if (!jview_copy(name, sizeof(name), jview_get(line, "name")) ||
	    !ask_set_name(a.name, name))
		return false;
	return job_ask(j, server, ask_of[kind], &a) &&
	       (kind != KIND_RECEIVED || job_ask(j, server, ASK_FILTERED, &a));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choice of the view that answers a request. Tested by test/net/test_http.py. Loop: the
 * only thread of ternhttp. */
#include "client/http/views.h"

#include "client/http/api/api.h"
#include "client/http/api/events.h"
#include "client/http/api/live.h"
#include "client/http/be/be.h"
#include "client/http/bw/bw.h"
#include "client/http/job/ask.h"
#include "client/http/page/html.h"
#include "client/http/metrics/metrics.h"
#include "client/http/page/pages.h"
#include "client/http/job/line_owner.h"
#include "client/http/job/request.h"
#include "client/http/right/rights.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* views_of - the view of the request target @target; a wrong target has a view, too. */
static const struct view *
views_of(const struct request *r, const char *target)
{
	switch (r->page) {
	case PAGE_HOME:
		return &page_home_view;
	case PAGE_MEMBER:
	case PAGE_MEMBER_LIST:
		return &page_member_view;
	case PAGE_NET:
		return &page_net_view;
	case PAGE_COMMUNITY:
		return &page_community_view;
	case PAGE_RPKI:
		return &page_rpki_view;
	case PAGE_OVERRIDES:
		return &page_overrides_view;
	case PAGE_CHANGES:
		return &page_changes_view;
	case PAGE_STYLE:
		return &html_style_view;
	case PAGE_SCRIPT:
		return &html_script_view;
	case PAGE_METRICS:
		return &metrics_view;
	case PAGE_BW_STATUS:
	case PAGE_BW_PROTOCOLS:
	case PAGE_BW_BGP:
	case PAGE_BW_PROTOCOL:
	case PAGE_BW_FILTERED:
	case PAGE_BW_NOEXPORT:
	case PAGE_BW_TABLE:
	case PAGE_BW_TABLE_FILTERED:
	case PAGE_BW_SHORT:
	case PAGE_BW_TABLE_PEER:
	case PAGE_BW_PEER:
	case PAGE_BW_PIPE:
	case PAGE_BW_PIPE_COUNT:
		return &bw_view;
	case PAGE_BE_STATUS:
	case PAGE_BE_BGP:
	case PAGE_BE_PROTOCOL:
	case PAGE_BE_SYMBOLS:
	case PAGE_BE_TABLES:
	case PAGE_BE_NAMES:
	case PAGE_BE_ROUTES:
	case PAGE_BE_TABLE:
	case PAGE_BE_EXPORT:
	case PAGE_BE_ROUTES_COUNT:
	case PAGE_BE_TABLE_COUNT:
	case PAGE_BE_EXPORT_COUNT:
	case PAGE_BE_LARGE:
	case PAGE_BE_FOR:
	case PAGE_BE_FOR_PROTOCOL:
	case PAGE_BE_FOR_TABLE:
	case PAGE_BE_FOR_EXPORT:
		return &be_view;
	case PAGE_API_EVENTS:
		return r->args.has_prefix || r->args.has_as ? &live_view : &events_view;
	case PAGE_CNT:
	case PAGE_SEARCH:
	case PAGE_LOGIN:
		return !strncmp(target, "/v1/", 4)             ? &api_view
		       : !strncmp(target, "/birdwatcher/", 13) ? &bw_view
		       : !strncmp(target, "/birdseye/", 10)    ? &be_view
							       : &page_home_view;
	default:
		return &api_view;
	}
}

/* views_private - why the visitor may not see the page @page. */
static const char *
views_private(const struct job *j, enum page page, int status)
{
	if (page == PAGE_LOGIN)
		return j->web->rights.token_cnt
			   ? "the password is the token of the member, with any user name"
			   : "the portal of the exchange logs members in";
	if (page == PAGE_API_CONFIGURATIONS || page == PAGE_API_PREVIEW)
		return status == 401
			   ? "the configurations are for the exchange: log in or "
			     "send a token"
			   : "the configurations are for the exchange";
	if (page == PAGE_API_OVERRIDES || page == PAGE_OVERRIDES)
		return status == 401 ? "the overrides are for the exchange: log in or "
				       "send a token"
				     : "the overrides are for the exchange";
	return status == 401 ? "the filtered routes of a member are for this member "
			       "and the exchange: log in or send a token"
			     : "the filtered routes of another member are not public";
}

/* views_lead - answer with the address j->req.location. */
static void
views_lead(struct job *j)
{
	j->status = 303;
	j->type = "text/plain; charset=utf-8";
	j->finished = true;
}

/* views_login - the visitor has a right: lead to the page of the member. A browser that
 * sends a password for /login sends the password for each page, because /login lies in
 * the root of the paths (RFC 7617, 2.2). */
static void
views_login(struct job *j)
{
	const struct visitor *v = &j->visitor;
	uint32_t as = j->req.args.has_as ? j->req.args.as : v->as_cnt ? v->as[0] : 0;

	if (as)
		snprintf(j->req.location, sizeof(j->req.location), "/member/%u", as);
	else
		snprintf(j->req.location, sizeof(j->req.location), "/");
	views_lead(j);
}

void
views_choose(struct job *j)
{
	int status = request_parse(&j->req, j->http.target);

	j->view = views_of(&j->req, j->http.target);
	if (status == 303)
		views_lead(j);
	else if (status != 200)
		job_problem(j, status, j->req.why);
	else if ((status = line_owner_page(&j->req, &j->visitor)) != 200)
		job_problem(j, status, views_private(j, j->req.page, status));
	else if (j->req.page == PAGE_LOGIN)
		views_login(j);
}

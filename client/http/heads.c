/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the HTTP headers of an answer: type, caching, tag, compression, redirection and
 * challenge. Tested by test/net/test_http.py. Loop: the only thread of ternhttp. */
#include "client/http/heads.h"

#include "client/http/job/request.h"
#include "client/http/right/rights.h"

#include <microhttpd.h>
#include <stdio.h>

#define HEADS_RETRY_S 5 /* of an answer that says "later" */

/* Headers of each answer. No page has a script within its text, a frame, or a source
 * elsewhere. */
static const char *const heads_all[][2] = {
	{ "Content-Security-Policy", "default-src 'none'; style-src 'self'; "
				     "script-src 'self'; connect-src 'self'; "
				     "form-action 'self'; base-uri 'none'; "
				     "frame-ancestors 'none'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "X-Frame-Options", "DENY" },
};

/* heads_challenge - which credentials serve here. A browser asks for a password if there
 * are tokens. */
static void
heads_challenge(const struct job *j, struct MHD_Response *r)
{
	(void)MHD_add_response_header(
	    r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"ternhttp\"");
	if (j->web->rights.token_cnt)
		(void)MHD_add_response_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
		    "Basic realm=\"ternhttp\", charset=\"UTF-8\"");
}

/* heads_retry - when the client may try again (RFC 6585, 4; RFC 9110, 10.2.3). */
static void
heads_retry(const struct job *j, struct MHD_Response *r)
{
	char text[16];

	snprintf(
	    text, sizeof(text), "%u", j->http.retry_s ? j->http.retry_s : HEADS_RETRY_S);
	(void)MHD_add_response_header(r, MHD_HTTP_HEADER_RETRY_AFTER, text);
}

void
heads_add(const struct job *j, struct MHD_Response *r)
{
	for (size_t i = 0; i < sizeof(heads_all) / sizeof(heads_all[0]); i++)
		(void)MHD_add_response_header(r, heads_all[i][0], heads_all[i][1]);
	(void)MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, j->type);
	(void)MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL,
	    j->req.page == PAGE_STYLE || j->req.page == PAGE_SCRIPT
		? "public, max-age=3600"
	    : *j->tag ? "no-cache"
		      : "no-store");
	(void)MHD_add_response_header(r, MHD_HTTP_HEADER_VARY,
	    j->web->rights.closed ? "Accept-Encoding, Authorization" : "Accept-Encoding");
	if (*j->tag)
		(void)MHD_add_response_header(r, MHD_HTTP_HEADER_ETAG, j->tag);
	if (j->http.squeeze)
		(void)MHD_add_response_header(
		    r, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (j->status == 401)
		heads_challenge(j, r);
	if (j->view->more && j->status == 200) /* a proxy shall not gather the answer */
		(void)MHD_add_response_header(r, "X-Accel-Buffering", "no");
	if (j->status == 303)
		(void)MHD_add_response_header(
		    r, MHD_HTTP_HEADER_LOCATION, j->req.location);
	if (j->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (j->status == 503 || j->status == 429)
		heads_retry(j, r);
}

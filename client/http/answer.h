/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a job as a response of libmicrohttpd. Loop: the only thread of
 * ternhttp. */
#ifndef TERN_CLIENT_HTTP_ANSWER_H
#define TERN_CLIENT_HTTP_ANSWER_H

#include "client/http/job/job.h"

/* answer_send - queue the answer of @j, as far as the answer is there; the response asks
 * for the rest later. @j must live until the request has ended.
 * Returns: false: the connection must be closed. */
MUST_CHECK bool answer_send(struct job *j);

#endif

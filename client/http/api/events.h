/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `/v1/events`: the events of the daemons as a stream of server-sent events (WHATWG HTML,
 * 9.2). Loop: the only thread of ternhttp.
 *
 * G1  All streams share one subscription to each daemon (client/http/job/tail.h).
 * G2  At most STREAMS_MAX streams exist. A stream ends soon after the client has closed
 *     the connection.
 * G3  A stream whose client does not read holds JOB_HIGH octets and a position. The
 *     connection ends after the time `silent`; events that the tail has dropped meanwhile
 *     are a gap. */
#ifndef TERN_CLIENT_HTTP_API_EVENTS_H
#define TERN_CLIENT_HTTP_API_EVENTS_H

#include "client/http/job/job.h"

extern const struct view events_view;

#endif

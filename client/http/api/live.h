/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `/v1/events` with a prefix or an AS: the present routes, then their changes, as
 * server-sent events. Loop: the only thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_API_LIVE_H
#define TERN_CLIENT_HTTP_API_LIVE_H

#include "client/http/job/feed.h"
#include "client/http/job/job.h"

#define LIVE_MAX      FEED_LINES /* streams of one daemon: a connection each */
#define LIVE_ONE      4 /* streams of one client */
#define LIVE_AGAIN_MS 1000

extern const struct view live_view;

#endif

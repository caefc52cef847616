/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times in requests. Pure functions. */
#ifndef TERN_CLIENT_HTTP_JOB_WHEN_H
#define TERN_CLIENT_HTTP_JOB_WHEN_H

#include "client/http/job/ask.h"
#include "client/http/job/request.h"

/* when_scan - the time @s in seconds since 1970: a number of seconds since 1970;
 * 2026-11-30, 2026-11-30T03:00 or 2026-11-30T03:00:00 with or without Z, in UTC; 03:00 or
 * 03:00:00 for the last such time of UTC before @now_s; or 15m, 1h, 2d for so long before
 * @now_s. Returns: false: no time. */
MUST_CHECK bool when_scan(uint64_t *unix_s, const char *s, uint64_t now_s);
/* when_args - set the times of @a from the parameters `since` and `until` of @r; without
 * `since` the last hour. Returns: NULL; or what is wrong. */
MUST_CHECK const char *when_args(
    struct ask_args *a, const struct request *r, uint64_t now_s);

#endif

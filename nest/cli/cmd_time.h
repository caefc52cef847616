/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times among the arguments of commands. Any thread. */
#ifndef TERN_NEST_CLI_CMD_TIME_H
#define TERN_NEST_CLI_CMD_TIME_H

#include "lib/base/check.h"

struct cli_scan;
struct cli_session;

/* cmd_time_scan - read a time at @s, up to a blank or the end: seconds since 1970, or the
 * local time 2026-11-30T03:00:00, 2026-11-30T03:00, 2026-11-30, or 03:00:00 or 03:00 for
 * the last such time before @now_s. A blank may stand for the T. Returns: octets read;
 * 0: no time. */
size_t cmd_time_scan(int64_t *unix_s, const char *s, int64_t now_s);
/* cmd_parse_time - step over a time, in quotes or not; *@mono_ns becomes the monotonic
 * time, 0 for a time before the machine's start. Returns: false: the reply has ended. */
bool cmd_parse_time(struct cli_session *s, struct cli_scan *sc, uint64_t *mono_ns);
/* cmd_parse_span - step over a length of time: a number with a unit s, min, h or d (4h,
 * 30 min), or seconds without a unit. *@span_s is at least 1 and at most CMD_SPAN_MAX.
 * Returns: false: the reply has ended. */
#define CMD_SPAN_MAX (365u * 86400)
bool cmd_parse_span(struct cli_session *s, struct cli_scan *sc, uint32_t *span_s);

#endif

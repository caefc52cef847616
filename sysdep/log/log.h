/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log: callers format into a line and hand it over; they never wait for a disk. Files are
 * written line by line by the log's own thread (tools read them at once). Any thread may
 * call log_msg. When more than 4,096 lines wait, further ones are dropped and counted,
 * and the count is logged. */
#ifndef TERN_SYSDEP_LOG_H
#define TERN_SYSDEP_LOG_H

#include "lib/base/check.h"
#include "sysdep/log/log_class.h"

struct time_format;

/* log_start - start the log's thread; before it lines go to stderr. */
void log_start(void);
/* log_stop - write what waits, end the thread. What syslog or a disk hasn't taken after
 * some seconds is lost. */
void log_stop(void);
/* log_configure - replace all sinks (copied). A file that can't be opened is an error.
 * Returns: 0, or negative errno of the first file that failed (*@bad: its path); then the
 * old stay. */
MUST_CHECK int log_configure(const struct log_sink *sink, unsigned cnt,
    const struct time_format *f, const char **bad);
/* log_msg - one line; "2026-11-20 20:28:19 <INFO> text". Longer than 1,000 octets is cut.
 */
void log_msg(enum log_class c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* log_takes - does a sink, or a client's echo, take lines of @c? */
bool log_takes(enum log_class c);
/* log_dropped - lines that found no room since the start. */
uint64_t log_dropped(void);
/* log_dropped_ns - when the last one of them was, by the monotonic clock; 0: none was. */
uint64_t log_dropped_ns(void);
/* Lines that a sink could not take: a full disk, a pipe that nobody reads, a machine that
 * is away. A line counts once for each sink. */
struct log_lost {
	uint64_t lines, last_ns; /* since the start; monotonic */
	uint32_t err; /* errno of the last one; 0: the sink took nothing in time */
};
void log_lost(struct log_lost *out);
/* log_due - is it time to say again what happens again and again? @said_ns: when it was
 * said last (0: never), set to @now_ns if it is. */
static inline bool
log_due(uint64_t *said_ns, uint64_t now_ns, uint64_t every_ns)
{
	if (*said_ns && now_ns - *said_ns < every_ns)
		return false;
	*said_ns = now_ns;
	return true;
}

#endif

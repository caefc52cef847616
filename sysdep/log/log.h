/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log: callers format a line and hand over the line without waiting for a disk. The log's
 * thread writes files line by line (tools read the files at once). Any thread may call
 * log_msg. While 4,096 lines wait, further lines are dropped and counted, and the count
 * is logged. Lines of class audit count apart from the other lines. */
#ifndef TERN_SYSDEP_LOG_LOG_H
#define TERN_SYSDEP_LOG_LOG_H

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
/* log_msg - one line; "2026-11-20 20:28:19 <INFO> text". Longer than 1,000 octets is
 * truncated.
 */
void log_msg(enum log_class c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* log_takes - does a sink, or a client's echo, take lines of @c? */
bool log_takes(enum log_class c);
/* log_dropped - lines that found no room since the start. */
uint64_t log_dropped(void);
/* log_dropped_ns - time of the last dropped line by the monotonic clock; 0: no line was
 * dropped. */
uint64_t log_dropped_ns(void);
/* Lines that a sink could not write: a full disk, a pipe without a reader, an unreachable
 * machine. A line counts once for each sink. Owner: the caller. Life: on the stack. */
struct log_lost {
	uint64_t lines, last_ns; /* since the start; monotonic */
	/* errno of the last lost line; 0: the sink accepted nothing in time */
	uint32_t err;
	/* lines of class audit that no sink has: lost, or dropped for want of room */
	uint64_t audit_lines;
};
void log_lost(struct log_lost *out);
/* log_due - true if a recurring message may be logged again. @said_ns: time of the last
 * message (0: never), set to @now_ns if the result is true. */
static inline bool
log_due(uint64_t *said_ns, uint64_t now_ns, uint64_t every_ns)
{
	if (*said_ns && now_ns - *said_ns < every_ns)
		return false;
	*said_ns = now_ns;
	return true;
}

#endif

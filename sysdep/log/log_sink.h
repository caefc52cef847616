/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set of log sinks. For log.c alone: used by the log's thread, or by the holder of
 * the log's lock. */
#ifndef TERN_SYSDEP_LOG_LOG_SINK_H
#define TERN_SYSDEP_LOG_LOG_SINK_H

#include "lib/base/check.h"
#include "sysdep/log/log_class.h"

struct time_format;
struct log_set;

/* log_set_new - open all of @sink (copied). @cnt may be 0.
 * Returns: 0, or negative errno of the file that can't be opened (*@bad: its path). */
MUST_CHECK int log_set_new(struct log_set **out, const char **bad,
    const struct log_sink *sink, unsigned cnt, const struct time_format *f);
void log_set_free(TAKE struct log_set *s);
/* log_set_classes - the classes that at least one sink takes. */
uint32_t log_set_classes(const struct log_set *s);
/* log_set_write - write one line of monotonic time @at_ns to all sinks of its class. A
 * sink that cannot write drops the line and reports the number of dropped lines later. */
void log_set_write(struct log_set *s, enum log_class c, uint64_t at_ns, const char *text);
/* log_set_lost - lines that sinks could not write since the last call; *@err: errno of
 * the last lost line, or 0. */
uint64_t log_set_lost(struct log_set *s, uint32_t *err);
/* log_set_taken - @s becomes the active set. Files that the previous set has rotated
 * since @s was created are opened anew; files of fixed size continue behind the previous
 * set's lines. */
void log_set_taken(struct log_set *s);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set of places that log lines go to. For log.c alone: used by the log's thread, or
 * by whoever holds the log's lock. */
#ifndef TERN_SYSDEP_LOG_SINK_H
#define TERN_SYSDEP_LOG_SINK_H

#include "lib/base/check.h"
#include "sysdep/log/log_class.h"

struct time_format;
struct log_set;

/* log_set_new - open all of @sink (copied). @cnt may be 0.
 * Returns: 0, or negative errno of the file that can't be opened (*@bad: its path). */
MUST_CHECK int log_set_new(struct log_set **out, const char **bad,
    const struct log_sink *sink, unsigned cnt, const struct time_format *f);
void log_set_free(TAKE struct log_set *s);
/* log_set_classes - those that at least one sink takes. */
uint32_t log_set_classes(const struct log_set *s);
/* log_set_write - one line, made at monotonic @at_ns, to all sinks that take its class.
 * What can't be written is dropped; the sink says how many were when it works again. */
void log_set_write(struct log_set *s, enum log_class c, uint64_t at_ns, const char *text);
/* log_set_lost - lines that sinks could not take since the last call; *@err: errno of the
 * last one, or 0. */
uint64_t log_set_lost(struct log_set *s, uint32_t *err);
/* log_set_taken - from now on it is the one that is written to: files that the one before
 * has made backups of since @s was made are opened anew, and those of fixed size are gone
 * on with behind what it has written. */
void log_set_taken(struct log_set *s);

#endif

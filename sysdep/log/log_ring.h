/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log file of fixed size: the newest lines overwrite the oldest. Behind the newest
 * stands LOG_RING_MARK. For log_sink.c alone. */
#ifndef TERN_SYSDEP_LOG_RING_H
#define TERN_SYSDEP_LOG_RING_H

#include "lib/base/check.h"

#define LOG_RING_MARK "==== the newest line is above ====\n"

/* owner: its sink. */
struct log_ring {
	int fd; /* -1: closed */
	uint64_t size, pos; /* pos: where the mark stands, if that is known */
};

/* log_ring_open - the file is made, or gone on with where its mark stands; what it has
 * beyond @size is cut off. @size: room for some lines at least. Returns: 0 or negative
 * errno. */
MUST_CHECK int log_ring_open(struct log_ring *r, const char *path, uint64_t size);
/* log_ring_sync - another one may have written to the file since it was opened: the next
 * line goes behind that. The mark is looked for when there is one, by who writes it. */
void log_ring_sync(struct log_ring *r);
void log_ring_close(struct log_ring *r);
/* log_ring_write - @line ends with its newline. Returns: false: that failed. */
bool log_ring_write(struct log_ring *r, const char *line, size_t len);

#endif

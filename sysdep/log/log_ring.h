/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log file of fixed size: the newest lines overwrite the oldest. Behind the newest
 * stands LOG_RING_MARK. For log_sink.c alone. Loop: the log's thread, or the holder of
 * the log's lock. */
#ifndef TERN_SYSDEP_LOG_LOG_RING_H
#define TERN_SYSDEP_LOG_LOG_RING_H

#include "lib/base/check.h"

#define LOG_RING_MARK "==== the newest line is above ====\n"

/* Owner: its sink. Life: embedded in the sink, until log_ring_close. */
struct log_ring {
	int fd; /* -1: closed */
	uint64_t size, pos; /* pos: the position of the mark, if known */
};

/* log_ring_open - create the file, or continue behind the mark of an existing file and
 * shorten the file to @size. @size: room for several lines. Returns: 0 or negative
 * errno. */
MUST_CHECK int log_ring_open(struct log_ring *r, const char *path, uint64_t size);
/* log_ring_sync - another writer may have written to the file since the open: continue
 * behind the present mark. Only the next writer of the file calls. */
void log_ring_sync(struct log_ring *r);
void log_ring_close(struct log_ring *r);
/* log_ring_write - write @line, which ends with its newline. Returns: false: the write
 * failed. */
bool log_ring_write(struct log_ring *r, const char *line, size_t len);

#endif

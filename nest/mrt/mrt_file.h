/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that gets its name when it is whole. What may block goes offline for that time
 * (lib/mt/rcu.h), so no grace period waits for a disk; the caller holds nothing that it
 * has found under RCU. */
#ifndef TERN_NEST_MRT_FILE_H
#define TERN_NEST_MRT_FILE_H

#include "lib/base/check.h"

/* owner: one worker, which may block. All zeros: closed. */
struct mrt_file {
	char *path, *part; /* MEM_OTHER; NULL: closed */
	int fd;
	bool failed;
};

/* mrt_file_open - @path: what it will be called. What is there and isn't a file, a
 * device, is left alone. Returns: 0 or negative errno; -ENOTSUP: that. */
MUST_CHECK int mrt_file_open(struct mrt_file *f, const char *path);
static inline bool
mrt_file_is_open(const struct mrt_file *f)
{
	return f->part != NULL;
}

/* mrt_file_write - Returns: 0 or negative errno; then the file won't get its name. */
MUST_CHECK int mrt_file_write(struct mrt_file *f, const uint8_t *p, size_t len);
/* mrt_file_close - give it its name; with @drop, or after an error, remove it. No effect
 * if it is closed. Returns: 0 or negative errno. */
int mrt_file_close(struct mrt_file *f, bool drop);

#endif

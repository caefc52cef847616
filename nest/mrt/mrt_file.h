/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that gets its name when the file is complete. Blocking calls go offline
 * (lib/mt/rcu.h), so no grace period waits for a disk; the caller holds no pointer that
 * it found under RCU. Loop: the owner's. */
#ifndef TERN_NEST_MRT_MRT_FILE_H
#define TERN_NEST_MRT_MRT_FILE_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

/* Owner: one worker that may block. Life: from mrt_file_open until mrt_file_close.
 * Zeroed: closed. */
struct mrt_file {
	char *path, *part; /* MEM_OTHER; NULL: closed */
	struct os_fd fd;
	bool failed;
};

/* mrt_file_open - begin a file that will be named @path. Returns: 0 or negative errno;
 * -ENOTSUP: @path names an existing object that is no regular file, such as a device; the
 * object stays. */
MUST_CHECK int mrt_file_open(struct mrt_file *f, const char *path);
static inline bool
mrt_file_is_open(const struct mrt_file *f)
{
	return f->part != NULL;
}

/* mrt_file_write - append octets. Returns: 0 or negative errno. After an error the file
 * is not renamed to its name. */
MUST_CHECK int mrt_file_write(struct mrt_file *f, const uint8_t *p, size_t len);
/* mrt_file_close - rename the file to its name. With @drop, or after an error, remove the
 * file. No effect if closed. Returns: 0 or negative errno. */
int mrt_file_close(struct mrt_file *f, bool drop);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files that are read and replaced whole. Any thread; each call may wait for a
 * disk. */
#ifndef TERN_SYSDEP_OS_FILE_REPLACE_H
#define TERN_SYSDEP_OS_FILE_REPLACE_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

/* file_replace - @path has the @len octets of @text from now on, also after a crash or a
 * loss of power, or is as before. A folder that is missing is made.
 * Returns: 0, or negative errno. */
MUST_CHECK int file_replace(const char *path, const void *text, size_t len);
/* file_read - all of @path, appended to @out.
 * Returns: 0, or negative errno; -EFBIG: the file has more than @max octets. */
MUST_CHECK int file_read(struct strbuf *out, const char *path, size_t max);

#endif

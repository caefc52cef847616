/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files, and names that match a pattern. They block: control workers and start
 * only. */
#ifndef TERN_SYSDEP_FILE_H
#define TERN_SYSDEP_FILE_H

#include "lib/base/mem.h"

/* file_read - all of @path, at most @max octets, into *@out (mem_free with MEM_OTHER),
 * with a NUL after it that *@len doesn't count. Returns: 0, or negative errno; -EFBIG:
 * longer than @max. */
MUST_CHECK int file_read(OWNED char **out, size_t *len, const char *path, size_t max);
/* file_replace - make @path hold @len octets of @data: readers see the old file or the
 * new one whole, also after a crash. Returns: 0 or negative errno; then the old one is as
 * it was. */
MUST_CHECK int file_replace(
    const char *path, const void *data, size_t len, unsigned mode);

/* Names, sorted by octets. */
struct file_list {
	char **path;
	size_t cnt;
};

/* file_glob - the files that shell pattern @pattern matches; without a pattern character,
 * @pattern itself, whether it exists or not. Relative to @dir (NULL: the working
 * directory) unless it begins with a slash. Returns: 0, or negative errno; -ENOENT: a
 * pattern that matches nothing. */
MUST_CHECK int file_glob(struct file_list *out, const char *dir, const char *pattern);
void file_list_fini(struct file_list *l);

#endif

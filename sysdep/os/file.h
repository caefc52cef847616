/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files by their names. Descriptors are the caller's: sysdep/os/fd.h reads, writes, and
 * closes them. Small files that are read or replaced whole: sysdep/os/file_replace.h.
 *
 * Any thread; each call may wait for a disk. Functions without a "Returns" give 0 or
 * negative errno. */
#ifndef TERN_SYSDEP_FILE_H
#define TERN_SYSDEP_FILE_H

#include "lib/base/check.h"

/* FILE_NULL: /dev/null by any name */
enum file_kind { FILE_REGULAR, FILE_FOLDER, FILE_PIPE, FILE_NULL, FILE_OTHER };

struct file_info {
	enum file_kind kind;
	uint64_t size; /* octets; 0 unless FILE_REGULAR */
	uint64_t inode, device; /* both are equal: one file */
};

/* file_look, file_look_fd - at what @path names, or @fd has open. */
MUST_CHECK int file_look(const char *path, struct file_info *out);
MUST_CHECK int file_look_fd(int fd, struct file_info *out);
/* file_exists - is @path the name of anything that we can find? */
bool file_exists(const char *path);
/* file_may_read, file_may_list - may we read the file, look into the folder @path? */
MUST_CHECK int file_may_read(const char *path);
MUST_CHECK int file_may_list(const char *path);

/* file_open - to read. @waits: the call waits for a pipe's writer, and so does each read.
 * Returns: descriptor or negative errno. */
MUST_CHECK int file_open(const char *path, bool waits);
/* file_make - a new file, mode 0644, to write. Returns: descriptor, or negative errno;
 * -EEXIST: the name is taken. */
MUST_CHECK int file_make(const char *path);
/* file_open_append - to add to the end of @path, which is made with mode 0644 if it is
 * missing. Never waits for a pipe's reader. Returns: descriptor or negative errno. */
MUST_CHECK int file_open_append(const char *path);
/* file_append - all of @p at the end; after an error none, where a file can be cut. */
MUST_CHECK int file_append(int fd, const void *p, size_t len);

MUST_CHECK int file_rename(const char *path, const char *to);
/* file_remove - no effect if there is none. */
void file_remove(const char *path);

/* file_absolute - @path from the root, wherever we are later; the file need not exist.
 * file_real - the same without links, of a file that exists. Returns: MEM_OTHER; NULL:
 * there is no such path. */
OWNED char *file_absolute(const char *path);
OWNED char *file_real(const char *path);

struct file_list {
	char **path; /* in alphabetical order */
	uint32_t cnt;
};

/* file_match - what a pattern of glob(7) stands for; \ has no meaning. Returns: 0, or
 * negative errno: @out is empty; -ENOENT: there is none. */
MUST_CHECK int file_match(const char *pattern, struct file_list *out);
void file_list_free(struct file_list *l);

#endif

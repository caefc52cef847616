/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files by their names. Descriptors are the caller's: sysdep/os/fd.h reads, writes, and
 * closes descriptors. sysdep/os/file_replace.h reads and replaces whole small files.
 *
 * Any thread; each call may wait for a disk. Functions without a "Returns" return 0 or
 * negative errno. Owner: the caller of the functions. Life: by value; file_list_free
 * frees the paths of a list. */
#ifndef TERN_SYSDEP_OS_FILE_H
#define TERN_SYSDEP_OS_FILE_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

/* FILE_NULL: /dev/null by any name */
enum file_kind { FILE_REGULAR, FILE_FOLDER, FILE_PIPE, FILE_NULL, FILE_OTHER };

/* Facts about a file. Owner: the caller; by value: nothing to free. */
struct file_info {
	enum file_kind kind;
	uint64_t size; /* octets; 0 unless FILE_REGULAR */
	uint64_t inode, device; /* two files with both equal are one file */
	uint64_t changed_s; /* time of the last change, in seconds since 1970 */
};

/* file_look, file_look_fd - describe the file @path, or the file that @fd has open. */
MUST_CHECK int file_look(const char *path, struct file_info *out);
MUST_CHECK int file_look_fd(struct os_fd fd, struct file_info *out);
/* file_may_read, file_may_list - may the process read the file, or list the folder
 * @path? */
MUST_CHECK int file_may_read(const char *path);
MUST_CHECK int file_may_list(const char *path);
/* file_may_append - may the process write to the file @path, or make the file? */
MUST_CHECK int file_may_append(const char *path);

/* file_open - to read. @waits: the call waits for a pipe's writer, and so does each read.
 * Returns: descriptor or negative errno. */
MUST_CHECK struct os_fd file_open(const char *path, bool waits);
/* file_is_open_to - true: the user @uid may read the file behind @fd, as the modes of the
 * file and of the folders above the file say. Groups of @uid are not known: a user who
 * does not own the file needs the right of the group and the right of all users. Files
 * of /proc are closed. The file is taken from the descriptor, so the result does not
 * depend on links that change. Root: true. */
bool file_is_open_to(struct os_fd fd, uint32_t uid);
/* file_closed_folder - octets of @path that name the first folder which the user @uid may
 * not pass, by the same rules. Returns: 0: root, or each existing folder is open. */
size_t file_closed_folder(const char *path, uint32_t uid);
/* file_make - a new file, mode 0644, to write. Returns: descriptor, or negative errno;
 * -EEXIST: the name is taken. */
MUST_CHECK struct os_fd file_make(const char *path);
/* file_open_append - open @path for appending, and create a missing file with mode 0644.
 * Never waits for a pipe's reader. Returns: descriptor or negative errno. */
MUST_CHECK struct os_fd file_open_append(const char *path);
/* file_append - append all of @p; after an error nothing is appended, if the file can be
 * truncated. */
MUST_CHECK int file_append(struct os_fd fd, const void *p, size_t len);

MUST_CHECK int file_rename(const char *path, const char *to);
/* file_remove - remove the file; no effect if the file is missing. */
void file_remove(const char *path);

/* file_absolute - @path from the root, independent of the working directory; the file
 * need not exist. file_real - the path of an existing file without links. Returns:
 * MEM_OTHER; NULL: the path does not exist. */
OWNED char *file_absolute(const char *path);
OWNED char *file_real(const char *path);

/* A list of paths. Owner: the caller. Freed by: file_list_free. */
struct file_list {
	char **path; /* in alphabetical order */
	uint32_t cnt;
};

/* file_match - expand a pattern of glob(7); \ has no meaning. Returns: 0, or negative
 * errno: @out is empty; -ENOENT: no file matches. */
MUST_CHECK int file_match(const char *pattern, struct file_list *out);
void file_list_free(struct file_list *l);

#endif

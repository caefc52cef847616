/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's own program: has an upgrade replaced the file since the start? Loop: the
 * thread of main; control sessions ask whether the file is another. */
#ifndef TERN_NEST_CORE_EXE_FILE_H
#define TERN_NEST_CORE_EXE_FILE_H

#include "lib/base/check.h"
#include "sysdep/os/file.h"

/* Owner: struct tern. Life: the life of the daemon; constant after exe_file_init.
 * Freed by: exe_file_fini. */
struct exe_file {
	char *path; /* NULL: not known, for example without /proc */
	struct file_info was; /* the file at the start */
};

/* exe_file_init - find the program of this process; before any thread starts. */
void exe_file_init(struct exe_file *p);
void exe_file_fini(struct exe_file *p);
/* exe_file_replaced - true: another file stands at the path of the running program. A
 * missing file is no other file: an upgrade may be at work. Any thread; one look at the
 * file system. */
bool exe_file_replaced(const struct exe_file *p);
/* exe_file_missing - true: no file stands at the path of the running program. Any thread;
 * one look at the file system. */
bool exe_file_missing(const struct exe_file *p);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's own program: has an upgrade replaced the file since the start? Loop: the
 * thread of main; control sessions ask whether the file is another. */
#ifndef TERN_NEST_CORE_OWN_PROGRAM_H
#define TERN_NEST_CORE_OWN_PROGRAM_H

#include "lib/base/check.h"
#include "sysdep/os/file.h"

/* Owner: struct tern. Life: the life of the daemon; constant after own_program_init.
 * Freed by: own_program_fini. */
struct own_program {
	char *path; /* NULL: not known, for example without /proc */
	struct file_info was; /* the file at the start */
};

/* own_program_init - find the program of this process; before any thread starts. */
void own_program_init(struct own_program *p);
void own_program_fini(struct own_program *p);
/* own_program_replaced - true: another file stands at the path of the running program. A
 * missing file is no other file: an upgrade may be at work. Any thread; one look at the
 * file system. */
bool own_program_replaced(const struct own_program *p);

#endif

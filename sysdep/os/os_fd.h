/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A descriptor of the system, as the folders above sysdep keep and hand on a descriptor:
 * a value that these folders can neither read as a number nor make from a number. So a
 * file of filter, nest and proto reaches the system by functions of sysdep alone
 * (test/tools/check_fds.py). The value is as large as an int and passes in a register.
 *
 * Loop: any thread; no state. */
#ifndef TERN_SYSDEP_OS_OS_FD_H
#define TERN_SYSDEP_OS_OS_FD_H

#include "lib/base/check.h"

/* A descriptor, no descriptor, or the error of a function that opens a descriptor. Owner:
 * as marked (TAKE, OWNED); a copy is a borrowed descriptor. Lives: until the owner calls
 * fd_close, or hands the descriptor to an object that closes it. Freed by: fd_close. */
struct os_fd {
	/* private to sysdep and test: the number; -1: none; below 0: negative errno */
	int os_nr;
};

#define OS_FD_NONE ((struct os_fd){ -1 })

/* os_fd_of - for sysdep, test and code that gets a number from a library. */
static inline struct os_fd
os_fd_of(int nr)
{
	return (struct os_fd){ nr };
}

/* os_fd_is_open - true: @fd is a descriptor. */
static inline bool
os_fd_is_open(struct os_fd fd)
{
	return fd.os_nr >= 0;
}

/* os_fd_error - of a function's result: 0: @fd is a descriptor; else negative errno. */
static inline int
os_fd_error(struct os_fd fd)
{
	return fd.os_nr < 0 ? fd.os_nr : 0;
}

#endif

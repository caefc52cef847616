/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocking work in a thread beside the loops: name resolution, a library that waits. The
 * thread and the user of the result share a pair of sockets and nothing else, so either
 * may end first. */
#ifndef TERN_SYSDEP_OS_SIDE_H
#define TERN_SYSDEP_OS_SIDE_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

/* side_fn - the thread's function; closes @fd, its end of the pair (blocking), and frees
 * @arg. The function calls no function of a loop, and ends when the other end is closed,
 * or as soon afterwards as its blocking call returns. */
typedef void (*side_fn)(TAKE struct os_fd fd, TAKE void *arg);

/* side_start - start a thread with the name @name (15 characters are used). Any thread.
 * Returns: the caller's end of the pair, non-blocking; or negative errno: the caller
 * keeps @arg. */
MUST_CHECK struct os_fd side_start(const char *name, side_fn fn, TAKE void *arg);
/* side_all_ended - true if every thread has ended, including the libraries' destructors,
 * which the function waits for. Any thread. */
MUST_CHECK bool side_all_ended(void);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that blocks, in a thread beside the loops: asking for a name, a library that
 * waits. It and whoever wants its result share a pair of sockets and nothing else, so
 * either may end first. */
#ifndef TERN_SYSDEP_SIDE_H
#define TERN_SYSDEP_SIDE_H

#include "lib/base/check.h"

/* side_fn - in the thread; it closes @fd, its end of the pair (blocking), and frees @arg.
 * It calls nothing that belongs to a loop, and ends when the other end is closed, or as
 * soon after that as what it is in returns. */
typedef void (*side_fn)(TAKE int fd, TAKE void *arg);

/* side_start - @name: of the thread; 15 characters are used. Any thread.
 * Returns: our end of the pair, non-blocking; or negative errno: @arg is still the
 * caller's. */
MUST_CHECK int side_start(const char *name, side_fn fn, TAKE void *arg);
/* side_all_ended - with what libraries do when a thread ends; it waits for that only. Any
 * thread. */
MUST_CHECK bool side_all_ended(void);

#endif

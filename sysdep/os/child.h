/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon as a child process, with a control socket in a private folder. The child ends
 * with this process. Loop: the thread of main of a process without other threads. */
#ifndef TERN_SYSDEP_OS_CHILD_H
#define TERN_SYSDEP_OS_CHILD_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

#define CHILD_PATH_MAX 108

/* Owner: the caller. Life: from child_start until child_end. Freed by: child_end. */
struct child {
	int pid; /* 0: none */
	char folder[CHILD_PATH_MAX], socket[CHILD_PATH_MAX];
};

/* child_start - make the folder, with mode 0700 in $TMPDIR or /tmp, and run @run in a new
 * process, which exits with the result. Returns: 0 or negative errno; then the folder is
 * gone. */
MUST_CHECK int child_start(
    struct child *c, int (*run)(struct child *c, void *arg), void *arg);
/* child_exec - run the program @name of the folder of this program, in the child.
 * Returns: negative errno: the program could not start. */
MUST_CHECK int child_exec(const char *name, char *const *argv);
/* child_connect - a connection to the socket. Blocks: until the child listens. Returns:
 * negative errno; -ECHILD: the child has ended. */
MUST_CHECK struct os_fd child_connect(struct child *c);
/* child_end - wait for the end of the child; after @wait_ms the child is killed. Removes
 * the folder with the socket. */
void child_end(struct child *c, int wait_ms);

#endif

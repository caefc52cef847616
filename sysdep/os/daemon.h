/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going into the background, saying so, and the pid file. At start, before any thread,
 * unless said otherwise. */
#ifndef TERN_SYSDEP_DAEMON_H
#define TERN_SYSDEP_DAEMON_H

#include "lib/base/check.h"

struct pidfh; /* libbsd: pidfile(3) */

/* daemon_detach - fork; the child returns, in a session of its own. The parent never
 * returns: it exits with 0 when the child calls daemon_ready, with 1 when the child ends
 * before that. Returns: a descriptor for daemon_ready, or negative errno: no child was
 * made. */
MUST_CHECK int daemon_detach(void);
/* daemon_ready - let the parent go; standard streams go to /dev/null from now on. @fd:
 * -1: no effect. */
void daemon_ready(TAKE int fd);

/* daemon_notify - tell systemd, or who else has set $NOTIFY_SOCKET, how we are. @state:
 * as in sd_notify(3). No effect where nobody asked; who can't be reached isn't told. */
void daemon_notify(const char *state);

/* daemon_pid_file - write our pid into @path and lock the file. After daemon_detach.
 * Returns: 0 (*@out holds the lock), or negative errno; -EWOULDBLOCK: a running daemon
 * holds the lock (*@pid: its number, 0 if unknown). */
MUST_CHECK int daemon_pid_file(const char *path, OWNED struct pidfh **out, int *pid);
/* daemon_pid_remove - remove the file and the lock. NULL: no effect. */
void daemon_pid_remove(TAKE struct pidfh *f);

/* daemon_say - @text to the standard output, or to the standard error stream. Any thread.
 * Returns: whether all was written. */
bool daemon_say(bool error, const char *text);
/* daemon_exit - with libc's and libraries' own ends (atexit). daemon_exit_now - without
 * them: another thread may be in a library. Any thread. */
__attribute__((noreturn)) void daemon_exit(int status);
__attribute__((noreturn)) void daemon_exit_now(int status);

#endif

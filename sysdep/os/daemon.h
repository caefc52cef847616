/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Background, notification of the start, and the pid file. Loop: the thread of
 * main before other threads exist, unless a function says otherwise. */
#ifndef TERN_SYSDEP_OS_DAEMON_H
#define TERN_SYSDEP_OS_DAEMON_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

struct pidfh; /* libbsd: pidfile(3) */

/* daemon_detach - fork; the child returns, in a new session. The parent never returns:
 * the parent exits with 0 when the child calls daemon_ready, with 1 when the child exits
 * before.
 * Returns: a descriptor for daemon_ready, or negative errno: the fork failed. */
MUST_CHECK struct os_fd daemon_detach(void);
/* daemon_ready - let the parent exit; standard streams go to /dev/null from now on. @fd:
 * -1: no effect. */
void daemon_ready(TAKE struct os_fd fd);

/* daemon_notify - send @state, as in sd_notify(3), to systemd or another program that has
 * set $NOTIFY_SOCKET. No effect without $NOTIFY_SOCKET; errors are ignored. */
void daemon_notify(const char *state);

/* daemon_pid_file - write the process's pid into @path and lock the file. After
 * daemon_detach. Returns: 0 (*@out holds the lock), or negative errno; -EWOULDBLOCK: a
 * running daemon holds the lock (*@pid: its number, 0 if unknown). */
MUST_CHECK int daemon_pid_file(const char *path, OWNED struct pidfh **out, int *pid);
/* daemon_pid_remove - remove the file and the lock. NULL: no effect. */
void daemon_pid_remove(TAKE struct pidfh *f);

/* daemon_say - @text to the standard output, or to the standard error stream. Any thread.
 * Returns: whether all was written. */
bool daemon_say(bool error, const char *text);
/* daemon_exit - exit with the handlers of libc and libraries (atexit). daemon_exit_now -
 * exit without handlers, because another thread may be in a library. Any thread. */
__attribute__((noreturn)) void daemon_exit(int status);
__attribute__((noreturn)) void daemon_exit_now(int status);

#endif

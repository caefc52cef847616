/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals as events of a worker. */
#ifndef TERN_SYSDEP_SIGNAL_H
#define TERN_SYSDEP_SIGNAL_H

#include "sysdep/loop/loop.h"

/* owner: its worker; embedded; lives: as long as the worker that it was given. */
struct signal_watch {
	void (*got)(struct signal_watch *s, int signo);
	/* private */
	struct watch watch;
	int fd;
};

/* signal_block - block @signo for this thread and those that it will make, and ignore
 * SIGPIPE and SIGXFSZ. At start, before any thread. */
void signal_block(const int *signo, unsigned cnt);
/* signal_watch_open - in the worker's loop: @got is called for each of @signo (blocked
 * before) that the process gets. Returns: 0 or negative errno. */
MUST_CHECK int signal_watch_open(struct signal_watch *s, struct worker *w,
    const int *signo, unsigned cnt, void (*got)(struct signal_watch *s, int signo));
void signal_watch_close(struct signal_watch *s);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Delivers signals of the process to a worker as events. Loop: the worker's; signal_block
 * runs before other threads exist. */
#ifndef TERN_SYSDEP_LOOP_SIGNAL_H
#define TERN_SYSDEP_LOOP_SIGNAL_H

#include "sysdep/loop/loop.h"

/* Owner: its worker. Life: embedded, as long as the worker. */
struct signal_watch {
	void (*got)(struct signal_watch *s, int signo);
	/* private */
	struct watch watch;
	int fd;
};

/* signal_block - block @signo for this thread and the threads that it creates, and ignore
 * SIGPIPE and SIGXFSZ. At start, before other threads. */
void signal_block(const int *signo, unsigned cnt);
/* signal_watch_open - in the worker's loop: call @got for each signal of @signo (blocked
 * before) that the process receives. Returns: 0 or negative errno. */
MUST_CHECK int signal_watch_open(struct signal_watch *s, struct worker *w,
    const int *signo, unsigned cnt, void (*got)(struct signal_watch *s, int signo));
void signal_watch_close(struct signal_watch *s);

#endif

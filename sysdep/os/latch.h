/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A latch: one thread waits for the latch until another thread opens the latch. Loop:
 * any two threads. */
#ifndef TERN_SYSDEP_OS_LATCH_H
#define TERN_SYSDEP_OS_LATCH_H

#include "lib/base/check.h"

#include <semaphore.h>

/* Owner: the thread that waits. Life: on the stack, until latch_wait has returned. */
struct latch {
	sem_t sem; /* private */
};

void latch_init(struct latch *l);
/* latch_open - open the latch once; any thread. The waiter sees the caller's earlier
 * writes. */
void latch_open(struct latch *l);
/* latch_wait - wait for latch_open, in one thread. Blocks: a thread that has joined RCU
 * is offline (rcu_sleep) meanwhile. */
void latch_wait(struct latch *l);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A latch: one thread waits for the latch until another thread opens the latch. */
#ifndef TERN_SYSDEP_LATCH_H
#define TERN_SYSDEP_LATCH_H

#include "lib/base/check.h"

#include <semaphore.h>

/* lives: until latch_wait has returned. */
struct latch {
	sem_t sem; /* private */
};

void latch_init(struct latch *l);
/* latch_open - once, any thread. What the caller wrote before, the waiter reads. */
void latch_open(struct latch *l);
/* latch_wait - until latch_open, in one thread. Blocks: that thread is offline
 * (rcu_sleep) meanwhile, if it has joined RCU. */
void latch_wait(struct latch *l);

#endif

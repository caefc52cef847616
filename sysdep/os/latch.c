/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A latch is a semaphore, which a signal does not interrupt. Loop: one thread waits,
 * another thread opens the latch. Tested by test_fd.c. */
#include "sysdep/os/latch.h"

void
latch_init(struct latch *l)
{
	sem_init(&l->sem, 0, 0);
}

void
latch_open(struct latch *l)
{
	sem_post(&l->sem);
}

void
latch_wait(struct latch *l)
{
	while (sem_wait(&l->sem) < 0)
		;
}

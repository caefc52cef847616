/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that do one thing over and over, each with random numbers of its own. The
 * caller has joined RCU. */
#ifndef TERN_TEST_STRESS_H
#define TERN_TEST_STRESS_H

#include "lib/mt/rcu.h"
#include "test/lib/seed.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define STRESS_QUIESCE 16 /* steps between two quiescent states */

/* First in what a thread has. */
struct stress {
	pthread_t id;
	struct seed seed;
	uint64_t ops;
	void (*step)(struct stress *t);
	void (*end)(struct stress *t); /* let go of what it holds */
};

static inline void *
stress_work(void *arg)
{
	struct stress *t = arg;

	rcu_join();
	for (uint64_t i = 0; i < t->ops; i++) {
		t->step(t);
		if (i % STRESS_QUIESCE == 0)
			rcu_quiesce();
	}
	t->end(t);
	rcu_leave();
	return NULL;
}

/* stress_run - @cnt threads, which lie @size octets apart from @first on; until they are
 * through. */
static inline void
stress_run(void *first, size_t size, unsigned cnt, struct seed *s, uint64_t ops,
    void (*step)(struct stress *t), void (*end)(struct stress *t))
{
	rcu_sleep();
	for (unsigned i = 0; i < cnt; i++) {
		struct stress *t = (void *)((char *)first + i * size);

		t->seed.state = seed_u64(s);
		t->ops = ops;
		t->step = step;
		t->end = end;
		if (pthread_create(&t->id, NULL, stress_work, t)) {
			fprintf(stderr, "no thread\n");
			abort();
		}
	}
	for (unsigned i = 0; i < cnt; i++)
		pthread_join(
		    ((struct stress *)(void *)((char *)first + i * size))->id, NULL);
	rcu_wake();
}

#endif

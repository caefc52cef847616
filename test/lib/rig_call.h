/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls into workers, and waits that end: whatever a test waits for in vain makes it fail
 * where it waits. */
#ifndef TERN_TEST_LIB_RIG_CALL_H
#define TERN_TEST_LIB_RIG_CALL_H

#include "lib/mt/rcu.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "test/lib/unit.h"
#include <semaphore.h>
#include <time.h>

struct rig_call {
	struct msg msg;
	void (*fn)(void *arg);
	void *arg;
	sem_t done;
};

static inline void
rig_handle_call(struct worker *w, TAKE struct msg *m)
{
	struct rig_call *c = container_of(m, struct rig_call, msg);

	(void)w;
	c->fn(c->arg);
	sem_post(&c->done);
}

/* rig_until - when what a test waits for is in vain. */
static inline uint64_t
rig_until(void)
{
	return clock_now_ns() + 20 * NS_PER_S;
}

/* rig_wait - for @s. Not in a worker. */
static inline void
rig_wait(sem_t *s)
{
	uint64_t until = rig_until();
	struct timespec ts;
	bool got;

	rcu_sleep();
	do { /* sem_clockwait is unknown to TSan, and this clock may be set */
		clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_sec++;
		got = !sem_timedwait(s, &ts);
	} while (!got && clock_now_ns() < until);
	rcu_wake();
	assert_true(got);
}

/* rig_in - @fn(@arg) in the thread of @w; returns when it is done. */
static inline void
rig_in(struct worker *w, void (*fn)(void *arg), void *arg)
{
	struct rig_call c = { .fn = fn, .arg = arg };

	c.msg.handle = rig_handle_call;
	sem_init(&c.done, 0, 0);
	worker_post(w, &c.msg);
	rig_wait(&c.done);
	sem_destroy(&c.done);
}

static inline void
rig_nothing(void *arg)
{
	(void)arg;
}

#endif

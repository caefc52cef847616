/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker for tests: what is tested runs in its loop, the test waits for its end. A
 * failed assertion in the loop ends the program, which fails the test as well. */
#ifndef TERN_TEST_SCENE_H
#define TERN_TEST_SCENE_H

#include "sysdep/loop/loop.h"
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#define SCENE_WAIT_S 20

struct scene {
	struct worker worker;
	void (*play)(struct scene *s); /* called in the loop, at first */
	void (*stop)(struct scene *s); /* last in the loop; set by `play`, or NULL */
	void *arg;
	sem_t gone;
};

static inline struct scene *
scene_of(struct worker *w)
{
	return container_of(w, struct scene, worker);
}

static inline void
scene_on_start(struct worker *w)
{
	scene_of(w)->play(scene_of(w));
}

static inline void
scene_on_stop(struct worker *w)
{
	if (scene_of(w)->stop)
		scene_of(w)->stop(scene_of(w));
}

static inline void
scene_on_gone(struct worker *w)
{
	sem_post(&scene_of(w)->gone);
}

static inline void
scene_start(struct scene *s, void (*play)(struct scene *s), void *arg)
{
	static const struct worker_ops ops = {
		.start = scene_on_start, .stop = scene_on_stop, .gone = scene_on_gone
	};

	memset(s, 0, sizeof(*s));
	sem_init(&s->gone, 0, 0);
	s->play = play;
	s->arg = arg;
	worker_start(&s->worker, &ops, WORKER_TABLE, "scene");
}

/* scene_wait - until the scene has called worker_stop and is gone. Returns: false: it
 * hasn't in SCENE_WAIT_S seconds. */
static inline bool
scene_wait(struct scene *s)
{
	struct timespec ts;
	int rc;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += SCENE_WAIT_S;
	do
		rc = sem_timedwait(&s->gone, &ts);
	while (rc && errno == EINTR);
	return rc == 0;
}

/* scene_run - play it, wait for its end and for that of all loops. */
static inline bool
scene_run(void (*play)(struct scene *s), void *arg)
{
	struct scene s;
	bool ok;

	scene_start(&s, play, arg);
	ok = scene_wait(&s);
	if (ok)
		loop_pool_fini();
	return ok;
}

#endif

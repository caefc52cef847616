/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors of a loop: few with ppoll, many with an epoll, and many with ppoll if the
 * system refuses an epoll. test_loop.c and test_loop_lease.c test the watches of few
 * descriptors. */
#include "sysdep/loop/loop_poll.c"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include <sys/resource.h>

#define PIPE_CNT 100

/* Pipes of which each has one octet. owner: the test; lives: on the stack. */
struct pipes {
	struct watch watch[PIPE_CNT];
	int fd[PIPE_CNT][2];
	bool seen[PIPE_CNT];
	unsigned seen_cnt;
	bool refused; /* the process may open no further descriptor */
	struct rlimit before;
};

static void
pipes_ready(struct watch *wa, uint32_t events)
{
	struct pipes *p = scene_of(wa->worker)->arg;
	size_t i = (size_t)(wa - p->watch);

	assert_int_equal(events, WATCH_READ);
	assert_false(p->seen[i]);
	p->seen[i] = true;
	watch_del(wa);
	if (++p->seen_cnt < PIPE_CNT)
		return;
	assert_int_equal(wa->worker->loop->fds.watch_cnt, 0);
	worker_stop(wa->worker);
}

static void
pipes_play(struct scene *s)
{
	struct pipes *p = s->arg;
	const struct loop_fds *f = &s->worker.loop->fds;
	int last = 0;

	for (int i = 0; i < PIPE_CNT; i++) {
		assert_int_equal(pipe(p->fd[i]), 0);
		assert_int_equal(write(p->fd[i][1], "x", 1), 1);
		last = p->fd[i][1] > last ? p->fd[i][1] : last;
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &p->before), 0);
	if (p->refused) {
		struct rlimit none = { (rlim_t)last + 1, p->before.rlim_max };

		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	}
	for (int i = 0; i < PIPE_CNT; i++) {
		watch_add(&p->watch[i], &s->worker, os_fd_of(p->fd[i][0]), WATCH_READ,
		    pipes_ready);
		assert_int_equal(f->epoll_fd >= 0, !p->refused && i >= FEW_CNT);
	}
	assert_int_equal(f->watch_cnt, PIPE_CNT);
}

static void
pipes_run(bool refused)
{
	struct pipes p = { .refused = refused };

	assert_true(scene_run(pipes_play, &p));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &p.before), 0);
	for (int i = 0; i < PIPE_CNT; i++) {
		close(p.fd[i][0]);
		close(p.fd[i][1]);
		assert_true(p.seen[i]);
	}
}

static void
test_many(void **arg)
{
	(void)arg;
	pipes_run(false);
}

static void
test_many_without_epoll(void **arg)
{
	(void)arg;
	pipes_run(true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_many_without_epoll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads: one a worker or shared ones, what is told about them, and what an idle one
 * costs. */
#include "sysdep/loop/pool.c"
#include "sysdep/os/clock.h"
#include "sysdep/os/os.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <fcntl.h>
#include <semaphore.h>
#include <stdlib.h>
#include <stdio.h>

/* thread_count - how many threads this process has, as the kernel says. */
static unsigned
thread_count(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned cnt = 0;
	char line[256];

	while (f && !cnt && fgets(line, sizeof(line), f))
		(void)!sscanf(line, "Threads: %u", &cnt);
	if (f)
		fclose(f);
	return cnt;
}

#define MANY 200

struct member {
	struct worker worker;
	int nice;
	sem_t *up, *gone;
};

static struct member member[MANY];

static struct member *
test_pool_member_of(struct worker *w)
{
	return container_of(w, struct member, worker);
}

static void
test_pool_member_start(struct worker *w)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	assert_true(sigismember(&set, SIGTERM) && sigismember(&set, SIGHUP));
	test_pool_member_of(w)->nice = getpriority(PRIO_PROCESS, 0);
	sem_post(test_pool_member_of(w)->up);
}

static void
test_pool_member_run(struct worker *w)
{
	worker_stop(w);
}

static void
member_gone(struct worker *w)
{
	sem_post(test_pool_member_of(w)->gone);
}

static const struct worker_ops member_ops = {
	.start = test_pool_member_start, .run = test_pool_member_run, .gone = member_gone
};

static void
test_pool_start(unsigned cnt, enum worker_class c, sem_t *up, sem_t *gone)
{
	for (unsigned i = 0; i < cnt; i++) {
		char name[48];

		memset(&member[i], 0, sizeof(member[i]));
		member[i].up = up;
		member[i].gone = gone;
		snprintf(name, sizeof(name), "member%u_with_a_long_name", i);
		worker_start(&member[i].worker, &member_ops, c, name);
	}
	for (unsigned i = 0; i < cnt; i++)
		sem_wait(up);
}

static void
test_pool_stop(unsigned cnt, sem_t *gone)
{
	struct wait w = { 0 };

	rcu_wake(); /* one may end before its call returns */
	for (unsigned i = 0; i < cnt; i++)
		worker_wake(&member[i].worker);
	rcu_sleep();
	for (unsigned i = 0; i < cnt; i++)
		sem_wait(gone);
	/* Loops end a little after their workers. */
	while (!pool.limit && loop_list(NULL, 0))
		lib_wait_turn(&w, "loops to end");
}

/* idle_threads - how many there are while there are no loops. The kernel counts one that
 * was joined for a little longer. */
static unsigned
idle_threads(void)
{
	unsigned least = thread_count();

	for (unsigned i = 0; i < 30; i++) {
		unsigned cnt = thread_count();

		least = cnt < least ? cnt : least;
		wait_spread(1000);
	}
	return least;
}

static void
test_dedicated_threads(void **arg)
{
	struct loop_info info[MANY];
	int prio = getpriority(PRIO_PROCESS, 0);
	sem_t up, gone;

	(void)arg;
	sem_init(&up, 0, 0);
	sem_init(&gone, 0, 0);
	test_pool_start(10, WORKER_SESSION, &up, &gone);
	assert_int_equal(loop_list(info, 4), 10);
	assert_int_equal(loop_list(info, MANY), 10);
	assert_string_equal(info[3].name, "member3_with_a_");
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(info[i].worker_cnt, 1);
		assert_true(info[i].cpu_ns > 0 && info[i].cpu_ns < NS_PER_S);
		assert_int_equal(member[i].nice, prio < 19 ? prio + 1 : 19);
	}
	test_pool_stop(10, &gone);
	assert_int_equal(loop_list(NULL, 0), 0);
	loop_pool_fini();
}

/* ---- long work of clients ---- */

static int nice_seen[3];

static void
nicer_start(struct worker *w)
{
	nice_seen[0] = getpriority(PRIO_PROCESS, (id_t)gettid());
	worker_nice(w, true);
	nice_seen[1] = getpriority(PRIO_PROCESS, (id_t)gettid());
	worker_nice(w, true);
	worker_nice(w, false);
	nice_seen[2] = getpriority(PRIO_PROCESS, (id_t)gettid());
	sem_post(test_pool_member_of(w)->up);
}

static const struct worker_ops nicer_ops = {
	.start = nicer_start, .run = test_pool_member_run, .gone = member_gone
};

static void
test_nice(void **arg)
{
	int prio = getpriority(PRIO_PROCESS, 0);
	sem_t up, gone;

	(void)arg;
	sem_init(&up, 0, 0);
	sem_init(&gone, 0, 0);
	os_allow_nice_back();
	member[0] = (struct member){ .up = &up, .gone = &gone };
	worker_start(&member[0].worker, &nicer_ops, WORKER_CONTROL, "client");
	sem_wait(&up);
	assert_int_equal(nice_seen[0], prio);
	assert_int_equal(nice_seen[1], prio < 5 ? prio + 15 : 19);
	if (geteuid() == 0)
		assert_int_equal(nice_seen[2], prio);
	test_pool_stop(1, &gone);
	loop_pool_fini();
}

static void
test_shared_threads(void **arg)
{
	struct loop_info info[8];
	unsigned before = idle_threads();
	sem_t up, gone;

	(void)arg;
	sem_init(&up, 0, 0);
	sem_init(&gone, 0, 0);
	loop_pool_limit(3);
	test_pool_start(31, WORKER_SESSION, &up, &gone);
	assert_int_equal(loop_list(info, 8), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_true(info[i].worker_cnt == 10 || info[i].worker_cnt == 11);
	assert_int_equal(thread_count(), before + 3);
	test_pool_stop(31, &gone);
	/* They wait for the next worker. */
	assert_int_equal(loop_list(info, 8), 3);
	test_pool_start(2, WORKER_CONTROL, &up, &gone);
	assert_int_equal(loop_list(info, 8), 5);
	test_pool_stop(2, &gone);
	loop_pool_fini();
	assert_int_equal(loop_list(info, 8), 0);
	loop_pool_limit(0);
}

/* No descriptors for a loop of its own: it shares one. The log says so once, to stderr
 * here. */
static void
test_no_more_threads(void **arg)
{
	struct rlimit limit, old;
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	struct loop_info info[4];
	sem_t up, gone;
	int top;

	(void)arg;
	sem_init(&up, 0, 0);
	sem_init(&gone, 0, 0);
	dup2(null, STDERR_FILENO);
	/* Room for one loop: two descriptors. */
	top = dup(null);
	close(top);
	getrlimit(RLIMIT_NOFILE, &old);
	limit = old;
	limit.rlim_cur = (rlim_t)top + 3;
	setrlimit(RLIMIT_NOFILE, &limit);
	test_pool_start(5, WORKER_SESSION, &up, &gone);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_true(pool.short_said);
	assert_int_equal(loop_list(info, 4), 1);
	assert_int_equal(info[0].worker_cnt, 5);
	test_pool_stop(5, &gone);
	loop_pool_fini();
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(null);
}

static void
test_memory(void **arg)
{
	struct os_memory before, after;
	sem_t up, gone;

	(void)arg;
	sem_init(&up, 0, 0);
	sem_init(&gone, 0, 0);
	os_malloc_setup();
	os_memory(&before);
	test_pool_start(MANY, WORKER_SESSION, &up, &gone);
	os_memory(&after);
	if (STACK_FACTOR == 1) /* sanitizers have shadows of everything */
		assert_true((after.rss - before.rss) / MANY < 16 * 1024);
	if (getenv("TERN_VERBOSE"))
		print_message(
		    "%u octets a loop\n", (unsigned)((after.rss - before.rss) / MANY));
	test_pool_stop(MANY, &gone);
	loop_pool_fini();
	assert_true(idle_threads() <= 3); /* ours, liburcu's, perhaps a sanitizer's */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_dedicated_threads),
		cmocka_unit_test(test_nice),
		cmocka_unit_test(test_shared_threads),
		cmocka_unit_test(test_no_more_threads),
	};
	int rc;

	/* The main thread plays the part of a loop. */
	rcu_join();
	rcu_sleep();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_leave();
	return rc;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that take long: what the log has of them, and the end of those that don't come to
 * one. */
#include "sysdep/loop/loop_watch.h"

#include "lib/mt/rcu.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static char path[40];
static struct pub32 gone_cnt;
static unsigned busy_ms; /* of a turn */

struct slow {
	struct worker worker;
	struct timer timer;
	bool patient;
};

static void
be_busy(void)
{
	uint64_t end_ns = clock_now_ns() + busy_ms * NS_PER_MS;

	while (clock_now_ns() < end_ns)
		wait_spread(1000);
}

static void
test_loop_watch_fires(struct timer *t)
{
	be_busy();
	worker_stop(t->worker);
}

static void
test_loop_watch_start(struct worker *w)
{
	struct slow *s = container_of(w, struct slow, worker);

	if (s->patient)
		worker_patient(w);
	timer_init(&s->timer, w, test_loop_watch_fires);
	worker_again(w);
}

static void
test_loop_watch_run(struct worker *w)
{
	struct slow *s = container_of(w, struct slow, worker);

	be_busy();
	timer_set(&s->timer, clock_now_ns());
}

static void
test_loop_watch_gone(struct worker *w)
{
	(void)w;
	store_release32(&gone_cnt, load_relaxed32(&gone_cnt) + 1);
}

static const struct worker_ops ops = { .start = test_loop_watch_start,
	.run = test_loop_watch_run,
	.gone = test_loop_watch_gone };

static void
test_loop_watch_go(struct slow *s)
{
	uint32_t before = load_acquire32(&gone_cnt);
	struct wait w = { 0 };

	worker_start(&s->worker, &ops, WORKER_CONTROL, "slow one");
	while (load_acquire32(&gone_cnt) == before)
		lib_wait_turn(&w, "the worker to go");
}

/* One turn and one timer of 20 ms each. Returns: what the log has. */
static const char *
test_loop_watch_log_of(const struct loop_limits *lim, bool patient)
{
	struct log_sink sink = {
		.target = LOG_T_FILE, .classes = LOG_CLASS_ALL, .path = path
	};
	static char text[4000];
	struct slow s = { .patient = patient };
	const char *bad;
	ssize_t n;
	int fd;

	unlink(path);
	log_start();
	assert_int_equal(log_configure(&sink, 1, NULL, &bad), 0);
	busy_ms = 20;
	loop_watch_set(lim);
	test_loop_watch_go(&s);
	loop_watch_set(&(struct loop_limits){ .warning_ns = 0 });
	log_stop();
	fd = open(path, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

static void
test_says(void **state)
{
	struct loop_limits lim = { .warning_ns = 10 * NS_PER_MS }, none = { 0 };
	const char *text;

	(void)state;
	text = test_loop_watch_log_of(&lim, false);
	assert_non_null(strstr(text, "<WARN> Loop slow one was busy for 0.0"));
	assert_string_equal(test_loop_watch_log_of(&lim, true), "");
	lim.warning_ns = 10 * NS_PER_S;
	assert_string_equal(test_loop_watch_log_of(&lim, false), "");
	assert_string_equal(test_loop_watch_log_of(&none, false), "");
}

static void
test_latency(void **state)
{
	struct loop_limits lim = { .latency = LATENCY_EVENTS,
		.latency_ns = 10 * NS_PER_MS };
	const char *text;

	(void)state;
	text = test_loop_watch_log_of(&lim, false);
	assert_non_null(strstr(text, "<DBG> Loop slow one: events took "));
	assert_null(strstr(text, "timers took"));
	lim.latency = LATENCY_TIMERS;
	text = test_loop_watch_log_of(&lim, false);
	assert_non_null(strstr(text, "<DBG> Loop slow one: timers took "));
	assert_null(strstr(text, "events took"));
	lim.latency_ns = NS_PER_S;
	assert_string_equal(test_loop_watch_log_of(&lim, false), "");
}

static void
with_timeout(unsigned ms, bool patient)
{
	struct slow s = { .patient = patient };

	busy_ms = ms;
	loop_watch_set(&(struct loop_limits){ .timeout_ns = 300 * NS_PER_MS });
	test_loop_watch_go(&s);
	loop_watch_set(&(struct loop_limits){ .timeout_ns = 0 });
	loop_pool_fini();
}

static void
test_loop_watch_too_long(void)
{
	with_timeout(20000, false);
}

static void
not_too_long(void)
{
	with_timeout(2, false);
}

static void
test_loop_watch_patient(void)
{
	with_timeout(600, true);
}

static void
test_timeout(void **state)
{
	unsigned tries = 0;

	(void)state;
	assert_true(unit_dies(test_loop_watch_too_long));
	/* a busy machine may let a thread wait for so long */
	while (unit_dies(not_too_long))
		assert_true(++tries < 5);
	assert_false(unit_dies(test_loop_watch_patient));
}

static int
test_loop_watch_set_up(void **state)
{
	int fd;

	(void)state;
	memcpy(path, "/tmp/test_loop_watch.XXXXXX", 28);
	fd = mkstemp(path);
	close(fd);
	return fd < 0;
}

static int
test_loop_watch_tear_down(void **state)
{
	(void)state;
	loop_pool_fini();
	return unlink(path);
}

int
main(void)
{
	/* first what forks: before there are threads */
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_says),
		cmocka_unit_test(test_latency),
	};

	return cmocka_run_group_tests(
	    tests, test_loop_watch_set_up, test_loop_watch_tear_down);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads beside the loops: they get their end of the pair, and are counted while they
 * run; who waits for their end waits for all of it. */
#include "sysdep/os/side.c"
#include "lib/mt/atomic.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <time.h>

/* echo - what comes, until the other end is closed. */
static void
test_side_echo(TAKE struct os_fd fd, TAKE void *arg)
{
	char c;

	assert_ptr_equal(arg, &side);
	while (read(fd.os_nr, &c, 1) == 1)
		assert_int_equal(write(fd.os_nr, &c, 1), 1);
	close(fd.os_nr);
}

static char
test_side_answer(int fd, char c)
{
	struct wait w = { 0 };

	assert_int_equal(write(fd, &c, 1), 1);
	while (read(fd, &c, 1) < 0 && errno == EAGAIN)
		lib_wait_turn(&w, "an answer");
	return c;
}

static uint32_t
test_side_running(void)
{
	uint32_t cnt;

	pthread_mutex_lock(&side.lock);
	cnt = side.running;
	pthread_mutex_unlock(&side.lock);
	return cnt;
}

static void
test_side_await(uint32_t cnt)
{
	struct wait w = { 0 };

	while (test_side_running() != cnt)
		lib_wait_turn(&w, "threads");
	assert_int_equal(test_side_running(), cnt);
}

static void
test_counted(void **state)
{
	int fd[2];

	(void)state;
	assert_true(side_all_ended());
	for (unsigned i = 0; i < 2; i++) {
		fd[i] = side_start("a name that is too long", test_side_echo, &side)
			    .os_nr;
		assert_true(fd[i] >= 0);
		assert_int_equal(test_side_running(), i + 1);
		assert_false(side_all_ended());
		assert_int_equal(test_side_answer(fd[i], 'x'), 'x');
	}
	for (unsigned i = 0; i < 2; i++) {
		close(fd[i]);
		test_side_await(1 - i);
	}
	assert_true(side_all_ended());
	assert_true(side_all_ended());
}

static pthread_key_t key;
static struct counter32 left; /* threads whose data isn't gone */

/* slow_end - what a library does when a thread ends. */
static void
slow_end(void *data)
{
	wait_spread(50000);
	counter32_sub_acq_rel(data, 1);
}

static void
in_library(TAKE struct os_fd fd, TAKE void *arg)
{
	pthread_setspecific(key, &left);
	test_side_echo(fd, arg);
}

static void
test_wholly(void **state)
{
	int fd[3];

	(void)state;
	assert_int_equal(pthread_key_create(&key, slow_end), 0);
	for (unsigned i = 0; i < ARRAY_LEN(fd); i++) {
		counter32_add(&left, 1);
		fd[i] = side_start("library", in_library, &side).os_nr;
		assert_true(fd[i] >= 0);
	}
	for (unsigned i = 0; i < ARRAY_LEN(fd); i++) {
		assert_int_equal(test_side_answer(fd[i], 'x'), 'x');
		close(fd[i]);
	}
	test_side_await(0);
	assert_true(side_all_ended());
	assert_int_equal(counter32_get(&left), 0);
	assert_int_equal(pthread_key_delete(key), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_wholly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

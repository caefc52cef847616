/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads beside the loops: they get their end of the pair, and are counted while they
 * run. */
#include "sysdep/side.c"
#include "test/lib/unit.h"
#include <time.h>

/* echo - what comes, until the other end is closed. */
static void
echo(TAKE int fd, TAKE void *arg)
{
	char c;

	assert_ptr_equal(arg, &running);
	while (read(fd, &c, 1) == 1)
		assert_int_equal(write(fd, &c, 1), 1);
	close(fd);
}

static char
answer(int fd, char c)
{
	assert_int_equal(write(fd, &c, 1), 1);
	while (read(fd, &c, 1) < 0 && errno == EAGAIN)
		usleep(200);
	return c;
}

static void
test_counted(void **state)
{
	int fd[2];

	(void)state;
	assert_int_equal(side_running(), 0);
	for (unsigned i = 0; i < 2; i++) {
		fd[i] = side_start("a name that is too long", echo, &running);
		assert_true(fd[i] >= 0);
		assert_int_equal(side_running(), i + 1);
		assert_int_equal(answer(fd[i], 'x'), 'x');
	}
	for (unsigned i = 0; i < 2; i++) {
		close(fd[i]);
		for (unsigned ms = 0; side_running() != 1 - i && ms < 10000; ms++)
			usleep(1000);
		assert_int_equal(side_running(), 1 - i);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU and memory of processes: our own, and a child's with it. */
#include "test/load/load_proc.c"
#include "test/lib/unit.h"

#include <signal.h>

static void
test_self(void **state)
{
	struct load_usage u, with_child;
	int me = getpid(), child;

	(void)state;
	load_proc_usage(&u, &me, 1);
	assert_int_equal(u.processes, 1);
	assert_true(u.threads >= 1);
	assert_true(u.rss_kb > 0 && u.peak_kb >= u.rss_kb);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	load_proc_usage(&with_child, &me, 1);
	assert_int_equal(with_child.processes, 2);
	assert_true(with_child.rss_kb > u.rss_kb);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void
test_nobody(void **state)
{
	struct load_usage u;
	int nobody = 0x3fffffff;

	(void)state;
	load_proc_usage(&u, &nobody, 1);
	assert_int_equal(u.processes, 0);
	load_proc_usage(&u, NULL, 0);
	assert_int_equal(u.rss_kb, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_self),
	cmocka_unit_test(test_nobody),
};

UNIT_MAIN(tests)

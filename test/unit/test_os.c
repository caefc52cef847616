/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits and numbers of the process. */
#include "sysdep/os.c"
#include "test/lib/unit.h"
#include <pthread.h>

static void *
idle_thread(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
	return NULL;
}

static void
test_numbers(void **arg)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	struct rlimit limit;
	char name[65], small[3];
	unsigned before;
	pthread_t t[2];

	(void)arg;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max < 100 ? limit.rlim_max : 100;
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(os_raise_nofile(), limit.rlim_max);
	getrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(limit.rlim_cur, limit.rlim_max);

	os_malloc_setup();
	assert_true(os_rss_bytes() > 100 * 1024);
	assert_true(os_cpu_count() >= 1);
	/* With the first thread a sanitizer may start one of its own. */
	pthread_mutex_lock(&m);
	assert_int_equal(pthread_create(&t[0], NULL, idle_thread, &m), 0);
	before = os_thread_count();
	assert_true(before >= 2);
	assert_int_equal(pthread_create(&t[1], NULL, idle_thread, &m), 0);
	assert_int_equal(os_thread_count(), before + 1);
	pthread_mutex_unlock(&m);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert_true(strlen(os_hostname(name, sizeof(name))) > 0);
	assert_true(strlen(os_hostname(small, sizeof(small))) < sizeof(small));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_numbers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits and numbers of the process. */
#include "sysdep/os.c"
#include "test/lib/unit.h"
#include <pthread.h>
#include <sys/mman.h>

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

#define PART (1u << 20)

/* Pages that were never touched, touched, and given back. */
static void
test_resident(void **state)
{
	uint8_t *p = mmap(
	    NULL, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct os_memory m;

	(void)state;
	assert_true(p != MAP_FAILED);
	assert_int_equal(os_resident(p, PART), 0);
	memset(p, 1, PART / 2);
	assert_int_equal(os_resident(p, PART), PART / 2);
	assert_int_equal(os_resident(p, PART / 4), PART / 4);
	os_release(p + 1, PART / 2 - 1); /* the first page isn't wholly in it */
	assert_true(os_resident(p, PART) > 0);
	assert_true(os_resident(p, PART) < PART / 4);
	assert_int_equal(p[0], 1);
	assert_int_equal(p[PART / 4], 0);
	assert_int_equal(os_resident(p + PART / 2, PART / 2), 0);
	for (size_t i = PART / 2; i < PART; i += 512) /* read, never written */
		assert_int_equal(p[i], 0);
	assert_int_equal(os_resident(p + PART / 2, PART / 2), 0);
	munmap(p, PART);
	os_memory(&m);
	assert_true(m.program > 4096 && m.program < m.rss);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_resident) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

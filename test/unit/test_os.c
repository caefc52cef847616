/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits and numbers of the process. */
#include "sysdep/os/os.c"
#include "lib/mem/poison.h"
#include "lib/mt/atomic.h"
#include "test/lib/unit.h"
#include <sys/mman.h>

static void
test_numbers(void **arg)
{
	struct rlimit limit;

	(void)arg;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max < 100 ? limit.rlim_max : 100;
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(os_raise_nofile(), limit.rlim_max);
	getrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(limit.rlim_cur, limit.rlim_max);

	os_malloc_setup();
}

/* Nothing is mapped in what is told to be free; it is more than tables of a large
 * exchange take. */
static void
test_free_addresses(void **state)
{
	void *base;
	size_t len = os_free_addresses(&base);
	uintptr_t from, to, at = (uintptr_t)base;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	(void)state;
#ifdef TERN_TSAN
	assert_int_equal(len, 0);
#else
	assert_true(len > (size_t)20 << 40);
#endif
	assert_non_null(f);
	while (len && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2)
			assert_true(to <= at || from >= at + len);
	fclose(f);
}

#define PART (1u << 20)

/* Pages that were never touched, touched, and only read. */
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
	assert_int_equal(os_resident(p + PART / 2, PART / 2), 0);
	for (size_t i = PART / 2; i < PART; i += 512) /* read, never written */
		assert_int_equal(p[i], 0);
	assert_int_equal(os_resident(p + PART / 2, PART / 2), 0);
	munmap(p, PART);
	os_memory(&m);
	assert_true(m.program > 4096 && m.program < m.rss);
}

/* Only whole pages are returned; the octets beside them stay. */
static void
test_return_pages(void **state)
{
	uint8_t *p = mmap(
	    NULL, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	assert_true(p != MAP_FAILED);
	memset(p, 1, PART);
	os_return_pages(p + 1, page - 1);
	os_return_pages(p + 1, page);
	os_return_pages(p + page - 1, 1);
	assert_int_equal(os_resident(p, PART), PART);
	os_return_pages(p + 1, 3 * page - 2);
	assert_int_equal(os_resident(p, PART), PART - page);
	for (size_t i = 0; i < PART; i++)
		assert_int_equal(p[i], i < page || i >= 2 * page);
	munmap(p, PART);
}

#if !defined(TERN_ASAN) && !defined(TERN_TSAN) /* malloc is another one */

/* fill_and_free - so many octets of malloc's, with a look before and after that. Returns:
 * what lies behind, and stays. */
static void *
fill_and_free(size_t len, struct os_trim *t)
{
	size_t cnt = len / 512;
	void **part = calloc(cnt, sizeof(*part)), *last;

	for (size_t i = 0; i < cnt; i++)
		memset(part[i] = malloc(500), 1, 500);
	last = malloc(500);
	if (t)
		os_malloc_trim(t); /* as it is called now and then */
	for (size_t i = 0; i < cnt; i++)
		free(part[i]);
	free(part);
	if (t)
		os_malloc_trim(t);
	return last;
}

static uint64_t
test_os_rss(void)
{
	struct os_memory m;

	os_memory(&m);
	return m.rss;
}

/* What was freed goes back, whatever else of the process has come and gone meanwhile; and
 * again when it was used again. */
static void
test_trim(void **state)
{
	struct os_trim last = { 0 };
	uint8_t *p = mmap(
	    NULL, 64 * PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *pin[5];
	uint64_t before;

	(void)state;
	assert_true(p != MAP_FAILED);
	memset(p, 1, 64 * PART);
	pin[0] = fill_and_free(16 * PART, &last);
	munmap(p, 64 * PART);
	before = test_os_rss();
	for (unsigned i = 1; i < 4; i++) {
		pin[i] = fill_and_free(16 * PART << (i == 3), &last);
		assert_true(test_os_rss() < before + 4 * PART);
	}
	pin[4] = fill_and_free(16 * PART, NULL);
	os_malloc_trim(&last);
	os_malloc_trim(&last); /* nothing has happened since the last time */
	assert_true(test_os_rss() < before + 4 * PART);
	for (unsigned i = 0; i < 5; i++)
		free(pin[i]);
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_free_addresses),
		cmocka_unit_test(test_resident),
		cmocka_unit_test(test_return_pages),
#if !defined(TERN_ASAN) && !defined(TERN_TSAN)
		cmocka_unit_test(test_trim),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

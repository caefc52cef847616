/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting of heap memory: by tag, also across threads, and back to where it began. */
#include "lib/mem/mem.c"
#include "test/lib/unit.h"
#include <pthread.h>

static void
test_counts(void **state)
{
	size_t table = mem_used(MEM_TABLE), attr = mem_used(MEM_ATTR);
	void *a, *b;

	(void)state;
	a = mem_alloc(MEM_TABLE, 1000);
	b = mem_zalloc(MEM_ATTR, 5000);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(((char *)b)[i], 0);
	assert_in_range(mem_used(MEM_TABLE) - table, 1000, 1100);
	assert_in_range(mem_used(MEM_ATTR) - attr, 5000, 5100);
	a = mem_realloc(MEM_TABLE, a, 20000, 1);
	assert_in_range(mem_used(MEM_TABLE) - table, 20000, 20100);
	a = mem_realloc(MEM_TABLE, a, 10, 1);
	assert_true(mem_used(MEM_TABLE) - table < 20000);
	mem_free(MEM_TABLE, a);
	mem_free(MEM_ATTR, b);
	mem_free(MEM_ATTR, NULL);
	assert_int_equal(mem_used(MEM_TABLE), table);
	assert_int_equal(mem_used(MEM_ATTR), attr);
}

static void
test_realloc_new(void **state)
{
	size_t used = mem_used(MEM_OTHER);
	char *p = mem_realloc(MEM_OTHER, NULL, 100, 1), *s;

	(void)state;
	assert_true(mem_used(MEM_OTHER) >= used + 100);
	mem_free(MEM_OTHER, p);
	s = mem_strdup(MEM_OTHER, "word");
	assert_string_equal(s, "word");
	mem_free(MEM_OTHER, s);
	assert_int_equal(mem_used(MEM_OTHER), used);
}

static void
test_aligned(void **state)
{
	size_t used = mem_used(MEM_LOOP);

	(void)state;
	for (size_t align = 1; align <= 65536; align *= 2) {
		void *p = mem_aligned(MEM_LOOP, align, 100);

		assert_int_equal((uintptr_t)p % align, 0);
		assert_true(mem_used(MEM_LOOP) >= used + 100);
		mem_free(MEM_LOOP, p);
	}
	assert_int_equal(mem_used(MEM_LOOP), used);
}

#define BLOCKS 1000

static void *
thread_alloc(void *arg)
{
	void **block = arg;

	for (int i = 0; i < BLOCKS; i++)
		block[i] = mem_alloc(MEM_PROTO, 64);
	return NULL;
}

static void *
thread_free(void *arg)
{
	void **block = arg;

	for (int i = 0; i < BLOCKS; i++)
		mem_free(MEM_PROTO, block[i]);
	return NULL;
}

/* What one thread allocates another frees: stripes go below zero, the sum doesn't. */
static void
test_threads(void **state)
{
	static void *block[8][BLOCKS];
	size_t used = mem_used(MEM_PROTO);
	pthread_t t[8];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 8; i++)
			assert_int_equal(
			    pthread_create(&t[i], NULL,
				round ? thread_free : thread_alloc, block[i]),
			    0);
		for (int i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
		if (round == 0)
			assert_true(mem_used(MEM_PROTO) >= used + 8 * BLOCKS * 64);
	}
	assert_int_equal(mem_used(MEM_PROTO), used);
}

static void
ask_too_much(void)
{
	volatile size_t much = SIZE_MAX / 4;

	mem_alloc(MEM_OTHER, much);
}

static void
ask_nothing(void)
{
	volatile size_t none = 0;

	mem_alloc(MEM_OTHER, none);
}

static void
test_out_of_memory(void **state)
{
	(void)state;
	assert_true(unit_dies(ask_too_much));
	assert_true(unit_dies(ask_nothing));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_counts),
	cmocka_unit_test(test_realloc_new),
	cmocka_unit_test(test_aligned),
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_out_of_memory),
};

UNIT_MAIN(tests)

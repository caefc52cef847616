/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arena: objects stay intact, memory comes and goes in chunks, reset keeps one. */
#include "lib/mem/arena.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define OBJS 2000

/* Objects of all sizes side by side: each holds what was written into it. */
static void
test_no_overlap(void **state)
{
	struct seed s = seed_start("arena");
	static uint8_t *obj[OBJS];
	static size_t len[OBJS];
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 1024);
	for (int round = 0; round < 3; round++) {
		size_t sum = 0;

		for (int i = 0; i < OBJS; i++) {
			len[i] = seed_chance(&s, 20) ? seed_below(&s, 5000)
						     : seed_below(&s, 60);
			obj[i] = arena_alloc(&a, len[i]);
			assert_non_null(obj[i]);
			assert_int_equal((uintptr_t)obj[i] % 8, 0);
			memset(obj[i], i & 0xff, len[i]);
			sum += (len[i] + 7) / 8 * 8;
		}
		for (int i = 0; i < OBJS; i++)
			for (size_t k = 0; k < len[i]; k++)
				assert_int_equal(obj[i][k], i & 0xff);
		assert_int_equal(arena_used(&a), sum);
		arena_reset(&a);
		assert_int_equal(arena_used(&a), 0);
	}
	arena_fini(&a);
}

static void
test_memory(void **state)
{
	size_t used = mem_used(MEM_CONFIG), one;
	struct arena a;
	void *first;

	(void)state;
	arena_init(&a, MEM_CONFIG, 4096);
	assert_int_equal(
	    mem_used(MEM_CONFIG), used); /* none before the first allocation */
	first = arena_alloc(&a, 8);
	one = mem_used(MEM_CONFIG) - used;
	assert_in_range(one, 4000, 4200);
	arena_alloc(&a, 100000);
	assert_true(mem_used(MEM_CONFIG) - used > 100000);
	assert_ptr_equal(arena_alloc(&a, 8), (char *)first + 8 + POISON_GAP);
	for (int i = 0; i < 2000; i++)
		arena_alloc(&a, 16);
	arena_reset(&a);
	one = mem_used(MEM_CONFIG) -
	      used; /* of the newest of that size, as malloc has it */
	assert_in_range(one, 4000, 4200);
	for (int i = 0; i < 100; i++) /* fits into the chunk that was kept */
		arena_alloc(&a, 16);
	assert_int_equal(mem_used(MEM_CONFIG) - used, one);
	arena_fini(&a);
	assert_int_equal(mem_used(MEM_CONFIG), used);
}

static void
test_only_large(void **state)
{
	struct arena a;
	char *p;

	(void)state;
	arena_init(&a, MEM_OTHER, 256);
	memset(arena_alloc(&a, 5000), 1, 5000);
	arena_reset(&a);
	assert_null(a.chunk);
	p = arena_zalloc(&a, 5000);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(p[i], 0);
	arena_fini(&a);
}

static unsigned taken, given;

static void *
test_arena_lend(void *arg, enum mem_tag tag, size_t size)
{
	assert_ptr_equal(arg, &taken);
	assert_int_equal(size, 4096);
	taken++;
	return mem_alloc(tag, size);
}

static void
get_back(void *arg, enum mem_tag tag, void *chunk)
{
	assert_ptr_equal(arg, &taken);
	given++;
	mem_free(tag, chunk);
}

/* Chunks of standard size are borrowed, others aren't; all go back where they came
 * from. */
static void
test_lender(void **state)
{
	static const struct arena_lender lender = { test_arena_lend, get_back, &taken };
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	arena_borrow(&a, &lender);
	arena_fini(&a);
	assert_int_equal(taken, 0); /* not before it is needed */
	for (unsigned i = 0; i < 100; i++)
		memset(arena_alloc(&a, 500), 1, 500);
	arena_alloc(&a, 10000);
	assert_in_range(taken, 13, 20);
	arena_reset(&a);
	assert_int_equal(taken - given, 1);
	arena_alloc(&a, 500);
	assert_int_equal(taken - given, 1);
	arena_fini(&a);
	assert_int_equal(taken, given);
	assert_int_equal(mem_used(MEM_OTHER), 0);
	arena_alloc(&a, 500); /* it may be used again */
	assert_int_equal(taken - given, 1);
	arena_fini(&a);
}

static void
test_texts(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 256);
	assert_string_equal(arena_strdup(&a, "abc"), "abc");
	assert_string_equal(arena_strndup(&a, "abcdef", 4), "abcd");
	assert_string_equal(arena_strndup(&a, "ab", 4), "ab");
	assert_string_equal(arena_strdup(&a, ""), "");
	assert_memory_equal(arena_memdup(&a, "a\0b", 3), "a\0b", 3);
	assert_non_null(arena_memdup(&a, NULL, 0));
	arena_fini(&a);
}

/* A large configuration doesn't lie in malloc's heap; a small one takes little. */
static void
test_large(void **state)
{
	size_t used = mem_used(MEM_CONFIG);
	struct arena a;
	unsigned own = 0, heap = 0;

	(void)state;
	arena_init(&a, MEM_CONFIG, GROW_FROM);
	arena_alloc(&a, 8);
	assert_in_range(mem_used(MEM_CONFIG) - used, GROW_FROM - 16, GROW_FROM + 32);
	while (a.used < 16 * GROW_TO)
		memset(arena_alloc(&a, 1000), 1, 1000);
	for (struct arena_chunk *c = a.chunk; c; c = c->next)
		if (c->size > 256 * 1024)
			own++;
		else
			heap++;
	assert_in_range(own, 12, 24);
	assert_in_range(heap, GROW_CNT - 1, 2 * GROW_CNT + 8);
	assert_true(mem_used(MEM_CONFIG) - used < 18 * GROW_TO);
	arena_fini(&a);
	assert_int_equal(mem_used(MEM_CONFIG), used);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_overlap),
	cmocka_unit_test(test_memory),
	cmocka_unit_test(test_only_large),
	cmocka_unit_test(test_lender),
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_large),
};

UNIT_MAIN(tests)

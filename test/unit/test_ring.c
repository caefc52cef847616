/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring by one thread: order, filler records, full and empty, trimming, 32-bit
 * positions. */
#include "lib/mt/ring.c"
#include "test/lib/unit.h"
#include <stdlib.h>

static void
test_ring_put(struct ring *r, const char *text, uint32_t len)
{
	void *p = ring_reserve(r, len);

	assert_non_null(p);
	memset(p, *text, len);
	ring_commit(r);
}

static void
test_ring_expect(struct ring *r, char c, uint32_t len, bool wake)
{
	uint32_t got = 0;
	const char *p = ring_peek(r, &got);

	assert_non_null(p);
	assert_int_equal(got, len);
	assert_int_equal((uintptr_t)p & 7, 0);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(p[i], c);
	assert_ptr_equal(ring_peek(r, &got), p);
	assert_int_equal(ring_release(r), wake);
}

static void
test_order(void **state)
{
	struct ring r;
	uint32_t len;

	(void)state;
	ring_init(&r, 256);
	assert_null(r.buf);
	assert_true(ring_empty(&r));
	assert_null(ring_peek(&r, &len));
	test_ring_put(&r, "a", 1);
	test_ring_put(&r, "b", 8);
	test_ring_put(&r, "c", 33);
	assert_false(ring_empty(&r));
	assert_int_equal(ring_octets(&r), 16 + 16 + 48);
	test_ring_expect(&r, 'a', 1, false);
	test_ring_expect(&r, 'b', 8, false);
	test_ring_expect(&r, 'c', 33, false);
	assert_true(ring_empty(&r));
	assert_null(ring_peek(&r, &len));
	assert_int_equal(ring_octets(&r), 0);
	ring_fini(&r);
}

/* A record that isn't committed isn't seen; the next reservation takes its place. */
static void
test_reserved_only(void **state)
{
	struct ring r;
	uint32_t len;

	(void)state;
	ring_init(&r, 256);
	assert_non_null(ring_reserve(&r, 20));
	assert_null(ring_peek(&r, &len));
	test_ring_put(&r, "x", 30);
	test_ring_expect(&r, 'x', 30, false);
	ring_fini(&r);
}

static void
test_wrap(void **state)
{
	struct ring r;

	(void)state;
	for (uint32_t first = 1; first <= 120; first++) {
		ring_init(&r, 256);
		r.ptail = 0u - 256; /* beyond 2^32 on the way */
		store_relaxed32(&r.tail, r.ptail);
		store_relaxed32(&r.head, r.ptail);
		for (uint32_t i = 0; i < 40; i++) {
			test_ring_put(&r, "p", first);
			test_ring_put(&r, "q", 121 - first);
			test_ring_expect(&r, 'p', first, false);
			test_ring_expect(&r, 'q', 121 - first, false);
		}
		assert_true(r.ptail < 0u - 256);
		ring_fini(&r);
	}
}

/* Records seen ahead of their turn, fillers between them. */
static void
test_next(void **state)
{
	struct ring r;
	uint32_t len;

	(void)state;
	for (uint32_t first = 1; first <= 110; first++) {
		ring_init(&r, 256);
		r.ptail = 0u - 256;
		store_relaxed32(&r.tail, r.ptail);
		store_relaxed32(&r.head, r.ptail);
		for (uint32_t i = 0; i < 40; i++) {
			const char *a, *b;

			test_ring_put(&r, "p", first);
			a = ring_peek(&r, &len);
			assert_null(ring_next(&r, a));
			test_ring_put(&r, "q", 111 - first);
			b = ring_next(&r, a);
			assert_non_null(b);
			for (uint32_t k = 0; k < 111 - first; k++)
				assert_int_equal(b[k], 'q');
			assert_null(ring_next(&r, b));
			assert_false(ring_release(&r));
			if (i % 2)
				assert_ptr_equal(ring_peek(&r, &len), b);
			assert_false(ring_release(&r));
			assert_true(ring_empty(&r));
		}
		ring_fini(&r);
	}
}

/* The producer is told of room once, when half of the ring is free, and only if it
 * asked. */
static void
test_full(void **state)
{
	struct ring r;

	(void)state;
	ring_init(&r, 256);
	for (int i = 0; i < 8; i++)
		test_ring_put(&r, "f", 24);
	assert_null(ring_reserve(&r, 1));
	assert_null(ring_reserve(&r, 24));
	test_ring_expect(&r, 'f', 24, false);
	test_ring_expect(&r, 'f', 24, false);
	test_ring_expect(&r, 'f', 24, false);
	test_ring_expect(&r, 'f', 24, true);
	test_ring_expect(&r, 'f', 24, false);
	test_ring_put(&r, "g", 24);
	for (int i = 0; i < 3; i++)
		test_ring_expect(&r, 'f', 24, false);
	test_ring_expect(&r, 'g', 24, false);
	ring_fini(&r);
}

/* The largest record may need a filler of nearly its length as well; the consumer tells
 * when it fits. */
static void
test_large_after_filler(void **state)
{
	struct ring r;
	uint32_t len;

	(void)state;
	ring_init(&r, 256);
	test_ring_put(&r, "a", 120); /* 128 with its header */
	test_ring_put(&r, "b", 8);
	assert_null(ring_reserve(&r, 120)); /* 112 to the end: a filler and 128 */
	assert_non_null(ring_peek(&r, &len));
	assert_true(ring_release(&r));
	test_ring_put(&r, "c", 120);
	test_ring_expect(&r, 'b', 8, false);
	test_ring_expect(&r, 'c', 120, false);
	ring_fini(&r);
}

static void
test_trim(void **state)
{
	struct ring r;

	(void)state;
	ring_init(&r, 256);
	ring_trim(&r);
	test_ring_put(&r, "a", 10);
	ring_trim(&r);
	assert_non_null(r.buf);
	test_ring_expect(&r, 'a', 10, false);
	ring_trim(&r);
	assert_null(r.buf);
	assert_int_equal(mem_used(MEM_RING), 0);
	test_ring_put(&r, "b", 10);
	test_ring_expect(&r, 'b', 10, false);
	ring_fini(&r);
}

static struct ring dying;

static void
too_large(void)
{
	ring_init(&dying, 256);
	ring_reserve(&dying, 121);
}

static void
odd_size(void)
{
	ring_init(&dying, 100);
}

static void
test_bounds(void **state)
{
	(void)state;
	assert_true(unit_dies(too_large));
	assert_true(unit_dies(odd_size));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_reserved_only),
	cmocka_unit_test(test_wrap),
	cmocka_unit_test(test_next),
	cmocka_unit_test(test_full),
	cmocka_unit_test(test_large_after_filler),
	cmocka_unit_test(test_trim),
	cmocka_unit_test(test_bounds),
};

int
main(void)
{
	unsetenv("TERN_WRAP"); /* the tests place head and tail themselves */
	return cmocka_run_group_tests(tests, NULL, NULL);
}

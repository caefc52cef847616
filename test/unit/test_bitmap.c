/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bit set against an array of bool: ranges exhaustively over three words, then at random.
 */
#include "lib/base/bitmap.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define BITS 2000

static bool model[BITS];

static uint32_t
model_count(uint32_t from, uint32_t cnt)
{
	uint32_t sum = 0;

	for (uint32_t i = from; i < from + cnt && i < BITS; i++)
		sum += model[i];
	return sum;
}

static uint32_t
model_next(uint32_t from, bool v)
{
	while (from < BITS && model[from] != v)
		from++;
	return from;
}

static void
test_bitmap_compare(const struct bitmap *b)
{
	for (uint32_t i = 0; i < BITS; i++)
		assert_int_equal(bitmap_test(b, i), model[i]);
}

static void
test_empty(void **state)
{
	struct bitmap b;

	(void)state;
	bitmap_init(&b, MEM_OTHER);
	assert_false(bitmap_test(&b, 0));
	assert_false(bitmap_test(&b, UINT32_MAX));
	assert_false(bitmap_clear(&b, 77));
	assert_int_equal(bitmap_clear_range(&b, 5, UINT32_MAX), 0);
	assert_int_equal(bitmap_count_range(&b, 0, UINT32_MAX), 0);
	assert_int_equal(bitmap_set_range(&b, 5, 0), 0);
	assert_int_equal(bitmap_next(&b, 0), UINT32_MAX);
	assert_int_equal(bitmap_prev(&b, UINT32_MAX), UINT32_MAX);
	assert_int_equal(bitmap_prev(&b, 0), UINT32_MAX);
	assert_int_equal(bitmap_next_zero(&b, 1000), 1000);
	assert_null(b.word);
	assert_true(bitmap_set(&b, 70));
	assert_false(bitmap_set(&b, 70));
	assert_true(bitmap_test(&b, 70));
	assert_true(bitmap_clear(&b, 70));
	bitmap_clear_all(&b);
	assert_null(b.word);
	bitmap_fini(&b);
}

/* Every range within 192 bits, over a pattern of ones. */
static void
test_ranges(void **state)
{
	struct bitmap b;

	(void)state;
	bitmap_init(&b, MEM_OTHER);
	bitmap_grow(&b, 192);
	for (uint32_t from = 0; from < 192; from++) {
		for (uint32_t cnt = 1; from + cnt <= 192; cnt += cnt < 70 ? 1 : 7) {
			uint32_t had;

			memset(b.word, 0x55, 24);
			had = bitmap_count_range(&b, from, cnt);
			assert_int_equal(had, (cnt + (from % 2 == 0)) / 2);
			assert_int_equal(bitmap_set_range(&b, from, cnt), cnt - had);
			assert_int_equal(bitmap_count_range(&b, from, cnt), cnt);
			assert_int_equal(bitmap_count_range(&b, 0, 192), 96 + cnt - had);
			assert_int_equal(bitmap_clear_range(&b, from, cnt), cnt);
			assert_int_equal(bitmap_count_range(&b, 0, 192), 96 - had);
		}
	}
	bitmap_fini(&b);
}

static void
random_step(struct seed *s, struct bitmap *b)
{
	uint32_t i = seed_below(s, BITS), cnt = seed_below(s, BITS - i);
	uint32_t next;

	switch (seed_below(s, 6)) {
	case 0:
		assert_int_equal(bitmap_set(b, i), !model[i]);
		model[i] = true;
		break;
	case 1:
		assert_int_equal(bitmap_clear(b, i), model[i]);
		model[i] = false;
		break;
	case 2:
		cnt %= 200;
		assert_int_equal(bitmap_set_range(b, i, cnt), cnt - model_count(i, cnt));
		memset(model + i, true, cnt);
		break;
	case 3:
		assert_int_equal(bitmap_clear_range(b, i, cnt), model_count(i, cnt));
		memset(model + i, false, cnt);
		break;
	case 4:
		assert_int_equal(bitmap_count_range(b, i, cnt), model_count(i, cnt));
		break;
	default:
		next = model_next(i, true);
		assert_int_equal(bitmap_next(b, i), next == BITS ? UINT32_MAX : next);
		next = model_next(i, false);
		if (next < BITS)
			assert_int_equal(bitmap_next_zero(b, i), next);
		next = i;
		while (next && !model[next - 1])
			next--;
		assert_int_equal(bitmap_prev(b, i), next - 1); /* UINT32_MAX: none */
		if (bitmap_prev(b, UINT32_MAX) != UINT32_MAX)
			assert_int_equal(
			    model_next(bitmap_prev(b, UINT32_MAX) + 1, true), BITS);
		break;
	}
}

static void
test_random(void **state)
{
	struct seed s = seed_start("bitmap");
	struct bitmap b;

	(void)state;
	bitmap_init(&b, MEM_OTHER);
	memset(model, 0, sizeof(model));
	for (uint32_t step = 0; step < seed_rounds(20000); step++) {
		random_step(&s, &b);
		if (step % 500 == 0)
			test_bitmap_compare(&b);
		if (step % 5000 == 4999) {
			bitmap_clear_all(&b);
			memset(model, 0, sizeof(model));
		}
	}
	test_bitmap_compare(&b);
	bitmap_fini(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_empty),
	cmocka_unit_test(test_ranges),
	cmocka_unit_test(test_random),
};

UNIT_MAIN(tests)

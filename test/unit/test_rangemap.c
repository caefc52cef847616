/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps of ranges against a search through the arrays that they were built from. */
#include "filter/rangemap.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include <stdlib.h>

#define RANGES 6000

static uint32_t
naive_get(const uint64_t *start, const uint32_t *id, uint32_t cnt, uint64_t key)
{
	uint32_t i, got = 0;

	for (i = 0; i < cnt && start[i] <= key; i++)
		got = id[i];
	return got;
}

static int
cmp_u64(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* Clusters and lone ones, on a grid of 1 << @shift. */
static uint32_t
random_starts(
    struct seed *s, uint64_t *start, uint32_t want, unsigned bits, unsigned shift)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1, near = 0;
	uint32_t i, out = 0;

	for (i = 0; i < want; i++) {
		if (i % 50 == 0)
			near = seed_u64(s) & mask;
		start[i] = seed_chance(s, 3) ? seed_u64(s) & mask
					     : (near + seed_below(s, 2000)) & mask;
		start[i] = start[i] >> shift << shift;
	}
	if (seed_chance(s, 3))
		start[0] = 0;
	if (seed_chance(s, 3))
		start[want - 1] = mask >> shift << shift;
	qsort(start, want, sizeof(*start), cmp_u64);
	for (i = 0; i < want; i++)
		if (!out || start[out - 1] != start[i])
			start[out++] = start[i];
	return out;
}

static void
test_against_naive(void **state)
{
	static const uint32_t id_max[] = { 2, 256, 257, 65536, 65537, UINT32_MAX };
	uint64_t *start = calloc(RANGES, sizeof(*start));
	uint32_t *id = calloc(RANGES, sizeof(*id));
	struct seed s = seed_start("rangemap");
	uint32_t round, i, cnt, widths = 0;
	struct rangemap m;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (round = 0; round < seed_rounds(150); round++) {
		unsigned bits = 8 + seed_below(&s, 57), shift = seed_below(&s, bits);
		uint32_t max = id_max[seed_below(&s, ARRAY_LEN(id_max))];

		cnt = 1 + seed_below(&s, seed_chance(&s, 8) ? RANGES - 1 : 300);
		cnt = random_starts(&s, start, cnt, bits, seed_chance(&s, 2) ? shift : 0);
		for (i = 0; i < cnt; i++)
			id[i] = seed_below(&s, max);
		rangemap_build(&m, &a, start, id, cnt);
		widths |= 1u << m.width | 1u << (16 + m.id_width) |
			  (m.wide ? 1u << 31 : 0);
		assert_int_equal(m.cnt, cnt);
		for (i = 0; i < 150; i++) {
			uint64_t near = start[seed_below(&s, cnt)];
			uint64_t key = i % 3 ? near + seed_below(&s, 3) - 1
					     : seed_u64(&s);

			assert_int_equal(
			    rangemap_get(&m, key), naive_get(start, id, cnt, key));
		}
		assert_int_equal(rangemap_get(&m, UINT64_MAX), id[cnt - 1]);
		arena_reset(&a);
	}
	/* all widths of starts, ids and fences have come up */
	assert_int_equal(widths & 0x114, 0x114);
	assert_int_equal(widths >> 16 & 0x16, 0x16);
	assert_true(widths >> 31);
	arena_fini(&a);
	free(start);
	free(id);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_against_naive),
};

UNIT_MAIN(tests)

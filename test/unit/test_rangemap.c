/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps of ranges against a search through the arrays that they were built from. */
#include "filter/set/rangemap.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include <stdlib.h>

#define RANGES 6000
#define IDS    70000
#define SPANS  64 /* ids 1 to SPANS end: id k stands for 1 << (k - 1) keys */

static uint32_t
naive_get(const uint64_t *start, const uint32_t *id, uint32_t cnt, const uint64_t *last,
    uint64_t key)
{
	uint32_t i, got = 0;

	for (i = 0; i < cnt && start[i] <= key; i++)
		got = key - start[i] <= last[id[i]] ? id[i] : 0;
	return got;
}

static int
test_rangemap_cmp_u64(const void *va, const void *vb)
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
	qsort(start, want, sizeof(*start), test_rangemap_cmp_u64);
	for (i = 0; i < want; i++)
		if (!out || start[out - 1] != start[i])
			start[out++] = start[i];
	return out;
}

/* Up to @id_cnt different ones; many end before the next start, or with it. */
static void
random_ids(
    struct seed *s, uint32_t *id, const uint64_t *start, uint32_t cnt, uint32_t id_cnt)
{
	uint32_t i;

	for (i = 0; i < cnt; i++) {
		uint64_t room = i + 1 < cnt ? start[i + 1] - start[i] : UINT64_MAX;
		unsigned most = 0; /* bits that an aligned range may have here */

		while (most < SPANS - 1 && !(start[i] >> most & 1) && room >> most > 1)
			most++;
		id[i] = seed_below(s, id_cnt);
		if (seed_chance(s, 2))
			id[i] = 1 + (seed_chance(s, 3) ? seed_below(s, most + 1) : most);
		else if (id[i] && id[i] <= SPANS)
			id[i] = 0;
	}
}

static uint32_t
sub_blocks(const struct rangemap *m)
{
	uint32_t i, n = 0;

	for (i = 0; i < m->block_cnt; i++)
		n += m->cell &&
		     rangemap_find_slot(m, m->block + (size_t)i * BLOCK, 0).id ==
			 m->sub_id;
	return n;
}

/* Near starts, near ends, and anywhere. */
static uint64_t
random_ask(struct seed *s, const uint64_t *start, const uint32_t *id, uint32_t cnt)
{
	uint32_t i = seed_below(s, cnt), end;

	switch (seed_below(s, 3)) {
	case 0:
		return start[i] + seed_below(s, 3) - 1;
	case 1:
		end = id[i] && id[i] <= SPANS ? id[i] - 1 : 0;
		return start[i] + (1ull << end) + seed_below(s, 3) - 1;
	default:
		return seed_chance(s, 2) ? seed_u64(s)
					 : start[i] ^ 1ull << seed_below(s, 64);
	}
}

static void
test_against_naive(void **state)
{
	static const uint32_t id_cnts[] = { 66, 255, 256, 257, 65536, IDS };
	uint64_t *start = calloc(RANGES, sizeof(*start)),
		 *last = calloc(IDS, sizeof(*last));
	uint32_t *id = calloc(RANGES, sizeof(*id));
	struct seed s = seed_start("rangemap");
	uint32_t round, i, cnt, widths = 0, subs = 0, deep = 0;
	struct rangemap m;
	struct arena a;
	bool all = false;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (i = 0; i < IDS; i++)
		last[i] = i && i <= SPANS ? (1ull << (i - 1)) - 1 : UINT64_MAX;
	/* all widths of starts and ids, dense cells and high trees are to come up: mostly
	 * they do in 200 rounds */
	for (round = 0; round < seed_rounds(200) || (!all && round < 5000); round++) {
		unsigned bits = 8 + seed_below(&s, 57), shift = seed_below(&s, bits);
		uint32_t id_cnt = id_cnts[seed_below(&s, ARRAY_LEN(id_cnts))];

		cnt = 1 + seed_below(&s, seed_chance(&s, 8) ? RANGES - 1 : 300);
		cnt = random_starts(&s, start, cnt, bits, seed_chance(&s, 2) ? shift : 0);
		random_ids(&s, id, start, cnt, id_cnt);
		rangemap_build(
		    &m, &a, &(struct rangemap_source){ start, id, cnt, last, id_cnt });
		widths |= 1u << m.width | 1u << (16 + m.id_width);
		subs += sub_blocks(&m);
		deep += m.levels > 2;
		for (i = 0; i < 200; i++) {
			uint64_t key = random_ask(&s, start, id, cnt);

			assert_int_equal(
			    rangemap_get(&m, key), naive_get(start, id, cnt, last, key));
		}
		assert_int_equal(rangemap_get(&m, UINT64_MAX),
		    naive_get(start, id, cnt, last, UINT64_MAX));
		arena_reset(&a);
		all = (widths & 0x114) == 0x114 && (widths >> 16 & 0x16) == 0x16 &&
		      subs > 100 && deep;
	}
	assert_true(all);
	arena_fini(&a);
	free(start);
	free(last);
	free(id);
}

/* Every key of 8 bits, for maps of ranges of all sizes. A range far away makes cells that
 * hold several of these keys. */
static void
test_all_keys(void **state)
{
	uint64_t start[257], last[SPANS + 2];
	struct seed s = seed_start("rangemap keys");
	uint32_t id[257], round, i, cnt;
	struct rangemap m;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (i = 0; i < SPANS + 2; i++)
		last[i] = i && i <= SPANS ? (1ull << (i - 1)) - 1 : UINT64_MAX;
	for (round = 0; round < seed_rounds(100); round++) {
		bool far = seed_chance(&s, 2);
		unsigned up = far ? 24 + seed_below(&s, 8) : seed_below(&s, 57);

		cnt = random_starts(&s, start, 1 + seed_below(&s, 200), 8, 0);
		for (i = 0; i < cnt; i++)
			start[i] <<= up;
		if (far)
			start[cnt++] = 1ull << 63;
		random_ids(&s, id, start, cnt, SPANS + 2);
		rangemap_build(
		    &m, &a, &(struct rangemap_source){ start, id, cnt, last, SPANS + 2 });
		for (i = 0; i < 256; i++) {
			uint64_t key = (uint64_t)i << up;

			assert_int_equal(
			    rangemap_get(&m, key), naive_get(start, id, cnt, last, key));
		}
		arena_reset(&a);
	}
	arena_fini(&a);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_against_naive),
	cmocka_unit_test(test_all_keys),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of keys: what was put in is there, and nothing else. */
#include "filter/set/keyset.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include <stdlib.h>

#define KEYS 4000

static int
cmp_key(const void *va, const void *vb)
{
	const struct fkey *a = va, *b = vb;

	if (a->hi != b->hi)
		return a->hi < b->hi ? -1 : 1;
	return a->lo < b->lo ? -1 : a->lo > b->lo;
}

/* Dense from 0 on (so that zero isn't free), few bits in some words, random, or as
 * communities are: words of few or of many values above a base. */
static struct fkey
random_key(struct seed *s, unsigned width, unsigned kind)
{
	struct fkey k = { seed_u64(s), seed_u64(s) };

	if (kind == 0)
		k = (struct fkey){ 0, seed_below(s, 6000) };
	if (kind == 1)
		k = (struct fkey){ seed_below(s, 100), (uint64_t)seed_below(s, 70)
							   << 32 };
	if (kind == 3)
		k = (struct fkey){ (65000ull + seed_below(s, 3)) << 32 | seed_below(s, 9),
			0xfffffff000000000 | (uint64_t)seed_below(s, 9) << 32 |
			    k.lo >> 40 };
	if (kind == 4) /* all 64 bits of one word and a half each of two */
		k = (struct fkey){ 7ull << 32 | (k.hi & 0xffff),
			(k.lo >> 16 << 16) | 0x1234 };
	if (width < 12)
		k.hi = 0;
	if (width == 4 || width == 12)
		k.lo = (uint32_t)k.lo;
	return k;
}

static bool
test_keyset_has(const struct keyset *s, unsigned width, struct fkey k)
{
	return width == 4 ? keyset_has32(s, (uint32_t)k.lo) : keyset_has(s, k.hi, k.lo);
}

/* Members with one bit turned: words just out of range, and lines of others. */
static struct fkey
turn_bit(struct seed *s, struct fkey k, unsigned width)
{
	unsigned bit = seed_below(s, 8 * width);

	*(bit < 32 || (bit < 64 && width != 12) ? &k.lo : &k.hi) ^= 1ull << bit % 64;
	return k;
}

static void
test_against_sorted(void **state)
{
	struct fkey *key = calloc(KEYS, sizeof(*key)), *list = calloc(KEYS, sizeof(*key));
	struct seed s = seed_start("keyset");
	uint32_t round, i, cnt, n, seen = 0;
	struct keyset set;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (round = 0; round < seed_rounds(160); round++) {
		unsigned width = 4 + 4 * (round % 4), kind = round / 4 % 5;

		n = 1 + seed_below(&s, seed_chance(&s, 4) ? KEYS - 1 : 40);
		for (i = 0; i < n; i++)
			key[i] = random_key(&s, width, kind);
		qsort(key, n, sizeof(*key), cmp_key);
		for (cnt = 0, i = 0; i < n; i++)
			if (!cnt || cmp_key(&key[cnt - 1], &key[i]))
				key[cnt++] = key[i];
		memset(&set, 0, sizeof(set));
		keyset_build(&set, &a, key, cnt, width);
		for (i = 0; i < cnt; i++)
			assert_true(test_keyset_has(&set, width, key[i]));
		for (i = 0; i < 300; i++) {
			struct fkey k = random_key(&s, width, kind);

			if (seed_chance(&s, 3))
				k = turn_bit(&s, key[seed_below(&s, cnt)], width);
			assert_int_equal(test_keyset_has(&set, width, k),
			    bsearch(&k, key, cnt, sizeof(k), cmp_key) != NULL);
		}
		if (!set.packed)
			assert_false(test_keyset_has(&set, width, set.none));
		seen |= 1u << set.width << (set.packed ? 17 : 0);
		keyset_list(&set, list);
		qsort(list, cnt, sizeof(*list), cmp_key);
		assert_memory_equal(list, key, cnt * sizeof(*key));
		arena_reset(&a);
	}
	/* all widths, and packed ones of 4 and 8 octets, have come up */
	assert_int_equal(seen, 1 << 4 | 1 << 8 | 1 << 12 | 1 << 16 | 1 << 21 | 1 << 25);
	arena_fini(&a);
	free(key);
	free(list);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_against_sorted),
};

UNIT_MAIN(tests)

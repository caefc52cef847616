/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large sets against their definition: prefixes of registries' kind (many near each
 * other, some that nest, IPv6 with and without lengths beyond /64), and numbers, pairs
 * and communities. test/unit has the small domains. */
#include "filter/set/pfxset.h"
#include "filter/set/set.h"
#include "test/lib/pfx_naive.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define PATTERNS 3000
#define ASKED    400

/* An address in one of a few blocks, or anywhere. Some parts of a block are dense: a /48
 * or /64 in every other place. */
static struct ip_addr
random_addr(struct seed *s, enum family fam, uint64_t block)
{
	uint64_t hi = seed_chance(s, 8) ? seed_u64(s) : block | seed_u64(s) >> 24;

	if (fam == FAM_IP4)
		return ip4(
		    (uint32_t)((seed_chance(s, 8) ? hi : block | seed_u64(s) >> 12) >>
			       32));
	if (seed_chance(s, 3))
		hi = block | (uint64_t)seed_below(s, 2) << 33 |
		     (uint64_t)seed_below(s, 512) << (seed_chance(s, 3) ? 0 : 16);
	return (struct ip_addr){ hi, seed_u64(s) };
}

static struct pfx_pattern
prop_sets_random_pattern(
    struct seed *s, enum family fam, uint64_t block, unsigned longest)
{
	unsigned max = fam == FAM_IP4 ? 32 : 128, len = 8 + seed_below(s, longest - 7);
	struct prefix p = prefix_make(random_addr(s, fam, block), len, fam);
	struct pfx_pattern t = { p.addr, (uint8_t)len, (uint8_t)len, (uint8_t)len,
		(uint8_t)fam };

	switch (seed_below(s, 5)) {
	case 0:
		t.hi = (uint8_t)max;
		break;
	case 1:
		t.hi = (uint8_t)(len + seed_below(s, max - len + 1));
		break;
	case 2:
		t.lo = (uint8_t)(len - seed_below(s, 3));
		break;
	}
	return t;
}

static void
test_prefixes(void **state)
{
	struct pfx_pattern *pat = calloc(PATTERNS, sizeof(*pat));
	struct pfx_pattern *sorted = calloc(PATTERNS, sizeof(*pat));
	struct seed s = seed_start("sets prefixes");
	uint32_t round, i, k, hits = 0;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (round = 0; round < seed_rounds(24); round++) {
		enum family fam = seed_below(&s, 2);
		unsigned longest = fam == FAM_IP4       ? 20 + seed_below(&s, 13)
				   : seed_chance(&s, 3) ? 128
							: 36 + seed_below(&s, 29);
		uint32_t cnt = 1 + seed_below(&s, PATTERNS - 1);
		uint64_t block = seed_u64(&s) & mask64(24);
		const struct pfxset *set;

		for (i = 0; i < cnt; i++)
			pat[i] = prop_sets_random_pattern(&s, fam, block, longest);
		memcpy(sorted, pat, cnt * sizeof(*pat));
		set = pfxset_build(&a, sorted, cnt);
		for (k = 0; k < ASKED; k++) {
			const struct pfx_pattern *near = &pat[seed_below(&s, cnt)];
			unsigned max = fam == FAM_IP4 ? 32 : 128;
			struct prefix p = prefix_make(
			    seed_chance(&s, 3) ? random_addr(&s, fam, block) : near->addr,
			    seed_chance(&s, 2) ? near->len : seed_below(&s, max + 1),
			    fam);
			bool want = pfx_naive_has(pat, cnt, &p);

			hits += want;
			assert_int_equal(pfxset_has(set, &p), want);
		}
		arena_reset(&a);
	}
	/* both answers came up, hundreds of times */
	assert_true(hits >= ASKED && seed_rounds(24) * ASKED - hits >= ASKED / 2);
	arena_fini(&a);
	free(pat);
	free(sorted);
}

static void
prop_sets_random_item(struct seed *s, enum ftype t, struct fset_item *it)
{
	unsigned words = t == T_LC ? 3 : t == T_INT ? 1 : 2, k;

	*it = (struct fset_item){ .elem = (uint8_t)t };
	for (k = 0; k < words; k++)
		it->lo[k] = seed_below(s, k + 1 < words ? 50 : 65536);
	memcpy(it->hi, it->lo, sizeof(it->hi));
	if (seed_chance(s, 10))
		it->hi[words - 1] += seed_below(s, 40);
	if (t == T_PAIR && it->hi[1] > 0xffff)
		it->hi[1] = 0xffff;
	if (words > 1 && seed_chance(s, 500)) { /* to an element of the next AS */
		it->ordered = true;
		it->hi[0]++;
		it->hi[words - 1] = seed_below(s, 65536);
	}
}

/* As numbers, the first word highest. */
static int
words_cmp(const uint32_t *a, const uint32_t *b)
{
	unsigned k = 0;

	while (k < 2 && a[k] == b[k])
		k++;
	return a[k] < b[k] ? -1 : a[k] > b[k];
}

static bool
in_items(const struct fset_item *it, const uint32_t *w)
{
	for (; it; it = it->next) {
		if (it->ordered) {
			if (words_cmp(w, it->lo) >= 0 && words_cmp(w, it->hi) <= 0)
				return true;
			continue;
		}
		if (w[0] >= it->lo[0] && w[0] <= it->hi[0] && w[1] >= it->lo[1] &&
		    w[1] <= it->hi[1] && w[2] >= it->lo[2] && w[2] <= it->hi[2])
			return true;
	}
	return false;
}

static void
test_values(void **state)
{
	static const enum ftype elems[] = { T_INT, T_PAIR, T_EC, T_LC };
	struct fset_item *item = calloc(PATTERNS, sizeof(*item)), other;
	struct seed s = seed_start("sets values");
	uint32_t round, i, k, hits = 0;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (round = 0; round < seed_rounds(40); round++) {
		enum ftype t = elems[round % ARRAY_LEN(elems)];
		uint32_t cnt = 1 + seed_below(&s, PATTERNS - 1);
		const struct fset *set;

		for (i = 0; i < cnt; i++) {
			prop_sets_random_item(&s, t, &item[i]);
			item[i].next = i + 1 < cnt ? &item[i + 1] : NULL;
		}
		set = fset_build(&a, t, item, NULL, 0);
		for (k = 0; k < ASKED; k++) {
			struct fvalue v = { .type = (uint8_t)t };
			bool want;

			prop_sets_random_item(&s, t, &other);
			memcpy(v.w,
			    seed_chance(&s, 2) ? other.lo : item[seed_below(&s, cnt)].hi,
			    sizeof(v.w));
			want = in_items(item, v.w);
			hits += want;
			assert_int_equal(fset_has(set, &v), want);
		}
		arena_reset(&a);
	}
	assert_true(hits >= ASKED && seed_rounds(40) * ASKED - hits >= ASKED);
	arena_fini(&a);
	free(item);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_prefixes),
	cmocka_unit_test(test_values),
};

UNIT_MAIN(tests)

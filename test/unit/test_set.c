/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of everything but prefixes against their definition. */
#include "filter/set/set.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define ITEMS 200

static const enum ftype elems[] = { T_INT, T_PAIR, T_QUAD, T_IP, T_EC, T_LC, T_ENUM_RTS };

static unsigned
words_of(enum ftype t)
{
	return t == T_PAIR || t == T_EC ? 2 : t == T_LC ? 3 : t == T_IP ? 4 : 1;
}

/* Words are compared as one number in ranges from one element to another, and one by one
 * in tuples of ranges. */
static bool
in_item(const struct fset_item *it, const uint32_t *w)
{
	unsigned n = words_of(it->elem), k;

	if (it->elem == T_IP || it->elem == T_EC || it->ordered) {
		int lo = 0, hi = 0;

		for (k = 0; k < n && !lo; k++)
			lo = w[k] < it->lo[k] ? -1 : w[k] > it->lo[k];
		for (k = 0; k < n && !hi; k++)
			hi = w[k] < it->hi[k] ? -1 : w[k] > it->hi[k];
		return lo >= 0 && hi <= 0;
	}
	for (k = 0; k < n; k++)
		if (w[k] < it->lo[k] || w[k] > it->hi[k])
			return false;
	return true;
}

static uint32_t
small_word(struct seed *s, enum ftype t)
{
	static const uint32_t edge[] = { 0, 1, 0xffff, 0xfffe, UINT32_MAX, UINT32_MAX - 1,
		65536 };
	uint32_t v = seed_chance(s, 4)   ? edge[seed_below(s, 7)]
		     : seed_chance(s, 2) ? seed_below(s, 12)
					 : 20 * seed_below(s, 500); /* alone */

	return t == T_PAIR ? v & 0xffff : v;
}

static void
test_set_random_item(struct seed *s, struct fset_item *it, enum ftype t)
{
	unsigned n = words_of(t), k;

	*it = (struct fset_item){ .elem = (uint8_t)t, .ordered = seed_chance(s, 3) };
	for (k = 0; k < n; k++) {
		uint32_t a = small_word(s, t),
			 b = seed_chance(s, 2) ? a : small_word(s, t);

		it->lo[k] = a < b ? a : b;
		it->hi[k] = a < b ? b : a;
		if (k && it->ordered && it->lo[0] < it->hi[0]) {
			it->lo[k] = a; /* these need not ascend */
			it->hi[k] = b;
		} else if (t != T_IP && t != T_EC && seed_chance(s, 3)) {
			it->lo[k] = 0;
			it->hi[k] = t == T_PAIR ? 0xffff : UINT32_MAX;
		}
	}
	if (t == T_IP ||
	    t == T_EC) /* a range of whole keys: only the last word differs */
		for (k = 0; k + 1 < n; k++)
			it->hi[k] = it->lo[k];
}

static void
test_against_naive(void **state)
{
	struct seed s = seed_start("set");
	struct fset_item item[ITEMS];
	uint32_t round, i, k;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (round = 0; round < seed_rounds(700); round++) {
		enum ftype t = elems[seed_below(&s, ARRAY_LEN(elems))];
		uint32_t cnt = 1 + seed_below(&s, seed_chance(&s, 4) ? ITEMS - 1 : 40);
		const struct fset *set;

		for (i = 0; i < cnt; i++) {
			test_set_random_item(&s, &item[i], t);
			item[i].next = i + 1 < cnt ? &item[i + 1] : NULL;
		}
		set = fset_build(&a, t, item, NULL, 0);
		assert_int_equal(set->type, ftype_set_of(t));
		for (k = 0; k < 200; k++) {
			struct fvalue v = { .type = (uint8_t)t };
			uint32_t w[4];
			bool want = false;

			for (i = 0; i < 4; i++)
				w[i] = small_word(&s, t);
			memcpy(v.w, w, sizeof(v.w));
			if (t == T_IP)
				v.ip = (struct ip_addr){ (uint64_t)w[0] << 32 | w[1],
					(uint64_t)w[2] << 32 | w[3] };
			for (i = 0; i < cnt; i++)
				want |= in_item(&item[i], w);
			assert_int_equal(fset_has(set, &v), want);
			if (t == T_PAIR || t == T_EC || t == T_LC)
				assert_int_equal(fset_has_words(set, t, w), want);
		}
		arena_reset(&a);
	}
	arena_fini(&a);
}

/* Many numbers, so that the index is used; some given as ranges in an array. */
static void
test_numbers(void **state)
{
	enum { CNT = 5000 };
	struct seed s = seed_start("set numbers");
	struct frange32 *r = calloc(CNT, sizeof(*r));
	const struct fset *set;
	struct arena a;
	uint32_t i;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (i = 0; i < CNT; i++) {
		r[i].lo = (uint32_t)seed_u64(&s) &
			  (seed_chance(&s, 2) ? 0xffff : 0xffffffff);
		r[i].lo &= ~7u;
		r[i].hi = r[i].lo + seed_below(&s, 4);
	}
	set = fset_build(&a, T_INT, NULL, r, CNT);
	for (i = 0; i < CNT; i++) {
		assert_true(fset_has_u32(set, r[i].lo));
		assert_true(fset_has_u32(set, r[i].hi));
		assert_false(fset_has_u32(set, (r[i].lo & ~7u) + 5));
	}
	assert_false(fset_has_u32(set, UINT32_MAX));
	arena_fini(&a);
	free(r);
}

static void
test_full_range(void **state)
{
	struct frange32 r[] = { { 5, UINT32_MAX }, { 0, 4 }, { 7, 3 } };
	const struct fset *set;
	struct strbuf b;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	strbuf_init(&b);
	set = fset_build(&a, T_INT, NULL, r, 3);
	assert_int_equal(set->cnt, 1); /* joined; the empty range is left out */
	assert_true(fset_has_u32(set, 0) && fset_has_u32(set, UINT32_MAX));
	fset_print(&b, set);
	/* BIRD 3.3.2 joins only what overlaps. */
	assert_string_equal(b.s, "[0..4, 5..4294967295]");
	assert_false(fset_has(fset_empty(), &(struct fvalue){ .type = T_INT }));
	strbuf_fini(&b);
	arena_fini(&a);
}

/* Sets of so many single elements that they are hashed, with ranges among them:
 * membership, text and hash are those of what was written. */
static void
test_many(void **state)
{
	static const char begins[] =
	    "[100, 102, 103, 105..107, 109..112, 200..230, 1000, ";
	struct frange32 r[105] = { { 103, 103 }, { 102, 102 }, { 105, 107 }, { 100, 100 },
		{ 109, 112 }, { 210, 230 }, { 200, 211 } };
	struct frange32 same[105];
	const struct fset *set, *other;
	struct strbuf b;
	struct arena a;
	uint32_t i;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	strbuf_init(&b);
	for (i = 7; i < 105; i++)
		r[i] = (struct frange32){ 1000 + 10 * (i - 7), 1000 + 10 * (i - 7) };
	for (i = 0; i < 105; i++)
		same[i] = r[104 - i];
	set = fset_build(&a, T_INT, NULL, r, 105);
	other = fset_build(&a, T_INT, NULL, same, 105);
	assert_int_equal(set->cnt, 1); /* 200..230 */
	assert_memory_equal(set->hash, other->hash, sizeof(set->hash));
	for (i = 0; i < 3000; i++)
		assert_int_equal(fset_has_u32(set, i),
		    i == 100 || i == 102 || i == 103 || (i >= 105 && i <= 107) ||
			(i >= 109 && i <= 112) || (i >= 200 && i <= 230) ||
			(i >= 1000 && i < 1980 && i % 10 == 0));
	fset_print(&b, set);
	assert_memory_equal(b.s, begins, strlen(begins));
	strbuf_fini(&b);
	arena_fini(&a);
}

/* The number of keys, as far as 32 bits count the keys of one range. */
static void
test_size(void **state)
{
	static struct fset_item numbers[] = {
		{ .elem = T_INT, .lo = { 5 }, .hi = { 9 } },
		{ .elem = T_INT, .lo = { 7 }, .hi = { 11 } },
	};
	static struct fset_item ips[] = {
		{ .elem = T_IP,
		    .lo = { 0x20010db8, 0, 0, 1 },
		    .hi = { 0x20010db8, 0, 0, 4 } },
		{ .elem = T_IP,
		    .lo = { 0x20010db9, 0, 0, 0 },
		    .hi = { 0x20010db9, 0, 0, 0 } },
	};
	static const struct fset_item many = {
		.elem = T_IP, .lo = { 0x20010db8, 0, 0, 0 }, .hi = { 0x20010dba, 0, 0, 0 }
	};
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	numbers[0].next = &numbers[1];
	ips[0].next = &ips[1];
	assert_int_equal(fset_size(fset_empty()), 0);
	assert_int_equal(fset_size(fset_build(&a, T_INT, numbers, NULL, 0)), 7);
	assert_int_equal(fset_size(fset_build(&a, T_IP, ips, NULL, 0)), 5);
	assert_int_equal(fset_size(fset_build(&a, T_IP, &many, NULL, 0)), UINT32_MAX);
	arena_fini(&a);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_against_naive),
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_full_range),
	cmocka_unit_test(test_many),
	cmocka_unit_test(test_size),
};

UNIT_MAIN(tests)

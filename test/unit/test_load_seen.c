/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that were seen before: found by guess and by search, told apart to the last
 * octet, forgotten at the bound, and not kept where that is of no use. */
#include "test/load/load_seen.c"
#include "test/lib/unit.h"

/* A message of @len octets that begins with @nr; they are at @to. */
static const uint8_t *
test_load_seen_make(uint8_t *to, uint32_t nr, unsigned len)
{
	memset(to, 0x5a, len);
	memcpy(to, &nr, sizeof(nr));
	return to;
}

static uint32_t
test_load_seen_add(struct load_seen *s, uint32_t prev, uint32_t nr, unsigned len)
{
	uint32_t col[3] = { nr, nr + 1, nr + 2 };
	uint8_t m[MSG_MAX];

	return load_seen_add(
	    s, prev, test_load_seen_make(m, nr, len), len, nr + 7, col, 1, 3);
}

static void
test_found(void **state)
{
	struct load_seen s;
	uint8_t m[200];
	uint32_t a, b, c;

	(void)state;
	load_seen_init(&s, VMEM_STEP);
	assert_int_equal(
	    load_seen_after(&s, 0, test_load_seen_make(m, 1, 50), sizeof(m)), 0);
	assert_int_equal(load_seen_find(&s, 0, m, 50), 0);
	a = test_load_seen_add(&s, 0, 1, 50);
	b = test_load_seen_add(&s, a, 2, 51);
	c = test_load_seen_add(&s, b, 3, 52);
	assert_true(a && b != a && c != b);
	assert_int_equal(load_seen_get(&s, b)->set, 9);
	assert_int_equal(load_seen_get(&s, b)->len, 51);
	/* Each follows the one before it, whatever comes behind it. */
	assert_int_equal(
	    load_seen_after(&s, 0, test_load_seen_make(m, 1, 50), sizeof(m)), a);
	assert_int_equal(load_seen_after(&s, a, test_load_seen_make(m, 2, 51), 51), b);
	assert_int_equal(load_seen_after(&s, a, m, 50), 0); /* it isn't there whole */
	m[50] ^= 1;
	assert_int_equal(load_seen_after(&s, a, m, 51), 0);
	assert_int_equal(load_seen_find(&s, a, m, 51), 0);
	/* A search makes a new guess; the one before it is kept. */
	assert_int_equal(load_seen_after(&s, a, test_load_seen_make(m, 3, 52), 52), 0);
	assert_int_equal(load_seen_find(&s, a, m, 52), c);
	assert_int_equal(load_seen_after(&s, a, m, 52), c);
	assert_int_equal(load_seen_after(&s, c, m, 52), 0); /* nothing followed it */
	assert_int_equal(load_seen_after(&s, a, test_load_seen_make(m, 2, 51), 51), b);
	assert_int_equal(load_seen_after(&s, a, test_load_seen_make(m, 3, 52), 52), c);
	assert_int_equal(load_seen_find(&s, a, test_load_seen_make(m, 1, 50), 50), a);
	assert_int_equal(load_seen_after(&s, a, test_load_seen_make(m, 3, 52), 52), c);
	assert_int_equal(load_seen_after(&s, a, test_load_seen_make(m, 2, 51), 51), 0);
	load_seen_fini(&s);
}

/* Columns that follow each other take no room; others are kept one by one, and there may
 * be none. */
static void
test_columns(void **state)
{
	static const uint32_t col[4] = { 5, 6, 8, 7 };
	const struct load_seen_msg *m;
	struct load_seen s;
	uint8_t o[100];
	uint32_t nr, last = 0;
	unsigned cnt;

	(void)state;
	load_seen_init(&s, VMEM_STEP);
	for (cnt = 0; cnt <= 4; cnt++) {
		nr = load_seen_add(
		    &s, last, test_load_seen_make(o, cnt, 90), 90, 1, col, cnt / 2, cnt);
		m = load_seen_get(&s, nr);
		assert_int_equal(m->cnt, cnt);
		assert_int_equal(m->gone_cnt, cnt / 2);
		assert_int_equal(m->run, cnt == 1 || cnt == 2);
		assert_memory_equal(m->col, col, (m->run ? 1 : cnt) * sizeof(*col));
		assert_int_equal(load_seen_after(&s, last, o, 90), nr);
		last = nr;
	}
	load_seen_fini(&s);
}

static void
test_bound(void **state)
{
	struct load_seen s;
	uint32_t n, i, last = 0, rest;
	uint8_t m[100];

	(void)state;
	load_seen_init(&s, VMEM_STEP);
	for (n = 0; !load_seen_full(&s); n++)
		last = test_load_seen_add(&s, last, n, 100);
	assert_true(n > VMEM_STEP / 200 && s.open == VMEM_STEP);
	for (i = 0; i < n; i++) /* the index has grown */
		assert_int_not_equal(
		    load_seen_find(&s, 0, test_load_seen_make(m, i, 100), 100), 0);
	load_seen_clear(&s);
	assert_false(load_seen_full(&s));
	assert_int_equal(load_seen_find(&s, 0, test_load_seen_make(m, 1, 100), 100), 0);
	assert_int_equal(load_seen_after(&s, 0, m, 100), 0);
	/* They were of use, and so are the next ones, until they aren't. */
	last = test_load_seen_add(&s, 0, 1, 100);
	assert_int_not_equal(last, 0);
	test_load_seen_add(&s, last, 2, 100);
	load_seen_clear(&s);
	for (rest = 0; !test_load_seen_add(&s, 0, 1, 100); rest++)
		;
	assert_int_equal(rest, 32);
	assert_int_equal(s.cnt, 1);
	load_seen_fini(&s);
}

/* The longest message of the most prefixes has room when there is room. */
static void
test_longest(void **state)
{
	static uint32_t col[MSG_MAX];
	static uint8_t m[MSG_MAX];
	struct load_seen s;
	uint32_t last = 0, n;

	(void)state;
	load_seen_init(&s, VMEM_STEP);
	for (n = 0; !load_seen_full(&s); n++)
		last = load_seen_add(&s, last, test_load_seen_make(m, n, MSG_MAX),
		    MSG_MAX, 1, col, 0, MSG_MAX);
	assert_true(n > 90);
	assert_true((size_t)s.used * 4 <= VMEM_STEP);
	load_seen_fini(&s);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_found),
	cmocka_unit_test(test_columns),
	cmocka_unit_test(test_bound),
	cmocka_unit_test(test_longest),
};

UNIT_MAIN(tests)

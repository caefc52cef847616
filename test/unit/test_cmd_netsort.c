/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting prefixes in steps, against qsort. */
#include "nest/cli/show/cmd_netsort.c"
#include "test/lib/unit.h"

#include <stdlib.h>

static uint64_t seed = 88172645463325252u;

static uint64_t
next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static struct prefix
random_prefix(enum family fam, bool narrow)
{
	unsigned max = fam == FAM_IP4 ? 32 : 128;
	struct ip_addr a = { next_random(), next_random() };

	if (fam == FAM_IP4)
		a = ip4((uint32_t)a.lo & (narrow ? 0xc0ff0000u : ~0u));
	else if (narrow)
		a.hi &= 0xff000000ffull, a.lo = 0;
	return prefix_make(a, (unsigned)(next_random() % (max + 1)), fam);
}

static int
cmp(const void *a, const void *b)
{
	return prefix_cmp(a, b);
}

static void
check_order(enum family fam, uint32_t cnt, bool narrow, uint32_t work)
{
	struct prefix *p = calloc(cnt + 1, sizeof(*p));
	struct net_sort s;

	net_sort_init(&s, fam);
	for (uint32_t i = 0; i < cnt; i++) {
		p[i] = random_prefix(fam, narrow);
		net_sort_add(&s, &p[i]);
	}
	while (!net_sort_step(&s, work))
		;
	assert_true(net_sort_step(&s, work));
	qsort(p, cnt, sizeof(*p), cmp);
	assert_int_equal(net_sort_cnt(&s), cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		struct prefix got = net_sort_get(&s, i);

		assert_true(prefix_equal(&got, &p[i]));
	}
	net_sort_fini(&s);
	free(p);
}

static void
test_order(void **state)
{
	static const uint32_t cnt[] = { 0, 1, 2, 3, 100, 1024, 1025, 5000 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cnt); i++)
		for (int f = 0; f < FAM_CNT; f++)
			for (int narrow = 0; narrow < 2; narrow++) {
				check_order((enum family)f, cnt[i], narrow, 7);
				check_order((enum family)f, cnt[i], narrow, 100000);
			}
}

static void
test_abandoned(void **state)
{
	struct net_sort s;

	(void)state;
	net_sort_init(&s, FAM_IP6);
	for (unsigned i = 0; i < 500; i++) {
		struct prefix p = random_prefix(FAM_IP6, false);

		net_sort_add(&s, &p);
	}
	assert_false(net_sort_step(&s, 700));
	net_sort_fini(&s);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_abandoned),
};

UNIT_MAIN(tests)

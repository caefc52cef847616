/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of watched addresses against a naive one: random lists of several watches,
 * set, changed and left. What else is there of watches is seen by
 * test/net/test_recursive.py and test_igp.py. */
#include "nest/rib/index/igp_watch.c"

#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define WATCHES 5

static struct ip_addr
any_addr(struct seed *s)
{
	return ip4(0x0a000000 + seed_below(s, 64));
}

static void
set_any(struct seed *s, struct igp_watcher *l, struct igp_watch *x)
{
	uint32_t cnt = seed_chance(s, 8) ? 0 : seed_below(s, 20);
	struct ip_addr *a = mem_alloc(MEM_TABLE, (cnt + 1) * sizeof(*a));

	for (uint32_t i = 0; i < cnt; i++)
		a[i] = any_addr(s);
	watch_set_addr(l, x, a, igp_watch_sort(a, cnt));
}

static bool
test_igp_watch_naive(const struct igp_watch *x, const struct prefix *p)
{
	for (uint32_t i = 0; i < x->addr_cnt; i++)
		if (prefix_has_ip(p, x->addr[i]))
			return true;
	return false;
}

static void
test_igp_watch_check(
    struct seed *s, const struct igp_watcher *l, const struct igp_watch *x)
{
	uint32_t total = 0, all = 0;

	for (unsigned i = 0; i < 20; i++) {
		struct prefix p = prefix_make(
		    any_addr(s), 24 + seed_below(s, 9), FAM_IP4);
		bool any = false;

		for (unsigned k = 0; k < WATCHES; k++) {
			assert_int_equal(igp_watch_watches(&x[k], &p),
			    test_igp_watch_naive(&x[k], &p));
			any |= test_igp_watch_naive(&x[k], &p);
		}
		assert_int_equal(watch_is_watched(l, &p), any);
	}
	for (uint32_t i = 0; i < l->addr_cnt; i++) {
		assert_true(!i || ip_cmp(l->addr[i - 1].addr, l->addr[i].addr) < 0);
		total += l->addr[i].cnt;
	}
	for (unsigned k = 0; k < WATCHES; k++)
		all += x[k].addr_cnt;
	assert_int_equal(total, all);
}

static void
test_index(void **state)
{
	struct seed s = seed_start("igp_watch");
	struct igp_watch x[WATCHES] = { 0 };
	struct igp_watcher l = { 0 };

	(void)state;
	for (uint32_t round = 0; round < seed_rounds(2000); round++) {
		struct igp_watch *one = &x[seed_below(&s, WATCHES)];

		if (seed_chance(&s, 10))
			watch_set_addr(&l, one, NULL, 0);
		else
			set_any(&s, &l, one);
		test_igp_watch_check(&s, &l, x);
	}
	for (unsigned k = 0; k < WATCHES; k++)
		watch_set_addr(&l, &x[k], NULL, 0);
	assert_int_equal(l.addr_cnt, 0);
	mem_free(MEM_TABLE, l.addr);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_index),
};

UNIT_MAIN(tests)

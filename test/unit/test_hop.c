/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hops of a route: their order, as values in an edit, and as objects in sets
 * (nest/rib/attr/hop_store.c, too). */
#include "filter/run/hop.c"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/attr/hop_store.h"
#include "test/lib/unit.h"

#define GW(n) ip4(0x0a000000 + (n))

static struct attr_store *store;
static struct arena arena;
static size_t before;

static int
test_hop_set_up(void **state)
{
	(void)state;
	rcu_join();
	before = mem_used(MEM_ATTR);
	store = attr_store_new();
	arena_init(&arena, MEM_OTHER, 4096);
	return 0;
}

/* No set is left, so no hop is. */
static int
test_hop_tear_down(void **state)
{
	(void)state;
	arena_fini(&arena);
	rcu_quiesce();
	for (unsigned i = 0; i < 3; i++)
		rcu_drain(); /* a set, its wire set, a hop */
	attr_store_free(store);
	rcu_drain();
	assert_int_equal(mem_used(MEM_ATTR), before);
	rcu_leave();
	return 0;
}

static struct hop
test_hop_make(uint32_t gw, uint32_t index, uint16_t weight)
{
	struct hop h = hop_make(gw ? GW(gw) : IP_NONE, index, index ? "eth0" : NULL);

	h.weight = weight;
	return h;
}

/* The set of a static route by @h, which others have made anew from @base. */
static struct attr_set *
test_hop_set_of(
    const struct attr_set *base, const struct hop *h, unsigned cnt, uint32_t pref)
{
	struct attr_edit e;
	struct attr_set *a;

	attr_edit_init(&e, &arena, base ? base : attr_store_empty(store));
	e.local.preference = pref;
	e.local.dest = DEST_UNICAST;
	if (h)
		assert_int_equal(hops_set(&e, h, cnt), 0);
	a = attr_store_edit(store, &e);
	assert_non_null(a);
	return a;
}

static const void *
test_hop_object(const struct attr_set *a, unsigned i)
{
	struct custom_item it;
	const void *p;

	assert_true(custom_find(a, CUSTOM_HOPS, &it));
	assert_int_equal(it.type, HOPS_INTERNED);
	assert_true((i + 1) * sizeof(p) <= it.len);
	memcpy(&p, (const uint8_t *)it.val + i * sizeof(p), sizeof(p));
	return p;
}

static void
test_order(void **state)
{
	struct hop h[] = { test_hop_make(3, 1, 1), test_hop_make(2, 2, 1),
		test_hop_make(2, 1, 1), test_hop_make(0, 9, 1), test_hop_make(2, 1, 1),
		test_hop_make(9, 1, 7), test_hop_make(2, 1, 3) };
	static const uint32_t want[][3] = { { 9, 1, 7 }, { 2, 1, 3 }, { 0, 9, 1 },
		{ 2, 1, 1 }, { 2, 2, 1 }, { 3, 1, 1 } };

	(void)state;
	h[2].onlink = 1; /* of two that are the same the first one stays */
	assert_int_equal(hops_sort(h, ARRAY_LEN(h)), ARRAY_LEN(want));
	for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
		struct hop w = test_hop_make(
		    want[i][0], want[i][1], (uint16_t)want[i][2]);

		w.onlink = i == 3;
		assert_memory_equal(&h[i], &w, sizeof(w));
	}
	assert_int_equal(hops_sort(h, 0), 0);
}

/* The same hop is one object, whichever sets have it; it goes with the last of them. */
static void
test_interned(void **state)
{
	struct hop two[] = { test_hop_make(2, 1, 5), test_hop_make(3, 0, 1) }, got;
	struct attr_set *a = test_hop_set_of(NULL, two, 2, 100),
			*b = test_hop_set_of(NULL, two, 2, 100),
			*c = test_hop_set_of(NULL, two + 1, 1, 100), *d;

	(void)state;
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, c);
	assert_ptr_equal(test_hop_object(a, 1), test_hop_object(c, 0));
	assert_ptr_not_equal(test_hop_object(a, 0), test_hop_object(a, 1));
	assert_true(hop_of(a, 0, &got));
	assert_memory_equal(&got, &two[0], sizeof(got));
	assert_true(hop_of(a, 1, &got) && !hop_of(a, 2, &got));
	/* a set made of one that has them, which then goes */
	d = test_hop_set_of(a, NULL, 0, 200);
	attr_set_unref(store, a, 2);
	attr_set_unref(store, c, 1);
	rcu_quiesce();
	rcu_drain();
	assert_true(hop_of(d, 1, &got));
	assert_memory_equal(&got, &two[1], sizeof(got));
	a = test_hop_set_of(NULL, two + 1, 1, 100);
	assert_ptr_equal(test_hop_object(a, 0), test_hop_object(d, 1));
	attr_set_unref(store, a, 1);
	attr_set_unref(store, d, 1);
}

/* An edit answers before it is a set; other attributes stand behind the hops. */
static void
test_edit(void **state)
{
	struct hop one = test_hop_make(4, 2, 1), got;
	uint32_t v = 77;
	struct custom_item it;
	struct attr_edit e;
	struct attr_set *a;
	uint64_t *custom;
	int len;

	(void)state;
	attr_edit_init(&e, &arena, attr_store_empty(store));
	e.local.dest = DEST_UNICAST;
	assert_false(hop_in(&e, 0, &got));
	assert_int_equal(attr_edit_set_custom(&e, CUSTOM_WEIGHT, 1, &v, sizeof(v)), 0);
	assert_int_equal(hop_set_iface(&e, 7, "eth7"), 0);
	assert_true(hop_in(&e, 0, &got) && got.ifindex == 7 && ip_is_none(got.gw));
	assert_int_equal(hops_set(&e, &one, 1), 0);
	assert_true(hop_in(&e, 0, &got) && !hop_in(&e, 1, &got));
	/* the values have to be interned before they are in a set */
	len = attr_edit_custom(&e, &custom);
	assert_true(len > 0 && !hops_interned(custom, (uint32_t)len));
	a = attr_store_edit(store, &e);
	assert_true(hops_interned(attr_custom(a), attr_custom_len(a)));
	assert_true(hops_interned(NULL, 0));
	assert_true(custom_find(a, CUSTOM_WEIGHT, &it));
	assert_memory_equal(it.val, &v, sizeof(v));
	assert_true(hop_of(a, 0, &got) && got.ifindex == 2);
	attr_edit_init(&e, &arena, a);
	e.local.dest = DEST_BLACKHOLE;
	assert_false(hop_in(&e, 0, &got)); /* it leads nowhere */
	e.local.dest = DEST_UNICAST;
	assert_true(hop_in(&e, 0, &got) && got.ifindex == 2);
	assert_int_equal(hops_unset(&e), 0);
	assert_false(hop_in(&e, 0, &got));
	attr_set_unref(store, a, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_order, test_hop_set_up, test_hop_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_interned, test_hop_set_up, test_hop_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_edit, test_hop_set_up, test_hop_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

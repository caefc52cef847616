/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets by next hop, against counts in plain arrays. */
#include "lib/mem/arena.h"
#include "lib/mt/rcu.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/table/hop_nets.c"
#include "filter/value/type.h"
#include "test/lib/addr.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define HOPS 5
#define NETS 300

static uint8_t model[HOPS][NETS]; /* paths */

static struct ip_addr
test_hop_of(unsigned k)
{
	return ip4(0x0a000001 + k);
}

static void
test_hop_nets_check(const struct hop_nets *x, unsigned k)
{
	uint8_t seen[NETS] = { 0 };
	struct ip_addr a[2] = { ip4(1),
		test_hop_of(k) }; /* nobody goes by the first one */
	uint32_t cnt, *id = hop_nets_get(x, &cnt, a, 2, UINT32_MAX), none;

	for (uint32_t i = 0; i < cnt; i++)
		seen[id[i]]++;
	assert_memory_equal(seen, model[k], sizeof(seen));
	mem_free(MEM_TABLE, id);
	assert_int_equal(hop_nets_has(x, a[1]), cnt != 0);
	assert_false(hop_nets_has(x, a[0]));
	if (cnt) {
		assert_null(hop_nets_get(x, &none, a, 2, cnt - 1));
		assert_int_equal(none, cnt);
	}
}

static void
test_random(void **state)
{
	struct hop_nets *x = hop_nets_new();
	struct seed s = seed_start("hop_nets");

	(void)state;
	for (unsigned i = 0; i < 40000; i++) {
		/* there are times when most comes, and times when most goes */
		bool more = seed_below(&s, 100) < (i / 4000 % 2 ? 20 : 80);
		unsigned k = seed_below(&s, HOPS), id = seed_below(&s, NETS);

		if (more && model[k][id] < 3) {
			model[k][id]++;
			hop_nets_add_one(x, test_hop_of(k), id * 77);
			hop_nets_take_one(x, test_hop_of(k), id * 77);
			hop_nets_add_one(x, test_hop_of(k), id);
		} else if (!more && model[k][id]) {
			model[k][id]--;
			hop_nets_take_one(x, test_hop_of(k), id);
		}
		if (i % 16 == 0)
			test_hop_nets_check(x, k);
	}
	for (unsigned k = 0; k < HOPS; k++)
		for (unsigned id = 0; id < NETS; id++)
			while (model[k][id] && model[k][id]--)
				hop_nets_take_one(x, test_hop_of(k), id);
	assert_int_equal(htab_cnt(&x->by_addr), 0); /* all memory has gone back */
	hop_nets_free(x);
}

/* Only sets with a looked up next hop count. */
static void
test_sets(void **state)
{
	struct attr_store *store = attr_store_new();
	struct hop_nets *x = hop_nets_new();
	struct ip_addr a = test_hop_of(3);
	struct attr_set *set;
	struct attr_edit e;
	struct arena arena;

	(void)state;
	arena_init(&arena, MEM_ATTR, 4096);
	hop_nets_count(x, attr_store_empty(store), 7, 1);
	assert_int_equal(htab_cnt(&x->by_addr), 0);
	attr_edit_init(&e, &arena, attr_store_empty(store));
	assert_int_equal(
	    attr_edit_set_custom(&e, CUSTOM_RECURSIVE, T_IP, &a, sizeof(a)), 0);
	set = attr_store_edit(store, &e);
	hop_nets_count(x, set, 7, 1);
	model[3][7]++;
	test_hop_nets_check(x, 3);
	hop_nets_free(x);
	attr_set_unref(store, set, 1);
	arena_fini(&arena);
	rcu_quiesce();
	rcu_drain();
	attr_store_free(store);
	rcu_drain();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_sets),
	};
	int rc;

	rcu_join();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_leave();
	return rc;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers by id: against an array, and the memory of blocks that are empty again. */
#include "lib/mt/id_map.h"
#include "lib/mem/mem.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define IDS 5000

static size_t before;

static int
test_id_map_set_up(void **state)
{
	(void)state;
	rcu_join();
	before = mem_used(MEM_PROTO);
	return 0;
}

static int
test_id_map_tear_down(void **state)
{
	(void)state;
	rcu_quiesce();
	rcu_drain();
	assert_int_equal(mem_used(MEM_PROTO), before);
	rcu_leave();
	return 0;
}

static void
test_model(void **state)
{
	static uint32_t num[IDS];
	struct id_map m = { 0 };
	struct seed s = { 7 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint32_t id = seed_below(&s, IDS), to = seed_below(&s, 3);

		assert_int_equal(id_map_put(&m, id, to), num[id]);
		num[id] = to;
	}
	for (uint32_t id = 0; id < IDS; id++)
		assert_int_equal(id_map_get(&m, id), num[id]);
	assert_int_equal(id_map_get(&m, UINT32_MAX), 0);
	id_map_clear(&m);
	assert_int_equal(id_map_get(&m, 1), 0);
}

static void
test_memory(void **state)
{
	struct id_map m = { 0 };
	size_t dir;

	(void)state;
	id_map_put(&m, 9, 0); /* nothing for nothing */
	assert_int_equal(mem_used(MEM_PROTO), before);
	id_map_put(&m, 100000, 1);
	id_map_put(&m, 100000, 0);
	rcu_quiesce();
	rcu_drain();
	dir = mem_used(MEM_PROTO) - before;
	assert_true(dir && dir < 100000 / ID_MAP_BLOCK * 8 + 100);
	id_map_put(&m, 70000, 5); /* four octets an id, and little else */
	for (uint32_t id = 0; id < 65536; id++)
		id_map_put(&m, id, 3);
	assert_true(mem_used(MEM_PROTO) - before - dir < 65536 * 9 / 2);
	id_map_clear(&m);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(
	    test_model, test_id_map_set_up, test_id_map_tear_down),
	cmocka_unit_test_setup_teardown(
	    test_memory, test_id_map_set_up, test_id_map_tear_down),
};

UNIT_MAIN(tests)

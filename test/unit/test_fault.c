/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures are told once an interval, place by place. */
#include "filter/run/fault.h"
#include "test/lib/unit.h"

#define SECOND 1000000000u

static void
test_interval(void **state)
{
	struct fault_gate g = { 0 };
	uint64_t now = 5 * SECOND;
	uint32_t quiet = 99;
	unsigned i;

	(void)state;
	assert_true(fault_gate_pass(&g, now, 1, &quiet));
	assert_int_equal(quiet, 0);
	for (i = 0; i < 7; i++)
		assert_false(fault_gate_pass(&g, now + i * SECOND, 1, &quiet));
	assert_false(fault_gate_pass(&g, now + FAULT_INTERVAL_NS - 1, 1, &quiet));
	now += FAULT_INTERVAL_NS;
	assert_true(fault_gate_pass(&g, now, 1, &quiet));
	assert_int_equal(quiet, 8);
	assert_false(fault_gate_pass(&g, now + 1, 1, &quiet));
	now += 10 * (uint64_t)FAULT_INTERVAL_NS;
	assert_true(fault_gate_pass(&g, now, 1, &quiet));
	assert_int_equal(quiet, 1);
}

static void
test_places(void **state)
{
	struct fault_gate g = { 0 };
	uint32_t quiet;
	uint64_t i;

	(void)state;
	/* as many as there is room for don't get into each other's way */
	for (i = 1; i <= FAULT_PLACES; i++) {
		assert_true(fault_gate_pass(&g, SECOND, i * 8, &quiet));
		assert_int_equal(quiet, 0);
		assert_false(fault_gate_pass(&g, SECOND, i * 8, &quiet));
	}
	/* more share with others */
	for (i = 100; i <= 200; i++)
		assert_false(fault_gate_pass(&g, SECOND, i, &quiet));
	/* later they take the slots of others, and count anew */
	for (i = 300; i < 300 + FAULT_PLACES; i++) {
		assert_true(fault_gate_pass(&g, SECOND + FAULT_INTERVAL_NS, i, &quiet));
		assert_int_equal(quiet, 0);
	}
	assert_false(fault_gate_pass(&g, SECOND + FAULT_INTERVAL_NS, 8, &quiet));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_interval),
	cmocka_unit_test(test_places),
};

UNIT_MAIN(tests)

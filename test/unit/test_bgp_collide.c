/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collisions as both sides see them, and error back-off. */
#include "proto/bgp/session/bgp_collide.c"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Both sides have both connections in OPENCONFIRM or get there; whoever decides, the same
 * connection survives: that opened by the higher identifier. */
static void
test_both_sides(void **state)
{
	struct bgp_speaker low = { 10, 65001 }, high = { 20, 65000 };

	(void)state;
	/* the connection opened by high, second OPEN on it, at either end */
	assert_int_equal(
	    bgp_collide(false, BGP_OPENCONFIRM, high, low), BGP_COLLIDE_OTHER);
	assert_int_equal(
	    bgp_collide(true, BGP_OPENCONFIRM, low, high), BGP_COLLIDE_OTHER);
	/* the connection opened by low */
	assert_int_equal(bgp_collide(true, BGP_OPENCONFIRM, high, low), BGP_COLLIDE_THIS);
	assert_int_equal(
	    bgp_collide(false, BGP_OPENCONFIRM, low, high), BGP_COLLIDE_THIS);
}

static void
test_same_id(void **state)
{
	struct bgp_speaker a = { 10, 65001 }, b = { 10, 65000 };

	(void)state;
	assert_int_equal(bgp_collide(false, BGP_OPENCONFIRM, a, b), BGP_COLLIDE_OTHER);
	assert_int_equal(bgp_collide(true, BGP_OPENCONFIRM, b, a), BGP_COLLIDE_OTHER);
}

static void
test_other_states(void **state)
{
	struct bgp_speaker low = { 10, 65001 }, high = { 20, 65000 };

	(void)state;
	for (int s = BGP_IDLE; s <= BGP_OPENSENT; s++) {
		assert_int_equal(bgp_collide(false, s, low, high), BGP_COLLIDE_NONE);
		assert_int_equal(bgp_collide(true, s, high, low), BGP_COLLIDE_NONE);
	}
	assert_int_equal(
	    bgp_collide(false, BGP_ESTABLISHED, high, low), BGP_COLLIDE_THIS);
	assert_int_equal(bgp_collide(true, BGP_ESTABLISHED, low, high), BGP_COLLIDE_THIS);
}

static void
test_backoff(void **state)
{
	struct bgp_backoff b = { 0 };
	uint64_t now = 1000 * NS_PER_S;
	static const uint32_t want[] = { 60, 120, 240, 300, 300 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
		assert_int_equal(bgp_backoff_next(&b, now, 60, 300, 300), want[i]);
		now += (want[i] + 5) * NS_PER_S;
	}
	now += 300 * NS_PER_S;
	assert_int_equal(bgp_backoff_next(&b, now, 60, 300, 300), 60);
	assert_int_equal(bgp_backoff_next(&b, now, 0, 0, 300), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_sides),
		cmocka_unit_test(test_same_id),
		cmocka_unit_test(test_other_states),
		cmocka_unit_test(test_backoff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

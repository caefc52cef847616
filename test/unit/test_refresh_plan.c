/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_refresh_plan checks the times of route refresh requests: hours in a moment. */
#include "nest/channel/import/refresh_plan.h"
#include "test/lib/unit.h"

#define S NS_PER_S

/* due - in seconds; -1: nothing is wanted. */
static int64_t
test_refresh_plan_due(const struct refresh_plan *p)
{
	uint64_t at = refresh_plan_due(p);

	return at == UINT64_MAX ? -1 : (int64_t)(at / S);
}

/* A session that is up anew is heard to the end first. */
static void
test_up(void **state)
{
	struct refresh_plan p;

	(void)state;
	refresh_plan_up(&p, 1000 * S);
	assert_int_equal(test_refresh_plan_due(&p), -1);
	refresh_plan_want(&p, 1001 * S);
	assert_int_equal(test_refresh_plan_due(&p), 1005);
	refresh_plan_heard(&p, 1003 * S);
	assert_int_equal(test_refresh_plan_due(&p), 1008);
	refresh_plan_end(&p);
	assert_int_equal(test_refresh_plan_due(&p), 1001); /* at once */
	refresh_plan_heard(&p, 1004 * S);
	assert_int_equal(test_refresh_plan_due(&p), 1001);
}

/* Nothing for a while is the end, too; what comes later isn't part of it. */
static void
test_quiet(void **state)
{
	struct refresh_plan p;

	(void)state;
	refresh_plan_up(&p, 1000 * S);
	refresh_plan_heard(&p, 1004 * S);
	refresh_plan_heard(&p, 1009 * S);
	refresh_plan_want(&p, 1010 * S);
	assert_int_equal(test_refresh_plan_due(&p), 1010);
}

/* Once a minute, whatever has asked before; and not while the peer sends. */
static void
test_minute(void **state)
{
	struct refresh_plan p;
	uint64_t now = 1000 * S, last = 0;
	unsigned asked = 0;

	(void)state;
	refresh_plan_up(&p, now);
	refresh_plan_end(&p);
	refresh_plan_asked(&p, 1020 * S); /* `reload in` */
	refresh_plan_want(&p, 1021 * S);
	assert_int_equal(test_refresh_plan_due(&p), 1080);
	refresh_plan_heard(&p, 1078 * S);
	assert_int_equal(
	    test_refresh_plan_due(&p), 1080); /* 58 s of silence were the end */
	refresh_plan_asked(&p, 1080 * S);
	for (uint64_t t = 1081; t < 1139; t += 4)
		refresh_plan_heard(&p, t * S);
	refresh_plan_want(&p, 1100 * S);
	assert_int_equal(test_refresh_plan_due(&p), 1142); /* it still sends at 1137 */
	/* an hour in which ROAs change each second, and the answer takes two */
	for (now = 2000 * S; now < 5600 * S; now += S) {
		refresh_plan_want(&p, now);
		if (refresh_plan_due(&p) <= now) {
			assert_true(now - last >= 60 * S);
			last = now;
			refresh_plan_asked(&p, now);
			asked++;
		} else if (now == last + 2 * S) {
			refresh_plan_end(&p);
		}
	}
	assert_int_equal(asked, 60);
}

/* The first turn that was given counts. */
static void
test_turn(void **state)
{
	struct refresh_plan p;

	(void)state;
	refresh_plan_up(&p, 1000 * S);
	refresh_plan_end(&p);
	refresh_plan_want(&p, 1009 * S);
	refresh_plan_want(&p, 1004 * S);
	refresh_plan_want(&p, 1020 * S);
	assert_int_equal(test_refresh_plan_due(&p), 1009);
}

/* One whose routes always flap is asked, too. */
static void
test_flaps(void **state)
{
	struct refresh_plan p;
	uint64_t now = 1000;

	(void)state;
	refresh_plan_up(&p, now * S);
	refresh_plan_want(&p, now * S);
	for (; test_refresh_plan_due(&p) > (int64_t)now; now++)
		refresh_plan_heard(&p, now * S);
	assert_int_equal(now, 1300);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_up),
	cmocka_unit_test(test_quiet),
	cmocka_unit_test(test_minute),
	cmocka_unit_test(test_turn),
	cmocka_unit_test(test_flaps),
};

UNIT_MAIN(tests)

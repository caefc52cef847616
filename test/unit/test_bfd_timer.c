/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_bfd_timer checks the times of BFD packets: as RFC 5880, 6.8.7 allows, and
 * together. */
#include "proto/bfd/bfd_timer.c"

#include "test/lib/unit.h"

#define DRAWS 3000

static const uint32_t interval_us[] = { 1, 7, 50, 1000, 3300, 10000, 50000, 100000,
	300000, 1000000, 60000000, UINT32_MAX };

static void
test_bfd_timer_within(struct bfd_session *s, uint64_t ns, uint64_t most)
{
	uint64_t slot = timer_slot_ns(ns), low = UINT64_MAX, high = 0;

	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t wait;

		s->tx_ns = 77 * NS_PER_S + bfd_random(s->b);
		wait = timer_next_slot(s) - s->tx_ns;
		assert_int_equal((s->tx_ns + wait) % slot, 0);
		assert_in_range(wait, ns - ns / 4, most);
		low = min_u64(low, wait);
		high = max_u64(high, wait);
	}
	/* all of it is used, but for what a slot takes on either side */
	assert_in_range(low, 0, ns - ns / 4 + 2 * slot + ns / 100);
	assert_in_range(high, most - 2 * slot - ns / 100, most);
}

static void
test_jitter(void **state)
{
	struct bfd_proto b = { .random = 7 };
	struct bfd_session s = { .b = &b };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(interval_us); i++) {
		uint64_t ns = interval_us[i] * NS_PER_US;

		s.rate.tx_act_us = interval_us[i];
		s.opts.mult = 3;
		test_bfd_timer_within(&s, ns, ns);
		s.opts.mult = 1;
		test_bfd_timer_within(&s, ns, ns - ns / 10);
	}
}

static void
test_together(void **state)
{
	struct bfd_proto b = { .random = 7 };
	struct bfd_session s = { .b = &b, .rate.tx_act_us = 100000, .opts.mult = 3 };
	uint64_t seen[32], cnt = 0;

	(void)state;
	s.tx_ns = 99 * NS_PER_S;
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t at = timer_next_slot(&s), k = 0;

		while (k < cnt && seen[k] != at)
			k++;
		if (k < cnt)
			continue;
		assert_in_range(cnt, 0, ARRAY_LEN(seen) - 1);
		seen[cnt++] = at;
	}
	/* a thousand sessions at 100 ms need 240 turns a second, no more */
	assert_in_range(cnt, 4, 7);
	/* slots of a short interval meet those of a long one */
	for (uint64_t ns = 1; ns < 10 * NS_PER_S; ns *= 3)
		assert_int_equal(timer_slot_ns(10 * NS_PER_S) % timer_slot_ns(ns), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

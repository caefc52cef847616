/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that a limit keeps back, against an array. */
#include "nest/channel/import/kept_set.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define IDS 5000

static void
test_model(void **state)
{
	static bool in[IDS];
	struct kept_set k = { 0 };
	struct seed s = seed_start("test_kept_set");
	uint32_t cnt = 0;

	(void)state;
	rcu_join();
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t id = seed_below(&s, 1 + seed_below(&s, IDS)), run;

		run = 1 + seed_below(&s, 70);
		if (seed_below(&s, 3)) {
			kept_set_put(&k, id);
			in[id] = true;
		} else {
			kept_set_drop(&k, id, run);
			memset(in + id, 0, id + run < IDS ? run : IDS - id);
		}
		if (!seed_below(&s, 2000)) {
			kept_set_clear(&k);
			memset(in, 0, sizeof(in));
		}
		if (round % 500)
			continue;
		cnt = 0;
		for (uint32_t i = 0; i < IDS; i++) {
			assert_int_equal(kept_set_has(&k, i), in[i]);
			cnt += in[i];
		}
		assert_int_equal(k.cnt, cnt);
	}
	assert_false(kept_set_has(&k, UINT32_MAX));
	kept_set_fini(&k);
	rcu_leave();
	rcu_drain();
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_model) };

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adj-RIB-Out: counts follow the bits, by ranges and against a naive model. */
#include "proto/bgp/out/adj_out.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define NETS 700

static void
test_ranges(void **state)
{
	struct adj_out a;

	(void)state;
	adj_out_init(&a);
	adj_out_gone(&a, 0, 100); /* of nothing */
	adj_out_sent(&a, 0, 20);
	assert_int_equal(a.out_cnt, 20);
	adj_out_sent(&a, 0, 20); /* again */
	assert_int_equal(a.out_cnt, 20);
	adj_out_gone(&a, 15, 10);
	assert_int_equal(a.out_cnt, 15);
	adj_out_clear(&a);
	assert_int_equal(a.out_cnt, 0);
	assert_false(bitmap_test(&a.out, 0));
	adj_out_fini(&a);
}

static void
test_model(void **state)
{
	struct seed s = { 5 };
	struct adj_out a;
	bool out[NETS] = { false };

	(void)state;
	adj_out_init(&a);
	for (int i = 0; i < 3000; i++) {
		uint32_t from = seed_below(&s, NETS),
			 cnt = seed_below(&s, NETS - from + 1), outs = 0;
		bool gone = seed_below(&s, 2);

		if (gone)
			adj_out_gone(&a, from, cnt);
		else
			adj_out_sent(&a, from, cnt);
		for (uint32_t k = from; k < from + cnt; k++)
			out[k] = !gone;
		for (uint32_t k = 0; k < NETS; k++)
			outs += out[k];
		assert_int_equal(a.out_cnt, outs);
	}
	for (uint32_t k = 0; k < NETS; k++)
		assert_int_equal(bitmap_test(&a.out, k), out[k]);
	adj_out_fini(&a);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ranges),
	cmocka_unit_test(test_model),
};

UNIT_MAIN(tests)

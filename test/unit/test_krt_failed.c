/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures are seen when they are published, and no sooner. */
#include "proto/kernel/krt_failed.c"
#include "test/lib/unit.h"

static void
test_list(void **state)
{
	struct krt_failed f = { .why = NULL };

	(void)state;
	rcu_join();
	krt_failed_note(&f, 7, REASON_NONE);
	krt_failed_publish(&f, NULL);
	assert_int_equal(krt_failed_get(&f, 7), REASON_NONE);
	for (uint32_t id = 1; id < 2000; id += 3)
		krt_failed_note(&f, id, REASON_KERNEL_REFUSED);
	krt_failed_note(&f, 4, REASON_KERNEL_TAKEN);
	assert_int_equal(krt_failed_get(&f, 1), REASON_NONE);
	krt_failed_publish(&f, NULL);
	for (uint32_t id = 0; id < 2100; id++) {
		bool failed = id < 2000 && id % 3 == 1;

		assert_int_equal(krt_failed_is(&f, id), failed);
		assert_int_equal(krt_failed_get(&f, id), !failed ? REASON_NONE
							 : id == 4
							     ? REASON_KERNEL_TAKEN
							     : REASON_KERNEL_REFUSED);
	}
	/* tried again, in vain: no reader sees a gap */
	krt_failed_note(&f, 4, REASON_NONE);
	assert_int_equal(krt_failed_get(&f, 4), REASON_KERNEL_TAKEN);
	krt_failed_note(&f, 4, REASON_KERNEL_REFUSED);
	krt_failed_publish(&f, NULL);
	assert_int_equal(krt_failed_get(&f, 4), REASON_KERNEL_REFUSED);
	for (uint32_t id = 0; id < 2000; id++)
		krt_failed_note(&f, id, REASON_NONE);
	krt_failed_publish(&f, NULL);
	assert_null(load_relaxed_ptr(&f.list));
	krt_failed_fini(&f);
	rcu_quiesce();
	rcu_drain();
	rcu_leave();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_list) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

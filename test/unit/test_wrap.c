/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that wrap: where they begin, and how they are compared. */
#include "lib/base/wrap.h"
#include "test/lib/unit.h"
#include <stdlib.h>

static void
test_start(void **state)
{
	const char *was = getenv("TERN_WRAP");
	char *keep = was ? strdup(was) : NULL;

	(void)state;
	unsetenv("TERN_WRAP");
	assert_int_equal(wrap_start(1, 32), 1);
	setenv("TERN_WRAP", "1000", 1);
#ifdef TERN_DEBUG
	assert_int_equal(wrap_start(1, 32), 0xfffffc18);
	assert_int_equal(wrap_start(0, 14), 16384 - 1000);
	assert_int_equal(wrap_start(7, 8), 7); /* it has no 1,000 steps */
#else
	assert_int_equal(wrap_start(1, 32), 1);
#endif
	if (keep)
		setenv("TERN_WRAP", keep, 1);
	else
		unsetenv("TERN_WRAP");
	free(keep);
}

static void
test_serial(void **state)
{
	(void)state;
	assert_int_equal(serial_next(1), 2);
	assert_int_equal(serial_next(UINT32_MAX), 1); /* 0 is no number */
	assert_true(serial_after(2, 1));
	assert_false(serial_after(1, 1));
	assert_true(serial_after(1, UINT32_MAX));
	assert_false(serial_after(UINT32_MAX, 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_start),
		cmocka_unit_test(test_serial) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

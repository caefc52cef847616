/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times among the arguments of commands. */
#include "nest/cli/cmd_time.h"
#include "test/lib/unit.h"

#include <string.h>
#include <time.h>

#define NOW 1795999715 /* 2026-11-30 00:48:35 UTC */

static void
test_cmd_time_is(const char *text, int64_t want)
{
	int64_t s;

	assert_int_equal(cmd_time_scan(&s, text, NOW), strcspn(text, "\t"));
	assert_int_equal(s, want);
}

static void
test_cmd_time_local(void **state)
{
	(void)state;
	test_cmd_time_is("2026-11-30T00:48:35", NOW);
	test_cmd_time_is("2026-11-30 00:48:35", NOW);
	test_cmd_time_is("2026-11-30T00:48", NOW - 35);
	test_cmd_time_is("2026-11-30", NOW - 35 - 48 * 60);
	test_cmd_time_is("1970-01-01", 0);
	/* the last time of this name */
	test_cmd_time_is("00:48:35", NOW);
	test_cmd_time_is("00:48:36", NOW + 1 - 86400);
	test_cmd_time_is("00:00", NOW - 35 - 48 * 60);
	test_cmd_time_is("23:59", NOW - 35 - 49 * 60);
}

static void
test_cmd_time_unix(void **state)
{
	int64_t s;

	(void)state;
	test_cmd_time_is("0", 0);
	test_cmd_time_is("1795999715", NOW);
	test_cmd_time_is("1795999715\tp1", NOW);
	assert_int_equal(cmd_time_scan(&s, "2026-11-30 p1", NOW), 10);
	assert_int_equal(cmd_time_scan(&s, "03:00 until 04:00", NOW), 5);
}

static void
test_cmd_time_wrong(void **state)
{
	static const char *const wrong[] = { "", " ", "x", "-1", "3:00", "03:0", "03:00x",
		"24:00", "03:60", "03:00:60", "03:00:5", "2026-13-01", "2026-00-01",
		"2026-01-00", "2026-01-32", "2026-1-1", "1969-12-31", "2026-11-30T",
		"2026-11-30T3", "2026-11-30T03:00Z", "12345678901", "12p", "0x10" };
	int64_t s;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (cmd_time_scan(&s, wrong[i], NOW))
			fail_msg("'%s' is a time", wrong[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cmd_time_local),
		cmocka_unit_test(test_cmd_time_unix),
		cmocka_unit_test(test_cmd_time_wrong),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times in requests to ternhttp. */
#include "client/http/job/when.h"
#include "test/lib/unit.h"

#include <string.h>

#define NOW 1795999715 /* 2026-11-30 00:48:35 UTC */

static void
test_when_is(const char *text, uint64_t want)
{
	uint64_t s = 0;

	if (!when_scan(&s, text, NOW) || s != want)
		fail_msg("'%s' is %llu", text, (unsigned long long)s);
}

static void
test_when_times(void **state)
{
	(void)state;
	test_when_is("0", 0);
	test_when_is("1795999715", NOW);
	test_when_is("2026-11-30", NOW - 35 - 48 * 60);
	test_when_is("2026-11-30T00:48", NOW - 35);
	test_when_is("2026-11-30T00:48:35", NOW);
	test_when_is("2026-11-30T00:48:35Z", NOW);
	test_when_is("2026-11-30 00:48:35", NOW);
	test_when_is("00:48:35", NOW);
	test_when_is("00:48:36", NOW + 1 - 86400);
	test_when_is("23:59", NOW - 35 - 49 * 60);
	test_when_is("15m", NOW - 15 * 60);
	test_when_is("1h", NOW - 3600);
	test_when_is("2d", NOW - 2 * 86400);
	test_when_is("100000d", 0);
}

static void
test_when_wrong(void **state)
{
	static const char *const wrong[] = { "", "x", "-1", "+1", "0x10", "4294967296",
		"99999999999999999999", "3:00", "24:00", "03:60", "03:00:60",
		"03:00+01:00", "1969-12-31", "2026-13-01", "2026-00-01", "2026-01-00",
		"2026-01-32", "9999-01-01", "2026-11-30T", "2026-11-30x", "2026-1-1", "m",
		"1x", "1hh", "100001m", "99999999h", "now" };
	uint64_t s;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (when_scan(&s, wrong[i], NOW))
			fail_msg("'%s' is a time", wrong[i]);
}

static void
test_when_requests(void **state)
{
	struct request r;
	char text[ASK_TEXT_MAX];

	(void)state;
	assert_int_equal(request_parse(&r, "/v1/diff?since=1h&until=15m&as=65001"), 200);
	assert_null(when_args(&r.args, &r, NOW));
	assert_true(ask_text(text, ASK_DIFF, &r.args));
	assert_string_equal(
	    text, "json show diff since 1795996115 until 1795998815 65001");
	assert_int_equal(request_parse(&r, "/changes?since=&until=&as="), 200);
	assert_null(when_args(&r.args, &r, NOW));
	assert_true(ask_text(text, ASK_DIFF, &r.args));
	assert_string_equal(text, "json show diff since 1795996115");
	assert_int_equal(request_parse(&r, "/v1/diff"), 400);
	assert_int_equal(request_parse(&r, "/v1/diff?since=1h&as=x"), 400);
	assert_int_equal(request_parse(&r, "/v1/members?since=1h"), 400);
	assert_int_equal(request_parse(&r, "/v1/events?until=1h"), 400);
	assert_int_equal(request_parse(&r, "/v1/diff?since=03:00%20all"), 200);
	assert_non_null(when_args(&r.args, &r, NOW));
	assert_int_equal(request_parse(&r, "/v1/diff?since=1h&until=x"), 200);
	assert_non_null(when_args(&r.args, &r, NOW));
	assert_int_equal(request_parse(&r, "/v1/diff?since=1h&until=2h"), 200);
	assert_non_null(when_args(&r.args, &r, NOW));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_when_times),
		cmocka_unit_test(test_when_wrong),
		cmocka_unit_test(test_when_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

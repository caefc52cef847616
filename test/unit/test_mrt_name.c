/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of files with dumps. */
#include "nest/mrt/mrt_name.h"
#include "test/lib/unit.h"
#include <string.h>
#include <time.h>

static void
test_mrt_name_is(const char *format, const char *table, const char *want)
{
	struct strbuf b;

	strbuf_init(&b);
	mrt_name(&b, format, table, 86400);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_names(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	test_mrt_name_is("/x/%N-%Y%m%d.mrt", "master4", "/x/master4-19700102.mrt");
	test_mrt_name_is("plain", "t", "plain");
	test_mrt_name_is("", "t", "");
	test_mrt_name_is("%N", "t", "t");
	test_mrt_name_is(
	    "%N%N", "%Y", "%Y%Y"); /* what a table is called isn't looked at */
	test_mrt_name_is("%%N%%%N%", "a", "%N%a%");
	test_mrt_name_is("%N/x", "../etc", ".._etc/x");
	test_mrt_name_is("%p%Z%N", "t", "AMUTCt");
}

/* What strftime makes of it is much longer. */
static void
test_long(void **state)
{
	char format[201], want[2401];

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		memcpy(format + 2 * i, "%c", 3);
		memcpy(want + 24 * i, "Fri Jan  2 00:00:00 1970", 25);
	}
	test_mrt_name_is(format, "t", want);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_long),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of errors. */
#include "lib/wire/bgp/bgp_err.c"
#include "test/lib/unit.h"

static void
test_texts(void **state)
{
	(void)state;
	assert_string_equal(bgp_err_text(2, 2), "Bad peer AS");
	assert_string_equal(bgp_err_text(4, 0), "Hold timer expired");
	assert_string_equal(bgp_err_text(6, 2), "Administrative shutdown");
	assert_string_equal(bgp_err_text(6, 99), "Cease");
	assert_string_equal(bgp_err_text(2, 0), "Invalid OPEN message");
	assert_string_equal(bgp_err_text(0, 0), "Unknown error");
	assert_string_equal(bgp_err_text(99, 1), "Unknown error");
	for (unsigned code = 0; code < 256; code++)
		for (unsigned sub = 0; sub < 256; sub++)
			assert_non_null(bgp_err_text(code, sub));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_texts),
};

UNIT_MAIN(tests)

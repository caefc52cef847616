/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of daemons and their paths. */
#include "lib/base/named.h"
#include "test/lib/unit.h"

static void
test_names(void **state)
{
	static const char *const good[] = { "a", "rs1", "rs1-v4", "rs_2.v6", "0",
		"12345678901234567890123456789012" };
	static const char *const bad[] = { "", ".", "..", "-n", "a/b", "/", "a b", "a%n",
		"_a", "r\xc3\xb6", "123456789012345678901234567890123" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(good); i++)
		assert_true(named_ok(good[i]));
	for (unsigned i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(named_ok(bad[i]));
}

static void
test_paths(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	named_conf(&b, "v4");
	assert_non_null(strstr(b.s, "/v4.conf"));
	assert_int_equal(b.s[0], '/');
	strbuf_reset(&b);
	named_socket(&b, "v4");
	assert_non_null(strstr(b.s, "/tern-v4/tern.ctl"));
	strbuf_reset(&b);
	named_pid(&b, "v4");
	assert_non_null(strstr(b.s, "/tern-v4/tern.pid"));
	strbuf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

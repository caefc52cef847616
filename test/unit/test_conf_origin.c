/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of prefixes with origins: entries, and the place of each error. */
#include "nest/conf/file/conf_origin.c"
#include "lib/base/strbuf.h"
#include "test/lib/unit.h"

static struct arena arena;

static void
test_origin_is(const char *text, const char *set)
{
	const struct fset *s;
	struct strbuf b;
	struct diag d;

	diag_init(&d);
	s = origin_parse(&arena, "list", text, strlen(text), &d);
	if (!s)
		fail_msg("'%s': %s", text, d.errors.s);
	strbuf_init(&b);
	fset_print(&b, s);
	assert_string_equal(b.s, set);
	strbuf_fini(&b);
	diag_fini(&d);
}

static void
test_origin_wrong(const char *text, const char *error)
{
	struct diag d;

	diag_init(&d);
	assert_null(origin_parse(&arena, "list", text, strlen(text), &d));
	assert_int_equal(d.error_cnt, 1);
	if (strncmp(d.errors.s, error, strlen(error)) != 0)
		fail_msg("'%s' in place of '%s'", d.errors.s, error);
	diag_fini(&d);
}

static void
test_entries(void **state)
{
	(void)state;
	test_origin_is("", "[]");
	test_origin_is("# nothing\n\n  \r\n", "[]");
	test_origin_is("192.0.2.0/24 64500\n", "[192.0.2.0/24 as 64500]");
	test_origin_is("  192.0.2.0/23{23, 24}\tAS4294967295 # x\r\n"
		       "#\n10.0.0.0/8+ as0\n2001:db8::/32{40,48} 1\n192.0.2.0/23{23,24} "
		       "4294967295\n  ",
	    "[10.0.0.0/8+ as 0, 192.0.2.0/23{23,24} as 4294967295, "
	    "2001:db8::/32{40,48} as 1]");
	test_origin_is("10.0.0.0/8{8,8} 1\n# the end", "[10.0.0.0/8 as 1]");
}

static void
test_wrong(void **state)
{
	(void)state;
	test_origin_wrong("192.0.2.0 1\n", "list:1:1 expected a prefix without bits");
	test_origin_wrong("\n192.0.2.1/24 1\n", "list:2:1 expected a prefix without");
	test_origin_wrong("10.0.0.0/33 1\n", "list:1:1 expected a prefix without");
	test_origin_wrong(
	    "10.0.0.0/8 1\n10.0.0.0/8\n", "list:2:11 expected a blank and the number");
	test_origin_wrong("10.0.0.0/8- 1\n", "list:1:11 expected a blank and the number");
	test_origin_wrong("10.0.0.0/8{7,9} 1\n", "list:1:11 expected {FROM,TO}");
	test_origin_wrong("10.0.0.0/8{9} 1\n", "list:1:11 expected {FROM,TO}");
	test_origin_wrong("10.0.0.0/8{9,33} 1\n", "list:1:11 expected {FROM,TO}");
	test_origin_wrong("10.0.0.0/8{10,9} 1\n", "list:1:11 expected {FROM,TO}");
	test_origin_wrong(
	    "10.0.0.0/8 4294967296\n", "list:1:12 expected the number of an AS");
	test_origin_wrong("10.0.0.0/8 ASX\n", "list:1:12 expected the number of an AS");
	test_origin_wrong("10.0.0.0/8 1 2\n", "list:1:14 expected the end of the line");
	test_origin_wrong("10.0.0.0/8 1,\n", "list:1:13 expected the end of the line");
	test_origin_wrong("10.0.0.0/8 1\n10.0.0.0/8 12",
	    "list:2:14 expected a line end: the file may be cut off");
}

static int
test_conf_origin_set_up(void **state)
{
	(void)state;
	arena_init(&arena, MEM_OTHER, 4096);
	return 0;
}

static int
test_conf_origin_tear_down(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(
	    tests, test_conf_origin_set_up, test_conf_origin_tear_down);
}

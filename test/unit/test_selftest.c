/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Self-tests of a configuration: what is run, what is told of it, and that a daemon's
 * filters aren't concerned. */
#include "nest/daemon/selftest.c"

#include "test/lib/filter_run.h"
#include "test/lib/unit.h"

/* Run the suites of @text and compare what is told. */
static void
check_suites(const char *text, unsigned failed, const char *want)
{
	struct selftest_result res;
	struct filter_rig g;
	struct strbuf out;

	filter_rig_init(&g);
	strbuf_init(&out);
	assert_true(filter_rig_config(&g, text));
	selftest_run(g.cfg, &out, &res);
	assert_string_equal(out.s, want);
	assert_int_equal(res.failed, failed);
	strbuf_fini(&out);
	filter_rig_fini(&g);
}

static void
test_results(void **state)
{
	(void)state;
	check_suites("", 0, CONF_TEXT ": no test suites\n");
	check_suites("function f() { bt_assert(1 = 1); bt_assert(2 > 1); }\n"
		     "bt_test_suite(f, \"numbers\");",
	    0,
	    "passed  numbers (2 assertions)\n"
	    "1 suite: 1 passed, 0 failed; 2 assertions\n");
	/* what stands behind a false one is looked at, too */
	check_suites("function f() {\n bt_assert(1 = 2);\n bt_assert(2 = 2);\n"
		     " print \"a \", 5;\n bt_assert(3 = 2); }\n"
		     "bt_test_suite(f, \"x\");",
	    1,
	    "FAILED  x (3 assertions)\n"
	    "        " CONF_TEXT ":2: bt_assert(1 = 2)\n"
	    "        a 5\n"
	    "        " CONF_TEXT ":5: bt_assert(3 = 2)\n"
	    "1 suite: 0 passed, 1 failed; 3 assertions\n");
	/* also in a function that the suite calls, and its result counts */
	check_suites("function g(int x) {\n bt_assert(x = 2); return x = 2; }\n"
		     "function f()\n { return g(2) && g(3); }\n"
		     "bt_test_suite(f, \"x\");",
	    1,
	    "FAILED  x (2 assertions)\n"
	    "        " CONF_TEXT ":2: bt_assert(x = 2)\n"
	    "        " CONF_TEXT ":4: the function returns FALSE\n"
	    "1 suite: 0 passed, 1 failed; 2 assertions\n");
}

static void
test_ends(void **state)
{
	(void)state;
	check_suites("function a() { accept; }\nfunction r() {\n reject \"no\"; }\n"
		     "function e() { error \"bad \", 1; }\n"
		     "function d(int x) { return 1 / x; }\n"
		     "function z() { bt_assert(d(0) = 1); }\n"
		     "function v() { return 7; }\n"
		     "bt_test_suite(a, \"a\"); bt_test_suite(r, \"r\");\n"
		     "bt_test_suite(e, \"e\"); bt_test_suite(d, \"d\");\n"
		     "bt_test_suite(z, \"z\"); bt_test_suite(v, \"v\");",
	    5,
	    "FAILED  a (0 assertions)\n        " CONF_TEXT ":1: ended by accept\n"
	    "FAILED  r (0 assertions)\n        no\n        " CONF_TEXT
	    ":3: ended by reject\n"
	    "FAILED  e (0 assertions)\n        " CONF_TEXT ":4: bad 1\n"
	    "FAILED  d (0 assertions)\n        " CONF_TEXT ":9: 'd' takes arguments\n"
	    "FAILED  z (0 assertions)\n        " CONF_TEXT ":5: division by zero\n"
	    "passed  v (0 assertions)\n"
	    "6 suites: 1 passed, 5 failed; 0 assertions\n");
}

static void
test_same(void **state)
{
	(void)state;
	check_suites(
	    "filter a { if net.len > 24 then reject; accept; }\n"
	    "define long = 24;\n"
	    "filter b { # the same\n  if net.len > long then { reject; } accept; }\n"
	    "filter c { if net.len > 25 then reject; accept; }\n"
	    "function f(int x) { return x; }\nfunction g(int y) { return y; }\n"
	    "function h(ip y) { return y; }\n"
	    "bt_test_same(a, b, true); bt_test_same(a, c, 0);\n"
	    "bt_test_same(f, g, 1); bt_test_same(g, h, false);\n"
	    "bt_test_same(a, b, 0);\nbt_test_same(a, c, true);",
	    2,
	    "passed  a and b are equal\n"
	    "passed  a and c differ\n"
	    "passed  f and g are equal\n"
	    "passed  g and h differ\n"
	    "FAILED  a and b differ\n        " CONF_TEXT ":11: both are equal\n"
	    "FAILED  a and c are equal\n        " CONF_TEXT ":12: both differ\n"
	    "6 suites: 4 passed, 2 failed; 0 assertions\n");
}

/* The expression is told as it stands in the file, on one line. */
static void
test_text(void **state)
{
	(void)state;
	check_suites("function f() {\n"
		     "  bt_assert( 1 =   2 # why\n\t&& \"a # b\" = \"/* c\" /* d */ );\n"
		     "  bt_assert((1 = 2)); bt_assert(false)\n;}\n"
		     "bt_test_suite(f, \"x\");",
	    1,
	    "FAILED  x (3 assertions)\n"
	    "        " CONF_TEXT ":2: bt_assert(1 = 2 && \"a # b\" = \"/* c\")\n"
	    "        " CONF_TEXT ":4: bt_assert((1 = 2))\n"
	    "        " CONF_TEXT ":4: bt_assert(false)\n"
	    "1 suite: 0 passed, 1 failed; 3 assertions\n");
}

/* Each suite has a route of its own without attributes. */
static void
test_route(void **state)
{
	(void)state;
	check_suites(
	    "function long() { return bgp_path.len > 1; }\n"
	    "function f() {\n"
	    " bt_assert(bgp_path = +empty+ && !defined(bgp_med) && source = RTS_BGP);\n"
	    " bgp_path.prepend(1); bgp_path.prepend(2); bgp_med = 5;\n"
	    " bt_assert(long() && bgp_path.first = 2 && bgp_med = 5); }\n"
	    "function g() { bt_assert(!long() && !defined(bgp_med)); }\n"
	    "bt_test_suite(f, \"f\"); bt_test_suite(g, \"g\");",
	    0,
	    "passed  f (2 assertions)\n"
	    "passed  g (1 assertion)\n"
	    "2 suites: 2 passed, 0 failed; 3 assertions\n");
}

/* Whole filters, on routes that the suite makes. */
static void
test_filters(void **state)
{
	(void)state;
	check_suites(
	    "filter in_ { if net ~ [10.0.0.0/8+] || bgp_path.len > 2 then reject;\n"
	    " if from = 192.0.2.1 && proto = \"p\" then bgp_med = 7; accept; }\n"
	    "filter bad { if 1 / bgp_path.len = 1 then accept; reject; }\n"
	    "filter ring { if bt_accepts(\"in_\") then accept; }\n"
	    "function f() {\n"
	    " bt_route(10.1.0.0/16); bt_assert(net = 10.1.0.0/16);\n"
	    " bt_assert(!bt_accepts(\"in_\"));\n"
	    " bt_route(11.1.0.0/16, \"p\", 192.0.2.1); bgp_path.prepend(1);\n"
	    " bt_assert(bt_accepts(\"in_\") && bgp_med = 7);\n"
	    " bt_route(2001:db8::/32); bt_assert(!defined(bgp_med));\n"
	    " bgp_path.prepend(1); bgp_path.prepend(2); bt_assert(bt_accepts(\"in_\"));\n"
	    " bgp_path.prepend(3); bt_assert(!bt_accepts(\"in_\")); }\n"
	    "function g() { bt_assert(!bt_accepts(\"bad\"));\n"
	    " bt_assert(!bt_accepts(\"bad\")); }\n"
	    "function h() { bt_accepts(\"nobody\"); }\n"
	    "function i() { bt_accepts(\"ring\"); }\n"
	    "bt_test_suite(f, \"f\"); bt_test_suite(g, \"g\"); bt_test_suite(h, \"h\");\n"
	    "bt_test_suite(i, \"i\");",
	    3,
	    "passed  f (6 assertions)\n"
	    "FAILED  g (2 assertions)\n"
	    "        filter bad: division by zero at " CONF_TEXT ":3, route 0.0.0.0/0\n"
	    "        filter bad: division by zero at " CONF_TEXT ":3, route 0.0.0.0/0\n"
	    "FAILED  h (0 assertions)\n"
	    "        " CONF_TEXT
	    ":15: no such filter, or the filter calls bt_accepts() itself\n"
	    "FAILED  i (0 assertions)\n"
	    "        filter ring: no such filter, or the filter calls bt_accepts() "
	    "itself at " CONF_TEXT ":4, route 0.0.0.0/0\n"
	    "4 suites: 1 passed, 3 failed; 8 assertions\n");
}

/* Without a self-test an assertion that is false is an error of the run, one that is true
 * is nothing. */
static void
test_live(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(
	    filter_rig_config(&g, "filter t { bt_assert(1 = 1); accept; }\n"
				  "filter f { bt_assert(net.len < 9); accept; }\n"
				  "filter r { bt_route(10.0.0.0/8); accept; }\n"));
	assert_int_equal(filter_rig_run(&g, "t"), FILTER_ACCEPT);
	assert_string_equal(g.log.s, "");
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_REJECT);
	assert_string_equal(g.log.s,
	    "filter f: an assertion is false at " CONF_TEXT ":2, route 203.0.113.0/24\n");
	assert_int_equal(filter_rig_run(&g, "r"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "the function works in self-tests only"));
	filter_rig_fini(&g);
}

static void
test_names(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	g.quiet = true;
	assert_false(filter_rig_config(&g, "bt_test_suite(nobody, \"x\");"));
	assert_false(filter_rig_config(&g, "filter f { accept; }\n"
					   "function g() { return 1; }\n"
					   "bt_test_same(f, g, true);"));
	assert_false(filter_rig_config(&g, "bt_test_same(master4, master4, true);"));
	filter_rig_fini(&g);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_results),
	cmocka_unit_test(test_ends),
	cmocka_unit_test(test_same),
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_route),
	cmocka_unit_test(test_filters),
	cmocka_unit_test(test_live),
	cmocka_unit_test(test_names),
};

UNIT_MAIN(tests)

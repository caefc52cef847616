/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_bare checks which filters have a verdict for routes without communities. prop_know
 * shows that the verdict holds. */
#include "filter/run/bare.c"
#include "lib/attr/community.h"
#include "test/lib/filter_run.h"
#include "test/lib/unit.h"

static const char text[] =
    "function goes_to(int peer) {\n"
    "  if (9, 0, peer) ~ bgp_large_community then return false;\n"
    "  return ! ((9, 0, 0) ~ bgp_large_community); }\n"
    "filter f_no { if (9, 0, 5) ~ bgp_large_community then reject; accept; }\n"
    "filter f_two { if (9, 5) ~ bgp_community || (rt, 9, 5) ~ bgp_ext_community\n"
    "  then bgp_path.prepend(9); accept; }\n"
    "filter f_only { if (9, 5) ~ bgp_community then accept; reject; }\n"
    "filter f_vars { int i = 3; if (9, 5) ~ bgp_community then i = 4;\n"
    "  if i = 3 then accept; reject; }\n"
    "filter f_path { if (9, 5) ~ bgp_community then accept;\n"
    "  if bgp_path.len > 5 then reject; accept; }\n"
    "filter f_sets { if (9, 5) ~ bgp_community then accept; bgp_med = 5; accept; }\n"
    "filter f_says { print \"x\"; accept; }\n"
    "filter f_calls { if goes_to(5) then accept; reject; }\n"
    "filter f_any { if bgp_community ~ [(9, 1..5)] then reject; accept; }\n"
    "filter f_origin { if (9, 5) ~ bgp_community then accept;\n"
    "  if bgp_origin = ORIGIN_IGP then accept; reject; }\n"
    "filter f_all { accept; }\nfilter f_none { reject; }\n";

static void
test_bare_known(const struct filter_rig *g, const char *name, enum filter_verdict want,
    uint8_t want_lists)
{
	uint8_t lists;
	enum filter_verdict v;

	assert_true(filter_bare(sym_find(g->cfg->symbols, name)->filter, &v, &lists));
	assert_int_equal(v, want);
	assert_int_equal(lists, want_lists);
}

static void
test_bare_unknown(const struct filter_rig *g, const char *name)
{
	uint8_t lists;
	enum filter_verdict v;

	assert_false(filter_bare(sym_find(g->cfg->symbols, name)->filter, &v, &lists));
}

static void
test_bare(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, text));
	test_bare_known(&g, "f_no", FILTER_ACCEPT, 1 << COMM_LARGE);
	test_bare_known(&g, "f_two", FILTER_ACCEPT, 1 << COMM_STD | 1 << COMM_EXT);
	test_bare_known(&g, "f_only", FILTER_REJECT, 1 << COMM_STD);
	test_bare_known(&g, "f_vars", FILTER_ACCEPT, 1 << COMM_STD);
	test_bare_known(&g, "f_calls", FILTER_ACCEPT, 1 << COMM_LARGE);
	test_bare_known(&g, "f_any", FILTER_ACCEPT, 1 << COMM_STD);
	test_bare_known(&g, "f_all", FILTER_ACCEPT, 0);
	test_bare_known(&g, "f_none", FILTER_REJECT, 0);
	test_bare_unknown(&g, "f_path");
	test_bare_unknown(&g, "f_sets");
	test_bare_unknown(&g, "f_says");
	test_bare_unknown(&g, "f_origin");
	filter_rig_fini(&g);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bare),
};

UNIT_MAIN(tests)

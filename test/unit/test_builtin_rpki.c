/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roa_check: answers, what a run is noted to have read, and which tables a filter is known to ask. */
#include "filter/builtin_rpki.c"
#include "lib/mt/rcu.h"
#include "nest/config.h"
#include "test/lib/filter_run.h"
#include "test/lib/unit.h"

static const char text[] =
    "roa4 table r4; roa6 table r6; roa4 table other;\n"
    "function ask(prefix n; int as) { return roa_check(r4, n, as); }\n"
    "filter here { if roa_check(r4) = ROA_VALID then accept; reject; }\n"
    "filter net_as { if roa_check(r4, net, 2) = ROA_VALID then accept; reject; }\n"
    "filter six { if roa_check(r6, net, 2) = ROA_UNKNOWN then accept; reject; }\n"
    "filter any { if ask(net, 2) = ROA_VALID then accept; reject; }\n"
    "filter both { if roa_check(r4) != ROA_INVALID && roa_check(other, net, 1) ~ "
    "[ROA_UNKNOWN]\n"
    "  then accept; reject; }\n"
    "filter none { if net ~ [10.0.0.0/8+] then accept; reject; }\n"
    "filter lazy { if net ~ [10.0.0.0/8+] || roa_check(r4) = ROA_VALID then accept; "
    "reject; }\n";

static struct roa_map *
fill(struct filter_rig *g)
{
	struct roa_map *m = roa_map_new(FAM_IP4);
	struct vrp_change c = { { prefix_make(ip4(0xcb007100), 24, FAM_IP4), 24, 2 }, m };

	roa_map_update(m, &c, 1);
	store_release_ptr(
	    &config_find_table(g->cfg, "r4")->ft.map, m); /* pairs: FTABLE */
	return m;
}

static void
test_answers(void **state)
{
	static const uint32_t path[] = { 1, 2, 0 }, other[] = { 1, 3, 0 };
	struct filter_rig g;
	struct roa_map *m;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, text));
	m = fill(&g);
	/* without a path there is no origin to check: an error of the run, as in bird */
	assert_int_equal(filter_rig_run(&g, "here"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "without bgp_path"));
	filter_rig_path(&g, path);
	assert_int_equal(filter_rig_run(&g, "here"), FILTER_ACCEPT);
	assert_int_equal(g.reads, FILTER_READ_TABLE | FILTER_READ_NET);
	assert_int_equal(filter_rig_run(&g, "net_as"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "any"), FILTER_ACCEPT);
	/* a table that nobody has bound knows nothing */
	assert_int_equal(filter_rig_run(&g, "six"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "both"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "none"), FILTER_REJECT);
	assert_false(g.reads & FILTER_READ_TABLE);
	filter_rig_path(&g, other);
	assert_int_equal(filter_rig_run(&g, "here"), FILTER_REJECT);
	assert_int_equal(filter_rig_run(&g, "both"), FILTER_REJECT);
	g.view.net = prefix_make(ip4(0x0a000000), 8, FAM_IP4);
	assert_int_equal(filter_rig_run(&g, "lazy"), FILTER_ACCEPT);
	assert_false(g.reads & FILTER_READ_TABLE);
	filter_rig_fini(&g);
	roa_map_free(m);
}

static uint32_t
uses(struct filter_rig *g, const char *name, const struct filter_use **u)
{
	return filter_uses(sym_find(g->cfg->symbols, name)->filter, u);
}

static void
test_uses(void **state)
{
	const struct filter_use *u;
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, text));
	assert_int_equal(uses(&g, "here", &u), 1);
	assert_string_equal(u[0].table->name, "r4");
	assert_false(u[0].other_nets);
	assert_int_equal(uses(&g, "net_as", &u), 1);
	assert_false(u[0].other_nets);
	assert_int_equal(uses(&g, "any", &u), 1);
	assert_true(u[0].other_nets); /* the function may be given any prefix */
	assert_int_equal(uses(&g, "six", &u), 1);
	assert_int_equal(u[0].table->fam, FAM_IP6);
	assert_int_equal(uses(&g, "both", &u), 2);
	assert_int_equal(uses(&g, "none", &u), 0);
	assert_true(
	    filter_may_read(sym_find(g.cfg->symbols, "any")->filter) & FILTER_READ_TABLE);
	filter_rig_fini(&g);
}

/* A filter that asks another table of the same type is another filter. */
static void
test_same(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "roa4 table a; roa4 table b;\n"
	    "filter x { if roa_check(a) = ROA_VALID then accept; reject; }\n"
	    "filter y { if roa_check(a) = ROA_VALID then accept; reject; }\n"
	    "filter z { if roa_check(b) = ROA_VALID then accept; reject; }\n"));
	assert_true(filter_same(sym_find(g.cfg->symbols, "x")->filter,
	    sym_find(g.cfg->symbols, "y")->filter));
	assert_false(filter_same(sym_find(g.cfg->symbols, "x")->filter,
	    sym_find(g.cfg->symbols, "z")->filter));
	filter_rig_fini(&g);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_uses),
		cmocka_unit_test(test_same),
	};
	int rc;

	rcu_join();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_drain();
	rcu_leave();
	return rc;
}

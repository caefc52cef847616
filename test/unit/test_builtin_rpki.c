/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roa_check and aspa_check: answers, what a run is noted to have read, and which tables a
 * filter is known to ask. */
#include "filter/run/builtin/builtin_rpki.c"
#include "lib/mt/rcu.h"
#include "nest/conf/config.h"
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
test_builtin_rpki_fill(struct filter_rig *g)
{
	struct roa_map *m = roa_map_new(FAM_IP4);
	struct vrp_change c = { { prefix_make(ip4(0xcb007100), 24, FAM_IP4), 24, 2 },
		true };

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
	m = test_builtin_rpki_fill(&g);
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
test_builtin_rpki_uses(
    struct filter_rig *g, const char *name, const struct filter_use **u)
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
	assert_int_equal(test_builtin_rpki_uses(&g, "here", &u), 1);
	assert_string_equal(u[0].table->name, "r4");
	assert_false(u[0].other_nets);
	assert_int_equal(test_builtin_rpki_uses(&g, "net_as", &u), 1);
	assert_false(u[0].other_nets);
	assert_int_equal(test_builtin_rpki_uses(&g, "any", &u), 1);
	assert_true(u[0].other_nets); /* the function may be given any prefix */
	assert_int_equal(test_builtin_rpki_uses(&g, "six", &u), 1);
	assert_int_equal(u[0].table->fam, FAM_IP6);
	assert_int_equal(test_builtin_rpki_uses(&g, "both", &u), 2);
	assert_int_equal(test_builtin_rpki_uses(&g, "none", &u), 0);
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

/* A query of a table of another type is an error of the run, and no channel follows a
 * table without RPKI data. A table of the same name and another type makes another
 * filter. */
static void
test_other_type(void **state)
{
	static const char filters[] =
	    "roa4 table r4; roa6 table r6; aspa table at; ipv6 table t6;\n"
	    "filter one { if roa_check(t4) = ROA_UNKNOWN then accept; accept; }\n"
	    "filter three { if roa_check(t4, net, 2) = ROA_UNKNOWN then accept; accept; "
	    "}\n"
	    "filter six { if roa_check(t6, 2001:db8::/32, 2) = ROA_UNKNOWN then accept; "
	    "accept; }\n"
	    "filter roa_of_aspa { if roa_check(at, net, 2) = ROA_UNKNOWN then accept; "
	    "accept; }\n"
	    "filter up { if aspa_check_upstream(r4) = ASPA_UNKNOWN then accept; accept; "
	    "}\n"
	    "filter down { if aspa_check_downstream(t4) = ASPA_UNKNOWN then accept; "
	    "accept; "
	    "}\n"
	    "filter path { if aspa_check(r6, +empty+, true) = ASPA_UNKNOWN then accept; "
	    "accept; }\n";
	static const char *const names[] = { "one", "three", "six", "roa_of_aspa", "up",
		"down", "path" };
	static const uint32_t path[] = { 1, 2, 0 };
	const struct filter_use *u;
	struct filter_rig g, other;
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	strbuf_addf(&b, "ipv4 table t4; %s", filters);
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, b.s));
	filter_rig_path(&g, path);
	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		assert_int_equal(filter_rig_run(&g, names[i]), FILTER_REJECT);
		assert_non_null(strstr(g.log.s, "wants a table of type"));
	}
	assert_int_equal(test_builtin_rpki_uses(&g, "one", &u), 0);
	assert_int_equal(test_builtin_rpki_uses(&g, "six", &u), 0);
	strbuf_reset(&b);
	strbuf_addf(&b, "roa4 table t4; %s", filters);
	filter_rig_init(&other);
	assert_true(filter_rig_config(&other, b.s));
	assert_false(filter_same(sym_find(g.cfg->symbols, "one")->filter,
	    sym_find(other.cfg->symbols, "one")->filter));
	filter_rig_fini(&other);
	filter_rig_fini(&g);
	strbuf_fini(&b);
}

/* ---- ASPA ---- */

static const char aspa_text[] =
    "aspa table at; aspa table empty;\n"
    "function ask(bgppath p) { return aspa_check(at, p, true); }\n"
    "filter up { if aspa_check_upstream(at) = ASPA_VALID then accept; reject; }\n"
    "filter up_unknown { if aspa_check_upstream(at) = ASPA_UNKNOWN then accept; reject; "
    "}\n"
    "filter down { if aspa_check_downstream(at) = ASPA_VALID then accept; reject; }\n"
    "filter own { if aspa_check(at, bgp_path, false) = ASPA_VALID then accept; reject; "
    "}\n"
    "filter asked { if ask(bgp_path) = ASPA_VALID then accept; reject; }\n"
    "filter prepended { bgp_path.prepend(9); if aspa_check_upstream(at) = ASPA_INVALID "
    "then accept; reject; }\n"
    "filter unbound { if aspa_check_downstream(empty) = ASPA_UNKNOWN then accept; "
    "reject; }\n";

/* 2 has the provider 1, 3 has 2. */
static struct aspa_map *
fill_aspa(struct filter_rig *g)
{
	static const uint32_t provider[] = { 1, 2 };
	struct aspa_map *m = aspa_map_new();
	struct aspa_change c[] = { { 2, aspa_new(2, provider, 1) },
		{ 3, aspa_new(3, provider + 1, 1) } };

	aspa_map_update(m, c, ARRAY_LEN(c));
	store_release_ptr(
	    &config_find_table(g->cfg, "at")->ft.map, m); /* pairs: FTABLE */
	return m;
}

static void
test_aspa_answers(void **state)
{
	static const uint32_t up[] = { 1, 2, 2, 3, 0 }, down[] = { 3, 2, 1, 0 },
			      far[] = { 4, 5, 0 };
	static const uint8_t set[] = { AS_SEQUENCE, 1, 0, 0, 0, 1, AS_SET, 1, 0, 0, 0,
		2 },
			     confed[] = { AS_CONFED_SEQUENCE, 1, 0, 0, 0, 7, AS_SEQUENCE,
				     2, 0, 0, 0, 1, 0, 0, 0, 2 };
	struct filter_rig g;
	struct aspa_map *m;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, aspa_text));
	m = fill_aspa(&g);
	/* no path is an empty one: invalid */
	assert_int_equal(filter_rig_run(&g, "up"), FILTER_REJECT);
	assert_int_equal(filter_rig_run(&g, "up_unknown"), FILTER_REJECT);
	assert_int_equal(filter_rig_run(&g, "prepended"), FILTER_REJECT);
	filter_rig_path(&g, up);
	assert_int_equal(filter_rig_run(&g, "up"), FILTER_ACCEPT);
	assert_int_equal(g.reads, FILTER_READ_TABLE);
	assert_int_equal(filter_rig_run(&g, "down"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "own"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "asked"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "unbound"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "prepended"), FILTER_REJECT);
	filter_rig_path(&g, down);
	assert_int_equal(filter_rig_run(&g, "up"), FILTER_REJECT);
	assert_int_equal(filter_rig_run(&g, "up_unknown"), FILTER_REJECT);
	assert_int_equal(filter_rig_run(&g, "down"), FILTER_ACCEPT);
	filter_rig_path(&g, far);
	assert_int_equal(filter_rig_run(&g, "up_unknown"), FILTER_ACCEPT);
	assert_int_equal(
	    attr_edit_set(&g.edit, ATTR_AS_PATH, 0x40, confed, sizeof(confed)), 0);
	assert_int_equal(filter_rig_run(&g, "up"), FILTER_ACCEPT);
	assert_int_equal(attr_edit_set(&g.edit, ATTR_AS_PATH, 0x40, set, sizeof(set)), 0);
	assert_int_equal(filter_rig_run(&g, "up_unknown"), FILTER_REJECT);
	assert_int_equal(filter_rig_run(&g, "down"), FILTER_REJECT);
	assert_int_equal(filter_rig_run(&g, "unbound"), FILTER_REJECT);
	filter_rig_fini(&g);
	rcu_drain();
	aspa_map_free(m);
}

static void
test_aspa_uses(void **state)
{
	const struct filter_use *u;
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, aspa_text));
	assert_int_equal(test_builtin_rpki_uses(&g, "up", &u), 1);
	assert_true(u[0].table->is_aspa && !u[0].table->is_roa);
	assert_false(u[0].other_nets);
	assert_int_equal(test_builtin_rpki_uses(&g, "own", &u), 1);
	assert_false(u[0].other_nets);
	assert_int_equal(test_builtin_rpki_uses(&g, "asked", &u), 1);
	assert_true(u[0].other_nets); /* the function may be given any path */
	assert_false(filter_writes_path(sym_find(g.cfg->symbols, "up")->filter));
	assert_true(filter_writes_path(sym_find(g.cfg->symbols, "prepended")->filter));
	filter_rig_fini(&g);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_uses),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_other_type),
		cmocka_unit_test(test_aspa_answers),
		cmocka_unit_test(test_aspa_uses),
	};
	int rc;

	rcu_join();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_drain();
	rcu_leave();
	return rc;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_know checks the known facts of filters in words. prop_know shows that the facts
 * hold. */
#include "filter/run/know.c"
#include "filter/run/builtin/builtin_route.c"
#include "test/lib/filter_run.h"
#include "test/lib/unit.h"

static const char text[] =
    "attribute int own;\nattribute bgp 200 bytestring wire;\n"
    "function short() { return bgp_path.len < 9; }\n"
    "function marked() { return short() && (1, 2) ~ bgp_community; }\n"
    "function rec(int n) { if n = 0 then return own; return rec(n - 1); }\n"
    "filter f_set { if marked() then bgp_med = 5; unset(bgp_otc); accept; }\n"
    "filter f_source { if proto = \"x\" || from = 10.0.0.1 then accept; }\n"
    "filter f_net { if net ~ [10.0.0.0/8+] then own = rec(5); wire = hex:00; accept; }\n"
    "filter f_talk { print \"x\"; accept; }\n"
    "roa4 table r4;\nfunction valid() { return roa_check(r4) = ROA_VALID; }\n"
    "filter f_roa { if valid() then accept; }\n"
    "filter f_roa3 { if roa_check(r4, 10.0.0.0/8, 5) = ROA_VALID then accept; }\n"
    "filter f_all { accept; }\n";

static void
check_know(const struct filter_rig *g, const char *name, const char *want_reads,
    const char *want_writes, const char *holds)
{
	const struct filter *f = sym_find(g->cfg->symbols, name)->filter;
	struct strbuf b;
	struct fknow k;

	fcode_know(&k, &f->code);
	assert_false(k.unknown);
	assert_int_equal(k.reads, filter_may_read(f));
	strbuf_init(&b);
	fknow_print_reads(&b, &k, g->cfg->custom.at, g->cfg->custom.cnt);
	assert_string_equal(b.s, want_reads);
	strbuf_reset(&b);
	fknow_print_writes(&b, &k, g->cfg->custom.at, g->cfg->custom.cnt);
	assert_string_equal(b.s, want_writes);
	assert_int_equal(strcmp(b.s, "nothing") != 0, filter_may_write(f));
	assert_string_equal(fknow_holds(&k), holds);
	strbuf_fini(&b);
}

static void
test_words(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, text));
	check_know(&g, "f_set", "bgp_path, bgp_community", "bgp_med, bgp_otc",
	    "for an attribute set");
	check_know(
	    &g, "f_source", "proto, from", "nothing", "for an attribute set and source");
	check_know(&g, "f_net", "net, own", "path attribute 200, own", "for one route");
	check_know(&g, "f_talk", "nothing", "nothing", "for one route and run");
	check_know(&g, "f_roa", "net, bgp_path, table r4", "nothing",
	    "for one route, while the tables stand");
	check_know(
	    &g, "f_roa3", "table r4", "nothing", "for one route, while the tables stand");
	check_know(&g, "f_all", "nothing", "nothing", "for an attribute set");
	filter_rig_fini(&g);
}

/* Whoever adds an instruction says here what it reads. */
static void
test_complete(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < FI_CNT; i++)
		assert_int_not_equal(rows[i], K_UNKNOWN);
	assert_true(ARRAY_LEN(attrs) <= FKNOW_ATTRS);
}

static void
test_unknown(void **state)
{
	const struct finsn insn[] = { { .op = FI_CNT - 1 } };
	struct fcode c = { .insn = insn, .insn_cnt = 1 };
	struct fknow k;
	struct strbuf b;

	(void)state;
	fcode_know(&k, &c);
	k.unknown = true;
	strbuf_init(&b);
	fknow_print_reads(&b, &k, NULL, 0);
	assert_string_equal(b.s, "anything");
	assert_true(fknow_writes_attr(&k, "bgp_med"));
	assert_true(fknow_writes_custom(&k, 5));
	strbuf_fini(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_words),
	cmocka_unit_test(test_complete),
	cmocka_unit_test(test_unknown),
};

UNIT_MAIN(tests)

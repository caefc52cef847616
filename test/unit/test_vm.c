/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters on routes: what they read and write, what a run notes, and its bounds. */
#include "filter/run/fault.h"
#include "test/lib/filter_run.h"
#include "test/lib/unit.h"

static const uint32_t path3[] = { 100001, 2, 3, 0 };

/* The filter of spec'd comparisons, on a set and on an edit. */
static void
test_import(void **state)
{
	struct filter_rig g;
	struct custom_item it;
	struct attr_item at;
	uint8_t comm[8];
	uint64_t steps;
	int round;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "attribute int dummy;\n"
	    "filter f { int i = 0; if bgp_path.len > 64 then reject;\n"
	    "if net ~ [ 10.0.0.0/8+, 192.168.0.0/16+ ] then reject;\n"
	    "if bgp_path.first = 100001 then i = i + 1;\n"
	    "if (65000,1) ~ bgp_community then bgp_local_pref = 90;\n"
	    "dummy = i + bgp_path.len; accept; }"));
	filter_rig_path(&g, path3);
	put_be32(comm, 1);
	put_be32(comm + 4, 65000u << 16 | 1);
	assert_int_equal(attr_edit_set(&g.edit, ATTR_COMMUNITY, 0xc0, comm, 8), 0);
	for (round = 0; round < 2; round++) {
		assert_int_equal(filter_rig_run(&g, "f"), FILTER_ACCEPT);
		assert_int_equal(g.reads, FILTER_READ_NET);
		assert_true(attr_edit_get(&g.edit, ATTR_LOCAL_PREF, &at));
		assert_int_equal(get_be32(at.val), 90);
		assert_true(attr_edit_get_custom(&g.edit, 1, &it));
		assert_int_equal(*(const uint32_t *)it.val, 4);
		filter_rig_freeze(&g); /* the same from an interned set */
	}
	steps = filter_steps(g.thread);
	assert_true(steps > 2 * 10 && steps < 1000);
	g.view.net = prefix_make(ip4(0x0a010200), 24, FAM_IP4);
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_REJECT);
	/* the shorter run counts, too, and less than a whole run */
	assert_true(filter_steps(g.thread) > steps);
	assert_true(filter_steps(g.thread) - steps < steps / 2);
	assert_string_equal(g.log.s, "");
	filter_rig_fini(&g);
}

/* An attribute of an undefined value of type route ends the run, in BIRD as well. */
static void
test_route_type(void **state)
{
	static const char *const use[] = { "net.len", "bgp_path.len", "preference" };
	struct filter_rig g;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(use); i++) {
		struct strbuf b;

		strbuf_init(&b);
		strbuf_addf(&b,
		    "function n(route r) -> int { return r.%s; }\n"
		    "filter f { route r; if defined(r) then reject; if n(r) = 3 then "
		    "accept; accept; }\n"
		    "filter g { route r; route q; if r = q && !defined(q) then accept; "
		    "reject; }\n"
		    "filter h { route r; if defined(r.%s) then reject; accept; }",
		    use[i], use[i][0] == 'n' ? "net" : use[i]);
		filter_rig_init(&g);
		assert_true(filter_rig_config(&g, b.s));
		filter_rig_path(&g, path3);
		assert_int_equal(filter_rig_run(&g, "f"), FILTER_REJECT);
		assert_non_null(strstr(g.log.s, "filter f: an undefined value is used"));
		assert_int_equal(filter_rig_run(&g, "g"), FILTER_ACCEPT);
		assert_string_equal(g.log.s, "");
		assert_int_equal(filter_rig_run(&g, "h"), FILTER_REJECT);
		assert_non_null(strstr(g.log.s, "filter h: an undefined value is used"));
		filter_rig_fini(&g);
		strbuf_fini(&b);
	}
}

static void
test_attributes(void **state)
{
	struct filter_rig g;
	struct attr_item it;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "attribute string note; attribute clist cl; attribute prefix px;\n"
	    "filter write {\n"
	    " bgp_path.prepend(7); bgp_path.prepend(8);\n"
	    " bgp_origin = ORIGIN_EGP; bgp_next_hop = 192.0.2.9; bgp_med = 5; "
	    "bgp_local_pref = 6;\n"
	    " bgp_community.add((1,2)); bgp_community.add((3,4)); "
	    "bgp_community.delete([(1,*)]);\n"
	    " bgp_large_community.add((1,2,3)); bgp_ext_community.add((rt,1,2));\n"
	    " bgp_otc = 77; preference = 150; igp_metric = 9; dest = RTD_BLACKHOLE;\n"
	    " bgp_originator_id = 1.2.3.4;\n"
	    " note = \"hello\"; cl = add(-empty-, (9,9)); px = 10.0.0.0/8;\n"
	    " accept; }\n"
	    "filter read {\n"
	    " if bgp_path.first != 8 || bgp_path.last != 3 || bgp_path.len != 5 then "
	    "reject \"path\";\n"
	    " if bgp_origin != ORIGIN_EGP || bgp_next_hop != 192.0.2.9 then reject "
	    "\"a\";\n"
	    " if bgp_med != 5 || bgp_local_pref != 6 then reject \"b\";\n"
	    " if (1,2) ~ bgp_community || (3,4) !~ bgp_community then reject \"c\";\n"
	    " if ! ((1,2,3) ~ bgp_large_community) || !((rt,1,2) ~ bgp_ext_community) "
	    "then reject \"d\";\n"
	    " if bgp_otc != 77 || preference != 150 || igp_metric != 9 then reject "
	    "\"e\";\n"
	    " if dest != RTD_BLACKHOLE || source != RTS_BGP then reject \"f\";\n"
	    " if bgp_originator_id != 1.2.3.4 then reject \"g\";\n"
	    " if note != \"hello\" || cl.len != 1 || px.len != 8 then reject \"h\";\n"
	    " if defined(bgp_aggregator) || !defined(bgp_med) then reject \"i\";\n"
	    " unset(bgp_med); if defined(bgp_med) then reject \"j\";\n"
	    " unset(note); if defined(note) then reject \"k\";\n"
	    " accept; }\n"));
	filter_rig_path(&g, path3);
	assert_int_equal(filter_rig_run(&g, "write"), FILTER_ACCEPT);
	assert_int_equal(g.reads, 0);
	filter_rig_freeze(&g);
	assert_int_equal(filter_rig_run(&g, "read"), FILTER_ACCEPT);
	assert_string_equal(g.log.s, "");
	assert_false(attr_edit_get(&g.edit, ATTR_MED, &it));
	filter_rig_fini(&g);
}

/* A path attribute that tern doesn't know, named in the configuration. */
static void
test_wire_name(void **state)
{
	static const uint8_t val[] = { 1, 2, 3 };
	struct filter_rig g;
	struct attr_item it;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "attribute bgp 200 bytestring my;\n"
	    "filter f { if !defined(my) then reject; if my != hex:01:02:03 then reject;\n"
	    " my = hex:0a; if my != hex:0a then reject; accept; }\n"
	    "filter g { unset(my); if defined(my) then reject; accept; }\n"));
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_REJECT);
	assert_int_equal(attr_edit_set(&g.edit, 200, 0xc0, val, 3), 0);
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_ACCEPT);
	assert_true(attr_edit_get(&g.edit, 200, &it));
	assert_int_equal(it.len, 1);
	assert_int_equal(filter_rig_run(&g, "g"), FILTER_ACCEPT);
	filter_rig_fini(&g);
}

static void
test_reads(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "filter a { if proto = \"peer1\" && from = 127.0.0.1 then accept; reject; }\n"
	    "filter b { if bgp_path.len > 9 then { if net.len > 3 then accept; } reject; "
	    "}\n"
	    "filter c { print \"net \", net, \" is \", net.len; printn 1; printn 2; "
	    "print 3; accept; }\n"
	    "filter d { reject \"no \", 5; }\n"
	    "filter e { accept; }\n"));
	assert_int_equal(filter_rig_run(&g, "a"), FILTER_ACCEPT);
	assert_int_equal(g.reads, FILTER_READ_SOURCE);
	assert_int_equal(filter_rig_run(&g, "b"), FILTER_REJECT);
	assert_int_equal(g.reads, 0); /* it might read the net, but this run did not */
	assert_int_equal(
	    filter_may_read(sym_find(g.cfg->symbols, "b")->filter), FILTER_READ_NET);
	assert_int_equal(filter_rig_run(&g, "c"), FILTER_ACCEPT);
	assert_int_equal(g.reads, FILTER_READ_NET | FILTER_READ_VOLATILE);
	assert_string_equal(g.log.s, "net 203.0.113.0/24 is 24\n123\n");
	assert_int_equal(filter_rig_run(&g, "d"), FILTER_REJECT);
	assert_string_equal(g.log.s, "no 5\n");
	{
		enum filter_verdict v;

		assert_true(filter_is_const(sym_find(g.cfg->symbols, "e")->filter, &v));
		assert_int_equal(v, FILTER_ACCEPT);
		assert_false(filter_is_const(sym_find(g.cfg->symbols, "d")->filter, &v));
	}
	filter_rig_fini(&g);
}

static void
test_errors(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "function zero() { return 0; }\n"
	    "function deep(int n) { return deep(n + 1); }\n"
	    "function wide(int n) { if n > 100 then return 0; return wide(n+1) + "
	    "wide(n+1); }\n"
	    "filter med {\n if bgp_med + 1 > 5 then accept;\n reject; }\n"
	    "filter div { if 5 / zero() = 1 then accept; reject; }\n"
	    "filter deep_f { if deep(1) = 1 then accept; reject; }\n"
	    "filter wide_f { if wide(1) = 1 then accept; reject; }\n"
	    "filter own { error \"my own \", 5; }\n"
	    "filter undef { int i; bgp_med = i; accept; }\n"
	    "filter wide_id { bgp_originator_id = 2001:db8::1; accept; }\n"
	    "filter grow { string s = \"0123456789\"; int i = 0;\n"
	    " for int a in bgp_path do for int b in bgp_path do for int c in bgp_path "
	    "do\n"
	    "  s = s ++ s; accept; }\n"
	    "filter many { bgp_path.prepend(1); bgp_path.prepend(1); accept; }\n"
	    "filter fall { int i = 0; }\n"));
	filter_rig_path(&g, path3);
	assert_int_equal(filter_rig_run(&g, "med"), FILTER_REJECT);
	assert_string_equal(g.log.s,
	    "filter med: an undefined value is used at " CONF_TEXT
	    ":5, route 203.0.113.0/24\n");
	assert_true(g.reads & FILTER_READ_VOLATILE);
	/* the same failure again and again is told once in a while */
	g.now_ns += FAULT_INTERVAL_NS - 1;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(filter_rig_run(&g, "med"), FILTER_REJECT);
		assert_string_equal(g.log.s, "");
	}
	g.now_ns++;
	assert_int_equal(filter_rig_run(&g, "med"), FILTER_REJECT);
	assert_string_equal(g.log.s,
	    "filter med: an undefined value is used at " CONF_TEXT
	    ":5, route 203.0.113.0/24 "
	    "(3 earlier errors were not logged)\n");
	assert_int_equal(filter_rig_run(&g, "div"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "division by zero"));
	assert_int_equal(filter_rig_run(&g, "deep_f"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "too deeply"));
	assert_int_equal(filter_rig_run(&g, "wide_f"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "too many steps"));
	assert_int_equal(filter_rig_run(&g, "own"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "my own 5"));
	assert_int_equal(filter_rig_run(&g, "undef"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "undefined"));
	assert_int_equal(filter_rig_run(&g, "wide_id"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "a value of the wrong type is used"));
	assert_int_equal(filter_rig_run(&g, "grow"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "65535"));
	assert_int_equal(filter_rig_run(&g, "fall"), FILTER_REJECT);
	assert_string_equal(g.log.s, "");
	assert_int_equal(filter_rig_run(&g, "many"), FILTER_ACCEPT);
	filter_rig_fini(&g);
}

/* accept and reject inside a function end the whole filter; locals of calls don't mix. */
static void
test_calls(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "function stop(int i) int j; { j = i; if j > 5 then accept; return j; }\n"
	    "function swap(int a; int b) { int t = a; a = b; b = t; return a * 10 + b; "
	    "}\n"
	    "function route_len() -> int { return net.len; }\n"
	    "filter f { int x = 1; int y = 2; stop(3); if swap(x, y) != 21 then reject;\n"
	    " if x != 1 || y != 2 then reject; stop(7); reject; }\n"
	    "filter g { if route_len() = 24 then accept; reject; }\n"));
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_ACCEPT);
	assert_int_equal(g.reads, 0);
	assert_int_equal(filter_rig_run(&g, "g"), FILTER_ACCEPT);
	assert_int_equal(g.reads, FILTER_READ_NET);
	filter_rig_fini(&g);
}

/* A function that decides by itself stands where a value is wanted: a return without a
 * value is an error of the run. */
static void
test_verdicts(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "function decide(int longest) {\n"
	    " if net.len > longest then reject;\n"
	    " if net.len < 12 then accept;\n"
	    "}\n"
	    "function twice() { decide(24); }\n"
	    "filter f { if decide(24) then accept; accept; }\n"
	    "filter n { if ! twice() then accept; accept; }\n"
	    "filter turned { if bgp_community ~ (1,2) then accept; accept; }\n"));
	g.view.net = prefix_make(ip4(0x0a000000), 8, FAM_IP4);
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "n"), FILTER_ACCEPT);
	assert_string_equal(g.log.s, "");
	g.view.net = prefix_make(ip4(0x0a000000), 30, FAM_IP4);
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_REJECT);
	assert_string_equal(g.log.s, "");
	g.view.net = prefix_make(ip4(0x0a000000), 12, FAM_IP4);
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "filter f: "));
	assert_non_null(strstr(g.log.s, ":6, route 10.0.0.0/12"));
	assert_int_equal(filter_rig_run(&g, "n"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "filter n: "));
	assert_int_equal(filter_rig_run(&g, "turned"), FILTER_REJECT);
	assert_non_null(strstr(g.log.s, "the values don't fit the operation"));
	filter_rig_fini(&g);
}

static void
test_same(void **state)
{
	struct filter_rig g;
	const struct filter *a;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(&g,
	    "define N = 5;\n"
	    "function h(int i) { return i > 3; }\n"
	    "function k(int i)\n{ return i > 3; }\n"
	    "function l(int i) { return i > 4; }\n"
	    "filter a { if h(bgp_path.len) then reject; if net ~ [10.0.0.0/8+, "
	    "11.0.0.0/8] then accept; reject; }\n"
	    "filter b { if k(bgp_path.len) then reject;\n# other names and places\n"
	    " if net ~ [11.0.0.0/8, 10.0.0.0/8{8,32}] then accept; reject; }\n"
	    "filter c { if l(bgp_path.len) then reject; if net ~ [10.0.0.0/8+, "
	    "11.0.0.0/8] then accept; reject; }\n"
	    "filter d { if h(bgp_path.len) then reject; if net ~ [10.0.0.0/8+, "
	    "11.0.0.0/9] then accept; reject; }\n"
	    "filter e { if bgp_path.len = N then accept; reject; }\n"
	    "filter f { if bgp_path.len = 2 + 3 then accept; reject; }\n"));
	a = sym_find(g.cfg->symbols, "a")->filter;
	assert_true(filter_same(a, sym_find(g.cfg->symbols, "b")->filter));
	assert_false(filter_same(a, sym_find(g.cfg->symbols, "c")->filter));
	assert_false(filter_same(a, sym_find(g.cfg->symbols, "d")->filter));
	assert_true(filter_same(sym_find(g.cfg->symbols, "e")->filter,
	    sym_find(g.cfg->symbols, "f")->filter));
	filter_rig_fini(&g);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_import),
	cmocka_unit_test(test_route_type),
	cmocka_unit_test(test_attributes),
	cmocka_unit_test(test_wire_name),
	cmocka_unit_test(test_reads),
	cmocka_unit_test(test_errors),
	cmocka_unit_test(test_calls),
	cmocka_unit_test(test_verdicts),
	cmocka_unit_test(test_same),
};

UNIT_MAIN(tests)

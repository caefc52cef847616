/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every bound of a filter run: whoever exceeds it is refused with a line in the log, and
 * neither takes long nor much memory for it; whoever stays below runs. */
#include "filter/run/vm.h"
#include "filter/run/frun.h"
#include "test/lib/filter_run.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include "sysdep/os/clock.h"

#define MEMORY_MAX (64u << 20) /* of one run */

static const uint32_t path32[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 0 };

/* With a sanitizer a step takes twenty times as long, and a bound of fewer steps shows
 * the same. */
#ifdef SEED_SANITIZED
#define FEWER_STEPS "filter steps 300000;\n"
#else
#define FEWER_STEPS ""
#endif

/* The filter f of @text fails with @error, quickly. */
static void
check_fails(const char *text, const char *error)
{
	struct filter_rig g;
	uint64_t began;

	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, text));
	filter_rig_path(&g, path32);
	began = clock_thread_cpu_ns();
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_REJECT);
	if (!strstr(g.log.s, error))
		fail_msg("%s: %s", text, g.log.s);
	assert_non_null(strstr(g.log.s, "filter f: "));
	assert_non_null(strstr(g.log.s, " at " CONF_TEXT ":"));
	assert_non_null(strstr(g.log.s, ", route 203.0.113.0/24"));
	/* A bound on work, not on speed: sanitizers take twenty times as long. */
	assert_true(clock_thread_cpu_ns() - began < 60000000000u);
	assert_true(arena_used(&g.thread->arena) < MEMORY_MAX);
	assert_true(arena_used(&g.arena) < MEMORY_MAX);
	filter_rig_fini(&g);
}

static void
check_accepts(const char *text)
{
	struct filter_rig g;

	filter_rig_init(&g);
	assert_true(filter_rig_config(&g, text));
	filter_rig_path(&g, path32);
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_ACCEPT);
	assert_string_equal(g.log.s, "");
	filter_rig_fini(&g);
}

#define LOOP2 "for int a in bgp_path do for int b in bgp_path do "
#define LOOP3 LOOP2 "for int c in bgp_path do "
#define LOOP4 LOOP3 "for int d in bgp_path do "
#define BIG                                                                              \
	"string s = \"0123456789abcdef\"; clist l; bgppath p = bgp_path;\n"              \
	"s = s ++ s; s = s ++ s; s = s ++ s; s = s ++ s; s = s ++ s; s = s ++ s;\n"      \
	"s = s ++ s; s = s ++ s; s = s ++ s; s = s ++ s; s = s ++ s;\n"                  \
	"for int i in bgp_path do for int j in bgp_path do l.add((i, j));\n"

static void
test_steps(void **state)
{
	(void)state;
	check_fails(FEWER_STEPS "filter f { int i = 0; " LOOP4 " i = i + 1; accept; }",
	    "takes too many steps");
	check_accepts("filter f { int i = 0; " LOOP3 " i = i + 1; accept; }");
	check_fails(FEWER_STEPS
	    "function w(int n) { if n = 0 then return 0; return w(n-1) + w(n-1); }\n"
	    "filter f { int i = w(30); accept; }",
	    "takes too many steps");
	check_accepts(
	    "function w(int n) { if n = 0 then return 0; return w(n-1) + w(n-1); }\n"
	    "filter f { int i = w(10); accept; }");
	/* as configured: of filters behind it */
	check_fails("filter steps 3000;\nfilter f { int i = 0; " LOOP2
		    " i = i + 1; accept; }\nfilter steps 100000;",
	    "takes too many steps");
	check_accepts(
	    "filter steps 3000;\nfilter steps 100000;\nfilter f { int i = 0; " LOOP2
	    " i = i + 1; accept; }");
	check_accepts("filter steps 100000000;\nfilter f { int i = 0; " LOOP4
		      " i = i + 1; accept; }");
}

/* What works on many octets counts as many steps: neither time nor memory run away. */
static void
test_work(void **state)
{
	static const char *const op[] = {
		"t = s ++ \"x\"",
		"t = format(s)",
		"y = s ~ \"*a*b*c*x\"",
		"y = s = s2",
		"m = l.delete(l2)",
		"m = add(l2, l)",
		"y = bgp_path ~ [5000..6000]",
		"x = [= * (i) * =]",
		"bgp_community = l",
		"t = format(l)",
		"printn s",
		"own = s",
		"q = p; p.prepend(i); p = q",
		"m = l; l.add((7, 7)); l = m",
		"q = p.delete(i)",
		"q = p.delete([1..5, 7..9])",
		"y = l ~ [(7000, *)]",
		"y = p ~ [= * ? * ? * ? * ? * [1..5, 9, 11] + 77 =]",
		"bgp_path = p",
		"y = p ~ [= * 1 ? 2 * =]",
	};
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(op); i++) {
		struct strbuf b;

		strbuf_init(&b);
		strbuf_addf(&b,
		    FEWER_STEPS
		    "attribute string own;\n"
		    "filter f { string t; string s2; bool y; bgpmask x; clist m; clist "
		    "l2; "
		    "bgppath q; int i = 5;\n" BIG "l2 = l; s2 = s ++ \"y\";\n" LOOP4
		    "{ %s; } accept; }",
		    op[i]);
		check_fails(b.s, "takes too many steps");
		strbuf_fini(&b);
	}
}

static void
test_depth(void **state)
{
	struct filter_rig g;
	struct strbuf b;
	unsigned i;

	(void)state;
	check_fails("function d(int n) { return d(n + 1); }\n"
		    "filter f { if d(1) = 1 then accept; reject; }",
	    "call each other too deeply");
	check_accepts("function d(int n) { if n = 0 then return 0; return d(n - 1); }\n"
		      "filter f { if d(120) = 0 then accept; reject; }");
	/* large functions use up the stack before they are too many */
	strbuf_init(&b);
	strbuf_adds(&b, "function d(int n) {\n");
	for (i = 0; i < 200; i++)
		strbuf_addf(&b, " int v%u = n;\n", i);
	strbuf_adds(&b, " if n = 0 then return v7; return d(n - 1); }\n"
			"filter f { if d(10) = 0 then accept; reject; }");
	check_fails(b.s, "call each other too deeply");
	/* one expression that is too large for the stack is refused beforehand */
	strbuf_reset(&b);
	strbuf_adds(&b,
	    "function m(int a; int b; int c; int d; int e; int g; int h; int i)\n"
	    " { return a + i; }\nfilter f { int x = bgp_path.len; x = ");
	for (i = 0; i < 160; i++)
		strbuf_adds(&b, "m(x, x, x, x, x, x, x, ");
	strbuf_adds(&b, "x");
	for (i = 0; i < 160; i++)
		strbuf_adds(&b, ")");
	strbuf_adds(&b, "; accept; }");
	filter_rig_init(&g);
	g.quiet = true;
	assert_false(filter_rig_config(&g, b.s));
	assert_non_null(strstr(g.d.errors.s, "too many operands"));
	filter_rig_fini(&g);
	strbuf_fini(&b);
}

static void
test_growth(void **state)
{
	(void)state;
	check_fails("filter f { " BIG "s = s ++ s; accept; }", "grows beyond 65535");
	check_fails("filter f { " BIG "s = s.append(s); accept; }", "grows beyond 65535");
	check_accepts("filter f { " BIG "s = s ++ \"0123456789\"; accept; }");
	/* each of these copies the list, so there the bound on steps comes first */
	check_fails("filter f { clist l; " LOOP3 " l.add((a * 32 + b, c)); accept; }",
	    "takes too many steps");
	check_fails(
	    "filter f { " LOOP3 "bgp_path.prepend(a); accept; }", "takes too many steps");
}

#define NINE                                                                             \
	"clist l = -empty-; l.add((0, 1)); l.add((0, 2)); l.add((0, 3)); l.add((0, 4));" \
	"l.add((0, 5)); l.add((0, 6)); l.add((0, 7)); l.add((0, 8)); l.add((0, 9));\n"   \
	"for pair a in l do for pair b in l do for pair c in l do for pair d in l do "

/* 81 x 81 rounds that let a path or a list grow stay within the bound: a variable's
 * elements are copied a bounded number of times each. */
static void
test_81(void **state)
{
	static const struct {
		const char *begin, *round, *end;
		uint32_t steps_max;
	} row[] = {
		{ "bgppath p;", "p.prepend(a.data * 1000 + d.data)", "p.len", 300000 },
		{ "bgppath p;", "p = prepend(p, p.len + 1)", "p.first", 300000 },
		{ "bgppath p;",
		    "{ p.prepend(d.data); if p.first = 0 || p.last = 0 || p.len > 6561 "
		    "then reject; }",
		    "p.len", 500000 },
		{ "clist m;", "m.add((a.data * 10 + b.data, c.data * 10 + d.data))",
		    "m.len", 2000000 },
		{ "bgppath p; clist m;",
		    "{ p.prepend(d.data); m.add((a.data * 10 + b.data, c.data * 10 + "
		    "d.data)); }",
		    "p.len", 2000000 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		struct filter_rig g;
		struct strbuf b;

		strbuf_init(&b);
		strbuf_addf(&b, "filter f { %s" NINE "%s;\nif %s = 6561 then accept; }",
		    row[i].begin, row[i].round, row[i].end);
		filter_rig_init(&g);
		assert_true(filter_rig_config(&g, b.s));
		filter_rig_path(&g, path32);
		if (filter_rig_run(&g, "f") != FILTER_ACCEPT)
			fail_msg("%s: %s", b.s, g.log.s);
		assert_string_equal(g.log.s, "");
		if (filter_steps(g.thread) >= row[i].steps_max)
			fail_msg(
			    "%s: %lu steps", b.s, (unsigned long)filter_steps(g.thread));
		assert_true(arena_used(&g.thread->arena) < 1u << 20);
		filter_rig_fini(&g);
		strbuf_fini(&b);
	}
}

/* grow_round - a random statement on the paths p0 to p3 and lists l0 to l3, and the same
 * statement on m0 to m3 and n0 to n3, which grow by copies. */
static void
grow_round(struct strbuf *b, struct seed *s)
{
	unsigned i = seed_below(s, 4), j = seed_below(s, 4), x = 1 + seed_below(s, 9);

	switch (seed_below(s, 12)) {
	case 0:
		strbuf_addf(b, "p%u = p%u; m%u = m%u;\n", i, j, i, j);
		break;
	case 1:
		strbuf_addf(b, "l%u = l%u; n%u = n%u;\n", i, j, i, j);
		break;
	case 2:
		strbuf_addf(
		    b, "p%u = p%u.delete(%u); m%u = m%u.delete(%u);\n", i, j, x, i, j, x);
		break;
	case 3:
		strbuf_addf(b, "l%u = l%u.delete((%u, 1)); n%u = n%u.delete((%u, 1));\n",
		    i, j, x, i, j, x);
		break;
	case 4:
		strbuf_addf(b,
		    "for int a in p%u do p%u.prepend(a + %u);\n"
		    "for int a in m%u do m%u = pre(m%u, a + %u);\n",
		    i, j, x, i, j, j, x);
		break;
	case 5:
		strbuf_addf(b,
		    "for pair a in l%u do l%u.add((a.asn + %u, 1));\n"
		    "for pair a in n%u do n%u = app(n%u, (a.asn + %u, 1));\n",
		    i, j, x, i, j, j, x);
		break;
	case 6:
		strbuf_addf(b, "p%u = keep(p%u); m%u = m%u;\n", i, j, i, j);
		break;
	case 7: /* the argument reads the path that grows */
		strbuf_addf(b,
		    "p%u.prepend(grown(p%u, %u)); m%u = pre(m%u, grown(m%u, %u));\n", i,
		    i, x, i, i, i, x);
		break;
	case 8:
		strbuf_addf(
		    b, "l%u.add((%u, 1)); n%u = app(n%u, (%u, 1));\n", i, x, i, i, x);
		break;
	default: /* long enough for more than one segment */
		strbuf_addf(b,
		    "for int a in bgp_path do { p%u.prepend(a); m%u = pre(m%u, a); }\n",
		    i, i, i);
	}
	strbuf_addf(b, "if p%u != m%u || l%u != n%u || p%u.len != m%u.len then reject;\n",
	    i, i, i, i, j, j);
}

/* A value that was copied from a growing variable stays as it was. */
static void
test_copies(void **state)
{
	struct seed s = seed_start("test_vm_bounds");

	(void)state;
	for (unsigned n = 0; n < 40; n++) {
		struct strbuf b;

		strbuf_init(&b);
		strbuf_adds(&b,
		    "filter steps 100000000;\n"
		    "function pre(bgppath q; int x) -> bgppath { return q.prepend(x); }\n"
		    "function app(clist q; pair x) -> clist { return q.add(x); }\n"
		    "function keep(bgppath q) -> bgppath { bgppath o = q; q.prepend(1); "
		    "q.prepend(2); return o; }\n"
		    "function grown(bgppath q; int x) -> int { q.prepend(x); "
		    "return q.len; }\n"
		    "filter f {\n");
		for (unsigned i = 0; i < 4; i++)
			strbuf_addf(&b,
			    "bgppath p%u; bgppath m%u; clist l%u; clist n%u;\n", i, i, i,
			    i);
		for (unsigned i = 0; i < 60; i++) {
			grow_round(&b, &s);
			/* bounds the length */
			strbuf_addf(&b,
			    "if p%u.len > 600 then { p%u = +empty+; m%u = +empty+; }\n",
			    i % 4, i % 4, i % 4);
		}
		for (unsigned i = 0; i < 4; i++)
			strbuf_addf(
			    &b, "if p%u != m%u || l%u != n%u then reject;\n", i, i, i, i);
		strbuf_adds(&b, "accept; }");
		check_accepts(b.s);
		strbuf_fini(&b);
	}
}

/* What a filter prints is cut. */
static void
test_text(void **state)
{
	struct filter_rig g;

	(void)state;
	filter_rig_init(&g);
	assert_true(filter_rig_config(
	    &g, "filter f { " BIG " printn s, s; print s; accept s; }"));
	filter_rig_path(&g, path32);
	assert_int_equal(filter_rig_run(&g, "f"), FILTER_ACCEPT);
	assert_int_equal(g.log.len, 2 * (VM_TEXT_MAX + 1));
	filter_rig_fini(&g);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_steps),
	cmocka_unit_test(test_work),
	cmocka_unit_test(test_depth),
	cmocka_unit_test(test_growth),
	cmocka_unit_test(test_81),
	cmocka_unit_test(test_copies),
	cmocka_unit_test(test_text),
};

UNIT_MAIN(tests)

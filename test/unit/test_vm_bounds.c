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
		"p.prepend(i)",
		"q = p.delete(i)",
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
		    "%s; accept; }",
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
	cmocka_unit_test(test_text),
};

UNIT_MAIN(tests)

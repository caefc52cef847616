/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The return of a function that led a filter to its reject: filter_decided_by and
 * filter_where, of filter/run/vm.c. */
#include "test/lib/filter_run.h"
#include "test/lib/unit.h"

/* the functions, each on a line of its own */
#define FUNCTIONS                                                                        \
	"function no() -> bool { return false; }\n"                                      \
	"function yes() -> bool { return true; }\n"                                      \
	"function any(int i) { if i = 1 then return true; if i = 2 then return \"a\";\n" \
	" return false; }\n"                                                             \
	"function same() -> bool { return no(); }\n"                                     \
	"function other() -> bool { return !yes(); }\n"                                  \
	"function both() -> bool { return no() && yes(); }\n"                            \
	"function nothing() { print \"called\"; }\n"

enum { LINE_NO = 1, LINE_YES = 2, LINE_ANY = 3 };

static void
test_decided(void **state)
{
	static const struct {
		const char *body, *function; /* NULL: no return decided */
		uint32_t line;
		bool returned;
	} list[] = {
		{ "if no() then accept; reject;", "no", LINE_NO, false },
		{ "if !yes() then accept; reject;", "yes", LINE_YES, true },
		{ "if yes() then reject; accept;", "yes", LINE_YES, true },
		/* operators: the operand that ends the evaluation */
		{ "if no() && yes() then accept; reject;", "no", LINE_NO, false },
		{ "if yes() && no() then accept; reject;", "no", LINE_NO, false },
		{ "if yes() || no() then reject; accept;", "yes", LINE_YES, true },
		{ "if no() || yes() then reject; accept;", "yes", LINE_YES, true },
		{ "if no() || no() then accept; reject;", "no", LINE_NO, false },
		/* the value of a condition that is not of a function */
		{ "if no() || net.len > 32 then accept; reject;", NULL, 0, false },
		/* two conditions: the last one */
		{ "if no() then accept; if yes() then reject; accept;", "yes", LINE_YES,
		    true },
		{ "if no() then accept; if net.len > 8 then reject; accept;", NULL, 0,
		    false },
		/* statements on the way */
		{ "if no() then accept; print \"x\"; reject;", "no", LINE_NO, false },
		{ "if yes() then { print \"x\"; } else { accept; } reject;", "yes",
		    LINE_YES, true },
		{ "if no() then accept; nothing(); reject;", NULL, 0, false },
		{ "if no() then accept; for int a in bgp_path do print a; reject;", NULL,
		    0, false },
		{ "bool b = no(); reject;", NULL, 0, false },
		/* a type that is known at run time */
		{ "if any(1) then reject; accept;", "any", LINE_ANY, true },
		{ "if any(3) then accept; reject;", "any", LINE_ANY + 1, false },
		{ "if any(1) && any(3) then accept; reject;", "any", LINE_ANY + 1,
		    false },
		{ "if any(2) then accept; reject;", NULL, 0, false },
		/* a value that is passed on */
		{ "if same() then accept; reject;", "no", LINE_NO, false },
		{ "if other() then accept; reject;", "yes", LINE_YES, true },
		{ "if both() then accept; reject;", "no", LINE_NO, false },
		{ "reject;", NULL, 0, false },
	};
	struct filter_decided got;
	struct filter_rig g;
	char text[2048];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		filter_rig_init(&g);
		snprintf(text, sizeof(text), FUNCTIONS "filter f { %s }\n", list[i].body);
		assert_true(filter_rig_config(&g, text));
		assert_int_equal(filter_rig_run(&g, "f"), FILTER_REJECT);
		got = filter_decided_by(g.thread, sym_find(g.cfg->symbols, "f")->filter);
		if (!list[i].function) {
			if (got.function)
				print_error("%s: %s\n", list[i].body, got.function);
			assert_null(got.function);
		} else {
			if (!got.function)
				print_error("%s\n", list[i].body);
			assert_non_null(got.function);
			assert_string_equal(got.function, list[i].function);
			assert_int_equal(got.line, list[i].line);
			assert_int_equal(got.returned, list[i].returned);
			assert_string_equal(got.file, CONF_TEXT);
		}
		filter_rig_fini(&g);
	}
}

/* The import filter of the only static protocol of the configuration. */
static const struct filter *
test_vm_decided_import(const struct filter_rig *g)
{
	for (unsigned i = 0; i < g->cfg->proto_cnt; i++)
		if (g->cfg->proto[i]->kind == PROTO_STATIC)
			return g->cfg->proto[i]->chan->import;
	return NULL;
}

static void
test_where(void **state)
{
	/* the protocol begins in line 10 */
	static const struct {
		const char *cond;
		uint32_t line;
	} list[] = {
		{ "no()", LINE_NO },
		{ "!yes()", LINE_YES },
		{ "no() && yes()", LINE_NO },
		{ "yes() && no()", LINE_NO },
		{ "no() || same()", LINE_NO },
		{ "any(3)", LINE_ANY + 1 },
		{ "any(1) && any(3)", LINE_ANY + 1 },
		{ "same()", LINE_NO },
		{ "other()", LINE_YES },
		{ "both()", LINE_NO },
		/* no return decided: the place of the condition */
		{ "net.len > 32", 9 },
		{ "no() || net.len > 32", 9 },
		{ "yes() && net.len > 32", 9 },
	};
	const struct filter *f;
	struct filter_rig g;
	const char *file;
	char text[2048];
	uint32_t line;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		filter_rig_init(&g);
		snprintf(text, sizeof(text),
		    FUNCTIONS "protocol static { ipv4 { import where %s; }; }\n",
		    list[i].cond);
		assert_true(filter_rig_config(&g, text));
		f = test_vm_decided_import(&g);
		assert_int_equal(
		    filter_run(f, g.thread, &g.env, &g.view, &g.edit, &g.reads),
		    FILTER_REJECT);
		assert_true(filter_where(g.thread, f, &file, &line));
		if (line != list[i].line)
			print_error("%s\n", list[i].cond);
		assert_int_equal(line, list[i].line);
		assert_null(filter_decided_by(g.thread, f).function);
		filter_rig_fini(&g);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decided),
		cmocka_unit_test(test_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands of ternc: abbreviations, help, completion. */
#include "client/cmd.c"
#include "test/lib/unit.h"

static void
expand(const char *line, enum cmd_kind kind, const char *want)
{
	struct strbuf out;

	strbuf_init(&out);
	assert_int_equal(cmd_expand(&out, line), kind);
	if (want)
		assert_string_equal(out.s, want);
	strbuf_fini(&out);
}

static void
test_expand(void **state)
{
	(void)state;
	expand("show status", CMD_SEND, "show status");
	expand("  sh   mem ", CMD_SEND, "show memory");
	expand("sh ro co", CMD_SEND, "show route count");
	expand("sh r", CMD_SEND, "show route");
	expand("sh reasons p", CMD_SEND, "show reasons p");
	expand("sh m", CMD_SEND, "show memory");
	expand("sh mem", CMD_SEND, "show memory");
	expand("sh memb p down", CMD_SEND, "show members p down");
	expand("show members", CMD_SEND, "show members");
	expand("sh ro 10.0.0.0/8", CMD_SEND, "show route 10.0.0.0/8");
	expand("sh roa ch 10.0.0.0/8 as 5 pa 7 5 ta t asp tab a", CMD_SEND,
	    "show roa check 10.0.0.0/8 as 5 path 7 5 table t aspa table a");
	expand("sh pr a p1", CMD_SEND, "show protocols all p1");
	expand("conf", CMD_SEND, "configure");
	expand("co so", CMD_SEND, "configure soft");
	expand("configure \"a  b\"", CMD_SEND, "configure \"a  b\"");
	expand("", CMD_EMPTY, "");
	expand(" # show status", CMD_EMPTY, "");
	expand("q", CMD_QUIT, NULL);
	expand("exit", CMD_QUIT, NULL);
}

static void
test_json(void **state)
{
	struct strbuf out;
	enum cmd_names names;

	(void)state;
	expand("json show status", CMD_SEND, "json show status");
	expand("js sh ro co", CMD_SEND, "json show route count");
	expand("json sh pr a p1", CMD_SEND, "json show protocols all p1");
	expand("json configure", CMD_UNKNOWN, NULL);
	expand("json quit", CMD_UNKNOWN, NULL);
	expand("json nosuch", CMD_UNKNOWN, NULL);
	expand("json show ?", CMD_LIST, NULL);
	strbuf_init(&out);
	assert_int_equal(cmd_words(&out, &names, "json ", ""), 1);
	assert_string_equal(out.s, "show");
	strbuf_reset(&out);
	assert_int_equal(cmd_words(&out, &names, "json show ", "heal"), 1);
	assert_string_equal(out.s, "health");
	strbuf_reset(&out);
	assert_int_equal(cmd_print_help(&out, "json"), 2);
	strbuf_reset(&out);
	assert_int_equal(cmd_print_help(&out, "json show status"), 1);
	strbuf_fini(&out);
}

static void
test_arguments_stay(void **state)
{
	(void)state;
	/* Names after an option that takes one, and everything in an expression. */
	expand("show route protocol co co", CMD_SEND, "show route protocol co count");
	expand("sh ro t al", CMD_SEND, "show route table al");
	expand("sh ro al wh  net ~ [ 1.0.0.0/8+ ]  &&  co = 1", CMD_SEND,
	    "show route all where net ~ [ 1.0.0.0/8+ ]  &&  co = 1");
	expand("show route filter { al; } co", CMD_SEND, "show route filter { al; } co");
	expand("show route for 10.0.0.1 al", CMD_SEND, "show route for 10.0.0.1 all");
	expand("sh ro why 10.0.0.0/8 from a to b t co", CMD_SEND,
	    "show route why 10.0.0.0/8 from a to b table co");
	expand("sh ro w net.len = 8", CMD_SEND, "show route where net.len = 8");
	/* Two options begin so: the daemon will complain. */
	expand("show route p", CMD_SEND, "show route p");
	/* A protocol may be called "a": only the whole word means all of them. */
	expand("disable a", CMD_SEND, "disable a");
	expand("enable 'p 1' \"co\"", CMD_SEND, "enable 'p 1' \"co\"");
	expand("show symbols tab", CMD_SEND, "show symbols tab");
	expand("eval  co  + 1", CMD_SEND, "eval co  + 1");
}

static void
test_refused(void **state)
{
	(void)state;
	expand("show", CMD_UNKNOWN, NULL);
	expand("show roa", CMD_UNKNOWN, NULL);
	expand("s", CMD_UNKNOWN, NULL);
	expand("SHOW STATUS", CMD_UNKNOWN, NULL);
	expand("show nosuch", CMD_UNKNOWN, NULL);
	expand("nosuch", CMD_UNKNOWN, NULL);
	expand("re p1", CMD_AMBIGUOUS, "re");
	expand("co c", CMD_AMBIGUOUS, "co c");
}

static unsigned
count_help(const char *line, const char *has)
{
	struct strbuf out;
	unsigned cnt;

	strbuf_init(&out);
	cnt = cmd_print_help(&out, line);
	if (has)
		assert_non_null(strstr(out.s, has));
	strbuf_fini(&out);
	return cnt;
}

static void
test_help(void **state)
{
	(void)state;
	expand("sh ?", CMD_LIST, "sh ");
	expand("?", CMD_LIST, "");
	expand("help show route", CMD_HELP, "show route");
	/* A mask of AS paths may end in one. */
	expand("show route where bgp_path ~ [= * ? ", CMD_SEND,
	    "show route where bgp_path ~ [= * ?");
	assert_true(count_help("", "configure") > 10);
	assert_int_equal(count_help("show status", "show status"), 1);
	/* an option a line, behind the line of the command */
	assert_int_equal(count_help("show protocols all",
			     "\n    <protocol>\n    \"<pattern>\"\n"
			     "    where <field> <op> <value>\n    sort <field>\n"),
	    5);
	assert_int_equal(count_help("show static", "Static routes"), 2);
	assert_true(count_help("show route", "\n    for <prefix or address>\n") > 15);
	count_help("show route ",
	    "\n    why <prefix> [from <protocol>] [to <protocol>] [table <table>]\n");
	count_help("show route ", "\n    table (<table> | all)\n");
	count_help("debug ", "\n    (all | off | { states, routes, filters, interfaces, "
			     "events, packets })\n");
	assert_true(count_help("sh ", "show memory") > 4);
	assert_int_equal(count_help("nosuch", NULL), 0);
	assert_int_equal(count_help("re", "restart"), 3);
	assert_true(count_help("sh ro co", "show route") > 15);
}

/* Every command with a help text is found from the list of all commands. */
static void
test_help_all(void **state)
{
#define ROW(words, args, options, help) { words, help },
	static const struct {
		const char *words, *help;
	} row[] = { CMD_TABLE(ROW) };
#undef ROW
	struct strbuf all;

	(void)state;
	strbuf_init(&all);
	cmd_print_help(&all, "");
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		size_t len = strcspn(row[i].words, " ");
		const char *line = all.s;

		while (line && (strncmp(line, row[i].words, len) || line[len] != ' ')) {
			line = strchr(line, '\n');
			line = line ? line + 1 : NULL;
		}
		if (row[i].help[0] && !line)
			fail_msg("`?` leaves out %s", row[i].words);
	}
	strbuf_fini(&all);
}

/* Each line of a listing fits a terminal. */
static void
test_help_width(void **state)
{
	static const char *const line[] = { "", "show ", "show route ",
		"show bfd sessions ", "debug ", "configure ", "mrt dump ", "dump ",
		"timeformat " };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(line); i++) {
		struct strbuf out;
		const char *p, *end;

		strbuf_init(&out);
		assert_true(cmd_print_help(&out, line[i]) > 1);
		for (p = out.s; (end = strchr(p, '\n')); p = end + 1)
			assert_in_range(end - p, 1, 100);
		strbuf_fini(&out);
	}
}

static void
near(const char *line, const char *want)
{
	struct strbuf out;

	strbuf_init(&out);
	assert_int_equal(cmd_near(&out, line), want != NULL);
	assert_string_equal(out.s, want ? want : "");
	strbuf_fini(&out);
}

static void
test_near(void **state)
{
	(void)state;
	near("shwo route", "show");
	near("show rotue all", "show route");
	near("sh memroy", "show memory");
	near("dump filtre", "dump filter");
	near("json show statsu", "show status");
	near("show nosuch", NULL);
	near("nosuch", NULL);
	near("show route nosuch", NULL);
	near("", NULL);
}

/* The words that may follow, with blanks between them. */
static void
words(const char *before, const char *part, enum cmd_names names, const char *want)
{
	struct strbuf out;
	enum cmd_names got;

	strbuf_init(&out);
	cmd_words(&out, &got, before, part);
	for (size_t i = 0; i < out.len; i++)
		if (out.s[i] == '\0')
			out.s[i] = ' ';
	assert_string_equal(out.s, want);
	assert_int_equal(got, names);
	strbuf_fini(&out);
}

static void
test_words(void **state)
{
	(void)state;
	words("", "e", CMD_NAMES_NONE, "exit enable echo eval ");
	words("sh ", "s", CMD_NAMES_NONE, "status symbols shadow static ");
	words("show protocols ", "", CMD_NAMES_PROTOCOL, "all where sort ");
	words("show route ", "pr", CMD_NAMES_NONE, "primary protocol preexport ");
	words("sh ro prot ", "", CMD_NAMES_PROTOCOL, "");
	words("show ", "ro", CMD_NAMES_NONE, "route roa ");
	words("show roa ", "", CMD_NAMES_NONE, "check ");
	words("show roa check 10.0.0.0/8 ", "", CMD_NAMES_NONE, "as path table aspa ");
	words("show roa check 10.0.0.0/8 as 5 table ", "", CMD_NAMES_TABLE, "");
	words("show route table ", "m", CMD_NAMES_TABLE, "");
	words("show route where ", "", CMD_NAMES_ANY, "");
	words("show route where net ", "", CMD_NAMES_ANY, "");
	words("eval ", "B", CMD_NAMES_ANY, "");
	words("eval 1 + ", "B", CMD_NAMES_ANY, "");
	words("debug p1 { ", "s", CMD_NAMES_PROTOCOL, "states ");
	words("debug p1 { routes, ", "f", CMD_NAMES_PROTOCOL, "filters ");
	words("disable ", "a", CMD_NAMES_PROTOCOL, "all ");
	words("nosuch ", "", CMD_NAMES_NONE, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_expand),
	cmocka_unit_test(test_json),
	cmocka_unit_test(test_arguments_stay),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_help),
	cmocka_unit_test(test_help_all),
	cmocka_unit_test(test_help_width),
	cmocka_unit_test(test_near),
	cmocka_unit_test(test_words),
};

UNIT_MAIN(tests)

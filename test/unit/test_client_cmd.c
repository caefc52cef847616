/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands of ternc: abbreviations, help, completion. */
#include "client/cmd.c"
#include "test/lib/unit.h"

static void
test_client_cmd_expand(const char *line, enum cmd_kind kind, const char *want)
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
	test_client_cmd_expand("show status", CMD_SEND, "show status");
	test_client_cmd_expand("  sh   mem ", CMD_SEND, "show memory");
	test_client_cmd_expand("sh ro co", CMD_SEND, "show route count");
	test_client_cmd_expand("sh r", CMD_SEND, "show route");
	test_client_cmd_expand("sh reasons p", CMD_SEND, "show reasons p");
	test_client_cmd_expand("sh m", CMD_SEND, "show memory");
	test_client_cmd_expand("sh mem", CMD_SEND, "show memory");
	test_client_cmd_expand("sh memb p down", CMD_SEND, "show members p down");
	test_client_cmd_expand("show members", CMD_SEND, "show members");
	test_client_cmd_expand("sh ro 10.0.0.0/8", CMD_SEND, "show route 10.0.0.0/8");
	test_client_cmd_expand("sh roa ch 10.0.0.0/8 as 5 pa 7 5 ta t asp tab a",
	    CMD_SEND, "show roa check 10.0.0.0/8 as 5 path 7 5 table t aspa table a");
	test_client_cmd_expand("sh pr a p1", CMD_SEND, "show protocols all p1");
	test_client_cmd_expand("conf", CMD_SEND, "configure");
	test_client_cmd_expand("co so", CMD_SEND, "configure soft");
	test_client_cmd_expand("configure \"a  b\"", CMD_SEND, "configure \"a  b\"");
	test_client_cmd_expand("", CMD_EMPTY, "");
	test_client_cmd_expand(" # show status", CMD_EMPTY, "");
	test_client_cmd_expand("q", CMD_QUIT, NULL);
	test_client_cmd_expand("exit", CMD_QUIT, NULL);
}

static void
test_json(void **state)
{
	struct strbuf out;
	enum cmd_names names;

	(void)state;
	test_client_cmd_expand("json show status", CMD_SEND, "json show status");
	test_client_cmd_expand("js sh ro co", CMD_SEND, "json show route count");
	test_client_cmd_expand("json sh pr a p1", CMD_SEND, "json show protocols all p1");
	test_client_cmd_expand("json configure", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("json quit", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("json nosuch", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("json show ?", CMD_LIST, NULL);
	strbuf_init(&out);
	assert_int_equal(cmd_words(&out, &names, "json ", ""), 2);
	assert_memory_equal(out.s, "show\0subscribe", sizeof("show\0subscribe"));
	strbuf_reset(&out);
	assert_int_equal(cmd_words(&out, &names, "json show ", "heal"), 1);
	assert_string_equal(out.s, "health");
	strbuf_reset(&out);
	assert_int_equal(cmd_print_help(&out, "json"), 3);
	strbuf_reset(&out);
	assert_int_equal(cmd_print_help(&out, "json show status"), 1);
	strbuf_fini(&out);
}

static void
test_arguments_stay(void **state)
{
	(void)state;
	/* Names after an option that takes one, and everything in an expression. */
	test_client_cmd_expand(
	    "show route protocol co co", CMD_SEND, "show route protocol co count");
	test_client_cmd_expand("sh ro t al", CMD_SEND, "show route table al");
	test_client_cmd_expand("sh ro al wh  net ~ [ 1.0.0.0/8+ ]  &&  co = 1", CMD_SEND,
	    "show route all where net ~ [ 1.0.0.0/8+ ]  &&  co = 1");
	test_client_cmd_expand(
	    "show route filter { al; } co", CMD_SEND, "show route filter { al; } co");
	test_client_cmd_expand(
	    "show route for 10.0.0.1 al", CMD_SEND, "show route for 10.0.0.1 all");
	test_client_cmd_expand("sh ro why 10.0.0.0/8 from a to b t co", CMD_SEND,
	    "show route why 10.0.0.0/8 from a to b table co");
	test_client_cmd_expand(
	    "sh ro w net.len = 8", CMD_SEND, "show route where net.len = 8");
	/* Two options begin so: the daemon will complain. */
	test_client_cmd_expand("show route p", CMD_SEND, "show route p");
	/* A protocol may be called "a": only the whole word means all of them. */
	test_client_cmd_expand("disable a", CMD_SEND, "disable a");
	test_client_cmd_expand("enable 'p 1' \"co\"", CMD_SEND, "enable 'p 1' \"co\"");
	test_client_cmd_expand("show symbols tab", CMD_SEND, "show symbols tab");
	test_client_cmd_expand("eval  co  + 1", CMD_SEND, "eval co  + 1");
}

static void
test_refused(void **state)
{
	(void)state;
	test_client_cmd_expand("show", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("show roa", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("s", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("SHOW STATUS", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("show nosuch", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("nosuch", CMD_UNKNOWN, NULL);
	test_client_cmd_expand("re p1", CMD_AMBIGUOUS, "re");
	test_client_cmd_expand("co c", CMD_AMBIGUOUS, "co c");
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
	test_client_cmd_expand("sh ?", CMD_LIST, "sh ");
	test_client_cmd_expand("?", CMD_LIST, "");
	test_client_cmd_expand("help show route", CMD_HELP, "show route");
	/* A mask of AS paths may end in one. */
	test_client_cmd_expand("show route where bgp_path ~ [= * ? ", CMD_SEND,
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
	    "\n    why <prefix> [from <protocol>] [to <protocol> [with <communities>]] "
	    "[table <table>]\n");
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
test_client_cmd_near(const char *line, const char *want)
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
	test_client_cmd_near("shwo route", "show");
	test_client_cmd_near("show rotue all", "show route");
	test_client_cmd_near("sh memroy", "show memory");
	test_client_cmd_near("dump filtre", "dump filter");
	test_client_cmd_near("json show statsu", "show status");
	test_client_cmd_near("show nosuch", NULL);
	test_client_cmd_near("nosuch", NULL);
	test_client_cmd_near("show route nosuch", NULL);
	test_client_cmd_near("", NULL);
}

/* The words that may follow, with blanks between them. */
static void
test_client_cmd_words(
    const char *before, const char *part, enum cmd_names names, const char *want)
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
	test_client_cmd_words("", "e", CMD_NAMES_NONE, "exit enable echo eval ");
	test_client_cmd_words(
	    "sh ", "s", CMD_NAMES_NONE, "status symbols shadow static ");
	test_client_cmd_words(
	    "show protocols ", "", CMD_NAMES_PROTOCOL, "all where sort ");
	test_client_cmd_words(
	    "show route ", "pr", CMD_NAMES_NONE, "primary protocol preexport ");
	test_client_cmd_words("sh ro prot ", "", CMD_NAMES_PROTOCOL, "");
	test_client_cmd_words("show ", "ro", CMD_NAMES_NONE, "route roa ");
	test_client_cmd_words("show roa ", "", CMD_NAMES_NONE, "check ");
	test_client_cmd_words(
	    "show roa check 10.0.0.0/8 ", "", CMD_NAMES_NONE, "as path table aspa ");
	test_client_cmd_words(
	    "show roa check 10.0.0.0/8 as 5 table ", "", CMD_NAMES_TABLE, "");
	test_client_cmd_words("show route table ", "m", CMD_NAMES_TABLE, "");
	test_client_cmd_words("show route where ", "", CMD_NAMES_ANY, "");
	test_client_cmd_words("show route where net ", "", CMD_NAMES_ANY, "");
	test_client_cmd_words("eval ", "B", CMD_NAMES_ANY, "");
	test_client_cmd_words("eval 1 + ", "B", CMD_NAMES_ANY, "");
	test_client_cmd_words("debug p1 { ", "s", CMD_NAMES_PROTOCOL, "states ");
	test_client_cmd_words("debug p1 { routes, ", "f", CMD_NAMES_PROTOCOL, "filters ");
	test_client_cmd_words("disable ", "a", CMD_NAMES_PROTOCOL, "all ");
	test_client_cmd_words("nosuch ", "", CMD_NAMES_NONE, "");
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

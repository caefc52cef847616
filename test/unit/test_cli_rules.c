/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of control sockets against the parser of commands. The oracle is the parser
 * itself: a line runs a command without rules; a rule about the same command must refuse
 * the same line. */
#include "nest/cli/cli_serve.c"

#include "lib/mem/arena.h"
#include "nest/cli/cli_rules.h"
#include "nest/cli/cmd.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/daemon/commands.h"
#include "test/lib/unit.h"

#include <bsd/string.h>
#include <ctype.h>

/* ---- a session whose commands only note their names ---- */

static struct cmd all[2 * CMD_MAX], noted[2 * CMD_MAX];
static struct tern alone;
static struct cli_host host = { .path = "F" };
static struct cli_session session;
static struct conf_cli_rule rule[2];
static struct conf_cli sock = { .path = "F", .rule = rule };
static struct config conf_of_test = { .cli.at = &sock };
static struct config_ref ref = { .conf = &conf_of_test };
static char line_now[256], ran[64], args[256];

/* note_command - the words before the arguments are the command's. */
static void
note_command(struct cli_session *s, struct cli_scan *sc)
{
	struct cli_scan t;

	*ran = 0;
	cli_scan_init(&t, line_now);
	if (t.tok == TOK_WORD && !strcmp(t.text, "json"))
		cli_scan_step(&t);
	for (; t.at < sc->at && t.tok != TOK_END; cli_scan_step(&t)) {
		strlcat(ran, *ran ? " " : "", sizeof(ran));
		strlcat(ran, t.text, sizeof(ran));
	}
	strlcpy(args, sc->at, sizeof(args));
	(void)s;
}

static int
rules_set_up(void **state)
{
	unsigned cnt = 0;

	(void)state;
	for (const struct cmd *c = daemon_commands; c->words; c++)
		all[cnt++] = *c;
	for (const struct cmd *c = cmd_shadow_list; c->words; c++)
		all[cnt++] = *c;
	memcpy(noted, all, sizeof(noted));
	for (unsigned i = 0; i < cnt; i++)
		noted[i].fn = note_command;
	alone.control.commands = noted;
	session.tern = &alone;
	session.host = &host;
	session.conf = &ref;
	strbuf_init(&session.out);
	return 0;
}

static int
rules_tear_down(void **state)
{
	(void)state;
	strbuf_fini(&session.out);
	return 0;
}

/* runs - does the socket run the command of @line? With the rules @cnt of rule. */
static bool
test_cli_rules_runs(const char *line, unsigned cnt)
{
	strlcpy(line_now, line, sizeof(line_now));
	sock.rule_cnt = cnt;
	conf_of_test.cli.cnt = 1;
	*ran = 0;
	session.writer.code = 0;
	session.json = false;
	strbuf_reset(&session.out);
	if (cli_serve_clean(line_now))
		cmd_execute(&session, line_now);
	return *ran;
}

static bool
is_denied_reply(void)
{
	return strstr(session.out.s, "8007 Access denied") ||
	       strstr(session.out.s, "\"code\":8007");
}

static void
must_run(const char *line, bool want, unsigned cnt)
{
	bool does = test_cli_rules_runs(line, cnt);

	if (does == want && (does || is_denied_reply()))
		return;
	fail_msg("%s \"%s\"%s%s%s: '%s' %s: %s", rule[0].allow ? "allow" : "deny",
	    rule[0].words, cnt > 1 ? ", " : "", cnt > 1 ? rule[1].words : "",
	    cnt > 1 ? "" : "", line, does ? "ran" : "did not run", session.out.s);
}

static bool
is_of_session(const char *words)
{
	return strstr(" help quit exit restrict timeformat ", words) != NULL;
}

/* check_command - rules about whole commands, for a line of any spelling. */
static void
check_command(const char *line)
{
	char words[64], first[64];

	rule[0] = (struct conf_cli_rule){ .words = "" };
	if (!test_cli_rules_runs(line, 0))
		return; /* no command: an error for every client */
	strlcpy(words, ran, sizeof(words));
	strlcpy(first, ran, sizeof(first));
	first[strcspn(first, " ")] = 0;
	rule[0] = (struct conf_cli_rule){ .words = words };
	must_run(line, false, 1);
	rule[0].words = first;
	must_run(line, false, 1);
	rule[1] = (struct conf_cli_rule){ .words = words, .allow = true };
	must_run(line, strcmp(words, first) != 0, 2); /* the longer rule */
	rule[0].words = strcmp(words, "dump") ? "dump" : "eval";
	must_run(line, true, 1);
	rule[0].allow = true;
	must_run(line, is_of_session(words), 1);
	rule[0].words = words;
	sock.restricted = true;
	must_run(line, true, 1);
	sock.restricted = false;
}

/* is_typed - is the keyword @a, or @b if not NULL, a word of the arguments? *@first: the
 * first of the arguments. */
static bool
is_typed(const char *text, const char *a, const char *b, bool *first)
{
	struct cli_scan t;
	unsigned at = 0;

	*first = false;
	for (cli_scan_init(&t, text); t.tok != TOK_END; cli_scan_step(&t), at++)
		if (t.tok == TOK_WORD &&
		    (!strcmp(t.text, a) || (b && !strcmp(t.text, b)))) {
			*first = at == 0;
			return true;
		}
	return false;
}

/* The option of check_option. */
static const struct cmd *opt_cmd;
static char opt_rule[96], opt_word[32], opt_alias[32];
static bool opt_allow_only;

static void
check_option(const char *line)
{
	bool typed, first;

	rule[0] = (struct conf_cli_rule){ .words = "" };
	if (!test_cli_rules_runs(line, 0) || strcmp(ran, opt_cmd->words))
		return;
	typed = is_typed(args, opt_word, *opt_alias ? opt_alias : NULL, &first);
	rule[0] = (struct conf_cli_rule){ .words = opt_rule };
	if (!opt_allow_only)
		must_run(line, !typed, 1);
	rule[0].allow = true;
	must_run(line, (typed && first) || is_of_session(opt_cmd->words), 1);
}

/* ---- disguises ---- */

static void
spell_as(void (*fn)(const char *line), const char *fmt, const char *a, const char *b)
{
	char line[200];

	snprintf(line, sizeof(line), fmt, a, b);
	fn(line);
}

/* put_between - the words of @text with @glue instead of each blank. */
static void
put_between(char *to, size_t room, const char *text, const char *glue)
{
	*to = 0;
	for (; *text; text++) {
		char one[2] = { *text, 0 };

		strlcat(to, *text == ' ' ? glue : one, room);
	}
}

/* disguise - call @fn for many spellings of @text. @octets: glued to the words. */
static void
test_cli_rules_disguise(
    const char *text, const char *octets, void (*fn)(const char *line))
{
	static const char *const glue[] = { " ", "  ", "\t", " \t ", "/**/", " /* x */ ",
		"/* ' */", "\r ", "\f", "\v", "\xc2\xa0", "\\ ", "+", "%20" };
	static const char *const forms[] = { "%s%s", " %s%s", "\t%s%s", "/**/%s%s",
		"json %s%s", "json\t%s%s", " json  %s%s", "json/**/%s%s", "\r%s%s",
		"%s\r%s", "\"%s\"%s", "'%s'%s", "%s%sx", "%s \"%s", "%s '%s", "%s\"x\"%s",
		"%s'x'%s", "%s \"x\"%s", "%s\"\"%s", "%s{%s", "%s { x }%s", "%s #%s",
		"%s#%s", "%s/* */%s", "%s?%s", "%s ?%s", "%s;%s", "%s 1%s", "%s1%s",
		"%s 10.0.0.0/8%s", "%s::/0%s", "%s \"'\"%s", "%s '\"'%s" };
	char line[200], upper[200];

	for (unsigned i = 0; i < ARRAY_LEN(glue); i++) {
		put_between(line, sizeof(line), text, glue[i]);
		fn(line);
	}
	for (unsigned i = 0; i < ARRAY_LEN(forms); i++)
		spell_as(fn, forms[i], text, "");
	for (const char *o = octets; *o; o++) {
		char one[2] = { *o, 0 };

		spell_as(fn, "%s%s", text, one);
		spell_as(fn, "%s%sx", text, one);
		put_between(line, sizeof(line), text, one);
		fn(line);
	}
	for (size_t len = strlen(text); --len;) { /* abbreviations */
		strlcpy(line, text, len + 1);
		fn(line);
	}
	for (size_t i = 0; i <= strlen(text); i++)
		upper[i] = (char)toupper((unsigned char)text[i]);
	fn(upper);
}

static char octets_all[256], octets_few[] = "\t\r\"'!#$%&()*+,-./:;<=>?@[]^`{|}~\x7f\xff";

static void
test_commands(void **state)
{
	unsigned cnt = 0;

	(void)state;
	for (unsigned o = 1; o < 256; o++)
		if (o != '\n')
			octets_all[cnt++] = (char)o;
	for (const struct cmd *c = all; c->words; c++)
		test_cli_rules_disguise(c->words, octets_all, check_command);
}

/* for_options - @fn for each option of @c, in opt_*. */
static void
for_options(const struct cmd *c, void (*fn)(void))
{
	char options[512], *at = options, *o;

	opt_cmd = c;
	strlcpy(options, c->options ? c->options : "", sizeof(options));
	while ((o = strsep(&at, " "))) {
		char *slash;

		opt_allow_only = *o == '=';
		strlcpy(opt_word, o + opt_allow_only, sizeof(opt_word));
		*opt_alias = 0;
		if ((slash = strchr(opt_word, '/'))) {
			strlcpy(opt_alias, slash + 1, sizeof(opt_alias));
			*slash = 0;
		}
		snprintf(opt_rule, sizeof(opt_rule), "%s %s", c->words, opt_word);
		if (*opt_word)
			fn();
	}
}

static void
disguise_option(void)
{
	const char *const words[] = { opt_word, opt_alias };
	char line[200];

	for (unsigned i = 0; i < (*opt_alias ? 2 : 1); i++) {
		static const char *const before[] = { "", "x ", "'all' ", "\"all\" ",
			"{ x=1 } ", "10.0.0.0/8 " };

		for (unsigned k = 0; k < ARRAY_LEN(before); k++) {
			snprintf(line, sizeof(line), "%s %s%s", opt_cmd->words, before[k],
			    words[i]);
			test_cli_rules_disguise(
			    line, k ? "\"'{#" : octets_few, check_option);
		}
	}
}

static void
test_options(void **state)
{
	(void)state;
	for (const struct cmd *c = all; c->words; c++)
		for_options(c, disguise_option);
}

/* A socket without a statement in the configuration has no rights. */
static void
test_removed(void **state)
{
	(void)state;
	for (const struct cmd *c = all; c->words; c++) {
		rule[0] = (struct conf_cli_rule){ .words = "eval" };
		session.host->path = "G";
		must_run(c->words, false, 0);
		assert_true(cli_is_restricted(&session));
		assert_false(cmd_is_granted(&session, &conf_of_test, c->words));
		session.host->is_main = true;
		must_run(c->words, true, 0);
		assert_false(cli_is_restricted(&session));
		session.host->is_main = false;
		session.host->path = "F";
	}
}

static void
test_names(void **state)
{
	static const struct {
		const char *rule, *line;
		bool runs;
	} row[] = {
		{ "disable p1", "disable p1", true },
		{ "disable p1", "disable 'p1' hold \"x\"", true },
		{ "disable p1", "disable p1\"x\"", true },
		{ "disable p1", "disable p2", false },
		{ "disable p1", "disable all", false },
		{ "disable p1", "disable \"p1\"", false },
		{ "disable p1", "disable hold p1", false },
		{ "disable 'all'", "disable all", false },
		{ "disable 'all'", "disable 'all'", true },
		{ "disable all", "disable 'all'", false },
		{ "debug p1", "debug p1.ipv4 all", true },
		{ "show protocols all p1", "show protocols all p1", true },
		{ "show protocols all p1", "json show protocols all 'p1'", true },
		{ "show protocols all p1", "show protocols p1", false },
		{ "show protocols all p1", "show protocols all", false },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		rule[0] = (struct conf_cli_rule){ .words = row[i].rule, .allow = true };
		must_run(row[i].line, row[i].runs, 1);
	}
}

/* ---- the check of rules ---- */

static void
test_check(void **state)
{
	static const struct {
		const char *words, *fault; /* fault NULL: the rule is valid */
		bool allow;
	} row[] = {
		{ "dwon", "no command 'dwon'; did you mean 'down'?", false },
		{ "Down", "no command 'Down'; did you mean 'down'?", false },
		{ "downx", "no command 'downx'; did you mean 'down'?", false },
		{ "sho", "no command 'sho'; did you mean 'show'?", true },
		{ "show protcols all",
		    "no command 'show protcols all'; did you mean 'show protocols'?",
		    false },
		{ "show protocols al",
		    "command 'show protocols' has no option 'al'; did you mean 'all'?",
		    false },
		{ "configure chekc",
		    "command 'configure' has no option 'chekc'; did you mean 'check'?",
		    true },
		{ "down now", "command 'down' has no option 'now'", false },
		{ "json show", "no command 'json show'", false },
		{ "", "expected the first words of a command", false },
		{ " \t", "expected the first words of a command", true },
		{ "show 5", "expected the first words of a command", false },
		{ "show \"x\"", "expected the first words of a command", false },
		{ "down;", "expected the first words of a command", false },
		{ "enable peer8",
		    "command 'enable' has no option 'peer8'; did you mean 'peer1'?",
		    true },
		{ "enable peer1", NULL, true },
		{ "enable peer1",
		    "'deny' takes no 'peer1' of the command 'enable': other arguments "
		    "have "
		    "the same effect",
		    false },
		{ "enable all",
		    "'deny' takes no 'all' of the command 'enable': other arguments have "
		    "the same effect",
		    false },
		{ "enable 'peer1'", NULL, true },
		{ "show 'protocols'",
		    "no command 'show 'protocols''; did you mean 'show protocols'?",
		    false },
		{ " show \t protocols  all ", NULL, false },
		{ "show shadow", NULL, false },
		{ "show bfd", NULL, false },
		{ "show route exported", NULL, false },
	};
	static const struct cmd *const list[] = { all };
	char longer[2 * CLI_COMMAND_MAX] = "";
	struct arena a;
	struct sym_table names;
	struct strbuf b;

	(void)state;
	arena_init(&a, MEM_CONFIG, 4096);
	sym_table_init(&names, &a, NULL);
	sym_define(&names, "peer1", SYM_PROTOCOL, (struct src_pos){ "f", 1, 1 });
	strbuf_init(&b);
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		struct conf_cli_rule r = { .words = row[i].words, .allow = row[i].allow };
		bool ok;

		strbuf_reset(&b);
		ok = cli_rules_check(&b, &r, &names, list, 1);
		if (ok == !row[i].fault && (ok || !strcmp(b.s, row[i].fault)))
			continue;
		fail_msg("'%s': %s", row[i].words, b.s);
	}
	memset(longer, 'a', sizeof(longer) - 1); /* longer than any command */
	strbuf_reset(&b);
	assert_false(cli_rules_check(
	    &b, &(struct conf_cli_rule){ .words = longer }, &names, list, 1));
	strbuf_reset(&b);
	assert_true(cli_rules_check(&b,
	    &(struct conf_cli_rule){ .words = "\tshow  protocols\tall " }, &names, list,
	    1));
	assert_string_equal(b.s, "show protocols all");
	strbuf_fini(&b);
	arena_fini(&a);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_commands),
	cmocka_unit_test(test_options),
	cmocka_unit_test(test_removed),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_check),
};

int
main(void)
{
	return cmocka_run_group_tests(tests, rules_set_up, rules_tear_down);
}

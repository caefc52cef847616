/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keywords that commands ask the scanner for are those that rules of control sockets
 * may name: real commands of a whole daemon, and the words that the client completes. */
#define cli_scan_word scan_word /* the function below notes each keyword */
#include "nest/cli/cli_scan.c"
#undef cli_scan_word

#include "client/cmd_def.h"
#include "lib/mem/arena.h"
#include "nest/cli/cli_rules.h"
#include "nest/cli/cmd.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/daemon/commands.h"
#include "test/lib/cli_talk.h"

#include <pthread.h>

static const struct cmd *const list[] = { daemon_commands, cmd_shadow_list };

/* ---- the scanner notes the keywords that commands ask for ---- */

#define ASKED_MAX 4096

struct asked {
	char word[32];
	bool taken;
};

static struct asked asked[ASKED_MAX];
static unsigned asked_cnt;
static pthread_mutex_t asked_lock = PTHREAD_MUTEX_INITIALIZER;

bool cli_scan_word(struct cli_scan *sc, const char *w);

bool
cli_scan_word(struct cli_scan *sc, const char *w)
{
	bool taken = scan_word(sc, w);

	pthread_mutex_lock(&asked_lock);
	assert_true(asked_cnt < ASKED_MAX);
	strlcpy(asked[asked_cnt].word, w, sizeof(asked[0].word));
	asked[asked_cnt++].taken = taken;
	pthread_mutex_unlock(&asked_lock);
	return taken;
}

/* The words of the client are those of the rules. */
static void
test_client_words(void **state)
{
	static const struct {
		const char *words, *options;
	} client[] = {
#define X(words, args, options, help) { words, options },
		CMD_TABLE(X)
#undef X
	};
	/* of ternc itself, and commands that ternd does not answer */
	static const char own[] = ",json,watch,support,show mpls,show mpls ranges,";
	/* values of a mask */
	static const char values[] =
	    ",states,routes,filters,interfaces,events,packets,messages,all,off,";
	struct sym_table names;
	struct strbuf b;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_CONFIG, 4096);
	sym_table_init(&names, &a, NULL);
	strbuf_init(&b);
	for (unsigned i = 0; i < ARRAY_LEN(client); i++) {
		const char *words = client[i].words;
		char key[64], options[512], *at = options, *o;
		bool mask = strstr(words, "debug") || !strcmp(words, "mrtdump") ||
			    !strcmp(words, "echo");

		snprintf(key, sizeof(key), ",%s,", words);
		if (strstr(own, key))
			continue;
		strlcpy(options, client[i].options, sizeof(options));
		while ((o = strsep(&at, " "))) {
			char text[128];
			struct conf_cli_rule r = { .words = text, .allow = true };

			o[strcspn(o, "=!.~")] = 0;
			snprintf(key, sizeof(key), ",%s,", o);
			if (*o && mask && strstr(values, key))
				continue;
			snprintf(text, sizeof(text), "%s%s%s", words, *o ? " " : "", o);
			strbuf_reset(&b);
			if (!cli_rules_check(&b, &r, &names, list, 2))
				fail_msg("%s", b.s);
		}
	}
	strbuf_fini(&b);
	arena_fini(&a);
}

/* ---- real commands ---- */

/* free_word - a word that is no option: a field of a condition, a class of a mask. */
static bool
free_word(const char *command, const char *word)
{
	static const char fields[] =
	    ",name,protocol,state,since,routes,filtered,exported,preferred,stale,dirty,"
	    "and,";
	char key[64];

	snprintf(key, sizeof(key), ",%s,", word);
	if (!strcmp(command, "show protocols") || !strcmp(command, "show reasons"))
		return strstr(fields, key);
	/* `dump` runs other commands with words of its own */
	return !strcmp(command, "dump") || !strcmp(command, "help") ||
	       !strcmp(command, "echo") || !strcmp(command, "debug") ||
	       !strcmp(command, "mrtdump");
}

static char opt_rule[96];

/* is_option - *@denies: `deny` takes the word, too. */
static bool
is_option(const struct cmd *c, const char *word, bool *denies)
{
	struct conf_cli_rule r = { .words = opt_rule };
	struct sym_table none = { 0 };
	struct strbuf b;
	struct arena a;
	bool ok;

	arena_init(&a, MEM_CONFIG, 4096);
	sym_table_init(&none, &a, NULL);
	strbuf_init(&b);
	snprintf(opt_rule, sizeof(opt_rule), "%s %s", c->words, word);
	*denies = cli_rules_check(&b, &r, &none, list, 2);
	r.allow = true;
	ok = cli_rules_check(&b, &r, &none, list, 2);
	strbuf_fini(&b);
	arena_fini(&a);
	return ok;
}

static char fault[256]; /* the first fault of a real command */

/* check_real - @line has run with all rights: each word that the command has asked for is
 * an option; a denial of a word that the command has taken refuses the line. */
static void
check_real(const struct cmd *c, const char *line)
{
	unsigned words = 1;
	struct cli_scan t;

	for (const char *p = c->words; *p; p++)
		words += *p == ' ';
	cli_scan_init(&t, line);
	for (unsigned i = 0; i < words; i++)
		cli_scan_step(&t);
	for (unsigned i = 0; i < asked_cnt && !*fault; i++) {
		struct conf_cli_rule r = { .words = opt_rule };
		struct conf_cli one = { .rule = &r, .rule_cnt = 1 };
		const char *word = asked[i].word;
		bool denies;

		if (free_word(c->words, word))
			continue;
		if (!is_option(c, word, &denies))
			snprintf(fault, sizeof(fault), "'%s': '%s' is no option of '%s'",
			    line, word, c->words);
		else if (asked[i].taken && denies &&
			 cli_rules_verdict(&one, c, &t) != CLI_REFUSED)
			snprintf(fault, sizeof(fault), "'%s' passes by deny \"%s\"", line,
			    opt_rule);
	}
}

static struct cmd noted[CMD_MAX];
static const struct cmd *now; /* under way */

/* begin_real - forget the keywords of the commands' own words. */
static void
begin_real(struct cli_session *s, struct cli_scan *sc)
{
	pthread_mutex_lock(&asked_lock);
	asked_cnt = 0;
	pthread_mutex_unlock(&asked_lock);
	now->fn(s, sc);
}

static int real_fd;

static void
ask_real(const struct cmd *c, const char *line)
{
	now = c;
	cli_talk_ask(real_fd, line);
	pthread_mutex_lock(&asked_lock);
	check_real(c, line);
	pthread_mutex_unlock(&asked_lock);
}

/* option_words - all keywords of @c, and an empty word. Returns: their number. */
static unsigned
option_words(const struct cmd *c, char word[64][32])
{
	char options[512], *at = options, *o;
	unsigned cnt = 0;

	strlcpy(options, c->options ? c->options : "", sizeof(options));
	while ((o = strsep(&at, " /"))) {
		o += *o == '=';
		if (*o)
			strlcpy(word[cnt++], o, sizeof(word[0]));
	}
	strlcpy(word[cnt++], "", sizeof(word[0]));
	return cnt;
}

/* ends_session - a command after which no further command runs: the command ends the
 * session, or its reply does not end (test_subscribe.py and test_counters.py try such
 * commands). */
static bool
ends_session(const struct cmd *c)
{
	return strstr(",down,graceful restart,quit,exit,restrict,show shadow,"
		      "subscribe events,subscribe counters,subscribe routes,",
	    c->words);
}

static const struct cmd *
command_of(const char *words)
{
	for (const struct cmd *c = daemon_commands; c->words; c++)
		if (!strcmp(c->words, words))
			return c;
	fail_msg("no command '%s'", words);
	return NULL;
}

static void
test_real(void **state)
{
	static const char *const forms[] = { "%s %s %s", "%s %s f1 %s",
		"%s %s master4 %s", "%s %s \"f*\" %s" };
	char word[64][32], line[200];

	(void)state;
	for (unsigned i = 0; daemon_commands[i].words; i++) {
		noted[i] = daemon_commands[i];
		noted[i].fn = begin_real;
	}
	tern.control.commands = noted;
	real_fd = open_cli();
	now = command_of("disable");
	cli_talk_ask(real_fd, "disable all");
	for (const struct cmd *c = daemon_commands; c->words; c++) {
		unsigned cnt = ends_session(c) ? 0 : option_words(c, word);

		for (unsigned i = 0; i < cnt; i++)
			for (unsigned k = 0; k < cnt; k++)
				for (unsigned f = 0; f < ARRAY_LEN(forms); f++) {
					if (!strcmp(c->words, "dump") &&
					    strchr(forms[f], '"'))
						continue; /* would write a file */
					snprintf(line, sizeof(line), forms[f], c->words,
					    word[i], word[k]);
					ask_real(c, line);
				}
	}
	now = command_of("down");
	cli_talk_ask(real_fd, "down");
	close(real_fd);
	assert_int_equal(sem_wait(&all_gone.sem), 0);
	if (*fault)
		fail_msg("%s", fault);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_client_words),
	cmocka_unit_test(test_real),
};

int
main(void)
{
	return cmocka_run_group_tests(tests, cli_rig_set_up, cli_rig_tear_down);
}

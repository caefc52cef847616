/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which words are which command. Keywords are given in full here; the client expands
 * abbreviations. `json` may stand before those that show something.
 *
 * No state; in the session's loop. */
#include "nest/cli/cmd_list.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cmd_parse.h"
#include "nest/conf/config.h"
#include "nest/tern.h"

#include <stdio.h>

static void cmd_help(struct cli_session *s, struct cli_scan *sc);

static void
cmd_quit(struct cli_session *s, struct cli_scan *sc)
{
	if (!cli_at_end(s, sc))
		return;
	cli_end(s, CLI_DONE, "%s", "");
	cli_quit(s);
}

static void
cmd_restrict(struct cli_session *s, struct cli_scan *sc)
{
	if (!cli_at_end(s, sc))
		return;
	s->restricted = true;
	cli_end(s, CLI_RESTRICTED, "Access restricted");
}

static void
cmd_none_running(struct cli_session *s, struct cli_scan *sc, const char *name)
{
	(void)sc;
	cli_end(s, CLI_BAD_COMMAND, "There is no %s protocol running", name);
}

static void
cmd_ospf(struct cli_session *s, struct cli_scan *sc)
{
	cmd_none_running(s, sc, "OSPF");
}

static void
cmd_rip(struct cli_session *s, struct cli_scan *sc)
{
	cmd_none_running(s, sc, "RIP");
}

static void no_command(struct cli_session *s, const char *line, unsigned cnt);

static void
cmd_babel(struct cli_session *s, struct cli_scan *sc)
{
	cmd_none_running(s, sc, "Babel");
}

/* Longer ones first where one begins as another does. */
static const struct cmd command[] = {
	{ "show status", cmd_show_status, false, "Version, router id, times" },
	{ "show health", cmd_show_health, false, "Is something wrong?" },
	{ "show protocols", cmd_show_protocols, false, "State of the protocols" },
	{ "show route", cmd_show_route, false, "Routes" },
	{ "show reasons", cmd_show_reasons, false, "Why routes were kept back" },
	{ "show members", cmd_show_members, false, "Members and their routes" },
	{ "show memory", cmd_show_memory, false, "What memory is used for" },
	{ "show threads", cmd_show_threads, false, "Threads and what they cost" },
	{ "show table", cmd_show_table, false, "Counters of routing tables" },
	{ "show symbols", cmd_show_symbols, false, "Names of the configuration" },
	{ "show filter", cmd_show_filter, false,
	    "What is known of a filter or function" },
	{ "show roa check", cmd_show_roa_check, false, "Validity of a route, and why" },
	{ "show interfaces", cmd_show_interfaces, false, "Network interfaces" },
	{ "show bfd sessions", cmd_show_bfd, false, "BFD sessions" },
	{ "show ospf", cmd_ospf, false, NULL },
	{ "show rip", cmd_rip, false, NULL },
	{ "show babel", cmd_babel, false, NULL },
	{ "show static", cmd_show_static, false, "Static routes" },
	{ "configure", cmd_configure, true, "Read the configuration again" },
	{ "enable", cmd_enable, true, "Start protocols" },
	{ "disable", cmd_disable, true, "Stop protocols" },
	{ "restart", cmd_restart, true, "Stop protocols and start them again" },
	{ "reload", cmd_reload, true, "Run filters over all routes again" },
	{ "flush stale", cmd_flush_stale, true,
	    "Let routes go that are kept of BGP peers" },
	{ "restrict", cmd_restrict, false, "Only look from now on" },
	{ "down", cmd_down, true, "Stop the daemon" },
	{ "eval", cmd_eval, false, "Evaluate an expression" },
	{ "timeformat", cmd_timeformat, false, "How this session shows times" },
	{ "echo", cmd_echo, false, "Log lines come to this session, too" },
	{ "log reopen", cmd_log_reopen, true,
	    "Make log files anew that were moved away" },
	{ "debug", cmd_debug, true, "What of a protocol is traced in the log" },
	{ "mrtdump", cmd_mrtdump, true, "What of a protocol goes to the MRT file" },
	{ "mrt dump", cmd_mrt_dump, true, "Write a table to a file in MRT format" },
	{ "dump", cmd_dump, true, "What there is, to a file or to the log" },
	{ "graceful restart", cmd_graceful_restart, true,
	    "Stop the daemon, peers keep its routes" },
	{ "help", cmd_help, false, "This list, or the commands that begin with a word" },
	{ "quit", cmd_quit, false, "Leave" },
	{ "exit", cmd_quit, false, NULL },
};

#define COMMANDS_MAX (ARRAY_LEN(command) + CMD_PART_MAX)

/* command_at - the @i-th command of the daemon, those of its part last; NULL: there are
 * fewer. */
static const struct cmd *
command_at(const struct cli_session *s, unsigned i)
{
	const struct tern_part *p = s->tern->part;

	if (i < ARRAY_LEN(command))
		return &command[i];
	if (!p || i >= COMMANDS_MAX || !p->commands[i - ARRAY_LEN(command)].words)
		return NULL;
	return &p->commands[i - ARRAY_LEN(command)];
}

/* cmd_help - all commands, or those that begin with a word. */
static void
cmd_help(struct cli_session *s, struct cli_scan *sc)
{
	size_t len = sc->tok == TOK_WORD ? strlen(sc->text) : 0;
	const struct cmd *c;
	unsigned cnt = 0;

	for (unsigned i = 0; (c = command_at(s, i)); i++) {
		if (!c->help || strncmp(c->words, sc->text, len))
			continue;
		cli_say(s, CLI_HELP, "%-16s %s", c->words, c->help);
		cnt++;
	}
	if (cnt)
		cli_end(s, CLI_DONE, "%s", "");
	else
		no_command(s, sc->at, 0);
}

/* cmd_list_match - words of @words from the present token on. Returns: how many tokens
 * matched; *@whole: all of them. */
static unsigned
cmd_list_match(const char *words, struct cli_scan *sc, bool *whole)
{
	unsigned cnt = 0;
	char word[32];

	for (;;) {
		size_t len = strcspn(words, " ");

		memcpy(word, words, len);
		word[len] = 0;
		*whole = false;
		if (!cli_scan_word(sc, word))
			return cnt;
		cnt++;
		*whole = true;
		if (!words[len])
			return cnt;
		words += len + 1;
	}
}

/* `configure status` changes nothing. */
static bool
is_denied(const struct cmd *c, const struct cli_scan *sc)
{
	return c->denied && !(c->fn == cmd_configure && sc->tok == TOK_WORD &&
				!strcmp(sc->text, "status"));
}

/* takes_json - `json` before a show command. Returns: false after it has ended the reply:
 * it was no show command. */
static bool
takes_json(struct cli_session *s, const char **line)
{
	struct cli_scan sc;

	cli_scan_init(&sc, *line);
	s->json = cli_scan_word(&sc, "json");
	*line = sc.at;
	if (!s->json || (sc.tok == TOK_WORD && !strcmp(sc.text, "show")))
		return true;
	cli_syntax(s, &sc, "'show'");
	return false;
}

/* no_command - the first @cnt words of @line begin a command, the next word does not go
 * on with any. */
static void
no_command(struct cli_session *s, const char *line, unsigned cnt)
{
	const char *known[COMMANDS_MAX + 1];
	char word[COMMANDS_MAX][32];
	const struct cmd *c;
	struct cli_scan sc;
	unsigned known_cnt = 0;

	for (unsigned i = 0; (c = command_at(s, i)); i++) {
		const char *w = c->words;
		bool whole;

		cli_scan_init(&sc, line);
		if (cmd_list_match(w, &sc, &whole) != cnt)
			continue;
		for (unsigned k = 0; k < cnt; k++)
			w += strcspn(w, " ") + 1;
		snprintf(
		    word[known_cnt], sizeof(word[0]), "%.*s", (int)strcspn(w, " "), w);
		known[known_cnt] = word[known_cnt];
		known_cnt++;
	}
	known[known_cnt] = NULL;
	cli_scan_init(&sc, line);
	for (unsigned k = 0; k < cnt; k++)
		cli_scan_step(&sc);
	cmd_no_option(s, &sc, "command", known);
}

void
cmd_execute(struct cli_session *s, const char *line)
{
	const struct cmd *c;
	struct cli_scan sc;
	unsigned most = 0;
	bool whole;

	if (!takes_json(s, &line))
		return;
	for (unsigned i = 0; (c = command_at(s, i)); i++) {
		unsigned cnt;

		cli_scan_init(&sc, line);
		cnt = cmd_list_match(c->words, &sc, &whole);
		if (whole) {
			if (cli_is_restricted(s) && is_denied(c, &sc))
				cli_end(s, CLI_DENIED, "Access denied");
			else
				c->fn(s, &sc);
			return;
		}
		if (cnt > most)
			most = cnt;
	}
	no_command(s, line, most);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of each command. Keywords are complete; the client expands abbreviations.
 * `json` may precede commands that only show.
 *
 * No state; in the session's loop. Tested by test/unit/test_cli.c and
 * test/net/test_names.py. */
#include "nest/cli/cmd_list.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_rules.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cmd.h"
#include "nest/cli/cmd_parse.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"

#include <stdio.h>

static void cmd_no_command(struct cli_session *s, const char *line, unsigned cnt);

void
cmd_quit(struct cli_session *s, struct cli_scan *sc)
{
	if (!cli_at_end(s, sc))
		return;
	cli_end(s, CLI_DONE, "%s", "");
	cli_quit(s);
}

void
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

void
cmd_ospf(struct cli_session *s, struct cli_scan *sc)
{
	cmd_none_running(s, sc, "OSPF");
}

void
cmd_rip(struct cli_session *s, struct cli_scan *sc)
{
	cmd_none_running(s, sc, "RIP");
}

void
cmd_babel(struct cli_session *s, struct cli_scan *sc)
{
	cmd_none_running(s, sc, "Babel");
}

/* cmd_walk - the daemon's commands, then those of its part. */
struct cmd_walk {
	const struct cmd *at;
	const struct cmd *part; /* NULL: already walked, or no part */
};

static struct cmd_walk
cmd_walk_begin(const struct cli_session *s)
{
	const struct tern_part *p = s->tern->part;

	return (struct cmd_walk){ s->tern->control.commands, p ? p->commands : NULL };
}

/* cmd_walk_next - NULL: the walk has passed all commands. */
static const struct cmd *
cmd_walk_next(struct cmd_walk *w)
{
	if (!w->at->words && w->part) {
		w->at = w->part;
		w->part = NULL;
	}
	return w->at->words ? w->at++ : NULL;
}

/* cmd_help - list all commands, or commands that begin with a word. */
void
cmd_help(struct cli_session *s, struct cli_scan *sc)
{
	size_t len = sc->tok == TOK_WORD ? strlen(sc->text) : 0;
	const struct cmd *c;
	unsigned cnt = 0;

	for (struct cmd_walk cw = cmd_walk_begin(s); (c = cmd_walk_next(&cw));) {
		if (!c->help || strncmp(c->words, sc->text, len))
			continue;
		cli_say(s, CLI_HELP, "%-16s %s", c->words, c->help);
		cnt++;
	}
	if (cnt)
		cli_end(s, CLI_DONE, "%s", "");
	else
		cmd_no_command(s, sc->at, 0);
}

/* cmd_list_match - match the tokens from the present token on with @words. Returns:
 * number of matching tokens; *@whole: all words matched. */
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

static bool
cmd_is_denied(const struct cmd *c, const struct cli_scan *sc)
{
	return c->denied &&
	       !(c->shows && sc->tok == TOK_WORD && !strcmp(sc->text, c->shows));
}

/* cmd_has_objects - true: the command at @sc has replies of objects. */
static bool
cmd_has_objects(const struct cli_scan *sc)
{
	struct cli_scan next = *sc;

	if (sc->tok != TOK_WORD)
		return false;
	return !strcmp(sc->text, "show") || !strcmp(sc->text, "subscribe") ||
	       (cli_scan_word(&next, "configure") && cli_scan_word(&next, "preview"));
}

/* cmd_takes_json - read `json` before a command with objects. Returns: false: no such
 * command follows; the reply has ended. */
static bool
cmd_takes_json(struct cli_session *s, const char **line)
{
	struct cli_scan sc;

	cli_scan_init(&sc, *line);
	s->json = cli_scan_word(&sc, "json");
	*line = sc.at;
	if (!s->json || cmd_has_objects(&sc))
		return true;
	cli_syntax(s, &sc, "'show', 'subscribe' or 'configure preview'");
	return false;
}

/* cmd_no_command - the first @cnt words of @line begin a command, the next word does not
 * go on with any. */
static void
cmd_no_command(struct cli_session *s, const char *line, unsigned cnt)
{
	const char *known[CMD_MAX + 1];
	char word[CMD_MAX][32];
	const struct cmd *c;
	struct cli_scan sc;
	unsigned known_cnt = 0;

	for (struct cmd_walk cw = cmd_walk_begin(s); (c = cmd_walk_next(&cw));) {
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

/* cmd_socket_grants - does the socket of @s have the right to run @c under @conf? @sc:
 * at the arguments. A socket that @conf does not name was removed; its clients have no
 * rights until the server disconnects the clients. */
static bool
cmd_socket_grants(const struct cli_session *s, const struct config *conf,
    const struct cmd *c, const struct cli_scan *sc)
{
	const struct conf_cli *cf = config_find_cli(conf, s->host->path);

	if (s->host->is_main)
		return true;
	if (!cf)
		return false;
	switch (cli_rules_verdict(cf, c, sc)) {
	case CLI_REFUSED:
		return false;
	case CLI_ALLOWED:
		return true;
	default:
		return !cf->restricted || !cmd_is_denied(c, sc);
	}
}

bool
cmd_is_granted(const struct cli_session *s, const struct config *conf, const char *line)
{
	const struct cmd *c;
	struct cli_scan sc;
	bool whole;

	for (struct cmd_walk cw = cmd_walk_begin(s); (c = cmd_walk_next(&cw));) {
		cli_scan_init(&sc, line);
		(void)cmd_list_match(c->words, &sc, &whole);
		if (whole)
			return cmd_socket_grants(s, conf, c, &sc);
	}
	return false;
}

/* cmd_may_run - does the session have the right to run @c? `restrict` of the session
 * itself stands above the rules of the socket. */
static bool
cmd_may_run(const struct cli_session *s, const struct cmd *c, const struct cli_scan *sc)
{
	bool looks = c->shows && !strcmp(c->shows, CMD_LOOKS);

	return cmd_socket_grants(s, s->conf->conf, c, sc) &&
	       (!s->restricted || looks || !cmd_is_denied(c, sc));
}

void
cmd_execute(struct cli_session *s, const char *line)
{
	const struct cmd *c;
	struct cli_scan sc;
	unsigned most = 0;
	bool whole;

	if (!cmd_takes_json(s, &line))
		return;
	for (struct cmd_walk cw = cmd_walk_begin(s); (c = cmd_walk_next(&cw));) {
		unsigned cnt;

		cli_scan_init(&sc, line);
		cnt = cmd_list_match(c->words, &sc, &whole);
		if (whole) {
			if (!cmd_may_run(s, c, &sc))
				cli_end(s, CLI_DENIED, "Access denied");
			else
				c->fn(s, &sc);
			return;
		}
		if (cnt > most)
			most = cnt;
	}
	cmd_no_command(s, line, most);
}

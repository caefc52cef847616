/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion of commands.
 *
 * Where a protocol, a table or a filter may be named, the client asks the daemon with
 * `show symbols`, between two commands; so no name is stale, and the client keeps no
 * list. Tested by test/net/test_terminal.py.
 *
 * Loop: the only thread of ternc. */
#include "client/complete.h"
#include "client/cmd.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <readline/readline.h>

/* style: readline's callbacks have no argument of ours; set once by complete_init. */
static struct session *the_session;

/* Add the names of @symbols (lines of `show symbols`) that begin with @part. */
static unsigned
complete_add_names(struct strbuf *out, const struct strbuf *symbols, enum cmd_names names,
    const char *part)
{
	unsigned cnt = 0;

	for (const char *s = symbols->s; s < symbols->s + symbols->len;
	     s += strlen(s) + 1) {
		const char *class = strchr(s, '\t');
		size_t len = strcspn(s, " \t");

		if (!class || strncmp(s, part, strlen(part)) != 0 || len < strlen(part))
			continue;
		class ++;
		if (strcmp(class, "undefined") == 0 || strcmp(class, "constant") == 0 ||
		    (names == CMD_NAMES_PROTOCOL && strcmp(class, "protocol") != 0) ||
		    (names == CMD_NAMES_TABLE && strcmp(class, "routing table") != 0))
			continue;
		strbuf_add(out, s, len);
		strbuf_addc(out, '\0');
		cnt++;
	}
	return cnt;
}

/* complete_list - append to @out, each followed by a NUL, the words that may replace
 * @part, the last word of @line. Asks the daemon for names if names may stand there.
 * Returns: number of words. */
static unsigned
complete_list(struct session *s, struct strbuf *out, const char *line, const char *part)
{
	enum cmd_names names;
	struct strbuf before, symbols;
	unsigned cnt;

	strbuf_init(&before);
	strbuf_add(&before, line, strlen(line) - strlen(part));
	cnt = cmd_words(out, &names, before.s, part);
	strbuf_fini(&before);
	if (names == CMD_NAMES_NONE || session_lost(s))
		return cnt;
	strbuf_init(&symbols);
	if (session_ask(s, &symbols, "show symbols", CLI_SYMBOL) == 0)
		cnt += complete_add_names(out, &symbols, names, part);
	strbuf_fini(&symbols);
	return cnt;
}

/* complete_next_match - readline calls first with state 0, then until NULL; @list lives
 * in between. */
static char *
complete_next_match(const char *text, int state)
{
	static struct strbuf
	    list; /* style: kept between calls for readline, as it wants */
	static size_t pos;
	const char *match;

	if (state == 0) {
		char *line = strndup(rl_line_buffer, (size_t)rl_point);

		strbuf_fini(&list);
		pos = 0;
		complete_list(the_session, &list, line, text);
		free(line);
	}
	if (pos >= list.len)
		return NULL;
	match = list.s + pos;
	pos += strlen(match) + 1;
	return strdup(match);
}

static char **
complete_on(const char *text, int start, int end)
{
	(void)start;
	(void)end;
	rl_attempted_completion_over = 1;
	return rl_completion_matches(text, complete_next_match);
}

void
complete_init(struct session *s)
{
	the_session = s;
	rl_attempted_completion_function = complete_on;
	rl_variable_bind("show-all-if-ambiguous", "on");
	rl_completer_word_break_characters = " \t";
}

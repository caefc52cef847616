/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of ternc: expansion of abbreviations (the daemon accepts none), help and
 * completion. Loop: the only thread of ternc. */
#ifndef TERN_CLIENT_CMD_H
#define TERN_CLIENT_CMD_H

#include "lib/base/strbuf.h"

enum cmd_kind {
	CMD_SEND, /* the command is complete: send it */
	CMD_EMPTY, /* nothing but blanks or a comment */
	CMD_UNKNOWN, /* no such command, or an incomplete command */
	CMD_AMBIGUOUS, /* several commands begin with these words */
	CMD_QUIT,
	CMD_HELP,
	CMD_LIST, /* the line ended in "?": list the possible continuations */
};

/* cmd_expand - write @line with whole words instead of abbreviations into @out (emptied
 * first). Words that may be arguments are not changed: text after `where` or `filter`,
 * text in quotes, names of protocols, tables and so on. With CMD_AMBIGUOUS, CMD_LIST and
 * CMD_HELP @out is the argument for cmd_print_help. */
enum cmd_kind cmd_expand(struct strbuf *out, const char *line);

/* cmd_near - write the command up to the first unknown word, and the nearest known word,
 * into @out. Returns: false: no word is near. */
bool cmd_near(struct strbuf *out, const char *line);

/* cmd_print_help - append to @out one line for each command that begins with the words of
 * @line; the last word may be incomplete unless a blank follows. For a single command a
 * line for each option follows. Returns: lines added. */
unsigned cmd_print_help(struct strbuf *out, const char *line);

/* What the daemon's names may complete at some place. */
enum cmd_names { CMD_NAMES_NONE, CMD_NAMES_PROTOCOL, CMD_NAMES_TABLE, CMD_NAMES_ANY };

/* cmd_words - append to @out, each followed by a NUL, the words that may follow @before
 * (complete words, may be abbreviated) and begin with @part. Each word occurs once.
 * @names: the kind of the daemon's names that may also follow. Returns: words added. */
unsigned cmd_words(
    struct strbuf *out, enum cmd_names *names, const char *before, const char *part);

#endif

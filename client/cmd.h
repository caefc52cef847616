/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that ternc knows: it expands abbreviations (the daemon takes none), gives
 * help and completes. */
#ifndef TERN_CLIENT_CMD_H
#define TERN_CLIENT_CMD_H

#include "lib/base/strbuf.h"

enum cmd_kind {
	CMD_SEND, /* the command is complete: send it */
	CMD_EMPTY, /* nothing but blanks or a comment */
	CMD_UNKNOWN, /* no such command, or not a whole one */
	CMD_AMBIGUOUS, /* several commands begin like this */
	CMD_QUIT,
	CMD_HELP,
	CMD_LIST, /* it ended in "?": show what may follow */
};

/* cmd_expand - write the whole words for the abbreviations of @line into @out (emptied
 * first). Only words that can't be arguments are touched: text after `where` or `filter`,
 * in quotes, names of protocols, tables and so on stay as they are. With CMD_AMBIGUOUS,
 * CMD_LIST and CMD_HELP @out is what cmd_help wants. */
enum cmd_kind cmd_expand(struct strbuf *out, const char *line);

/* cmd_near - the command, to its first word that no command has, with the word that is
 * nearest instead, into @out. Returns: false: no word is near. */
bool cmd_near(struct strbuf *out, const char *line);

/* cmd_help - append to @out one line for each command that begins with the words of
 * @line; the last word may be a part of one, unless a blank follows. If that is a single
 * command, a line for each of its options follows. Returns: lines added. */
unsigned cmd_help(struct strbuf *out, const char *line);

/* What the daemon's names may complete at some place. */
enum cmd_names { CMD_NAMES_NONE, CMD_NAMES_PROTOCOL, CMD_NAMES_TABLE, CMD_NAMES_ANY };

/* cmd_words - append to @out, each with a NUL behind it, the words that may come after
 * @before (complete words, may be abbreviated) and begin with @part. Each word is there
 * once.
 * @names: of what the daemon knows names that may come too. Returns: words added. */
unsigned cmd_words(
    struct strbuf *out, enum cmd_names *names, const char *before, const char *part);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a command line, one at a time. The line is one command without its line end.
 *
 * Owner of struct cli_scan: the session, on the stack. Lives while a command is read.
 *
 * Pure functions; any thread that owns the struct cli_scan. */
#ifndef TERN_NEST_CLI_CLI_SCAN_H
#define TERN_NEST_CLI_CLI_SCAN_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"

#define CLI_EXPECT_END "the end of the command"

#define CLI_COMMAND_MAX 4094 /* octets of a command without its line end */

enum cli_tok {
	TOK_END,
	TOK_WORD, /* a keyword or a name */
	TOK_NAME, /* 'a name' */
	TOK_TEXT, /* "text" */
	TOK_NUM,
	TOK_IP4,
	TOK_IP6,
	TOK_CHAR,
	TOK_OPEN, /* text without its closing quote */
};

/* The position in a command line. Owner: the session, on the stack: nothing to free. */
struct cli_scan {
	const char *at; /* beginning of the present token */
	const char *next; /* behind the present token */
	enum cli_tok tok;
	struct ip_addr ip;
	uint64_t num; /* of TOK_NUM; at most 10^18 */
	char chr;
	char text[CLI_COMMAND_MAX + 1]; /* of WORD, NAME, TEXT */
};

/* cli_scan_init - look at the first token of @line. */
void cli_scan_init(struct cli_scan *sc, const char *line);
/* cli_scan_step - go to the next token. */
void cli_scan_step(struct cli_scan *sc);
/* cli_scan_skip - continue @len octets after the beginning of the present token. */
void cli_scan_skip(struct cli_scan *sc, size_t len);
/* cli_scan_word - step over the present token if it is the keyword @w. Returns: true: it
 * was. */
bool cli_scan_word(struct cli_scan *sc, const char *w);
/* cli_scan_char - step over the present token if it is the character @c. */
bool cli_scan_char(struct cli_scan *sc, char c);
bool cli_scan_is_name(const struct cli_scan *sc); /* WORD or NAME */
/* cli_scan_unexpected - the text of a CLI_BAD_COMMAND about the present token.
 * @expecting: NULL, or the allowed tokens; keywords stand in quotes, and the text
 * suggests the keyword nearest to a misspelled token. */
void cli_scan_unexpected(
    const struct cli_scan *sc, const char *expecting, struct strbuf *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replies on the control socket, in the form that birdc and other tools read:
 *
 *   1007-text    first line of code 1007, more follow
 *    text        (one blank) another line of the same code
 *   0000 text    (blank after the code) last line of the reply
 *   +text        unsolicited, before, between or after replies
 *
 * Lines end in LF. Lines of code CLI_JSON may have any length; other lines have at most
 * CLI_LINE_MAX octets. ternd writes the lines, ternc reads the lines.
 *
 * Loop: the loop that has the connection; in ternc the only thread. */
#ifndef TERN_LIB_WIRE_CLI_FRAME_H
#define TERN_LIB_WIRE_CLI_FRAME_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

#define CLI_LINE_MAX 512 /* octets of a line with code and LF */
/* longest line that the reader accepts; longer lines are truncated. The largest sets of
 * attributes and custom attributes give about 3 MB of JSON. */
#define CLI_READ_MAX (8u << 20)

/* Writer's state of one control session; zeros start a reply. Owner: the control session.
 * Life: embedded in the session. */
struct cli_writer {
	unsigned code; /* of the previous line of the reply; 0: none */
};

/* cli_put - write one line to @to (CLI_LINE_MAX octets; no NUL). @last: the line ends the
 * reply. @text has no line ends (cli_put replaces line ends by "?"); "<line overflow>"
 * under CLI_FAILED replaces a text that is too long. Returns: octets written. */
size_t cli_put(
    struct cli_writer *w, char *to, unsigned code, bool last, const char *text);

/* cli_put_head - write the head of a line that is not the last line of the reply to @to
 * (CLI_HEAD_MAX octets). The caller appends the text, without line ends, and LF. Returns:
 * octets written. */
#define CLI_HEAD_MAX 5
size_t cli_put_head(struct cli_writer *w, char *to, unsigned code);

/* A line from the socket. Owner: the reader. Life: by value; `text` is valid until the
 * next cli_read. */
struct cli_line {
	unsigned code; /* of the line, or of the continued line; 0 with async */
	bool last; /* last line of the reply */
	bool async; /* "+text" */
	bool cont; /* the line has no code */
	const char *text; /* NUL-terminated, in the reader */
	size_t len;
};

/* Reader's state: one connection of a client. Owner: the client's connection. Life:
 * embedded, until cli_reader_fini. */
struct cli_reader {
	/* private */
	unsigned code;
	struct strbuf line; /* the octets received so far */
	bool done; /* the line was returned; the next call clears the line */
};

void cli_reader_init(struct cli_reader *r);
void cli_reader_fini(struct cli_reader *r);
/* cli_read - take octets up to the end of one line. @line: filled if *@got; a line
 * outside a reply (no code, no line to continue) has code 0. Returns: octets taken of
 * @len; call again with the rest. */
size_t cli_read(
    struct cli_reader *r, const char *p, size_t len, struct cli_line *line, bool *got);

#endif

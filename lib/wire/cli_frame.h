/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replies on the control socket, as birdc and the tools around it read them:
 *
 *   1007-text    first line of code 1007, more follow
 *    text        (one blank) another line of the same code
 *   0000 text    (blank after the code) last line of the reply
 *   +text        said unasked, before, between or after replies
 *
 * Lines end in LF. Those of code CLI_JSON may be of any length, all others have
 * CLI_LINE_MAX octets at most. ternd writes them, ternc reads them. */
#ifndef TERN_LIB_WIRE_CLI_FRAME_H
#define TERN_LIB_WIRE_CLI_FRAME_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

#define CLI_LINE_MAX 512 /* octets of a line with code and LF */
/* longest line that the reader takes; a longer one is cut. The largest sets of
 * attributes and custom attributes make about 3 MB of JSON. */
#define CLI_READ_MAX (8u << 20)

/* Writer's state of one control session. Zeros are a good start of each reply. */
struct cli_writer {
	unsigned code; /* of the line before in this reply; 0: none */
};

/* cli_put - one line into @to (CLI_LINE_MAX octets; no NUL). @last: it ends the reply.
 * @text without line ends (they would become "?"); text that is too long is replaced by
 * "<line overflow>" under CLI_FAILED. Returns: octets written. */
size_t cli_put(
    struct cli_writer *w, char *to, unsigned code, bool last, const char *text);

/* cli_put_head - what stands before the text of a line that isn't the last, into @to
 * (CLI_HEAD_MAX octets). The caller writes the text, without line ends, and LF. Returns:
 * octets written. */
#define CLI_HEAD_MAX 5
size_t cli_put_head(struct cli_writer *w, char *to, unsigned code);

/* A line that was read. */
struct cli_line {
	unsigned code; /* of the line, or the one it continues; 0 with async */
	bool last; /* it ends the reply */
	bool async; /* "+text" */
	bool cont; /* it came without a code */
	const char *text; /* NUL-terminated, in the reader; valid until the next call */
	size_t len;
};

/* Reader's state: one connection of a client. */
struct cli_reader {
	/* private */
	unsigned code;
	struct strbuf line; /* as far as it has come */
	bool done; /* it was given away, and goes at the next call */
};

void cli_reader_init(struct cli_reader *r);
void cli_reader_fini(struct cli_reader *r);
/* cli_read - take octets up to the end of one line.
 * @line: filled if *@got; lines that are no reply (no code, nothing to continue) have
 * code 0. Returns: octets taken of @len; call again with the rest. */
size_t cli_read(
    struct cli_reader *r, const char *p, size_t len, struct cli_line *line, bool *got);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors and warnings about a text in tern's language, with positions. Only the owner
 * calls. Loop: the parser's thread. */
#ifndef TERN_FILTER_LANG_DIAG_H
#define TERN_FILTER_LANG_DIAG_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

struct ext_uses; /* filter/lang/ext.h */

#define DIAG_ERROR_MAX   20 /* errors of one pass */
#define DIAG_WARNING_MAX 100

/* A position in a source file. Lines and columns start at 1; line 0: no position. Owner:
 * the holder. Life: by value. */
struct src_pos {
	const char *file; /* lives as long as the holder of the position */
	uint32_t line, col;
};

/* A source text in memory, from which messages quote lines. Owner: the parser. Life:
 * until the text is parsed. Freed by: the parser. */
struct diag_file {
	struct diag_file *next;
	const char *name;
	const char *text;
	size_t len;
	/* position at which the scanner has replaced a character by NUL; NULL: no
	 * position */
	const char *hole;
	char hole_char;
	/* place of the file's `include`; file NULL: the main file */
	struct src_pos included;
	/* grows with each file; the parser opens the files of one pattern from the
	 * last */
	uint32_t number;
};

/* The place of a message, and the octets of the message. Owner: struct diag. Life:
 * embedded. */
struct diag_msg {
	struct src_pos at;
	bool error;
	uint32_t place_len; /* of text: "FILE:LINE:COL" */
	uint32_t text_len; /* in errors or warnings */
	uint32_t marked_len; /* in marked */
};

/* Messages in the order of the text: a message about an included file stands at the
 * place of the `include`. Owner: the parser. Life: one parse. Freed by: diag_fini. */
struct diag {
	/* "FILE:LINE:COL text\n" for each error, and for each warning */
	struct strbuf errors, warnings;
	/* the same errors and warnings, each followed by the line and a mark under the
	 * place (stderr) */
	struct strbuf marked;
	unsigned error_cnt, warning_cnt;
	/* of error_cnt: printed before, of one cause, as the uses of one unknown name
	 * are */
	unsigned repeat_cnt;
	/* the text is part of a command, not of a file: constant after diag_init */
	bool command;
	/* a parsed file is not open to the user who gets the messages. Set by the parser
	 * when the parser opens the file; from then on messages have a place and no
	 * words, because words may quote the file */
	bool withheld;
	/* the user who gets the messages; 0: a user who may read all files. Constant
	 * after diag_init */
	uint32_t reader_uid;
	/* collects the words that BIRD refuses; NULL: nobody asks, or the text is the
	 * value of a refused option */
	struct ext_uses *ext;
	unsigned place_len; /* octets of the first error's place, "FILE:LINE:COL" */
	/* private */
	const struct diag_file *files;
	struct diag_msg msg[DIAG_ERROR_MAX + DIAG_WARNING_MAX];
	unsigned msg_cnt, kept_error_cnt;
};

void diag_init(struct diag *d);
void diag_fini(struct diag *d);
/* diag_error - the first DIAG_ERROR_MAX errors of the text are kept, and all errors are
 * counted. Repeated errors about
 * one unknown name, one unsupported feature or one option of BIRD 1 are counted, too:
 * one error of each is kept. */
void diag_error(struct diag *d, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void diag_warning(struct diag *d, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* diag_end_text - the files of a parse close. Places of messages end with the files:
 * later messages stand behind the present messages. */
void diag_end_text(struct diag *d);
/* diag_unknown - report that no @what has the name @name. @near: a similar known name;
 * may be NULL. Files and commands have different wordings. */
void diag_unknown(struct diag *d, struct src_pos at, const char *what, const char *name,
    const char *near);
/* diag_no_such - the wording of commands, into @b. */
void diag_no_such(struct strbuf *b, const char *what, const char *name, const char *near);
/* diag_first - the first error without its newline, for `8002 F:LINE:COL text`; in @b. */
void diag_first(const struct diag *d, struct strbuf *b);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a text in tern's language: errors and warnings with their places.
 * Owner only. */
#ifndef TERN_FILTER_DIAG_H
#define TERN_FILTER_DIAG_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

#define DIAG_ERROR_MAX   20 /* errors of one pass */
#define DIAG_WARNING_MAX 100

/* A place in a source file. Lines and columns start at 1; line 0: no place. */
struct src_pos {
	const char *file; /* lives as long as what holds the position */
	uint32_t line, col;
};

/* A source text that is still in memory, so that lines can be quoted. */
struct diag_file {
	struct diag_file *next;
	const char *name;
	const char *text;
	size_t len;
	/* the scanner has put a NUL into the text here, over that character; NULL: it
	 * hasn't */
	const char *hole;
	char hole_char;
};

/* owner: who parses; freed by: diag_fini. */
struct diag {
	/* "FILE:LINE:COL text\n" for each error, and for each warning */
	struct strbuf errors, warnings;
	/* the same errors and warnings, each followed by the line and a mark under the
	 * place (stderr) */
	struct strbuf marked;
	unsigned error_cnt, warning_cnt;
	/* of error_cnt: told before, of one cause, as the uses of one unknown name are */
	unsigned repeat_cnt;
	/* the text is part of a command, not of a file: constant after diag_init */
	bool command;
	/* private */
	const struct diag_file *files;
};

void diag_init(struct diag *d);
void diag_fini(struct diag *d);
/* diag_error - beyond DIAG_ERROR_MAX errors are counted, not kept. So are errors about
 * one unknown name and one unsupported feature, but for the first of each. */
void diag_error(struct diag *d, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* diag_error_first - the same, before those that were told already: it is why they
 * came. */
void diag_error_first(struct diag *d, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void diag_warning(struct diag *d, struct src_pos at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* diag_unknown - no @what has the name @name. @near: a known name that is near; may be
 * NULL. Files and commands have a wording each. */
void diag_unknown(struct diag *d, struct src_pos at, const char *what, const char *name,
    const char *near);
/* diag_no_such - the wording of commands, into @b. */
void diag_no_such(struct strbuf *b, const char *what, const char *name, const char *near);
/* diag_first - the first error without its newline, for `8002 F:LINE:COL text`; in @b. */
void diag_first(const struct diag *d, struct strbuf *b);

#endif

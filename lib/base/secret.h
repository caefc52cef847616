/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets in texts. Messages and logs write SECRET_MASK in place of a part that may be a
 * secret. Any thread; no state. */
#ifndef TERN_LIB_BASE_SECRET_H
#define TERN_LIB_BASE_SECRET_H

#include "lib/base/base.h"

struct strbuf;

#define SECRET_MASK "***"

/* What hides the value behind a word within a statement. */
enum secret_near {
	SECRET_NEAR_NONE,
	SECRET_NEAR_TEXT, /* hides a text in quotes */
	SECRET_NEAR_ALL, /* hides a value without quotes, too */
};

/* Where a line of a configuration ended. Owner: the caller of secret_split. Life: while
 * the caller reads lines; all zero before the first line. By value: nothing to free. */
struct secret_open {
	bool secret; /* in the option of a secret */
	bool define; /* behind `define` */
	enum secret_near near; /* of the last word */
};

/* secret_word - does the option @word of @len octets take a secret? Capitals count as
 * small letters. */
bool secret_word(const char *word, size_t len);
/* secret_option - secret_word, or a misspelled `password` or `secret`. */
bool secret_option(const char *word, size_t len);
/* secret_token - octets of the token at @p, before @end, in a line of a configuration: a
 * comment, a text in quotes, a word, or one octet. A comment or a text without an end
 * takes the rest of the line. */
size_t secret_token(const char *p, const char *end);
/* secret_end - the end of the first word in @text (@len octets) with secret_word. The
 * word stands alone: between blanks, quotes, braces, `;`, `,`, `=` and `:`. Returns:
 * NULL: no such word. */
const char *secret_end(const char *text, size_t len);
/* secret_split - append the line @line of a configuration to @shown, with masks, and the
 * masked parts to @hidden. A part begins behind the word of an option with a secret, at
 * any place of the line, and ends before the end of the option. A misspelled `password`
 * or `secret` counts. If the value has no quotes, the part ends with the line. Behind
 * such a word in a comment, the rest of the comment is masked.
 * @col: an octet of @line, becomes the octet of @shown. @open: where the line before
 * ended; set for the next line. */
void secret_split(struct strbuf *shown, struct strbuf *hidden, const char *line,
    size_t len, size_t *col, struct secret_open *open);
/* secret_hide - append @text with masks in place of texts in quotes, and of numbers and
 * addresses, that occur in @hidden. */
void secret_hide(struct strbuf *out, const char *text, const struct strbuf *hidden);

#endif

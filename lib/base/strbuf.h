/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing text buffer; the text always ends with a NUL. Owner: the caller. Life: on
 * the stack or embedded, until strbuf_fini. Loop: the loop that owns the buffer. */
#ifndef TERN_LIB_BASE_STRBUF_H
#define TERN_LIB_BASE_STRBUF_H

#include "lib/base/check.h"

#include <stdarg.h>
#include <stdint.h>

/* A text. Owner: the caller. Freed by: strbuf_fini. */
struct strbuf {
	char *s; /* never NULL after strbuf_init */
	size_t len;
	/* private */
	size_t cap;
	bool wipes;
};

void strbuf_init(struct strbuf *b);
/* strbuf_init_secret - strbuf_init for a text that may have a secret: zeros overwrite
 * memory that the text leaves. */
void strbuf_init_secret(struct strbuf *b);
void strbuf_fini(struct strbuf *b);
void strbuf_reset(struct strbuf *b);
void strbuf_add(struct strbuf *b, const char *s, size_t len);
void strbuf_adds(struct strbuf *b, const char *s);
void strbuf_addc(struct strbuf *b, char c);
/* strbuf_addu64 - append @v as decimal digits, without the cost of a format. */
void strbuf_addu64(struct strbuf *b, uint64_t v);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
/* strbuf_truncate - shorten to @len octets (at most the present length). */
void strbuf_truncate(struct strbuf *b, size_t len);
/* strbuf_take - move the text to the caller; @b is left empty. Freed by the caller with
 * mem_free(MEM_OTHER, ...). */
OWNED char *strbuf_take(struct strbuf *b);

#endif

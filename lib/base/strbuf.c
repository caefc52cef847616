/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing text buffer.
 *
 * I1  cap == 0: `s` is a constant empty text, which is never written to.
 * I2  cap > 0: `s` is on the heap, len < cap, s[len] is NUL.
 *
 * Loop: the loop that owns the buffer. */
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include <stdio.h>

static const char strbuf_empty[1];

void
strbuf_init(struct strbuf *b)
{
	*b = (struct strbuf){ .s = (char *)(uintptr_t)strbuf_empty };
}

void
strbuf_init_secret(struct strbuf *b)
{
	strbuf_init(b);
	b->wipes = true;
}

/* strbuf_free - free @s of @cap octets. */
static void
strbuf_free(const struct strbuf *b, char *s, size_t cap)
{
	if (b->wipes)
		explicit_bzero(s, cap);
	mem_free(MEM_OTHER, s);
}

void
strbuf_fini(struct strbuf *b)
{
	if (b->cap)
		strbuf_free(b, b->s, b->cap);
	strbuf_init(b);
}

void
strbuf_reset(struct strbuf *b)
{
	strbuf_truncate(b, 0);
}

/* strbuf_room - make room for @more octets and a NUL. */
static void
strbuf_room(struct strbuf *b, size_t more)
{
	size_t need = b->len + more + 1, cap = b->cap ? b->cap : 64;

	ASSERT(more < SIZE_MAX / 4);
	if (need <= b->cap)
		return;
	while (cap < need)
		cap *= 2;
	if (b->cap && b->wipes) {
		char *old = b->s;

		b->s = mem_alloc(MEM_OTHER, cap);
		memcpy(b->s, old, b->len + 1);
		strbuf_free(b, old, b->cap);
	} else if (b->cap) {
		b->s = mem_realloc(MEM_OTHER, b->s, cap, 1);
	} else {
		b->s = mem_alloc(MEM_OTHER, cap);
		b->s[0] = 0;
	}
	b->cap = cap;
}

void
strbuf_add(struct strbuf *b, const char *s, size_t len)
{
	if (len == 0)
		return;
	strbuf_room(b, len);
	memcpy(b->s + b->len, s, len);
	b->len += len;
	b->s[b->len] = 0;
}

void
strbuf_adds(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void
strbuf_addc(struct strbuf *b, char c)
{
	if (b->len + 1 >= b->cap)
		strbuf_room(b, 1);
	b->s[b->len++] = c;
	b->s[b->len] = 0;
}

void
strbuf_addu64(struct strbuf *b, uint64_t v)
{
	char text[20], *p = text + sizeof(text);

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	strbuf_add(b, p, (size_t)(text + sizeof(text) - p));
}

void
strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	/* Most texts fit into the present room and are formatted only once. */
	va_copy(again, ap);
	strbuf_room(b, 32);
	len = vsnprintf(b->s + b->len, b->cap - b->len, fmt, ap);
	ASSERT(len >= 0);
	if ((size_t)len >= b->cap - b->len) {
		strbuf_room(b, (size_t)len);
		vsnprintf(b->s + b->len, b->cap - b->len, fmt, again);
	}
	va_end(again);
	b->len += (size_t)len;
}

void
strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(b, fmt, ap);
	va_end(ap);
}

void
strbuf_truncate(struct strbuf *b, size_t len)
{
	ASSERT(len <= b->len);
	b->len = len;
	if (b->cap)
		b->s[len] = 0;
}

char *
strbuf_take(struct strbuf *b)
{
	char *s = b->cap ? b->s : mem_strdup(MEM_OTHER, "");

	strbuf_init(b);
	return s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing JSON.
 *
 * I1  A comma stands before a value if `more`, and `more` is set by each value that ends
 *     and unset by each `{` and `[`.
 * I2  What is written of a text is valid UTF-8, whatever the text is.
 *
 * No state but the caller's; any thread. */
#include "lib/json/json.h"

#include "lib/base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

void
json_init(struct json *j, struct strbuf *out)
{
	*j = (struct json){ .out = out };
}

static bool
json_in_list(const struct json *j)
{
	return j->lists >> j->depth & 1;
}

/* json_begin - what stands before a value. */
static void
json_begin(struct json *j, const char *key)
{
	DCHECK(j->depth ? !key == json_in_list(j) : !key && !j->more);
	if (j->more)
		strbuf_addc(j->out, ',');
	j->more = true;
	if (!key)
		return;
	strbuf_addc(j->out, '"');
	strbuf_adds(j->out, key);
	strbuf_add(j->out, "\":", 2);
}

static void
json_open_as(struct json *j, const char *key, bool list)
{
	json_begin(j, key);
	ASSERT(j->depth + 1 < JSON_DEPTH_MAX);
	j->depth++;
	j->lists = (j->lists & ~(1u << j->depth)) | (uint32_t)list << j->depth;
	strbuf_addc(j->out, list ? '[' : '{');
	j->more = false;
}

void
json_open(struct json *j, const char *key)
{
	json_open_as(j, key, false);
}

void
json_list(struct json *j, const char *key)
{
	json_open_as(j, key, true);
}

void
json_close(struct json *j)
{
	ASSERT(j->depth);
	strbuf_addc(j->out, json_in_list(j) ? ']' : '}');
	j->depth--;
	j->more = true;
}

/* ---- texts ---- */

static bool
json_is_tail(uint8_t c)
{
	return (c & 0xc0) == 0x80;
}

/* json_utf8_len - octets of the character at @p, of which @left follow; 0: there is none.
 * Unicode, table 3-7: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
static unsigned
json_utf8_len(const uint8_t *p, size_t left)
{
	uint8_t c = p[0], low = 0x80, high = 0xbf;
	unsigned len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4 || left < len)
		return 0;
	if (c == 0xe0)
		low = 0xa0;
	else if (c == 0xed)
		high = 0x9f;
	else if (c == 0xf0)
		low = 0x90;
	else if (c == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (unsigned i = 2; i < len; i++)
		if (!json_is_tail(p[i]))
			return 0;
	return len;
}

static bool
json_needs_no_escape(uint8_t c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void
json_put_escaped(struct strbuf *b, uint8_t c)
{
	static const char letter[] = "btn\0fr"; /* from 8 on */

	if (c == '"' || c == '\\')
		strbuf_addf(b, "\\%c", c);
	else if (c >= 8 && c < 8 + 6 && letter[c - 8])
		strbuf_addf(b, "\\%c", letter[c - 8]);
	else
		strbuf_addf(b, "\\u%04x", c);
}

static void
json_put_text(struct strbuf *b, const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s, *end = p + len;

	strbuf_addc(b, '"');
	while (p < end) {
		const uint8_t *from = p;
		unsigned n;

		while (p < end && json_needs_no_escape(*p))
			p++;
		strbuf_add(b, (const char *)from, (size_t)(p - from));
		if (p == end)
			break;
		n = json_utf8_len(p, (size_t)(end - p));
		if (n > 1)
			strbuf_add(b, (const char *)p, n);
		else if (n == 1)
			json_put_escaped(b, *p);
		else
			strbuf_adds(b, REPLACEMENT);
		p += n ? n : 1;
	}
	strbuf_addc(b, '"');
}

void
json_text(struct json *j, const char *key, const char *s, size_t len)
{
	json_begin(j, key);
	json_put_text(j->out, s, len);
}

void
json_str(struct json *j, const char *key, const char *s)
{
	if (s)
		json_text(j, key, s, strlen(s));
}

void
json_fmt(struct json *j, const char *key, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	json_text(j, key, b.s, b.len);
	strbuf_fini(&b);
}

/* ---- the others ---- */

void
json_u64(struct json *j, const char *key, uint64_t v)
{
	json_begin(j, key);
	strbuf_addu64(j->out, v);
}

void
json_bool(struct json *j, const char *key, bool v)
{
	json_begin(j, key);
	strbuf_adds(j->out, v ? "true" : "false");
}

void
json_seconds(struct json *j, const char *key, uint64_t ns)
{
	uint64_t ms = ns / 1000000;
	char text[4] = { '.', (char)('0' + ms / 100 % 10), (char)('0' + ms / 10 % 10),
		(char)('0' + ms % 10) };

	json_begin(j, key);
	strbuf_addu64(j->out, ms / 1000);
	strbuf_add(j->out, text, sizeof(text));
}

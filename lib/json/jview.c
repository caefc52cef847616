/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds and reads values of a JSON document in place. Pure functions.
 *
 * I1  Each step looks at p[0] .. p[len - 1] of its view alone.
 * I2  Depth costs a counter and no stack.
 *
 * Tested by test/unit/test_jview.c. */
#include "lib/json/jview.h"

#include <stdlib.h>
#include <string.h>

static struct jview
jview_skip(struct jview v, size_t n)
{
	return (struct jview){ v.p + n, v.len - n };
}

static struct jview
jview_blank(struct jview v)
{
	while (v.len && (*v.p == ' ' || *v.p == '\t' || *v.p == '\n' || *v.p == '\r'))
		v = jview_skip(v, 1);
	return v;
}

/* jview_string - octets of the string at the start of @v with both quotes; 0: none. */
static size_t
jview_string(struct jview v)
{
	for (size_t i = 1; i < v.len; i++) {
		if (v.p[i] == '\\')
			i++;
		else if (v.p[i] == '"')
			return i + 1;
	}
	return 0;
}

/* jview_nested - octets of the object or list at the start of @v; 0: without an end. */
static size_t
jview_nested(struct jview v)
{
	size_t depth = 0;

	for (size_t i = 0; i < v.len; i++) {
		char c = v.p[i];

		if (c == '"') {
			size_t n = jview_string(jview_skip(v, i));

			if (!n)
				return 0;
			i += n - 1;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && --depth == 0) {
			return i + 1;
		}
	}
	return 0;
}

struct jview
jview_of(const char *text, size_t len)
{
	struct jview v = jview_blank((struct jview){ text, len });
	size_t n = 0;

	if (!v.len)
		return (struct jview){ NULL, 0 };
	if (*v.p == '"')
		n = jview_string(v);
	else if (*v.p == '{' || *v.p == '[')
		n = jview_nested(v);
	else
		while (n < v.len && !strchr(",:]} \t\r\n", v.p[n]))
			n++;
	return n ? (struct jview){ v.p, n } : (struct jview){ NULL, 0 };
}

bool
jview_next(struct jview *at, struct jview *key, struct jview *item)
{
	struct jview rest = *at;

	if (!rest.p || !rest.len)
		return false;
	/* an opening bracket or a comma */
	rest = jview_blank(jview_skip(rest, 1));
	if (key) {
		*key = jview_of(rest.p, rest.len);
		if (!key->p)
			return false;
		rest = jview_blank(jview_skip(rest, key->len));
		if (!rest.len || *rest.p != ':')
			return false;
		rest = jview_skip(rest, 1);
	}
	*item = jview_of(rest.p, rest.len);
	if (!item->p)
		return false;
	rest.len -= (size_t)(item->p - rest.p) + item->len;
	rest.p = item->p + item->len;
	rest = jview_blank(rest);
	/* the closing bracket ends the walk */
	*at = rest.len && *rest.p == ',' ? rest : (struct jview){ NULL, 0 };
	return true;
}

bool
jview_is(struct jview v, const char *s)
{
	size_t len = strlen(s);

	return v.p && v.len == len + 2 && *v.p == '"' && !memcmp(v.p + 1, s, len);
}

struct jview
jview_get(struct jview v, const char *key)
{
	struct jview at = v, name, item;

	if (v.p && v.len && *v.p == '{')
		while (jview_next(&at, &name, &item))
			if (jview_is(name, key))
				return item;
	return (struct jview){ NULL, 0 };
}

void
jview_pick(struct jview *to, struct jview v, const char *const *keys, unsigned cnt)
{
	struct jview at = v, name, item;

	for (unsigned i = 0; i < cnt; i++)
		to[i] = (struct jview){ NULL, 0 };
	if (!v.p || !v.len || *v.p != '{')
		return;
	while (jview_next(&at, &name, &item)) {
		unsigned i = 0;

		while (i < cnt && (to[i].p || !jview_is(name, keys[i])))
			i++;
		if (i < cnt)
			to[i] = item;
	}
}

bool
jview_true(struct jview v)
{
	return v.p && v.len == 4 && !memcmp(v.p, "true", 4);
}

uint64_t
jview_u64(struct jview v, uint64_t none)
{
	uint64_t n = 0;
	size_t i = 0;

	if (!v.p)
		return none;
	for (; i < v.len && v.p[i] >= '0' && v.p[i] <= '9' && i < 19; i++)
		n = n * 10 + (uint64_t)(v.p[i] - '0');
	return i ? n : none;
}

double
jview_seconds(struct jview v)
{
	char text[32];

	if (!v.p || v.len >= sizeof(text) || !strchr("0123456789", *v.p))
		return -1;
	memcpy(text, v.p, v.len);
	text[v.len] = 0;
	return strtod(text, NULL);
}

/* jview_rune - append one character as UTF-8. */
static void
jview_rune(struct strbuf *to, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addc(to, (char)c);
		return;
	}
	if (c < 0x800) {
		strbuf_addc(to, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			strbuf_addc(to, (char)(0xe0 | c >> 12));
		} else {
			strbuf_addc(to, (char)(0xf0 | c >> 18));
			strbuf_addc(to, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		strbuf_addc(to, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_addc(to, (char)(0x80 | (c & 0x3f)));
}

/* jview_hex - the four digits behind \u. Returns: false: other characters. */
static bool
jview_hex(uint32_t *out, const char *p, const char *end)
{
	*out = 0;
	if (end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef";
		const char *d = p[i] ? strchr(digits, p[i] | 0x20) : NULL;

		if (!d)
			return false;
		*out = *out << 4 | (uint32_t)(d - digits);
	}
	return true;
}

/* jview_escape - append the character of the escape at @p, behind the backslash.
 * Returns: the rest. */
static const char *
jview_escape(struct strbuf *to, const char *p, const char *end)
{
	static const char from[] = "bfnrt", into[] = "\b\f\n\r\t";
	uint32_t c, low;
	const char *at;

	if (*p != 'u') {
		at = strchr(from, *p);
		strbuf_addc(to, at && *p ? into[at - from] : *p);
		return p + 1;
	}
	if (!jview_hex(&c, p + 1, end)) {
		jview_rune(to, 0xfffd);
		return p + 1;
	}
	p += 5;
	if (c >= 0xd800 && c < 0xdc00 && end - p > 5 && p[0] == '\\' && p[1] == 'u' &&
	    jview_hex(&low, p + 2, end) && low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	jview_rune(to, !c || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c);
	return p;
}

void
jview_add(struct strbuf *to, struct jview v)
{
	const char *p = v.p, *end;

	if (!v.p || !v.len)
		return;
	end = p + v.len;
	if (*p != '"') {
		strbuf_add(to, p, v.len);
		return;
	}
	for (p++, end--; p < end;) {
		const char *stop = memchr(p, '\\', (size_t)(end - p));

		if (!stop)
			stop = end;
		strbuf_add(to, p, (size_t)(stop - p));
		if (stop == end || stop + 1 == end)
			return;
		p = jview_escape(to, stop + 1, end);
	}
}

bool
jview_copy(char *to, size_t size, struct jview v)
{
	struct strbuf text;
	bool fits;

	strbuf_init(&text);
	jview_add(&text, v);
	fits = v.p && text.len < size;
	if (fits)
		memcpy(to, text.s, text.len + 1);
	strbuf_fini(&text);
	return fits;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/json/json.h against a reader that knows nothing of it: random documents are written
 * beside a plain list of what was said, then read strictly by RFC 8259 and compared with
 * that list. Texts are random octets: what is UTF-8 by iconv's judgement comes back as it
 * was, and all that is written is UTF-8. */
#include "lib/json/json.h"
#include "lib/base/strbuf.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

#define ROUNDS    3000
#define TEXT_MAX  24
#define DEPTH_MAX 6

/* What was said, or what was read: an item a line. */
static struct strbuf said, heard;
static struct seed seed;

/* ---- writing ---- */

static void
random_text(char *to, size_t *len)
{
	static const char *const piece[] = { "a", "\"", "\\", "\n", "\xc3\xa4",
		"\xe2\x82\xac", "\xf0\x9f\x90\xa6", "\x7f", "\x1f", "</b>" };

	*len = 0;
	while (*len < TEXT_MAX - 4 && seed_below(&seed, 5)) {
		const char *p = piece[seed_below(&seed, ARRAY_LEN(piece))];

		if (seed_below(&seed, 8)) {
			memcpy(to + *len, p, strlen(p));
			*len += strlen(p);
		} else {
			to[(*len)++] = (char)(1 +
					      seed_below(&seed, 255)); /* 0 ends ours */
		}
	}
}

/* is_utf8 - by somebody else. */
static bool
is_utf8(const char *s, size_t len)
{
	iconv_t c = iconv_open("UTF-32LE", "UTF-8");
	char out[8 * TEXT_MAX], *to = out, *from = (char *)(uintptr_t)s;
	size_t room = sizeof(out);
	bool ok;

	assert_true(c != (iconv_t)-1);
	ok = iconv(c, &from, &len, &to, &room) != (size_t)-1;
	iconv_close(c);
	return ok;
}

static void
prop_json_say_text(struct json *j, const char *key)
{
	char text[TEXT_MAX];
	size_t len;

	random_text(text, &len);
	json_text(j, key, text, len);
	if (is_utf8(text, len)) {
		strbuf_adds(&said, "text ");
		strbuf_add(&said, text, len);
	} else {
		strbuf_adds(&said, "garbled");
	}
	strbuf_addc(&said, '\0');
}

static void say_value(struct json *j, const char *key, unsigned depth);

static void
say_inside(struct json *j, bool list, unsigned depth)
{
	static const char *const key[] = { "a", "key_s", "x9" };

	while (seed_below(&seed, 4)) {
		const char *k = list ? NULL : key[seed_below(&seed, ARRAY_LEN(key))];

		if (k)
			strbuf_addf(&said, "key %s%c", k, 0);
		say_value(j, k, depth);
	}
	strbuf_addf(&said, "end%c", 0);
	json_close(j);
}

static void
say_value(struct json *j, const char *key, unsigned depth)
{
	uint64_t n = seed_u64(&seed) >> seed_below(&seed, 64);

	switch (seed_below(&seed, depth < DEPTH_MAX ? 6 : 4)) {
	case 0:
		prop_json_say_text(j, key);
		break;
	case 1:
		json_u64(j, key, n);
		strbuf_addf(&said, "num %llu%c", (unsigned long long)n, 0);
		break;
	case 2:
		json_bool(j, key, n & 1);
		strbuf_addf(&said, "%s%c", n & 1 ? "true" : "false", 0);
		break;
	case 3:
		json_seconds(j, key, n);
		strbuf_addf(&said, "num %llu.%03llu%c",
		    (unsigned long long)(n / 1000000000),
		    (unsigned long long)(n / 1000000 % 1000), 0);
		break;
	case 4:
		json_open(j, key);
		strbuf_addf(&said, "{%c", 0);
		say_inside(j, false, depth + 1);
		break;
	default:
		json_list(j, key);
		strbuf_addf(&said, "[%c", 0);
		say_inside(j, true, depth + 1);
	}
}

/* ---- reading ---- */

static const char *at;

static bool
prop_json_take(char c)
{
	if (*at != c)
		return false;
	at++;
	return true;
}

static void
hear_escape(struct strbuf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = *at++;
	unsigned n;

	if (c == 'u') {
		assert_int_equal(sscanf(at, "%4x", &n), 1);
		assert_true(n < 0x80); /* what we write so */
		at += 4;
		strbuf_addc(b, (char)n);
		return;
	}
	assert_non_null(memchr(from, c, sizeof(from) - 1));
	strbuf_addc(b, to[strchr(from, c) - from]);
}

static void
hear_text(struct strbuf *b)
{
	assert_true(prop_json_take('"'));
	while (*at != '"') {
		assert_true((unsigned char)*at >= 0x20);
		if (prop_json_take('\\'))
			hear_escape(b);
		else
			strbuf_addc(b, *at++);
	}
	at++;
}

static void hear_value(void);

static void
hear_inside(bool list)
{
	char end = list ? ']' : '}';
	bool first = true;

	strbuf_addf(&heard, "%c%c", list ? '[' : '{', 0);
	while (!prop_json_take(end)) {
		if (!first)
			assert_true(prop_json_take(','));
		first = false;
		if (!list) {
			strbuf_adds(&heard, "key ");
			hear_text(&heard);
			strbuf_addc(&heard, '\0');
			assert_true(prop_json_take(':'));
		}
		hear_value();
	}
	strbuf_addf(&heard, "end%c", 0);
}

static void
hear_value(void)
{
	size_t len = strspn(at, "0123456789.");

	if (*at == '"') {
		strbuf_adds(&heard, "text ");
		hear_text(&heard);
		strbuf_addc(&heard, '\0');
	} else if (prop_json_take('{')) {
		hear_inside(false);
	} else if (prop_json_take('[')) {
		hear_inside(true);
	} else if (len) {
		assert_true(len == 1 || at[0] != '0' || at[1] == '.');
		strbuf_addf(&heard, "num %.*s%c", (int)len, at, 0);
		at += len;
	} else if (!strncmp(at, "true", 4)) {
		strbuf_addf(&heard, "true%c", 0);
		at += 4;
	} else {
		assert_memory_equal(at, "false", 5);
		strbuf_addf(&heard, "false%c", 0);
		at += 5;
	}
}

/* compare - what was garbled may have become any text. */
static void
prop_json_compare(void)
{
	const char *a = said.s, *b = heard.s;

	while (a < said.s + said.len) {
		const char *na = memchr(a, 0, (size_t)(said.s + said.len - a));
		const char *nb = memchr(b, 0, (size_t)(heard.s + heard.len - b));

		assert_true(na && nb);
		if (!strcmp(a, "garbled"))
			assert_memory_equal(b, "text ", 5);
		else
			assert_string_equal(a, b);
		a = na + 1;
		b = nb + 1;
	}
	assert_ptr_equal(b, heard.s + heard.len);
}

static bool
all_utf8(const struct strbuf *b)
{
	for (size_t at8 = 0; at8 < b->len;) {
		size_t len = b->len - at8;

		if (len > TEXT_MAX) { /* to where a character begins */
			len = TEXT_MAX;
			while (len && (b->s[at8 + len] & 0xc0) == 0x80)
				len--;
		}
		if (!len || !is_utf8(b->s + at8, len))
			return false;
		at8 += len;
	}
	return true;
}

static void
test_documents(void **state)
{
	struct strbuf out;

	(void)state;
	strbuf_init(&out);
	strbuf_init(&said);
	strbuf_init(&heard);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct json j;

		strbuf_reset(&out);
		strbuf_reset(&said);
		strbuf_reset(&heard);
		json_init(&j, &out);
		say_value(&j, NULL, 0);
		assert_true(json_done(&j));
		assert_null(memchr(out.s, '\n', out.len));
		assert_true(all_utf8(&out));
		at = out.s;
		hear_value();
		assert_int_equal(*at, 0);
		prop_json_compare();
	}
	strbuf_fini(&out);
	strbuf_fini(&said);
	strbuf_fini(&heard);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_documents),
};

int
main(void)
{
	seed = seed_start("prop_json");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON as it is written, octet by octet. */
#include "lib/json/json.c"
#include "test/lib/unit.h"

static void
test_document(void **state)
{
	struct strbuf b;
	struct json j;

	(void)state;
	strbuf_init(&b);
	json_init(&j, &b);
	assert_false(json_done(&j));
	json_open(&j, NULL);
	json_str(&j, "a", "x");
	json_str(&j, "none", NULL);
	json_u64(&j, "n", 0);
	json_u64(&j, "most", UINT64_MAX);
	json_bool(&j, "yes", true);
	json_list(&j, "l");
	json_u64(&j, NULL, 1);
	json_open(&j, NULL);
	json_close(&j);
	json_list(&j, NULL);
	json_close(&j);
	json_fmt(&j, NULL, "%u%c", 7, '"');
	json_close(&j);
	json_bool(&j, "no", false);
	assert_false(json_done(&j));
	json_close(&j);
	assert_true(json_done(&j));
	assert_string_equal(b.s,
	    "{\"a\":\"x\",\"n\":0,\"most\":18446744073709551615,\"yes\":true,"
	    "\"l\":[1,{},[],\"7\\\"\"],\"no\":false}");
	strbuf_fini(&b);
}

static void
seconds_is(uint64_t ns, const char *want)
{
	struct strbuf b;
	struct json j;

	strbuf_init(&b);
	json_init(&j, &b);
	json_seconds(&j, NULL, ns);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_seconds(void **state)
{
	(void)state;
	seconds_is(0, "0.000");
	seconds_is(999999, "0.000");
	seconds_is(1000000, "0.001");
	seconds_is(61250999999, "61.250");
	seconds_is(1763900000123456789ull, "1763900000.123");
	seconds_is(UINT64_MAX, "18446744073.709");
}

static void
test_json_text_is(const char *text, size_t len, const char *want)
{
	struct strbuf b;
	struct json j;

	strbuf_init(&b);
	json_init(&j, &b);
	json_text(&j, NULL, text, len);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

#define TEXT_IS(text, want) test_json_text_is(text, sizeof(text) - 1, want)
#define BAD                 "\xef\xbf\xbd"

static void
test_escapes(void **state)
{
	(void)state;
	TEXT_IS("", "\"\"");
	TEXT_IS("a/b", "\"a/b\"");
	TEXT_IS("\"\\", "\"\\\"\\\\\"");
	TEXT_IS("\b\t\n\f\r", "\"\\b\\t\\n\\f\\r\"");
	TEXT_IS("\0\1\v\x1f\x7f", "\"\\u0000\\u0001\\u000b\\u001f\\u007f\"");
}

static void
test_utf8(void **state)
{
	(void)state;
	TEXT_IS("\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa6",
	    "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa6\"");
	TEXT_IS("\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"");
	TEXT_IS("\x80", "\"" BAD "\""); /* a tail alone */
	TEXT_IS("\xc3", "\"" BAD "\""); /* cut */
	TEXT_IS("\xe2\x82", "\"" BAD BAD "\"");
	TEXT_IS("\xc0\xaf", "\"" BAD BAD "\""); /* longer than need be */
	TEXT_IS("\xe0\x80\x80", "\"" BAD BAD BAD "\"");
	TEXT_IS("\xed\xa0\x80", "\"" BAD BAD BAD "\""); /* half of a pair */
	TEXT_IS("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""); /* beyond the last */
	TEXT_IS("\xff"
		"a\xfe",
	    "\"" BAD "a" BAD "\"");
	TEXT_IS("\xe2\"", "\"" BAD "\\\"\"");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_document),
	cmocka_unit_test(test_seconds),
	cmocka_unit_test(test_escapes),
	cmocka_unit_test(test_utf8),
};

UNIT_MAIN(tests)

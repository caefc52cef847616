/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views of JSON: values, walks, escapes, and documents that end too early. */
#include "lib/json/jview.h"
#include "test/lib/unit.h"

#include <stdlib.h>
#include <string.h>

static struct jview
test_jview_doc(const char *s)
{
	return jview_of(s, strlen(s));
}

static void
test_jview_text_is(struct jview v, const char *want)
{
	struct strbuf b;

	strbuf_init(&b);
	jview_add(&b, v);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_get(void **state)
{
	struct jview v = test_jview_doc(
	    " {\"a\":1,\"b\": {\"a\":\"x\"} ,\"c\":[1,[2,3],\"]\"],"
	    "\"d\":true,\"e\":1.250,\"f\":{},\"g\":[]}");
	struct jview at = jview_get(v, "c"), item;
	char small[3];

	(void)state;
	assert_int_equal(jview_u64(jview_get(v, "a"), 9), 1);
	test_jview_text_is(jview_get(jview_get(v, "b"), "a"), "x");
	assert_true(jview_true(jview_get(v, "d")));
	assert_true(jview_seconds(jview_get(v, "e")) == 1.25);
	assert_null(jview_get(v, "z").p);
	assert_null(jview_get(jview_get(v, "a"), "z").p);
	assert_null(jview_get(jview_get(v, "f"), "z").p);
	assert_true(jview_next(&at, NULL, &item));
	assert_true(jview_next(&at, NULL, &item));
	test_jview_text_is(item, "[2,3]");
	assert_true(jview_next(&at, NULL, &item));
	assert_true(jview_is(item, "]"));
	assert_false(jview_next(&at, NULL, &item));
	at = jview_get(v, "g");
	assert_false(jview_next(&at, NULL, &item));
	assert_int_equal(jview_u64(jview_get(v, "b"), 9), 9);
	assert_true(jview_seconds(jview_get(v, "b")) == -1);
	assert_false(jview_copy(small, sizeof(small), jview_get(v, "z")));
	assert_true(jview_copy(small, 2, jview_get(v, "a")));
	assert_false(jview_copy(small, 1, jview_get(v, "a")));
}

/* Members in any order, absent, and twice: the first counts, as with jview_get. */
static void
test_pick(void **state)
{
	static const char *const keys[] = { "c", "z", "a" };
	struct jview v = test_jview_doc("{\"a\":1,\"b\":{\"z\":1},\"c\":[1],\"a\":2}");
	struct jview got[3];

	(void)state;
	jview_pick(got, v, keys, 3);
	test_jview_text_is(got[0], "[1]");
	assert_null(got[1].p);
	assert_int_equal(jview_u64(got[2], 9), 1);
	jview_pick(got, jview_get(v, "c"), keys, 3);
	assert_null(got[0].p);
	assert_null(got[2].p);
	jview_pick(got, jview_get(v, "z"), keys, 3);
	assert_null(got[0].p);
}

static void
test_escapes(void **state)
{
	(void)state;
	test_jview_text_is(test_jview_doc("\"a\\\"b\\\\c\\/d\\n\""), "a\"b\\c/d\n");
	test_jview_text_is(test_jview_doc("\"\\u00e4\\u20ac\\ud83d\\ude00\""),
	    "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	test_jview_text_is(test_jview_doc("\"\\u0000\\ud800x\\udc00\""),
	    "\xef\xbf\xbd\xef\xbf\xbdx\xef\xbf\xbd");
	test_jview_text_is(test_jview_doc("\"\\u12\""), "\xef\xbf\xbd"
							"12");
}

/* Each beginning of a document, in memory of exactly its size, and random octets. */
static void
test_cut(void **state)
{
	static const char whole[] =
	    "{\"a\":[1,{\"b\":\"\\u00e4\\\\\"}],\"c\":\"\\ud83d\\ude00\"}";
	static const char from[] = "{}[]\",:\\u0a1 ";
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		size_t len = i < (int)sizeof(whole) ? (size_t)i
						    : (unsigned)rand_r(&seed) % 24;
		char *p = malloc(len + 1), *q;
		struct jview v, at, key, item;
		struct strbuf b;

		for (size_t k = 0; k < len; k++)
			p[k] = i < (int)sizeof(whole)
				   ? whole[k]
				   : from[(unsigned)rand_r(&seed) % (sizeof(from) - 1)];
		q = malloc(len ? len : 1);
		memcpy(q, p, len);
		v = jview_of(q, len);
		assert_true(!v.p || (v.p >= q && v.p + v.len <= q + len));
		strbuf_init(&b);
		jview_add(&b, jview_get(v, "a"));
		at = v;
		while (jview_next(&at, NULL, &item))
			jview_add(&b, item);
		at = v;
		while (jview_next(&at, &key, &item))
			jview_add(&b, key);
		strbuf_fini(&b);
		free(q);
		free(p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get),
		cmocka_unit_test(test_pick),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

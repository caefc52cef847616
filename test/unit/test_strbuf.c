/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text buffer. */
#include "lib/base/strbuf.c"
#include "lib/base/plural.h"
#include "test/lib/unit.h"

static void
test_grow(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	assert_string_equal(b.s, "");
	strbuf_reset(&b);
	for (size_t i = 0; i < 10000; i++) {
		strbuf_addc(&b, (char)('a' + i % 26));
		assert_int_equal(b.len, i + 1);
		assert_int_equal(b.s[b.len], 0);
	}
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(b.s[i], 'a' + i % 26);
	strbuf_truncate(&b, 3);
	assert_string_equal(b.s, "abc");
	strbuf_add(&b, "d\0e", 3);
	assert_int_equal(b.len, 6);
	strbuf_add(&b, NULL, 0);
	strbuf_reset(&b);
	strbuf_adds(&b, "new");
	assert_string_equal(b.s, "new");
	strbuf_fini(&b);
	assert_string_equal(b.s, "");
}

/* Formatted text of every length around the size of the buffer. */
static void
test_format(void **state)
{
	(void)state;
	for (int len = 0; len < 300; len++) {
		struct strbuf b;

		strbuf_init(&b);
		strbuf_adds(&b, "x");
		strbuf_addf(&b, "%*d", len, 7);
		assert_int_equal(b.len, 1 + (len ? len : 1));
		assert_int_equal(b.s[b.len - 1], '7');
		assert_int_equal(strlen(b.s), b.len);
		strbuf_fini(&b);
	}
}

static void
test_digits(void **state)
{
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	strbuf_addu64(&b, 0);
	strbuf_addu64(&b, 10);
	strbuf_addu64(&b, UINT64_MAX);
	assert_string_equal(b.s, "01018446744073709551615");
	strbuf_fini(&b);
}

static void
test_take(void **state)
{
	size_t used = mem_used(MEM_OTHER);
	struct strbuf b;
	char *s;

	(void)state;
	strbuf_init(&b);
	s = strbuf_take(&b);
	assert_string_equal(s, "");
	mem_free(MEM_OTHER, s);
	strbuf_adds(&b, "mine");
	s = strbuf_take(&b);
	assert_string_equal(s, "mine");
	assert_string_equal(b.s, "");
	mem_free(MEM_OTHER, s);
	strbuf_fini(&b);
	assert_int_equal(mem_used(MEM_OTHER), used);
}

static void
test_plural(void **state)
{
	(void)state;
	assert_string_equal(plural(0, "entry", "entries"), "entries");
	assert_string_equal(plural(1, "entry", "entries"), "entry");
	assert_string_equal(plural(UINT64_MAX, "entry", "entries"), "entries");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_grow),
	cmocka_unit_test(test_format),
	cmocka_unit_test(test_digits),
	cmocka_unit_test(test_take),
	cmocka_unit_test(test_plural),
};

UNIT_MAIN(tests)

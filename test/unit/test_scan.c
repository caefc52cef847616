/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and patterns. */
#include "lib/base/scan.c"
#include "test/lib/unit.h"
#include <stdio.h>

static void
test_good(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "0", 0 },
		{ "00", 0 },
		{ "7", 7 },
		{ "010", 10 },
		{ "4294967296", 1ull << 32 },
		{ "18446744073709551615", UINT64_MAX },
		{ "0x0", 0 },
		{ "0xfF", 255 },
		{ "0Xffffffffffffffff", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		uint64_t v = 1;

		assert_int_equal(scan_u64(&v, good[i].text, UINT64_MAX), 0);
		assert_true(v == good[i].value);
	}
	for (unsigned n = 0; n < 2000; n++) {
		char text[32];
		uint64_t v;

		snprintf(text, sizeof(text), n % 2 ? "%u" : "0x%x", n);
		assert_int_equal(scan_u64(&v, text, n), 0);
		assert_int_equal(v, n);
		if (n > 0)
			assert_int_equal(scan_u64(&v, text, n - 1), -ERANGE);
	}
}

static void
test_bad(void **state)
{
	static const char *const bad[] = { "", " 1", "1 ", "-1", "+1", "1a", "0x", "0xg",
		"x1", "1.0", "99999999999999999999999x", "0x1 " };
	uint64_t v = 42;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(scan_u64(&v, bad[i], UINT64_MAX), -EINVAL);
	assert_int_equal(scan_u64(&v, "18446744073709551616", UINT64_MAX), -ERANGE);
	assert_int_equal(scan_u64(&v, "0x10000000000000000", UINT64_MAX), -ERANGE);
	assert_int_equal(scan_u64(&v, "184467440737095516150000", UINT64_MAX), -ERANGE);
	assert_int_equal(v, 42); /* untouched by errors */
}

/* The obvious recursive definition. */
static bool
glob_model(const char *p, const char *s)
{
	if (*p == '*')
		return glob_model(p + 1, s) || (*s && glob_model(p, s + 1));
	if (!*p || !*s)
		return *p == *s;
	return (*p == '?' || *p == *s) && glob_model(p + 1, s + 1);
}

/* word - text number @n in base strlen(@digits), shorter texts first. */
static void
test_scan_word(char *to, unsigned n, const char *digits)
{
	unsigned base = (unsigned)strlen(digits);

	for (; n; n = (n - 1) / base)
		*to++ = digits[(n - 1) % base];
	*to = 0;
}

/* All patterns of up to 5 of "ab*?" with all texts of up to 5 of "ab". */
static void
test_glob(void **state)
{
	char p[8], s[8];

	(void)state;
	for (unsigned i = 0; i < 1365; i++) {
		test_scan_word(p, i, "ab*?");
		for (unsigned k = 0; k < 63; k++) {
			test_scan_word(s, k, "ab");
			assert_int_equal(scan_glob(p, s), glob_model(p, s));
		}
	}
	assert_true(scan_glob("rs1_*_v?", "rs1_as65000_v4"));
	assert_false(scan_glob(
	    "*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_good),
	cmocka_unit_test(test_bad),
	cmocka_unit_test(test_glob),
};

UNIT_MAIN(tests)

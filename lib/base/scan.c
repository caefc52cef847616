/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strict text to number: no sign, no space, nothing behind the digits. Pure functions;
 * any thread. */
#include "lib/base/scan.h"
#include <errno.h>

static int
scan_digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

int
scan_u64(uint64_t *out, const char *s, uint64_t max)
{
	unsigned base = 10;
	bool over = false;
	uint64_t v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (!*s)
		return -EINVAL;
	/* Read to the end: -EINVAL for a text that is no number, -ERANGE for a number
	 * that is too large. */
	for (; *s; s++) {
		unsigned d = (unsigned)scan_digit_value(*s);

		if (d >= base)
			return -EINVAL;
		over |= __builtin_mul_overflow(v, (uint64_t)base, &v);
		over |= __builtin_add_overflow(v, (uint64_t)d, &v);
	}
	if (over || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

bool
scan_glob(const char *pattern, const char *s)
{
	const char *star = NULL, *star_s = NULL;

	/* Retry at the last star only: a longer match of an earlier star cannot help. */
	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			star_s = s;
		} else if (*pattern == '?' || *pattern == *s) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++star_s;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == 0;
}

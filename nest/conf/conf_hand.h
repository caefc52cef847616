/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers written by hand for large files: they read the usual form of a thing.
 *
 * A reader leaves any unusual form to the lexer, and only the lexer reports errors. Texts
 * end with a NUL.
 *
 * Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_CONF_HAND_H
#define TERN_NEST_CONF_CONF_HAND_H

#include "lib/base/check.h"
#include "lib/net/prefix.h"

/* A reader's position. Owner: the reader's caller, on its stack. Lives: for one run of
 * items. By value: nothing to free. */
struct hand {
	const char *p;
	const char *line_start;
	uint32_t line;
};

/* hand_blank - step over blanks, newlines and comments up to the end of a line. */
void hand_blank(struct hand *r);
/* hand_prefix - read a prefix at *@pp, without bits beyond the prefix's length. Returns:
 * false: no such prefix stands here; *@pp stays. */
bool hand_prefix(const char **pp, struct prefix *out);

/* hand_hex - the value of a hexadecimal digit; 16: @ch is no such digit. */
static inline unsigned
hand_hex(char ch)
{
	if (ch >= '0' && ch <= '9')
		return (unsigned)(ch - '0');
	ch |= 0x20;
	return ch >= 'a' && ch <= 'f' ? (unsigned)(ch - 'a') + 10 : 16;
}

/* hand_number - read a decimal number at *@pp. Returns: false: no number stands here, or
 * the number is larger than @max. */
static inline bool
hand_number(const char **pp, uint32_t max, uint32_t *out)
{
	const char *p = *pp;
	uint64_t n = 0;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++)
		n = n * 10 + (unsigned)(*p - '0');
	*pp = p;
	*out = (uint32_t)n;
	return n <= max;
}

#endif

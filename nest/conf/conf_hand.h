/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading configuration by hand, where files are large: the usual form of a thing, and
 * no other. What isn't that is left to the lexer, which alone reports errors. Texts end
 * with a NUL. */
#ifndef TERN_NEST_CONF_HAND_H
#define TERN_NEST_CONF_HAND_H

#include "lib/base/check.h"
#include "lib/net/prefix.h"

/* Where the reader is. */
struct hand {
	const char *p;
	const char *line_start;
	uint32_t line;
};

/* hand_blank - step over blanks, newlines and comments up to the end of a line. */
void hand_blank(struct hand *r);
/* hand_prefix - a prefix at *@pp, without bits beyond its length. Returns: false: there
 * is something else; *@pp stays. */
bool hand_prefix(const char **pp, struct prefix *out);

/* hand_hex - the value of a hexadecimal digit; 16: it isn't one. */
static inline unsigned
hand_hex(char ch)
{
	if (ch >= '0' && ch <= '9')
		return (unsigned)(ch - '0');
	ch |= 0x20;
	return ch >= 'a' && ch <= 'f' ? (unsigned)(ch - 'a') + 10 : 16;
}

/* hand_number - a decimal number up to @max at *@pp. Returns: false if there is none, or
 * a larger one. */
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

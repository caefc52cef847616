/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a line of a story. */
#include "test/sim/words.h"
#include "test/sim/sim.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *
words_next(char **at)
{
	char *w = *at + strspn(*at, " \t");

	*at = w + strcspn(w, " \t");
	if (**at)
		*(*at)++ = 0;
	return w;
}

char *
words_rest(char **from)
{
	char *at = *from + strspn(*from, " \t");
	size_t len;

	len = strlen(at);
	*from = at + len;
	while (len && isspace((unsigned char)at[len - 1]))
		at[--len] = 0;
	if (len > 1 && *at == '"' && at[len - 1] == '"') {
		at[len - 1] = 0;
		at++;
	}
	return at;
}

bool
words_skip(char **at, const char *word)
{
	char *w = *at + strspn(*at, " \t");
	size_t len = strlen(word);

	if (strncmp(w, word, len) || (w[len] && !isspace((unsigned char)w[len])))
		return false;
	words_next(at);
	return true;
}

/* number - the next word, with @unit behind the digits. */
static uint32_t
words_number(char **at, const char *unit)
{
	char *w = words_next(at), *end = w;
	unsigned long long v = isdigit((unsigned char)*w) ? strtoull(w, &end, 10) : 0;

	if (end == w || strcmp(end, unit) || v > UINT32_MAX)
		sim_fail("'%s' is no number%s%s", w, *unit ? " and " : "", unit);
	return (uint32_t)v;
}

uint32_t
words_u32(char **at)
{
	return words_number(at, "");
}

uint32_t
words_ms(char **at)
{
	return words_number(at, "ms");
}

bool
words_hex(const char *at, uint8_t *out, uint32_t cap, uint32_t *len)
{
	unsigned v;

	for (*len = 0; *at; at += 2) {
		at += strspn(at, " ");
		if (sscanf(at, "%2x", &v) != 1 || *len == cap)
			return false;
		out[(*len)++] = (uint8_t)v;
	}
	return true;
}

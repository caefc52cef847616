/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a line of a story. */
#include "test/sim/words.h"

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
words_rest(char *at)
{
	size_t len;

	at += strspn(at, " \t");
	len = strlen(at);
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

uint32_t
words_u32(char **at)
{
	return (uint32_t)strtoul(words_next(at), NULL, 10);
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

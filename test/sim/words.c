/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a line of a story. */
#include "test/sim/words.h"
#include "test/sim/link.h"
#include "test/sim/sim.h"

#include <arpa/inet.h>
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
words_is(const char *at, const char *word)
{
	const char *w = at + strspn(at, " \t");
	size_t len = strlen(word);

	return !strncmp(w, word, len) && (!w[len] || isspace((unsigned char)w[len]));
}

bool
words_skip(char **at, const char *word)
{
	bool is = words_is(*at, word);

	if (is)
		words_next(at);
	return is;
}

/* number - the next word, up to @max, with @unit behind the digits. */
static uint32_t
words_number(char **at, uint32_t max, const char *unit)
{
	char *w = words_next(at), *end = w;
	unsigned long long v = isdigit((unsigned char)*w) ? strtoull(w, &end, 10) : 0;

	if (end == w || strcmp(end, unit))
		sim_fail("'%s' is no number%s%s", w, *unit ? " and " : "", unit);
	if (v > max)
		sim_fail("'%s' is above %u", w, max);
	return (uint32_t)v;
}

uint32_t
words_u32(char **at)
{
	return words_number(at, UINT32_MAX, "");
}

uint32_t
words_ms(char **at)
{
	return words_number(at, UINT32_MAX / 1000, "ms");
}

uint32_t
words_upto(char **at, uint32_t max)
{
	return words_number(at, max, "");
}

void
words_address(char **at, char out[64])
{
	const char *w = words_next(at), *zone = strchr(w, '%');
	size_t len = strcspn(w, "%");
	uint8_t octets[16];

	snprintf(out, 64, "%.*s", (int)len, w);
	if (inet_pton(strchr(w, ':') ? AF_INET6 : AF_INET, out, octets) != 1 ||
	    strlen(w) >= 64 || (zone && !link_find(0, zone + 1)))
		sim_fail("'%s' is no address", w);
	snprintf(out, 64, "%s", w);
}

bool
words_length(const char *text, unsigned max, uint8_t *len)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	*len = (uint8_t)v;
	return isdigit((unsigned char)*text) && !*end && v <= max;
}

bool
words_hex(const char *at, uint8_t *out, uint32_t cap, uint32_t *len)
{
	unsigned v;

	for (*len = 0; *(at += strspn(at, " ")); at += 2) {
		if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]) ||
		    *len == cap)
			return false;
		sscanf(at, "%2x", &v);
		out[(*len)++] = (uint8_t)v;
	}
	return *len;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edit distance of words, a row at a time. Any thread; no state but the caller's.
 * Tested by test/unit/test_spell.c. */
#include "lib/base/spell.h"

#include <string.h>

static unsigned
spell_least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned
spell_distance(const char *a, const char *b)
{
	/* the row of the present character of @a, and the two rows before */
	unsigned row[3][SPELL_WORD_MAX + 1], *at = row[0], *up = row[1], *far = row[2];
	size_t n = strlen(b);

	if (n > SPELL_WORD_MAX || strlen(a) > SPELL_WORD_MAX)
		return SPELL_WORD_MAX;
	for (size_t k = 0; k <= n; k++)
		at[k] = (unsigned)k;
	for (size_t i = 0; a[i]; i++) {
		unsigned *old = far;

		far = up;
		up = at;
		at = old;
		at[0] = (unsigned)i + 1;
		for (size_t k = 0; k < n; k++) {
			at[k + 1] = spell_least(
			    up[k] + (a[i] != b[k]), spell_least(up[k + 1], at[k]) + 1);
			if (i && k && a[i] == b[k - 1] && a[i - 1] == b[k])
				at[k + 1] = spell_least(at[k + 1], far[k - 1] + 1);
		}
	}
	return at[n];
}

void
spell_init(struct spell *s, const char *word)
{
	*s = (struct spell){ .word = word, .least = SPELL_EDITS_MAX + 1 };
}

void
spell_add(struct spell *s, const char *name)
{
	size_t len = strlen(s->word), n = strlen(name);
	bool begins = len > 1 && !strncmp(s->word, name, len);
	unsigned d;

	/* The distance is at least the difference of the lengths. */
	if (n > len + SPELL_EDITS_MAX || len > n + SPELL_EDITS_MAX)
		d = SPELL_EDITS_MAX + 1;
	else
		d = spell_distance(s->word, name);
	if (begins && d >= SPELL_EDITS_MAX)
		d = SPELL_EDITS_MAX;
	else if (n <= 2 * (size_t)d)
		return;
	if (d >= s->least)
		return;
	s->least = d;
	s->best = name;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The known word that a misspelled word is nearest to, for "did you mean".
 *
 * A caller offers every known word; the word with the fewest edits is kept.
 *
 * Loop: the loop that owns the speller. */
#ifndef TERN_LIB_BASE_SPELL_H
#define TERN_LIB_BASE_SPELL_H

#include "lib/base/base.h"

#define SPELL_WORD_MAX  62 /* longer words are never near */
#define SPELL_EDITS_MAX 2

/* owner: its caller; lives: while the words that were offered live. By value: nothing to
 * free. */
struct spell {
	const char *word; /* the misspelled word */
	const char *best; /* NULL: no word that was offered is near */
	/* private */
	unsigned least;
};

/* spell_distance - number of edits that turn @a into @b. An edit inserts, deletes or
 * replaces a character, or swaps two neighbouring characters. A word longer than
 * SPELL_WORD_MAX has distance SPELL_WORD_MAX. */
unsigned spell_distance(const char *a, const char *b);
/* spell_init - look for a word near @word, which is borrowed. */
void spell_init(struct spell *s, const char *word);
/* spell_add - @name is a known word. A word is near if at most SPELL_EDITS_MAX edits
 * separate the words and more than half of @name is right, or if @name begins with the
 * misspelled word. The first of equal words wins. */
void spell_add(struct spell *s, const char *name);

#endif

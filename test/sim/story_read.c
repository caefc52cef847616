/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of a story before the first step runs. A step that sends octets may lie hours of
 * virtual time behind the begin of a story, or behind an expectation that fails with some
 * seeds only; so the octets are judged when the story is read.
 *
 * Loop: none; the task of the story. Tested by test/tools/check_stories.sh. */
#include "test/sim/sim_priv.h"
#include "test/sim/story.h"
#include "test/sim/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS_MAX 1000 /* further turns of a `repeat` are judged when they run */

/* read_octets_of - the text behind `sends`, if the step sends octets: `NAME sends`,
 * `cache NAME sends`, `router NAME sends`, maybe behind a time. The line is cut into
 * words.
 * Returns: NULL: another step. */
static char *
read_octets_of(char *line)
{
	char *at = line, *comment = *line == '#' ? line : strstr(line, " #"), *name;

	if (comment)
		*comment = 0;
	at += strspn(at, " \t");
	if (words_skip(&at, "at") || words_skip(&at, "after"))
		words_next(&at);
	name = words_next(&at);
	if (!strcmp(name, "cache") || !strcmp(name, "router"))
		words_next(&at);
	else if (!strcmp(name, "client")) /* sends text */
		return NULL;
	return words_skip(&at, "sends") ? words_rest(&at) : NULL;
}

/* read_judge - @line, a copy, is line number @nr of the story. */
static void
read_judge(struct story *s, char *line, unsigned nr)
{
	uint8_t octets[WORDS_HEX_MAX];
	uint32_t len;
	char *hex;

	hex = read_octets_of(line);
	if (!hex || words_hex(hex, octets, sizeof(octets), &len))
		return;
	snprintf(s->place, sizeof(s->place), "%s:%u", s->path, nr);
	sim_fail("'%s' is no text of 1 to %u octets in hexadecimal", hex, WORDS_HEX_MAX);
}

/* read_turns - judge the line for each turn of a `repeat`; each @ is the number of the
 * turn. */
static void
read_turns(struct story *s, const char *text, unsigned nr, uint32_t turns)
{
	for (uint32_t i = 1; i <= turns; i++) {
		char *line = NULL;
		size_t len;
		FILE *f = open_memstream(&line, &len);

		world_put_numbered(f, text, i);
		fclose(f);
		read_judge(s, line, nr);
		free(line);
		if (!strchr(text, '@'))
			return;
	}
}

void
story_read_check(struct story *s)
{
	bool text = false; /* in the block of a `config` or `file` */
	uint32_t turns = 1;
	unsigned nr = 0;
	const char *at = s->text;

	while (*at) {
		size_t n = strcspn(at, "\n");
		char *line = strndup(at, n), *word = line;

		nr++;
		word += strspn(word, " \t");
		if (!strcmp(line, ".")) {
			text = false;
			turns = 1;
		} else if (!text &&
			   (words_is(word, "config") || words_is(word, "file"))) {
			text = true;
		} else if (!text && words_is(word, "repeat")) {
			turns = (uint32_t)strtoul(word + strlen("repeat"), NULL, 10);
			turns = turns && turns < TURNS_MAX ? turns : TURNS_MAX;
		} else if (!text) {
			read_turns(s, line, nr, turns);
		}
		free(line);
		at += n + (at[n] == '\n');
	}
	snprintf(s->place, sizeof(s->place), "%s", s->path);
}

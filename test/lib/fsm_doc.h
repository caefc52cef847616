/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of doc/rfc.md that a state machine prints: both must be the same. The machine
 * prints rows of a table "| state | event | next | actions |". The list has an item for
 * each row, and no line over 118 columns.
 *
 *   TEST [doc/rfc.md]   test; without an argument the file is that of $TERN_SRCDIR
 *   TEST --print        what must stand between the marks of doc/rfc.md */
#ifndef TERN_TEST_LIB_FSM_DOC_H
#define TERN_TEST_LIB_FSM_DOC_H

#include "test/lib/unit.h"

#include <bsd/string.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fsm_doc {
	const char *begin, *end; /* marks, each a line */
	void (*print)(FILE *f);
	char path[4096];
};

/* fsm_doc_put - a word at the end of the item; a word that does not fit begins a line. */
static inline void
fsm_doc_put(FILE *f, const char *word, size_t *column)
{
	size_t len = strlen(word);

	if (*column + 1 + len > 118) {
		fprintf(f, "\n ");
		*column = 1;
	}
	fprintf(f, "%s%s", *column ? " " : "", word);
	*column += len + (*column ? 1 : 0);
}

/* fsm_doc_item - print "| state | event | next | actions |" as
 * "- state, event: next; actions". */
static inline void
fsm_doc_item(FILE *f, char *row)
{
	static const char *const behind[] = { ",", ":", ";", "" };
	size_t column = 0;

	fsm_doc_put(f, "-", &column);
	for (unsigned cell = 0; cell < 4; cell++) {
		char *text = strsep(&row, "|"), *word;

		while ((word = strsep(&text, " "))) {
			char put[128];
			bool last = !text || !text[strspn(text, " ")];

			if (!*word)
				continue;
			snprintf(
			    put, sizeof(put), "%s%s", word, last ? behind[cell] : "");
			fsm_doc_put(f, put, &column);
		}
	}
	fprintf(f, "\n");
}

static inline void
fsm_doc_print(const struct fsm_doc *d, FILE *f)
{
	char *rows = NULL, *at, *row;
	size_t len = 0;
	FILE *m = open_memstream(&rows, &len);

	assert_non_null(m);
	d->print(m);
	fclose(m);
	for (at = rows; (row = strsep(&at, "\n"));)
		if (*row)
			fsm_doc_item(f, row + 1);
	free(rows);
}

/* fsm_doc_args - from main. Returns: true: it has printed, and the program is through. */
static inline bool
fsm_doc_args(struct fsm_doc *d, int argc, char **argv)
{
	const char *dir = getenv("TERN_SRCDIR");

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		fsm_doc_print(d, stdout);
		return true;
	}
	if (argc > 1)
		strlcpy(d->path, argv[1], sizeof(d->path));
	else
		snprintf(d->path, sizeof(d->path), "%s/doc/rfc.md", dir ? dir : ".");
	return false;
}

static inline char *
fsm_doc_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *buf = calloc(1, 1 << 20);

	if (!f)
		fail_msg("can't open %s: give the path of doc/rfc.md", path);
	assert_non_null(buf);
	(void)!fread(buf, 1, (1 << 20) - 1, f);
	fclose(f);
	return buf;
}

/* fsm_doc_check - the file has exactly the items that the machine gives. */
static inline void
fsm_doc_check(const struct fsm_doc *d)
{
	char *doc = fsm_doc_read(d->path), *begin, *end, *want = NULL;
	size_t want_len = 0;
	FILE *f = open_memstream(&want, &want_len);

	assert_non_null(f);
	fsm_doc_print(d, f);
	fclose(f);
	begin = strstr(doc, d->begin);
	end = strstr(doc, d->end);
	if (!begin || !end)
		fail_msg("%s: no list between %s and %s", d->path, d->begin, d->end);
	begin += strlen(d->begin) + 1;
	*end = 0;
	if (strcmp(begin, want))
		fail_msg("%s: the list of the state machine differs; put the output of "
			 "--print between the marks",
		    d->path);
	free(want);
	free(doc);
}

#endif

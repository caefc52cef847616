/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of the page of counters: each kind has room in a block, no value has a group
 * that is open twice, and doc/counters.md has the numbers, texts and values of each kind
 * in the order of the tables. */
#include "lib/base/strbuf.h"
#include "lib/mt/count_page.h"
#include "lib/wire/counters.c"
#include "test/lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* counters_doc - the list of kinds in doc/counters.md, with single blanks. */
static void
counters_doc(struct strbuf *out)
{
	char path[4096], line[1024];
	bool on = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/doc/counters.md",
	    getenv("TERN_SRCDIR") ? getenv("TERN_SRCDIR") : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		const char *s = line + strspn(line, " ");

		if (!strncmp(line, "<!-- kinds -->", 14))
			on = true;
		else if (on && *s != '\n')
			strbuf_addf(out, "%.*s ", (int)strcspn(s, "\n"), s);
	}
	fclose(f);
}

static void
counters_add(struct strbuf *b, const char *what, const struct counters_row *row,
    uint32_t cnt, uint64_t kind)
{
	static const char *const form[] = { [COUNTERS_NUMBER] = "",
		[COUNTERS_BOOL] = " (bool)",
		[COUNTERS_SECONDS] = " (ns)",
		[COUNTERS_LIST] = "" };
	uint32_t i = counters_first(row, cnt, kind);

	if (i == cnt)
		return;
	strbuf_addf(b, "- %s: ", what);
	for (uint32_t items = 1; i < cnt && row[i].kind == kind; i++, items++) {
		bool more = i + 1 < cnt && row[i + 1].kind == kind;

		if (more && row[i].form == COUNTERS_LIST &&
		    !strcmp(row[i + 1].path, row[i].path))
			continue;
		strbuf_addf(b, "`%s`%s", row[i].path, form[row[i].form]);
		if (row[i].form == COUNTERS_LIST)
			strbuf_addf(b, " (list of %u)", items);
		strbuf_adds(b, more ? ", " : " ");
		items = 0;
	}
}

static void
counters_documented(void **state)
{
	struct strbuf doc, want;

	(void)state;
	strbuf_init(&doc);
	strbuf_init(&want);
	counters_doc(&doc);
	for (uint64_t k = 1; k < COUNTERS_KIND_CNT; k++) {
		strbuf_addf(&want, "%u. `%s` ", (unsigned)k, counters_type(k));
		counters_add(&want, "texts", counters_texts, COUNTERS_TEXT_CNT, k);
		counters_add(&want, "values", counters_values, COUNTERS_VALUE_CNT, k);
	}
	strbuf_adds(&want, "- texts: keys of reasons ([reasons.md](reasons.md)) "
			   "- values: the count of each key ");
	assert_string_equal(doc.s, want.s);
	strbuf_fini(&doc);
	strbuf_fini(&want);
}

/* counters_room - the rows of a kind are together, and have room in a block. */
static void
counters_room(void **state)
{
	(void)state;
	assert_null(counters_type(0));
	assert_null(counters_type(COUNTERS_KIND_CNT));
	for (uint64_t k = 1; k < COUNTERS_KIND_CNT; k++) {
		uint32_t values = 0, octets = 0, runs = 0;

		assert_non_null(counters_type(k));
		for (uint32_t i = 0; i < COUNTERS_TEXT_CNT; i++) {
			if (counters_texts[i].kind != k)
				continue;
			octets += counters_texts[i].max + 1u;
			runs += !i || counters_texts[i - 1].kind != k;
		}
		assert_true(octets <= COUNT_TEXTS_MAX && runs <= 1);
		runs = 0;
		for (uint32_t i = 0; i < COUNTERS_VALUE_CNT; i++) {
			if (counters_values[i].kind != k)
				continue;
			values++;
			runs += !i || counters_values[i - 1].kind != k;
		}
		assert_true(values <= COUNT_VALUES_MAX && runs <= 1);
		assert_true(k < 64);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(counters_documented),
		cmocka_unit_test(counters_room) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

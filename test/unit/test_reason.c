/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of reasons: each has a key of its own, words, a stage, and a section of
 * doc/reasons.md. */
#include "nest/core/reason.h"

#include "test/lib/unit.h"
#include <stdio.h>
#include <stdlib.h>

static char page[256 * 1024];

static int
test_reason_set_up(void **state)
{
	const char *src = getenv("TERN_SRCDIR");
	char name[4096];
	size_t len;
	FILE *f;

	(void)state;
	snprintf(name, sizeof(name), "%s/doc/reasons.md", src ? src : ".");
	f = fopen(name, "r");
	if (!f)
		return -1;
	len = fread(page, 1, sizeof(page) - 1, f);
	page[len] = 0;
	fclose(f);
	return 0;
}

static void
test_rows(void **state)
{
	(void)state;
	assert_int_equal(REASON_NONE, 0);
	assert_true(REASON_CNT <= 256);
	for (unsigned r = 0; r < REASON_CNT; r++) {
		enum reason id = (enum reason)r;

		for (unsigned k = 0; k < r; k++)
			assert_string_not_equal(reason_key(k), reason_key(id));
		assert_int_equal(strspn(reason_key(id), "abcdefghijklmnopqrstuvwxyz_"),
		    strlen(reason_key(id)));
		assert_true(!r == !reason_text(id)[0]);
		assert_true(!r == (reason_stage(id) == REASON_AT_NOTHING));
		assert_true(
		    !r || reason_stage(id) >= reason_stage(id - 1)); /* in order */
	}
	for (unsigned s = 1; s < REASON_STAGES; s++)
		assert_string_not_equal(
		    reason_stage_key((enum reason_stage)s), reason_stage_key(s - 1));
}

/* Of each reason the page tells cause and remedy, and the text is that of the program. */
static void
test_page(void **state)
{
	(void)state;
	for (unsigned r = 1; r < REASON_CNT; r++) {
		char head[64];
		const char *at, *end;

		snprintf(head, sizeof(head), "\n### %s\n", reason_key((enum reason)r));
		at = strstr(page, head);
		if (!at)
			fail_msg("doc/reasons.md has no section for %s", head + 1);
		end = strstr(at + 1, "\n#");
		at = strstr(at, reason_text((enum reason)r));
		if (!at || (end && at > end))
			fail_msg("doc/reasons.md: the text of %s differs", head + 1);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows),
	cmocka_unit_test_setup(test_page, test_reason_set_up),
};

UNIT_MAIN(tests)

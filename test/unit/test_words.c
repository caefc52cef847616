/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The looking glass has words for each reason of the daemon, and for no other key. */
#include "lib/wire/words.c"
#include "nest/core/reason.h"
#include "test/lib/unit.h"

#include <stdio.h>
#include <string.h>

#define KEY_ROW(name, stage, key, text) key,
static const char *const keys[] = { REASON_TABLE(KEY_ROW) };

static struct jview
test_words_quoted(char *to, size_t size, const char *key)
{
	snprintf(to, size, "\"%s\"", key);
	return jview_of(to, strlen(to));
}

static void
test_all(void **state)
{
	char text[64];

	(void)state;
	for (size_t i = 1; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!words_text(test_words_quoted(text, sizeof(text), keys[i])))
			fail_msg("no words for the reason %s", keys[i]);
	assert_int_equal(
	    sizeof(keys) / sizeof(keys[0]) - 1, sizeof(words) / sizeof(words[0]));
	assert_null(words_text(test_words_quoted(text, sizeof(text), "none")));
	assert_string_equal(words_do(test_words_quoted(text, sizeof(text), "none")), "");
	assert_null(words_text((struct jview){ NULL, 0 }));
	assert_non_null(strstr(
	    words_do(test_words_quoted(text, sizeof(text), "first_as")), "own AS"));
}

/* The words stand in JSON and HTML as they are. */
static void
test_plain(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_null(strpbrk(words[i].text, "\"\\<>&\n"));
		assert_null(strpbrk(words[i].todo, "\"\\<>&\n"));
	}
}

static void
test_line(void **state)
{
	static const char tagged[] = "{\"filtered_by\":\"tagged\"}",
			  refused[] = "{\"reason\":\"first_as\"}",
			  new[] = "{\"reason\":\"none\"}";

	(void)state;
	assert_non_null(
	    strstr(words_line(jview_of(tagged, strlen(tagged))), "marks the route"));
	assert_non_null(
	    strstr(words_line(jview_of(refused, strlen(refused))), "not your AS"));
	assert_null(words_line(jview_of(new, strlen(new))));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_all),
		cmocka_unit_test(test_plain), cmocka_unit_test(test_line) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entity tag of a list: equal for equal generations, another for each change. */
#include "client/http/api/tag.h"
#include "test/lib/unit.h"

#include <stdio.h>
#include <string.h>

static const char status[] = "{\"type\":\"status\",\"version\":\"1\",\"now_unix_s\":7,"
			     "\"started_unix_s\":1,\"configured_unix_s\":2}";

/* http_tag_make - the tag of a daemon whose table has made @changes changes. */
static void
http_tag_make(char *to, const char *name, unsigned changes, unsigned age)
{
	struct tag t = { 0 };
	char line[200];

	tag_line(&t, jview_of(status, strlen(status)));
	snprintf(line, sizeof(line),
	    "{\"type\":\"table\",\"name\":\"%s\",\"routes\":3,\"changes\":%u,"
	    "\"cpu_s\":%u}",
	    name, changes, age);
	tag_line(&t, jview_of(line, strlen(line)));
	tag_str(to, &t);
}

static void
http_tag_changes(void **state)
{
	char one[TAG_MAX], two[TAG_MAX];

	(void)state;
	http_tag_make(one, "master4", 5, 1);
	http_tag_make(two, "master4", 5, 2);
	assert_string_equal(one, two);
	assert_memory_equal(one, "W/\"", 3);
	http_tag_make(two, "master4", 6, 1);
	assert_string_not_equal(one, two);
	http_tag_make(two, "master6", 5, 1);
	assert_string_not_equal(one, two);
	/* 1 and 23 are not 12 and 3 */
	http_tag_make(one, "master1", 23, 1);
	http_tag_make(two, "master12", 3, 1);
	assert_string_not_equal(one, two);
}

static void
http_tag_unknown(void **state)
{
	struct tag t = { 0 };
	char text[TAG_MAX];

	(void)state;
	tag_str(text, &t);
	assert_string_equal(text, "");
	tag_line(&t, jview_of("{}", 2));
	tag_str(text, &t);
	assert_string_equal(text, "");
	tag_line(&t, jview_of(status, strlen(status)));
	t.unknown = true;
	tag_str(text, &t);
	assert_string_equal(text, "");
	assert_false(tag_match("", ""));
	assert_false(tag_match("W/\"\"", ""));
}

static void
http_tag_match(void **state)
{
	(void)state;
	assert_true(tag_match("W/\"12\"", "W/\"12\""));
	assert_true(tag_match("\"12\"", "W/\"12\""));
	assert_true(tag_match("\"1\", W/\"12\"", "W/\"12\""));
	assert_false(tag_match("W/\"123\"", "W/\"12\""));
	assert_false(tag_match("12", "W/\"12\""));
	assert_false(tag_match("", "W/\"12\""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_tag_changes),
		cmocka_unit_test(http_tag_unknown),
		cmocka_unit_test(http_tag_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

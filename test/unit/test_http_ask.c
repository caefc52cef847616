/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of ternhttp: each row is a show command, and no value leaves its place. */
#include "client/http/job/ask.h"
#include "test/lib/unit.h"

#include <string.h>

static const struct ask_args full = {
	.name = "member-1",
	.from = "m2",
	.to = "m3",
	.other = "pipe-1",
	.large = { 65000, 1101 },
	.large_cnt = 2,
	.comm = { 65000, 1 },
	.comm_cnt = 2,
	.with = "(1, 2)",
	.as = 65001,
	.has_as = true,
	.hop = { 65001, 65009 },
	.hop_cnt = 2,
	.has_prefix = true,
};

static void
test_rows(void **state)
{
	struct ask_args a = full;
	char text[ASK_TEXT_MAX];

	(void)state;
	assert_true(ask_set_prefix(&a, "192.0.2.0/24"));
	for (int i = 0; i < ASK_CNT; i++) {
		assert_true(ask_text(text, (enum ask)i, &a));
		if (i == ASK_EVENTS)
			assert_string_equal(text, "json subscribe events since all");
		else if (i == ASK_PREVIEW)
			assert_string_equal(text, "json configure preview");
		else if (i == ASK_COUNTERS)
			assert_string_equal(text, "json subscribe counters");
		else if (i == ASK_LIVE_NET || i == ASK_LIVE_AS)
			assert_memory_equal(text, "json subscribe routes all ", 22);
		else
			assert_memory_equal(text, "json show ", 10);
		assert_null(strpbrk(text, "\r\n\"%"));
		assert_false(ask_kept((enum ask)i) && ask_long((enum ask)i));
	}
	assert_true(ask_text(text, ASK_PATH_CHECK, &a));
	assert_string_equal(text, "json show roa check 192.0.2.0/24 path 65001 65009");
	assert_true(ask_text(text, ASK_WHY, &a));
	assert_string_equal(text, "json show route why 192.0.2.0/24 from 'm2' to 'm3'");
	assert_true(ask_text(text, ASK_LARGE_COMMUNITY, &a));
	assert_string_equal(text, "json show route protocol 'member-1' all where "
				  "bgp_large_community ~ [(65000, 1101, *)]");
	assert_true(ask_text(text, ASK_PIPE_COUNT, &a));
	assert_string_equal(text, "json show route table 'member-1' noexport 'pipe-1' "
				  "count where from = 192.0.2.0");
	*a.from = *a.to = 0;
	assert_true(ask_text(text, ASK_WHY, &a));
	assert_string_equal(text, "json show route why 192.0.2.0/24");
	a.longest = true;
	assert_true(ask_text(text, ASK_WHY, &a));
	assert_string_equal(text, "json show route why for 192.0.2.0/24");
	assert_true(ask_text(text, ASK_MEMBERS_OF, &a));
	assert_string_equal(text, "json show members 65001");
	assert_true(ask_text(text, ASK_ACCEPTED, &a));
	assert_string_equal(text, "json show route protocol 'member-1' all");
}

static void
test_absent(void **state)
{
	struct ask_args none = { 0 }, bad = full;
	char text[ASK_TEXT_MAX];

	(void)state;
	assert_true(ask_text(text, ASK_STATUS, &none));
	assert_false(ask_text(text, ASK_ROUTE, &none));
	assert_false(ask_text(text, ASK_WHY, &none));
	assert_false(ask_text(text, ASK_MEMBERS_OF, &none));
	assert_false(ask_text(text, ASK_ACCEPTED, &none));
	assert_false(ask_text(text, ASK_PIPE_COUNT, &none));
	assert_false(ask_text(text, ASK_LARGE_COMMUNITY, &none));
	/* a value that no setter checked */
	strcpy(bad.name, "x' all");
	assert_false(ask_text(text, ASK_ACCEPTED, &bad));
	strcpy(bad.to, "x\ndown");
	assert_false(ask_text(text, ASK_WHY, &bad));
}

static void
test_events(void **state)
{
	static const char *const wrong[] = { "", "-", "1-", "-1", "1-2-3", "1-x", "x-1",
		"1 -2", "1-2\"", "12", "12345678901234567890123456789012345678901234-1" };
	char to[ASK_EVENT_MAX + 1], text[ASK_TEXT_MAX];
	struct ask_args a = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(ask_set_event(to, wrong[i]));
	assert_true(ask_set_event(a.event, "1795999715671-26"));
	assert_true(ask_text(text, ASK_EVENTS, &a));
	assert_string_equal(text, "json subscribe events since \"1795999715671-26\"");
	/* a value that no setter checked */
	strcpy(a.event, "1-2\" x");
	assert_false(ask_text(text, ASK_EVENTS, &a));
}

static void
test_names(void **state)
{
	static const char *const wrong[] = { "", " ", "a b", "a'b", "a\"b", "a;b", "a\nb",
		"a\\b", "a*", "a/b", "\xc3\xa4", "a{", "(a", "a#" };
	char to[ASK_NAME_MAX + 1], large[ASK_NAME_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(ask_set_name(to, wrong[i]));
	memset(large, 'a', sizeof(large));
	large[ASK_NAME_MAX + 1] = 0;
	assert_false(ask_set_name(to, large));
	assert_string_equal(to, "");
	large[ASK_NAME_MAX] = 0;
	assert_true(ask_set_name(to, large));
	assert_true(ask_set_name(to, "pb_0011.as64500:v4-x"));
	assert_string_equal(to, "pb_0011.as64500:v4-x");
}

static void
test_numbers(void **state)
{
	static const char *const wrong[] = { "", "AS", "0", "-1", "+1", " 1", "1 ", "1x",
		"4294967296", "99999999999", "0x10", "AS-1", "1.1" };
	struct ask_args a = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(ask_set_as(&a, wrong[i]));
	assert_false(a.has_as);
	assert_true(ask_set_as(&a, "as4294967295"));
	assert_int_equal(a.as, 4294967295u);
}

static void
test_communities(void **state)
{
	static const char *const wrong[] = { "", "1", "1:", ":1", "1:2:3:4", "65536:1",
		"1:65536", "1:2:4294967296", "a:b", "1 :2", "1:2)", "-1:2", "(1,2)" };
	struct ask_args a = { 0 };
	char text[ASK_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(ask_set_community(&a, wrong[i]));
	assert_false(ask_text(text, ASK_COMMUNITY, &a));
	assert_true(ask_set_community(&a, "65535:0"));
	assert_true(ask_text(text, ASK_COMMUNITY, &a));
	assert_non_null(strstr(text, " (65535, 0) ~ bgp_community"));
	assert_true(ask_set_community(&a, "4294967295:0:7"));
	assert_true(ask_text(text, ASK_COMMUNITY_LARGE, &a));
	assert_non_null(strstr(text, " (4294967295, 0, 7) ~ bgp_large_community"));
	assert_true(ask_set_with(&a, "1:2,3:4:5"));
	assert_string_equal(a.with, "(1, 2)(3, 4, 5)");
	assert_true(ask_text(text, ASK_WHY_ANY, &a));
	assert_string_equal(text, "json show route why with (1, 2)(3, 4, 5)");
	assert_false(ask_set_with(&a, "1:2,"));
	assert_false(ask_set_with(&a, "1:2,1:2,1:2,1:2,1:2,1:2,1:2,1:2,1:2"));
	assert_string_equal(a.with, "");
	/* a value that no setter checked */
	strcpy(a.with, "(1, 2) to 'x'");
	assert_true(ask_set_prefix(&a, "192.0.2.0/24"));
	assert_false(ask_text(text, ASK_WHY_WITH, &a));
	assert_false(ask_text(text, ASK_WHY_ANY, &a));
	/* the longest command has room */
	memset(a.to, 'a', ASK_NAME_MAX);
	memset(a.from, 'a', ASK_NAME_MAX);
	assert_true(ask_set_prefix(&a, "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff/128"));
	assert_true(ask_set_with(&a, "4294967295:4294967295:4294967295"));
	for (int i = 1; i < ASK_WITH_MAX; i++)
		memcpy(
		    a.with + strlen(a.with), "(4294967295, 4294967295, 4294967295)", 37);
	assert_true(ask_text(text, ASK_WHY_WITH, &a));
}

static void
test_prefixes(void **state)
{
	static const char *const wrong[] = { "", "1", "1.2.3", "1.2.3.4/33", "::/129",
		"1.2.3.0/24 all", "1.2.3.0/24\n", "1.2.3.4/", "/24", "x::/16",
		"1.2.3.4/-1" };
	char text[PREFIX_STR_MAX];
	struct ask_args a = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(ask_set_prefix(&a, wrong[i]));
	assert_true(ask_set_prefix(&a, "192.0.2.77/24"));
	assert_string_equal(prefix_str(text, &a.prefix), "192.0.2.0/24");
	assert_true(ask_set_prefix(&a, "192.0.2.77"));
	assert_string_equal(prefix_str(text, &a.prefix), "192.0.2.77/32");
	assert_true(ask_set_prefix(&a, "2001:DB8::1"));
	assert_string_equal(prefix_str(text, &a.prefix), "2001:db8::1/128");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_communities),
		cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The greatest values of a list, and names to ask about. */
#include "client/http/api/gather.h"
#include "test/lib/unit.h"

#include <stdio.h>
#include <string.h>

/* http_gather_take - take a thread with the processor time @s. */
static void
http_gather_take(struct gather *g, unsigned max, const char *name, double s)
{
	char line[100];

	snprintf(line, sizeof(line),
	    "{\"type\":\"thread\",\"name\":\"%s\",\"cpu_s\":%.3f}", name, s);
	gather_top(g, TOP_CPU, max, jview_of(line, strlen(line)));
}

static void
http_gather_top(void **state)
{
	static const double value[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 0, -1 };

	(void)state;
	for (unsigned max = 1; max < 14; max++) {
		struct gather g = { 0 };
		char name[8];

		for (unsigned i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
			snprintf(name, sizeof(name), "t%u", i);
			http_gather_take(&g, max, name, value[i]);
		}
		/* two values are not above zero */
		assert_int_equal(g.top_cnt, max < 10 ? max : 10);
		for (unsigned i = 1; i < g.top_cnt; i++)
			assert_true(g.top[i - 1].value >= g.top[i].value);
		assert_non_null(strstr(g.top[0].text, "\"t5\""));
		/* the first of two equal values comes first */
		if (max > 3)
			assert_non_null(strstr(g.top[2].text, "\"t4\""));
		gather_reset(&g);
		assert_int_equal(g.top_cnt, 0);
	}
}

static void
http_gather_values(void **state)
{
	static const struct {
		enum top by;
		double value; /* 0: no value */
		const char *line;
	} rows[] = {
		{ TOP_FILTERED, 5,
		    "{\"type\":\"member\",\"ipv4\":{\"filtered\":2},\"ipv6\":{"
		    "\"filtered\":3}}" },
		{ TOP_FILTERED, 2, "{\"type\":\"member\",\"ipv4\":{\"filtered\":2}}" },
		{ TOP_FILTERED, 0, "{\"type\":\"members\",\"ipv4\":{\"filtered\":2}}" },
		{ TOP_LIMIT, 97,
		    "{\"type\":\"member\",\"limit\":{\"used_percent\":97}}" },
		{ TOP_LIMIT, 0, "{\"type\":\"member\"}" },
		{ TOP_FLAPS, 4, "{\"type\":\"protocol\",\"bgp\":{\"down_count\":4}}" },
		{ TOP_FLAPS, 0, "{\"type\":\"protocol\"}" },
		{ TOP_CPU, 0, "{}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gather g = { 0 };

		gather_top(
		    &g, rows[i].by, 5, jview_of(rows[i].line, strlen(rows[i].line)));
		assert_int_equal(g.top_cnt, rows[i].value > 0);
		assert_true(!g.top_cnt || g.top[0].value == rows[i].value);
		gather_reset(&g);
	}
}

static void
http_gather_names(void **state)
{
	struct gather g = { 0 };
	char name[ASK_NAME_MAX + 1];

	(void)state;
	assert_false(gather_next(&g, name));
	for (const char *const *s = (const char *const[]){ "{\"name\":\"p1\"}",
		 "{\"name\":\"a b\"}", "{}", "{\"name\":\"p-2\"}", NULL };
	     *s; s++)
		gather_name(&g, jview_of(*s, strlen(*s)));
	assert_true(gather_next(&g, name));
	assert_string_equal(name, "p1");
	assert_true(gather_next(&g, name));
	assert_string_equal(name, "p-2");
	assert_false(gather_next(&g, name));
	gather_reset(&g);
	assert_false(gather_next(&g, name));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_gather_top),
		cmocka_unit_test(http_gather_values),
		cmocka_unit_test(http_gather_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

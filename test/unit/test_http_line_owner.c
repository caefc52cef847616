/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_http_line_owner checks which lines and pages a visitor sees: anyone, a member, the
 * exchange. */
#include "client/http/job/line_owner.h"
#include "test/lib/unit.h"

#include <string.h>

static const char members[] = "{\"type\":\"member\",\"name\":\"p1\",\"as\":65001}\n"
			      "{\"type\":\"member\",\"name\":\"p2\",\"as\":65002}\n"
			      "{\"type\":\"member\",\"name\":\"p2b\",\"as\":65002}\n"
			      "{\"type\":\"member\",\"name\":\"range\"}\n"
			      "{\"type\":\"members\",\"name\":\"p3\",\"as\":65002}\n";

static const struct visitor anyone, second = { .as_cnt = 1, .as = { 65002 } },
				    all = { .exchange = true };

static bool
http_line_owner_shows(
    const struct visitor *v, enum ask ask, const char *to, const char *line)
{
	struct ask_args a = { 0 };
	struct line_owner o;

	if (to)
		assert_true(ask_set_name(a.to, to));
	line_owner_begin(&o, members, strlen(members));
	return line_owner_shows(&o, v, ask, &a, jview_of(line, strlen(line)));
}

/* http_line_owner_check - who sees a line: the exchange always, the second member (@own),
 * anyone (@open). */
static void
http_line_owner_check(bool own, bool open, enum ask ask, const char *to, const char *line)
{
	assert_true(http_line_owner_shows(&all, ask, to, line));
	assert_int_equal(http_line_owner_shows(&second, ask, to, line), own);
	assert_int_equal(http_line_owner_shows(&anyone, ask, to, line), open);
}

static void
http_line_owner_routes(void **state)
{
	(void)state;
	http_line_owner_check(
	    true, true, ASK_ACCEPTED, NULL, "{\"type\":\"route\",\"protocol\":\"p1\"}");
	http_line_owner_check(false, false, ASK_ACCEPTED, NULL,
	    "{\"type\":\"route\",\"protocol\":\"p1\",\"filtered\":true}");
	http_line_owner_check(true, false, ASK_ACCEPTED, NULL,
	    "{\"type\":\"route\",\"protocol\":\"p2\",\"filtered_by\":\"import\"}");
	http_line_owner_check(true, false, ASK_ROUTE, NULL,
	    "{\"type\":\"filtered_route\",\"protocol\":\"p2b\"}");
	http_line_owner_check(
	    false, false, ASK_FILTERED, NULL, "{\"type\":\"route\",\"protocol\":\"p1\"}");
	http_line_owner_check(
	    true, false, ASK_FILTERED, NULL, "{\"type\":\"route\",\"protocol\":\"p2\"}");
	http_line_owner_check(
	    true, true, ASK_FILTERED, NULL, "{\"type\":\"route_table\"}");
	/* sessions without an owner, and lines that name no session */
	for (const char *const *s =
		 (const char *const[]){ "{\"type\":\"route\",\"protocol\":\"range\"}",
		     "{\"type\":\"route\",\"protocol\":\"p3\"}",
		     "{\"type\":\"route\",\"protocol\":\"p\"}",
		     "{\"type\":\"route\",\"protocol\":\"\"}", "{\"type\":\"route\"}",
		     "{\"protocol\":\"p1\"}", "{}", "", "[]", NULL };
	     *s; s++)
		http_line_owner_check(false, false, ASK_TABLE_FILTERED, NULL, *s);
}

static void
http_line_owner_why(void **state)
{
	(void)state;
	http_line_owner_check(true, true, ASK_WHY, NULL,
	    "{\"type\":\"why\",\"protocol\":\"p1\",\"fate\":\"best\"}");
	http_line_owner_check(true, true, ASK_WHY, NULL,
	    "{\"type\":\"why\",\"protocol\":\"p1\",\"fate\":\"lost\"}");
	http_line_owner_check(false, false, ASK_WHY, NULL,
	    "{\"type\":\"why\",\"protocol\":\"p1\",\"fate\":\"refused\"}");
	http_line_owner_check(true, false, ASK_WHY, NULL,
	    "{\"type\":\"why\",\"protocol\":\"p2\",\"fate\":\"refused\"}");
	http_line_owner_check(
	    false, false, ASK_WHY, NULL, "{\"type\":\"why\",\"protocol\":\"p1\"}");
	http_line_owner_check(true, false, ASK_WHY, NULL,
	    "{\"type\":\"why\",\"protocol\":\"p2\",\"fate\":\"best\",\"filtered_by\":"
	    "\"pipe\"}");
	http_line_owner_check(true, true, ASK_WHY, "p1",
	    "{\"type\":\"why_to\",\"protocol\":\"p1\",\"to\":\"p1\"}");
	/* a pipe on the way */
	http_line_owner_check(false, false, ASK_WHY, "p2",
	    "{\"type\":\"why_to\",\"protocol\":\"p1\",\"to\":\"pipe1\"}");
	http_line_owner_check(true, false, ASK_WHY, NULL,
	    "{\"type\":\"why_to\",\"protocol\":\"p2\",\"to\":\"pipe1\"}");
	http_line_owner_check(
	    false, false, ASK_WHY, NULL, "{\"type\":\"new\",\"protocol\":\"p1\"}");
}

/* http_line_owner_last - the name of the last line is remembered, and its AS with it. */
static void
http_line_owner_last(void **state)
{
	static const char one[] = "{\"type\":\"route\",\"protocol\":\"p1\"}";
	static const char two[] = "{\"type\":\"route\",\"protocol\":\"p2\"}";
	struct ask_args a = { 0 };
	struct line_owner o;

	(void)state;
	line_owner_begin(&o, members, strlen(members));
	for (int i = 0; i < 3; i++) {
		assert_false(line_owner_shows(
		    &o, &second, ASK_FILTERED, &a, jview_of(one, strlen(one))));
		assert_true(line_owner_shows(
		    &o, &second, ASK_FILTERED, &a, jview_of(two, strlen(two))));
	}
	line_owner_begin(&o, NULL, 0);
	assert_false(
	    line_owner_shows(&o, &second, ASK_FILTERED, &a, jview_of(two, strlen(two))));
}

static int
http_line_owner_page(const struct visitor *v, const char *target)
{
	static struct request r;

	assert_int_equal(request_parse(&r, target), 200);
	return line_owner_page(&r, v);
}

static void
http_line_owner_pages(void **state)
{
	static const char *const open[] = { "/", "/member/65001", "/v1/status",
		"/v1/members/65001/routes/accepted", "/member/65001/notexported",
		"/v1/members/65001/routes/exported", "/v1/why?prefix=10.0.0.0/8",
		"/birdwatcher/rs1/routes/protocol/p1", "/metrics" };
	static const char *const own[] = { "/v1/members/65001/routes/filtered",
		"/v1/members/65001/routes/received", "/member/65001/filtered",
		"/member/65001/received" };

	(void)state;
	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
		assert_int_equal(http_line_owner_page(&anyone, open[i]), 200);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		assert_int_equal(http_line_owner_page(&anyone, own[i]), 401);
		assert_int_equal(http_line_owner_page(&second, own[i]), 403);
		assert_int_equal(http_line_owner_page(&all, own[i]), 200);
	}
	assert_int_equal(http_line_owner_page(&second, "/member/65002/filtered"), 200);
	assert_int_equal(
	    http_line_owner_page(&anyone, "/birdwatcher/rs1/routes/filtered/p1"), 401);
	assert_int_equal(http_line_owner_page(
			     &anyone, "/birdwatcher/rs1/routes/table/master4/filtered"),
	    401);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_line_owner_routes),
		cmocka_unit_test(http_line_owner_why),
		cmocka_unit_test(http_line_owner_last),
		cmocka_unit_test(http_line_owner_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages of a list: each route is on exactly one page, whatever the limit, also if routes
 * come and go between two pages. */
#include "client/http/api/place.h"
#include "test/lib/unit.h"

#include <stdio.h>
#include <string.h>

#define R(net) "{\"type\":\"route\",\"network\":\"" net "\"}"
#define F(net) "{\"type\":\"filtered_route\",\"network\":\"" net "\"}"
#define T      "{\"type\":\"route_table\"}"

/* The lines of two questions of one session. */
static const char *const question[2][12] = {
	{ R("9.0.0.0/8"), R("10.0.0.0/8"), R("10.0.0.0/8"), R("10.0.0.0/24"),
	    R("10.1.0.0/16"), T, R("2001:db8::/32"), R("2001:db8::/48"), T, NULL },
	{ R("10.0.0.0/8"), F("20.0.0.0/8"), F("1.0.0.0/8"), F("20.0.0.0/8"), T,
	    F("2001:db8::/32"), T, NULL },
};

/* http_place_page - a page of @limit routes. *@routes: the number of its routes. Returns:
 * false: the last page. */
static bool
http_place_page(unsigned limit, char *cursor, unsigned *routes)
{
	struct places s = { .limit = limit, .skipping = *cursor != 0 };

	*routes = 0;
	if (*cursor)
		assert_true(place_scan(&s.from, cursor));
	for (unsigned part = *cursor ? s.from.part : 0; part < 2; part++) {
		places_begin(&s, 3, "p1", part);
		for (const char *const *line = question[part]; *line; line++) {
			switch (places_line(&s, jview_of(*line, strlen(*line)))) {
			case PLACE_FULL:
				place_str(cursor, &s.at);
				return true;
			case PLACE_SHOW:
				*routes += strcmp(*line, T) != 0;
				break;
			default:
				break;
			}
		}
	}
	return false;
}

static void
http_place_limits(void **state)
{
	(void)state;
	for (unsigned limit = 0; limit < 14; limit++) {
		char cursor[PLACE_TEXT_MAX] = "";
		unsigned all = 0, pages = 0, routes;
		bool more;

		do {
			more = http_place_page(limit, cursor, &routes);
			/* one network has two routes */
			assert_true(!limit || routes <= limit + 1);
			assert_true(routes);
			all += routes;
			pages++;
		} while (more);
		assert_int_equal(all, 12);
		assert_true(limit != 1 || pages == 11);
	}
}

/* http_place_changed - the network of the cursor has gone. */
static void
http_place_changed(void **state)
{
	static const char gone[] = R("10.0.0.0/9"), next[] = R("10.0.0.0/24");
	static const char before[] = R("10.0.0.0/8");
	struct places s = { .skipping = true };

	(void)state;
	assert_true(place_scan(&s.from, "3,p1,0,0,10.0.0.0/9,0"));
	places_begin(&s, 3, "p1", 0);
	assert_int_equal(places_line(&s, jview_of(before, strlen(before))), PLACE_SKIP);
	assert_int_equal(places_line(&s, jview_of(gone, strlen(gone))), PLACE_SKIP);
	assert_int_equal(places_line(&s, jview_of(next, strlen(next))), PLACE_SHOW);
	/* another session begins with its first route */
	s.skipping = true;
	places_begin(&s, 3, "p2", 0);
	assert_int_equal(places_line(&s, jview_of(before, strlen(before))), PLACE_SHOW);
}

static void
http_place_cursors(void **state)
{
	static const char *const good[] = { "0,p1,0,0,10.0.0.0/8,0", "7,,1,2,,0",
		"0,p1,0,0,,17", "0,p1,0,1,2001:db8::/32,0" };
	static const char *const wrong[] = { "", "x", "0,p1,0,0,10.0.0.0/8", ",,,,,",
		"0,p1,0,0,10.0.0.0/8,0,", "-1,p1,0,0,,0", "0,p 1,0,0,,0", "0,p1,0,0,x,0",
		"0,p1,0,0,10.0.0.0/33,0", "0,p1,0,0,10.0.0.0/8 all,0",
		"9999999999,p1,0,0,,0", "0,p1',0,0,,0" };
	char text[PLACE_TEXT_MAX];
	struct place p;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(place_scan(&p, good[i]));
		place_str(text, &p);
		assert_string_equal(text, good[i]);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(place_scan(&p, wrong[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_place_limits),
		cmocka_unit_test(http_place_changed),
		cmocka_unit_test(http_place_cursors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

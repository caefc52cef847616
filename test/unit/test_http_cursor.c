/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cursor of a list in pages: the text of any set of servers reads as this set, the
 * longest text fits in a request, and no other text is a cursor. */
#include "client/http/api/cursor.h"
#include "lib/base/strbuf.h"
#include "test/lib/unit.h"

#include <string.h>

static const char *const places[SERVERS_MAX] = { "0,,0,0,10.0.0.0/8,0", "1,p1,1,2,,3",
	"2,,0,1,2001:db8::/32,0", "3,a_b,0,0,10.1.0.0/16,0", "4,,0,0,,0",
	"5,x,1,0,::/0,999999999", "6,,0,0,2001:db8:ffff:ffff:ffff:ffff:ffff:ffff/128,0",
	"7,z,0,9,0.0.0.0/0,0" };

static void
http_cursor_round(void **state)
{
	struct strbuf want, got;
	struct cursor c;

	(void)state;
	strbuf_init(&want);
	strbuf_init(&got);
	for (unsigned set = 0; set < 1u << SERVERS_MAX; set++) {
		strbuf_reset(&want);
		strbuf_reset(&got);
		for (unsigned i = 0; i < SERVERS_MAX; i++)
			if (set >> i & 1)
				strbuf_addf(
				    &want, "%s%s", want.len ? ";" : "", places[i]);
		assert_true(cursor_scan(&c, want.s));
		assert_int_equal(c.servers, set);
		for (unsigned i = 0; i < SERVERS_MAX; i++) {
			struct places p = cursor_begin(&c, i, 5);

			assert_int_equal(cursor_has(&c, i), !set || set >> i & 1);
			assert_int_equal(p.skipping, set >> i & 1);
			assert_int_equal(p.limit, 5);
		}
		cursor_add(&got, &c);
		assert_string_equal(got.s, want.s);
	}
	strbuf_fini(&want);
	strbuf_fini(&got);
}

/* http_cursor_long - places with the longest names. */
static void
http_cursor_long(void **state)
{
	struct cursor c = { 0 }, again;
	struct strbuf text;

	(void)state;
	strbuf_init(&text);
	for (unsigned i = 0; i < SERVERS_MAX; i++) {
		struct place p = { .server = i, .part = 1, .table = 99, .has_net = true };

		memset(p.session, 'n', ASK_NAME_MAX);
		assert_true(
		    prefix_scan(&p.net, "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff/128"));
		cursor_put(&c, &p);
	}
	cursor_add(&text, &c);
	assert_true(text.len < REQUEST_CURSOR_MAX);
	assert_true(cursor_scan(&again, text.s));
	assert_int_equal(again.servers, c.servers);
	strbuf_fini(&text);
}

static void
http_cursor_wrong(void **state)
{
	static const char *const wrong[] = { ";", "0,,0,0,,0;", ";0,,0,0,,0",
		"0,,0,0,,0;0,,0,0,,0", "8,,0,0,,0", "0,,0,0,,0;x",
		"0,,0,0,,0,1,,0,0,,0" };
	struct cursor c;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(cursor_scan(&c, wrong[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_cursor_round),
		cmocka_unit_test(http_cursor_long),
		cmocka_unit_test(http_cursor_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of the losses of a session: bars, heights, words, and lists of other
 * lengths. */
#include "client/http/page/downs.c"
#include "test/lib/unit.h"

#include <string.h>

static struct downs
http_downs_of(const char *text)
{
	return downs_read(jview_of(text, strlen(text)));
}

/* http_downs_bars - Returns: the number of bars in @b. */
static unsigned
http_downs_bars(const struct strbuf *b)
{
	unsigned cnt = 0;

	for (const char *s = b->s; (s = strstr(s, "<rect ")); s++)
		cnt++;
	return cnt;
}

static void
http_downs_draws(void **state)
{
	struct downs d = http_downs_of(
	    "{\"downs\":[0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
	    "0,0,0,0,300],\"downs_days\":[0,0,2,70000,0,0,301]}");
	struct strbuf b;

	(void)state;
	assert_int_equal(d.hour[1], 1);
	assert_int_equal(d.hour[23], 255);
	strbuf_init(&b);
	downs_picture(&b, &d);
	assert_int_equal(http_downs_bars(&b), 4);
	assert_non_null(strstr(
	    b.s, "aria-label=\"lost 65793 times in 7 days, 256 in the last 24 hours\""));
	assert_non_null(strstr(b.s, "<rect x=\"16\" y=\"5\" width=\"7\" height=\"9\"/>"));
	assert_non_null(
	    strstr(b.s, "<rect x=\"24\" y=\"0\" width=\"7\" height=\"14\"/>"));
	assert_non_null(strstr(b.s, "<rect x=\"53\" y=\"8\" width=\"2\" height=\"6\"/>"));
	assert_non_null(
	    strstr(b.s, "<rect x=\"119\" y=\"0\" width=\"2\" height=\"14\"/>"));
	strbuf_reset(&b);
	/* one loss, days ago */
	d = http_downs_of("{\"downs_days\":[1,0,0,0,0,0,0]}");
	downs_picture(&b, &d);
	assert_int_equal(http_downs_bars(&b), 1);
	assert_non_null(
	    strstr(b.s, "<title>lost 1 time in 7 days, 0 in the last 24 hours"));
	strbuf_fini(&b);
}

static void
http_downs_none(void **state)
{
	static const char *const texts[] = { "{}", "{\"downs\":[]}", "{\"downs\":3}",
		"{\"downs\":[0,0]}", "{\"downs\":\"x\"}",
		"{\"downs_days\":[0,0,0,0,0,0,1]}", "{\"downs_days\":{}}" };
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct downs d = http_downs_of(texts[i]);

		downs_picture(&b, &d);
		assert_int_equal(b.len, 0);
	}
	/* more hours than the picture has */
	assert_int_equal(http_downs_of("{\"downs\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
				       "1,1,1,1,1,2,9]}")
			     .hour[23],
	    2);
	strbuf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(http_downs_draws),
		cmocka_unit_test(http_downs_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

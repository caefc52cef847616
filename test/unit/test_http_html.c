/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of HTML: escapes, numbers, durations. */
#include "client/http/page/html.h"
#include "test/lib/unit.h"

#include <string.h>

static struct strbuf out;

static void
test_http_html_is(const char *want)
{
	assert_string_equal(out.s, want);
	strbuf_reset(&out);
}

static void
test_escapes(void **state)
{
	const char v[] = "\"<a href='x'>\\\"&\\u003c\"";
	const char path[] = "[65001,{\"set\":[1,2]},65002]";
	const char sets[] =
	    "{\"bgp_community\":[[1,2]],\"bgp_large_community\":[[1,2,3]],"
	    "\"bgp_ext_community\":[\"(rt, 1, <)\"]}";

	(void)state;
	strbuf_init(&out);
	html_text(&out, "<&>\"'");
	test_http_html_is("&lt;&amp;&gt;&quot;&#39;");
	html_value(&out, jview_of(v, strlen(v)));
	test_http_html_is("&lt;a href=&#39;x&#39;&gt;&quot;&amp;&lt;");
	html_value(&out, (struct jview){ NULL, 0 });
	test_http_html_is("");
	html_path(&out, jview_of(path, strlen(path)));
	test_http_html_is("65001 {…} 65002");
	html_communities(&out, jview_of(sets, strlen(sets)));
	test_http_html_is(
	    "<code>1:2</code> <code>1:2:3</code> <code>(rt, 1, &lt;)</code> ");
	html_badge(&out, "good", "<up>");
	test_http_html_is("<span class=\"badge good\">&lt;up&gt;</span>");
	strbuf_fini(&out);
}

static void
test_numbers(void **state)
{
	(void)state;
	strbuf_init(&out);
	html_count(&out, 0);
	test_http_html_is("0");
	html_count(&out, 999);
	test_http_html_is("999");
	html_count(&out, 1234567);
	test_http_html_is("1&#8239;234&#8239;567");
	html_span(&out, 59);
	test_http_html_is("59 s");
	html_span(&out, 61);
	test_http_html_is("1 min 1 s");
	html_span(&out, 7300);
	test_http_html_is("2 h 1 min");
	html_span(&out, 90000);
	test_http_html_is("1 d 1 h");
	html_time(&out, 0);
	test_http_html_is(
	    "<time datetime=\"1970-01-01T00:00:00Z\">1970-01-01 00:00</time>");
	html_time(&out, -1);
	test_http_html_is("");
	strbuf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

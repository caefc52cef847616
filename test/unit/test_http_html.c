/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of HTML: escapes, numbers, durations. */
#include "client/http/page/html.h"
#include "test/lib/unit.h"

#include <string.h>

static struct strbuf out;

static void
is(const char *want)
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
	is("&lt;&amp;&gt;&quot;&#39;");
	html_value(&out, jview_of(v, strlen(v)));
	is("&lt;a href=&#39;x&#39;&gt;&quot;&amp;&lt;");
	html_value(&out, (struct jview){ NULL, 0 });
	is("");
	html_path(&out, jview_of(path, strlen(path)));
	is("65001 {…} 65002");
	html_communities(&out, jview_of(sets, strlen(sets)));
	is("<code>1:2</code> <code>1:2:3</code> <code>(rt, 1, &lt;)</code> ");
	html_badge(&out, "good", "<up>");
	is("<span class=\"badge good\">&lt;up&gt;</span>");
	strbuf_fini(&out);
}

static void
test_numbers(void **state)
{
	(void)state;
	strbuf_init(&out);
	html_count(&out, 0);
	is("0");
	html_count(&out, 999);
	is("999");
	html_count(&out, 1234567);
	is("1&#8239;234&#8239;567");
	html_span(&out, 59);
	is("59 s");
	html_span(&out, 61);
	is("1 min 1 s");
	html_span(&out, 7300);
	is("2 h 1 min");
	html_span(&out, 90000);
	is("1 d 1 h");
	html_time(&out, 0);
	is("<time datetime=\"1970-01-01T00:00:00Z\">1970-01-01 00:00</time>");
	html_time(&out, -1);
	is("");
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

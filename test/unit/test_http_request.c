/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Request targets of HTTP: pages, values, escapes, and what is refused. */
#include "client/http/job/request.h"
#include "test/lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct request r;

static void
test_http_request_good(const char *target, enum page page)
{
	assert_int_equal(request_parse(&r, target), 200);
	assert_int_equal(r.page, page);
}

static void
test_http_request_bad(const char *target, int status)
{
	assert_int_equal(request_parse(&r, target), status);
	assert_true(*r.why);
}

static void
test_pages(void **state)
{
	char text[PREFIX_STR_MAX];

	(void)state;
	test_http_request_good("/", PAGE_HOME);
	test_http_request_good("/login", PAGE_LOGIN);
	test_http_request_good("/login?as=65001", PAGE_LOGIN);
	test_http_request_good("/v1/status", PAGE_API_STATUS);
	test_http_request_good("/v1/status/", PAGE_API_STATUS);
	test_http_request_good("/v1/status?", PAGE_API_STATUS);
	test_http_request_good("/v1/status?server=rs1", PAGE_API_STATUS);
	assert_string_equal(r.server, "rs1");
	test_http_request_good("/v1/status?server=all", PAGE_API_STATUS);
	assert_string_equal(r.server, "");
	test_http_request_good(
	    "/v1/members/AS65001/routes/notexported", PAGE_API_MEMBER_ROUTES);
	assert_int_equal(r.args.as, 65001);
	assert_int_equal(r.kind, KIND_NOT_EXPORTED);
	test_http_request_good("/prefix/192.0.2.0/24", PAGE_NET);
	assert_false(r.args.longest);
	test_http_request_good(
	    "/birdseye/s/api/route/10.0.0.0%2F8/protocol/m1", PAGE_BE_FOR_PROTOCOL);
	assert_string_equal(prefix_str(text, &r.args.prefix), "10.0.0.0/8");
	assert_string_equal(r.args.name, "m1");
	test_http_request_good(
	    "/birdseye/s/api/route/2001%3Adb8%3A%3A%2F32/table/t", PAGE_BE_FOR_TABLE);
	test_http_request_good(
	    "/birdseye/s/api/route/10.0.0.1/export/m1", PAGE_BE_FOR_EXPORT);
	test_http_request_good(
	    "/birdseye/s/api/routes/lc-zwild/protocol/m1/65000/1101?use_cache=0",
	    PAGE_BE_LARGE);
	assert_int_equal(r.args.large[0], 65000);
	assert_int_equal(r.args.large[1], 1101);
	test_http_request_good(
	    "/birdwatcher/s/routes/pipe/filtered/?table=T1&pipe=M1", PAGE_BW_PIPE);
	assert_string_equal(r.args.other, "M1");
	test_http_request_good(
	    "/birdwatcher/s/routes/table/t/peer/2001:db8::1", PAGE_BW_TABLE_PEER);
	test_http_request_good("/prefix/192.0.2.0%2F24?to=m1", PAGE_NET);
	assert_string_equal(prefix_str(text, &r.args.prefix), "192.0.2.0/24");
	assert_string_equal(r.args.to, "m1");
	test_http_request_good("/prefix/2001:db8::1", PAGE_NET);
	assert_true(r.args.longest);
	test_http_request_good("/v1/routes?longest=192.0.2.1", PAGE_API_ROUTES);
	test_http_request_good(
	    "/v1/why?prefix=2001%3adb8%3A%3a%2F32&from=a&to=", PAGE_API_WHY);
	assert_string_equal(r.args.from, "a");
	test_http_request_good(
	    "/birdwatcher/rs1/routes/table/master4/filtered?uncached=true",
	    PAGE_BW_TABLE_FILTERED);
	assert_string_equal(r.server, "rs1");
	assert_string_equal(r.args.name, "master4");
}

static void
test_collect(void **state)
{
	static const char *const all[] = { "/metrics?collect[]=all",
		"/metrics?format=new", "/metrics?format=old&server=rs1" };

	(void)state;
	test_http_request_good("/metrics", PAGE_METRICS);
	for (int i = 0; i < COLLECT_CNT; i++)
		assert_int_equal(request_collects(&r, (enum collect)i),
		    i != COLLECT_CHANGES && i != COLLECT_WORK);
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		test_http_request_good(all[k], PAGE_METRICS);
		for (int i = 0; i < COLLECT_CNT; i++)
			assert_true(request_collects(&r, (enum collect)i));
	}
	test_http_request_good(
	    "/metrics?collect%5B%5D=protocols&server=rs1&collect[]=server", PAGE_METRICS);
	assert_true(request_collects(&r, COLLECT_PROTOCOLS));
	assert_true(request_collects(&r, COLLECT_SERVER));
	assert_false(request_collects(&r, COLLECT_CHANGES));
	assert_false(request_collects(&r, COLLECT_WORK));
	test_http_request_bad("/metrics?collect[]=x", 400);
	test_http_request_bad("/metrics?collect[]=", 400);
	test_http_request_bad("/metrics?collect=server", 400);
	test_http_request_bad("/v1/status?collect[]=server", 400);
}

static void
test_refused(void **state)
{
	static const char *const wrong[] = { "/v1/status?server=rs1&server=rs2",
		"/v1/why?prefix=10.0.0.0/8&to=a&to=a", "/v1/events?as=1&as=2",
		"/v1/members/1/routes/accepted?limit=1&limit=2", "/v1/status?x=1",
		"/v1/status?server=a%20b", "/v1/status?server=%00", "/v1/%", "/v1/%4",
		"/v1/%zz", "/v1/%0astatus", "/../v1/status", "/v1/./status",
		"/v1//status", "/v1/%2e%2e/status", "/v1/routes", "/v1/why?to=m1",
		"/v1/routes?prefix=", "/v1/routes?prefix=1",
		"/v1/routes?prefix=10.0.0.0/8%20all",
		"/v1/routes?prefix=1.1.1.1&prefix=1.1.1.1",
		"/v1/why?prefix=10.0.0.0/8&to=a'b", "/v1/why?prefix=10.0.0.0/8&to=a%0ab",
		"/search", "/search?q=", "/search?q=%3Cscript%3E",
		"/a/b/c/d/e/f/g/h/i/j/k/l/m", "/birdwatcher/s/routes/pipe/filtered",
		"/birdwatcher/s/routes/pipe/filtered?table=T1",
		"/birdwatcher/s/routes/pipe/filtered?table=T1&pipe=a'b",
		"/birdwatcher/s/routes/pipe/filtered/count?table=T1&pipe=M1",
		"/birdwatcher/s/routes/pipe/filtered/count?table=T1&pipe=M1&address=x",
		"/v1/status?a=%f" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		test_http_request_bad(wrong[i], 400);
	test_http_request_bad("/nosuch", 404);
	test_http_request_bad("/v1", 404);
	test_http_request_bad("/v1/status/x", 404);
	test_http_request_bad("/v1/members/0", 404);
	test_http_request_bad("/v1/members/1/routes/all", 404);
	test_http_request_bad("/birdwatcher/s/routes/peer/m1", 404);
	test_http_request_bad("/birdseye/s/api/routes/lc-zwild/protocol/p/1", 404);
	test_http_request_bad(
	    "/birdseye/s/api/routes/lc-zwild/protocol/p/1/4294967296", 404);
	test_http_request_bad("/birdseye/s/api/routes/lc-zwild/protocol/p/1/2/3", 404);
	test_http_request_bad("/birdseye/s/api/route/10.0.0.0/0240/table/t", 404);
	test_http_request_bad("", 400);
	test_http_request_bad("status", 400);
	test_http_request_bad("*", 400);
}

static void
test_long(void **state)
{
	char target[REQUEST_TARGET_MAX + 8];

	(void)state;
	memset(target, 'a', sizeof(target));
	memcpy(target, "/v1/status?", 11);
	target[sizeof(target) - 1] = 0;
	test_http_request_bad(target, 414);
	target[REQUEST_TARGET_MAX - 1] = 0;
	test_http_request_bad(target, 400);
	memset(target, '/', sizeof(target));
	target[64] = 0;
	test_http_request_bad(target, 400);
}

static void
test_http_request_searched(const char *target, const char *location)
{
	assert_int_equal(request_parse(&r, target), 303);
	assert_string_equal(r.location, location);
}

static void
test_search(void **state)
{
	(void)state;
	test_http_request_searched("/search?q=as65001", "/member/65001");
	test_http_request_searched("/search?q=+192.0.2.9", "/prefix/192.0.2.9");
	test_http_request_searched("/search?q=192.0.2.9%2f24", "/prefix/192.0.2.0/24");
	test_http_request_searched("/search?q=2001:db8::1", "/prefix/2001:db8::1");
	test_http_request_searched("/search?q=65000:1", "/community/65000:1");
	test_http_request_searched(
	    "/search?q=+4200000000:1:2", "/community/4200000000:1:2");
}

/* Any octets: a status, and no octet of a value outside its set. */
static void
test_any(void **state)
{
	static const char from[] = "/v1routes?prefix=&%20af.:'\"\n\\\x80server*membs";
	char target[40];
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t len = (unsigned)rand_r(&seed) % (sizeof(target) - 1);

		for (size_t k = 0; k < len; k++)
			target[k] = from[(unsigned)rand_r(&seed) % (sizeof(from) - 1)];
		target[len] = 0;
		if (len && i & 1)
			*target = '/';
		if (request_parse(&r, target) == 200) {
			assert_true(r.page < PAGE_CNT);
			assert_true(!*r.server || ask_name(r.server));
			assert_true(!*r.args.to || ask_name(r.args.to));
		}
	}
}

static void
test_accept(void **state)
{
	/* as Prometheus 2.42 and 3 send the header */
	static const char old[] =
	    "application/openmetrics-text;version=1.0.0,application/"
	    "openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,"
	    "*/*;q=0.1";
	static const char new[] =
	    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
	    "application/openmetrics-text;version=0.0.1;q=0.5,text/"
	    "plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/"
	    "plain;version=0.0.4;q=0.3,*/*;q=0.2";

	(void)state;
	assert_true(request_openmetrics(old));
	assert_true(request_openmetrics(new));
	assert_true(request_openmetrics("Application/OpenMetrics-Text"));
	assert_true(
	    request_openmetrics("text/plain;q=0.5, application/openmetrics-text; q=0.5"));
	assert_false(request_openmetrics(NULL));
	assert_false(request_openmetrics(""));
	assert_false(request_openmetrics("*/*"));
	assert_false(request_openmetrics("text/plain;version=0.0.4"));
	assert_false(request_openmetrics("application/openmetrics-text;q=0"));
	assert_false(request_openmetrics("application/openmetrics-text;q=0.000"));
	assert_false(request_openmetrics("application/openmetrics-text2"));
	assert_false(request_openmetrics(
	    "text/plain;version=0.0.4;q=0.75, application/openmetrics-text;q=0.5"));
	assert_false(request_openmetrics(",;, ;q=,q="));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_collect),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_accept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rights of visitors: tokens, passwords, and headers of proxies. */
#include "client/http/right/rights.h"
#include "test/lib/unit.h"

#include <string.h>

/* SHA-256 of "member-token" and "exchange-token". */
#define HASH_MEMBER                                                                      \
	"f8f99f64da225459ac0be9ef2072ce99"                                               \
	"d07388bc74a649391177e6419bf05740"
#define HASH_EXCHANGE                                                                    \
	"9d71c4546b6227cd18ad5d491db9630a"                                               \
	"d168286ff76cb3f63756547cfd24b241"

static struct rights
http_right_rights(void)
{
	struct rights r = { .header = "X-Member-AS" };
	struct ip_addr a;

	assert_true(rights_add_token(&r, 65001, HASH_MEMBER));
	assert_true(rights_add_token(&r, 0, HASH_EXCHANGE));
	assert_int_equal(ip_parse(&a, "127.0.0.0"), 0);
	assert_true(rights_add_proxy(&r, prefix_make(a, 8, FAM_IP4)));
	assert_int_equal(ip_parse(&a, "2001:db8::1"), 0);
	assert_true(rights_add_proxy(&r, prefix_make(a, 128, FAM_IP6)));
	return r;
}

/* http_right_ask - the status for a request. */
static int
http_right_ask(
    struct visitor *v, const char *peer, const char *authorization, const char *proxy)
{
	struct rights r = http_right_rights();
	struct right_claims c = { .authorization = { authorization,
				      authorization != NULL },
		.proxy = { proxy, proxy != NULL } };
	char why[RIGHTS_WHY_MAX] = "";
	int status;

	assert_int_equal(ip_parse(&c.peer, peer), 0);
	status = rights_visitor(&r, v, &c, why);
	assert_true((status == 200) == !*why);
	assert_true(status == 200 || !visitor_knows(v));
	rights_fini(&r);
	return status;
}

static void
http_right_tokens(void **state)
{
	static const char *const wrong[] = { "", "Bearer", "Bearer ",
		"Bearer member-toke", "Bearer member-token2", "Bearer " HASH_MEMBER,
		"Digest member-token", "Bearer a.b.c", "Basic ", "Basic !!!!",
		"Basic bWVtYmVyLXRva2Vu", "Basic bGc6", "Basic bGc6bWVtYmVyLXRva2U=",
		/* a NUL behind the token */
		"Basic bGc6bWVtYmVyLXRva2VuAA==", "member-token" };
	struct visitor v;

	(void)state;
	assert_int_equal(http_right_ask(&v, "192.0.2.1", NULL, NULL), 200);
	assert_false(visitor_knows(&v));
	assert_int_equal(
	    http_right_ask(&v, "192.0.2.1", "Bearer member-token", NULL), 200);
	assert_true(visitor_sees(&v, 65001));
	assert_false(visitor_sees(&v, 65002));
	assert_false(v.exchange);
	/* "lg:member-token" */
	assert_int_equal(
	    http_right_ask(&v, "192.0.2.1", "basic bGc6bWVtYmVyLXRva2Vu", NULL), 200);
	assert_true(visitor_sees(&v, 65001));
	assert_int_equal(
	    http_right_ask(&v, "192.0.2.1", "Bearer exchange-token", NULL), 200);
	assert_true(visitor_sees(&v, 65002));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(http_right_ask(&v, "192.0.2.1", wrong[i], NULL), 401);
}

static void
http_right_proxies(void **state)
{
	struct visitor v;

	(void)state;
	assert_int_equal(http_right_ask(&v, "127.0.0.9", NULL, "65001, AS65002"), 200);
	assert_true(visitor_sees(&v, 65001) && visitor_sees(&v, 65002));
	assert_false(visitor_sees(&v, 65003));
	assert_int_equal(http_right_ask(&v, "2001:db8::1", NULL, "exchange"), 200);
	assert_true(v.exchange);
	assert_int_equal(http_right_ask(&v, "127.0.0.9", NULL, ""), 200);
	assert_false(visitor_knows(&v));
	/* not a proxy */
	assert_int_equal(http_right_ask(&v, "192.0.2.1", NULL, "65001"), 200);
	assert_false(visitor_knows(&v));
	assert_int_equal(http_right_ask(&v, "2001:db8::2", NULL, "exchange"), 200);
	assert_false(visitor_knows(&v));
	for (const char *const *s = (const char *const[]){ "x", "0", "65001x", "-1", "AS",
		 "4294967296", "exchange!", "65001 65002;", "EXCHANGE", NULL };
	     *s; s++)
		assert_int_equal(http_right_ask(&v, "127.0.0.9", NULL, *s), 400);
}

static void
http_right_twice(void **state)
{
	struct rights r = http_right_rights();
	struct right_claims c = { .proxy = { "65001", 2 } };
	char why[RIGHTS_WHY_MAX];
	struct visitor v;

	(void)state;
	assert_int_equal(ip_parse(&c.peer, "127.0.0.1"), 0);
	assert_int_equal(rights_visitor(&r, &v, &c, why), 400);
	assert_false(visitor_knows(&v));
	c = (struct right_claims){ .authorization = { "Bearer member-token", 2 } };
	assert_int_equal(rights_visitor(&r, &v, &c, why), 400);
	rights_fini(&r);
}

static void
http_right_open(void **state)
{
	struct rights r = { 0 };
	struct right_claims c = { .authorization = { "Bearer x", 1 } };
	char why[RIGHTS_WHY_MAX];
	struct visitor v;

	(void)state;
	assert_int_equal(rights_visitor(&r, &v, &c, why), 200);
	assert_true(v.exchange);
}

static void
http_right_bounds(void **state)
{
	struct rights r = { 0 };
	struct visitor v = { 0 };

	(void)state;
	assert_false(rights_add_token(&r, 1, "abc"));
	assert_false(r.closed);
	for (unsigned i = 0; i < RIGHTS_TOKENS_MAX; i++)
		assert_true(rights_add_token(&r, i, HASH_MEMBER));
	assert_false(rights_add_token(&r, 1, HASH_MEMBER));
	rights_fini(&r);
	for (unsigned i = 1; i <= VISITOR_AS_MAX; i++)
		assert_true(visitor_add(&v, i));
	assert_false(visitor_add(&v, 99));
	assert_false(visitor_add_text(&v, "99"));
	assert_false(visitor_sees(&v, 99));
	assert_false(visitor_sees(&v, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_right_tokens),
		cmocka_unit_test(http_right_proxies),
		cmocka_unit_test(http_right_twice),
		cmocka_unit_test(http_right_open),
		cmocka_unit_test(http_right_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

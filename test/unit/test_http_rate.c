/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bound of requests: bursts, the rate, clients of both families, and a full table. */
#include "client/http/right/rate.h"
#include "test/lib/unit.h"

#include <string.h>

/* http_rate_refused - of @cnt requests of @a at @now_ms. */
static unsigned
http_rate_refused(struct rate *r, struct ip_addr a, uint64_t now_ms, unsigned cnt)
{
	unsigned refused = 0;

	while (cnt--)
		refused += rate_take(r, a, now_ms) != 0;
	return refused;
}

static void
http_rate_burst(void **state)
{
	const struct rate_rule rule = { .cnt = 1, .burst = 2, .per_ms = 3600000 };
	uint64_t now = 5000;
	struct rate r;

	(void)state;
	rate_init(&r, &rule, 1);
	assert_int_equal(rate_take(&r, ip4(1), now), 0);
	assert_int_equal(rate_take(&r, ip4(1), now), 0);
	assert_int_equal(rate_take(&r, ip4(1), now), 3600);
	/* a refused request costs nothing, and another client has its own burst */
	assert_int_equal(http_rate_refused(&r, ip4(1), now, 100), 100);
	assert_int_equal(rate_take(&r, ip4(2), now), 0);
	/* the wait is right to the second, and at least 1 s */
	assert_int_equal(rate_take(&r, ip4(1), now + 3599999), 1);
	assert_int_equal(rate_take(&r, ip4(1), now + 3600000), 0);
	assert_int_equal(rate_take(&r, ip4(1), now + 3600000), 3600);
	/* a long silence gives the burst, and no more */
	assert_int_equal(http_rate_refused(&r, ip4(1), now + 100 * 3600000ull, 5), 3);
	rate_fini(&r);
}

static void
http_rate_over_time(void **state)
{
	const struct rate_rule rule = { .cnt = 10, .burst = 30, .per_ms = 1000 };
	unsigned refused = 0;
	struct rate r;

	(void)state;
	rate_init(&r, &rule, 1);
	/* 100 requests per second for 10 s: the burst, and 10 per second */
	for (unsigned ms = 0; ms < 10000; ms += 10)
		refused += rate_take(&r, ip4(7), 1000 + ms) != 0;
	assert_in_range(1000 - refused, 30 + 98, 30 + 100);
	rate_fini(&r);
}

static void
http_rate_no_bound(void **state)
{
	const struct rate_rule rule = { 0 };
	struct rate r;

	(void)state;
	rate_init(&r, &rule, 1);
	assert_int_equal(http_rate_refused(&r, ip4(1), 0, 1000), 0);
	rate_fini(&r);
}

static void
http_rate_networks(void **state)
{
	const struct rate_rule rule = { .cnt = 1, .burst = 1, .per_ms = 1000 };
	const struct ip_addr a = { 0x20010db800000001, 1 };
	const struct ip_addr b = { 0x20010db800000001, 2 };
	const struct ip_addr c = { 0x20010db800000002, 1 };
	struct rate r;

	(void)state;
	rate_init(&r, &rule, 1);
	assert_int_equal(rate_take(&r, a, 0), 0);
	assert_int_equal(rate_take(&r, b, 0), 1);
	assert_int_equal(rate_take(&r, c, 0), 0);
	/* IPv4 addresses are clients of their own */
	assert_int_equal(http_rate_refused(&r, ip4(1), 0, 2), 1);
	assert_int_equal(http_rate_refused(&r, ip4(2), 0, 2), 1);
	rate_fini(&r);
}

/* Many clients drive out the clients with the least debt alone. */
static void
http_rate_full(void **state)
{
	const struct rate_rule rule = { .cnt = 1, .burst = 100, .per_ms = 1000 };
	struct rate r;

	(void)state;
	rate_init(&r, &rule, 1);
	assert_int_equal(http_rate_refused(&r, ip4(1), 1000, 101), 1);
	for (unsigned i = 2; i < 10 * RATE_CLIENTS; i++)
		assert_int_equal(rate_take(&r, ip4(i), 1000), 0);
	assert_int_equal(rate_take(&r, ip4(1), 1000), 1);
	rate_fini(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_rate_burst),
		cmocka_unit_test(http_rate_over_time),
		cmocka_unit_test(http_rate_no_bound),
		cmocka_unit_test(http_rate_networks),
		cmocka_unit_test(http_rate_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

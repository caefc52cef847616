/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes in messages of the kernel: what is written is read, and what is too short, or
 * names a length that can't be, is refused. */
#include "lib/wire/rtnl_route.c"
#include "lib/wire/rtnl.h"
#include "test/lib/addr.h"
#include "test/lib/unit.h"

static uint8_t octets[32768];
static struct rtnl_hop hops[RTNL_HOPS_MAX], read_hops[RTNL_HOPS_MAX];

static struct rtnl_route
test_rtnl_route_make(const char *net, unsigned len)
{
	enum family fam = strchr(net, ':') ? FAM_IP6 : FAM_IP4;

	return (struct rtnl_route){ .dst = prefix_make(addr_of(net), len, fam),
		.table = 254,
		.priority = 32,
		.protocol = 12,
		.type = RTN_UNICAST,
		.hop = hops };
}

static void
test_rtnl_route_same(const struct rtnl_route *a, const struct rtnl_route *b)
{
	assert_true(prefix_equal(&a->dst, &b->dst));
	assert_int_equal(a->table, b->table);
	assert_int_equal(a->priority, b->priority);
	assert_int_equal(a->protocol, b->protocol);
	assert_int_equal(a->scope, b->scope);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->realm, b->realm);
	assert_true(ip_equal(a->prefsrc, b->prefsrc));
	assert_int_equal(a->metrics, b->metrics);
	assert_memory_equal(a->metric, b->metric, sizeof(a->metric));
	assert_string_equal(a->congctl, b->congctl);
	assert_int_equal(a->hop_cnt, b->hop_cnt);
	for (unsigned i = 0; i < a->hop_cnt; i++) {
		assert_true(ip_equal(a->hop[i].gw, b->hop[i].gw));
		assert_int_equal(a->hop[i].ifindex, b->hop[i].ifindex);
		assert_int_equal(a->hop[i].weight, b->hop[i].weight);
		assert_int_equal(a->hop[i].onlink, b->hop[i].onlink);
	}
}

/* there_and_back - also cut to every length, which is never believed. */
static void
there_and_back(const struct rtnl_route *a)
{
	struct rtnl_route b = { .hop = read_hops };
	struct wbuf w = wbuf_of(octets, sizeof(octets));
	struct rtnl_msg m;
	struct rbuf r;

	rtnl_route_add(&w, 7, a);
	assert_false(w.bad);
	assert_true(
	    wbuf_len(&w) <= (size_t)RTNL_ROUTE_FIXED + a->hop_cnt * RTNL_HOP_OCTETS);
	r = rbuf_of(octets, wbuf_len(&w));
	assert_int_equal(rtnl_next(&r, &m), RTNL_ROUTE);
	assert_int_equal(m.seq, 7);
	assert_true(rtnl_route_get(m.route, &b));
	assert_false(b.other);
	test_rtnl_route_same(a, &b);
	for (size_t len = 0; len < rbuf_left(&m.route) && len < 600; len++) {
		b.hop = read_hops;
		(void)rtnl_route_get(rbuf_of(m.route.pos, len), &b);
	}
}

static void
test_one_hop(void **state)
{
	struct rtnl_route a = test_rtnl_route_make("10.1.0.0", 16);

	(void)state;
	hops[0] = (struct rtnl_hop){ addr_of("10.0.0.1"), 3, 1, false };
	a.hop_cnt = 1;
	there_and_back(&a);
	a = test_rtnl_route_make("0.0.0.0", 0);
	a.hop_cnt = 1;
	a.table = 70000;
	hops[0].onlink = true;
	there_and_back(&a);
	hops[0] = (struct rtnl_hop){ addr_of("2001:db8::1"), 3, 1, false };
	there_and_back(&a); /* RTA_VIA */
	a = test_rtnl_route_make("2001:db8::", 32);
	a.hop_cnt = 1;
	there_and_back(&a);
	hops[0].gw = IP_NONE;
	there_and_back(&a);
	hops[0].gw = addr_of("10.0.0.1"); /* RTA_VIA with an IPv4 address */
	there_and_back(&a);
}

static void
test_many_hops(void **state)
{
	struct rtnl_route a = test_rtnl_route_make("10.1.0.0", 16);

	(void)state;
	for (unsigned i = 0; i < RTNL_HOPS_MAX; i++)
		hops[i] = (struct rtnl_hop){ i % 3 ? ip4(0x0a000001 + i)
						   : addr_of("fe80::1"),
			i + 1, (uint16_t)(1 + i), i % 2 };
	a.realm = 9;
	for (a.hop_cnt = 2; a.hop_cnt <= RTNL_HOPS_MAX; a.hop_cnt += 127)
		there_and_back(&a);
}

static void
test_attrs(void **state)
{
	struct rtnl_route a = test_rtnl_route_make("10.1.0.0", 16);

	(void)state;
	a.type = RTN_BLACKHOLE;
	a.scope = 200;
	a.prefsrc = addr_of("10.9.9.9");
	strcpy(a.congctl, "bbr");
	for (unsigned i = 1; i < RTNL_METRICS; i++) {
		if (i == RTAX_CC_ALGO) /* the text */
			continue;
		a.metrics |= 1u << i;
		a.metric[i] = 1000 + i;
	}
	there_and_back(&a);
}

/* A route of a kind that isn't ours; a route that hangs on more than its destination. */
static void
test_others(void **state)
{
	struct rtmsg fixed = { .rtm_family = AF_INET, .rtm_dst_len = 8, .rtm_tos = 4 };
	struct rtnl_route b = { .hop = read_hops };

	(void)state;
	assert_true(rtnl_route_get(rbuf_of(&fixed, sizeof(fixed)), &b));
	assert_true(b.other);
	fixed.rtm_tos = 0;
	assert_true(rtnl_route_get(rbuf_of(&fixed, sizeof(fixed)), &b));
	assert_false(b.other);
	fixed.rtm_dst_len = 33;
	assert_false(rtnl_route_get(rbuf_of(&fixed, sizeof(fixed)), &b));
	fixed.rtm_family = AF_UNIX;
	assert_false(rtnl_route_get(rbuf_of(&fixed, sizeof(fixed)), &b));
}

/* What takes a route away names what it is found by, and no more. */
static void
test_del(void **state)
{
	struct rtnl_route a = test_rtnl_route_make("10.1.0.0", 16),
			  b = { .hop = read_hops };
	struct wbuf w = wbuf_of(octets, sizeof(octets));
	struct rtnl_msg m;
	struct rbuf r;

	(void)state;
	a.hop_cnt = 1;
	a.scope = 5;
	rtnl_route_del(&w, 8, &a);
	r = rbuf_of(octets, wbuf_len(&w));
	assert_int_equal(rtnl_next(&r, &m), RTNL_ROUTE_GONE);
	assert_true(rtnl_route_get(m.route, &b));
	assert_true(prefix_equal(&a.dst, &b.dst));
	assert_int_equal(b.priority, 32);
	assert_int_equal(b.protocol, 12);
	assert_int_equal(b.scope, RT_SCOPE_NOWHERE);
	assert_int_equal(b.type, RTN_UNSPEC);
	assert_int_equal(b.hop_cnt, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_hop),
		cmocka_unit_test(test_many_hops),
		cmocka_unit_test(test_attrs),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_del),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of received routes, and LOCAL_PREF put where it belongs. */
#include "proto/bgp/in/bgp_policy.c"
#include "test/lib/addr.h"
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define PATH(...) 0x40, 2, 0, sizeof((uint8_t[]){ __VA_ARGS__ }), __VA_ARGS__
#define AS(n)     0, 0, (n) >> 8, (n)&0xff
#define ORIGIN    0x40, 1, 0, 1, 0
#define NH(a, d)  0x40, 3, 0, 4, a, 0, 0, d

static struct bgp_conf conf = { .id.local_as = 100,
	.id.remote_as = 200,
	.id.ebgp = true,
	.policy.role = BGP_ROLE_NONE,
	.policy.allow_as_sets = true };
static struct bgp_judge judge = {
	.cf = &conf,
	.router_id = 0x01020304,
	.peer_as = 200,
	.local_ip = { 0, 0xffff0a000001ull },
};

static enum reason
test_bgp_policy_check(const uint8_t *data, size_t len)
{
	return bgp_policy_check(&judge, data, (uint32_t)len);
}

static void
test_path(void **state)
{
	static const uint8_t good[] = { ORIGIN, PATH(2, 2, AS(200), AS(300)), NH(10, 9) };
	static const uint8_t loop[] = { ORIGIN, PATH(2, 2, AS(200), AS(100)), NH(10, 9) };
	static const uint8_t first[] = { ORIGIN, PATH(2, 1, AS(300)), NH(10, 9) };
	static const uint8_t set[] = { ORIGIN, PATH(2, 1, AS(200), 1, 1, AS(7)),
		NH(10, 9) };

	(void)state;
	assert_int_equal(test_bgp_policy_check(good, sizeof(good)), REASON_NONE);
	assert_true(test_bgp_policy_check(loop, sizeof(loop)));
	conf.policy.allow_local_as = 1;
	assert_int_equal(test_bgp_policy_check(loop, sizeof(loop)), REASON_NONE);
	conf.policy.allow_local_as = 0;
	assert_int_equal(test_bgp_policy_check(first, sizeof(first)), REASON_NONE);
	conf.policy.enforce_first_as = true;
	assert_true(test_bgp_policy_check(first, sizeof(first)));
	assert_int_equal(test_bgp_policy_check(good, sizeof(good)), REASON_NONE);
	conf.policy.enforce_first_as = false;
	assert_int_equal(test_bgp_policy_check(set, sizeof(set)), REASON_NONE);
	conf.policy.allow_as_sets = false;
	assert_int_equal(test_bgp_policy_check(set, sizeof(set)), REASON_AS_SET);
	assert_int_equal(test_bgp_policy_check(good, sizeof(good)), REASON_NONE);
	conf.policy.allow_as_sets = true;
}

static void
test_next_hop(void **state)
{
	static const uint8_t own[] = { ORIGIN, NH(10, 1) },
			     multicast[] = { ORIGIN, NH(224, 1) };
	static const uint8_t two[] = { ORIGIN, 0x40, 3, 0, 32, 0x20, 1, 0xd, 0xb8, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 1 };
	static const uint8_t local[] = { ORIGIN, 0x40, 3, 0, 16, 0xfe, 0x80, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };
	struct bgp_link link = { .ll = { 0xfe80000000000000ull, 1 } };

	(void)state;
	assert_true(test_bgp_policy_check(own, sizeof(own)));
	assert_true(test_bgp_policy_check(multicast, sizeof(multicast)));
	assert_int_equal(test_bgp_policy_check(two, sizeof(two)), REASON_NONE);
	/* our own of the other family; our link-local one */
	judge.other_local = (struct ip_addr){ 0x20010db800000000ull, 1 };
	assert_int_equal(test_bgp_policy_check(two, sizeof(two)), REASON_OWN_NEXT_HOP);
	judge.other_local.lo = 2;
	assert_int_equal(test_bgp_policy_check(two, sizeof(two)), REASON_NONE);
	judge.other_local = IP_NONE;
	judge.link = &link;
	assert_int_equal(
	    test_bgp_policy_check(local, sizeof(local)), REASON_OWN_NEXT_HOP);
	link.ll.lo = 2;
	assert_int_equal(test_bgp_policy_check(local, sizeof(local)), REASON_NONE);
	judge.link = NULL; /* RFC 2545, 3: it is of another link */
	assert_int_equal(
	    test_bgp_policy_check(local, sizeof(local)), REASON_FAR_NEXT_HOP);
	assert_int_equal(test_bgp_policy_check(two, sizeof(two)), REASON_NONE);
}

/* RFC 4271, 5.1.3: addresses of ours on any interface; link-local ones on the link. */
static void
test_own_addresses(void **state)
{
	static const uint8_t second[] = { ORIGIN, NH(10, 2) };
	static const uint8_t two[] = { ORIGIN, 0x40, 3, 0, 32, 0x20, 1, 0xd, 0xb8, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 1 };
	static const struct iface_addr a[] = {
		{ .local = { 0xfe80000000000000ull, 1 } },
		{ .local = { 0, 0xffff0a000002ull } },
	};
	static const struct iface both[] = {
		{ .index = 2, .addr = a, .addr_cnt = 1 },
		{ .index = 3, .addr = a + 1, .addr_cnt = 1 },
	};
	static const struct ip_addr sorted[] = { { 0, 0xffff0a000002ull },
		{ 0xfe80000000000000ull, 1 } };
	struct iface_list list = { .iface = both, .cnt = 2 };

	(void)state;
	assert_int_equal(test_bgp_policy_check(second, sizeof(second)), REASON_NONE);
	judge.ifaces = &list;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
		    test_bgp_policy_check(second, sizeof(second)), REASON_OWN_NEXT_HOP);
		assert_int_equal(test_bgp_policy_check(two, sizeof(two)), REASON_NONE);
		judge.link_if = 3;
		assert_int_equal(test_bgp_policy_check(two, sizeof(two)), REASON_NONE);
		judge.link_if = 2;
		assert_int_equal(
		    test_bgp_policy_check(two, sizeof(two)), REASON_OWN_NEXT_HOP);
		judge.link_if = 0;
		list.local = sorted;
		list.local_cnt = 2;
	}
	conf.id.vrf = "red"; /* the address may be somebody's there */
	assert_int_equal(test_bgp_policy_check(second, sizeof(second)), REASON_NONE);
	judge.link_if = 3;
	assert_true(test_bgp_policy_check(second, sizeof(second)));
	judge.link_if = 0;
	conf.id.vrf = NULL;
	conf.id.remote_ip = a[1].local; /* the peer is on this machine */
	assert_int_equal(test_bgp_policy_check(second, sizeof(second)), REASON_NONE);
	conf.id.remote_ip = IP_NONE;
	judge.ifaces = NULL;
}

static void
test_reflection(void **state)
{
	static const uint8_t own[] = { ORIGIN, 0x80, 9, 0, 4, 1, 2, 3, 4 };
	static const uint8_t list[] = { ORIGIN, 0x80, 10, 0, 8, 9, 9, 9, 9, 1, 2, 3, 4 };
	static const uint8_t fine[] = { ORIGIN, 0x80, 9, 0, 4, 1, 2, 3, 5, 0x80, 10, 0, 4,
		9, 9, 9, 9 };

	(void)state;
	assert_true(test_bgp_policy_check(own, sizeof(own)));
	assert_true(test_bgp_policy_check(list, sizeof(list)));
	assert_int_equal(test_bgp_policy_check(fine, sizeof(fine)), REASON_NONE);
}

static void
test_local_pref(void **state)
{
	static const uint8_t without[] = { ORIGIN, NH(10, 9), 0xc0, 8, 0, 4, 1, 2, 3, 4 };
	static const uint8_t want[] = { ORIGIN, NH(10, 9), 0x40, 5, 0, 4, 0, 0, 0, 77,
		0xc0, 8, 0, 4, 1, 2, 3, 4 };
	uint8_t out[64], again[64];

	(void)state;
	conf.decision.default_local_pref = 77;
	assert_int_equal(
	    bgp_policy_default(&judge, without, sizeof(without), out), sizeof(want));
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(
	    bgp_policy_default(&judge, out, sizeof(want), again), sizeof(want));
	assert_memory_equal(again, want, sizeof(want));
	assert_int_equal(bgp_policy_default(&judge, NULL, 0, out), 8);
	assert_int_equal(bgp_policy_default(&judge, without, 5, out), 13);
	assert_int_equal(out[6], ATTR_LOCAL_PREF);
}

/* AIGP is left out where the channel doesn't take it; what is around it stays. */
static void
test_no_aigp(void **state)
{
	static const uint8_t with[] = { ORIGIN, 0x40, 5, 0, 4, 0, 0, 0, 77, 0x80, 26, 0,
		11, 1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 9, 0xc0, 32, 0, 12, 0, 0, 0, 1, 0, 0,
		0, 2, 0, 0, 0, 3 };
	static const uint8_t want[] = { ORIGIN, 0x40, 5, 0, 4, 0, 0, 0, 77, 0xc0, 32, 0,
		12, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 };
	uint8_t out[80];

	(void)state;
	assert_int_equal(
	    bgp_policy_default(&judge, with, sizeof(with), out), sizeof(with));
	assert_memory_equal(out, with, sizeof(with));
	judge.no_aigp = true;
	assert_int_equal(
	    bgp_policy_default(&judge, with, sizeof(with), out), sizeof(want));
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(
	    bgp_policy_default(&judge, want, sizeof(want), out), sizeof(want));
	assert_memory_equal(out, want, sizeof(want));
	judge.no_aigp = false;
}

/* RFC 9234, 5, on the way in: who may say OTC, who gets one. */
static void
test_otc(void **state)
{
	static const uint8_t ours[] = { ORIGIN, NH(10, 9), 0xc0, 35, 0, 4, 0, 0, 0, 200 };
	static const uint8_t foreign[] = { ORIGIN, NH(10, 9), 0xc0, 35, 0, 4, 0, 0, 0,
		9 };
	static const uint8_t none[] = { ORIGIN, NH(10, 9), 0x40, 5, 0, 4, 0, 0, 0, 77 };
	static const struct {
		uint8_t role;
		bool ours, foreign, added;
	} rows[] = { { BGP_ROLE_NONE, true, true, false },
		{ BGP_ROLE_PROVIDER, false, false, false },
		{ BGP_ROLE_RS_SERVER, false, false, false },
		{ BGP_ROLE_PEER, true, false, true },
		{ BGP_ROLE_CUSTOMER, true, true, true },
		{ BGP_ROLE_RS_CLIENT, true, true, true } };
	uint8_t out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t len;

		conf.policy.role = rows[i].role;
		assert_int_equal(
		    !test_bgp_policy_check(ours, sizeof(ours)), rows[i].ours);
		assert_int_equal(
		    !test_bgp_policy_check(foreign, sizeof(foreign)), rows[i].foreign);
		len = bgp_policy_default(&judge, none, sizeof(none), out);
		assert_int_equal(len, sizeof(none) + (rows[i].added ? 8 : 0));
		assert_memory_equal(out, none, sizeof(none));
		if (rows[i].added)
			assert_memory_equal(out + len - 8, ours + sizeof(ours) - 8, 8);
		len = bgp_policy_default(&judge, foreign, sizeof(foreign), out);
		assert_int_equal(len, sizeof(foreign) + 8);
		assert_memory_equal(out + len - 8, foreign + sizeof(foreign) - 8, 8);
	}
	conf.policy.role = BGP_ROLE_NONE;
}

static void
test_link(void **state)
{
	static const uint8_t near[] = { ORIGIN, NH(10, 9) },
			     far[] = { ORIGIN, NH(11, 9) };
	struct prefix lan = prefix_make(ip4(0x0a000001), 24, FAM_IP4),
		      pair = prefix_make(ip4(0x0b000008), 31, FAM_IP4),
		      six = prefix_make(
			  (struct ip_addr){ 0x20010db800000000, 1 }, 64, FAM_IP6);
	struct bgp_link_query q = { .local = ip4(0x7f000001) };
	struct iface_source source = { .ops = NULL };
	struct bgp_link link = { 0 };

	(void)state;
	judge.link = &link;
	assert_int_equal(
	    test_bgp_policy_check(far, sizeof(far)), REASON_NONE); /* nothing known */
	bgp_link_add(&link, &lan);
	bgp_link_add(&link, &six);
	assert_int_equal(test_bgp_policy_check(near, sizeof(near)), REASON_NONE);
	assert_true(test_bgp_policy_check(far, sizeof(far)));
	assert_false(bgp_link_has(&link, ip4(0x0a000000)));
	assert_false(bgp_link_has(&link, ip4(0x0a0000ff)));
	assert_true(bgp_link_has(&link, (struct ip_addr){ 0x20010db800000000, 0 }));
	assert_false(bgp_link_has(&link, (struct ip_addr){ 0x20010db800000001, 0 }));
	bgp_link_add(&link, &pair);
	assert_int_equal(test_bgp_policy_check(far, sizeof(far)), REASON_NONE);
	judge.link = NULL;
	/* the peer isn't where the address is */
	assert_int_equal(iface_source_read(&source), 0);
	q.ifaces = iface_list_get(&source);
	bgp_link_find(&link, &q, ip4(0x0a000001));
	assert_int_equal(link.cnt, 0);
	assert_int_equal(link.ifindex, 0);
	bgp_link_find(&link, &q, ip4(0x7f000002));
	assert_int_equal(link.ifindex, if_nametoindex("lo"));
	assert_true(ip_is_none(bgp_link_local(&q, false)));
	q.name = "lo";
	bgp_link_find(&link, &q, ip4(0x7f000002));
	assert_int_equal(link.ifindex, if_nametoindex("lo"));
	assert_true(bgp_link_has(&link, ip4(0x7f000003)));
	assert_false(bgp_link_has(&link, ip4(0x0a000001)));
	/* nobody's neighbor is there */
	assert_null(bgp_link_neigh(q.ifaces, NULL, ip4(0x7f000002)));
	assert_null(bgp_link_neigh(q.ifaces, "lo", ip4(0x7f000002)));
	/* what is there is for ourselves alone */
	assert_true(ip_is_none(bgp_link_local(&q, true)));
	iface_source_fini(&source);
}

/* By any interface's subnets, or those of the one that is named. */
static void
test_neigh(void **state)
{
	struct iface_addr a[] = { local_addr("10.0.0.1", 24), local_addr("fe80::1", 64) };
	struct iface_addr b[] = { local_addr("10.0.0.2", 16), local_addr("fe80::2", 64) };
	struct iface both[] = {
		{ .name = "a", .index = 4, .flags = IFF_UP, .addr_cnt = 2, .addr = a },
		{ .name = "b", .index = 7, .flags = IFF_UP, .addr_cnt = 2, .addr = b }
	};
	struct iface_list l = { .cnt = 2, .iface = both };
	struct iface down = both[1];

	(void)state;
	assert_ptr_equal(bgp_link_neigh(&l, NULL, addr_of("10.0.0.9")), &both[0]);
	assert_ptr_equal(bgp_link_neigh(&l, "b", addr_of("10.0.0.9")), &both[1]);
	assert_null(bgp_link_neigh(&l, "c", addr_of("10.0.0.9")));
	assert_null(bgp_link_neigh(&l, "a", addr_of("10.0.1.9")));
	assert_null(bgp_link_neigh(&l, NULL, addr_of("fe80::9")));
	assert_ptr_equal(bgp_link_neigh(&l, "b", addr_of("fe80::9")), &both[1]);
	assert_true(iface_same(&both[1], &down));
	down.mtu = 9000;
	assert_true(iface_same(&both[1], &down));
	down.addr = a;
	assert_false(iface_same(&both[1], &down));
	down = both[1];
	down.flags = 0;
	assert_false(iface_same(&both[1], &down));
	both[1].flags = 0;
	assert_null(bgp_link_neigh(&l, "b", addr_of("fe80::9")));
}

/* put_ids - @p with path identifiers before the prefixes. Returns: octets. */
static uint32_t
test_bgp_policy_put_ids(uint8_t *to, const uint8_t *p, uint32_t len)
{
	uint8_t *start = to;

	for (uint32_t pos = 0, one; pos < len; pos += one) {
		one = prefix_wire_len(p[pos]);
		put_be32(to, 127u << 24 | one);
		memcpy(to + NLRI_ID_LEN, p + pos, one);
		to += NLRI_ID_LEN + one;
	}
	return (uint32_t)(to - start);
}

/* check_with_ids - of IPv4 prefixes, @left octets of which stay. */
static void
check_with_ids(const uint8_t *all, uint32_t len, const uint8_t *want, uint32_t left)
{
	uint8_t in[2048], kept[2048], out[2048];
	struct bgp_nlri n = { in, test_bgp_policy_put_ids(in, all, len), 0, NLRI_ID_LEN };
	uint32_t dropped, kept_len = test_bgp_policy_put_ids(kept, want, left);

	assert_int_equal(bgp_policy_usable(FAM_IP4, &n, out, &dropped), kept_len);
	assert_memory_equal(out, kept, kept_len);
	assert_true(dropped > 0);
}

/* Which of these stay: as bird2 2.0.12 does it. */
static void
test_usable(void **state)
{
	static const struct {
		const char *text;
		bool stays;
	} rows[] = { { "0.0.0.0/0", true }, { "0.0.0.0/1", true }, { "0.0.0.0/8", true },
		{ "0.0.0.1/32", false }, { "0.1.0.0/16", false }, { "1.0.0.0/8", true },
		{ "10.0.0.0/8", true }, { "126.0.0.0/7", true }, { "127.0.0.0/8", false },
		{ "127.0.0.0/9", false }, { "127.0.0.1/32", false },
		{ "128.0.0.0/1", true }, { "169.254.0.0/16", true },
		{ "192.0.0.0/2", true }, { "224.0.0.0/3", false },
		{ "239.0.0.0/8", false }, { "240.0.0.0/4", true },
		{ "255.0.0.0/8", true }, { "255.255.255.255/32", false },
		{ "::/0", true }, { "::/96", true }, { "::/128", true },
		{ "::1/128", false }, { "::2/128", false }, { "0:1::/32", true },
		{ "::1.2.3.4/128", true }, { "::ffff:0:0/96", false },
		{ "::ffff:1.2.3.4/128", true }, { "::ffff:127.0.0.1/128", false },
		{ "64:ff9b::/96", true }, { "2000::/3", true },
		{ "2002:7f00::/24", true }, { "fc00::/7", true }, { "fe00::/8", true },
		{ "fe80::/10", false }, { "fe80::1/128", false }, { "fec0::/10", true },
		{ "ff00::/8", false }, { "ff02::/16", false }, { "8000::/1", true },
		{ "e000::/3", true } };
	uint8_t all[FAM_CNT][1024] = { 0 }, want[FAM_CNT][1024], out[1024];
	uint32_t len[FAM_CNT] = { 0 }, left[FAM_CNT] = { 0 }, dropped;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t one[2 * PREFIX_WIRE_MAX] = { 0 };
		struct prefix p;
		unsigned n;

		/* as the parser has it, ::ffff:0:0/96 and below are IPv4 in no sense */
		p.fam = strchr(rows[i].text, ':') ? FAM_IP6 : FAM_IP4;
		assert_non_null(prefix_scan(&p, rows[i].text));
		p.fam = strchr(rows[i].text, ':') ? FAM_IP6 : FAM_IP4;
		n = prefix_put(one, &p);
		assert_int_equal(bgp_policy_usable((enum family)p.fam,
				     &(struct bgp_nlri){ one, n, 1, 0 }, NULL, &dropped),
		    rows[i].stays ? n : 0);
		assert_int_equal(dropped, !rows[i].stays);
		memcpy(all[p.fam] + len[p.fam], one, n);
		len[p.fam] += n;
		if (rows[i].stays) {
			memcpy(want[p.fam] + left[p.fam], one, n);
			left[p.fam] += n;
		}
	}
	check_with_ids(all[0], len[0], want[0], left[0]);
	for (unsigned f = 0; f < FAM_CNT; f++) {
		assert_int_equal(
		    bgp_policy_usable((enum family)f,
			&(struct bgp_nlri){ all[f], len[f], 0, 0 }, out, &dropped),
		    left[f]);
		assert_memory_equal(out, want[f], left[f]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_next_hop),
		cmocka_unit_test(test_own_addresses),
		cmocka_unit_test(test_reflection),
		cmocka_unit_test(test_local_pref),
		cmocka_unit_test(test_no_aigp),
		cmocka_unit_test(test_otc),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_neigh),
		cmocka_unit_test(test_usable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes for the kernel compared with those that it has, and routes of others made ours
 * and given back. */
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/krt_route.c"
#include "test/lib/addr.h"
#include "test/lib/unit.h"

#include <stdio.h>

static struct rtnl_hop want_hops[RTNL_HOPS_MAX], got_hops[RTNL_HOPS_MAX];
static struct iface eth[2] = { { .name = "eth0", .index = 3, .flags = IFF_UP },
	{ .name = "eth1", .index = 4, .flags = IFF_UP } };
static const struct iface_list ifaces = { .cnt = 2, .iface = eth };

static struct rtnl_route
test_krt_route_make(struct rtnl_hop *hop, unsigned hop_cnt)
{
	for (unsigned i = 0; i < hop_cnt; i++)
		hop[i] = (struct rtnl_hop){ ip4(0x0a000001 + i), 3 + i % 2,
			(uint16_t)(hop_cnt - i), false };
	return (struct rtnl_route){ .dst = prefix_make(addr_of("10.1.0.0"), 16, FAM_IP4),
		.type = RTN_UNICAST,
		.hop_cnt = (uint16_t)hop_cnt,
		.hop = hop };
}

static void
test_same(void **state)
{
	struct rtnl_route want = test_krt_route_make(want_hops, 2),
			  got = test_krt_route_make(got_hops, 2);

	(void)state;
	assert_true(krt_route_same(&want, &got));
	got_hops[0] = want_hops[1]; /* the other way round */
	got_hops[1] = want_hops[0];
	assert_true(krt_route_same(&want, &got));
	got_hops[1].weight++;
	assert_false(krt_route_same(&want, &got));
	got = test_krt_route_make(got_hops, 1);
	assert_false(krt_route_same(&want, &got));
	want.hop_cnt = 1;
	assert_true(krt_route_same(&want, &got)); /* of one its weight is nothing */
	got.realm = 1;
	assert_false(krt_route_same(&want, &got));
	got = test_krt_route_make(got_hops, 1);
	got.metric[RTAX_MTU] = 1400;
	assert_false(krt_route_same(&want, &got));
	got = test_krt_route_make(got_hops, 1);
	got.scope = 253;
	assert_false(krt_route_same(&want, &got));
	want.dst.fam = FAM_IP6; /* which has no scopes */
	assert_true(krt_route_same(&want, &got));
	got.type = want.type = RTN_BLACKHOLE;
	got.hop_cnt = 0; /* or lo, as the kernel says */
	assert_true(krt_route_same(&want, &got));
}

/* What was learned goes back as it came. */
static void
test_learned(void **state)
{
	struct kernel_conf cf = { .table = 254 };
	struct krt_where w = { .cf = &cf, .ifaces = &ifaces, .fam = FAM_IP4 };
	struct attr_store *store = attr_store_new();
	struct rtnl_route got = test_krt_route_make(got_hops, 2),
			  out = { .hop = want_hops };
	struct attr_set *set;
	struct arena a;
	struct hop h;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	got.priority = 77;
	got.realm = 5;
	got.protocol = 99;
	got.scope = 9;
	got.prefsrc = addr_of("10.0.0.9");
	got.metric[RTAX_MTU] = 1400;
	got.metric[RTAX_LOCK] = 1 << RTAX_MTU;
	set = krt_set_of(store, &a, &got, &ifaces, 10);
	assert_non_null(set);
	assert_int_equal(krt_metric_of(set), 77);
	assert_true(hop_of(set, 0, &h));
	assert_string_equal(h.ifname, "eth0");
	krt_route_of(&out, &w, set, NULL);
	assert_int_equal(out.priority, 77);
	assert_true(krt_route_same(&out, &got));
	cf.metric = 32;
	krt_route_of(&out, &w, set, NULL);
	assert_int_equal(out.priority, 32);
	attr_set_unref(store, set, 1);
	got.hop[0].ifindex = got.hop[1].ifindex = 9; /* which nobody knows */
	assert_null(krt_set_of(store, &a, &got, &ifaces, 10));
	got.type = RTN_BROADCAST;
	assert_null(krt_set_of(store, &a, &got, &ifaces, 10));
	arena_fini(&a);
	rcu_quiesce();
	rcu_drain();
	attr_store_free(store);
	rcu_drain();
}

/* The kernel takes no MTU above 65520, no MSS above 65495, no hop limit above 255 and no
 * longer name of a congestion control; a route without a usable next hop is unreachable.
 */
static void
test_limits(void **state)
{
	struct kernel_conf cf = { .table = 254 };
	struct krt_where w = { .cf = &cf, .ifaces = &ifaces, .fam = FAM_IP4 };
	struct attr_store *store = attr_store_new();
	struct rtnl_route got = test_krt_route_make(got_hops, 1),
			  out = { .hop = want_hops };
	const char name[] = "a name of a congestion control that is too long";
	struct attr_set *set, *longer;
	struct attr_edit e;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	got.metric[RTAX_MTU] = 70000;
	got.metric[RTAX_ADVMSS] = 70000;
	got.metric[RTAX_HOPLIMIT] = 300;
	snprintf(got.congctl, sizeof(got.congctl), "cubic");
	set = krt_set_of(store, &a, &got, &ifaces, 10);
	assert_non_null(set);
	out.dst.fam = FAM_IP4;
	krt_route_of(&out, &w, set, NULL);
	assert_int_equal(out.type, RTN_UNICAST);
	assert_int_equal(out.metric[RTAX_MTU], MTU_MAX);
	assert_int_equal(out.metric[RTAX_ADVMSS], ADVMSS_MAX);
	assert_int_equal(out.metric[RTAX_HOPLIMIT], 255);
	assert_string_equal(out.congctl, "cubic");
	attr_edit_init(&e, &a, set);
	assert_int_equal(attr_edit_set_custom(&e, CUSTOM_KRT_METRICS + KRT_CONGCTL,
			     T_STRING, name, sizeof(name)),
	    0);
	longer = attr_store_edit(store, &e);
	krt_route_of(&out, &w, longer, NULL);
	assert_string_equal(out.congctl, "");
	assert_int_equal(out.metric[RTAX_MTU], MTU_MAX);
	attr_edit_init(&e, &a, set);
	e.local.dest = DEST_UNICAST;
	assert_int_equal(hops_set(&e, NULL, 0), 0);
	attr_set_unref(store, longer, 1);
	longer = attr_store_edit(store, &e);
	krt_route_of(&out, &w, longer, NULL);
	assert_int_equal(out.type, RTN_UNREACHABLE);
	assert_int_equal(out.hop_cnt, 0);
	attr_set_unref(store, longer, 1);
	attr_set_unref(store, set, 1);
	arena_fini(&a);
	rcu_quiesce();
	rcu_drain();
	attr_store_free(store);
	rcu_drain();
}

static int
test_krt_route_join(void **state)
{
	(void)state;
	rcu_join();
	return 0;
}

static int
test_krt_route_leave(void **state)
{
	(void)state;
	rcu_leave();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test_setup_teardown(
		    test_learned, test_krt_route_join, test_krt_route_leave),
		cmocka_unit_test_setup_teardown(
		    test_limits, test_krt_route_join, test_krt_route_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

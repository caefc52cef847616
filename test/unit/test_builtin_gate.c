/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_builtin_gate checks the destinations of packets: gateways, and the BGP next hop
 * that parts from them. */
#include "filter/run/builtin/builtin_gate.c"
#include "test/lib/filter_run.h"
#include "test/lib/unit.h"

static const char text[] =
    "filter show { print gw, \" \", ifname, \" \", ifindex, \" \", dest, \" \", weight, "
    "\" \", onlink, \" \", gw_mpls;"
    " accept; }\n"
    "filter hop { bgp_next_hop = 10.9.0.7; accept; }\n"
    "filter gone { unset(bgp_next_hop); accept; }\n"
    "filter near { weight = 7; onlink = true; gw_mpls = 100; gw = 10.9.0.77; accept; }\n"
    "filter far { gw = 10.8.0.77; accept; }\n"
    "filter own { gw = 10.9.0.1; accept; }\n"
    "filter broad { gw = 10.9.0.255; accept; }\n"
    "filter local { gw = fe80::1; accept; }\n"
    "filter hole { gw_mpls = 9; dest = RTD_BLACKHOLE; accept; }\n"
    "filter back { dest = RTD_UNICAST; accept; }\n"
    "filter dev { weight = 7; gw_mpls = 100; ifname = \"eth7\"; accept; }\n"
    "filter nodev { ifname = \"eth8\"; accept; }\n"
    "filter light { weight = 0; accept; }\n"
    "filter heavy { weight = 257; accept; }\n"
    "filter label { gw_mpls = 1048576; accept; }\n"
    "filter tune { weight = 5; onlink = true; accept; }\n"
    "filter move { gw = 10.9.0.85; accept; }\n"
    "filter rest { from = 192.0.2.1; scope = SCOPE_SITE; local_metric = 1; mpls_label = "
    "2; mpls_class = 3;\n"
    " mpls_policy = MPLS_POLICY_VRF; igp_metric = 5; accept; }\n"
    "filter rest_show { print from, scope, local_metric, mpls_label, mpls_class, "
    "mpls_policy, igp_metric; accept; }\n"
    "filter rest_unset { unset(local_metric); unset(mpls_label); unset(mpls_class); "
    "unset(mpls_policy);\n"
    " unset(igp_metric); accept; }\n"
    "filter pure { if gw = 10.9.0.2 then accept; }\n";

/* A machine with one interface, 10.9.0.1/24. */
static struct iface_addr lan_addr;
static struct iface lan = {
	.name = "eth7", .index = 4, .flags = IFF_UP, .addr_cnt = 1, .addr = &lan_addr
};
static struct iface_list ifaces = { .cnt = 1, .iface = &lan };
static struct iface_source source;

static void
rig_init(struct filter_rig *g)
{
	filter_rig_init(g);
	assert_true(filter_rig_config(g, text));
	lan_addr.local = ip4(0x0a090001);
	lan_addr.subnet = prefix_make(lan_addr.local, 24, FAM_IP4);
	store_release_ptr(&source.list, &ifaces); /* pairs: IFACES */
	g->thread->ifaces = &source;
	assert_int_equal(attr_edit_set_u32(&g->edit, ATTR_NEXT_HOP, 0x0a090002), 0);
	filter_rig_freeze(g);
}

static void
check_show(struct filter_rig *g, const char *want)
{
	assert_int_equal(filter_rig_run(g, "show"), FILTER_ACCEPT);
	assert_string_equal(g->log.s, want);
}

static void
test_gateway(void **state)
{
	struct filter_rig g;

	(void)state;
	rig_init(&g);
	check_show(&g, "10.9.0.2 eth7 4 RTD_UNICAST 1 FALSE 3\n");
	assert_true(g.reads & FILTER_READ_VOLATILE);
	assert_int_equal(filter_rig_run(&g, "pure"), FILTER_ACCEPT);
	assert_int_equal(g.reads, 0);
	assert_int_equal(filter_rig_run(&g, "near"), FILTER_ACCEPT);
	assert_true(g.reads & FILTER_READ_VOLATILE);
	filter_rig_freeze(&g);
	check_show(&g, "10.9.0.77 eth7 4 RTD_UNICAST 7 TRUE 3\n");
	assert_int_equal(route_next_hop(&(struct frun){ .edit = &g.edit }).lo & 0xff, 2);
	assert_int_equal(filter_rig_run(&g, "hole"), FILTER_ACCEPT);
	check_show(&g, "::  0 RTD_BLACKHOLE 7 TRUE 3\n");
	filter_rig_freeze(&g);
	check_show(&g, "::  0 RTD_BLACKHOLE 7 TRUE 3\n");
	assert_int_equal(filter_rig_run(&g, "near"), FILTER_REJECT); /* weight */
	filter_rig_fini(&g);
}

/* A route may lead to an interface, without a gateway or with one that only it tells. */
static void
test_interface(void **state)
{
	struct hop h;
	struct filter_rig g;

	(void)state;
	rig_init(&g);
	assert_false(hop_of(g.edit.base, 0, &h));
	assert_int_equal(filter_rig_run(&g, "dev"), FILTER_ACCEPT);
	assert_true(g.reads & FILTER_READ_VOLATILE);
	filter_rig_freeze(&g);
	check_show(&g, ":: eth7 4 RTD_UNICAST 7 FALSE 3\n");
	assert_true(hop_of(g.edit.base, 0, &h));
	assert_string_equal(h.ifname, "eth7");
	/* what it is called now is another interface to the route */
	memcpy(lan.name, "eth9", 5);
	check_show(&g, ":: eth7 4 RTD_UNICAST 7 FALSE 3\n");
	memcpy(lan.name, "eth7", 5);
	assert_int_equal(filter_rig_run(&g, "local"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	check_show(&g, "fe80::1 eth7 4 RTD_UNICAST 7 FALSE 3\n");
	filter_rig_fini(&g);
}

/* Another gateway, or another destination, and the interface is forgotten; but not if a
 * gateway is on its link whatever the address is (onlink). */
static void
test_interface_gone(void **state)
{
	struct hop h;
	struct filter_rig g;

	(void)state;
	rig_init(&g);
	assert_int_equal(filter_rig_run(&g, "dev"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	assert_int_equal(filter_rig_run(&g, "move"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	assert_true(hop_of(g.edit.base, 0, &h) && !h.ifindex);
	check_show(&g, "10.9.0.85 eth7 4 RTD_UNICAST 7 FALSE 3\n");
	assert_int_equal(filter_rig_run(&g, "dev"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	assert_int_equal(filter_rig_run(&g, "near"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	assert_true(hop_of(g.edit.base, 0, &h) && h.ifindex == 4);
	check_show(&g, "10.9.0.77 eth7 4 RTD_UNICAST 7 TRUE 3\n");
	assert_int_equal(filter_rig_run(&g, "dev"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "hole"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	assert_false(hop_of(g.edit.base, 0, &h));
	check_show(&g, "::  0 RTD_BLACKHOLE 7 TRUE 3\n");
	filter_rig_fini(&g);
}

/* check_hop - the hop number @i of the set. */
static void
check_hop(struct filter_rig *g, unsigned i, uint32_t gw, unsigned weight, bool onlink)
{
	struct hop h;

	assert_true(hop_of(g->edit.base, i, &h));
	assert_int_equal(ip_to_v4(h.gw), gw);
	assert_int_equal(h.weight, weight);
	assert_int_equal(h.onlink, onlink);
}

/* Of a route with hops weight and onlink are in these, and nowhere else. */
static void
test_weight(void **state)
{
	struct hop two[2] = { hop_make(ip4(0x0a090008), 0, NULL),
		hop_make(ip4(0x0a090009), 0, NULL) };
	struct custom_item it;
	struct filter_rig g;

	(void)state;
	rig_init(&g);
	assert_int_equal(filter_rig_run(&g, "tune"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	assert_false(hop_of(g.edit.base, 0, two)); /* it goes to its BGP next hop */
	check_show(&g, "10.9.0.2 eth7 4 RTD_UNICAST 5 TRUE 3\n");
	assert_int_equal(filter_rig_run(&g, "move"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	check_hop(&g, 0, 0x0a090055, 5, true);
	assert_int_equal(filter_rig_run(&g, "hole"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	assert_int_equal(filter_rig_run(&g, "move"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	check_hop(&g, 0, 0x0a090055, 5, true);
	two[0].weight = 9;
	two[1].weight = 3;
	assert_int_equal(hops_set(&g.edit, two, 2), 0);
	filter_rig_freeze(&g);
	assert_int_equal(filter_rig_run(&g, "tune"), FILTER_ACCEPT);
	check_show(&g, "10.9.0.8 eth7 4 RTD_UNICAST 5 TRUE 3\n");
	filter_rig_freeze(&g);
	check_hop(&g, 0, 0x0a090008, 5, true);
	check_hop(&g, 1, 0x0a090009, 5, false);
	assert_false(custom_find(g.edit.base, CUSTOM_WEIGHT, &it));
	assert_false(custom_find(g.edit.base, CUSTOM_ONLINK, &it));
	assert_int_equal(filter_rig_run(&g, "dev"), FILTER_ACCEPT); /* weight 7 */
	filter_rig_freeze(&g);
	check_hop(&g, 0, 0, 7, true);
	assert_false(hop_of(g.edit.base, 1, two));
	filter_rig_fini(&g);
}

/* What bgp_next_hop becomes is told to peers; packets go where they went. */
static void
test_next_hop(void **state)
{
	struct filter_rig g;

	(void)state;
	rig_init(&g);
	assert_int_equal(filter_rig_run(&g, "hop"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	check_show(&g, "10.9.0.2 eth7 4 RTD_UNICAST 1 FALSE 3\n");
	assert_int_equal(filter_rig_run(&g, "gone"), FILTER_ACCEPT);
	check_show(&g, "10.9.0.2 eth7 4 RTD_UNICAST 1 FALSE 3\n");
	filter_rig_fini(&g);
}

static void
test_errors(void **state)
{
	static const struct {
		const char *name, *value; /* value: what the message ends in */
	} bad[] = { { "far", ": 10.8.0.77 at " }, { "own", ": 10.9.0.1 at " },
		{ "broad", ": 10.9.0.255 at " }, { "local", ": fe80::1 at " },
		{ "back", " at " }, { "light", ": 0 at " }, { "heavy", ": 257 at " },
		{ "label", ": 1048576 at " }, { "nodev", ": eth8 at " } };
	struct filter_rig g;

	(void)state;
	rig_init(&g);
	for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
		g.now_ns = 1;
		assert_int_equal(filter_rig_run(&g, bad[i].name), FILTER_REJECT);
		assert_non_null(strstr(g.log.s, bad[i].name));
		assert_non_null(strstr(g.log.s, bad[i].value));
	}
	filter_rig_fini(&g);
}

static void
test_rest(void **state)
{
	struct filter_rig g;

	(void)state;
	rig_init(&g);
	assert_int_equal(filter_rig_run(&g, "rest_show"), FILTER_ACCEPT);
	assert_string_equal(
	    g.log.s, "127.0.0.1SCOPE_UNIVERSE(void)(void)(void)(void)(void)\n");
	assert_int_equal(filter_rig_run(&g, "rest"), FILTER_ACCEPT);
	filter_rig_freeze(&g);
	assert_int_equal(filter_rig_run(&g, "rest_show"), FILTER_ACCEPT);
	assert_string_equal(g.log.s, "192.0.2.1SCOPE_SITE123MPLS_POLICY_VRF5\n");
	assert_int_equal(filter_rig_run(&g, "rest_unset"), FILTER_ACCEPT);
	assert_int_equal(filter_rig_run(&g, "rest_show"), FILTER_ACCEPT);
	assert_string_equal(
	    g.log.s, "192.0.2.1SCOPE_SITE(void)(void)(void)(void)(void)\n");
	filter_rig_fini(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gateway),
		cmocka_unit_test(test_interface),
		cmocka_unit_test(test_interface_gone),
		cmocka_unit_test(test_weight),
		cmocka_unit_test(test_next_hop),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

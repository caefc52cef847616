/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages about links, addresses and neighbors: what is written is read, and what is
 * too short is refused. */
#include "lib/wire/rtnl.c"
#include "test/lib/addr.h"
#include "test/lib/rtnl_put.h"
#include "test/lib/unit.h"

static uint8_t octets[1024];
static struct wbuf w;

static struct rbuf
test_rtnl_written(void)
{
	assert_false(w.bad);
	return rbuf_of(octets, wbuf_len(&w));
}

static void
test_rtnl_begin(void)
{
	memset(octets, 0, sizeof(octets));
	w = wbuf_of(octets, sizeof(octets));
}

static void
test_links(void **state)
{
	struct rtnl_link a = {
		.index = 3, .flags = 0x1043, .name = "eth0", .mtu = 9000, .master = 7
	};
	struct rtnl_link b = { .index = 7, .name = "a-name-of-15-ch" };
	struct rtnl_msg m;
	struct rbuf r;

	(void)state;
	test_rtnl_begin();
	put_nl_link(&w, RTM_NEWLINK, &a);
	put_nl_link(&w, RTM_DELLINK, &b);
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_LINK);
	assert_memory_equal(&m.link, &a, sizeof(a));
	assert_int_equal(m.seq, 1);
	assert_int_equal(rtnl_next(&r, &m), RTNL_LINK_GONE);
	assert_string_equal(m.link.name, b.name);
	assert_int_equal(m.link.mtu, 0);
	assert_int_equal(rtnl_next(&r, &m), RTNL_END);
}

/* A bridge's port has the type of a link. */
static void
test_other_families(void **state)
{
	struct rtnl_link l = { .index = 3, .name = "eth0" };
	struct rtnl_msg m;
	struct rbuf r;

	(void)state;
	test_rtnl_begin();
	put_nl_link(&w, RTM_DELLINK, &l);
	octets[NLMSG_HDRLEN] = AF_BRIDGE;
	put_nl_end(&w, put_nl_head(&w, RTM_NEWROUTE));
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_OTHER);
	assert_int_equal(rtnl_next(&r, &m), RTNL_ROUTE);
	assert_int_equal(rtnl_next(&r, &m), RTNL_END);
}

static void
one_addr(const char *own, unsigned len, const char *other, const char *subnet)
{
	struct rtnl_addr a = {
		.index = 2, .local = addr_of(own), .flags = 0x10080, .scope = 253
	};
	char text[IP_STR_MAX];
	struct rtnl_msg m;
	struct rbuf r;

	a.subnet.len = (uint8_t)len;
	a.subnet.fam = family_of_ip(a.local);
	test_rtnl_begin();
	put_nl_addr(&w, RTM_NEWADDR, &a, other ? addr_of(other) : IP_NONE);
	put_nl_addr(&w, RTM_DELADDR, &a, other ? addr_of(other) : IP_NONE);
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_ADDR);
	assert_int_equal(m.addr.index, 2);
	assert_int_equal(m.addr.flags, 0x10080);
	assert_int_equal(m.addr.scope, 253);
	assert_true(ip_equal(m.addr.local, a.local));
	assert_string_equal(ip_str(text, m.addr.subnet.addr), subnet);
	assert_int_equal(m.addr.subnet.len, len);
	assert_int_equal(rtnl_next(&r, &m), RTNL_ADDR_GONE);
	assert_true(ip_equal(m.addr.local, a.local));
}

static void
test_addrs(void **state)
{
	struct rtnl_msg m;
	struct rbuf r;

	(void)state;
	one_addr("10.0.0.1", 24, NULL, "10.0.0.0");
	one_addr("10.0.0.1", 32, "10.0.9.9", "10.0.9.9");
	one_addr("2001:db8::1", 64, NULL, "2001:db8::");
	one_addr("2001:db8::1", 128, "2001:db8::9", "2001:db8::9");
	test_rtnl_begin();
	put_nl_addr(&w, RTM_NEWADDR,
	    &(struct rtnl_addr){
		.index = 2, .local = addr_of("1.2.3.4"), .subnet = { .fam = FAM_IP6 } },
	    IP_NONE);
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_OTHER);
}

static void
test_neighbors(void **state)
{
	struct rtnl_neigh a = { .index = 3,
		.addr = addr_of("192.0.2.1"),
		.has_mac = true,
		.mac = { 2, 0, 0, 0, 0, 1 } };
	struct rtnl_neigh b = { .index = 7, .addr = addr_of("2001:db8::1") };
	struct nlmsghdr *h;
	struct rtnl_msg m;
	struct rbuf r;

	(void)state;
	test_rtnl_begin();
	put_nl_neigh(&w, RTM_NEWNEIGH, &a, true);
	put_nl_neigh(&w, RTM_NEWNEIGH, &b, false);
	a.has_mac = false; /* failed */
	put_nl_neigh(&w, RTM_NEWNEIGH, &a, true);
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_NEIGH);
	assert_int_equal(m.neigh.index, 3);
	assert_true(ip_equal(m.neigh.addr, a.addr) && m.neigh.has_mac);
	assert_memory_equal(m.neigh.mac, a.mac, sizeof(a.mac));
	assert_int_equal(rtnl_next(&r, &m), RTNL_NEIGH);
	assert_true(ip_equal(m.neigh.addr, b.addr) && !m.neigh.has_mac);
	assert_int_equal(rtnl_next(&r, &m), RTNL_NEIGH);
	assert_false(m.neigh.has_mac);
	assert_int_equal(rtnl_next(&r, &m), RTNL_END);
	/* an entry of a bridge; a short message; a short address */
	test_rtnl_begin();
	put_nl_neigh(&w, RTM_NEWNEIGH, &a, true);
	octets[NLMSG_HDRLEN] = AF_BRIDGE;
	h = put_nl_head(&w, RTM_NEWNEIGH);
	wbuf_bytes(&w, octets + NLMSG_HDRLEN, NEIGH_FIXED - 4);
	put_nl_end(&w, h);
	put_nl_neigh(&w, RTM_NEWNEIGH, &a, true);
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_OTHER);
	assert_int_equal(rtnl_next(&r, &m), RTNL_BROKEN);
	assert_int_equal(rtnl_next(&r, &m), RTNL_NEIGH);
	test_rtnl_begin();
	put_nl_neigh(&w, RTM_NEWNEIGH, &a, true);
	octets[NLMSG_HDRLEN + NEIGH_FIXED] = 6; /* two octets of an address */
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_BROKEN);
}

/* No length that a message, an attribute or an address names is believed. */
static void
test_broken(void **state)
{
	struct rtnl_addr a = {
		.index = 2, .local = ip4(0x0a000001), .subnet = { .len = 33 }
	};
	struct rtnl_link l = { .index = 3, .name = "eth0" };
	struct rtnl_msg m;
	struct rbuf r;

	(void)state;
	test_rtnl_begin();
	put_nl_addr(&w, RTM_NEWADDR, &a, IP_NONE);
	put_nl_link(&w, RTM_NEWLINK, &l);
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_BROKEN);
	assert_int_equal(rtnl_next(&r, &m), RTNL_LINK); /* the next one is whole */
	test_rtnl_begin();
	put_nl_link(&w, RTM_NEWLINK, &l);
	octets[NLMSG_HDRLEN + LINK_FIXED] = 3; /* shorter than its own head */
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_BROKEN);
	octets[NLMSG_HDRLEN + LINK_FIXED] = 200;
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_BROKEN);
	octets[0] = 255; /* the message itself */
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_BROKEN);
	assert_int_equal(rtnl_next(&r, &m), RTNL_END);
	test_rtnl_begin();
	l.index = 0;
	put_nl_link(&w, RTM_NEWLINK, &l);
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_BROKEN);
}

static void
test_answers(void **state)
{
	int32_t errors[] = { 0, -13 };
	struct rtnl_msg m;
	struct rbuf r;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(errors); i++) {
		struct nlmsghdr *h;

		test_rtnl_begin();
		h = put_nl_head(&w, i ? NLMSG_ERROR : NLMSG_DONE);
		h->nlmsg_flags = i ? NLM_F_DUMP_INTR : 0;
		wbuf_bytes(&w, &errors[i], 4);
		put_nl_end(&w, h);
		r = test_rtnl_written();
		assert_int_equal(rtnl_next(&r, &m), RTNL_DONE);
		assert_int_equal(m.error, errors[i]);
		assert_int_equal(m.interrupted, i);
	}
	test_rtnl_begin();
	rtnl_ask_links(&w, 5);
	rtnl_ask_addrs(&w, 6);
	assert_true(wbuf_len(&w) <= 2 * RTNL_ASK_MAX);
	r = test_rtnl_written();
	assert_int_equal(rtnl_next(&r, &m), RTNL_OTHER);
	assert_int_equal(m.seq, 5);
	assert_int_equal(rtnl_next(&r, &m), RTNL_OTHER);
	assert_int_equal(rtnl_next(&r, &m), RTNL_END);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_links),
	cmocka_unit_test(test_other_families),
	cmocka_unit_test(test_addrs),
	cmocka_unit_test(test_neighbors),
	cmocka_unit_test(test_broken),
	cmocka_unit_test(test_answers),
};

UNIT_MAIN(tests)

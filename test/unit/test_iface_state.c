/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_iface_state checks the list of interfaces after messages of the kernel. */
#include "sysdep/iface/iface_state.c"
#include "test/lib/addr.h"
#include "test/lib/unit.h"

#include <stdio.h>

static struct iface_state st;

static bool
link_is(uint32_t index, const char *name, unsigned flags)
{
	struct rtnl_msg m = { .kind = RTNL_LINK,
		.link = { .index = index, .flags = flags, .mtu = name ? 1500 : 0 } };

	if (name)
		memcpy(m.link.name, name, strlen(name));
	return iface_state_take(&st, &m);
}

static bool
link_goes(uint32_t index)
{
	return iface_state_take(&st,
	    &(struct rtnl_msg){ .kind = RTNL_LINK_GONE, .link = { .index = index } });
}

static struct rtnl_msg
addr_msg(uint32_t index, const char *own, unsigned len, unsigned flags)
{
	struct iface_addr a = local_addr(own, len);

	return (struct rtnl_msg){ .kind = RTNL_ADDR,
		.addr = { .index = index,
		    .local = a.local,
		    .subnet = a.subnet,
		    .flags = flags } };
}

static bool
addr_is(uint32_t index, const char *own, unsigned len, unsigned flags)
{
	struct rtnl_msg m = addr_msg(index, own, len, flags);

	return iface_state_take(&st, &m);
}

static bool
addr_goes(uint32_t index, const char *own, unsigned len)
{
	struct rtnl_msg m = addr_msg(index, own, len, 0);

	m.kind = RTNL_ADDR_GONE;
	return iface_state_take(&st, &m);
}

/* all - the list as text; a preferred address has a star. */
static const char *
test_iface_state_all(const struct iface_tune *t)
{
	static char text[1000];
	struct iface_list *l = iface_state_list(&st, t);
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < l->cnt; i++) {
		const struct iface *f = &l->iface[i];

		n += (size_t)snprintf(
		    text + n, sizeof(text) - n, "%s%s:", n ? " " : "", f->name);
		for (uint32_t k = 0; k < f->addr_cnt; k++) {
			char ip[IP_STR_MAX];

			n += (size_t)snprintf(text + n, sizeof(text) - n, " %s/%u%s",
			    ip_str(ip, f->addr[k].local), f->addr[k].subnet.len,
			    f->addr[k].preferred ? "*" : "");
		}
	}
	iface_list_free(l);
	return text;
}

static void
test_links(void **state)
{
	struct rtnl_msg wireless = { .kind = RTNL_LINK, .link = { .index = 5 } };

	(void)state;
	assert_true(link_is(5, "b", IFF_UP));
	assert_true(link_is(2, "a", 0));
	assert_true(link_is(9, "c", 0));
	assert_false(link_is(9, "c", 0));
	assert_string_equal(test_iface_state_all(NULL), "a: b: c:");
	assert_true(link_is(5, "renamed", IFF_UP));
	assert_true(link_is(5, NULL, 0)); /* a part: its name and MTU stay */
	assert_int_equal(st.row[1].i.mtu, 1500);
	assert_string_equal(test_iface_state_all(NULL), "a: renamed: c:");
	/* a wireless network's has the name, and no more */
	st.row[1].i.master = 9;
	strcpy(wireless.link.name, "renamed");
	assert_false(iface_state_take(&st, &wireless));
	assert_int_equal(st.row[1].i.master, 9);
	assert_false(link_is(7, NULL, 0));
	assert_true(link_goes(5));
	assert_false(link_goes(5));
	assert_string_equal(test_iface_state_all(NULL), "a: c:");
	assert_false(addr_is(5, "10.0.0.1", 24, 0));
	assert_false(addr_goes(5, "10.0.0.1", 24));
	iface_state_fini(&st);
	assert_string_equal(test_iface_state_all(NULL), "");
}

/* As the kernel would list them. */
static void
test_order(void **state)
{
	struct rtnl_msg host = addr_msg(1, "10.9.0.1", 24, 0);

	(void)state;
	link_is(1, "a", 0);
	assert_true(addr_is(1, "2001:db8::1", 64, 0));
	assert_true(addr_is(1, "10.0.0.1", 24, 0));
	assert_true(addr_is(1, "10.0.0.2", 24, IFA_F_SECONDARY));
	assert_true(addr_is(1, "10.1.0.1", 24, 0));
	host.addr.scope = 254;
	assert_true(iface_state_take(&st, &host));
	assert_true(addr_is(1, "2001:db8::2", 64, 0));
	assert_string_equal(test_iface_state_all(NULL),
	    "a: 10.9.0.1/24* 10.0.0.1/24 10.1.0.1/24 "
	    "10.0.0.2/24 2001:db8::2/64* 2001:db8::1/64");
	/* the first goes, the second takes its place */
	assert_true(addr_goes(1, "10.0.0.1", 24));
	assert_true(addr_is(1, "10.0.0.2", 24, 0));
	assert_string_equal(test_iface_state_all(NULL),
	    "a: 10.9.0.1/24* 10.1.0.1/24 10.0.0.2/24 "
	    "2001:db8::2/64* 2001:db8::1/64");
	/* nothing new, and other flags, leave it where it is */
	assert_false(addr_is(1, "10.1.0.1", 24, 0));
	assert_true(addr_is(1, "10.1.0.1", 24, IFA_F_DEPRECATED));
	assert_false(addr_goes(1, "10.1.0.1", 16));
	assert_string_equal(test_iface_state_all(NULL),
	    "a: 10.9.0.1/24* 10.1.0.1/24 10.0.0.2/24 "
	    "2001:db8::2/64* 2001:db8::1/64");
	iface_state_fini(&st);
}

/* An address that is being looked for elsewhere isn't ours. */
static void
test_tentative(void **state)
{
	(void)state;
	link_is(1, "a", 0);
	assert_false(addr_is(1, "2001:db8::1", 64, IFA_F_TENTATIVE));
	assert_string_equal(test_iface_state_all(NULL), "a:");
	assert_true(addr_is(1, "2001:db8::1", 64, 0));
	assert_true(addr_is(1, "2001:db8::1", 64, IFA_F_TENTATIVE | IFA_F_DADFAILED));
	assert_string_equal(test_iface_state_all(NULL), "a:");
	/* it has its place while it is */
	assert_true(addr_is(1, "2001:db8::2", 64, 0));
	assert_true(addr_is(1, "2001:db8::1", 64, 0));
	assert_string_equal(
	    test_iface_state_all(NULL), "a: 2001:db8::2/64* 2001:db8::1/64");
	assert_true(addr_is(1, "2001:db8::1", 64, IFA_F_TENTATIVE));
	assert_false(addr_goes(1, "2001:db8::1", 64));
	iface_state_fini(&st);
}

static void
test_preferred(void **state)
{
	struct iface_pattern b = { .mask = "b*" },
			     not_b1 = { .mask = "b1", .negative = true, .next = &b };
	struct iface_prefer second = { .pattern = &b,
		.addr = { addr_of("10.0.0.1"), IP_NONE, IP_NONE } };
	struct iface_prefer first = { .next = &second,
		.pattern = &not_b1,
		.addr = {
		    addr_of("10.0.0.2"), addr_of("2001:db8::9"), addr_of("fe80::2") } };
	struct iface_tune *t = iface_tune_new(60, &first);

	(void)state;
	st.in_order = true;
	for (uint32_t i = 1; i <= 3; i++) {
		link_is(i, i == 1 ? "a" : i == 2 ? "b1" : "b2", 0);
		addr_is(i, "10.0.0.1", 24, 0);
		addr_is(i, "10.0.0.2", 24, IFA_F_SECONDARY);
		addr_is(i, "fe80::1", 64, 0);
		addr_is(i, "fe80::2", 64, 0);
		addr_is(i, "2001:db8::1", 64, 0);
	}
	assert_string_equal(test_iface_state_all(t),
	    "a: 10.0.0.1/24* 10.0.0.2/24 fe80::1/64* fe80::2/64 2001:db8::1/64* "
	    "b1: 10.0.0.1/24* 10.0.0.2/24 fe80::1/64* fe80::2/64 2001:db8::1/64* "
	    "b2: 10.0.0.1/24 10.0.0.2/24* fe80::1/64 fe80::2/64* 2001:db8::1/64*");
	iface_tune_free(t);
	iface_state_fini(&st);
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_links),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_tentative),
	cmocka_unit_test(test_preferred),
};

UNIT_MAIN(tests)

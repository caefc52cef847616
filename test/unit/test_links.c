/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which addresses can be gateways. */
#include "filter/run/links.c"
#include "test/lib/unit.h"

static struct ip_addr
addr(const char *s)
{
	struct ip_addr a;

	assert_int_equal(ip_parse(&a, s), 0);
	return a;
}

static void
put(struct links *l, const char *own, unsigned len, const char *name)
{
	struct link *k;

	l->link = mem_realloc(MEM_LOOP, l->link, (l->cnt + 1) * sizeof(*l->link));
	k = &l->link[l->cnt++];
	*k = (struct link){ .own = addr(own), .index = l->cnt };
	k->subnet = prefix_make(k->own, len, ip_is_v4(k->own) ? FAM_IP4 : FAM_IP6);
	snprintf(k->name, sizeof(k->name), "%s", name);
}

static const char *
find(struct links *l, const char *a)
{
	const struct link *k = links_find(l, addr(a), l->asked_ns);

	return k ? k->name : "-";
}

static void
test_find(void **state)
{
	struct links l;

	(void)state;
	links_init(&l);
	l.asked_ns = 5;
	put(&l, "10.0.0.1", 8, "wide");
	put(&l, "10.9.0.1", 24, "lan");
	put(&l, "10.7.0.0", 31, "pair");
	put(&l, "2001:db8::1", 64, "six");
	assert_string_equal(find(&l, "10.9.0.2"), "lan");
	assert_string_equal(find(&l, "10.8.0.2"), "wide");
	assert_string_equal(find(&l, "10.9.0.1"), "-"); /* our own */
	assert_string_equal(find(&l, "10.9.0.0"), "wide"); /* no host of the small one */
	assert_string_equal(find(&l, "10.255.255.255"), "-");
	assert_string_equal(find(&l, "10.7.0.1"), "pair");
	assert_string_equal(find(&l, "2001:db8::"), "six");
	assert_string_equal(find(&l, "2001:db8:0:1::"), "-");
	assert_string_equal(find(&l, "192.0.2.1"), "-");
	assert_string_equal(find(&l, "fe80::1"), "-");
	assert_string_equal(find(&l, "::"), "-");
	links_fini(&l);
}

/* The kernel's answer holds for a second; loopback isn't in it. */
static void
test_kernel(void **state)
{
	struct links l;
	uint64_t asked;

	(void)state;
	links_init(&l);
	assert_null(links_find(&l, addr("127.0.0.2"), 7));
	asked = l.asked_ns;
	assert_int_equal(asked, 7);
	(void)links_find(&l, addr("127.0.0.2"), 7 + LINKS_FRESH_NS);
	assert_int_equal(l.asked_ns, asked);
	(void)links_find(&l, addr("127.0.0.2"), 8 + LINKS_FRESH_NS);
	assert_int_not_equal(l.asked_ns, asked);
	links_fini(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hop maps: entries, wrong lines, both directions, and comparison. */
#include "proto/bgp/conf/hop_map.c"
#include "test/lib/unit.h"

static struct arena arena;

static const struct hop_map *
test_hop_map_parse(const char *text)
{
	const struct hop_map *m;
	struct diag d;

	diag_init(&d);
	m = hop_map_parse(&arena, "map", text, strlen(text), &d);
	assert_int_equal(d.error_cnt, 0);
	assert_non_null(m);
	diag_fini(&d);
	return m;
}

static void
test_hop_map_wrong(const char *text, const char *error)
{
	struct diag d;

	diag_init(&d);
	assert_null(hop_map_parse(&arena, "map", text, strlen(text), &d));
	assert_int_equal(d.error_cnt, 1);
	if (strncmp(d.errors.s, error, strlen(error)) != 0)
		fail_msg("'%s' in place of '%s'", d.errors.s, error);
	diag_fini(&d);
}

static struct ip_addr
test_hop_map_ip(const char *text)
{
	struct ip_addr a;

	assert_int_equal(ip_parse(&a, text), 0);
	return a;
}

/* test_hop_map_leads - @to: NULL: @from has no entry. */
static void
test_hop_map_leads(const struct hop_map *m, const char *from, const char *to)
{
	struct ip_addr got = hop_map_other(m, test_hop_map_ip(from));

	assert_true(ip_equal(got, to ? test_hop_map_ip(to) : IP_NONE));
}

static void
test_entries(void **state)
{
	const struct hop_map *m = test_hop_map_parse(
	    "# routers\r\n"
	    "192.0.2.9\t2001:db8::9 # nine\r\n"
	    "\n"
	    "  192.0.2.1   2001:db8::ffff:ffff#one\n"
	    "   # nothing\n"
	    "192.0.2.5 2001:db8::5\n");

	(void)state;
	test_hop_map_leads(m, "192.0.2.9", "2001:db8::9");
	test_hop_map_leads(m, "2001:db8::9", "192.0.2.9");
	test_hop_map_leads(m, "192.0.2.1", "2001:db8::ffff:ffff");
	test_hop_map_leads(m, "2001:db8::ffff:ffff", "192.0.2.1");
	test_hop_map_leads(m, "2001:db8::5", "192.0.2.5");
	test_hop_map_leads(m, "192.0.2.2", NULL);
	test_hop_map_leads(m, "255.255.255.255", NULL);
	test_hop_map_leads(m, "::", NULL);
	test_hop_map_leads(m, "ffff::", NULL);
	test_hop_map_leads(NULL, "192.0.2.9", NULL);
}

static void
test_wrong(void **state)
{
	(void)state;
	test_hop_map_wrong("",
	    "map:1:1 expected an IPv4 address and an IPv6 address: the "
	    "file has no entry");
	test_hop_map_wrong(
	    "# no entry\n", "map:1:1 expected an IPv4 address and an IPv6");
	test_hop_map_wrong("\n192.0.2.1\n", "map:2:10 expected an IPv6 address");
	test_hop_map_wrong("192.0.2.1 192.0.2.2\n", "map:1:11 expected an IPv6 address");
	test_hop_map_wrong("2001:db8::1 192.0.2.2\n", "map:1:1 expected an IPv4 address");
	test_hop_map_wrong("192.0.2.1,2001:db8::1\n", "map:1:1 expected an IPv4 address");
	test_hop_map_wrong(
	    "192.0.2.1 2001:db8::1 as65001\n", "map:1:23 expected the end of the line");
	test_hop_map_wrong("192.0.2.1 fe80::1\n", "map:1:11 the address can be no next");
	test_hop_map_wrong("192.0.2.1 ff02::1\n", "map:1:11 the address can be no next");
	test_hop_map_wrong(
	    "224.0.0.1 2001:db8::1\n", "map:1:1 the address can be no next");
	test_hop_map_wrong("0.0.0.0 2001:db8::1\n", "map:1:1 the address can be no next");
	test_hop_map_wrong("192.0.2.1 2001:db8::1\n192.0.2.2 2001:db8::2",
	    "map:2:22 expected a line end: the file may be cut off");
	test_hop_map_wrong("192.0.2.1 2001:db8::1\n# x\n192.0.2.1 2001:db8::2\n",
	    "map:3:1 a second entry of 192.0.2.1; line 1 has the first");
	test_hop_map_wrong("192.0.2.1 2001:db8::1\n192.0.2.2 2001:db8:0::1\n",
	    "map:2:1 a second entry of 2001:db8::1; line 1 has the first");
}

static void
test_nul(void **state)
{
	static const char text[] = "192.0.2.1 2001:db8::1\0x\n";
	struct diag d;

	(void)state;
	diag_init(&d);
	assert_null(hop_map_parse(&arena, "map", text, sizeof(text) - 1, &d));
	assert_int_equal(d.error_cnt, 1);
	diag_fini(&d);
}

/* Order and comments of the file do not count; each address does. */
static void
test_same(void **state)
{
	const struct hop_map *m = test_hop_map_parse(
	    "192.0.2.1 2001:db8::1\n192.0.2.2 2001:db8::2\n");
	static const struct {
		const char *text;
		bool same;
	} other[] = {
		{ "# x\n192.0.2.2 2001:db8::2\n\n192.0.2.1  2001:db8::1\n", true },
		{ "192.0.2.1 2001:db8::2\n192.0.2.2 2001:db8::1\n", false },
		{ "192.0.2.1 2001:db8::1\n", false },
		{ "192.0.2.1 2001:db8::1\n192.0.2.3 2001:db8::2\n", false },
	};
	uint64_t a[2], b[2];

	(void)state;
	hop_map_hash(m, a);
	for (unsigned i = 0; i < ARRAY_LEN(other); i++) {
		const struct hop_map *n = test_hop_map_parse(other[i].text);

		hop_map_hash(n, b);
		assert_int_equal(hop_map_same(m, n), other[i].same);
		assert_int_equal(a[0] == b[0], other[i].same);
		assert_int_equal(a[1] == b[1], other[i].same);
	}
	hop_map_hash(NULL, b);
	assert_int_equal(b[0] | b[1], 0);
	assert_false(hop_map_same(m, NULL));
	assert_true(hop_map_same(NULL, NULL));
}

static int
test_hop_map_set_up(void **state)
{
	(void)state;
	arena_init(&arena, MEM_OTHER, 4096);
	return 0;
}

static int
test_hop_map_tear_down(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, test_hop_map_set_up, test_hop_map_tear_down);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of MAC addresses: entries, wrong lines, and searches against all entries. */
#include "nest/conf/file/lan_macs.c"
#include "test/lib/addr.h"
#include "test/lib/unit.h"

static struct arena arena;

static const struct lan_macs *
test_lan_macs_parse(const char *text)
{
	const struct lan_macs *m;
	struct diag d;

	diag_init(&d);
	m = lan_macs_parse(&arena, "macs", text, strlen(text), &d);
	assert_int_equal(d.error_cnt, 0);
	assert_non_null(m);
	diag_fini(&d);
	return m;
}

static void
test_lan_macs_wrong(const char *text, size_t len, const char *error)
{
	struct diag d;

	diag_init(&d);
	assert_null(lan_macs_parse(&arena, "macs", text, len, &d));
	assert_int_equal(d.error_cnt, 1);
	if (strncmp(d.errors.s, error, strlen(error)) != 0)
		fail_msg("'%s' in place of '%s'", d.errors.s, error);
	diag_fini(&d);
}

static void
test_entries(void **state)
{
	static const uint8_t one[MAC_LEN] = { 2, 0, 0, 0, 0, 1 };
	static const uint8_t big[MAC_LEN] = { 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
	const struct lan_macs *m = test_lan_macs_parse(
	    "# the LAN\r\n"
	    "\n"
	    "2001:db8::2\tAA-BB-CC-DD-EE-FF\n"
	    "192.0.2.9  02:00:00:00:00:01 # two ports\r\n"
	    "192.0.2.9 aabb.ccdd.eeff\n"
	    "  192.0.2.1 020000000001\n");
	char text[MAC_STR_MAX];
	uint32_t i;

	(void)state;
	assert_int_equal(lan_macs_cnt(m), 4);
	for (i = 1; i < lan_macs_cnt(m); i++)
		assert_true(lan_mac_order(lan_macs_at(m, i - 1), lan_macs_at(m, i)) < 0);
	assert_true(lan_macs_index(m, addr_of("192.0.2.9"), &i));
	assert_true(ip_equal(lan_macs_at(m, i)->addr, addr_of("192.0.2.9")));
	assert_memory_equal(lan_macs_find(m, addr_of("192.0.2.9")), one, MAC_LEN);
	assert_true(lan_macs_has(m, addr_of("192.0.2.9"), one));
	assert_true(lan_macs_has(m, addr_of("192.0.2.9"), big));
	assert_false(lan_macs_has(m, addr_of("192.0.2.1"), big));
	assert_true(lan_macs_has(m, addr_of("2001:db8::2"), big));
	assert_null(lan_macs_find(m, addr_of("192.0.2.2")));
	assert_null(lan_macs_find(m, addr_of("255.255.255.255")));
	assert_false(ip_is_none(lan_macs_owner(m, big)));
	assert_true(ip_is_none(lan_macs_owner(m, (const uint8_t[MAC_LEN]){ 0 })));
	assert_string_equal(lan_mac_str(text, big), "aa:bb:cc:dd:ee:ff");
}

/* Each file is refused, with the line and the column. */
static void
test_wrong(void **state)
{
	static const struct {
		const char *text, *error;
	} wrong[] = {
		{ "", "macs:1:1 expected an IP address and a MAC address" },
		{ "# nothing\n\n", "macs:1:1 expected an IP address and a MAC address" },
		{ "192.0.2.1 02:00:00:00:00:01", "macs:1:28 the last line has no" },
		{ "192.0.2.1 02:00:00:00:00:01\n192.0.2.2 02:0", "macs:2:15 the last" },
		{ "\n192.0.2 02:00:00:00:00:01\n", "macs:2:1 expected an IP address" },
		{ "0.0.0.0 02:00:00:00:00:01\n", "macs:1:1 expected an IP address" },
		{ "192.0.2.1\n", "macs:1:10 expected a MAC address" },
		{ "192.0.2.1 02:00:00:00:00\n", "macs:1:11 expected a MAC address" },
		{ "192.0.2.1 02:00:00:00:00:01:2\n", "macs:1:11 expected a MAC" },
		{ "192.0.2.1 02:00:00:00:00:0g\n", "macs:1:11 expected a MAC" },
		{ "192.0.2.1 02:00:00:00:00:01:\n", "macs:1:11 expected a MAC" },
		{ "192.0.2.1 03:00:00:00:00:01\n", "macs:1:11 expected a MAC" },
		{ "192.0.2.1 02:00:00:00:00:01 x\n", "macs:1:29 expected the end" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		test_lan_macs_wrong(wrong[i].text, strlen(wrong[i].text), wrong[i].error);
	test_lan_macs_wrong("192.0.2.1\0 02:00:00:00:00:01\n", 29, "macs:1:1 expected");
}

/* Each cut of a file is refused, or has the entries of its whole lines. */
static void
test_cut(void **state)
{
	static const char text[] = "192.0.2.1 02:00:00:00:00:01\n192.0.2.2 "
				   "02:00:00:00:00:02\n";
	struct diag d;

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		const struct lan_macs *m;

		diag_init(&d);
		m = lan_macs_parse(&arena, "macs", text, len, &d);
		assert_int_equal(m != NULL, len && text[len - 1] == '\n');
		if (m)
			assert_int_equal(m->cnt, len > 30 ? 2 : 1);
		diag_fini(&d);
	}
}

static int
test_lan_macs_set_up(void **state)
{
	(void)state;
	arena_init(&arena, MEM_OTHER, 4096);
	return 0;
}

static int
test_lan_macs_tear_down(void **state)
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
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(
	    tests, test_lan_macs_set_up, test_lan_macs_tear_down);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses: text against the C library's where the two must agree, and against RFC 5952.
 */
#include "lib/net/ip.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include <arpa/inet.h>

static void
check_text(const char *in, const char *out)
{
	char buf[IP_STR_MAX];
	struct ip_addr a;

	assert_int_equal(ip_parse(&a, in), 0);
	assert_string_equal(ip_str(buf, a), out);
}

static void
test_texts(void **state)
{
	(void)state;
	check_text("0.0.0.0", "0.0.0.0");
	check_text("192.0.2.255", "192.0.2.255");
	check_text("::", "::");
	check_text("::1", "::1");
	check_text("1::", "1::");
	check_text("2001:DB8::0:1", "2001:db8::1");
	check_text(
	    "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"); /* the first of two, 4.2.3 */
	check_text("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"); /* the longest */
	check_text("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"); /* not one group, 4.2.2 */
	check_text("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0");
	check_text("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8");
	check_text("::ffff:192.0.2.1", "192.0.2.1"); /* one value, see the header */
	check_text("64:ff9b::192.0.2.33", "64:ff9b::c000:221");
	check_text("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304");
}

static void
test_bad(void **state)
{
	static const char *const bad[] = { "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256",
		"01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.", ".1.2.3.4", "1..2.3",
		"1.2.3.0004", ":", ":::", "1:2", "1:::2", "1::2::3", ":1::2",
		"1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
		"1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
		"12345::", "g::", "1:", "::1.2.3", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
		"::1.2.3.256", "fe80::1%eth0", "0x1.2.3.4", "1::2/64" };
	struct ip_addr a = ip4(42);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(ip_parse(&a, bad[i]), -EINVAL);
		assert_true(ip_equal(a, ip4(42)));
	}
}

/* Where an address ends, for lexers. */
static void
test_scan(void **state)
{
	struct ip_addr a;
	bool is_v6;

	(void)state;
	assert_string_equal(ip_scan(&a, &is_v6, "10.0.0.1/8;"), "/8;");
	assert_false(is_v6);
	assert_true(ip_equal(a, ip4(0x0a000001)));
	assert_string_equal(ip_scan(&a, &is_v6, "2001:db8::/32+"), "/32+");
	assert_true(is_v6);
	assert_string_equal(ip_scan(&a, &is_v6, "1.2.3.4..5"), "..5"); /* a range */
	assert_string_equal(ip_scan(&a, &is_v6, "::ffff:1.2.3.4;"), ";");
	assert_true(is_v6);
	assert_null(ip_scan(&a, &is_v6, "x"));
}

/* All texts of up to 6 characters of an alphabet: what inet_pton takes we take, and
 * nothing else. */
static void
test_against_libc(void **state)
{
	static const char digit[] = "1:.f0";
	char text[8];

	(void)state;
	for (unsigned n = 0; n < 19531; n++) {
		char *to = text;
		uint8_t b[16];
		struct ip_addr a;
		bool ok;

		for (unsigned k = n; k; k = (k - 1) / 5)
			*to++ = digit[(k - 1) % 5];
		*to = 0;
		ok = inet_pton(AF_INET6, text, b) == 1;
		if (ok) {
			assert_int_equal(ip_parse(&a, text), 0);
			assert_true(ip_equal(a, ip_get16(b)));
		} else {
			assert_int_equal(ip_parse(&a, text), -EINVAL);
		}
	}
}

static void
test_round_trip(void **state)
{
	struct seed s = seed_start("ip");

	(void)state;
	for (uint32_t i = 0; i < seed_rounds(50000); i++) {
		char buf[IP_STR_MAX], libc[INET6_ADDRSTRLEN];
		struct ip_addr a = { seed_u64(&s), seed_u64(&s) }, back;
		uint8_t b[16];

		/* Groups of zeros and of few digits are the interesting ones. */
		for (int g = 0; g < 4; g++) {
			a.hi >>= seed_chance(&s, 8) ? 4 : 0;
			a.hi &= seed_chance(&s, 2) ? ~(0xffffull << 16 * g) : ~0ull;
			a.lo &= seed_chance(&s, 2) ? ~(0xffffull << 16 * g) : ~0ull;
		}
		if (seed_chance(&s, 4))
			a = ip4((uint32_t)a.lo);
		assert_int_equal(ip_parse(&back, ip_str(buf, a)), 0);
		assert_true(ip_equal(a, back));
		ip_put16(b, a);
		assert_true(ip_equal(ip_get16(b), a));
		inet_ntop(AF_INET6, b, libc, sizeof(libc));
		/* The C library writes ::a:b as ::1.2.3.4, which RFC 5952 leaves open. */
		if (!ip_is_v4(a) && (a.hi || a.lo >> 32))
			assert_string_equal(buf, libc);
	}
}

static void
test_classes(void **state)
{
	static const struct {
		const char *text;
		bool host, link_local;
	} is[] = {
		{ "0.0.0.0", false, false },
		{ "0.1.2.3", false, false },
		{ "1.0.0.0", true, false },
		{ "127.0.0.1", true, false },
		{ "169.254.1.1", true, false },
		{ "223.255.255.255", true, false },
		{ "224.0.0.1", false, false },
		{ "240.0.0.1", false, false },
		{ "255.255.255.255", false, false },
		{ "::", false, false },
		{ "::1", true, false },
		{ "2001:db8::1", true, false },
		{ "fe7f::1", true, false },
		{ "fe80::1", true, true },
		{ "febf:ffff::", true, true },
		{ "fec0::1", true, false },
		{ "ff02::1", false, false },
		{ "feff::1", true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(is); i++) {
		struct ip_addr a;

		assert_int_equal(ip_parse(&a, is[i].text), 0);
		assert_int_equal(ip_is_host(a), is[i].host);
		assert_int_equal(ip_is_link_local(a), is[i].link_local);
	}
	assert_true(ip_is_none(IP_NONE));
	assert_false(ip_is_none(ip4(0)));
	assert_int_equal(ip_cmp(ip4(1), ip4(2)), -1);
	assert_int_equal(ip_cmp(ip4(2), ip4(1)), 1);
	assert_int_equal(ip_cmp(ip4(2), ip4(2)), 0);
	assert_int_equal(ip_cmp((struct ip_addr){ 1, 0 }, ip4(2)), 1);
	assert_int_equal(ip_cmp(ip4(2), (struct ip_addr){ 1, 0 }), -1);
}

static void
test_scope(void **state)
{
	static const struct {
		const char *text;
		enum ip_scope scope;
	} c[] = { { "127.9.0.5", IP_SCOPE_HOST }, { "0.0.0.5", IP_SCOPE_HOST },
		{ "255.255.255.255", IP_SCOPE_LINK },
		{ "255.255.255.254", IP_SCOPE_SITE }, { "10.255.0.1", IP_SCOPE_SITE },
		{ "172.31.0.1", IP_SCOPE_SITE }, { "172.32.0.1", IP_SCOPE_UNIVERSE },
		{ "192.168.1.1", IP_SCOPE_SITE }, { "169.254.1.1", IP_SCOPE_UNIVERSE },
		{ "224.0.0.5", IP_SCOPE_UNIVERSE }, { "::1", IP_SCOPE_HOST },
		{ "febf::1", IP_SCOPE_LINK }, { "fec0::1", IP_SCOPE_SITE },
		{ "fd00::1", IP_SCOPE_SITE }, { "2001:db8::1", IP_SCOPE_UNIVERSE } };
	struct ip_addr a;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(c); i++) {
		assert_int_equal(ip_parse(&a, c[i].text), 0);
		assert_int_equal(ip_scope(a), c[i].scope);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_scope),
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_bad),
	cmocka_unit_test(test_scan),
	cmocka_unit_test(test_against_libc),
	cmocka_unit_test(test_round_trip),
	cmocka_unit_test(test_classes),
};

UNIT_MAIN(tests)

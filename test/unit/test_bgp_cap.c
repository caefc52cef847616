/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capabilities one by one (RFC 5492): right and impossible lengths, and lists that don't
 * add up. How they stand in an OPEN is in test_bgp_open. */
#include "lib/wire/bgp/bgp_cap.c"
#include "test/lib/unit.h"

static struct bgp_err
test_bgp_cap_decode(const void *p, size_t len, struct bgp_caps *c)
{
	struct rbuf r = rbuf_of(p, len);

	bgp_caps_init(c);
	return bgp_caps_decode(&r, c);
}

/* Each known capability with each length from 0 to 12: it counts as known for the right
 * ones only. */
static void
test_lengths(void **state)
{
	static const struct {
		uint8_t code;
		uint16_t good; /* bit n: length n is right */
	} caps[] = {
		{ BGP_CAP_MP, 1 << 4 },
		{ BGP_CAP_REFRESH, 1 << 0 },
		{ BGP_CAP_EXT_NEXT_HOP, 1 << 0 | 1 << 6 | 1 << 12 },
		{ BGP_CAP_EXT_MSG, 1 << 0 },
		{ BGP_CAP_ROLE, 1 << 1 },
		{ BGP_CAP_GR, 1 << 2 | 1 << 6 | 1 << 10 },
		{ BGP_CAP_AS4, 1 << 4 },
		{ BGP_CAP_ADD_PATH, 1 << 4 | 1 << 8 | 1 << 12 },
		{ BGP_CAP_ENH_REFRESH, 1 << 0 },
		{ BGP_CAP_HOSTNAME, 1 << 2 | 1 << 4 },
		{ 200, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(caps); i++)
		for (unsigned len = 0; len <= 12; len++) {
			uint8_t val[14] = { caps[i].code, (uint8_t)len };
			struct bgp_caps c;

			memset(val + 2, 1, sizeof(val) - 2);
			assert_int_equal(
			    test_bgp_cap_decode(val, 2 + len, &c).severity, BGP_SEV_NONE);
			assert_int_equal(c.unknown_cnt, !(caps[i].good >> len & 1));
			if (len) /* the last octet is missing */
				assert_int_equal(
				    test_bgp_cap_decode(val, 1 + len, &c).severity,
				    BGP_SEV_RESET);
		}
}

static void
test_families(void **state)
{
	struct bgp_caps c;

	(void)state;
	test_bgp_cap_decode("\1\4\0\1\0\1", 6, &c);
	assert_int_equal(c.fam, FAM_BIT(FAM_IP4));
	test_bgp_cap_decode("\1\4\0\2\0\1\1\4\0\1\0\1", 12, &c);
	assert_int_equal(c.fam, FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6));
	test_bgp_cap_decode("\1\4\0\1\0\2\1\4\0\3\0\1", 12, &c);
	assert_int_equal(c.fam, 0);
	assert_true(c.mp);
	test_bgp_cap_decode("\5\6\0\2\0\1\0\1", 8, &c);
	assert_false(c.ext_next_hop);
	test_bgp_cap_decode("\5\6\0\1\0\1\0\2", 8, &c);
	assert_true(c.ext_next_hop);
}

/* The last Graceful Restart capability counts; equal roles don't clash. */
static void
test_repeated(void **state)
{
	struct bgp_caps c;

	(void)state;
	test_bgp_cap_decode("\100\6\200\5\0\1\1\200\100\2\0\7", 12, &c);
	assert_int_equal(c.gr.time, 7);
	assert_int_equal(c.gr.fam, 0);
	assert_false(c.gr.restarting);
	test_bgp_cap_decode("\11\1\2\11\1\2", 6, &c);
	assert_false(c.role_clash);
	test_bgp_cap_decode("\11\1\2\11\1\3", 6, &c);
	assert_true(c.role_clash);
}

/* RFC 9494, 4.1: seven octets a family, or none. */
static void
test_long_lived(void **state)
{
	struct bgp_caps c;

	(void)state;
	test_bgp_cap_decode("\107\0", 2, &c);
	assert_true(c.llgr.on);
	assert_int_equal(c.llgr.fam, 0);
	test_bgp_cap_decode("\107\16\0\1\1\200\1\2\3\0\2\1\0\377\377\377", 16, &c);
	assert_int_equal(c.llgr.fam, FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6));
	assert_int_equal(c.llgr.forward, FAM_BIT(FAM_IP4));
	assert_int_equal(c.llgr.time[FAM_IP4], 0x010203);
	assert_int_equal(c.llgr.time[FAM_IP6], 0xffffff);
	test_bgp_cap_decode(
	    "\107\7\0\3\1\200\0\0\7", 9, &c); /* a family that we don't know */
	assert_int_equal(c.llgr.fam, 0);
	for (uint8_t len = 1; len < 7; len++) {
		uint8_t val[] = { 71, len, 0, 1, 1, 0, 0, 0, 9 };

		test_bgp_cap_decode(val, 2u + len, &c);
		assert_false(c.llgr.on);
		assert_int_equal(c.unknown_cnt, 1);
	}
}

/* RFC 7911, 4: the last word of each family counts; one value out of range spoils the
 * capability that it is in, and that alone. */
static void
test_add_path(void **state)
{
	struct bgp_caps c;

	(void)state;
	test_bgp_cap_decode("\105\14\0\1\1\1\0\2\1\3\0\1\2\3", 14, &c);
	assert_true(c.add_path);
	assert_int_equal(c.ids_rx, FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6));
	assert_int_equal(c.ids_tx, FAM_BIT(FAM_IP6));
	test_bgp_cap_decode("\105\10\0\1\1\1\0\1\1\2", 10, &c);
	assert_int_equal(c.ids_rx, 0);
	assert_int_equal(c.ids_tx, FAM_BIT(FAM_IP4));
	test_bgp_cap_decode("\105\4\0\1\1\3\105\4\0\2\1\2", 12, &c);
	assert_int_equal(c.ids_rx, FAM_BIT(FAM_IP4));
	assert_int_equal(c.ids_tx, FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6));
	for (unsigned way = 0; way < 256; way++) {
		uint8_t val[] = { 69, 4, 0, 2, 1, 2, 69, 8, 0, 1, 1, 3, 0, 1, 1,
			(uint8_t)way };

		assert_int_equal(
		    test_bgp_cap_decode(val, sizeof(val), &c).severity, BGP_SEV_NONE);
		assert_int_equal(c.unknown_cnt, way < 1 || way > 3);
		assert_int_equal(c.ids_rx, way & 1 && way <= 3 ? FAM_BIT(FAM_IP4) : 0);
		assert_true(c.ids_tx & FAM_BIT(FAM_IP6));
	}
}

static void
test_hostname(void **state)
{
	static const uint8_t name[] = { 73, 6, 4, 'e', 'd', 'g', 'e', 0 };
	static const uint8_t both[] = { 73, 9, 4, 'e', 'd', 'g', 'e', 3, 'a', '.', 'b' };
	uint8_t longest[2 + 253] = { 73, 253, 251 }, out[200];
	struct wbuf w = wbuf_of(out, sizeof(out));
	struct bgp_caps c;

	(void)state;
	assert_int_equal(
	    test_bgp_cap_decode(name, sizeof(name), &c).severity, BGP_SEV_NONE);
	assert_true(c.has_hostname);
	assert_string_equal(c.hostname, "edge");
	bgp_caps_encode(&w, &c);
	assert_int_equal(wbuf_len(&w), sizeof(name));
	assert_memory_equal(out, name, sizeof(name));
	assert_int_equal(
	    test_bgp_cap_decode(both, sizeof(both), &c).severity, BGP_SEV_NONE);
	assert_string_equal(c.hostname, "edge.a.b");
	memset(longest + 3, 'x', 251);
	assert_int_equal(
	    test_bgp_cap_decode(longest, sizeof(longest), &c).severity, BGP_SEV_NONE);
	assert_int_equal(strlen(c.hostname), BGP_HOSTNAME_MAX);
	w = wbuf_of(out, sizeof(out));
	bgp_caps_encode(&w, &c);
	assert_int_equal(wbuf_len(&w), 2 + 2 + BGP_HOSTNAME_MAX);
}

static void
test_too_many_unknown(void **state)
{
	uint8_t val[2 * 300];
	struct bgp_caps c;

	(void)state;
	for (unsigned i = 0; i < sizeof(val); i += 2) {
		val[i] = 222;
		val[i + 1] = 0;
	}
	assert_int_equal(
	    test_bgp_cap_decode(val, sizeof(val), &c).severity, BGP_SEV_NONE);
	assert_int_equal(c.unknown_cnt, 255);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_families),
	cmocka_unit_test(test_repeated),
	cmocka_unit_test(test_long_lived),
	cmocka_unit_test(test_add_path),
	cmocka_unit_test(test_hostname),
	cmocka_unit_test(test_too_many_unknown),
};

UNIT_MAIN(tests)

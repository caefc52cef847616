/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternload's codec: OPEN both ways, UPDATE taken apart, everything cut short refused. */
#include "test/load/load_msg.c"
#include "test/lib/unit.h"

static void
test_open(void **state)
{
	struct msg_open in = { 400000, 0x0a000001, 90, true, true, 3,
		{ ADD_PATH_RX, ADD_PATH_RX | ADD_PATH_TX } };
	struct msg_open out;
	uint8_t m[MSG_MAX];
	unsigned len, type, cut;

	(void)state;
	len = msg_put_open(m, &in);
	assert_int_equal(get_be16(m + MSG_HEADER + 1), AS_TRANS);
	assert_int_equal(msg_header(m, &len, &type), 0);
	assert_int_equal(type, MSG_OPEN);
	assert_int_equal(msg_get_open(&out, m + MSG_HEADER, len - MSG_HEADER), 0);
	assert_int_equal(out.as, 400000);
	assert_int_equal(out.router_id, 0x0a000001);
	assert_int_equal(out.hold, 90);
	assert_true(out.as4 && out.refresh);
	assert_int_equal(out.families, 3);
	assert_int_equal(out.add_path[FAM_IP4], ADD_PATH_RX);
	assert_int_equal(out.add_path[FAM_IP6], ADD_PATH_RX | ADD_PATH_TX);
	m[len - 1] = 4; /* the IPv6 entry: a value that nobody knows */
	assert_int_equal(msg_get_open(&out, m + MSG_HEADER, len - MSG_HEADER), 0);
	assert_int_equal(out.add_path[FAM_IP4], ADD_PATH_RX);
	assert_int_equal(out.add_path[FAM_IP6], 0);
	for (cut = 0; cut < len - MSG_HEADER; cut++)
		assert_int_equal(msg_get_open(&out, m + MSG_HEADER, cut), -EPROTO);
}

static void
test_open_old(void **state)
{
	struct msg_open in = { 64512, 1, 180, false, false, 0, { 0 } }, out;
	uint8_t m[MSG_MAX];
	unsigned len = msg_put_open(m, &in);

	(void)state;
	assert_int_equal(msg_get_open(&out, m + MSG_HEADER, len - MSG_HEADER), 0);
	assert_int_equal(out.as, 64512);
	assert_false(out.as4 || out.refresh);
	assert_int_equal(out.families, 0);
}

static void
test_header(void **state)
{
	uint8_t m[MSG_MAX + 1];
	unsigned len, type;

	(void)state;
	msg_put_keepalive(m);
	assert_int_equal(msg_header(m, &len, &type), 0);
	assert_int_equal(len, MSG_HEADER);
	m[3] = 0;
	assert_int_equal(msg_header(m, &len, &type), -EPROTO);
	msg_put_header(m, MSG_MAX + 1, MSG_UPDATE);
	assert_int_equal(msg_header(m, &len, &type), -EPROTO);
	msg_put_header(m, MSG_HEADER, 6);
	assert_int_equal(msg_header(m, &len, &type), -EPROTO);
}

/* Withdrawn 10/8; ORIGIN, MP_UNREACH of 2001::/16, MP_REACH of 2002::/16; NLRI 11/8. */
static const uint8_t update[] = {
	0, 2, 8, 10, /* withdrawn */
	0, 37, /* attributes */
	0x40, 1, 1, 0, /* ORIGIN */
	0x80, 15, 6, 0, 2, 1, 16, 0x20, 1, /* MP_UNREACH_NLRI */
	0x80, 14, 24, 0, 2, 1, 16, /* MP_REACH_NLRI */
	0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, /* its next hop */
	0, 0, 0, 1, 0, /* and a reserved octet */
	8, 11 /* NLRI; replaced below */
};

static void
test_update(void **state)
{
	uint8_t m[sizeof(update) + 3 + MSG_SLACK] = { 0 };
	unsigned cut, len = sizeof(update) + 3;
	struct msg_update u;
	uint64_t hi, lo;
	uint32_t key;

	(void)state;
	memcpy(m, update, sizeof(update));
	memcpy(m + sizeof(update) - 2, "\x10\x20\x02\x08\x0b", 5); /* 2002::/16, 11/8 */
	m[5] += 3;
	assert_int_equal(msg_get_update(&u, m, len), 0);
	assert_true(u.has_mp_reach && u.has_mp_unreach);
	assert_int_equal(u.mp_family, FAM_IP6);
	assert_int_equal(u.mp_next_hop.len, 16);
	assert_int_equal(u.mp_attr.len, 27);
	assert_int_equal(u.mp_nlri.len, 3);
	assert_int_equal(u.nlri.len, 2);
	assert_false(msg_is_end_of_rib(&u));
	assert_true(msg_next_prefix(&u.withdrawn, FAM_IP4, &hi, &lo, &key));
	assert_true(hi == 10ull << 56 && lo == 0 && key == 8);
	assert_int_equal(u.withdrawn.len, 0);
	assert_true(msg_next_prefix(&u.mp_nlri, FAM_IP6, &hi, &lo, &key));
	assert_true(hi == 0x2002ull << 48 && key == (FAM_IP6 << 8 | 16));
	/* Cut within the attributes it is refused; behind them it only has fewer
	 * prefixes. */
	for (cut = 0; cut < len - 2; cut++)
		assert_int_equal(msg_get_update(&u, m, cut), -EPROTO);
	m[21]++; /* the last attribute claims an octet too many */
	assert_int_equal(msg_get_update(&u, m, len), -EPROTO);
}

static void
test_prefixes(void **state)
{
	uint8_t b[17 + MSG_SLACK] = { 0 };
	struct span s;
	uint64_t hi, lo;
	uint32_t key;
	unsigned len;

	(void)state;
	for (len = 0; len <= 128; len++) {
		uint64_t h = 0x20010db8a5a5a5a5ull & mask64(len);
		uint64_t l = len > 64 ? 0x123456789abcdef1ull & mask64(len - 64) : 0;

		s = (struct span){ b, msg_put_prefix(b, h, l, len) };
		assert_true(msg_next_prefix(&s, FAM_IP6, &hi, &lo, &key));
		assert_true(hi == h && lo == l && (key & 0xff) == len);
		s = (struct span){ b, msg_put_prefix(b, h, l, len) };
		assert_int_equal(msg_next_prefix(&s, FAM_IP4, &hi, &lo, &key), len <= 32);
		s = (struct span){ b, msg_put_prefix(b, h, l, len) - 1 };
		if (len)
			assert_false(msg_next_prefix(&s, FAM_IP6, &hi, &lo, &key));
		assert_true(len == 0 || s.len == 0);
	}
}

static void
test_end_of_rib(void **state)
{
	uint8_t m[MSG_MAX];
	struct msg_update u;
	unsigned fam, len;

	(void)state;
	for (fam = 0; fam < FAM_CNT; fam++) {
		len = msg_put_end_of_rib(m, (enum family)fam);
		assert_int_equal(msg_get_update(&u, m + MSG_HEADER, len - MSG_HEADER), 0);
		assert_true(msg_is_end_of_rib(&u));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_open),
	cmocka_unit_test(test_open_old),
	cmocka_unit_test(test_header),
	cmocka_unit_test(test_update),
	cmocka_unit_test(test_prefixes),
	cmocka_unit_test(test_end_of_rib),
};

UNIT_MAIN(tests)

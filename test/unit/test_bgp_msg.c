/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Framing: RFC 4271, 6.1. */
#include "lib/wire/bgp/bgp_msg.c"
#include "test/lib/unit.h"

static uint8_t msg[BGP_MSG_EXT_MAX + 1];

static void
test_bgp_msg_make(unsigned len, unsigned type)
{
	memset(msg, 0xff, 16);
	put_be16(msg + 16, (uint16_t)len);
	msg[18] = (uint8_t)type;
}

static void
test_bgp_msg_refused(unsigned len, unsigned type, unsigned msg_max, unsigned subcode)
{
	struct bgp_err err;
	struct bgp_msg m;

	test_bgp_msg_make(len, type);
	assert_int_equal(
	    bgp_msg_frame(msg, BGP_HDR_LEN, msg_max, &m, &err), BGP_FRAME_BAD);
	assert_int_equal(err.severity, BGP_SEV_RESET);
	assert_int_equal(err.code, BGP_E_HEADER);
	assert_int_equal(err.subcode, subcode);
	if (subcode == BGP_EH_LEN) {
		assert_int_equal(err.data_len, 2);
		assert_int_equal(get_be16(err.data), len);
	} else {
		assert_int_equal(err.data_len, 1);
		assert_int_equal(err.data[0], type);
	}
}

static void
test_bgp_msg_taken(unsigned len, unsigned type, unsigned msg_max)
{
	struct bgp_err err;
	struct bgp_msg m;

	test_bgp_msg_make(len, type);
	assert_int_equal(bgp_msg_frame(msg, len, msg_max, &m, &err), BGP_FRAME_DONE);
	assert_int_equal(m.type, type);
	assert_int_equal(m.len, len);
	assert_int_equal(m.body_len, len - BGP_HDR_LEN);
	assert_ptr_equal(m.body, msg + BGP_HDR_LEN);
	assert_int_equal(bgp_msg_frame(msg, len - 1, msg_max, &m, &err), BGP_FRAME_MORE);
	assert_int_equal(m.len, len == BGP_HDR_LEN ? 0 : len);
}

static void
test_lengths(void **state)
{
	(void)state;
	test_bgp_msg_refused(18, BGP_KEEPALIVE, BGP_MSG_MAX, BGP_EH_LEN);
	test_bgp_msg_refused(20, BGP_KEEPALIVE, BGP_MSG_MAX, BGP_EH_LEN);
	test_bgp_msg_refused(28, BGP_OPEN, BGP_MSG_MAX, BGP_EH_LEN);
	test_bgp_msg_refused(22, BGP_UPDATE, BGP_MSG_MAX, BGP_EH_LEN);
	test_bgp_msg_refused(20, BGP_NOTIFICATION, BGP_MSG_MAX, BGP_EH_LEN);
	test_bgp_msg_refused(4097, BGP_UPDATE, BGP_MSG_MAX, BGP_EH_LEN);
	test_bgp_msg_refused(4097, BGP_OPEN, BGP_MSG_EXT_MAX, BGP_EH_LEN);
	test_bgp_msg_refused(30, 0, BGP_MSG_MAX, BGP_EH_TYPE);
	test_bgp_msg_refused(30, 6, BGP_MSG_MAX, BGP_EH_TYPE);
	test_bgp_msg_taken(19, BGP_KEEPALIVE, BGP_MSG_MAX);
	test_bgp_msg_taken(29, BGP_OPEN, BGP_MSG_MAX);
	test_bgp_msg_taken(23, BGP_UPDATE, BGP_MSG_MAX);
	test_bgp_msg_taken(4096, BGP_UPDATE, BGP_MSG_MAX);
	test_bgp_msg_taken(65535, BGP_UPDATE, BGP_MSG_EXT_MAX);
	test_bgp_msg_taken(21, BGP_NOTIFICATION, BGP_MSG_MAX);
	test_bgp_msg_taken(23, BGP_ROUTE_REFRESH, BGP_MSG_MAX);
}

static void
test_marker(void **state)
{
	struct bgp_err err;
	struct bgp_msg m;

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		test_bgp_msg_make(19, BGP_KEEPALIVE);
		msg[i] = 0xfe;
		assert_int_equal(
		    bgp_msg_frame(msg, 19, BGP_MSG_MAX, &m, &err), BGP_FRAME_BAD);
		assert_int_equal(err.subcode, BGP_EH_SYNC);
	}
	assert_int_equal(bgp_msg_frame(msg, 18, BGP_MSG_MAX, &m, &err), BGP_FRAME_MORE);
	assert_int_equal(m.len, 0);
}

static void
test_keepalive(void **state)
{
	uint8_t buf[BGP_HDR_LEN];
	struct wbuf w = wbuf_of(buf, sizeof(buf)), small = wbuf_of(buf, sizeof(buf) - 1);
	struct bgp_err err;
	struct bgp_msg m;

	(void)state;
	bgp_keepalive_put(&w);
	assert_false(w.bad);
	assert_int_equal(bgp_msg_frame(buf, 19, BGP_MSG_MAX, &m, &err), BGP_FRAME_DONE);
	assert_int_equal(m.type, BGP_KEEPALIVE);
	bgp_keepalive_put(&small);
	assert_true(small.bad);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_marker),
	cmocka_unit_test(test_keepalive),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROUTE-REFRESH (RFC 2918, RFC 7313). */
#include "lib/wire/bgp/bgp_refresh.c"
#include "lib/wire/bgp/bgp_params.h"
#include "test/lib/unit.h"

static struct bgp_err
test_bgp_refresh_dec(const void *body, size_t len, bool enhanced, struct bgp_refresh *out)
{
	struct bgp_msg m = { BGP_ROUTE_REFRESH, (uint16_t)(len + BGP_HDR_LEN),
		(uint16_t)len, body };

	return bgp_refresh_decode(&m, enhanced, out);
}

static void
test_refresh(void **state)
{
	struct bgp_refresh r;
	struct bgp_err err;

	(void)state;
	assert_int_equal(
	    test_bgp_refresh_dec("\0\1\0\1", 4, true, &r).severity, BGP_SEV_NONE);
	assert_int_equal(r.kind, BGP_REFRESH_ASK);
	assert_int_equal(r.fam, FAM_IP4);
	test_bgp_refresh_dec("\0\2\1\1", 4, true, &r);
	assert_int_equal(r.kind, BGP_REFRESH_BEGIN);
	assert_int_equal(r.fam, FAM_IP6);
	test_bgp_refresh_dec("\0\2\2\1", 4, true, &r);
	assert_int_equal(r.kind, BGP_REFRESH_END);
	test_bgp_refresh_dec("\0\2\2\1", 4, false, &r);
	assert_int_equal(r.kind, BGP_REFRESH_ASK);
	test_bgp_refresh_dec("\0\2\3\1", 4, true, &r);
	assert_int_equal(r.kind, BGP_REFRESH_IGNORE);
	test_bgp_refresh_dec("\0\3\0\1", 4, true, &r);
	assert_int_equal(r.kind, BGP_REFRESH_IGNORE);
	test_bgp_refresh_dec("\0\1\0\2", 4, true, &r);
	assert_int_equal(r.kind, BGP_REFRESH_IGNORE);
	err = test_bgp_refresh_dec("\0\1\0\1\0", 5, true, &r);
	assert_int_equal(err.severity, BGP_SEV_RESET);
	assert_int_equal(err.code, BGP_E_REFRESH);
	assert_int_equal(err.data_len, BGP_HDR_LEN + 5);
}

/* Who didn't announce RFC 7313 may not know its error code. */
static void
test_refresh_length(void **state)
{
	uint8_t buf[BGP_HDR_LEN + 5] = { [17] = BGP_HDR_LEN + 5, [18] = 5, 0, 1, 0, 1 };
	struct bgp_refresh r;
	struct bgp_err err;

	(void)state;
	err = test_bgp_refresh_dec(buf + BGP_HDR_LEN, 5, false, &r);
	assert_int_equal(err.severity, BGP_SEV_RESET);
	assert_int_equal(err.code, BGP_E_HEADER);
	assert_int_equal(err.subcode, BGP_EH_LEN);
	assert_int_equal(err.data_len, 2);
	assert_memory_equal(err.data, buf + 16, 2);
}

static void
test_refresh_encode(void **state)
{
	uint8_t buf[23];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct bgp_refresh r;
	struct bgp_err err;
	struct bgp_msg m;

	(void)state;
	bgp_refresh_encode(&w, BGP_REFRESH_END, FAM_IP6);
	assert_int_equal(
	    bgp_msg_frame(buf, wbuf_len(&w), BGP_MSG_MAX, &m, &err), BGP_FRAME_DONE);
	assert_int_equal(bgp_refresh_decode(&m, true, &r).severity, BGP_SEV_NONE);
	assert_int_equal(r.kind, BGP_REFRESH_END);
	assert_int_equal(r.fam, FAM_IP6);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_refresh),
	cmocka_unit_test(test_refresh_length),
	cmocka_unit_test(test_refresh_encode),
};

UNIT_MAIN(tests)

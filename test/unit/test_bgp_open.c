/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OPEN and its capabilities: RFC 4271, 6.2; RFC 5492; RFC 9072. */
#include "lib/wire/bgp/bgp_open.c"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_params.h"
#include "test/lib/unit.h"

/* Fixed part: version 4, AS 65001, hold time 240, identifier 1.2.3.4. */
#define FIXED 4, 0xfd, 0xe9, 0, 240, 1, 2, 3, 4

static struct bgp_err
test_bgp_open_decode(const uint8_t *body, size_t len, struct bgp_open *out)
{
	uint8_t *copy = malloc(len ? len : 1); /* so that ASan sees reads beyond */
	struct bgp_err err;

	if (len)
		memcpy(copy, body, len);
	err = bgp_open_decode(copy, len, out);
	free(copy);
	return err;
}

static void
test_bgp_open_refused(const uint8_t *body, size_t len, unsigned subcode)
{
	struct bgp_open o;
	struct bgp_err err = test_bgp_open_decode(body, len, &o);

	assert_int_equal(err.severity, BGP_SEV_RESET);
	assert_int_equal(err.code, BGP_E_OPEN);
	assert_int_equal(err.subcode, subcode);
	assert_non_null(err.text);
}

static void
test_fixed(void **state)
{
	uint8_t body[] = { FIXED, 0 }, bad[sizeof(body)];
	struct bgp_open o;

	(void)state;
	assert_int_equal(
	    test_bgp_open_decode(body, sizeof(body), &o).severity, BGP_SEV_NONE);
	assert_int_equal(o.as, 65001);
	assert_int_equal(o.hold_time, 240);
	assert_int_equal(o.router_id, 0x01020304);
	assert_false(o.caps.present);
	assert_int_equal(o.caps.role, BGP_ROLE_NONE);
	for (size_t len = 0; len < sizeof(body); len++)
		test_bgp_open_refused(body, len, BGP_EO_UNSPECIFIC);
	memcpy(bad, body, sizeof(bad));
	bad[0] = 3;
	test_bgp_open_refused(bad, sizeof(bad), BGP_EO_VERSION);
	memcpy(bad, body, sizeof(bad));
	bad[1] = bad[2] = 0;
	test_bgp_open_refused(bad, sizeof(bad), BGP_EO_PEER_AS);
	memcpy(bad, body, sizeof(bad));
	bad[4] = 2;
	test_bgp_open_refused(bad, sizeof(bad), BGP_EO_HOLD_TIME);
	memcpy(bad, body, sizeof(bad));
	bad[5] = bad[6] = bad[7] = bad[8] = 0;
	test_bgp_open_refused(bad, sizeof(bad), BGP_EO_ID);
}

static void
test_version_data(void **state)
{
	static const uint8_t body[] = { 5, 0, 1, 0, 0, 1, 2, 3, 4, 0 };
	struct bgp_open o;
	struct bgp_err err = bgp_open_decode(body, sizeof(body), &o);

	(void)state;
	assert_int_equal(err.data_len, 2);
	assert_int_equal(get_be16(err.data), 4);
}

static void
test_params(void **state)
{
	static const uint8_t auth[] = { FIXED, 3, 1, 1, 9 };
	static const uint8_t longer[] = { FIXED, 3, 2, 2, 2 };
	static const uint8_t cap_cut[] = { FIXED, 5, 2, 3, 65, 4, 0 };
	static const uint8_t rest[] = { FIXED, 0, 0 };
	static const uint8_t as0[] = { FIXED, 8, 2, 6, 65, 4, 0, 0, 0, 0 };
	struct bgp_open o;
	struct bgp_err err = bgp_open_decode(auth, sizeof(auth), &o);

	(void)state;
	test_bgp_open_refused(auth, sizeof(auth), BGP_EO_PARAM);
	assert_int_equal(err.data_len, 3);
	assert_int_equal(err.data[0], 1);
	test_bgp_open_refused(longer, sizeof(longer), BGP_EO_UNSPECIFIC);
	test_bgp_open_refused(cap_cut, sizeof(cap_cut), BGP_EO_UNSPECIFIC);
	test_bgp_open_refused(rest, sizeof(rest), BGP_EO_UNSPECIFIC);
	test_bgp_open_refused(as0, sizeof(as0), BGP_EO_PEER_AS);
}

/* Two parameters, unknown capabilities, impossible lengths of known ones, and roles that
 * differ. */
static void
test_caps(void **state)
{
	static const uint8_t body[] = { FIXED, 51, 2, 12, 1, 4, 0, 1, 0, 1, 1, 4, 0, 25,
		0, 65, 2, 35, 2, 0, 6, 0, 9, 1, 4, 9, 1, 2, 64, 6, 0xc0, 120, 0, 2, 1,
		0x80, 65, 4, 0, 1, 0, 1, 70, 0, 73, 3, 1, 2, 3, 1, 2, 0, 1 };
	struct bgp_open o;

	(void)state;
	assert_int_equal(sizeof(body), 10 + 51);
	assert_int_equal(
	    test_bgp_open_decode(body, sizeof(body), &o).severity, BGP_SEV_NONE);
	assert_true(o.caps.present && o.caps.mp);
	assert_int_equal(o.caps.fam, FAM_BIT(FAM_IP4));
	assert_true(o.caps.refresh && o.caps.ext_msg && o.caps.enh_refresh);
	assert_int_equal(o.caps.role, BGP_ROLE_RS_CLIENT);
	assert_true(o.caps.role_clash);
	assert_true(o.caps.gr.on && o.caps.gr.restarting && o.caps.gr.notify);
	assert_int_equal(o.caps.gr.time, 120);
	assert_int_equal(o.caps.gr.fam, FAM_BIT(FAM_IP6));
	assert_int_equal(o.caps.gr.forward, FAM_BIT(FAM_IP6));
	assert_int_equal(o.as, 65537);
	assert_int_equal(o.caps.unknown_cnt, 2);
}

static void
test_extended(void **state)
{
	static const uint8_t body[] = { FIXED, 255, 255, 0, 9, 2, 0, 6, 65, 4, 0, 1, 0,
		0 };
	static const uint8_t cut[] = { FIXED, 255, 255, 0, 10, 2, 0, 6, 65, 4, 0, 1, 0,
		0 };
	struct bgp_open o;

	(void)state;
	assert_int_equal(
	    test_bgp_open_decode(body, sizeof(body), &o).severity, BGP_SEV_NONE);
	assert_int_equal(o.as, 65536);
	test_bgp_open_refused(cut, sizeof(cut), BGP_EO_UNSPECIFIC);
}

static void
test_bgp_open_round_trip(const struct bgp_open *in, bool with_caps)
{
	uint8_t buf[BGP_OPEN_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct bgp_open out;
	struct bgp_msg m;
	struct bgp_err err;

	bgp_open_encode(&w, in, with_caps);
	assert_false(w.bad);
	assert_int_equal(
	    bgp_msg_frame(buf, wbuf_len(&w), BGP_MSG_MAX, &m, &err), BGP_FRAME_DONE);
	assert_int_equal(m.type, BGP_OPEN);
	assert_int_equal(
	    bgp_open_decode(m.body, m.body_len, &out).severity, BGP_SEV_NONE);
	assert_int_equal(out.hold_time, in->hold_time);
	assert_int_equal(out.router_id, in->router_id);
	if (!with_caps) {
		assert_false(out.caps.present);
		assert_int_equal(out.as, in->as > 65535 ? AS_TRANS : in->as);
		return;
	}
	out.caps.present = in->caps.present;
	out.caps.mp = in->caps.mp;
	assert_int_equal(out.as, in->as);
	assert_memory_equal(&out.caps, &in->caps, sizeof(out.caps));
}

static void
test_round_trip(void **state)
{
	struct bgp_open o;

	(void)state;
	memset(&o, 0, sizeof(o));
	bgp_caps_init(&o.caps);
	o.as = 65001;
	o.hold_time = 90;
	o.router_id = 7;
	test_bgp_open_round_trip(&o, false);
	o.caps.add_path = true;
	o.caps.ids_rx = FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6);
	o.caps.ids_tx = FAM_BIT(FAM_IP6);
	o.caps.as4 = true;
	o.as = o.caps.as = 4200000000;
	o.caps.fam = FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6);
	test_bgp_open_round_trip(&o, true);
	o.caps.refresh = o.caps.enh_refresh = o.caps.ext_msg = o.caps.ext_next_hop = true;
	o.caps.role = BGP_ROLE_RS_SERVER;
	o.caps.gr.on = o.caps.gr.notify = true;
	o.caps.gr.time = 4095;
	o.caps.gr.fam = 3;
	o.caps.gr.forward = 2;
	test_bgp_open_round_trip(&o, true);
	test_bgp_open_round_trip(&o, false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fixed),
	cmocka_unit_test(test_version_data),
	cmocka_unit_test(test_params),
	cmocka_unit_test(test_caps),
	cmocka_unit_test(test_extended),
	cmocka_unit_test(test_round_trip),
};

UNIT_MAIN(tests)

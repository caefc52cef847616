/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATE inwards: what a good message gives, and what damage of the whole costs (RFC
 * 7606, 3 to 5). */
#include "lib/wire/bgp/bgp_update_dec.c"
#include "test/lib/update_rig.h"

/* The canonical octets of reach @i are these. */
static void
blob_is(unsigned i, const struct wbuf *want)
{
	assert_int_equal(rig.u.reach[i].blob_len, wbuf_len(want));
	assert_memory_equal(rig.u.reach[i].blob, want->start, wbuf_len(want));
}

static void
test_good(void **state)
{
	uint8_t buf[256];
	struct wbuf want = wbuf_of(buf, sizeof(buf));

	(void)state;
	start_good();
	wbuf_bytes(&rig.wd, "\10\12", 2);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, 0);
	assert_int_equal(rig.u.unreach_cnt, 1);
	assert_int_equal(rig.u.unreach[0].fam, FAM_IP4);
	assert_int_equal(rig.u.unreach[0].nlri.cnt, 1);
	assert_int_equal(rig.u.unreach[0].nlri.len, 2);
	assert_int_equal(rig.u.reach_cnt, 1);
	assert_int_equal(rig.u.reach[0].nlri.cnt, 1);
	assert_memory_equal(rig.u.reach[0].nlri.p, net, 4);
	wire_item(&want, 0x40, ATTR_ORIGIN, origin, 1);
	wire_item(&want, 0x40, ATTR_AS_PATH, path4, sizeof(path4));
	wire_item(&want, 0x40, ATTR_NEXT_HOP, nh, 4);
	blob_is(0, &want);
}

/* Path identifiers (RFC 7911, 3), of the families that have them: in all four places of
 * NLRI; and what is no whole prefix with one costs the session (RFC 7606, 5.3). */
static void
test_ids(void **state)
{
	static const uint8_t two[] = { 0, 0, 0, 1, 24, 198, 51, 100, 0xff, 0xff, 0xff,
		0xff, 24, 198, 51, 100 };
	static const uint8_t mp[] = { 0, 2, 1, 0, 0, 0, 9, 0, 0, 0, 0, 8 };
	uint8_t reach[40] = { 0, 2, 1, 16, 0x20, 1 };

	(void)state;
	for (size_t len = 0; len <= sizeof(two); len++) {
		start_good();
		rig.params.ids = FAM_BIT(FAM_IP4);
		rig.nlri.pos = rig.nlri.start;
		wbuf_bytes(&rig.nlri, two, len);
		wbuf_bytes(&rig.wd, two, 8);
		if (len % 8) {
			assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
			assert_int_equal(rig.u.err.subcode, BGP_EU_NETWORK);
			continue;
		}
		assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
		assert_int_equal(rig.u.unreach_cnt, 1);
		assert_int_equal(rig.u.unreach[0].nlri.cnt, 1);
		assert_int_equal(rig.u.unreach[0].nlri.id_len, NLRI_ID_LEN);
		assert_int_equal(rig.u.reach_cnt, len != 0);
		if (len)
			assert_int_equal(rig.u.reach[0].nlri.cnt, len / 8);
	}
	/* IPv6 with them, IPv4 without: an identifier of 9 and ::/0, and one of 0 and
	 * 0::/8 */
	start_good();
	rig.params.ids = FAM_BIT(FAM_IP6);
	memcpy(reach + 4 + 16 + 1, "\0\0\0\7\20\40\1", 7);
	update_rig_add(0x80, ATTR_MP_REACH, reach, 4 + 16 + 1 + 7);
	update_rig_add(0x80, ATTR_MP_UNREACH, mp, 3 + 5);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.reach_cnt, 2);
	assert_int_equal(rig.u.reach[0].nlri.id_len, 0);
	assert_int_equal(rig.u.reach[1].nlri.id_len, NLRI_ID_LEN);
	assert_int_equal(rig.u.reach[1].nlri.cnt, 1);
	assert_int_equal(rig.u.unreach_cnt, 1);
	assert_int_equal(rig.u.unreach[0].nlri.cnt, 1);
	start_good();
	rig.params.ids = FAM_BIT(FAM_IP6);
	update_rig_add(0x80, ATTR_MP_UNREACH, mp, sizeof(mp));
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	assert_int_equal(rig.u.err.subcode, BGP_EU_OPTIONAL);
	update_rig_start(); /* End-of-RIB is as it was */
	rig.params.ids = 3;
	update_rig_add(0x80, ATTR_MP_UNREACH, mp, 3);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, FAM_BIT(FAM_IP6));
}

/* Order on the wire, EXTLEN and stray low bits of flags make no difference. */
static void
test_canonical(void **state)
{
	uint8_t buf[256], one[256];
	uint32_t len;

	(void)state;
	start_good();
	update_rig_add(0xc0, ATTR_COMMUNITY, num, 4);
	update_rig_add(0xc0, 99, "x", 1);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	len = rig.u.reach[0].blob_len;
	memcpy(one, rig.u.reach[0].blob, len);
	update_rig_start();
	wbuf_bytes(&rig.attrs, "\xd3\x63\0\1x", 5);
	update_rig_add(0xcf & ~0x10, ATTR_COMMUNITY, num, 4);
	update_rig_add(0x40, ATTR_NEXT_HOP, nh, 4);
	wbuf_bytes(&rig.attrs, "\x50\2\0\12", 4);
	wbuf_bytes(&rig.attrs, path4, sizeof(path4));
	update_rig_add(0x60, ATTR_ORIGIN, origin, 1); /* PARTIAL means nothing here */
	wbuf_bytes(&rig.nlri, net, sizeof(net));
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.reach[0].blob_len, len);
	memcpy(buf, rig.u.reach[0].blob, len);
	assert_memory_equal(buf, one, len);
}

/* Attributes that leave their list cost the route if the NLRI are known, else the
 * session: RFC 7606, 4 and 5.2. */
static void
test_framing(void **state)
{
	(void)state;
	start_good();
	wbuf_bytes(&rig.attrs, "\xc0\10\40abcd", 7);
	assert_int_equal(update_rig_decode(), BGP_SEV_WITHDRAW);
	assert_int_equal(rig.u.reach[0].nlri.cnt, 1);
	start_good();
	wbuf_bytes(&rig.attrs, "\xc0\10", 2);
	assert_int_equal(update_rig_decode(), BGP_SEV_WITHDRAW);
	start_good();
	rig.nlri.pos = rig.nlri.start;
	wbuf_bytes(&rig.attrs, "\xc0\10\40abcd", 7);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	update_rig_start();
	wbuf_bytes(&rig.wd, net, sizeof(net));
	update_rig_add(0x40, ATTR_ORIGIN, "\7", 1);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	update_rig_start();
	wbuf_bytes(&rig.wd, net, sizeof(net));
	update_rig_add(0x40, ATTR_ATOMIC_AGGR, "\7", 1);
	assert_int_equal(update_rig_decode(), BGP_SEV_ATTR_DISCARD);
}

static void
reset_body(const void *body, size_t len, unsigned subcode)
{
	assert_int_equal(decode_body(body, len), BGP_SEV_RESET);
	assert_int_equal(rig.u.err.code, BGP_E_UPDATE);
	assert_int_equal(rig.u.err.subcode, subcode);
}

/* Lengths of the message, and NLRI that can't be read: RFC 7606, 3 b, 3 i, 3 j, 5.3. */
static void
test_unreadable(void **state)
{
	(void)state;
	update_rig_start();
	reset_body("\0\1\0\0", 4, BGP_EU_ATTR_LIST);
	reset_body("\0\0\0\1", 4, BGP_EU_ATTR_LIST);
	reset_body("\0\0\0", 3, BGP_EU_ATTR_LIST);
	reset_body("\0\2\41\1\0\0", 6, BGP_EU_NETWORK);
	reset_body("\0\2\30\1\0\0", 6, BGP_EU_NETWORK);
	start_good();
	wbuf_bytes(&rig.nlri, "\41\1\1\1\1", 5);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	start_good();
	wbuf_bytes(&rig.nlri, "\40\1\1\1", 4);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
}

static uint8_t nh6[32] = { 0x20, 1, 0xd, 0xb8, [16] = 0xfe, [17] = 0x80 };

static void
add_reach6(unsigned nh_len, const void *nlri, size_t len)
{
	uint8_t val[256];
	struct wbuf w = wbuf_of(val, sizeof(val));

	wbuf_bytes(&w, "\0\2\1", 3);
	wbuf_u8(&w, (uint8_t)nh_len);
	wbuf_bytes(&w, nh6, nh_len < 32 ? nh_len : 32);
	wbuf_u8(&w, 0);
	wbuf_bytes(&w, nlri, len);
	update_rig_add(0x80, ATTR_MP_REACH, val, wbuf_len(&w));
}

static void
start_mp(unsigned nh_len)
{
	update_rig_start();
	add_reach6(nh_len, "\40\x20\1\xd\xb9", 5);
	update_rig_add(0x40, ATTR_ORIGIN, origin, 1);
	update_rig_add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
}

static void
test_mp(void **state)
{
	struct attr_item it;

	(void)state;
	for (unsigned len = 0; len < 40; len++) {
		start_mp(len);
		if (len != 16 && len != 32) {
			assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
			continue;
		}
		assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
		assert_int_equal(rig.u.reach_cnt, 1);
		assert_int_equal(rig.u.reach[0].fam, FAM_IP6);
		assert_int_equal(rig.u.reach[0].nlri.cnt, 1);
		assert_true(blob_has(0, ATTR_NEXT_HOP, &it));
		assert_int_equal(it.len, len);
		assert_memory_equal(it.val, nh6, len);
		assert_false(blob_has(0, ATTR_MP_REACH, &it));
	}
	nh6[16] = nh6[17] = 0;
	start_mp(32);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, ATTR_NEXT_HOP, &it));
	assert_int_equal(it.len, 16);
	/* a link-local address behind :: is like one alone */
	memset(nh6, 0, sizeof(nh6));
	nh6[16] = 0xfe;
	nh6[17] = 0x80;
	nh6[31] = 7;
	start_mp(32);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, ATTR_NEXT_HOP, &it));
	assert_int_equal(it.len, 16);
	assert_memory_equal(it.val, nh6 + 16, 16);
	memcpy(nh6, nh6 + 16, 16); /* twice, too */
	start_mp(32);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, ATTR_NEXT_HOP, &it));
	assert_int_equal(it.len, 16);
	assert_memory_equal(it.val, nh6, 16);
	memset(nh6, 0, 16);
	nh6[16] = 0x20; /* but no other */
	start_mp(32);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, ATTR_NEXT_HOP, &it));
	assert_int_equal(it.len, 32);
	start_mp(16);
	rig.params.fam = FAM_BIT(FAM_IP4);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.reach_cnt, 0);
	start_mp(16);
	update_rig_add(0x80, ATTR_MP_UNREACH, "\0\2\1\201\0", 5);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	start_mp(16);
	update_rig_add(0x80, ATTR_MP_UNREACH, "\0\2", 2);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	update_rig_start();
	update_rig_add(0x80, ATTR_MP_REACH, "\0\2\1\0", 4);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
}

/* Wrong flags cost the routes; which these are must still be read out of the MP
 * attributes: RFC 7606, 3 c and 3 j. */
static void
test_mp_flags(void **state)
{
	(void)state;
	start_good();
	add_reach6(16, "\40\x20\1\xd\xb9", 5);
	rig.attr_buf[wbuf_len(&rig.attrs) - 29] = 0xc0;
	update_rig_add(0xc0, ATTR_MP_UNREACH, "\0\2\1\40\x20\1\xd\xba", 8);
	assert_int_equal(update_rig_decode(), BGP_SEV_WITHDRAW);
	assert_int_equal(rig.u.err.subcode, BGP_EU_FLAGS);
	assert_int_equal(rig.u.err.attr, ATTR_MP_REACH);
	assert_int_equal(rig.u.unreach_cnt, 1);
	assert_int_equal(rig.u.unreach[0].fam, FAM_IP6);
	assert_int_equal(rig.u.unreach[0].nlri.cnt, 1);
	assert_int_equal(rig.u.reach_cnt, 2);
	assert_int_equal(rig.u.reach[1].fam, FAM_IP6);
	assert_int_equal(rig.u.reach[1].nlri.cnt, 1);
	assert_null(rig.u.reach[1].blob);
	update_rig_start();
	update_rig_add(0xc0, ATTR_MP_UNREACH, "\0\2\1\40\x20\1\xd\xba", 8);
	assert_int_equal(update_rig_decode(), BGP_SEV_WITHDRAW);
	assert_int_equal(rig.u.unreach_cnt, 1);
	start_good();
	update_rig_add(0xc0, ATTR_MP_UNREACH, "\0\2\1\201", 4);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	start_good();
	update_rig_add(0xc0, ATTR_MP_REACH, "\0\2\1\20", 4);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
}

/* An MP attribute that leaves the list has NLRI that nobody can read. */
static void
test_mp_framing(void **state)
{
	(void)state;
	start_good();
	wbuf_bytes(&rig.attrs, "\x80\17\20\0\2\1", 6);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	assert_int_equal(rig.u.err.subcode, BGP_EU_OPTIONAL);
	start_good();
	wbuf_bytes(&rig.attrs, "\x80\16", 2);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	start_good();
	wbuf_bytes(&rig.attrs, "\x90", 1);
	assert_int_equal(update_rig_decode(), BGP_SEV_WITHDRAW);
}

/* Plain IPv4 and MP_REACH of IPv6 in one message: a blob for each. */
static void
test_both(void **state)
{
	struct attr_item it;

	(void)state;
	start_good();
	add_reach6(16, "\40\x20\1\xd\xb9", 5);
	update_rig_add(0x80, ATTR_MP_UNREACH, "\0\2\1\0", 4);
	update_rig_add(0xc0, ATTR_COMMUNITY, num, 4);
	wbuf_bytes(&rig.wd, "\0", 1);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.unreach_cnt, 2);
	assert_int_equal(rig.u.unreach[1].fam, FAM_IP6);
	assert_int_equal(rig.u.reach_cnt, 2);
	assert_int_equal(rig.u.reach[0].fam, FAM_IP4);
	assert_int_equal(rig.u.reach[1].fam, FAM_IP6);
	assert_int_equal(rig.u.reach[1].blob_len, rig.u.reach[0].blob_len + 12);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(blob_has(i, ATTR_NEXT_HOP, &it));
		assert_memory_equal(it.val, i ? nh6 : nh, it.len);
		assert_int_equal(it.len, i ? 16 : 4);
		assert_true(blob_has(i, ATTR_COMMUNITY, &it));
		assert_memory_equal(it.val, num, 4);
		assert_true(blob_has(i, ATTR_ORIGIN, &it));
	}
}

static void
test_eor(void **state)
{
	(void)state;
	update_rig_start();
	assert_int_equal(decode_body((const uint8_t *)"\0\0\0\0", 4), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, FAM_BIT(FAM_IP4));
	update_rig_start();
	update_rig_add(0x80, ATTR_MP_UNREACH, "\0\2\1", 3);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, FAM_BIT(FAM_IP6));
	update_rig_start();
	rig.params.fam = FAM_BIT(FAM_IP6);
	assert_int_equal(decode_body((const uint8_t *)"\0\0\0\0", 4), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, 0);
	update_rig_start();
	update_rig_add(0x80, ATTR_MP_UNREACH, "\0\2\1", 3);
	update_rig_add(0x40, ATTR_ORIGIN, origin, 1);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, 0);
	update_rig_start();
	update_rig_add(0x80, ATTR_MP_UNREACH, "\0\2\1\0", 4);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, 0);
}

/* Too little room costs the route and writes nothing beyond. */
static void
test_small_blob(void **state)
{
	struct bgp_update full;
	unsigned fits = 0;

	(void)state;
	update_rig_start();
	rig.params.as4 = false;
	update_rig_add(0x40, ATTR_ORIGIN, origin, 1);
	update_rig_add(0x40, ATTR_AS_PATH, path2, sizeof(path2));
	update_rig_add(0x40, ATTR_NEXT_HOP, nh, 4);
	wbuf_bytes(&rig.nlri, net, sizeof(net));
	update_rig_add(0xc0, ATTR_AS4_PATH, "\2\1\0\1\0\1", 6);
	add_reach6(32, "\40\x20\1\xd\xb9", 5);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	full = rig.u;
	assert_int_equal(full.reach_cnt, 2);
	for (size_t cap = 0; cap < 200; cap++) {
		uint8_t *blob = malloc(cap ? cap : 1);
		struct bgp_update u;
		enum bgp_severity sev;

		sev = bgp_update_decode(&rig.params, rig.body,
		    4 + wbuf_len(&rig.attrs) + wbuf_len(&rig.nlri), &u, blob, cap);
		assert_true(sev == BGP_SEV_NONE || sev == BGP_SEV_WITHDRAW);
		if (sev == BGP_SEV_NONE) {
			fits++;
			assert_int_equal(u.reach[1].blob_len, full.reach[1].blob_len);
			assert_memory_equal(
			    u.reach[1].blob, full.reach[1].blob, u.reach[1].blob_len);
		} else
			assert_int_equal(fits, 0); /* what was enough stays enough */
		free(blob);
	}
	assert_in_range(fits, 1, 150);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_good),
	cmocka_unit_test(test_ids),
	cmocka_unit_test(test_canonical),
	cmocka_unit_test(test_framing),
	cmocka_unit_test(test_unreadable),
	cmocka_unit_test(test_mp),
	cmocka_unit_test(test_mp_flags),
	cmocka_unit_test(test_mp_framing),
	cmocka_unit_test(test_both),
	cmocka_unit_test(test_eor),
	cmocka_unit_test(test_small_blob),
};

UNIT_MAIN(tests)

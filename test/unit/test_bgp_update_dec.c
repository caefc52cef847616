/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATE inwards: what a good message gives, and what each kind of damage costs (RFC
 * 7606). */
#include "lib/attr/as_path.h"
#include "lib/wire/bgp_update_dec.c"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

#define PAD 16

/* A message under construction, and what the decoder made of it. */
struct rig {
	struct bgp_params params;
	uint8_t wd_buf[256], attr_buf[4096], nlri_buf[256];
	struct wbuf wd, attrs, nlri;
	uint8_t *body;
	uint8_t blob[BGP_BLOB_CAP(BGP_MSG_MAX)];
	struct bgp_update u;
};

static struct rig rig;

static const uint8_t origin[] = { 0 }, nh[] = { 192, 0, 2, 1 }, num[] = { 0, 0, 0, 5 };
static const uint8_t path4[] = { 2, 2, 0, 0, 0, 5, 0, 1, 0, 1 };
static const uint8_t path2[] = { 2, 2, 0, 5, 0x5b, 0xa0 };
static const uint8_t net[] = { 24, 198, 51, 100 };

static void
start(void)
{
	free(rig.body);
	memset(&rig, 0, sizeof(rig));
	rig.params = (struct bgp_params){
		.local_as = 1, .peer_as = 5, .fam = 3, .as4 = true
	};
	rig.wd = wbuf_of(rig.wd_buf, sizeof(rig.wd_buf));
	rig.attrs = wbuf_of(rig.attr_buf, sizeof(rig.attr_buf));
	rig.nlri = wbuf_of(rig.nlri_buf, sizeof(rig.nlri_buf));
}

static void
add(uint8_t flags, uint8_t code, const void *val, size_t len)
{
	wire_attr(&rig.attrs, flags, code, val, len);
}

/* ORIGIN, AS_PATH, NEXT_HOP and one prefix. */
static void
start_good(void)
{
	start();
	add(0x40, ATTR_ORIGIN, origin, 1);
	add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
	add(0x40, ATTR_NEXT_HOP, nh, 4);
	wbuf_bytes(&rig.nlri, net, sizeof(net));
}

static enum bgp_severity
decode_body(const uint8_t *body, size_t len)
{
	free(rig.body);
	rig.body = malloc(len + PAD);
	memcpy(rig.body, body, len);
	memset(rig.body + len, 0xee, PAD);
	return bgp_update_decode(
	    &rig.params, rig.body, len, &rig.u, rig.blob, sizeof(rig.blob));
}

static enum bgp_severity
decode(void)
{
	static uint8_t body[8192];
	struct wbuf w = wbuf_of(body, sizeof(body));

	assert_false(rig.wd.bad || rig.attrs.bad || rig.nlri.bad);
	wbuf_u16(&w, (uint16_t)wbuf_len(&rig.wd));
	wbuf_bytes(&w, rig.wd_buf, wbuf_len(&rig.wd));
	wbuf_u16(&w, (uint16_t)wbuf_len(&rig.attrs));
	wbuf_bytes(&w, rig.attr_buf, wbuf_len(&rig.attrs));
	wbuf_bytes(&w, rig.nlri_buf, wbuf_len(&rig.nlri));
	return decode_body(body, wbuf_len(&w));
}

/* The canonical octets of reach @i are these. */
static void
blob_is(unsigned i, const struct wbuf *want)
{
	assert_int_equal(rig.u.reach[i].blob_len, wbuf_len(want));
	assert_memory_equal(rig.u.reach[i].blob, want->start, wbuf_len(want));
}

static bool
blob_has(unsigned i, uint8_t code, struct attr_item *it)
{
	uint32_t pos = 0;

	while (attr_item_next(it, rig.u.reach[i].blob, rig.u.reach[i].blob_len, &pos))
		if (it->code == code)
			return true;
	return false;
}

static void
test_good(void **state)
{
	uint8_t buf[256];
	struct wbuf want = wbuf_of(buf, sizeof(buf));

	(void)state;
	start_good();
	wbuf_bytes(&rig.wd, "\10\12", 2);
	assert_int_equal(decode(), BGP_SEV_NONE);
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

/* Order on the wire, EXTLEN and stray low bits of flags make no difference. */
static void
test_canonical(void **state)
{
	uint8_t buf[256], one[256];
	uint32_t len;

	(void)state;
	start_good();
	add(0xc0, ATTR_COMMUNITY, num, 4);
	add(0xc0, 99, "x", 1);
	assert_int_equal(decode(), BGP_SEV_NONE);
	len = rig.u.reach[0].blob_len;
	memcpy(one, rig.u.reach[0].blob, len);
	start();
	wbuf_bytes(&rig.attrs, "\xd3\x63\0\1x", 5);
	add(0xcf & ~0x10, ATTR_COMMUNITY, num, 4);
	add(0x40, ATTR_NEXT_HOP, nh, 4);
	wbuf_bytes(&rig.attrs, "\x50\2\0\12", 4);
	wbuf_bytes(&rig.attrs, path4, sizeof(path4));
	add(0x60, ATTR_ORIGIN, origin, 1); /* PARTIAL means nothing here */
	wbuf_bytes(&rig.nlri, net, sizeof(net));
	assert_int_equal(decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.reach[0].blob_len, len);
	memcpy(buf, rig.u.reach[0].blob, len);
	assert_memory_equal(buf, one, len);
}

static void
test_unknown(void **state)
{
	struct attr_item it;

	(void)state;
	start_good();
	add(0xc0, 200, "ab", 2);
	add(0x80, 201, "cd", 2);
	add(0xe0, ATTR_COMMUNITY, num, 4);
	add(0xc0, 202, NULL, 0);
	assert_int_equal(decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, 200, &it));
	assert_int_equal(it.flags, 0xe0);
	assert_false(blob_has(0, 201, &it));
	assert_true(blob_has(0, 202, &it));
	assert_true(blob_has(0, ATTR_COMMUNITY, &it));
	assert_int_equal(it.flags, 0xe0);
	start_good();
	add(0x40, 200, "ab", 2);
	assert_int_equal(decode(), BGP_SEV_WITHDRAW);
	assert_int_equal(rig.u.err.subcode, BGP_EU_UNKNOWN_WELLKNOWN);
}

/* After start_good, one attribute is added (or replaces that of its code). */
static void
costs(uint8_t flags, uint8_t code, const void *val, size_t len, enum bgp_severity sev,
    unsigned subcode)
{
	static const uint8_t codes[] = { ATTR_ORIGIN, ATTR_AS_PATH, ATTR_NEXT_HOP };
	bool ibgp = rig.params.ibgp, as4 = rig.params.as4, aigp = rig.params.aigp;
	struct attr_item it;

	start();
	rig.params.ibgp = ibgp;
	rig.params.as4 = as4;
	rig.params.aigp = aigp;
	for (unsigned i = 0; i < ARRAY_LEN(codes); i++) {
		if (codes[i] == code)
			continue;
		if (codes[i] == ATTR_ORIGIN)
			add(0x40, ATTR_ORIGIN, origin, 1);
		else if (codes[i] == ATTR_AS_PATH && as4)
			add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
		else if (codes[i] == ATTR_AS_PATH)
			add(0x40, ATTR_AS_PATH, path2, sizeof(path2));
		else
			add(0x40, ATTR_NEXT_HOP, nh, 4);
	}
	add(flags, code, val, len);
	wbuf_bytes(&rig.nlri, net, sizeof(net));
	assert_int_equal(decode(), sev);
	assert_int_equal(rig.u.err.subcode, subcode);
	if (sev == BGP_SEV_RESET)
		return;
	assert_int_equal(rig.u.reach_cnt, 1);
	assert_int_equal(rig.u.reach[0].nlri.cnt, 1);
	if (sev == BGP_SEV_WITHDRAW) {
		assert_null(rig.u.reach[0].blob);
		assert_int_equal(rig.u.err.attr, code);
	}
	if (sev == BGP_SEV_ATTR_DISCARD) {
		assert_int_equal(rig.u.discard_cnt, 1);
		assert_int_equal(rig.u.err.attr, code);
		assert_false(blob_has(0, code, &it));
	}
}

/* RFC 7606, 7.1 to 7.14, on an external session with 4-octet numbers. */
static void
test_damage(void **state)
{
	static const uint8_t seg_cut[] = { 2, 2, 0, 0, 0, 5 },
			     as0[] = { 2, 1, 0, 0, 0, 0 };
	static const uint8_t confed[] = { 3, 1, 0, 0, 0, 5 }, seg_empty[] = { 2, 0 };
	static const uint8_t aggr0[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
	uint8_t z[32] = { 0 };

	(void)state;
	start();
	costs(0x40, ATTR_ORIGIN, "\3", 1, BGP_SEV_WITHDRAW, BGP_EU_ORIGIN);
	costs(0x40, ATTR_ORIGIN, z, 2, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0x40, ATTR_ORIGIN, z, 0, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0xc0, ATTR_ORIGIN, z, 1, BGP_SEV_WITHDRAW, BGP_EU_FLAGS);
	costs(0x00, ATTR_ORIGIN, z, 1, BGP_SEV_WITHDRAW, BGP_EU_FLAGS);
	costs(0x40, ATTR_AS_PATH, seg_cut, 6, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	costs(0x40, ATTR_AS_PATH, seg_empty, 2, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	costs(0x40, ATTR_AS_PATH, confed, 6, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	costs(0x40, ATTR_AS_PATH, as0, 6, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	costs(0x40, ATTR_AS_PATH, z, 1, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	costs(0x40, ATTR_AS_PATH, z, 0, BGP_SEV_NONE, 0);
	costs(0x40, ATTR_NEXT_HOP, z, 5, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0x80, ATTR_MED, z, 3, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0x80, ATTR_MED, z, 4, BGP_SEV_NONE, 0);
	costs(0x40, ATTR_MED, z, 4, BGP_SEV_WITHDRAW, BGP_EU_FLAGS);
	costs(0x40, ATTR_ATOMIC_AGGR, z, 1, BGP_SEV_ATTR_DISCARD, BGP_EU_LEN);
	costs(0xc0, ATTR_AGGREGATOR, z, 6, BGP_SEV_ATTR_DISCARD, BGP_EU_LEN);
	costs(0xc0, ATTR_AGGREGATOR, aggr0, 8, BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL);
	costs(0xc0, ATTR_COMMUNITY, z, 0, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0xc0, ATTR_COMMUNITY, z, 6, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0xc0, ATTR_EXT_COMMUNITY, z, 12, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0xc0, ATTR_EXT_COMMUNITY, z, 0, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0xc0, ATTR_LARGE_COMMUNITY, z, 16, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0xc0, ATTR_LARGE_COMMUNITY, z, 24, BGP_SEV_NONE, 0);
	costs(0xc0, ATTR_OTC, z, 5, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0xc0, ATTR_AS4_PATH, z, 5, BGP_SEV_NONE, 0);
}

/* What belongs to internal sessions: left out from others, checked from them. */
static void
test_internal(void **state)
{
	struct attr_item it;
	uint8_t z[32] = { 0 };

	(void)state;
	start();
	costs(0x40, ATTR_LOCAL_PREF, z, 3, BGP_SEV_NONE, 0);
	costs(0xc0, ATTR_LOCAL_PREF, z, 4, BGP_SEV_NONE, 0);
	assert_false(blob_has(0, ATTR_LOCAL_PREF, &it));
	costs(0x80, ATTR_ORIGINATOR_ID, z, 3, BGP_SEV_NONE, 0);
	costs(0x80, ATTR_CLUSTER_LIST, z, 4, BGP_SEV_NONE, 0);
	assert_false(blob_has(0, ATTR_CLUSTER_LIST, &it));
	rig.params.ibgp = true;
	costs(0x40, ATTR_LOCAL_PREF, z, 4, BGP_SEV_NONE, 0);
	assert_true(blob_has(0, ATTR_LOCAL_PREF, &it));
	costs(0x40, ATTR_LOCAL_PREF, z, 3, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0x80, ATTR_ORIGINATOR_ID, z, 3, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0x80, ATTR_CLUSTER_LIST, z, 0, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	costs(0x80, ATTR_CLUSTER_LIST, z, 8, BGP_SEV_NONE, 0);
	assert_true(blob_has(0, ATTR_CLUSTER_LIST, &it));
}

static void
test_aigp(void **state)
{
	static const uint8_t good[] = { 1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 3 };
	static const uint8_t short_tlv[] = { 1, 0, 4, 0 }, cut[] = { 9, 0, 5, 0 };
	struct attr_item it;

	(void)state;
	start();
	costs(0x80, ATTR_AIGP, good, sizeof(good), BGP_SEV_NONE, 0);
	assert_false(blob_has(0, ATTR_AIGP, &it));
	rig.params.aigp = true;
	costs(0x80, ATTR_AIGP, good, sizeof(good), BGP_SEV_NONE, 0);
	assert_true(blob_has(0, ATTR_AIGP, &it));
	costs(0x80, ATTR_AIGP, short_tlv, 4, BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL);
	costs(0x80, ATTR_AIGP, cut, 4, BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL);
}

/* RFC 7606, 3 g */
static void
test_twice(void **state)
{
	struct attr_item it;

	(void)state;
	start_good();
	add(0x80, ATTR_MED, num, 4);
	add(0x80, ATTR_MED, "\0\0\0\7", 4);
	assert_int_equal(decode(), BGP_SEV_ATTR_DISCARD);
	assert_int_equal(rig.u.discard_cnt, 1);
	assert_true(blob_has(0, ATTR_MED, &it));
	assert_int_equal(get_be32(it.val), 5);
	start_good();
	add(0x80, ATTR_MP_UNREACH, "\0\2\1", 3);
	add(0x80, ATTR_MP_UNREACH, "\0\2\1", 3);
	assert_int_equal(decode(), BGP_SEV_RESET);
	assert_int_equal(rig.u.err.subcode, BGP_EU_ATTR_LIST);
}

/* RFC 7606, 3 d */
static void
test_missing(void **state)
{
	(void)state;
	for (unsigned skip = ATTR_ORIGIN; skip <= ATTR_NEXT_HOP; skip++) {
		start();
		if (skip != ATTR_ORIGIN)
			add(0x40, ATTR_ORIGIN, origin, 1);
		if (skip != ATTR_AS_PATH)
			add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
		if (skip != ATTR_NEXT_HOP)
			add(0x40, ATTR_NEXT_HOP, nh, 4);
		wbuf_bytes(&rig.nlri, net, sizeof(net));
		assert_int_equal(decode(), BGP_SEV_WITHDRAW);
		assert_int_equal(rig.u.err.subcode, BGP_EU_MISSING);
		assert_int_equal(rig.u.err.data[0], skip);
		assert_null(rig.u.reach[0].blob);
	}
}

/* Attributes that leave their list cost the route if the NLRI are known, else the
 * session: RFC 7606, 4 and 5.2. */
static void
test_framing(void **state)
{
	(void)state;
	start_good();
	wbuf_bytes(&rig.attrs, "\xc0\10\40abcd", 7);
	assert_int_equal(decode(), BGP_SEV_WITHDRAW);
	assert_int_equal(rig.u.reach[0].nlri.cnt, 1);
	start_good();
	wbuf_bytes(&rig.attrs, "\xc0\10", 2);
	assert_int_equal(decode(), BGP_SEV_WITHDRAW);
	start_good();
	rig.nlri.pos = rig.nlri.start;
	wbuf_bytes(&rig.attrs, "\xc0\10\40abcd", 7);
	assert_int_equal(decode(), BGP_SEV_RESET);
	start();
	wbuf_bytes(&rig.wd, net, sizeof(net));
	add(0x40, ATTR_ORIGIN, "\7", 1);
	assert_int_equal(decode(), BGP_SEV_RESET);
	start();
	wbuf_bytes(&rig.wd, net, sizeof(net));
	add(0x40, ATTR_ATOMIC_AGGR, "\7", 1);
	assert_int_equal(decode(), BGP_SEV_ATTR_DISCARD);
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
	start();
	reset_body("\0\1\0\0", 4, BGP_EU_ATTR_LIST);
	reset_body("\0\0\0\1", 4, BGP_EU_ATTR_LIST);
	reset_body("\0\0\0", 3, BGP_EU_ATTR_LIST);
	reset_body("\0\2\41\1\0\0", 6, BGP_EU_NETWORK);
	reset_body("\0\2\30\1\0\0", 6, BGP_EU_NETWORK);
	start_good();
	wbuf_bytes(&rig.nlri, "\41\1\1\1\1", 5);
	assert_int_equal(decode(), BGP_SEV_RESET);
	start_good();
	wbuf_bytes(&rig.nlri, "\40\1\1\1", 4);
	assert_int_equal(decode(), BGP_SEV_RESET);
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
	add(0x80, ATTR_MP_REACH, val, wbuf_len(&w));
}

static void
start_mp(unsigned nh_len)
{
	start();
	add_reach6(nh_len, "\40\x20\1\xd\xb9", 5);
	add(0x40, ATTR_ORIGIN, origin, 1);
	add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
}

static void
test_mp(void **state)
{
	struct attr_item it;

	(void)state;
	for (unsigned len = 0; len < 40; len++) {
		start_mp(len);
		if (len != 16 && len != 32) {
			assert_int_equal(decode(), BGP_SEV_RESET);
			continue;
		}
		assert_int_equal(decode(), BGP_SEV_NONE);
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
	assert_int_equal(decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, ATTR_NEXT_HOP, &it));
	assert_int_equal(it.len, 16);
	start_mp(16);
	rig.params.fam = FAM_BIT(FAM_IP4);
	assert_int_equal(decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.reach_cnt, 0);
	start_mp(16);
	add(0x80, ATTR_MP_UNREACH, "\0\2\1\201\0", 5);
	assert_int_equal(decode(), BGP_SEV_RESET);
	start_mp(16);
	add(0x80, ATTR_MP_UNREACH, "\0\2", 2);
	assert_int_equal(decode(), BGP_SEV_RESET);
	start();
	add(0x80, ATTR_MP_REACH, "\0\2\1\0", 4);
	assert_int_equal(decode(), BGP_SEV_RESET);
}

/* Plain IPv4 and MP_REACH of IPv6 in one message: a blob for each. */
static void
test_both(void **state)
{
	struct attr_item it;

	(void)state;
	start_good();
	add_reach6(16, "\40\x20\1\xd\xb9", 5);
	add(0x80, ATTR_MP_UNREACH, "\0\2\1\0", 4);
	add(0xc0, ATTR_COMMUNITY, num, 4);
	wbuf_bytes(&rig.wd, "\0", 1);
	assert_int_equal(decode(), BGP_SEV_NONE);
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
	start();
	assert_int_equal(decode_body((const uint8_t *)"\0\0\0\0", 4), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, FAM_BIT(FAM_IP4));
	start();
	add(0x80, ATTR_MP_UNREACH, "\0\2\1", 3);
	assert_int_equal(decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, FAM_BIT(FAM_IP6));
	start();
	rig.params.fam = FAM_BIT(FAM_IP6);
	assert_int_equal(decode_body((const uint8_t *)"\0\0\0\0", 4), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, 0);
	start();
	add(0x80, ATTR_MP_UNREACH, "\0\2\1", 3);
	add(0x40, ATTR_ORIGIN, origin, 1);
	assert_int_equal(decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, 0);
	start();
	add(0x80, ATTR_MP_UNREACH, "\0\2\1\0", 4);
	assert_int_equal(decode(), BGP_SEV_NONE);
	assert_int_equal(rig.u.eor, 0);
}

static void
path_is(const char *want)
{
	struct attr_item it;
	struct strbuf b;

	assert_int_equal(decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, ATTR_AS_PATH, &it));
	strbuf_init(&b);
	as_path_print(&b, it.val, it.len);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
	assert_false(blob_has(0, ATTR_AS4_PATH, &it));
	assert_false(blob_has(0, ATTR_AS4_AGGREGATOR, &it));
}

static void
start_as2(void)
{
	start();
	rig.params.as4 = false;
	add(0x40, ATTR_ORIGIN, origin, 1);
	add(0x40, ATTR_AS_PATH, path2, sizeof(path2));
	add(0x40, ATTR_NEXT_HOP, nh, 4);
	wbuf_bytes(&rig.nlri, net, sizeof(net));
}

/* RFC 6793, 4.2.3 and 6 */
static void
test_as2(void **state)
{
	static const uint8_t as4[] = { 2, 1, 0, 1, 0, 1 },
			     as4_aggr[] = { 0, 1, 0, 1, 9, 9, 9, 9 };
	static const uint8_t trans[] = { 0x5b, 0xa0, 9, 9, 9, 9 },
			     other[] = { 0, 7, 9, 9, 9, 9 };
	struct attr_item it;

	(void)state;
	start_as2();
	path_is("5 23456");
	start_as2();
	add(0xc0, ATTR_AS4_PATH, as4, sizeof(as4));
	path_is("5 65537");
	start_as2();
	add(0xc0, ATTR_AGGREGATOR, trans, 6);
	add(0xc0, ATTR_AS4_PATH, as4, sizeof(as4));
	add(0xc0, ATTR_AS4_AGGREGATOR, as4_aggr, 8);
	path_is("5 65537");
	assert_true(blob_has(0, ATTR_AGGREGATOR, &it));
	assert_memory_equal(it.val, as4_aggr, 8);
	start_as2();
	add(0xc0, ATTR_AGGREGATOR, other, 6);
	add(0xc0, ATTR_AS4_PATH, as4, sizeof(as4));
	add(0xc0, ATTR_AS4_AGGREGATOR, as4_aggr, 8);
	path_is("5 23456");
	assert_true(blob_has(0, ATTR_AGGREGATOR, &it));
	assert_memory_equal(it.val, "\0\0\0\7\11\11\11\11", 8);
	start_as2();
	add(0xc0, ATTR_AS4_PATH, as4, 5);
	assert_int_equal(decode(), BGP_SEV_ATTR_DISCARD);
	start_as2();
	add(0xc0, ATTR_AS4_AGGREGATOR, as4_aggr, 7);
	assert_int_equal(decode(), BGP_SEV_ATTR_DISCARD);
}

/* Too little room costs the route and writes nothing beyond. */
static void
test_small_blob(void **state)
{
	struct bgp_update full;

	(void)state;
	start_as2();
	add(0xc0, ATTR_AS4_PATH, "\2\1\0\1\0\1", 6);
	add_reach6(32, "\40\x20\1\xd\xb9", 5);
	assert_int_equal(decode(), BGP_SEV_NONE);
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
			assert_int_equal(u.reach[1].blob_len, full.reach[1].blob_len);
			assert_memory_equal(
			    u.reach[1].blob, full.reach[1].blob, u.reach[1].blob_len);
		}
		free(blob);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_good),
	cmocka_unit_test(test_canonical),
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_damage),
	cmocka_unit_test(test_internal),
	cmocka_unit_test(test_aigp),
	cmocka_unit_test(test_twice),
	cmocka_unit_test(test_missing),
	cmocka_unit_test(test_framing),
	cmocka_unit_test(test_unreadable),
	cmocka_unit_test(test_mp),
	cmocka_unit_test(test_both),
	cmocka_unit_test(test_eor),
	cmocka_unit_test(test_as2),
	cmocka_unit_test(test_small_blob),
};

UNIT_MAIN(tests)

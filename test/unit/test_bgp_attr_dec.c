/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes inwards: what each kind of damage costs (RFC 7606, 7), and 2-octet AS
 * numbers. */
#include "lib/wire/bgp/bgp_attr_dec.c"
#include "lib/base/strbuf.h"
#include "test/lib/update_rig.h"

static void
test_unknown(void **state)
{
	struct attr_item it;

	(void)state;
	start_good();
	update_rig_add(0xc0, 200, "ab", 2);
	update_rig_add(0x80, 201, "cd", 2);
	update_rig_add(0xe0, ATTR_COMMUNITY, num, 4);
	update_rig_add(0xc0, 202, NULL, 0);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, 200, &it));
	assert_int_equal(it.flags, 0xe0);
	assert_false(blob_has(0, 201, &it));
	assert_true(blob_has(0, 202, &it));
	assert_true(blob_has(0, ATTR_COMMUNITY, &it));
	assert_int_equal(it.flags, 0xe0);
	start_good();
	update_rig_add(0x40, 200, "ab", 2);
	assert_int_equal(update_rig_decode(), BGP_SEV_WITHDRAW);
	assert_int_equal(rig.u.err.subcode, BGP_EU_UNKNOWN_WELLKNOWN);
}

/* After start_good, one attribute is added (or replaces that of its code). */
static void
test_bgp_attr_dec_costs(uint8_t flags, uint8_t code, const void *val, size_t len,
    enum bgp_severity sev, unsigned subcode)
{
	static const uint8_t codes[] = { ATTR_ORIGIN, ATTR_AS_PATH, ATTR_NEXT_HOP };
	bool ibgp = rig.params.ibgp, as4 = rig.params.as4, aigp = rig.params.aigp;
	struct attr_item it;

	update_rig_start();
	rig.params.ibgp = ibgp;
	rig.params.as4 = as4;
	rig.params.aigp = aigp;
	for (unsigned i = 0; i < ARRAY_LEN(codes); i++) {
		if (codes[i] == code)
			continue;
		if (codes[i] == ATTR_ORIGIN)
			update_rig_add(0x40, ATTR_ORIGIN, origin, 1);
		else if (codes[i] == ATTR_AS_PATH && as4)
			update_rig_add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
		else if (codes[i] == ATTR_AS_PATH)
			update_rig_add(0x40, ATTR_AS_PATH, path2, sizeof(path2));
		else
			update_rig_add(0x40, ATTR_NEXT_HOP, nh, 4);
	}
	update_rig_add(flags, code, val, len);
	wbuf_bytes(&rig.nlri, net, sizeof(net));
	assert_int_equal(update_rig_decode(), sev);
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
	update_rig_start();
	test_bgp_attr_dec_costs(
	    0x40, ATTR_ORIGIN, "\3", 1, BGP_SEV_WITHDRAW, BGP_EU_ORIGIN);
	test_bgp_attr_dec_costs(0x40, ATTR_ORIGIN, z, 2, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(0x40, ATTR_ORIGIN, z, 0, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(0xc0, ATTR_ORIGIN, z, 1, BGP_SEV_WITHDRAW, BGP_EU_FLAGS);
	test_bgp_attr_dec_costs(0x00, ATTR_ORIGIN, z, 1, BGP_SEV_WITHDRAW, BGP_EU_FLAGS);
	test_bgp_attr_dec_costs(
	    0x40, ATTR_AS_PATH, seg_cut, 6, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	test_bgp_attr_dec_costs(
	    0x40, ATTR_AS_PATH, seg_empty, 2, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	test_bgp_attr_dec_costs(
	    0x40, ATTR_AS_PATH, confed, 6, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	test_bgp_attr_dec_costs(
	    0x40, ATTR_AS_PATH, as0, 6, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	test_bgp_attr_dec_costs(
	    0x40, ATTR_AS_PATH, z, 1, BGP_SEV_WITHDRAW, BGP_EU_AS_PATH);
	test_bgp_attr_dec_costs(0x40, ATTR_AS_PATH, z, 0, BGP_SEV_NONE, 0);
	test_bgp_attr_dec_costs(0x40, ATTR_NEXT_HOP, z, 5, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(0x80, ATTR_MED, z, 3, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(0x80, ATTR_MED, z, 4, BGP_SEV_NONE, 0);
	test_bgp_attr_dec_costs(0x40, ATTR_MED, z, 4, BGP_SEV_WITHDRAW, BGP_EU_FLAGS);
	test_bgp_attr_dec_costs(
	    0x40, ATTR_ATOMIC_AGGR, z, 1, BGP_SEV_ATTR_DISCARD, BGP_EU_LEN);
	test_bgp_attr_dec_costs(
	    0xc0, ATTR_AGGREGATOR, z, 6, BGP_SEV_ATTR_DISCARD, BGP_EU_LEN);
	test_bgp_attr_dec_costs(
	    0xc0, ATTR_AGGREGATOR, aggr0, 8, BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL);
	test_bgp_attr_dec_costs(0xc0, ATTR_COMMUNITY, z, 0, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(0xc0, ATTR_COMMUNITY, z, 6, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(
	    0xc0, ATTR_EXT_COMMUNITY, z, 12, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(
	    0xc0, ATTR_EXT_COMMUNITY, z, 0, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(
	    0xc0, ATTR_LARGE_COMMUNITY, z, 16, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(0xc0, ATTR_LARGE_COMMUNITY, z, 24, BGP_SEV_NONE, 0);
	test_bgp_attr_dec_costs(0xc0, ATTR_OTC, z, 5, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	/* From who speaks 4-octet numbers these two are left out whatever they hold. */
	test_bgp_attr_dec_costs(0xc0, ATTR_AS4_PATH, z, 5, BGP_SEV_NONE, 0);
	test_bgp_attr_dec_costs(0x40, ATTR_AS4_PATH, z, 5, BGP_SEV_NONE, 0);
	test_bgp_attr_dec_costs(0x40, ATTR_AS4_AGGREGATOR, z, 8, BGP_SEV_NONE, 0);
}

/* What belongs to internal sessions: left out from others, checked from them. */
static void
test_internal(void **state)
{
	struct attr_item it;
	uint8_t z[32] = { 0 };

	(void)state;
	update_rig_start();
	test_bgp_attr_dec_costs(0x40, ATTR_LOCAL_PREF, z, 3, BGP_SEV_NONE, 0);
	test_bgp_attr_dec_costs(0xc0, ATTR_LOCAL_PREF, z, 4, BGP_SEV_NONE, 0);
	assert_false(blob_has(0, ATTR_LOCAL_PREF, &it));
	test_bgp_attr_dec_costs(0x80, ATTR_ORIGINATOR_ID, z, 3, BGP_SEV_NONE, 0);
	test_bgp_attr_dec_costs(0x80, ATTR_CLUSTER_LIST, z, 4, BGP_SEV_NONE, 0);
	assert_false(blob_has(0, ATTR_CLUSTER_LIST, &it));
	rig.params.ibgp = true;
	test_bgp_attr_dec_costs(0x40, ATTR_LOCAL_PREF, z, 4, BGP_SEV_NONE, 0);
	assert_true(blob_has(0, ATTR_LOCAL_PREF, &it));
	test_bgp_attr_dec_costs(
	    0x40, ATTR_LOCAL_PREF, z, 3, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(
	    0x80, ATTR_ORIGINATOR_ID, z, 3, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(
	    0x80, ATTR_CLUSTER_LIST, z, 0, BGP_SEV_WITHDRAW, BGP_EU_LEN);
	test_bgp_attr_dec_costs(0x80, ATTR_CLUSTER_LIST, z, 8, BGP_SEV_NONE, 0);
	assert_true(blob_has(0, ATTR_CLUSTER_LIST, &it));
}

static void
test_aigp(void **state)
{
	static const uint8_t good[] = { 1, 0, 11, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 3 };
	static const uint8_t short_tlv[] = { 1, 0, 4, 0 }, cut[] = { 9, 0, 5, 0 };
	struct attr_item it;

	(void)state;
	update_rig_start();
	test_bgp_attr_dec_costs(0x80, ATTR_AIGP, good, sizeof(good), BGP_SEV_NONE, 0);
	assert_false(blob_has(0, ATTR_AIGP, &it));
	test_bgp_attr_dec_costs(0xc0, ATTR_AIGP, short_tlv, 4, BGP_SEV_NONE, 0);
	assert_false(blob_has(0, ATTR_AIGP, &it));
	rig.params.aigp = true;
	test_bgp_attr_dec_costs(0x80, ATTR_AIGP, good, sizeof(good), BGP_SEV_NONE, 0);
	assert_true(blob_has(0, ATTR_AIGP, &it));
	test_bgp_attr_dec_costs(
	    0x80, ATTR_AIGP, short_tlv, 4, BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL);
	test_bgp_attr_dec_costs(
	    0x80, ATTR_AIGP, cut, 4, BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL);
	/* RFC 7606, 4: no attribute but AS_PATH and ATOMIC_AGGREGATE may be empty. */
	test_bgp_attr_dec_costs(
	    0x80, ATTR_AIGP, cut, 0, BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL);
	test_bgp_attr_dec_costs(
	    0xc0, ATTR_AIGP, good, sizeof(good), BGP_SEV_ATTR_DISCARD, BGP_EU_FLAGS);
}

/* RFC 8092, 3: repeated values are taken once; the order stays. */
static void
test_large_twice(void **state)
{
	static const uint8_t in[] = { 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0,
		0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0,
		0, 1, 0, 0, 0, 3 };
	struct attr_item it;

	(void)state;
	start_good();
	update_rig_add(0xc0, ATTR_LARGE_COMMUNITY, in, sizeof(in));
	update_rig_add(0xc0, ATTR_OTC, num, 4);
	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
	assert_true(blob_has(0, ATTR_LARGE_COMMUNITY, &it));
	assert_int_equal(it.len, 36);
	assert_memory_equal(it.val, in, 24);
	assert_memory_equal(it.val + 24, in + 36, 12);
	assert_true(blob_has(0, ATTR_OTC, &it));
	assert_memory_equal(it.val, num, 4);
}

/* RFC 7606, 3 g */
static void
test_twice(void **state)
{
	struct attr_item it;

	(void)state;
	start_good();
	update_rig_add(0x80, ATTR_MED, num, 4);
	update_rig_add(0x80, ATTR_MED, "\0\0\0\7", 4);
	assert_int_equal(update_rig_decode(), BGP_SEV_ATTR_DISCARD);
	assert_int_equal(rig.u.discard_cnt, 1);
	assert_true(blob_has(0, ATTR_MED, &it));
	assert_int_equal(get_be32(it.val), 5);
	start_good();
	update_rig_add(0x80, ATTR_MP_UNREACH, "\0\2\1", 3);
	update_rig_add(0x80, ATTR_MP_UNREACH, "\0\2\1", 3);
	assert_int_equal(update_rig_decode(), BGP_SEV_RESET);
	assert_int_equal(rig.u.err.subcode, BGP_EU_ATTR_LIST);
}

/* In any order, and as many as there are codes. */
static void
test_every_code(void **state)
{
	struct attr_item it;
	uint32_t pos = 0;
	unsigned cnt = 0;
	int last = 0;

	(void)state;
	update_rig_start();
	for (unsigned code = 255; code > ATTR_OTC; code--)
		update_rig_add(
		    0xc0, (uint8_t)code, "a long value, of 31 octets in all", 31);
	update_rig_add(0xc0, 0, "", 0);
	update_rig_add(0x40, ATTR_NEXT_HOP, nh, 4);
	update_rig_add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
	update_rig_add(0x40, ATTR_ORIGIN, origin, 1);
	for (unsigned code = 255; code > ATTR_OTC; code--)
		update_rig_add(0xc0, (uint8_t)code, "again", 5);
	wbuf_bytes(&rig.nlri, net, sizeof(net));
	assert_int_equal(update_rig_decode(), BGP_SEV_ATTR_DISCARD);
	assert_int_equal(rig.u.discard_cnt, 255 - ATTR_OTC);
	while (attr_item_next(&it, rig.u.reach[0].blob, rig.u.reach[0].blob_len, &pos)) {
		assert_true(!cnt || it.code > last);
		assert_int_equal(it.len, it.code > ATTR_OTC         ? 31
					 : it.code == ATTR_AS_PATH  ? sizeof(path4)
					 : it.code == ATTR_NEXT_HOP ? 4
								    : it.code);
		last = it.code;
		cnt++;
	}
	assert_int_equal(pos, rig.u.reach[0].blob_len);
	assert_int_equal(cnt, 255 - ATTR_OTC + 4);
}

/* RFC 7606, 3 d */
static void
test_missing(void **state)
{
	(void)state;
	for (unsigned skip = ATTR_ORIGIN; skip <= ATTR_NEXT_HOP; skip++) {
		update_rig_start();
		if (skip != ATTR_ORIGIN)
			update_rig_add(0x40, ATTR_ORIGIN, origin, 1);
		if (skip != ATTR_AS_PATH)
			update_rig_add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
		if (skip != ATTR_NEXT_HOP)
			update_rig_add(0x40, ATTR_NEXT_HOP, nh, 4);
		wbuf_bytes(&rig.nlri, net, sizeof(net));
		assert_int_equal(update_rig_decode(), BGP_SEV_WITHDRAW);
		assert_int_equal(rig.u.err.subcode, BGP_EU_MISSING);
		assert_int_equal(rig.u.err.data[0], skip);
		assert_null(rig.u.reach[0].blob);
	}
}

static void
test_bgp_attr_dec_path_is(const char *want)
{
	struct attr_item it;
	struct strbuf b;

	assert_int_equal(update_rig_decode(), BGP_SEV_NONE);
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
	update_rig_start();
	rig.params.as4 = false;
	update_rig_add(0x40, ATTR_ORIGIN, origin, 1);
	update_rig_add(0x40, ATTR_AS_PATH, path2, sizeof(path2));
	update_rig_add(0x40, ATTR_NEXT_HOP, nh, 4);
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
	test_bgp_attr_dec_path_is("5 23456");
	start_as2();
	update_rig_add(0xc0, ATTR_AS4_PATH, as4, sizeof(as4));
	test_bgp_attr_dec_path_is("5 65537");
	start_as2();
	update_rig_add(0xc0, ATTR_AGGREGATOR, trans, 6);
	update_rig_add(0xc0, ATTR_AS4_PATH, as4, sizeof(as4));
	update_rig_add(0xc0, ATTR_AS4_AGGREGATOR, as4_aggr, 8);
	test_bgp_attr_dec_path_is("5 65537");
	assert_true(blob_has(0, ATTR_AGGREGATOR, &it));
	assert_memory_equal(it.val, as4_aggr, 8);
	start_as2();
	update_rig_add(0xc0, ATTR_AGGREGATOR, other, 6);
	update_rig_add(0xc0, ATTR_AS4_PATH, as4, sizeof(as4));
	update_rig_add(0xc0, ATTR_AS4_AGGREGATOR, as4_aggr, 8);
	test_bgp_attr_dec_path_is("5 23456");
	assert_true(blob_has(0, ATTR_AGGREGATOR, &it));
	assert_memory_equal(it.val, "\0\0\0\7\11\11\11\11", 8);
	start_as2();
	update_rig_add(0xc0, ATTR_AS4_PATH, as4, 5);
	assert_int_equal(update_rig_decode(), BGP_SEV_ATTR_DISCARD);
	start_as2();
	update_rig_add(0xc0, ATTR_AS4_AGGREGATOR, as4_aggr, 7);
	assert_int_equal(update_rig_decode(), BGP_SEV_ATTR_DISCARD);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_damage),
	cmocka_unit_test(test_internal),
	cmocka_unit_test(test_aigp),
	cmocka_unit_test(test_large_twice),
	cmocka_unit_test(test_twice),
	cmocka_unit_test(test_every_code),
	cmocka_unit_test(test_missing),
	cmocka_unit_test(test_as2),
};

UNIT_MAIN(tests)

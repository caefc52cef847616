/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes outwards: what each field of a class changes. */
#include "lib/wire/bgp/bgp_attr_enc.c"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

static const uint8_t origin[] = { 0 }, nh[] = { 192, 0, 2, 1 }, num[] = { 0, 0, 0, 5 };
static const uint8_t path[] = { 2, 2, 0, 0, 0, 5, 0, 1, 0, 1 };
static const uint8_t nh6[32] = { 0x20, 1, 0xd, 0xb8, [16] = 0xfe, [17] = 0x80 };

/* A set with everything that classes treat specially. */
static struct wire_set *
full_set(const uint8_t *next_hop, size_t nh_len)
{
	static const uint8_t aggr[] = { 0, 1, 0, 1, 9, 9, 9, 9 };
	static const uint8_t ec[] = { 0x40, 2, 0, 1, 0, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 1 };
	uint8_t buf[512];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	wire_item(&w, 0x40, ATTR_ORIGIN, origin, 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	if (nh_len)
		wire_item(&w, 0x40, ATTR_NEXT_HOP, next_hop, nh_len);
	wire_item(&w, 0x80, ATTR_MED, num, 4);
	wire_item(&w, 0x40, ATTR_LOCAL_PREF, num, 4);
	wire_item(&w, 0xc0, ATTR_AGGREGATOR, aggr, 8);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, num, 4);
	wire_item(&w, 0x80, ATTR_ORIGINATOR_ID, num, 4);
	wire_item(&w, 0x80, ATTR_CLUSTER_LIST, num, 4);
	wire_item(&w, 0xc0, ATTR_EXT_COMMUNITY, ec, sizeof(ec));
	wire_item(&w, 0x80, ATTR_AIGP, "\1\0\13\0\0\0\0\0\0\0\1", 11);
	wire_item(&w, 0xc0, ATTR_OTC, num, 4);
	wire_item(&w, 0xe0, 99, "xyz", 3);
	wire_item(&w, 0x80, 100, "xyz", 3);
	assert_false(w.bad);
	return wire_new(buf, wbuf_len(&w));
}

/* The attributes of @w for (@c, @fam), found by code. */
struct encoded {
	uint8_t buf[1024];
	int len;
};

static void
test_bgp_attr_enc_encode(struct encoded *e, const struct bgp_class *c, enum family fam,
    const struct wire_set *w)
{
	size_t bound = bgp_attr_bound(w);
	uint8_t *out = malloc(bound);
	struct wbuf o = wbuf_of(out, bound);

	e->len = bgp_attr_encode(c, fam, w, &o);
	assert_true(e->len > 0 && (size_t)e->len <= sizeof(e->buf));
	memcpy(e->buf, out, (size_t)e->len);
	free(out);
}

static bool
test_bgp_attr_enc_find(const struct encoded *e, uint8_t code, struct attr_item *it)
{
	const uint8_t *p = e->buf + 1 + e->buf[0], *end = e->buf + e->len;

	while (p < end) {
		bool ext = p[0] & ATTR_F_EXTLEN;

		*it = (struct attr_item){ p[0], p[1], ext ? get_be16(p + 2) : p[2],
			p + 3 + ext };
		if (it->code == code)
			return true;
		p = it->val + it->len;
	}
	assert_ptr_equal(p, end);
	return false;
}

static void
test_bgp_attr_enc_has(const struct encoded *e, uint8_t code, const void *val, size_t len)
{
	struct attr_item it;

	assert_true(test_bgp_attr_enc_find(e, code, &it));
	assert_int_equal(it.len, len);
	assert_memory_equal(it.val, val, len);
}

static void
has_not(const struct encoded *e, uint8_t code)
{
	struct attr_item it;

	assert_false(test_bgp_attr_enc_find(e, code, &it));
}

/* A route server's client gets what came, but for what is no business of other ASes. */
static void
test_transparent(void **state)
{
	struct wire_set *w = full_set(nh, 4);
	struct bgp_class c;
	struct encoded e;
	struct attr_item it;

	(void)state;
	bgp_class_init(&c);
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	assert_int_equal(e.buf[0], 0);
	test_bgp_attr_enc_has(&e, ATTR_ORIGIN, origin, 1);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, path, sizeof(path));
	test_bgp_attr_enc_has(&e, ATTR_NEXT_HOP, nh, 4);
	test_bgp_attr_enc_has(&e, ATTR_MED, num, 4);
	test_bgp_attr_enc_has(&e, ATTR_COMMUNITY, num, 4);
	test_bgp_attr_enc_has(&e, ATTR_OTC, num, 4);
	test_bgp_attr_enc_has(&e, 99, "xyz", 3);
	assert_true(test_bgp_attr_enc_find(&e, 99, &it));
	assert_int_equal(it.flags, 0xe0);
	assert_true(test_bgp_attr_enc_find(&e, ATTR_EXT_COMMUNITY, &it));
	assert_int_equal(it.len, 16);
	assert_true(test_bgp_attr_enc_find(&e, ATTR_AGGREGATOR, &it));
	assert_int_equal(it.len, 8);
	has_not(&e, ATTR_LOCAL_PREF);
	has_not(&e, ATTR_ORIGINATOR_ID);
	has_not(&e, ATTR_CLUSTER_LIST);
	has_not(&e, ATTR_AIGP);
	has_not(&e, ATTR_AS4_PATH);
	has_not(&e, 100);
	free(w);
}

/* What is mandatory is put in where a route has none, as one from a static protocol. */
static void
test_empty_set(void **state)
{
	struct wire_set *w = wire_new(NULL, 0);
	struct bgp_class c;
	struct encoded e;
	uint8_t buf[256];
	struct wbuf out = wbuf_of(buf, sizeof(buf));

	(void)state;
	bgp_class_init(&c);
	assert_int_equal(bgp_attr_encode(&c, FAM_IP4, w, &out), -EINVAL);
	c.nh4 = ip4(0x01020304);
	c.send_local_pref = 1;
	c.local_pref = 100;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_ORIGIN, "\0", 1);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, "", 0);
	test_bgp_attr_enc_has(&e, ATTR_NEXT_HOP, "\1\2\3\4", 4);
	test_bgp_attr_enc_has(&e, ATTR_LOCAL_PREF, "\0\0\0\144", 4);
	c.prepend_as = 7;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, "\2\1\0\0\0\7", 6);
	free(w);
}

static void
test_ebgp(void **state)
{
	struct wire_set *w = full_set(nh, 4);
	struct bgp_class c;
	struct encoded e;

	(void)state;
	bgp_class_init(&c);
	c.prepend_as = 70000;
	c.next_hop = BGP_NH_SELF;
	c.nh4 = ip4(0x01020304);
	c.send_med = 0;
	c.strip_ec = 1;
	c.otc = 9;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, "\2\3\0\1\x11\x70\0\0\0\5\0\1\0\1", 14);
	test_bgp_attr_enc_has(&e, ATTR_NEXT_HOP, "\1\2\3\4", 4);
	has_not(&e, ATTR_MED);
	test_bgp_attr_enc_has(&e, ATTR_EXT_COMMUNITY, "\0\2\0\1\0\0\0\1", 8);
	test_bgp_attr_enc_has(&e, ATTR_OTC, num, 4);
	free(w);
}

static void
test_ibgp(void **state)
{
	struct wire_set *w = full_set(nh, 4), *empty = wire_new(NULL, 0);
	struct bgp_class c;
	struct encoded e;

	(void)state;
	bgp_class_init(&c);
	c.send_local_pref = c.send_reflect = c.send_aigp = 1;
	c.originator_id = 0x09090909;
	c.cluster_id = 0x08080808;
	c.otc = 3;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_LOCAL_PREF, num, 4);
	test_bgp_attr_enc_has(&e, ATTR_ORIGINATOR_ID, num, 4);
	test_bgp_attr_enc_has(&e, ATTR_CLUSTER_LIST, "\10\10\10\10\0\0\0\5", 8);
	test_bgp_attr_enc_has(&e, ATTR_AIGP, "\1\0\13\0\0\0\0\0\0\0\1", 11);
	c.nh4 = ip4(1);
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, empty);
	test_bgp_attr_enc_has(&e, ATTR_ORIGINATOR_ID, "\11\11\11\11", 4);
	test_bgp_attr_enc_has(&e, ATTR_CLUSTER_LIST, "\10\10\10\10", 4);
	test_bgp_attr_enc_has(&e, ATTR_OTC, "\0\0\0\3", 4);
	c.cluster_id = 0;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_CLUSTER_LIST, num, 4);
	free(empty);
	free(w);
}

/* RFC 6793, 4.2.2 */
static void
test_as2(void **state)
{
	struct wire_set *w = full_set(nh, 4);
	struct bgp_class c;
	struct encoded e;

	(void)state;
	bgp_class_init(&c);
	c.as4 = 0;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, "\2\2\0\5\x5b\xa0", 6);
	test_bgp_attr_enc_has(&e, ATTR_AS4_PATH, path, sizeof(path));
	test_bgp_attr_enc_has(&e, ATTR_AGGREGATOR, "\x5b\xa0\11\11\11\11", 6);
	test_bgp_attr_enc_has(&e, ATTR_AS4_AGGREGATOR, "\0\1\0\1\11\11\11\11", 8);
	c.prepend_as = 3;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, "\2\3\0\3\0\5\x5b\xa0", 8);
	test_bgp_attr_enc_has(&e, ATTR_AS4_PATH, "\2\3\0\0\0\3\0\0\0\5\0\1\0\1", 14);
	free(w);
	w = wire_new("\x40\2\0\6\2\1\0\0\0\5\xc0\7\0\10\0\0\0\5\1\1\1\1", 22);
	c.nh4 = ip4(1);
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	has_not(&e, ATTR_AS4_PATH);
	has_not(&e, ATTR_AS4_AGGREGATOR);
	test_bgp_attr_enc_has(&e, ATTR_AGGREGATOR, "\0\5\1\1\1\1", 6);
	free(w);
}

/* RFC 5065, 5.3; RFC 6793, 4.2.2 */
static void
test_confed(void **state)
{
	struct wire_set *w = wire_new(
	    "\x40\2\0\22\3\1\0\1\0\0\4\1\0\0\0\7\2\1\0\0\0\5", 22);
	struct bgp_class c;
	struct encoded e;

	(void)state;
	bgp_class_init(&c);
	c.nh4 = ip4(1);
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, "\2\1\0\0\0\5", 6);
	c.prepend_as = 9;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, "\2\2\0\0\0\11\0\0\0\5", 10);
	c.confed = c.keep_confed = 1;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(
	    &e, ATTR_AS_PATH, "\3\2\0\0\0\11\0\1\0\0\4\1\0\0\0\7\2\1\0\0\0\5", 22);
	c.as4 = 0;
	test_bgp_attr_enc_encode(&e, &c, FAM_IP4, w);
	test_bgp_attr_enc_has(&e, ATTR_AS_PATH, "\3\2\0\11\x5b\xa0\4\1\0\7\2\1\0\5", 14);
	test_bgp_attr_enc_has(&e, ATTR_AS4_PATH, "\2\1\0\0\0\5", 6);
	free(w);
}

static void
test_long_path(void **state)
{
	uint8_t val[4 + 2 + 4 * 255] = { 0x40, 2, 3, 254, 2, 255 };
	struct wire_set *w = wire_new(val, sizeof(val));
	uint8_t buf[2048];
	struct wbuf out = wbuf_of(buf, sizeof(buf));
	struct bgp_class c;

	(void)state;
	put_be16(val + 2, sizeof(val) - 4);
	free(w);
	w = wire_new(val, sizeof(val));
	bgp_class_init(&c);
	c.nh4 = ip4(1);
	c.prepend_as = 9;
	/* nh_len, ORIGIN, then AS_PATH with a segment more and EXTLEN, then NEXT_HOP */
	assert_int_equal(bgp_attr_encode(&c, FAM_IP4, w, &out), 1 + 4 + 4 + 1022 + 6 + 7);
	assert_int_equal(buf[5], 0x50);
	assert_int_equal(get_be16(buf + 7), 1028);
	assert_memory_equal(buf + 9, "\2\1\0\0\0\11\2\377", 8);
	free(w);
}

static void
nh_is(const struct bgp_class *c, enum family fam, const struct wire_set *w,
    const void *want, size_t len)
{
	struct encoded e;

	test_bgp_attr_enc_encode(&e, c, fam, w);
	assert_int_equal(e.buf[0], len);
	assert_memory_equal(e.buf + 1, want, len);
	has_not(&e, ATTR_NEXT_HOP);
}

static void
test_next_hops(void **state)
{
	static const uint8_t mapped[16] = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 };
	static const uint8_t ll[32] = { [16] = 0xfe, [17] = 0x80, [31] = 9 };
	struct wire_set *v4 = full_set(nh, 4), *v6 = full_set(nh6, 32),
			*none = full_set(NULL, 0), *v6_ll = full_set(ll + 16, 16);
	uint8_t buf[1024], twice[32],
	    self[32] = { 0x20, 2, [16] = 0xfe, [17] = 0x80, [31] = 9 };
	struct wbuf out = wbuf_of(buf, sizeof(buf));
	struct bgp_class c;

	(void)state;
	bgp_class_init(&c);
	nh_is(&c, FAM_IP6, v6, nh6, 32);
	nh_is(&c, FAM_IP6, v4, mapped, 16);
	assert_int_equal(bgp_attr_encode(&c, FAM_IP4, v6, &out), -EINVAL);
	assert_int_equal(bgp_attr_encode(&c, FAM_IP6, none, &out), -EINVAL);
	c.next_hop = BGP_NH_KEEP_GLOBAL;
	nh_is(&c, FAM_IP6, v6, nh6, 16);
	/* RFC 2545, 3: a link-local address alone doesn't leave its link */
	assert_false(bgp_class_has_hop(&c, FAM_IP6, v6_ll));
	c.nh6 = ip_get16(self);
	assert_true(bgp_class_has_hop(&c, FAM_IP6, v6_ll));
	nh_is(&c, FAM_IP6, v6_ll, self, 16);
	c.nh6 = IP_NONE;
	c.mp4 = 1;
	nh_is(&c, FAM_IP4, v4, nh, 4);
	nh_is(&c, FAM_IP4, v6, nh6, 16);
	c.nh6 = ip_get16(self);
	c.nh6_ll = ip_get16(self + 16);
	nh_is(&c, FAM_IP6, none, self, 32);
	nh_is(&c, FAM_IP4, none, self, 32);
	c.nh4 = ip4(0xc0000201);
	nh_is(&c, FAM_IP4, none, nh, 4);
	c.next_hop = BGP_NH_SELF;
	c.nh6_ll = IP_NONE;
	nh_is(&c, FAM_IP6, v6, self, 16);
	/* A link-local address alone stands behind ::, whose ever it is. */
	c.nh6 = IP_NONE;
	c.nh6_ll = ip_get16(ll + 16);
	nh_is(&c, FAM_IP6, v6, ll, 32);
	c.nh4 = IP_NONE;
	nh_is(&c, FAM_IP4, v6, ll, 32); /* MP_REACH */
	c.mp4 = 0;
	assert_int_equal(bgp_attr_encode(&c, FAM_IP4, v6, &out), -EINVAL);
	c.mp4 = 1;
	c.next_hop = BGP_NH_KEEP;
	c.nh6_ll = IP_NONE;
	nh_is(&c, FAM_IP6, v6_ll, ll, 32);
	nh_is(&c, FAM_IP4, v6_ll, ll, 32);
	/* or in another form */
	memcpy(twice, ll + 16, 16);
	memcpy(twice + 16, ll + 16, 16);
	c.ll_form = BGP_LL_SINGLE;
	nh_is(&c, FAM_IP6, v6_ll, twice, 16);
	nh_is(&c, FAM_IP6, v6, nh6, 32);
	c.ll_form = BGP_LL_DOUBLE;
	nh_is(&c, FAM_IP6, v6_ll, twice, 32);
	c.next_hop = BGP_NH_SELF;
	c.nh6_ll = ip_get16(ll + 16);
	nh_is(&c, FAM_IP6, v6, twice, 32);
	c.ll_form = BGP_LL_SINGLE;
	nh_is(&c, FAM_IP6, v6, twice, 16);
	free(v6_ll);
	free(v4);
	free(v6);
	free(none);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_transparent),
	cmocka_unit_test(test_empty_set),
	cmocka_unit_test(test_ebgp),
	cmocka_unit_test(test_ibgp),
	cmocka_unit_test(test_as2),
	cmocka_unit_test(test_confed),
	cmocka_unit_test(test_long_path),
	cmocka_unit_test(test_next_hops),
};

UNIT_MAIN(tests)

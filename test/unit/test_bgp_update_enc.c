/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATE outwards: how NLRI are packed into messages, and buffers that are too small. */
#include "lib/wire/bgp/bgp_update_enc.c"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

static const uint8_t nh[] = { 192, 0, 2, 1 };
static const uint8_t nh6[16] = { 0x20, 1, 0xd, 0xb8 };

/* A set of what every route has. */
static struct wire_set *
small_set(const uint8_t *next_hop, size_t nh_len)
{
	static const uint8_t origin[] = { 0 };
	static const uint8_t path[] = { 2, 2, 0, 0, 0, 5, 0, 1, 0, 1 };
	uint8_t buf[128];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	wire_item(&w, 0x40, ATTR_ORIGIN, origin, 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, next_hop, nh_len);
	return wire_new(buf, wbuf_len(&w));
}

/* Read all messages of @out back: their NLRI are @nlri, in order. */
static unsigned
test_bgp_update_enc_read_back(const struct bgp_class *c, enum family fam,
    const struct wbuf *out, bool withdraw, const uint8_t *nlri, size_t len)
{
	struct bgp_params p = {
		.fam = 3, .as4 = c->as4, .ext_msg = true, .ids = c->ids ? 3 : 0
	};
	static uint8_t blob[BGP_BLOB_CAP(BGP_MSG_EXT_MAX)];
	const uint8_t *pos = out->start;
	unsigned cnt = 0;

	for (; pos < out->pos; cnt++) {
		struct bgp_update u;
		struct bgp_msg m;
		struct bgp_err err;
		const struct bgp_nlri *n = withdraw ? &u.unreach[0].nlri
						    : &u.reach[0].nlri;

		assert_int_equal(
		    bgp_msg_frame(pos, (size_t)(out->pos - pos), c->msg_max, &m, &err),
		    BGP_FRAME_DONE);
		assert_int_equal(
		    bgp_update_decode(&p, m.body, m.body_len, &u, blob, sizeof(blob)),
		    BGP_SEV_NONE);
		assert_int_equal(u.reach_cnt, !withdraw);
		assert_int_equal(u.unreach_cnt, withdraw);
		assert_int_equal(withdraw ? u.unreach[0].fam : u.reach[0].fam, fam);
		assert_true(n->len <= len);
		assert_memory_equal(n->p, nlri, n->len);
		nlri += n->len;
		len -= n->len;
		pos += m.len;
	}
	assert_int_equal(len, 0);
	return cnt;
}

static size_t
test_bgp_update_enc_make_nlri(uint8_t *p, enum family fam, bool ids, unsigned cnt)
{
	size_t len = 0;

	for (unsigned i = 0; i < cnt; i++) {
		struct prefix net = prefix_make(
		    fam == FAM_IP4 ? ip4(0x0a000000 + (i << 8))
				   : (struct ip_addr){ 0x20010db800000000ull + i, 0 },
		    fam == FAM_IP4 ? 24 - i % 9 : 64 - i % 33, fam);

		if (ids) {
			put_be32(p + len, i * 0x01000193);
			len += NLRI_ID_LEN;
		}
		len += prefix_put(p + len, &net);
	}
	return len;
}

static void
pack_all(struct bgp_class *c, enum family fam, bool withdraw, unsigned cnt)
{
	static uint8_t nlri[300000], out[1000000];
	struct wire_set *w = withdraw ? NULL
				      : small_set(fam == FAM_IP4 ? nh : nh6,
					    fam == FAM_IP4 ? 4 : 16);
	size_t len = test_bgp_update_enc_make_nlri(nlri, fam, c->ids, cnt);
	size_t bound = bgp_update_build_bound(c, fam, w, len);
	struct wbuf o = wbuf_of(out, bound);
	unsigned min;
	int msgs;

	assert_true(bound <= sizeof(out));
	msgs = bgp_update_build(c, fam, w, nlri, len, &o);
	assert_true(msgs > 0);
	assert_int_equal(
	    test_bgp_update_enc_read_back(c, fam, &o, withdraw, nlri, len), msgs);
	min = (unsigned)((len + c->msg_max - 1) / c->msg_max);
	assert_in_range(msgs, min, min + min / 10 + 1);
	free(w);
}

static void
test_pack(void **state)
{
	static const unsigned cnt[] = { 1, 2, 500, 1000, 1013, 1100, 20000 };
	struct bgp_class c;

	(void)state;
	for (unsigned bits = 0; bits < 32; bits++)
		for (unsigned i = 0; i < ARRAY_LEN(cnt); i++) {
			bgp_class_init(&c);
			c.ids = bits >> 4;
			c.mp4 = bits & 1;
			c.msg_max = bits & 2 ? BGP_MSG_EXT_MAX : BGP_MSG_MAX;
			pack_all(&c, bits & 4 ? FAM_IP6 : FAM_IP4, bits & 8, cnt[i]);
		}
}

/* Attributes of nearly a whole message: each prefix goes alone, then none fits. */
static void
test_no_room(void **state)
{
	static uint8_t enc[4096], out[100000], nlri[64];
	size_t len = test_bgp_update_enc_make_nlri(nlri, FAM_IP4, false, 3);
	struct bgp_class c;

	(void)state;
	bgp_class_init(&c);
	for (size_t room = 0; room < 20; room++) {
		struct wbuf o = wbuf_of(out, sizeof(out));
		size_t enc_len = BGP_MSG_MAX - 23 - room + 1;
		int n = bgp_update_pack(&c,
		    &(struct bgp_update_parts){ FAM_IP4, enc, enc_len, nlri, len }, &o);

		if (room < 4) {
			assert_int_equal(n, -EMSGSIZE);
			assert_int_equal(wbuf_len(&o), 0);
			continue;
		}
		assert_int_equal(n, room < 8 ? 3 : room < 12 ? 2 : 1);
		assert_true(wbuf_len(&o) <= bgp_update_bound(&c, FAM_IP4, enc_len, len));
	}
}

static void
test_small_out(void **state)
{
	struct wire_set *w = small_set(nh, 4);
	static uint8_t nlri[64];
	size_t len = test_bgp_update_enc_make_nlri(nlri, FAM_IP4, false, 3);
	struct bgp_class c;

	(void)state;
	bgp_class_init(&c);
	for (size_t cap = 0; cap < 600; cap++) {
		uint8_t *out = malloc(cap ? cap : 1);
		struct wbuf o = wbuf_of(out, cap);
		int n = bgp_update_build(&c, FAM_IP4, w, nlri, len, &o);

		assert_true(n == 1 || n == -ENOBUFS);
		assert_int_equal(o.bad, n < 0);
		if (cap >= bgp_update_build_bound(&c, FAM_IP4, w, len))
			assert_int_equal(n, 1);
		free(out);
	}
	free(w);
}

static void
test_eor(void **state)
{
	static const uint8_t want4[] = { 0, 23, 2, 0, 0, 0, 0 };
	static const uint8_t want6[] = { 0, 29, 2, 0, 0, 0, 6, 0x80, 15, 3, 0, 2, 1 };
	uint8_t buf[BGP_EOR_MAX];
	struct wbuf out = wbuf_of(buf, sizeof(buf));
	struct bgp_class c;

	(void)state;
	bgp_class_init(&c);
	bgp_eor_put(&out, FAM_IP4);
	assert_int_equal(wbuf_len(&out), 16 + sizeof(want4));
	assert_memory_equal(buf + 16, want4, sizeof(want4));
	out = wbuf_of(buf, sizeof(buf));
	bgp_eor_put(&out, FAM_IP6);
	assert_int_equal(wbuf_len(&out), 16 + sizeof(want6));
	assert_memory_equal(buf + 16, want6, sizeof(want6));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_pack),
	cmocka_unit_test(test_no_room),
	cmocka_unit_test(test_small_out),
	cmocka_unit_test(test_eor),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decode(encode(x)) = x for random attribute sets, NLRI and OPENs, over all kinds of
 * sessions that keep what they are given; and random damage gives findings, never
 * anything that isn't well formed. */
#include "lib/attr/as_path.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include "test/lib/wire.h"
#include <errno.h>

#define PAD 16

static uint8_t set_buf[8000], nlri_buf[20000], out_buf[400000];
static uint8_t blob[BGP_BLOB_CAP(BGP_MSG_EXT_MAX)];

static void
random_bytes(struct seed *s, uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)seed_u64(s);
}

/* A path of sequences and sets without AS 0; sequences next to each other only if full.
 */
static uint32_t
random_path(struct seed *s, uint8_t *p)
{
	static const uint32_t below[] = { 10, 65536, 70000, UINT32_MAX };
	unsigned segs = seed_below(s, 4);
	uint8_t *to = p, type = AS_SEQUENCE;

	for (unsigned i = 0; i < segs; i++) {
		unsigned cnt = seed_chance(s, 30) ? 255 : 1 + seed_below(s, 6);

		*to++ = type;
		*to++ = (uint8_t)cnt;
		for (unsigned k = 0; k < cnt; k++, to += 4)
			put_be32(to, 1 + seed_below(s, below[seed_below(s, 4)] - 1));
		type = type == AS_SEQUENCE && cnt < 255 ? AS_SET : AS_SEQUENCE;
	}
	return (uint32_t)(to - p);
}

static void
random_list(struct seed *s, struct wbuf *w, uint8_t code, unsigned size)
{
	uint8_t val[12 * 40];
	size_t len = size * (1 + seed_below(s, seed_chance(s, 10) ? 40 : 4));

	if (seed_chance(s, 2))
		return;
	random_bytes(s, val, len);
	wire_item(w, seed_chance(s, 3) ? 0xe0 : 0xc0, code, val, len);
}

/* A set that a session may have got. Returns: its length. */
static size_t
prop_codec_random_set(struct seed *s, enum family fam, bool ibgp)
{
	struct wbuf w = wbuf_of(set_buf, sizeof(set_buf));
	uint8_t val[4096];

	val[0] = (uint8_t)seed_below(s, 3);
	wire_item(&w, 0x40, ATTR_ORIGIN, val, 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, val, random_path(s, val));
	random_bytes(s, val, 64);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, val,
	    fam == FAM_IP4      ? 4
	    : seed_chance(s, 2) ? 32
				: 16);
	if (seed_chance(s, 2))
		wire_item(&w, 0x80, ATTR_MED, val, 4);
	if (ibgp)
		wire_item(&w, 0x40, ATTR_LOCAL_PREF, val, 4);
	if (seed_chance(s, 4))
		wire_item(&w, 0x40, ATTR_ATOMIC_AGGR, NULL, 0);
	put_be32(val, 1 + seed_below(s, seed_chance(s, 2) ? 65535 : UINT32_MAX - 1));
	if (seed_chance(s, 3))
		wire_item(&w, 0xc0, ATTR_AGGREGATOR, val, 8);
	random_list(s, &w, ATTR_COMMUNITY, 4);
	if (ibgp && seed_chance(s, 2))
		wire_item(&w, 0x80, ATTR_CLUSTER_LIST, val, 8);
	random_list(s, &w, ATTR_EXT_COMMUNITY, 8);
	random_list(s, &w, ATTR_LARGE_COMMUNITY, 12);
	if (seed_chance(s, 4))
		wire_item(&w, 0xc0, ATTR_OTC, val, 4);
	if (seed_chance(s, 3))
		wire_item(&w, 0xe0, (uint8_t)(100 + seed_below(s, 155)), val,
		    seed_below(s, 64));
	assert_false(w.bad);
	return wbuf_len(&w);
}

static size_t
random_nlri(struct seed *s, enum family fam)
{
	unsigned cnt = 1 + seed_below(s, seed_chance(s, 5) ? 2000 : 20);
	size_t len = 0;

	for (unsigned i = 0; i < cnt; i++) {
		unsigned bits = seed_below(s, fam == FAM_IP4 ? 33 : 65);

		nlri_buf[len++] = (uint8_t)bits;
		random_bytes(s, nlri_buf + len, (bits + 7) / 8);
		len += (bits + 7) / 8;
	}
	return len;
}

/* Items in ascending order, nothing behind them. */
static void
assert_canonical(const uint8_t *p, uint32_t len)
{
	struct attr_item it;
	uint32_t pos = 0;
	int last = -1;

	while (attr_item_next(&it, p, len, &pos)) {
		assert_true(it.code > last);
		assert_false(it.flags & (ATTR_F_EXTLEN | 0x0f));
		last = it.code;
	}
	assert_int_equal(pos, len);
}

/* Everything in @out is what @set and @nlri say. */
static void
check_messages(const struct bgp_params *p, const struct wbuf *out,
    const struct wire_set *set, size_t nlri_len, bool withdraw)
{
	unsigned msg_max = p->ext_msg ? BGP_MSG_EXT_MAX : BGP_MSG_MAX;
	const uint8_t *nlri = nlri_buf;

	for (const uint8_t *pos = out->start; pos < out->pos;) {
		struct bgp_update u;
		struct bgp_msg m;
		struct bgp_err err;
		const struct bgp_nlri *n = withdraw ? &u.unreach[0].nlri
						    : &u.reach[0].nlri;

		assert_int_equal(
		    bgp_msg_frame(pos, (size_t)(out->pos - pos), msg_max, &m, &err),
		    BGP_FRAME_DONE);
		assert_int_equal(
		    bgp_update_decode(p, m.body, m.body_len, &u, blob, sizeof(blob)),
		    BGP_SEV_NONE);
		assert_int_equal(u.reach_cnt + u.unreach_cnt, 1);
		assert_int_equal(u.eor, 0);
		assert_memory_equal(n->p, nlri, n->len);
		nlri += n->len;
		pos += m.len;
		if (withdraw)
			continue;
		assert_int_equal(u.reach[0].blob_len, set->len);
		assert_memory_equal(u.reach[0].blob, set->data, set->len);
	}
	assert_ptr_equal(nlri, nlri_buf + nlri_len);
}

static void
test_update(void **state)
{
	struct seed s = seed_start("prop_codec update");

	(void)state;
	for (unsigned i = 0, n = seed_rounds(8000); i < n; i++) {
		enum family fam = seed_below(&s, 2);
		bool ibgp = seed_chance(&s, 2), withdraw = seed_chance(&s, 8);
		struct bgp_params p = {
			.fam = 3, .as4 = !seed_chance(&s, 3), .ibgp = ibgp
		};
		struct wire_set *set = wire_new(
		    set_buf, prop_codec_random_set(&s, fam, ibgp));
		size_t nlri_len = random_nlri(&s, fam), bound;
		struct bgp_class c;
		struct wbuf out;
		int cnt;

		p.ext_msg = seed_chance(&s, 2);
		bgp_class_init(&c);
		c.as4 = p.as4;
		c.mp4 = seed_chance(&s, 2);
		c.msg_max = p.ext_msg ? BGP_MSG_EXT_MAX : BGP_MSG_MAX;
		c.send_local_pref = c.send_reflect = ibgp;
		bound = bgp_update_build_bound(&c, fam, withdraw ? NULL : set, nlri_len);
		out = wbuf_of(out_buf, bound < sizeof(out_buf) ? bound : sizeof(out_buf));
		cnt = bgp_update_build(
		    &c, fam, withdraw ? NULL : set, nlri_buf, nlri_len, &out);
		if (cnt > 0)
			check_messages(&p, &out, set, nlri_len, withdraw);
		else
			assert_true(!p.ext_msg && cnt == -EMSGSIZE && set->len > 2500);
		free(set);
	}
}

/* A good message with some octets changed: the findings may be any, what is given out is
 * sound. */
static void
test_damage(void **state)
{
	struct seed s = seed_start("prop_codec damage");
	unsigned seen[BGP_SEV_RESET + 1] = { 0 };

	(void)state;
	for (unsigned i = 0, n = seed_rounds(20000); i < n; i++) {
		enum family fam = seed_below(&s, 2);
		struct bgp_params p = { .fam = 3, .as4 = !seed_chance(&s, 3) };
		struct wire_set *set = wire_new(
		    set_buf, prop_codec_random_set(&s, fam, false));
		struct wbuf out = wbuf_of(out_buf, sizeof(out_buf));
		struct bgp_update u;
		struct bgp_class c;
		size_t nlri_len = random_nlri(&s, fam), len;
		uint8_t *body;

		bgp_class_init(&c);
		c.as4 = p.as4;
		c.msg_max = BGP_MSG_EXT_MAX;
		assert_true(bgp_update_build(&c, fam, set, nlri_buf, nlri_len, &out) > 0);
		len = get_be16(out_buf + 16) - BGP_HDR_LEN;
		body = malloc(len + PAD);
		memcpy(body, out_buf + BGP_HDR_LEN, len);
		memset(body + len, 0, PAD);
		for (unsigned k = 1 + seed_below(&s, 3); k; k--)
			body[seed_below(&s, len < 60 ? (uint32_t)len : 60)] = (uint8_t)
			    seed_u64(&s);
		seen[bgp_update_decode(&p, body, len, &u, blob, sizeof(blob))]++;
		if (u.err.severity < BGP_SEV_RESET)
			for (unsigned k = 0; k < u.reach_cnt; k++) {
				const struct bgp_reach *r = &u.reach[k];

				assert_int_equal(
				    nlri_check(r->fam, r->nlri.p, r->nlri.len),
				    r->nlri.cnt);
				if (u.err.severity < BGP_SEV_WITHDRAW)
					assert_canonical(r->blob, r->blob_len);
				else
					assert_null(r->blob);
			}
		free(body);
		free(set);
	}
	assert_true(seen[BGP_SEV_NONE] && seen[BGP_SEV_WITHDRAW] && seen[BGP_SEV_RESET]);
}

static void
test_open(void **state)
{
	struct seed s = seed_start("prop_codec open");

	(void)state;
	for (unsigned i = 0, n = seed_rounds(2000); i < n; i++) {
		uint64_t r = seed_u64(&s);
		struct bgp_open in, out;
		uint8_t buf[BGP_OPEN_MAX];
		struct wbuf w = wbuf_of(buf, sizeof(buf));

		memset(&in, 0, sizeof(in));
		bgp_caps_init(&in.caps);
		in.hold_time = (uint16_t)(seed_chance(&s, 4) ? 0
							     : 3 + seed_below(&s, 65533));
		in.router_id = 1 + seed_below(&s, UINT32_MAX);
		in.caps.as4 = r & 1;
		in.as = 1 + seed_below(&s, in.caps.as4 ? UINT32_MAX : 65535);
		in.caps.as = in.caps.as4 ? in.as : 0;
		in.caps.fam = r >> 1 & 3;
		in.caps.mp = in.caps.fam;
		in.caps.refresh = r >> 3 & 1;
		in.caps.enh_refresh = r >> 4 & 1;
		in.caps.ext_msg = r >> 5 & 1;
		in.caps.ext_next_hop = r >> 6 & 1;
		in.caps.role = r >> 7 & 1 ? (uint8_t)seed_below(&s, 5) : BGP_ROLE_NONE;
		if (r >> 8 & 1) {
			in.caps.gr.on = true;
			in.caps.gr.time = (uint16_t)seed_below(&s, 4096);
			in.caps.gr.restarting = r >> 9 & 1;
			in.caps.gr.notify = r >> 10 & 1;
			in.caps.gr.fam = r >> 11 & 3;
			in.caps.gr.forward = in.caps.gr.fam & (r >> 13 & 3);
		}
		in.caps.llgr.on = r >> 15 & 1;
		for (unsigned f = 0; in.caps.llgr.on && f < FAM_CNT; f++)
			if (r >> (16 + f) & 1) {
				in.caps.llgr.fam |= FAM_BIT(f);
				in.caps.llgr.time[f] = seed_below(&s, 1u << 24);
				in.caps.llgr.forward |= r >> 20 & FAM_BIT(f);
			}
		bgp_open_encode(&w, &in, true);
		assert_int_equal(
		    bgp_open_decode(buf + BGP_HDR_LEN, wbuf_len(&w) - BGP_HDR_LEN, &out)
			.severity,
		    BGP_SEV_NONE);
		in.caps.present = out.caps.present;
		assert_memory_equal(&in, &out, sizeof(in));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_update),
	cmocka_unit_test(test_damage),
	cmocka_unit_test(test_open),
};

UNIT_MAIN(tests)

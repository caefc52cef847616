/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATE, outwards: encoded attributes and stored NLRI become messages, by copying.
 * classic header | withdrawn len | withdrawn | attributes len | attributes | NLRI MP the
 *   NLRI stand in MP_REACH or MP_UNREACH, which is the first attribute (RFC
 * 7606, 5.1)
 *
 * Every message announces or withdraws, never both (RFC 7606, 5.1), so it can be shared
 * and dropped apart. All but the last are as full as whole prefixes allow.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_update_enc.h"

#include "lib/attr/attr_def.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include <errno.h>

#define MP_HDR_LEN       4 /* flags, code, length of 2 octets */
#define MP_REACH_FIXED   5 /* AFI, SAFI, length of next hop, reserved */
#define MP_UNREACH_FIXED 3
#define LENS_LEN         4 /* of withdrawn routes and of attributes */

/* How every message of one run is made. */
struct shape {
	enum family fam;
	bool mp, withdraw;
	const uint8_t *nh, *attrs;
	size_t nh_len, attrs_len;
	size_t overhead; /* octets of a message besides its NLRI */
};

static bool
enc_use_mp(const struct bgp_class *c, enum family fam)
{
	return fam != FAM_IP4 || c->mp4;
}

static size_t
enc_overhead_of(bool mp, bool withdraw, size_t nh_len, size_t attrs_len)
{
	size_t len = BGP_HDR_LEN + LENS_LEN + attrs_len;

	if (mp)
		len += MP_HDR_LEN +
		       (withdraw ? MP_UNREACH_FIXED : MP_REACH_FIXED + nh_len);
	return len;
}

size_t
bgp_update_bound(
    const struct bgp_class *c, enum family fam, size_t enc_len, size_t nlri_len)
{
	/* The next hop is a part of @enc_len. */
	size_t over = enc_overhead_of(enc_use_mp(c, fam), false, 0, enc_len);
	size_t longest = prefix_wire_len(family_bits(fam)) + (c->ids ? NLRI_ID_LEN : 0);
	size_t msgs = nlri_len;

	if (over + 2 * longest <= c->msg_max)
		msgs = nlri_len / (c->msg_max - over - longest + 1) + 1;
	return nlri_len + msgs * over;
}

static void
enc_put_mp_head(struct wbuf *out, const struct shape *s, size_t nlri_len)
{
	uint8_t code = s->withdraw ? ATTR_MP_UNREACH : ATTR_MP_REACH;
	size_t len = nlri_len +
		     (s->withdraw ? MP_UNREACH_FIXED : MP_REACH_FIXED + s->nh_len);

	if (len > UINT8_MAX) {
		wbuf_u8(out, ATTR_F_OPTIONAL | ATTR_F_EXTLEN);
		wbuf_u8(out, code);
		wbuf_u16(out, (uint16_t)len);
	} else {
		wbuf_u8(out, ATTR_F_OPTIONAL);
		wbuf_u8(out, code);
		wbuf_u8(out, (uint8_t)len);
	}
	wbuf_u16(out, family_afi(s->fam));
	wbuf_u8(out, family_safi(s->fam));
	if (s->withdraw)
		return;
	wbuf_u8(out, (uint8_t)s->nh_len);
	wbuf_bytes(out, s->nh, s->nh_len);
	wbuf_u8(out, 0);
}

static void
enc_put_mp(struct wbuf *out, const struct shape *s, const uint8_t *nlri, size_t len)
{
	uint8_t *attrs_len;

	wbuf_u16(out, 0);
	attrs_len = wbuf_skip(out, 2);
	enc_put_mp_head(out, s, len);
	wbuf_bytes(out, nlri, len);
	wbuf_bytes(out, s->attrs, s->attrs_len);
	if (attrs_len)
		put_be16(attrs_len, (uint16_t)(out->pos - attrs_len - 2));
}

static void
enc_put_message(struct wbuf *out, const struct shape *s, const uint8_t *nlri, size_t len)
{
	uint8_t *start = bgp_msg_start(out, BGP_UPDATE);

	if (s->mp) {
		enc_put_mp(out, s, nlri, len);
	} else if (s->withdraw) {
		wbuf_u16(out, (uint16_t)len);
		wbuf_bytes(out, nlri, len);
		wbuf_u16(out, 0);
	} else {
		wbuf_u16(out, 0);
		wbuf_u16(out, (uint16_t)s->attrs_len);
		wbuf_bytes(out, s->attrs, s->attrs_len);
		wbuf_bytes(out, nlri, len);
	}
	bgp_msg_finish(out, start);
}

int
bgp_update_pack(
    const struct bgp_class *c, const struct bgp_update_parts *u, struct wbuf *out)
{
	struct shape s = {
		.fam = u->fam, .mp = enc_use_mp(c, u->fam), .withdraw = !u->enc
	};
	const uint8_t *nlri = u->nlri;
	uint8_t *undo = out->pos;
	size_t room, left = u->nlri_len;
	int cnt = 0;

	if (u->enc) {
		s.nh_len = u->enc[0];
		s.nh = u->enc + 1;
		s.attrs = u->enc + 1 + s.nh_len;
		s.attrs_len = u->enc_len - 1 - s.nh_len;
	}
	s.overhead = enc_overhead_of(s.mp, s.withdraw, s.nh_len, s.attrs_len);
	room = s.overhead < c->msg_max ? c->msg_max - s.overhead : 0;
	for (size_t n; left; nlri += n, left -= n, cnt++) {
		n = c->ids ? nlri_fit_ids(nlri, left, room)
			   : nlri_fit(u->fam, nlri, left, room);
		if (!n) {
			out->pos = undo;
			return -EMSGSIZE;
		}
		enc_put_message(out, &s, nlri, n);
		if (out->bad)
			return -ENOBUFS;
	}
	return cnt;
}

/* As bgp_attr_bound, tighter where there is no AS4_PATH. */
static size_t
enc_bound(const struct bgp_class *c, const struct wire_set *w)
{
	return !w ? 0 : c->as4 ? w->len + 192u : bgp_attr_bound(w);
}

size_t
bgp_update_build_bound(
    const struct bgp_class *c, enum family fam, const struct wire_set *w, size_t nlri_len)
{
	size_t enc = enc_bound(c, w);

	return bgp_update_bound(c, fam, enc, nlri_len) + enc;
}

int
bgp_update_build(const struct bgp_class *c, enum family fam, const struct wire_set *w,
    const uint8_t *nlri, size_t nlri_len, struct wbuf *out)
{
	size_t bound = enc_bound(c, w);
	struct bgp_update_parts u = { .fam = fam, .nlri = nlri, .nlri_len = nlri_len };
	struct wbuf enc, msgs = *out;
	int len, cnt;

	if (!w)
		return bgp_update_pack(c, &u, out);
	if (wbuf_room(out) < bound) {
		out->bad = true;
		return -ENOBUFS;
	}
	/* The attributes are made at the far end of the buffer and copied into each
	 * message. */
	msgs.end -= bound;
	enc = wbuf_of(msgs.end, bound);
	len = bgp_attr_encode(c, fam, w, &enc);
	if (len < 0)
		return len;
	u.enc = enc.start;
	u.enc_len = (size_t)len;
	cnt = bgp_update_pack(c, &u, &msgs);
	out->pos = msgs.pos;
	out->bad = msgs.bad;
	return cnt;
}

void
bgp_eor_put(struct wbuf *out, enum family fam)
{
	/* RFC 4724, 2: that of IPv4 is empty, whatever form routes have */
	struct shape s = { .fam = fam, .mp = fam != FAM_IP4, .withdraw = true };

	enc_put_message(out, &s, NULL, 0);
}

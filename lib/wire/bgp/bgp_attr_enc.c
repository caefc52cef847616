/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding of path attributes: a set's canonical octets, changed for a class of sessions.
 *
 * Each attribute that a class may change or add has a function in a table by code. Before
 * the walk over the set's items the encoder computes three masks of codes: items that are
 * copied unchanged, items that are dropped, and attributes that are due even if the set
 * lacks the attribute. Only due attributes cost a function call. A set for a transparent
 * session with 4-octet AS numbers is therefore little more than a copy.
 *
 * I1  Attributes are written in ascending order of code, each once: due attributes of
 *     lower codes are written before an item.
 * I2  The encoder reads no property of a session but the class, so all sessions of a
 *     class send equal octets.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_update_enc.h"

#include "lib/attr/as_path.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/octets.h"
#include "lib/wire/wbuf.h"
#include <errno.h>

#define SHORT_HDR_LEN 3
#define SHORT_MAX     255
#define SEG_CNT_MAX   255
#define VALUE_MAX_LEN 65535

/* lives: one bgp_attr_encode. */
struct enc {
	const struct bgp_class *c;
	const struct wire_set *w;
	struct wbuf *out;
	uint64_t copied; /* codes of items that are copied unchanged */
	uint64_t dropped; /* codes of items that are not sent */
	uint64_t due; /* codes whose function has yet to be called, item or not */
	bool classic; /* IPv4 NLRI of the message's own field: NEXT_HOP goes out */
	bool too_long; /* a value grew beyond VALUE_MAX_LEN */
	const uint8_t *as4_aggr; /* the AGGREGATOR whose AS number exceeds 2 octets */
	uint8_t nh_len;
	uint8_t nh[32];
};

#define BIT(code) (1ull << (code)) /* of a code below 64 */

typedef void (*attr_put)(struct enc *e, const struct attr_item *it);

static inline void
enc_put_attr(struct enc *e, uint8_t flags, uint8_t code, const void *val, uint32_t len)
{
	uint8_t *p = wbuf_skip(e->out, SHORT_HDR_LEN + (len > SHORT_MAX) + len);

	if (!p)
		return;
	p[1] = code;
	if (len > SHORT_MAX) {
		p[0] = flags | ATTR_F_EXTLEN;
		put_be16(p + 2, (uint16_t)len);
		p += SHORT_HDR_LEN + 1;
	} else {
		p[0] = flags;
		p[2] = (uint8_t)len;
		p += SHORT_HDR_LEN;
	}
	octets_copy(p, val, len);
}

static void
enc_put_u32(struct enc *e, uint8_t code, uint32_t v)
{
	uint8_t val[4];

	put_be32(val, v);
	enc_put_attr(e, attr_flags(code), code, val, sizeof(val));
}

static inline void
enc_put_copy(struct enc *e, const struct attr_item *it)
{
	enc_put_attr(e, it->flags, it->code, it->val, it->len);
}

/* enc_start_attr - begin an attribute; enc_finish_attr fills in the length after the
 * value. */
static uint8_t *
enc_start_attr(struct enc *e)
{
	return wbuf_skip(e->out, SHORT_HDR_LEN);
}

static void
enc_finish_attr(struct enc *e, uint8_t *p, uint8_t flags, uint8_t code)
{
	size_t len;

	if (!p || e->out->bad)
		return;
	len = (size_t)(e->out->pos - p) - SHORT_HDR_LEN;
	if (len > VALUE_MAX_LEN) {
		e->too_long = true;
		return;
	}
	p[0] = flags;
	p[1] = code;
	p[2] = (uint8_t)len;
	if (len <= SHORT_MAX)
		return;
	if (!wbuf_skip(e->out, 1))
		return;
	memmove(p + SHORT_HDR_LEN + 1, p + SHORT_HDR_LEN, len);
	p[0] |= ATTR_F_EXTLEN;
	put_be16(p + 2, (uint16_t)len);
}

/* ORIGIN is mandatory; a route without ORIGIN is local (a static route). */
static void
bgp_attr_enc_put_origin(struct enc *e, const struct attr_item *it)
{
	static const uint8_t igp = ORIGIN_IGP;

	(void)it; /* else it would have been copied */
	enc_put_attr(e, ATTR_F_TRANSITIVE, ATTR_ORIGIN, &igp, 1);
}

static bool
bgp_attr_enc_is_confed(uint8_t type)
{
	return type == AS_CONFED_SEQUENCE || type == AS_CONFED_SET;
}

static bool
enc_has_confed(const uint8_t *p, uint32_t len)
{
	for (uint32_t pos = 0; pos + 2 <= len; pos += 2u + 4u * p[pos + 1])
		if (bgp_attr_enc_is_confed(p[pos]))
			return true;
	return false;
}

static void
enc_put_as(struct enc *e, unsigned as_size, uint32_t as)
{
	if (as_size == 4) {
		wbuf_u32(e->out, as);
	} else if (as > UINT16_MAX) {
		e->due |= BIT(ATTR_AS4_PATH);
		wbuf_u16(e->out, AS_TRANS);
	} else {
		wbuf_u16(e->out, (uint16_t)as);
	}
}

/* The value of AS_PATH or AS4_PATH: @strip confederation segments, put @as first if it
 * isn't 0. */
static void
enc_put_path_value(struct enc *e, const uint8_t *p, uint32_t len, unsigned as_size,
    bool strip, uint32_t as)
{
	uint8_t type = e->c->confed ? AS_CONFED_SEQUENCE : AS_SEQUENCE;

	while (len && strip && bgp_attr_enc_is_confed(p[0])) {
		uint32_t step = 2u + 4u * p[1];

		p += step;
		len -= step;
	}
	if (as && !(len && p[0] == type && p[1] < SEG_CNT_MAX)) {
		wbuf_u8(e->out, type);
		wbuf_u8(e->out, 1);
		enc_put_as(e, as_size, as);
		as = 0;
	}
	while (len) {
		unsigned cnt = p[1];

		if (!(strip && bgp_attr_enc_is_confed(p[0]))) {
			wbuf_u8(e->out, p[0]);
			wbuf_u8(e->out, (uint8_t)(cnt + (as != 0)));
			if (as)
				enc_put_as(e, as_size, as);
			as = 0;
			for (unsigned i = 0; i < cnt; i++)
				enc_put_as(e, as_size, get_be32(p + 2 + 4 * i));
		}
		len -= 2 + 4 * cnt;
		p += 2 + 4 * cnt;
	}
}

/* AS_PATH is mandatory; it may be empty. */
static void
bgp_attr_enc_put_path(struct enc *e, const struct attr_item *it)
{
	const struct bgp_class *c = e->c;
	const uint8_t *val = it ? it->val : NULL;
	uint32_t len = it ? it->len : 0;
	bool strip = !c->keep_confed && len && enc_has_confed(val, len);
	uint8_t *p;

	if (c->as4 && !c->prepend_as && !strip) {
		enc_put_attr(e, ATTR_F_TRANSITIVE, ATTR_AS_PATH, val, len);
		return;
	}
	p = enc_start_attr(e);
	enc_put_path_value(e, val, len, c->as4 ? 4 : 2, strip, c->prepend_as);
	enc_finish_attr(e, p, ATTR_F_TRANSITIVE, ATTR_AS_PATH);
}

/* enc_put_as4_path - RFC 6793, 4.2.2: the whole path. AS4_PATH becomes due when a number
 * of AS_PATH exceeds 2 octets. */
static void
enc_put_as4_path(struct enc *e, const struct attr_item *it)
{
	struct attr_item path;
	uint8_t *p;
	bool there;

	(void)it;
	there = wire_find(e->w, ATTR_AS_PATH, &path);
	p = enc_start_attr(e);
	enc_put_path_value(e, there ? path.val : NULL, there ? path.len : 0, 4, true,
	    e->c->confed ? 0 : e->c->prepend_as);
	if (p && e->out->pos == p + SHORT_HDR_LEN)
		e->out->pos = p; /* nothing is left without confederations */
	else
		enc_finish_attr(e, p, attr_flags(ATTR_AS4_PATH), ATTR_AS4_PATH);
}

static void
bgp_attr_enc_put_next_hop(struct enc *e, const struct attr_item *it)
{
	(void)it;
	if (e->classic) /* else it stands in MP_REACH */
		enc_put_attr(e, ATTR_F_TRANSITIVE, ATTR_NEXT_HOP, e->nh, e->nh_len);
}

static void
enc_put_local_pref(struct enc *e, const struct attr_item *it)
{
	(void)it;
	enc_put_u32(e, ATTR_LOCAL_PREF, e->c->local_pref);
}

/* For a peer with 2-octet numbers. */
static void
bgp_attr_enc_put_aggregator(struct enc *e, const struct attr_item *it)
{
	uint8_t val[6];
	uint32_t as;

	if (it->len != 8)
		return;
	as = get_be32(it->val);
	if (as > UINT16_MAX) {
		e->as4_aggr = it->val;
		e->due |= BIT(ATTR_AS4_AGGREGATOR);
		as = AS_TRANS;
	}
	put_be16(val, (uint16_t)as);
	memcpy(val + 2, it->val + 4, 4);
	enc_put_attr(e, it->flags, ATTR_AGGREGATOR, val, sizeof(val));
}

static void
enc_put_as4_aggregator(struct enc *e, const struct attr_item *it)
{
	(void)it;
	if (e->as4_aggr)
		enc_put_attr(e, attr_flags(ATTR_AS4_AGGREGATOR), ATTR_AS4_AGGREGATOR,
		    e->as4_aggr, 8);
}

/* RFC 4456, 8 */
static void
enc_put_originator(struct enc *e, const struct attr_item *it)
{
	(void)it;
	enc_put_u32(e, ATTR_ORIGINATOR_ID, e->c->originator_id);
}

static void
enc_put_cluster_list(struct enc *e, const struct attr_item *it)
{
	uint8_t *p = enc_start_attr(e);

	wbuf_u32(e->out, e->c->cluster_id);
	if (it)
		wbuf_bytes(e->out, it->val, it->len);
	enc_finish_attr(e, p, ATTR_F_OPTIONAL, ATTR_CLUSTER_LIST);
}

/* RFC 4360, 6: non-transitive ones stay in their AS. */
static void
enc_put_ext_community(struct enc *e, const struct attr_item *it)
{
	uint8_t *p;

	p = enc_start_attr(e);
	for (uint32_t i = 0; i + 8 <= it->len; i += 8)
		if (!(it->val[i] & 0x40))
			wbuf_bytes(e->out, it->val + i, 8);
	if (p && e->out->pos == p + SHORT_HDR_LEN)
		e->out->pos = p;
	else
		enc_finish_attr(e, p, it->flags, ATTR_EXT_COMMUNITY);
}

/* RFC 9234, 5 */
static void
enc_put_otc(struct enc *e, const struct attr_item *it)
{
	(void)it;
	enc_put_u32(e, ATTR_OTC, e->c->otc);
}

/* What is neither copied nor dropped, by code. The item is NULL where an attribute is due
 * that the set lacks. */
static const attr_put special[] = {
	[ATTR_ORIGIN] = bgp_attr_enc_put_origin,
	[ATTR_AS_PATH] = bgp_attr_enc_put_path,
	[ATTR_NEXT_HOP] = bgp_attr_enc_put_next_hop,
	[ATTR_LOCAL_PREF] = enc_put_local_pref,
	[ATTR_AGGREGATOR] = bgp_attr_enc_put_aggregator,
	[ATTR_ORIGINATOR_ID] = enc_put_originator,
	[ATTR_CLUSTER_LIST] = enc_put_cluster_list,
	[ATTR_EXT_COMMUNITY] = enc_put_ext_community,
	[ATTR_AS4_PATH] = enc_put_as4_path,
	[ATTR_AS4_AGGREGATOR] = enc_put_as4_aggregator,
	[ATTR_OTC] = enc_put_otc,
};

/* Does the class take AS_PATH as it is? */
static bool
enc_path_stays(const struct bgp_class *c, const struct wire_set *w)
{
	struct attr_item it;

	if (!c->as4 || c->prepend_as || !wire_slot(w, SLOT_AS_PATH, ATTR_AS_PATH, &it))
		return false;
	return c->keep_confed || !enc_has_confed(it.val, it.len);
}

/* Codes that the class copies unchanged, apart from AS_PATH and NEXT_HOP. */
static uint64_t
enc_copied_codes(const struct bgp_class *c)
{
	uint64_t codes = BIT(ATTR_ORIGIN) | BIT(ATTR_ATOMIC_AGGR) | BIT(ATTR_COMMUNITY) |
			 BIT(ATTR_LARGE_COMMUNITY) | BIT(ATTR_OTC);

	codes |= c->send_med ? BIT(ATTR_MED) : 0;
	codes |= c->send_local_pref ? BIT(ATTR_LOCAL_PREF) : 0;
	codes |= c->as4 ? BIT(ATTR_AGGREGATOR) : 0;
	codes |= c->send_reflect ? BIT(ATTR_ORIGINATOR_ID) : 0;
	codes |= c->send_reflect && !c->cluster_id ? BIT(ATTR_CLUSTER_LIST) : 0;
	codes |= c->strip_ec ? 0 : BIT(ATTR_EXT_COMMUNITY);
	codes |= c->send_aigp ? BIT(ATTR_AIGP) : 0;
	return codes;
}

/* Codes that end here. */
static uint64_t
enc_dropped_codes(const struct bgp_class *c)
{
	uint64_t codes = 0;

	codes |= c->send_med ? 0 : BIT(ATTR_MED);
	codes |= c->send_local_pref ? 0 : BIT(ATTR_LOCAL_PREF);
	codes |= c->send_reflect ? 0 : BIT(ATTR_ORIGINATOR_ID) | BIT(ATTR_CLUSTER_LIST);
	codes |= c->send_aigp ? 0 : BIT(ATTR_AIGP);
	return codes;
}

/* Codes that are sent even if the set has no such item. */
static uint64_t
enc_due_codes(const struct bgp_class *c)
{
	uint64_t codes = BIT(ATTR_ORIGIN) | BIT(ATTR_AS_PATH) | BIT(ATTR_NEXT_HOP);

	codes |= c->send_local_pref ? BIT(ATTR_LOCAL_PREF) : 0;
	codes |= c->send_reflect && c->originator_id ? BIT(ATTR_ORIGINATOR_ID) : 0;
	codes |= c->send_reflect && c->cluster_id ? BIT(ATTR_CLUSTER_LIST) : 0;
	codes |= c->otc ? BIT(ATTR_OTC) : 0;
	return codes;
}

/* An attribute without rules of its own; what isn't transitive ends here (RFC 4271, 5).
 */
static inline void
bgp_attr_enc_put_other(struct enc *e, const struct attr_item *it)
{
	if ((it->flags & (ATTR_F_OPTIONAL | ATTR_F_TRANSITIVE)) != ATTR_F_OPTIONAL)
		enc_put_copy(e, it);
}

static void
enc_set_nh(struct enc *e, struct ip_addr a, struct ip_addr ll)
{
	if (ip_is_v4(a) && (e->classic || e->nh_len == 4)) {
		put_be32(e->nh, ip_to_v4(a));
		e->nh_len = 4;
		return;
	}
	ip_put16(e->nh, a);
	e->nh_len = 16;
	if (!ip_is_none(ll)) {
		ip_put16(e->nh + 16, ll);
		e->nh_len = 32;
	}
}

/* bgp_class_sends_self - does an address of ours go out as next hop? RFC 2545, 3: a
 * link-local address means nothing beyond its link. */
static bool
bgp_class_sends_self(const struct bgp_class *c, const struct wire_set *w)
{
	struct ip_addr a;

	if (c->next_hop == BGP_NH_SELF)
		return true;
	a = wire_next_hop(w);
	return ip_is_none(a) ||
	       (c->next_hop == BGP_NH_KEEP_GLOBAL && ip_is_link_local(a));
}

/* enc_choose_nh - select the next hop to be sent. Returns: 0, or -EINVAL: no sendable
 * next hop. */
static int
enc_choose_nh(struct enc *e, enum family fam)
{
	const struct bgp_class *c = e->c;
	struct attr_item it = { .len = 0 };
	struct ip_addr a, ll = IP_NONE;

	wire_slot(e->w, SLOT_NEXT_HOP, ATTR_NEXT_HOP, &it);
	if (it.len == 4 && e->classic && c->next_hop != BGP_NH_SELF) {
		e->copied |= BIT(ATTR_NEXT_HOP);
		return 0;
	}
	a = wire_next_hop(e->w);
	if (bgp_class_sends_self(c, e->w)) {
		a = bgp_class_self_hop(c, fam);
		ll = c->nh6_ll;
	} else if (c->next_hop == BGP_NH_KEEP && it.len == 32) {
		ll = ip_get16(it.val + 16);
	}
	/* without a global address */
	if (!e->classic && ip_is_link_local(a) && ip_is_none(ll)) {
		ll = c->ll_form == BGP_LL_SINGLE ? IP_NONE : a;
		a = c->ll_form == BGP_LL_NATIVE ? IP_NONE : a;
	} else if (!e->classic && ip_is_none(a) && c->ll_form != BGP_LL_NATIVE) {
		a = ll;
		ll = c->ll_form == BGP_LL_SINGLE ? IP_NONE : ll;
	}
	if (ip_is_none(a) && (e->classic || ip_is_none(ll)))
		return -EINVAL;
	if (e->classic && !ip_is_v4(a))
		return -EINVAL;
	/* the usual length; enc_set_nh decides */
	e->nh_len = fam == FAM_IP4 && ip_is_v4(a) ? 4 : 16;
	enc_set_nh(e, a, ll);
	return 0;
}

static bool
bgp_attr_enc_is_classic(const struct bgp_class *c, enum family fam)
{
	return fam == FAM_IP4 && !c->mp4;
}

bool
bgp_class_has_hop(const struct bgp_class *c, enum family fam, const struct wire_set *w)
{
	struct enc e = { .c = c, .w = w, .classic = bgp_attr_enc_is_classic(c, fam) };

	return !enc_choose_nh(&e, fam);
}

bool
bgp_class_lacks_extended(
    const struct bgp_class *c, enum family fam, const struct wire_set *w)
{
	struct ip_addr a = bgp_class_sends_self(c, w) ? bgp_class_self_hop(c, fam)
						      : wire_next_hop(w);

	return bgp_attr_enc_is_classic(c, fam) && !ip_is_none(a) && !ip_is_v4(a);
}

/* What is due of codes below @code that the set lacks. */
static void
enc_put_due(struct enc *e, unsigned code)
{
	uint64_t below = code < 64 ? BIT(code) - 1 : ~0ull;

	while (e->due & below) {
		unsigned first = (unsigned)__builtin_ctzll(e->due);

		e->due &= e->due - 1;
		special[first](e, NULL);
	}
}

static void
bgp_attr_enc_put_item(struct enc *e, const struct attr_item *it)
{
	uint64_t bit = it->code < 64 ? BIT(it->code) : 0;

	enc_put_due(e, it->code);
	e->due &= ~bit;
	if (e->dropped & bit)
		return;
	if (e->copied & bit)
		enc_put_copy(e, it);
	else if (it->code < ARRAY_LEN(special) && special[it->code])
		special[it->code](e, it);
	else
		bgp_attr_enc_put_other(e, it);
}

/* enc_put_run - the fast path of bgp_attr_enc_put_item: from @pos on, drop items, or copy
 * items with a short header, as long as no due attribute precedes. Returns: position of
 * the first other item. */
static uint32_t
enc_put_run(struct enc *e, uint32_t pos)
{
	const uint8_t *p = e->w->data + pos, *end = e->w->data + e->w->len;
	uint8_t *to = e->out->pos;
	uint64_t copied = e->copied, dropped = e->dropped, due = e->due;

	while (end - p >= ATTR_HDR_LEN) {
		unsigned code = p[1], len = get_be16(p + 2);
		uint64_t bit = BIT(code & 63);

		if (code > 63 || due & (bit - 1) || end - p - ATTR_HDR_LEN < len)
			break;
		if (copied & bit) {
			if (len > SHORT_MAX || e->out->end - to < SHORT_HDR_LEN + len)
				break;
			memcpy(to, p, 2);
			to[2] = (uint8_t)len;
			octets_copy(to + SHORT_HDR_LEN, p + ATTR_HDR_LEN, len);
			to += SHORT_HDR_LEN + len;
			due &= ~bit;
		} else if (!(dropped & bit)) {
			break;
		}
		p += ATTR_HDR_LEN + len;
	}
	e->due = due;
	e->out->pos = to;
	return (uint32_t)(p - e->w->data);
}

static void
bgp_attr_enc_put_all(struct enc *e)
{
	const struct wire_set *w = e->w;
	struct attr_item it;
	uint32_t pos = enc_put_run(e, 0);

	while (attr_item_next(&it, w->data, w->len, &pos)) {
		bgp_attr_enc_put_item(e, &it);
		pos = enc_put_run(e, pos);
	}
	enc_put_due(e, 64);
}

int
bgp_attr_encode(const struct bgp_class *c, enum family fam, const struct wire_set *w,
    struct wbuf *out)
{
	struct enc e = {
		.c = c, .w = w, .out = out, .classic = bgp_attr_enc_is_classic(c, fam)
	};
	uint8_t *start = out->pos;
	int err;

	e.copied = enc_copied_codes(c);
	e.dropped = enc_dropped_codes(c);
	e.due = enc_due_codes(c);
	if (enc_path_stays(c, w))
		e.copied |= BIT(ATTR_AS_PATH);
	err = enc_choose_nh(&e, fam);
	if (err)
		return err;
	if (e.classic) {
		wbuf_u8(out, 0);
	} else {
		wbuf_u8(out, e.nh_len);
		wbuf_bytes(out, e.nh, e.nh_len);
	}
	bgp_attr_enc_put_all(&e);
	if (e.too_long)
		return -E2BIG;
	return out->bad ? -ENOBUFS : (int)(out->pos - start);
}

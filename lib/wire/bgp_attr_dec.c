/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One small function for each path attribute, called through a table (RFC 7606, 7).
 *
 * Reading goes in two steps. First each attribute is checked where it lies and remembered
 * as a pointer; nothing is copied, since it may turn out later that the whole update is
 * to be treated as withdraw. Then what remained is written as canonical octets in one go:
 * by then it is known whether AS4_PATH applies and which next hop holds.
 *
 * I1  item[] is in strictly ascending order of code: each attribute occurs once.
 * I2  What is in item[] is well formed; later stages never check again.
 *
 * A check gives back NULL for good, or a constant that says what is wrong; a struct
 * bgp_err is made of it only then, for this code runs for each UPDATE.
 *
 * No state; any thread. */
#include "lib/wire/bgp_attr_dec.h"

#include "lib/attr/as_path.h"

#define AIGP_TYPE_METRIC 1
#define AIGP_METRIC_LEN  11

/* What is wrong with an attribute. */
struct finding {
	uint8_t severity, subcode;
	const char *text;
};

typedef const struct finding *(*attr_check)(struct bgp_attrs *a, struct rbuf *r);

struct rule {
	uint8_t flags;
	bool ibgp_only; /* from other peers it is left out without a word */
	bool merged; /* it is remembered apart and never an item */
	attr_check check;
};

static const struct finding left_out = { BGP_SEV_NONE, 0, "left out" };
static const struct finding bad_list = { BGP_SEV_WITHDRAW, BGP_EU_ATTR_LIST,
	"attribute leaves the attribute list" };
static const struct finding bad_flags = { BGP_SEV_WITHDRAW, BGP_EU_FLAGS,
	"attribute flags are wrong" };
static const struct finding bad_len = { BGP_SEV_WITHDRAW, BGP_EU_LEN,
	"attribute has a bad length" };
static const struct finding bad_len_discard = { BGP_SEV_ATTR_DISCARD, BGP_EU_LEN,
	"attribute has a bad length" };
static const struct finding twice = { BGP_SEV_ATTR_DISCARD, BGP_EU_ATTR_LIST,
	"attribute occurs twice" };
static const struct finding twice_mp = { BGP_SEV_RESET, BGP_EU_ATTR_LIST,
	"MP_REACH or MP_UNREACH occurs twice" };
static const struct finding unknown_wellknown = { BGP_SEV_WITHDRAW,
	BGP_EU_UNKNOWN_WELLKNOWN, "unknown well-known attribute" };

/* RFC 7606, 7.1 */
static const struct finding *
check_origin(struct bgp_attrs *a, struct rbuf *r)
{
	static const struct finding bad = { BGP_SEV_WITHDRAW, BGP_EU_ORIGIN,
		"ORIGIN has an unknown value" };
	uint8_t origin = rbuf_u8(r);

	(void)a;
	if (!rbuf_done(r))
		return &bad_len;
	return origin > ORIGIN_INCOMPLETE ? &bad : NULL;
}

/* AS 0 is never part of a path (RFC 7607, 2). @p has passed as_path_check. */
static bool
path_has_zero(const uint8_t *p, uint32_t len, unsigned as_size)
{
	const uint8_t *end = p + len;
	bool zero = false;

	while (p < end) {
		unsigned cnt = p[1];

		for (p += 2; cnt; cnt--, p += as_size)
			zero |= !(as_size == 4 ? get_be32(p) : get_be16(p));
	}
	return zero;
}

/* RFC 7606, 7.2 */
static const struct finding *
check_as_path(struct bgp_attrs *a, struct rbuf *r)
{
	static const struct finding bad = { BGP_SEV_WITHDRAW, BGP_EU_AS_PATH,
		"AS_PATH is malformed" };
	static const struct finding zero = { BGP_SEV_WITHDRAW, BGP_EU_AS_PATH,
		"AS_PATH contains AS 0" };
	uint32_t len = (uint32_t)rbuf_left(r);
	unsigned as_size = a->params->as4 ? 4 : 2;

	if (!as_path_check(r->pos, len, as_size, a->params->confed))
		return &bad;
	if (as_size == 2)
		a->blob_max += len;
	return path_has_zero(r->pos, len, as_size) ? &zero : NULL;
}

/* RFC 7606, 7.3 */
static const struct finding *
check_next_hop(struct bgp_attrs *a, struct rbuf *r)
{
	const uint8_t *p = rbuf_take(r, 4);

	if (!rbuf_done(r))
		return &bad_len;
	a->next_hop = p;
	return NULL;
}

/* MED, LOCAL_PREF, ORIGINATOR_ID, OTC: RFC 7606, 7.4, 7.5, 7.9; RFC 9234, 5 */
static const struct finding *
check_u32(struct bgp_attrs *a, struct rbuf *r)
{
	(void)a;
	return rbuf_left(r) == 4 ? NULL : &bad_len;
}

/* RFC 7606, 7.5 */
static const struct finding *
check_local_pref(struct bgp_attrs *a, struct rbuf *r)
{
	const struct bgp_params *p = a->params;

	if (!p->ibgp && !p->confed && !p->allow_local_pref)
		return &left_out;
	return check_u32(a, r);
}

/* RFC 7606, 7.6 */
static const struct finding *
check_atomic_aggr(struct bgp_attrs *a, struct rbuf *r)
{
	(void)a;
	return rbuf_left(r) ? &bad_len_discard : NULL;
}

static const struct finding aggr_zero = { BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL,
	"aggregator's AS is 0" };

/* RFC 7606, 7.7; RFC 7607, 2 */
static const struct finding *
check_aggregator(struct bgp_attrs *a, struct rbuf *r)
{
	uint32_t as = a->params->as4 ? rbuf_u32(r) : rbuf_u16(r);

	rbuf_u32(r);
	if (!rbuf_done(r))
		return &bad_len_discard;
	if (!a->params->as4)
		a->blob_max += 2;
	return as ? NULL : &aggr_zero;
}

static const struct finding *
check_multiple(const struct rbuf *r, unsigned size)
{
	size_t len = rbuf_left(r);

	return len && len % size == 0 ? NULL : &bad_len;
}

/* COMMUNITY, CLUSTER_LIST: RFC 7606, 7.8, 7.10 */
static const struct finding *
check_list4(struct bgp_attrs *a, struct rbuf *r)
{
	(void)a;
	return check_multiple(r, 4);
}

/* Extended communities: RFC 7606, 7.14 */
static const struct finding *
check_list8(struct bgp_attrs *a, struct rbuf *r)
{
	(void)a;
	return check_multiple(r, 8);
}

/* Large communities: RFC 8092, 6 */
static const struct finding *
check_list12(struct bgp_attrs *a, struct rbuf *r)
{
	(void)a;
	return check_multiple(r, 12);
}

static bool
mp_family(const struct bgp_attrs *a, struct bgp_mp *mp, unsigned afi, unsigned safi)
{
	mp->there = true;
	mp->fam = afi == AFI_IP6 ? FAM_IP6 : FAM_IP4;
	mp->known = (afi == AFI_IP4 || afi == AFI_IP6) && safi == SAFI_UNICAST &&
		    (a->params->fam & FAM_BIT(mp->fam));
	return mp->known;
}

static bool
nh_len_ok(const struct bgp_attrs *a, const struct bgp_mp *mp)
{
	if (mp->fam == FAM_IP4 && mp->nh_len == 4)
		return true;
	if (mp->fam == FAM_IP4 && !a->params->ext_next_hop)
		return false;
	return mp->nh_len == 16 || mp->nh_len == 32; /* RFC 2545, 3; RFC 8950, 3 */
}

/* One next hop has one form: no link-local address of ::, no IPv4-mapped one for IPv4
 * NLRI. */
static void
shorten_nh(struct bgp_mp *mp)
{
	if (mp->nh_len == 32 && ip_is_none(ip_get16(mp->nh + 16)))
		mp->nh_len = 16;
	if (mp->nh_len >= 16 && mp->fam == FAM_IP4 && ip_is_v4(ip_get16(mp->nh))) {
		mp->nh += 12;
		mp->nh_len = 4;
	}
}

static const struct finding bad_mp = { BGP_SEV_RESET, BGP_EU_OPTIONAL,
	"MP_REACH or MP_UNREACH can't be read" };

/* RFC 7606, 7.11 */
static const struct finding *
check_mp_reach(struct bgp_attrs *a, struct rbuf *r)
{
	static const struct finding bad_nh = { BGP_SEV_RESET, BGP_EU_OPTIONAL,
		"next hop in MP_REACH has a bad length" };
	struct bgp_mp *mp = &a->reach;
	unsigned afi = rbuf_u16(r), safi = rbuf_u8(r);

	mp->nh_len = rbuf_u8(r);
	mp->nh = rbuf_take(r, mp->nh_len);
	rbuf_u8(r); /* reserved */
	if (!rbuf_ok(r))
		return &bad_mp;
	if (mp_family(a, mp, afi, safi) && !nh_len_ok(a, mp))
		return &bad_nh;
	if (mp->known)
		shorten_nh(mp);
	mp->nlri = r->pos;
	mp->nlri_len = (uint32_t)rbuf_left(r);
	return NULL;
}

/* RFC 7606, 7.12 */
static const struct finding *
check_mp_unreach(struct bgp_attrs *a, struct rbuf *r)
{
	struct bgp_mp *mp = &a->unreach;
	unsigned afi = rbuf_u16(r), safi = rbuf_u8(r);

	if (!rbuf_ok(r))
		return &bad_mp;
	mp_family(a, mp, afi, safi);
	mp->nlri = r->pos;
	mp->nlri_len = (uint32_t)rbuf_left(r);
	return NULL;
}

/* RFC 6793, 6: confederation segments in it are ignored when merging. */
static const struct finding *
check_as4_path(struct bgp_attrs *a, struct rbuf *r)
{
	static const struct finding bad = { BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL,
		"AS4_PATH is malformed" };
	uint32_t len = (uint32_t)rbuf_left(r);

	if (a->params->as4)
		return &left_out;
	if (!len || !as_path_check(r->pos, len, 4, true) || path_has_zero(r->pos, len, 4))
		return &bad;
	a->as4_path = r->pos;
	a->as4_path_len = (uint16_t)len;
	a->blob_max += len;
	return NULL;
}

/* RFC 6793, 6 */
static const struct finding *
check_as4_aggr(struct bgp_attrs *a, struct rbuf *r)
{
	const uint8_t *p = rbuf_take(r, 8);

	if (a->params->as4)
		return &left_out;
	if (!rbuf_done(r))
		return &bad_len_discard;
	if (!get_be32(p))
		return &aggr_zero;
	a->as4_aggr = p;
	return NULL;
}

/* RFC 7311, 3.3 and 3.4 */
static const struct finding *
check_aigp(struct bgp_attrs *a, struct rbuf *r)
{
	static const struct finding bad = { BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL,
		"AIGP is malformed" };

	if (!a->params->aigp)
		return &left_out;
	while (rbuf_left(r)) {
		unsigned type = rbuf_u8(r), len = rbuf_u16(r);

		if (len < 3 || (type == AIGP_TYPE_METRIC && len != AIGP_METRIC_LEN))
			return &bad;
		rbuf_take(r, len - 3);
		if (!rbuf_ok(r))
			return &bad;
	}
	return NULL;
}

#define WELL_KNOWN  ATTR_F_TRANSITIVE
#define OPT_TRANS   (ATTR_F_OPTIONAL | ATTR_F_TRANSITIVE)
#define OPT_NOTRANS ATTR_F_OPTIONAL

static const struct rule rules[] = {
	[ATTR_ORIGIN] = { WELL_KNOWN, false, false, check_origin },
	[ATTR_AS_PATH] = { WELL_KNOWN, false, false, check_as_path },
	[ATTR_NEXT_HOP] = { WELL_KNOWN, false, true, check_next_hop },
	[ATTR_MED] = { OPT_NOTRANS, false, false, check_u32 },
	[ATTR_LOCAL_PREF] = { WELL_KNOWN, false, false, check_local_pref },
	[ATTR_ATOMIC_AGGR] = { WELL_KNOWN, false, false, check_atomic_aggr },
	[ATTR_AGGREGATOR] = { OPT_TRANS, false, false, check_aggregator },
	[ATTR_COMMUNITY] = { OPT_TRANS, false, false, check_list4 },
	[ATTR_ORIGINATOR_ID] = { OPT_NOTRANS, true, false, check_u32 },
	[ATTR_CLUSTER_LIST] = { OPT_NOTRANS, true, false, check_list4 },
	[ATTR_MP_REACH] = { OPT_NOTRANS, false, true, check_mp_reach },
	[ATTR_MP_UNREACH] = { OPT_NOTRANS, false, true, check_mp_unreach },
	[ATTR_EXT_COMMUNITY] = { OPT_TRANS, false, false, check_list8 },
	[ATTR_AS4_PATH] = { OPT_TRANS, false, true, check_as4_path },
	[ATTR_AS4_AGGREGATOR] = { OPT_TRANS, false, true, check_as4_aggr },
	[ATTR_AIGP] = { OPT_NOTRANS, false, false, check_aigp },
	[ATTR_LARGE_COMMUNITY] = { OPT_TRANS, false, false, check_list12 },
	[ATTR_OTC] = { OPT_TRANS, false, false, check_u32 },
};

static void
note(struct bgp_attrs *a, const struct finding *f, const uint8_t *p, size_t len)
{
	struct bgp_err err;

	if (f->severity == BGP_SEV_NONE)
		return;
	err = bgp_err_make(f->severity, BGP_E_UPDATE, f->subcode, f->text);
	err.attr = len > 1 ? p[1] : 0;
	err.data = p;
	err.data_len = (uint16_t)(len < UINT16_MAX ? len : UINT16_MAX);
	if (f->severity == BGP_SEV_ATTR_DISCARD && a->discard_cnt < UINT8_MAX)
		a->discard_cnt++;
	bgp_err_note(&a->err, &err);
}

/* Keep order (I1); attributes usually come in it. */
static void
add_item(struct bgp_attrs *a, const struct attr_item *it)
{
	uint32_t i = a->item_cnt++;

	for (; i && a->item[i - 1].code > it->code; i--)
		a->item[i] = a->item[i - 1];
	a->item[i] = *it;
	a->blob_max += ATTR_HDR_LEN + it->len;
}

static const struct finding *
check_unknown(struct attr_item *it)
{
	if (!(it->flags & ATTR_F_OPTIONAL))
		return &unknown_wellknown; /* RFC 7606 is silent: the route, not the
					      session */
	if (!(it->flags & ATTR_F_TRANSITIVE))
		return &left_out; /* RFC 4271, 9 */
	it->flags = OPT_TRANS | ATTR_F_PARTIAL;
	return NULL;
}

static const struct finding *
check_known(
    struct bgp_attrs *a, const struct rule *rule, struct attr_item *it, struct rbuf *r)
{
	if (rule->ibgp_only && !a->params->ibgp)
		return &left_out;
	if ((it->flags ^ rule->flags) & OPT_TRANS) /* RFC 7606, 3 c */
		return it->code == ATTR_LOCAL_PREF && check_local_pref(a, r) == &left_out
			   ? &left_out
			   : &bad_flags;
	/* PARTIAL means something with optional transitive ones only (RFC 4271, 4.3). */
	it->flags = rule->flags == OPT_TRANS ? it->flags & (OPT_TRANS | ATTR_F_PARTIAL)
					     : rule->flags;
	return rule->check(a, r);
}

/* One attribute, from its flags at @start to the end of @val. */
static void
read_one(
    struct bgp_attrs *a, struct attr_item *it, struct rbuf *val, const uint8_t *start)
{
	const struct rule *rule = it->code < ARRAY_LEN(rules) ? &rules[it->code] : NULL;
	uint64_t *seen = &a->seen[it->code >> 6], bit = 1ull << (it->code & 63);
	size_t whole = (size_t)(val->end - start);
	const struct finding *f;

	if (*seen & bit) { /* RFC 7606, 3 g */
		bool mp = it->code == ATTR_MP_REACH || it->code == ATTR_MP_UNREACH;

		note(a, mp ? &twice_mp : &twice, start, whole);
		return;
	}
	*seen |= bit;
	a->other |= it->code != ATTR_MP_UNREACH;
	f = rule && rule->check ? check_known(a, rule, it, val) : check_unknown(it);
	if (f)
		note(a, f, start, whole);
	else if (!rule || !rule->merged)
		add_item(a, it);
}

void
bgp_attrs_read(struct bgp_attrs *a, const struct bgp_params *params, struct rbuf r)
{
	memset(a, 0, offsetof(struct bgp_attrs, item));
	a->params = params;
	while (rbuf_left(&r)) {
		const uint8_t *start = r.pos;
		struct attr_item it;
		struct rbuf val;

		it.flags = rbuf_u8(&r);
		it.code = rbuf_u8(&r);
		it.len = it.flags & ATTR_F_EXTLEN ? rbuf_u16(&r) : rbuf_u8(&r);
		it.val = r.pos;
		val = rbuf_sub(&r, it.len);
		if (!rbuf_ok(&r)) { /* RFC 7606, 4 */
			a->framing = true;
			a->other = true;
			note(a, &bad_list, start, (size_t)(r.end - start));
			return;
		}
		read_one(a, &it, &val, start);
	}
}

static uint8_t *
put_head(uint8_t *to, uint8_t flags, uint8_t code, uint32_t len)
{
	to[0] = flags;
	to[1] = code;
	put_be16(to + 2, (uint16_t)len);
	return to + ATTR_HDR_LEN;
}

/* AS_PATH of a peer with 2-octet numbers. @tmp has room for 2 * @it->len octets, to merge
 * AS4_PATH; NULL: nothing to merge. */
static uint8_t *
put_path2(
    const struct bgp_attrs *a, uint8_t *to, const struct attr_item *it, uint8_t *tmp)
{
	uint8_t *val = to + ATTR_HDR_LEN;
	uint32_t len;

	if (tmp) {
		len = as_path_widen(tmp, it->val, it->len);
		len = as_path_merge4(val, tmp, len, a->as4_path, a->as4_path_len);
	} else {
		len = as_path_widen(val, it->val, it->len);
	}
	put_head(to, it->flags, it->code, len);
	return val + len;
}

/* AGGREGATOR of such a peer (RFC 6793, 4.2.3). */
static uint8_t *
put_aggr2(const struct bgp_attrs *a, uint8_t *to, const struct attr_item *it)
{
	uint32_t as = get_be16(it->val);

	to = put_head(to, it->flags, it->code, 8);
	if (as == AS_TRANS && a->as4_aggr) {
		memcpy(to, a->as4_aggr, 8);
	} else {
		put_be32(to, as);
		memcpy(to + 4, it->val + 2, 4);
	}
	return to + 8;
}

/* Does AS4_PATH hold? Not if the aggregator knows nothing of it (RFC 6793, 4.2.3). */
static bool
merge_applies(const struct bgp_attrs *a)
{
	if (!a->as4_path)
		return false;
	if (!a->as4_aggr)
		return true;
	for (uint32_t i = 0; i < a->item_cnt; i++)
		if (a->item[i].code == ATTR_AGGREGATOR)
			return get_be16(a->item[i].val) == AS_TRANS;
	return true;
}

static uint8_t *
put_item(uint8_t *to, const struct attr_item *it)
{
	to = put_head(to, it->flags, it->code, it->len);
	memcpy(to, it->val, it->len);
	return to + it->len;
}

uint32_t
bgp_attrs_write(const struct bgp_attrs *a, const uint8_t *nh, unsigned nh_len,
    uint8_t *blob, size_t cap, uint32_t *nh_pos)
{
	uint32_t max = a->blob_max + ATTR_HDR_LEN + nh_len, i = 0;
	bool as2 = !a->params->as4, merge = as2 && merge_applies(a);
	uint8_t *to = blob;

	if (max > cap || max > WIRE_BLOB_MAX)
		return 0;
	for (; i < a->item_cnt && a->item[i].code < ATTR_NEXT_HOP; i++) {
		const struct attr_item *it = &a->item[i];

		if (as2 && it->code == ATTR_AS_PATH) {
			if (merge && cap - max < 2u * it->len)
				return 0;
			to = put_path2(
			    a, to, it, merge ? blob + cap - 2 * it->len : NULL);
		} else {
			to = put_item(to, it);
		}
	}
	*nh_pos = (uint32_t)(to - blob);
	to = put_head(to, ATTR_F_TRANSITIVE, ATTR_NEXT_HOP, nh_len);
	memcpy(to, nh, nh_len);
	to += nh_len;
	for (; i < a->item_cnt; i++) {
		const struct attr_item *it = &a->item[i];

		to = as2 && it->code == ATTR_AGGREGATOR ? put_aggr2(a, to, it)
							: put_item(to, it);
	}
	return (uint32_t)(to - blob);
}

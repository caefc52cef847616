/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row for each known path attribute: flags, length, and a function if the value needs
 * further checks (RFC 7606, 7).
 *
 * Reading has two steps. The first step checks each attribute in the message and keeps a
 * pointer. Nothing is copied, because a later attribute may turn the whole UPDATE into
 * treat-as-withdraw. The second step (bgp_attr_canon.c) writes the remaining attributes
 * as canonical octets, with AS4_PATH and the next hop known.
 *
 * I1  item[] is in strictly ascending order of code: each attribute occurs once.
 * I2  The attributes in item[] are well formed; later stages never check again.
 * I3  item[0] has code 0 and is a sentinel; the items are item[1] to before `end`. The
 *     array always has room for one more item, because NEXT_HOP and the MP attributes are
 *     no items.
 *
 * A check returns NULL for a good attribute, or a constant that names the fault. A struct
 * bgp_err is built for a fault only, because this code runs for each UPDATE.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_attr_dec.h"

#include "lib/attr/as_path.h"
#include "lib/attr/attr_def.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

#define AIGP_TYPE_METRIC 1
#define AIGP_METRIC_LEN  11

/* What is wrong with an attribute. */
struct finding {
	uint8_t severity, subcode;
	const char *text;
};

typedef const struct finding *(*attr_check)(
    struct bgp_attrs *a, const struct attr_item *it);

struct rule {
	uint8_t flags; /* OPTIONAL and TRANSITIVE as they must be; 0: not known */
	uint8_t keep; /* flags that stay */
	uint8_t min; /* octets at least */
	uint8_t mask; /* the length is a multiple of mask + 1 */
	uint16_t more; /* octets beyond min at most */
	attr_check check; /* checks beyond the length; NULL: none */
};

#define CODE_BIT(code) (1ull << (code)) /* of a code below 64 */

/* Results of checks for an attribute without fault that becomes no item. */
static const struct finding left_out = { BGP_SEV_NONE, 0, "left out" };
static const struct finding unusual = { BGP_SEV_NONE, 0, "look closer" };
static const struct finding bad_list = { BGP_SEV_WITHDRAW, BGP_EU_ATTR_LIST,
	"attribute leaves the attribute list" };
static const struct finding bad_flags = { BGP_SEV_WITHDRAW, BGP_EU_FLAGS,
	"attribute flags are wrong" };
static const struct finding bad_flags_discard = { BGP_SEV_ATTR_DISCARD, BGP_EU_FLAGS,
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
dec_check_origin(struct bgp_attrs *a, const struct attr_item *it)
{
	static const struct finding bad = { BGP_SEV_WITHDRAW, BGP_EU_ORIGIN,
		"ORIGIN has an unknown value" };

	(void)a;
	return *it->val > ORIGIN_INCOMPLETE ? &bad : NULL;
}

/* AS 0 is never part of a path (RFC 7607, 2). @p has passed as_path_check. */
static bool
dec_path4_has_zero(const uint8_t *p, uint32_t len)
{
	const uint8_t *end = p + len;
	bool zero = false;

	while (p < end) {
		const uint8_t *stop = p + 2 + 4 * p[1];

		for (p += 2; p < stop; p += 4)
			zero |= !get_be32(p);
	}
	return zero;
}

static bool
dec_path2_has_zero(const uint8_t *p, uint32_t len)
{
	const uint8_t *end = p + len;
	bool zero = false;

	while (p < end) {
		const uint8_t *stop = p + 2 + 2 * p[1];

		for (p += 2; p < stop; p += 2)
			zero |= !get_be16(p);
	}
	return zero;
}

/* RFC 7606, 7.2 */
static const struct finding *
dec_check_as_path(struct bgp_attrs *a, const struct attr_item *it)
{
	static const struct finding bad = { BGP_SEV_WITHDRAW, BGP_EU_AS_PATH,
		"AS_PATH is malformed" };
	static const struct finding zero = { BGP_SEV_WITHDRAW, BGP_EU_AS_PATH,
		"AS_PATH contains AS 0" };

	if (a->params->as4) {
		if (!as_path_check(it->val, it->len, 4, a->params->confed))
			return &bad;
		return dec_path4_has_zero(it->val, it->len) ? &zero : NULL;
	}
	if (!as_path_check(it->val, it->len, 2, a->params->confed))
		return &bad;
	a->blob_max += it->len;
	return dec_path2_has_zero(it->val, it->len) ? &zero : NULL;
}

/* RFC 7606, 7.3 */
static const struct finding *
bgp_attr_dec_check_next_hop(struct bgp_attrs *a, const struct attr_item *it)
{
	a->next_hop = it->val;
	return &left_out;
}

/* RFC 7606, 7.6 */
static const struct finding *
dec_check_atomic_aggr(struct bgp_attrs *a, const struct attr_item *it)
{
	(void)a;
	return it->len ? &bad_len_discard : NULL;
}

static const struct finding aggr_zero = { BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL,
	"aggregator's AS is 0" };

/* RFC 7606, 7.7; RFC 7607, 2 */
static const struct finding *
dec_check_aggregator(struct bgp_attrs *a, const struct attr_item *it)
{
	if (it->len != (a->params->as4 ? 8 : 6))
		return &bad_len_discard;
	if (a->params->as4)
		return get_be32(it->val) ? NULL : &aggr_zero;
	a->blob_max += 2;
	return get_be16(it->val) ? NULL : &aggr_zero;
}

/* Large communities: RFC 8092, 6 */
static const struct finding *
dec_check_list12(struct bgp_attrs *a, const struct attr_item *it)
{
	(void)a;
	return it->len && it->len % 12 == 0 ? NULL : &bad_len;
}

static bool
bgp_attr_dec_mp_family(
    const struct bgp_attrs *a, struct bgp_mp *mp, unsigned afi, unsigned safi)
{
	mp->there = true;
	mp->known = family_find(&mp->fam, afi, safi) &&
		    (a->params->fam & FAM_BIT(mp->fam));
	return mp->known;
}

static bool
dec_nh_len_ok(const struct bgp_attrs *a, const struct bgp_mp *mp)
{
	if (mp->fam == FAM_IP4 && mp->nh_len == 4)
		return true;
	if (mp->fam == FAM_IP4 && !a->params->ext_next_hop)
		return false;
	return mp->nh_len == 16 || mp->nh_len == 32; /* RFC 2545, 3; RFC 8950, 3 */
}

/* dec_same_twice - true if both next hops are one link-local address. */
static bool
dec_same_twice(const struct bgp_mp *mp)
{
	return ip_is_link_local(ip_get16(mp->nh)) && !memcmp(mp->nh, mp->nh + 16, 16);
}

/* dec_shorten_nh - give equal next hops one form: remove a link-local address ::, a
 * global address :: or a repeated address before a link-local address, and the
 * IPv4-mapped form for IPv4 NLRI. */
static void
dec_shorten_nh(struct bgp_mp *mp)
{
	if (mp->nh_len == 32 &&
	    (ip_is_none(ip_get16(mp->nh + 16)) || dec_same_twice(mp))) {
		mp->nh_len = 16;
	} else if (mp->nh_len == 32 && ip_is_none(ip_get16(mp->nh)) &&
		   ip_is_link_local(ip_get16(mp->nh + 16))) {
		mp->nh += 16;
		mp->nh_len = 16;
	}
	if (mp->nh_len >= 16 && mp->fam == FAM_IP4 && ip_is_v4(ip_get16(mp->nh))) {
		mp->nh += 12;
		mp->nh_len = 4;
	}
}

static const struct finding bad_mp = { BGP_SEV_RESET, BGP_EU_OPTIONAL,
	"MP_REACH or MP_UNREACH can't be read" };

/* RFC 7606, 7.11 */
static const struct finding *
dec_check_mp_reach(struct bgp_attrs *a, const struct attr_item *it)
{
	static const struct finding bad_nh = { BGP_SEV_RESET, BGP_EU_OPTIONAL,
		"next hop in MP_REACH has a bad length" };
	struct rbuf r = rbuf_of(it->val, it->len);
	struct bgp_mp *mp = &a->reach;
	unsigned afi = rbuf_u16(&r), safi = rbuf_u8(&r);

	mp->nh_len = rbuf_u8(&r);
	mp->nh = rbuf_take(&r, mp->nh_len);
	rbuf_u8(&r); /* reserved */
	if (!rbuf_ok(&r))
		return &bad_mp;
	if (bgp_attr_dec_mp_family(a, mp, afi, safi) && !dec_nh_len_ok(a, mp))
		return &bad_nh;
	if (mp->known)
		dec_shorten_nh(mp);
	mp->nlri = r.pos;
	mp->nlri_len = (uint32_t)rbuf_left(&r);
	return &left_out;
}

/* RFC 7606, 7.12 */
static const struct finding *
dec_check_mp_unreach(struct bgp_attrs *a, const struct attr_item *it)
{
	struct rbuf r = rbuf_of(it->val, it->len);
	struct bgp_mp *mp = &a->unreach;
	unsigned afi = rbuf_u16(&r), safi = rbuf_u8(&r);

	if (!rbuf_ok(&r))
		return &bad_mp;
	bgp_attr_dec_mp_family(a, mp, afi, safi);
	mp->nlri = r.pos;
	mp->nlri_len = (uint32_t)rbuf_left(&r);
	return &left_out;
}

/* RFC 6793, 6: confederation segments in it are ignored when merging. */
static const struct finding *
dec_check_as4_path(struct bgp_attrs *a, const struct attr_item *it)
{
	static const struct finding bad = { BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL,
		"AS4_PATH is malformed" };

	if (!it->len || !as_path_check(it->val, it->len, 4, true) ||
	    dec_path4_has_zero(it->val, it->len))
		return &bad;
	a->as4_path = it->val;
	a->as4_path_len = it->len;
	a->blob_max += it->len;
	return &left_out;
}

/* RFC 6793, 6 */
static const struct finding *
dec_check_as4_aggr(struct bgp_attrs *a, const struct attr_item *it)
{
	if (it->len != 8)
		return &bad_len_discard;
	if (!get_be32(it->val))
		return &aggr_zero;
	a->as4_aggr = it->val;
	return &left_out;
}

/* RFC 7311, 3.3 and 3.4 */
static const struct finding *
dec_check_aigp(struct bgp_attrs *a, const struct attr_item *it)
{
	static const struct finding bad = { BGP_SEV_ATTR_DISCARD, BGP_EU_OPTIONAL,
		"AIGP is malformed" };

	struct rbuf r = rbuf_of(it->val, it->len);

	(void)a;
	if (!it->len) /* RFC 7606, 4 */
		return &bad;
	while (rbuf_left(&r)) {
		unsigned type = rbuf_u8(&r), len = rbuf_u16(&r);

		if (len < 3 || (type == AIGP_TYPE_METRIC && len != AIGP_METRIC_LEN))
			return &bad;
		rbuf_take(&r, len - 3);
		if (!rbuf_ok(&r))
			return &bad;
	}
	return NULL;
}

#define OPT_TRANS (ATTR_F_OPTIONAL | ATTR_F_TRANSITIVE)

/* Well-known, optional transitive, optional non-transitive. PARTIAL means something with
 * optional transitive ones only (RFC 4271, 4.3). */
#define WELL_KNOWN  ATTR_F_TRANSITIVE, OPT_TRANS
#define OPT_TRANSIT OPT_TRANS, OPT_TRANS | ATTR_F_PARTIAL
#define OPT_LOCAL   ATTR_F_OPTIONAL, OPT_TRANS
/* Least length, mask and what may be more. */
#define LEN_IS(len)    (len), 0, 0
#define LEN_UNITS(len) (len), (len)-1, UINT16_MAX
#define LEN_ANY        0, 0, UINT16_MAX

/* MED, ORIGINATOR_ID, OTC: RFC 7606, 7.4, 7.9; RFC 9234, 5. LOCAL_PREF: RFC 7606, 7.5.
 * COMMUNITY, CLUSTER_LIST, extended communities: RFC 7606, 7.8, 7.10, 7.14. */
static const struct rule rules[256] = {
	[ATTR_ORIGIN] = { WELL_KNOWN, LEN_IS(1), dec_check_origin },
	[ATTR_AS_PATH] = { WELL_KNOWN, LEN_ANY, dec_check_as_path },
	[ATTR_NEXT_HOP] = { WELL_KNOWN, LEN_IS(4), bgp_attr_dec_check_next_hop },
	[ATTR_MED] = { OPT_LOCAL, LEN_IS(4), NULL },
	[ATTR_LOCAL_PREF] = { WELL_KNOWN, LEN_IS(4), NULL },
	[ATTR_ATOMIC_AGGR] = { WELL_KNOWN, LEN_ANY, dec_check_atomic_aggr },
	[ATTR_AGGREGATOR] = { OPT_TRANSIT, LEN_ANY, dec_check_aggregator },
	[ATTR_COMMUNITY] = { OPT_TRANSIT, LEN_UNITS(4), NULL },
	[ATTR_ORIGINATOR_ID] = { OPT_LOCAL, LEN_IS(4), NULL },
	[ATTR_CLUSTER_LIST] = { OPT_LOCAL, LEN_UNITS(4), NULL },
	[ATTR_MP_REACH] = { OPT_LOCAL, LEN_ANY, dec_check_mp_reach },
	[ATTR_MP_UNREACH] = { OPT_LOCAL, LEN_ANY, dec_check_mp_unreach },
	[ATTR_EXT_COMMUNITY] = { OPT_TRANSIT, LEN_UNITS(8), NULL },
	[ATTR_AS4_PATH] = { OPT_TRANSIT, LEN_ANY, dec_check_as4_path },
	[ATTR_AS4_AGGREGATOR] = { OPT_TRANSIT, LEN_ANY, dec_check_as4_aggr },
	[ATTR_AIGP] = { OPT_LOCAL, LEN_ANY, dec_check_aigp },
	[ATTR_LARGE_COMMUNITY] = { OPT_TRANSIT, LEN_ANY, dec_check_list12 },
	[ATTR_OTC] = { OPT_TRANSIT, LEN_IS(4), NULL },
};

/* Codes that a peer of this kind must not send; the attributes are ignored whatever their
 * value. LOCAL_PREF and the attributes of reflection from other ASes: RFC 7606, 7.5, 7.9,
 * 7.10. AS4_PATH and AS4_AGGREGATOR from a speaker of 4-octet AS numbers: RFC 6793, 6.
 * AIGP on a session without AIGP: RFC 7311, 3.4. */
static uint64_t
bgp_attr_dec_unwanted(const struct bgp_params *p)
{
	uint64_t codes = 0;

	if (!p->ibgp)
		codes |= CODE_BIT(ATTR_ORIGINATOR_ID) | CODE_BIT(ATTR_CLUSTER_LIST);
	if (!p->ibgp && !p->confed && !p->allow_local_pref)
		codes |= CODE_BIT(ATTR_LOCAL_PREF);
	if (p->as4)
		codes |= CODE_BIT(ATTR_AS4_PATH) | CODE_BIT(ATTR_AS4_AGGREGATOR);
	if (!p->aigp)
		codes |= CODE_BIT(ATTR_AIGP);
	return codes;
}

static void
dec_note_it(struct bgp_attrs *a, const struct finding *f, const uint8_t *p, size_t len)
{
	struct bgp_err err;

	err = bgp_err_make(f->severity, BGP_E_UPDATE, f->subcode, f->text);
	err.attr = len > 1 ? p[1] : 0;
	err.data = p;
	err.data_len = (uint16_t)(len < UINT16_MAX ? len : UINT16_MAX);
	if (f->severity == BGP_SEV_ATTR_DISCARD && a->discard_cnt < UINT8_MAX)
		a->discard_cnt++;
	bgp_err_note(&a->err, &err);
}

static inline void
bgp_attr_dec_note(
    struct bgp_attrs *a, const struct finding *f, const uint8_t *p, size_t len)
{
	if (f->severity != BGP_SEV_NONE)
		dec_note_it(a, f, p, len);
}

/* dec_sort_item - move the attribute behind the items to its place among the items (I1,
 * I3). */
static void
dec_sort_item(struct bgp_attrs *a)
{
	struct attr_item it = *a->end, *to = a->end++;

	for (; to[-1].code > it.code; to--)
		*to = to[-1];
	*to = it;
	a->blob_max += ATTR_HDR_LEN + it.len;
}

static const struct finding *
dec_check_unknown(struct attr_item *it)
{
	if (!(it->flags & ATTR_F_OPTIONAL))
		return &unknown_wellknown; /* RFC 7606 is silent: the route, not the
					      session */
	if (!(it->flags & ATTR_F_TRANSITIVE))
		return &left_out; /* RFC 4271, 9 */
	it->flags = OPT_TRANS | ATTR_F_PARTIAL;
	return NULL;
}

static inline bool
dec_flags_ok(const struct rule *rule, unsigned flags)
{
	return !((flags ^ rule->flags) & OPT_TRANS);
}

static inline bool
dec_len_ok(const struct rule *rule, unsigned len)
{
	return len - rule->min <= rule->more && !(len & rule->mask);
}

static bool
dec_is_mp(unsigned code)
{
	return code == ATTR_MP_REACH || code == ATTR_MP_UNREACH;
}

/* Wrong flags cost the routes (RFC 7606, 3 c); those in the MP attributes must be known
 * for that (3 j). AIGP alone has a rule of its own (RFC 7311, 3). */
static const struct finding *
dec_check_bad_flags(
    struct bgp_attrs *a, const struct rule *rule, const struct attr_item *it)
{
	if (it->code == ATTR_AIGP)
		return &bad_flags_discard;
	if (dec_is_mp(it->code)) {
		const struct finding *f = rule->check(a, it);

		if (f->severity == BGP_SEV_RESET)
			return f;
	}
	return &bad_flags;
}

static const struct finding *
dec_check_known(struct bgp_attrs *a, const struct rule *rule, struct attr_item *it)
{
	if (!dec_flags_ok(rule, it->flags))
		return dec_check_bad_flags(a, rule, it);
	it->flags &= rule->keep;
	if (!dec_len_ok(rule, it->len))
		return &bad_len;
	return rule->check ? rule->check(a, it) : NULL;
}

/* An attribute of any kind in the slot behind the items. @skip: unwanted codes. */
static const struct finding *
dec_read_any(struct bgp_attrs *a, struct attr_item *it, uint64_t skip)
{
	const struct rule *rule = &rules[it->code];
	uint64_t *seen = &a->seen[it->code >> 6], bit = CODE_BIT(it->code & 63);
	const struct finding *f;

	if (*seen & bit)
		return dec_is_mp(it->code) ? &twice_mp : &twice; /* RFC 7606, 3 g */
	*seen |= bit;
	if (!rule->flags)
		f = dec_check_unknown(it);
	else if (skip & bit)
		return &left_out;
	else
		f = dec_check_known(a, rule, it);
	if (!f)
		dec_sort_item(a);
	return f;
}

/* dec_read_usual - the fast path of reading an attribute: a known code, seen for the
 * first time, higher than all codes before, with proper flags and length. Returns:
 * &unusual: another attribute; nothing has been done. */
static inline const struct finding *
dec_read_usual(
    struct bgp_attrs *a, struct attr_item *slot, struct attr_item is, uint64_t skip)
{
	const struct rule *rule = &rules[is.code];
	uint64_t bit = CODE_BIT(is.code & 63);

	if (!rule->flags || (a->seen[0] | skip) & bit)
		return &unusual;
	if (!dec_flags_ok(rule, is.flags) || !dec_len_ok(rule, is.len))
		return &unusual;
	if (slot[-1].code > is.code)
		return &unusual;
	is.flags &= rule->keep;
	*slot = is;
	a->seen[0] |= bit; /* rules are for codes below 64 */
	if (rule->check) {
		const struct finding *f = rule->check(a, slot);

		if (f)
			return f;
	}
	a->blob_max += ATTR_HDR_LEN + is.len;
	a->end++;
	return NULL;
}

/* dec_read_rest - note @len octets that are no whole attribute: RFC 7606, 4. If the
 * octets begin an MP attribute, the UPDATE has unreadable NLRI (3 j). */
static void
dec_read_rest(struct bgp_attrs *a, const uint8_t *p, size_t len)
{
	a->framing = true;
	bgp_attr_dec_note(a, len > 1 && dec_is_mp(p[1]) ? &bad_mp : &bad_list, p, len);
}

/* dec_attrs_init - set the fields one by one: the struct is large, and later code sets
 * the other fields before reading the fields. */
static void
dec_attrs_init(struct bgp_attrs *a, const struct bgp_params *params)
{
	a->params = params;
	a->err = BGP_OK;
	a->discard_cnt = 0;
	a->framing = false;
	memset(a->seen, 0, sizeof(a->seen));
	a->reach.there = a->reach.known = false;
	a->unreach.there = a->unreach.known = false;
	a->next_hop = a->as4_path = a->as4_aggr = NULL;
	a->blob_max = 0;
	a->item[0].code = 0; /* I3 */
	a->end = a->item + 1;
}

void
bgp_attrs_read(struct bgp_attrs *a, const struct bgp_params *params, struct rbuf r)
{
	uint64_t skip = bgp_attr_dec_unwanted(params);

	dec_attrs_init(a, params);
	while (rbuf_left(&r)) {
		struct attr_item *slot = a->end;
		const uint8_t *start = r.pos, *head = rbuf_take(&r, 3), *val;
		const struct finding *f;
		struct attr_item is;
		unsigned len = 0;

		if (likely(head)) {
			len = head[2];
			if (head[0] & ATTR_F_EXTLEN)
				len = len << 8 | rbuf_u8(&r);
		}
		val = rbuf_take(&r, len);
		if (unlikely(!rbuf_ok(&r))) { /* RFC 7606, 4 */
			dec_read_rest(a, start, (size_t)(r.end - start));
			return;
		}
		is = (struct attr_item){ head[0], head[1], len, val };
		f = dec_read_usual(a, slot, is, skip);
		if (unlikely(f == &unusual)) {
			*slot = is;
			f = dec_read_any(a, slot, skip);
		}
		if (f)
			bgp_attr_dec_note(a, f, start, (size_t)(r.pos - start));
	}
}

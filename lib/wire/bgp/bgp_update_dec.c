/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of UPDATE: split the message into withdrawn routes, attributes and NLRI,
 * decide the effect of the findings on the whole message (RFC 7606, 3 and 5), and return
 * ranges of octets in place.
 *
 * I1  All NLRI of the message are checked before the first range is returned:
 *     treat-as-withdraw needs all announced prefixes (RFC 7606, 3 j).
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_update_dec.h"

#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_attr_dec.h"
#include "lib/wire/rbuf.h"

/* The message, divided into its three parts (RFC 4271, 4.3). */
struct parts {
	struct rbuf withdrawn, attrs, nlri;
};

static void
bgp_update_dec_find(
    struct bgp_update *u, enum bgp_severity sev, unsigned subcode, const char *text)
{
	struct bgp_err err = bgp_err_make(sev, BGP_E_UPDATE, subcode, text);

	bgp_err_note(&u->err, &err);
}

static bool
bgp_update_dec_split(struct parts *p, const uint8_t *body, size_t len)
{
	struct rbuf r = rbuf_of(body, len);

	p->withdrawn = rbuf_sub(&r, rbuf_u16(&r));
	p->attrs = rbuf_sub(&r, rbuf_u16(&r));
	p->nlri = r;
	return rbuf_ok(&r);
}

/* Check a run of NLRI. @ids: bgp_params.ids. Returns: false: they can't be read. */
static bool
dec_read_nlri(
    struct bgp_nlri *out, enum family fam, uint8_t ids, const uint8_t *p, size_t len)
{
	bool with_ids = ids & FAM_BIT(fam);
	int cnt = with_ids ? nlri_check_ids(fam, p, len) : nlri_check(fam, p, len);

	*out = (struct bgp_nlri){ p, (uint32_t)len, cnt > 0 ? (uint32_t)cnt : 0,
		with_ids ? NLRI_ID_LEN : 0 };
	return cnt >= 0;
}

static void
dec_add_unreach(struct bgp_update *u, enum family fam, const struct bgp_nlri *nlri)
{
	u->unreach[u->unreach_cnt++] = (struct bgp_unreach){ (uint8_t)fam, *nlri };
}

static void
dec_add_reach(struct bgp_update *u, enum family fam, const struct bgp_nlri *nlri)
{
	u->reach[u->reach_cnt++] = (struct bgp_reach){ (uint8_t)fam, *nlri, NULL, 0 };
}

/* Withdrawn routes and NLRI of the message's own fields. Returns: false: they can't be
 * read. */
static bool
bgp_update_dec_classic(
    struct bgp_update *u, const struct parts *p, const struct bgp_params *params)
{
	bool wanted = params->fam & FAM_BIT(FAM_IP4);
	struct bgp_nlri nlri;

	if (rbuf_left(&p->withdrawn)) { /* RFC 7606, 3 i */
		if (!dec_read_nlri(&nlri, FAM_IP4, params->ids, p->withdrawn.pos,
			rbuf_left(&p->withdrawn)))
			return false;
		if (wanted)
			dec_add_unreach(u, FAM_IP4, &nlri);
	}
	if (rbuf_left(&p->nlri)) {
		if (!dec_read_nlri(
			&nlri, FAM_IP4, params->ids, p->nlri.pos, rbuf_left(&p->nlri)))
			return false;
		if (wanted)
			dec_add_reach(u, FAM_IP4, &nlri);
	}
	return true;
}

static bool
dec_take_mp(struct bgp_update *u, const struct bgp_attrs *a)
{
	struct bgp_nlri nlri;

	if (a->unreach.known && a->unreach.nlri_len) {
		if (!dec_read_nlri(&nlri, a->unreach.fam, a->params->ids, a->unreach.nlri,
			a->unreach.nlri_len))
			return false;
		dec_add_unreach(u, a->unreach.fam, &nlri);
	}
	if (a->reach.known && a->reach.nlri_len) {
		if (!dec_read_nlri(&nlri, a->reach.fam, a->params->ids, a->reach.nlri,
			a->reach.nlri_len))
			return false;
		dec_add_reach(u, a->reach.fam, &nlri);
	}
	return true;
}

/* Well-known mandatory attributes (RFC 7606, 3 d). LOCAL_PREF isn't one: RFC 4271, 5.1.5.
 */
static void
dec_check_missing(struct bgp_update *u, const struct bgp_attrs *a, bool classic)
{
	static const uint8_t code[] = { ATTR_ORIGIN, ATTR_AS_PATH, ATTR_NEXT_HOP };
	uint64_t all = 1ull << ATTR_ORIGIN | 1ull << ATTR_AS_PATH | 1ull << ATTR_NEXT_HOP;

	if (likely((a->seen[0] & all) == all))
		return;
	for (unsigned i = 0; i < ARRAY_LEN(code); i++) {
		struct bgp_err err;

		if (bgp_attrs_has(a, code[i]) || (code[i] == ATTR_NEXT_HOP && !classic))
			continue;
		err = bgp_err_make(BGP_SEV_WITHDRAW, BGP_E_UPDATE, BGP_EU_MISSING,
		    "well-known mandatory attribute is missing");
		err.attr = code[i];
		err.data = &code[i];
		err.data_len = 1;
		bgp_err_note(&u->err, &err);
	}
}

/* The blob of a second reach: the first one's with another next hop. Returns: its length,
 * 0: no room. */
static uint32_t
dec_copy_blob(uint8_t *to, size_t cap, const struct bgp_reach *from, uint32_t nh_pos,
    const uint8_t *nh, unsigned nh_len)
{
	uint32_t old = ATTR_HDR_LEN + get_be16(from->blob + nh_pos + 2);
	uint32_t tail = from->blob_len - nh_pos - old;
	uint32_t len = nh_pos + ATTR_HDR_LEN + nh_len + tail;

	if (len > cap || len > WIRE_BLOB_MAX)
		return 0;
	memcpy(to, from->blob, nh_pos + 2);
	put_be16(to + nh_pos + 2, (uint16_t)nh_len);
	memcpy(to + nh_pos + ATTR_HDR_LEN, nh, nh_len);
	memcpy(to + nh_pos + ATTR_HDR_LEN + nh_len, from->blob + nh_pos + old, tail);
	return len;
}

/* Canonical octets for each reach. Returns: false: no room. */
static bool
dec_write_blobs(struct bgp_update *u, const struct bgp_attrs *a, bool classic,
    uint8_t *blob, size_t cap)
{
	uint32_t nh_pos = 0, used = 0;

	for (unsigned i = 0; i < u->reach_cnt; i++) {
		struct bgp_reach *r = &u->reach[i];
		bool from_nlri = classic && i == 0; /* else of MP_REACH */
		const uint8_t *nh = from_nlri ? a->next_hop : a->reach.nh;
		unsigned nh_len = from_nlri ? 4 : a->reach.nh_len;

		if (i == 0) {
			r->blob_len = bgp_attrs_write(a, nh, nh_len, blob, cap, &nh_pos);
		} else if (nh_len == 4 && !memcmp(nh, a->next_hop, 4)) {
			*r = (struct bgp_reach){ r->fam, r->nlri, blob, used };
			continue;
		} else {
			r->blob_len = dec_copy_blob(
			    blob + used, cap - used, &u->reach[0], nh_pos, nh, nh_len);
		}
		if (!r->blob_len)
			return false;
		r->blob = blob + used;
		used += r->blob_len;
	}
	return true;
}

/* RFC 4724, 2: nothing at all, or an empty MP_UNREACH alone. */
static uint8_t
bgp_update_dec_end_of_rib(const struct parts *p, const struct bgp_attrs *a)
{
	if (rbuf_left(&p->withdrawn) || rbuf_left(&p->nlri) || bgp_attrs_other(a))
		return 0;
	if (!rbuf_left(&p->attrs))
		return a->params->fam & FAM_BIT(FAM_IP4);
	return a->unreach.known && !a->unreach.nlri_len ? FAM_BIT(a->unreach.fam) : 0;
}

/* What the findings mean for the whole, once all is read. */
static void
bgp_update_dec_judge(
    struct bgp_update *u, const struct bgp_attrs *a, const struct parts *p)
{
	bool classic = rbuf_left(&p->nlri) != 0;
	bool reach = classic || (a->reach.there && a->reach.nlri_len);

	if (reach && !a->framing)
		dec_check_missing(u, a, classic);
	/* The message may have NLRI that were not found (RFC 7606, 5.2). */
	if (u->err.severity >= BGP_SEV_WITHDRAW && !reach && bgp_attrs_other(a))
		u->err.severity = BGP_SEV_RESET;
}

enum bgp_severity
bgp_update_decode(const struct bgp_params *params, const uint8_t *body, size_t len,
    struct bgp_update *out, uint8_t *blob, size_t blob_cap)
{
	bool ip4 = params->fam & FAM_BIT(FAM_IP4), classic;
	struct bgp_attrs a;
	struct parts p;

	out->err = BGP_OK;
	out->unreach_cnt = out->reach_cnt = out->eor = out->discard_cnt = 0;
	if (!bgp_update_dec_split(&p, body, len)) {
		bgp_update_dec_find(
		    out, BGP_SEV_RESET, BGP_EU_ATTR_LIST, "lengths in UPDATE are wrong");
		return BGP_SEV_RESET;
	}
	if (!bgp_update_dec_classic(out, &p, params)) {
		bgp_update_dec_find(
		    out, BGP_SEV_RESET, BGP_EU_NETWORK, "NLRI can't be read");
		return BGP_SEV_RESET;
	}
	bgp_attrs_read(&a, params, p.attrs);
	out->err = a.err;
	out->discard_cnt = a.discard_cnt;
	if (out->err.severity != BGP_SEV_RESET && !dec_take_mp(out, &a))
		bgp_update_dec_find(out, BGP_SEV_RESET, BGP_EU_OPTIONAL,
		    "NLRI in MP attribute can't be read");
	if (out->err.severity == BGP_SEV_RESET)
		return BGP_SEV_RESET;
	bgp_update_dec_judge(out, &a, &p);
	classic = ip4 && rbuf_left(&p.nlri);
	if (out->err.severity < BGP_SEV_WITHDRAW &&
	    !dec_write_blobs(out, &a, classic, blob, blob_cap))
		bgp_update_dec_find(
		    out, BGP_SEV_WITHDRAW, BGP_EU_ATTR_LIST, "attributes are too long");
	if (out->err.severity >= BGP_SEV_WITHDRAW)
		for (unsigned i = 0; i < out->reach_cnt; i++)
			out->reach[i].blob = NULL;
	out->eor = bgp_update_dec_end_of_rib(&p, &a);
	return out->err.severity;
}

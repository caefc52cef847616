/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATE: first octet what the session negotiated, then the body. What is accepted must
 * be canonical, and must come back unchanged when it is encoded for a session of the same
 * kind. */
#include "lib/base/check.h"
#include "lib/base/hash.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "test/lib/wire.h"
#include <errno.h>

#define PAD 16

static uint8_t blob[BGP_BLOB_CAP(BGP_MSG_EXT_MAX)], blob2[BGP_BLOB_CAP(BGP_MSG_EXT_MAX)];
static uint8_t out[3 * BGP_MSG_EXT_MAX];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* What goes out for a class of any kind is a list of attributes in ascending order that
 * keeps to its bound. */
static void
check_class(const struct wire_set *set, enum family fam, uint32_t bits)
{
	struct wbuf enc = wbuf_of(out, bgp_attr_bound(set));
	struct bgp_class c;
	const uint8_t *p, *end;
	int n, last = -1;

	bgp_class_init(&c);
	c.nh4 = bits & 1 ? ip4(0xc0000201) : IP_NONE;
	c.nh6 = bits & 2 ? (struct ip_addr){ 0x20010db8ull << 32, 1 } : IP_NONE;
	c.nh6_ll = bits & 4 ? (struct ip_addr){ 0xfe80ull << 48, 1 } : IP_NONE;
	c.prepend_as = bits & 8 ? bits : 0;
	c.originator_id = bits & 16 ? 1 : 0;
	c.cluster_id = bits & 32 ? 2 : 0;
	c.otc = bits & 64 ? 3 : 0;
	c.next_hop = (bits >> 7) % 3;
	c.as4 = bits >> 9 & 1;
	c.mp4 = bits >> 10 & 1;
	c.send_local_pref = bits >> 11 & 1;
	c.send_med = bits >> 12 & 1;
	c.send_reflect = bits >> 13 & 1;
	c.send_aigp = bits >> 14 & 1;
	c.strip_ec = bits >> 15 & 1;
	c.confed = bits >> 16 & 1;
	c.keep_confed = bits >> 17 & 1;
	n = bgp_attr_encode(&c, fam, set, &enc);
	ASSERT(!enc.bad && (n > 0 || n == -EINVAL || (n == -E2BIG && set->len > 60000)));
	p = out + 1 + out[0];
	end = out + (n > 0 ? n : 0);
	while (p < end) {
		bool ext = p[0] & ATTR_F_EXTLEN;
		size_t len = ext ? get_be16(p + 2) : p[2];

		ASSERT(p[1] > last && (size_t)(end - p) >= 3u + ext + len);
		last = p[1];
		p += 3u + ext + len;
	}
}

/* fit - octets of as many of its prefixes as fit into @room. */
static size_t
fuzz_update_fit(const struct bgp_reach *r, size_t room)
{
	const struct bgp_nlri *n = &r->nlri;

	return n->len < room ? n->len
	       : n->id_len   ? nlri_fit_ids(n->p, n->len, room)
			     : nlri_fit((enum family)r->fam, n->p, n->len, room);
}

/* check_nlri - @n is what it says, with identifiers where they were negotiated. */
static void
fuzz_update_check_nlri(const struct bgp_params *p, uint8_t fam, const struct bgp_nlri *n)
{
	bool ids = p->ids & FAM_BIT(fam);

	ASSERT(n->id_len == (ids ? NLRI_ID_LEN : 0));
	ASSERT((int)n->cnt == (ids ? nlri_check_ids((enum family)fam, n->p, n->len)
				   : nlri_check((enum family)fam, n->p, n->len)));
}

static void
check_reach(const struct bgp_params *p, const struct bgp_reach *r)
{
	struct wire_set *set = wire_new(r->blob, r->blob_len);
	struct wbuf enc = wbuf_of(out, sizeof(out)), msgs;
	uint32_t bits = (uint32_t)hash_bytes(1, r->blob, r->blob_len);
	struct bgp_update u;
	struct bgp_class c;
	int n;

	for (unsigned i = 0; i < 4; i++, bits = bits * 1664525 + 1013904223)
		check_class(set, (enum family)r->fam, bits >> 8);
	bgp_class_init(&c);
	c.mp4 = r->fam == FAM_IP4 && !ip_is_v4(wire_next_hop(set));
	c.msg_max = BGP_MSG_EXT_MAX;
	c.as4 = p->as4;
	c.send_local_pref = (set->has & WIRE_HAS_LOCAL_PREF) != 0;
	c.send_reflect = c.send_aigp = c.keep_confed = 1;
	c.ids = r->nlri.id_len != 0;
	if (ip_is_none(wire_next_hop(set))) {
		free(set);
		return;
	}
	n = bgp_attr_encode(&c, (enum family)r->fam, set, &enc);
	ASSERT(n > 0);
	ASSERT((size_t)n <= bgp_attr_bound(set));
	msgs = wbuf_of(out + n, sizeof(out) - (size_t)n - PAD);
	n = bgp_update_pack(&c,
	    &(struct bgp_update_parts){
		(enum family)r->fam, out, (size_t)n, r->nlri.p, fuzz_update_fit(r, 300) },
	    &msgs);
	ASSERT(n == 1 || r->blob_len > BGP_MSG_EXT_MAX - 1000);
	/* AS4_PATH says nothing of confederations, so a path with them may lose
	 * octets. */
	if (n == 1 && (p->as4 || !p->confed)) {
		size_t body_len = wbuf_len(&msgs) - BGP_HDR_LEN;

		ASSERT(bgp_update_decode(p, msgs.start + BGP_HDR_LEN, body_len, &u, blob2,
			   sizeof(blob2)) == BGP_SEV_NONE);
		ASSERT(u.reach_cnt == 1 && u.reach[0].blob_len == r->blob_len);
		ASSERT(!memcmp(u.reach[0].blob, r->blob, r->blob_len));
	}
	free(set);
}

static void
check_update(const struct bgp_params *p, const struct bgp_update *u)
{
	for (unsigned i = 0; i < u->unreach_cnt; i++)
		fuzz_update_check_nlri(p, u->unreach[i].fam, &u->unreach[i].nlri);
	for (unsigned i = 0; i < u->reach_cnt; i++) {
		const struct bgp_reach *r = &u->reach[i];
		struct attr_item it;
		uint32_t pos = 0;
		int last = -1;

		fuzz_update_check_nlri(p, r->fam, &r->nlri);
		ASSERT((r->blob == NULL) == (u->err.severity >= BGP_SEV_WITHDRAW));
		if (!r->blob)
			continue;
		while (attr_item_next(&it, r->blob, r->blob_len, &pos)) {
			ASSERT(it.code > last);
			last = it.code;
		}
		ASSERT(pos == r->blob_len);
		check_reach(p, r);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct bgp_params p = { .fam = 3 };
	struct bgp_update u;
	uint8_t *body;

	if (!len || len > BGP_MSG_EXT_MAX)
		return 0;
	p.as4 = !(data[0] & 1);
	p.ibgp = data[0] & 2;
	p.confed = data[0] & 4;
	p.aigp = data[0] & 8;
	p.ext_next_hop = data[0] & 16;
	if (data[0] & 32)
		p.fam = FAM_BIT(FAM_IP6);
	p.ids = data[0] >> 6;
	body = malloc(len - 1 + PAD);
	if (!body)
		return 0;
	memcpy(body, data + 1, len - 1);
	memset(body + len - 1, 0, PAD);
	if (bgp_update_decode(&p, body, len - 1, &u, blob, sizeof(blob)) < BGP_SEV_RESET)
		check_update(&p, &u);
	free(body);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Canonical octets (lib/attr/attr.h) of the attributes that bgp_attrs_read has checked:
 * headers of one form, NEXT_HOP in its place, and the two pairs of attributes of a peer
 * with 2-octet AS numbers merged (RFC 6793, 4.2.3).
 *
 * No state; any thread. Tested by test/unit/test_bgp_attr_dec.c and
 * test/prop/prop_codec.c. */
#include "lib/wire/bgp/bgp_attr_dec.h"

#include "lib/attr/as_path.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/community.h"
#include "lib/wire/octets.h"

static uint8_t *
bgp_attr_canon_put_head(uint8_t *to, uint8_t flags, uint8_t code, uint32_t len)
{
	put_be32(to, (uint32_t)flags << 24 | (uint32_t)code << 16 | len);
	return to + ATTR_HDR_LEN;
}

/* AS_PATH of a peer with 2-octet numbers. @tmp has room for 2 * @it->len octets, to merge
 * AS4_PATH; NULL: nothing to merge. */
static uint8_t *
canon_put_path2(
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
	bgp_attr_canon_put_head(to, it->flags, it->code, len);
	return val + len;
}

/* AGGREGATOR of such a peer (RFC 6793, 4.2.3). */
static uint8_t *
canon_put_aggr2(const struct bgp_attrs *a, uint8_t *to, const struct attr_item *it)
{
	uint32_t as = get_be16(it->val);

	to = bgp_attr_canon_put_head(to, it->flags, it->code, 8);
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
canon_merge_applies(const struct bgp_attrs *a)
{
	if (!a->as4_path)
		return false;
	if (!a->as4_aggr)
		return true;
	for (const struct attr_item *it = a->item + 1; it < a->end; it++)
		if (it->code == ATTR_AGGREGATOR)
			return get_be16(it->val) == AS_TRANS;
	return true;
}

static uint8_t *
bgp_attr_canon_put_item(uint8_t *to, const struct attr_item *it)
{
	to = bgp_attr_canon_put_head(to, it->flags, it->code, it->len);
	octets_copy_padded(to, it->val, it->len);
	return to + it->len;
}

/* RFC 8092, 3: no value twice. */
static uint8_t *
canon_put_large(uint8_t *to, const struct attr_item *it)
{
	uint32_t len = comm_unique(to + ATTR_HDR_LEN, COMM_LARGE, it->val, it->len);

	return bgp_attr_canon_put_head(to, it->flags, it->code, len) + len;
}

uint32_t
bgp_attrs_write(const struct bgp_attrs *a, const uint8_t *nh, unsigned nh_len,
    uint8_t *blob, size_t cap, uint32_t *nh_pos)
{
	uint32_t max = a->blob_max + ATTR_HDR_LEN + nh_len;
	size_t room = max + OCTETS_PAD; /* bgp_attr_canon_put_item writes beyond */
	bool as2 = !a->params->as4, merge = as2 && canon_merge_applies(a);
	const struct attr_item *it = a->item + 1;
	uint8_t *to = blob;

	if (room > cap || max > WIRE_BLOB_MAX)
		return 0;
	for (; it < a->end && it->code < ATTR_NEXT_HOP; it++) {
		if (as2 && it->code == ATTR_AS_PATH) {
			if (merge && cap - room < 2u * it->len)
				return 0;
			to = canon_put_path2(
			    a, to, it, merge ? blob + cap - 2 * it->len : NULL);
		} else {
			to = bgp_attr_canon_put_item(to, it);
		}
	}
	*nh_pos = (uint32_t)(to - blob);
	to = bgp_attr_canon_put_head(to, ATTR_F_TRANSITIVE, ATTR_NEXT_HOP, nh_len);
	octets_copy_padded(to, nh, nh_len);
	to += nh_len;
	for (; it < a->end; it++) {
		if (as2 && it->code == ATTR_AGGREGATOR)
			to = canon_put_aggr2(a, to, it);
		else if (it->code == ATTR_LARGE_COMMUNITY)
			to = canon_put_large(to, it);
		else
			to = bgp_attr_canon_put_item(to, it);
	}
	return (uint32_t)(to - blob);
}

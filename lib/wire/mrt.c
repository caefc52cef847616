/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding of MRT records: tables and messages. No state; any thread.
 *
 * I1  The length of a record is written after the body. A bad writer leaves no octets
 *     that look like a record: the caller provides the room of the bounds, or discards
 *     the buffer.
 *
 * Tested by test/unit/test_mrt.c. */
#include "lib/wire/mrt.h"
#include "lib/attr/as_path.h"
#include "lib/attr/attr_def.h"

#include <errno.h>
#include <string.h>

/* mrt_record_begin - its header, without the length. Returns: where it begins; NULL:
 * there is no room. */
static uint8_t *
mrt_record_begin(struct wbuf *out, uint32_t time_s, unsigned type, unsigned subtype)
{
	uint8_t *start = out->pos;

	if (!wbuf_fits(out, MRT_HEADER_LEN))
		return NULL;
	put_be32(start, time_s);
	put_be16(start + 4, (uint16_t)type);
	put_be16(start + 6, (uint16_t)subtype);
	out->pos += MRT_HEADER_LEN;
	return start;
}

static void
mrt_record_end(struct wbuf *out, uint8_t *start)
{
	if (start && !out->bad)
		put_be32(start + 8, (uint32_t)(out->pos - start) - MRT_HEADER_LEN);
}

static void
mrt_put_addr(struct wbuf *out, struct ip_addr a, bool v6)
{
	if (!v6) {
		wbuf_u32(out, ip_to_v4(a));
	} else if (wbuf_fits(out, 16)) {
		ip_put16(out->pos, a);
		out->pos += 16;
	}
}

/* ---- tables ---- */

size_t
mrt_index_bound(uint32_t peer_cnt)
{
	return MRT_HEADER_LEN + 4 + 2 + MRT_VIEW_MAX + 2 +
	       (size_t)peer_cnt * (1 + 4 + 16 + 4);
}

void
mrt_index_put(struct wbuf *out, uint32_t time_s, uint32_t collector_id, const char *view,
    const struct mrt_peer *peer, uint32_t cnt)
{
	uint8_t *start = mrt_record_begin(
	    out, time_s, MRT_TABLE_DUMP_V2, MRT_PEER_INDEX_TABLE);
	size_t len = strnlen(view, MRT_VIEW_MAX);

	wbuf_u32(out, collector_id);
	wbuf_u16(out, (uint16_t)len);
	wbuf_bytes(out, view, len);
	wbuf_u16(out, (uint16_t)cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		bool v6 = !ip_is_v4(peer[i].addr);

		wbuf_u8(out, v6 ? MRT_PEER_IP6 | MRT_PEER_AS4 : MRT_PEER_AS4);
		wbuf_u32(out, peer[i].router_id);
		mrt_put_addr(out, peer[i].addr, v6);
		wbuf_u32(out, peer[i].as);
	}
	mrt_record_end(out, start);
}

void
mrt_rib_begin(struct mrt_rib *r, struct wbuf *out, const struct mrt_rib_head *h,
    const struct prefix *net)
{
	unsigned sub = net->fam == FAM_IP4 ? MRT_RIB_IPV4_UNICAST : MRT_RIB_IPV6_UNICAST;

	if (h->add_path)
		sub = net->fam == FAM_IP4 ? MRT_RIB_IPV4_UNICAST_ADDPATH
					  : MRT_RIB_IPV6_UNICAST_ADDPATH;
	*r = (struct mrt_rib){ .out = out, .add_path = h->add_path };
	r->start = mrt_record_begin(out, h->time_s, MRT_TABLE_DUMP_V2, sub);
	wbuf_u32(out, h->seq);
	if (wbuf_fits(out, PREFIX_WIRE_MAX + 2)) {
		out->pos += prefix_put(out->pos, net);
		r->cnt_at = out->pos;
		out->pos += 2;
	}
}

size_t
mrt_entry_bound(const struct wire_set *w)
{
	return 2 + 4 + 4 + 2 + (size_t)w->len;
}

/* mrt_attr_head - of an attribute as on the wire. */
static uint8_t *
mrt_attr_head(uint8_t *to, uint8_t flags, uint8_t code, size_t len)
{
	bool ext = len > 255;

	*to++ = (uint8_t)((flags & ~ATTR_F_EXTLEN) | (ext ? ATTR_F_EXTLEN : 0));
	*to++ = code;
	if (ext)
		*to++ = (uint8_t)(len >> 8);
	*to++ = (uint8_t)len;
	return to;
}

/* mrt_put_attrs - write the attributes of @w; the room suffices. The attributes take at
 * most the octets of the canonical form: a header has 3 octets instead of 4. Returns:
 * the end. */
static uint8_t *
mrt_put_attrs(uint8_t *to, const struct wire_set *w)
{
	struct attr_item it, hop = { .len = 0 };
	uint32_t pos = 0;
	bool more = attr_item_next(&it, w->data, w->len, &pos);

	while (more || hop.len) {
		/* in order of code, the next hop of IPv6 as MP_REACH_NLRI */
		if (hop.len && (!more || it.code > ATTR_MP_REACH)) {
			to = mrt_attr_head(
			    to, attr_flags(ATTR_MP_REACH), ATTR_MP_REACH, hop.len + 1u);
			*to++ = (uint8_t)hop.len;
			memcpy(to, hop.val, hop.len);
			to += hop.len;
			hop.len = 0;
			continue;
		}
		if (it.code == ATTR_NEXT_HOP && it.len > 4) {
			hop = it;
		} else {
			to = mrt_attr_head(to, it.flags, it.code, it.len);
			memcpy(to, it.val, it.len);
			to += it.len;
		}
		more = attr_item_next(&it, w->data, w->len, &pos);
	}
	return to;
}

int
mrt_rib_entry(struct mrt_rib *r, uint16_t peer, uint32_t time_s, uint32_t path_id,
    const struct wire_set *w)
{
	struct wbuf *out = r->out;
	uint8_t *to;

	if (r->cnt == MRT_ENTRIES_MAX)
		return -E2BIG;
	if (!wbuf_fits(out, mrt_entry_bound(w)))
		return 0; /* and bad */
	wbuf_u16(out, peer);
	wbuf_u32(out, time_s);
	if (r->add_path)
		wbuf_u32(out, path_id);
	to = mrt_put_attrs(out->pos + 2, w);
	put_be16(out->pos, (uint16_t)(to - out->pos - 2));
	out->pos = to;
	r->cnt++;
	return 0;
}

uint32_t
mrt_rib_end(struct mrt_rib *r)
{
	if (r->out->bad)
		return 0;
	if (!r->cnt) {
		r->out->pos = r->start;
		return 0;
	}
	put_be16(r->cnt_at, (uint16_t)r->cnt);
	mrt_record_end(r->out, r->start);
	return r->cnt;
}

/* ---- messages ---- */

/* mrt_as4_needed - AS numbers that don't fit into two octets must not be truncated,
 * whatever the session has; RFC 6396, 4.4.3. */
static bool
mrt_as4_needed(const struct mrt_session *s)
{
	return s->as4 || s->peer_as > UINT16_MAX || s->local_as > UINT16_MAX;
}

/* mrt_put_as2 - of a message on a session without 4-octet numbers (RFC 6793, 4.2.2). */
static void
mrt_put_as2(struct wbuf *out, uint32_t as)
{
	wbuf_u16(out, (uint16_t)(as > UINT16_MAX ? AS_TRANS : as));
}

static uint8_t *
mrt_bgp_begin(
    struct wbuf *out, uint64_t time_us, const struct mrt_session *s, unsigned sub)
{
	bool as4 = sub == MRT_STATE_CHANGE_AS4 || sub == MRT_MESSAGE_AS4 ||
		   sub == MRT_MESSAGE_AS4_LOCAL || sub == MRT_MESSAGE_AS4_ADDPATH ||
		   sub == MRT_MESSAGE_AS4_LOCAL_ADDPATH;
	struct ip_addr known = ip_is_none(s->peer) ? s->local : s->peer;
	bool v6 = !ip_is_none(known) && !ip_is_v4(known);
	uint8_t *start = mrt_record_begin(
	    out, (uint32_t)(time_us / 1000000), MRT_BGP4MP_ET, sub);

	wbuf_u32(out, (uint32_t)(time_us % 1000000));
	if (as4) {
		wbuf_u32(out, s->peer_as);
		wbuf_u32(out, s->local_as);
	} else {
		mrt_put_as2(out, s->peer_as);
		mrt_put_as2(out, s->local_as);
	}
	wbuf_u16(out, s->ifindex);
	wbuf_u16(out, v6 ? AFI_IP6 : AFI_IP4);
	mrt_put_addr(out, s->peer, v6);
	mrt_put_addr(out, s->local, v6);
	return start;
}

void
mrt_message_put(struct wbuf *out, uint64_t time_us, const struct mrt_session *s,
    bool local, bool add_path, const uint8_t *msg, size_t len)
{
	/* by add_path, local, as4 */
	static const uint8_t sub[2][2][2] = {
		{ { MRT_MESSAGE, MRT_MESSAGE_AS4 },
		    { MRT_MESSAGE_LOCAL, MRT_MESSAGE_AS4_LOCAL } },
		{ { MRT_MESSAGE_ADDPATH, MRT_MESSAGE_AS4_ADDPATH },
		    { MRT_MESSAGE_LOCAL_ADDPATH, MRT_MESSAGE_AS4_LOCAL_ADDPATH } },
	};
	uint8_t *start = mrt_bgp_begin(out, time_us, s, sub[add_path][local][s->as4]);

	wbuf_bytes(out, msg, len);
	mrt_record_end(out, start);
}

void
mrt_state_put(struct wbuf *out, uint64_t time_us, const struct mrt_session *s,
    unsigned old_state, unsigned new_state)
{
	uint8_t *start = mrt_bgp_begin(
	    out, time_us, s, mrt_as4_needed(s) ? MRT_STATE_CHANGE_AS4 : MRT_STATE_CHANGE);

	wbuf_u16(out, (uint16_t)old_state);
	wbuf_u16(out, (uint16_t)new_state);
	mrt_record_end(out, start);
}

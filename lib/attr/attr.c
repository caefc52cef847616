/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets: walks over the items of canonical octets, and wire_fill, which decodes
 * the fields of filters and best-route selection once per set.
 *
 * Canonical octets come from the decoder or from attr_edit. Walks still stop at an item
 * that would leave the string, so a bug in a writer causes no wild read.
 *
 * The file keeps no state. A filled set is immutable; any thread may read the set. */
#include "lib/attr/attr.h"
#include "lib/attr/as_path.h"
#include "lib/attr/community.h"

uint8_t
attr_flags(uint8_t code)
{
	switch (code) {
#define X(name, number, flags, filter_name, show_name)                                   \
	case number:                                                                     \
		return flags;
		ATTR_TABLE(X)
#undef X
	default:
		return ATTR_F_OPTIONAL | ATTR_F_TRANSITIVE;
	}
}

bool
attr_item_next(struct attr_item *it, const uint8_t *data, uint32_t len, uint32_t *pos)
{
	const uint8_t *p = data + *pos;
	uint32_t left = len - *pos;

	if (left < ATTR_HDR_LEN)
		return false;
	it->flags = p[0];
	it->code = p[1];
	it->len = get_be16(p + 2);
	it->val = p + ATTR_HDR_LEN;
	if (left - ATTR_HDR_LEN < it->len)
		return false;
	*pos += ATTR_HDR_LEN + it->len;
	return true;
}

/* Slot of an attribute plus 1; 0: it has none. */
static unsigned
attr_slot_of(uint8_t code)
{
	switch (code) {
	case ATTR_AS_PATH:
		return SLOT_AS_PATH + 1;
	case ATTR_NEXT_HOP:
		return SLOT_NEXT_HOP + 1;
	case ATTR_MED:
		return SLOT_MED + 1;
	case ATTR_LOCAL_PREF:
		return SLOT_LOCAL_PREF + 1;
	case ATTR_AGGREGATOR:
		return SLOT_AGGREGATOR + 1;
	case ATTR_COMMUNITY:
		return SLOT_COMMUNITY + 1;
	case ATTR_EXT_COMMUNITY:
		return SLOT_EXT_COMMUNITY + 1;
	case ATTR_LARGE_COMMUNITY:
		return SLOT_LARGE_COMMUNITY + 1;
	case ATTR_ORIGINATOR_ID:
		return SLOT_ORIGINATOR_ID + 1;
	case ATTR_CLUSTER_LIST:
		return SLOT_CLUSTER_LIST + 1;
	default:
		return 0;
	}
}

bool
wire_find(const struct wire_set *w, uint8_t code, struct attr_item *it)
{
	unsigned slot = attr_slot_of(code);
	uint32_t pos = 0;

	if (slot) {
		if (!w->off[slot - 1])
			return false;
		if (likely(w->off[slot - 1] != WIRE_FAR)) {
			pos = w->off[slot - 1] - 1u;
			return attr_item_next(it, w->data, w->len, &pos);
		}
	}
	while (attr_item_next(it, w->data, w->len, &pos)) {
		if (it->code == code)
			return true;
		if (it->code > code)
			return false;
	}
	return false;
}

/* A set does not store the next hop beside the octets: a segment needs the next hop once,
 * and sets are many. */
struct ip_addr
wire_next_hop(const struct wire_set *w)
{
	struct attr_item it;

	if (!wire_find(w, ATTR_NEXT_HOP, &it))
		return IP_NONE;
	return it.len == 4    ? ip4(get_be32(it.val))
	       : it.len >= 16 ? ip_get16(it.val)
			      : IP_NONE;
}

uint32_t
wire_path_last(const struct wire_set *w)
{
	struct attr_item it;

	return wire_slot(w, SLOT_AS_PATH, ATTR_AS_PATH, &it)
		   ? as_path_last(it.val, it.len)
		   : 0;
}

static void
attr_fill_path(struct wire_set *w, const struct attr_item *it)
{
	uint32_t len = as_path_len(it->val, it->len);

	w->path_len = (uint16_t)(len > UINT16_MAX ? UINT16_MAX : len);
	w->path_first = as_path_first(it->val, it->len);
}

/* attr_fill_communities - set the WIRE_HAS_* bits of the communities that best-route
 * selection reads. */
static void
attr_fill_communities(struct wire_set *w, const struct attr_item *it)
{
	for (uint32_t i = 0; i + 4 <= it->len; i += 4) {
		uint32_t c = get_be32(it->val + i);

		if (likely(c < COMM_LLGR_STALE))
			continue;
		if (c == COMM_LLGR_STALE)
			w->has |= WIRE_HAS_LLGR_STALE;
		else if (c == COMM_NO_LLGR)
			w->has |= WIRE_HAS_NO_LLGR;
	}
}

static void
attr_fill_one(struct wire_set *w, const struct attr_item *it)
{
	switch (it->code) {
	case ATTR_ORIGIN:
		if (it->len) {
			w->has |= WIRE_HAS_ORIGIN;
			w->origin = it->val[0];
		}
		break;
	case ATTR_AS_PATH:
		attr_fill_path(w, it);
		break;
	case ATTR_MED:
		if (it->len == 4)
			w->has |= WIRE_HAS_MED;
		break;
	case ATTR_LOCAL_PREF:
		if (it->len == 4)
			w->has |= WIRE_HAS_LOCAL_PREF;
		break;
	case ATTR_AIGP:
		w->has |= WIRE_HAS_AIGP;
		break;
	case ATTR_OTC:
		w->has |= WIRE_HAS_OTC;
		break;
	case ATTR_COMMUNITY:
		attr_fill_communities(w, it);
		break;
	default:
		break;
	}
}

void
wire_fill(struct wire_set *w)
{
	struct attr_item it;
	uint32_t pos = 0, start = 0;

	w->has = 0;
	w->origin = ORIGIN_INCOMPLETE;
	w->path_len = 0;
	w->path_first = 0;
	memset(w->off, 0, sizeof(w->off));
	while (attr_item_next(&it, w->data, w->len, &pos)) {
		unsigned slot = attr_slot_of(it.code);

		if (slot)
			w->off[slot - 1] = start + 1 < WIRE_FAR ? (uint8_t)(start + 1)
								: WIRE_FAR;
		attr_fill_one(w, &it);
		start = pos;
	}
}

_Static_assert(sizeof(struct custom_head) == 8, "the struct has no holes");

bool
custom_next(struct custom_item *it, const struct attr_set *s, uint32_t *pos)
{
	const uint8_t *p = (const uint8_t *)attr_custom(s) + *pos;
	uint32_t left = attr_custom_len(s) - *pos;
	struct custom_head h;

	if (left < sizeof(h))
		return false;
	memcpy(&h, p, sizeof(h));
	*it = (struct custom_item){ h.id, h.type, h.len, p + sizeof(h) };
	if (left - sizeof(h) < h.len)
		return false;
	*pos += (uint32_t)sizeof(h) + custom_padded(h.len);
	return true;
}

bool
custom_find(const struct attr_set *s, uint16_t id, struct custom_item *it)
{
	uint32_t pos = 0;

	while (custom_next(it, s, &pos)) {
		if (it->id == id)
			return true;
		if (it->id > id)
			return false;
	}
	return false;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets: the contents of a route without prefix, source and time.
 *
 * A set consists of two immutable, interned objects (nest/attr_store):
 * - struct wire_set holds the path attributes; encodings and messages are found by wire
 *   set.
 * - struct attr_set adds the values that a filter can write besides: preference, IGP
 *   metric, destination, custom attributes; segments and answers are found by attribute
 *   set.
 * Most wire sets have one attr_set, and the attr_set is then embedded in the wire set.
 *
 * Canonical octets. A wire_set keeps its path attributes as one string of items, in
 * ascending order of code, each code at most once:
 *      u8 flags | u8 code | u16 len (network order) | value
 * Flags are the flags on the wire, without EXTLEN; PARTIAL is kept as received. Values
 * are the octets of a session with 4-octet AS numbers, with these exceptions:
 * - NEXT_HOP has 4 octets, or 16 (IPv6 global) or 32 (global and link-local) from
 *   MP_REACH.
 * - AS_PATH has 4-octet segments; AS4_PATH is already merged (RFC 6793, 4.2.3).
 * - AGGREGATOR has 8 octets; AS4_AGGREGATOR is merged.
 * - MP_REACH, MP_UNREACH, AS4_PATH and AS4_AGGREGATOR never appear.
 * Two UPDATEs with equal contents give equal octets, and a transparent session sends a
 * set by little more than a copy.
 *
 * An attr_set keeps custom attributes in ascending order of id, in host order:
 *      u16 id | u8 type | u8 0 | u32 len | value, filled up with zeros to a multiple of 8
 * The configuration's `attribute` declarations give the ids; a name keeps its id for the
 * life of the daemon.
 *
 * Loop: any thread may read a set that it has a reference on or found under RCU. */
#ifndef TERN_LIB_ATTR_ATTR_H
#define TERN_LIB_ATTR_ATTR_H

#include "lib/attr/attr_def.h"
#include "lib/attr/community.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rchash.h"
#include "lib/net/ip.h"

#define WIRE_BLOB_MAX  65535 /* octets of one canonical string */
#define ATTR_HDR_LEN   4
#define CUSTOM_MAX_LEN 524280 /* octets of a set's custom attributes: 65,535 words */

/* Which attributes have a slot in wire_set.off. */
enum attr_slot {
	SLOT_AS_PATH,
	SLOT_NEXT_HOP,
	SLOT_MED,
	SLOT_LOCAL_PREF,
	SLOT_AGGREGATOR,
	SLOT_COMMUNITY,
	SLOT_EXT_COMMUNITY,
	SLOT_LARGE_COMMUNITY,
	SLOT_ORIGINATOR_ID,
	SLOT_CLUSTER_LIST,
	SLOT_CNT
};

#define WIRE_HAS_ORIGIN     0x01
#define WIRE_HAS_MED        0x02
#define WIRE_HAS_LOCAL_PREF 0x04
#define WIRE_HAS_OTC        0x08
#define WIRE_HAS_AIGP       0x10
#define WIRE_HAS_LLGR_STALE 0x20 /* the community (RFC 9494, 4.6) */
#define WIRE_HAS_NO_LLGR    0x40 /* the community NO_LLGR (RFC 9494, 4.6) */

/* How packets to the route's destination would go: RTD_* of the filter language. */
enum route_dest { DEST_UNICAST = 1, DEST_BLACKHOLE, DEST_UNREACHABLE, DEST_PROHIBIT };

/* Source of a route: RTS_* of the filter language. */
enum route_origin {
	RTS_STATIC = 1,
	RTS_INHERIT,
	RTS_DEVICE,
	RTS_BGP = 11,
	RTS_PIPE,
	RTS_RPKI
};

/* The part of an attr_set outside the wire set, compared and hashed by value. Owner: the
 * object that embeds the struct. Life: embedded in a set or an attr_edit. */
struct attr_local {
	uint32_t preference;
	uint32_t igp_metric; /* UINT32_MAX: unknown */
	uint8_t dest; /* enum route_dest */
	uint8_t rts; /* enum route_origin */
	/* words of custom attributes of the embedding attr_set; undefined in an
	 * attr_edit */
	uint16_t custom_words;
};

/* A wire set with local values; attr_custom finds the custom attributes behind the struct
 * or behind the wire set. Owner: none, the set is immutable. Life: until the count is 0
 * and a grace period has passed. Freed by: attr_store. */
struct attr_set {
	struct wire_set *wire; /* counted */
	struct counter32 refs; /* private to attr_store */
	struct attr_local local;
};

/* The path attributes of a route. Owner: none, the set is immutable. Life: until the
 * count is 0 and a grace period has passed. Freed by: attr_store. */
struct wire_set {
	struct rchash_node node; /* private to attr_store; holds the reference count */
	/* the attr_set that the wire set was allocated with, if any */
	struct attr_set embedded;
	uint16_t len; /* of data */
	/* AS_PATH length as the decision counts it: a set is 1, confederations 0 */
	uint16_t path_len;
	uint8_t has; /* WIRE_HAS_* */
	uint8_t origin; /* ORIGIN_*; INCOMPLETE if absent */
	/* of the item's header in data, plus 1; 0: absent; WIRE_FAR */
	uint8_t off[SLOT_CNT];
	uint32_t path_first; /* neighbour AS: leftmost of the first sequence; 0: none */
	/* canonical octets; from wire_custom_at on custom attributes of embedded */
	uint8_t data[];
};

/* off[slot]: the item begins at this offset or later; search for the item */
#define WIRE_FAR UINT8_MAX

_Static_assert(offsetof(struct wire_set, data) == 60,
    "the number of sets is the number of UPDATEs that differ");

/* attr_custom_len - octets of attr_custom: a multiple of 8. */
static inline uint32_t
attr_custom_len(const struct attr_set *s)
{
	return 8u * s->local.custom_words;
}

/* wire_custom_at - offset of the embedded attr_set's custom attributes in a wire set of
 * @len octets. */
static inline size_t
wire_custom_at(uint32_t len)
{
	return (offsetof(struct wire_set, data) + len + 7) & ~(size_t)7;
}

/* attr_custom - items as above. */
static inline uint64_t *
attr_custom(const struct attr_set *s)
{
	const uint8_t *w = (const uint8_t *)s->wire;

	if ((const uint8_t *)s - offsetof(struct wire_set, embedded) == w)
		return (uint64_t *)(uintptr_t)(w + wire_custom_at(s->wire->len));
	return (uint64_t *)(uintptr_t)(s + 1);
}

/* wire_lists - the lists of communities that @w has: bits 1 << enum comm_kind. */
#define WIRE_LISTS 0x07
static inline uint8_t
wire_lists(const struct wire_set *w)
{
	return (uint8_t)((w->off[SLOT_COMMUNITY] != 0) << COMM_STD |
			 (w->off[SLOT_EXT_COMMUNITY] != 0) << COMM_EXT |
			 (w->off[SLOT_LARGE_COMMUNITY] != 0) << COMM_LARGE);
}

/* An item of canonical octets. Owner: the caller. Life: on the stack; `val` points into
 * the set. */
struct attr_item {
	uint8_t flags, code;
	uint16_t len;
	const uint8_t *val;
};

/* attr_flags - flags of an attribute of @code that tern originates (ATTR_TABLE); optional
 * transitive for an unknown code. */
uint8_t attr_flags(uint8_t code);
/* attr_item_next - step through @len octets at @data; @pos starts at 0. Returns: false at
 * the end. */
bool attr_item_next(
    struct attr_item *it, const uint8_t *data, uint32_t len, uint32_t *pos);
/* wire_find - find the item of @code. Cost: O(1) for a code with a slot unless the slot
 * is WIRE_FAR, else O(items). Returns: true: the item exists. */
bool wire_find(const struct wire_set *w, uint8_t code, struct attr_item *it);
/* wire_slot - read the item of @code, an attribute with a slot. Returns: true: the item
 * exists. */
static inline bool
wire_slot(
    const struct wire_set *w, enum attr_slot slot, uint8_t code, struct attr_item *it)
{
	const uint8_t *p = w->data + w->off[slot] - 1;

	if (!w->off[slot])
		return false;
	if (unlikely(w->off[slot] == WIRE_FAR))
		return wire_find(w, code, it);
	*it = (struct attr_item){ p[0], p[1], get_be16(p + 2), p + ATTR_HDR_LEN };
	return true;
}

/* wire_med, wire_local_pref - the value; 0: the attribute is absent. The value is read
 * from the octets each time, because a decoded copy would cost memory in every set. */
static inline uint32_t
wire_med(const struct wire_set *w)
{
	struct attr_item it;

	return w->has & WIRE_HAS_MED && wire_slot(w, SLOT_MED, ATTR_MED, &it)
		   ? get_be32(it.val)
		   : 0;
}

static inline uint32_t
wire_local_pref(const struct wire_set *w)
{
	struct attr_item it;

	return w->has & WIRE_HAS_LOCAL_PREF &&
		       wire_slot(w, SLOT_LOCAL_PREF, ATTR_LOCAL_PREF, &it)
		   ? get_be32(it.val)
		   : 0;
}

/* wire_path_last - origin AS: rightmost of the path; 0 if it is empty or ends in a
 * set. */
uint32_t wire_path_last(const struct wire_set *w);
/* wire_next_hop - the (global) next hop; IP_NONE if absent. */
struct ip_addr wire_next_hop(const struct wire_set *w);
/* wire_fill - compute every field of @w but node, embedded from its len and data. */
void wire_fill(struct wire_set *w);

/* Header of a custom attribute in a set. The value is filled up to a multiple of 8
 * octets; attributes stand in order of ids. Owner: the set. Life: embedded in the set. */
struct custom_head {
	uint16_t id;
	uint8_t type; /* enum filter type; opaque here */
	uint8_t zero;
	uint32_t len; /* of the value, in octets */
};

/* custom_padded - octets of a value of @len octets in a set. */
static inline uint32_t
custom_padded(uint32_t len)
{
	return (len + 7u) & ~7u;
}

/* One custom attribute. Owner: the caller. Life: on the stack; `val` points into the
 * set. */
struct custom_item {
	uint16_t id;
	uint8_t type;
	uint32_t len;
	const void *val;
};

bool custom_next(struct custom_item *it, const struct attr_set *s, uint32_t *pos);
bool custom_find(const struct attr_set *s, uint16_t id, struct custom_item *it);

#endif

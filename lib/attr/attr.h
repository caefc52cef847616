/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets: what a route is, apart from its prefix, source and time.
 *
 * A set is two immutable, interned objects (nest/attr_store):
 *   struct wire_set  the path attributes; keys encodings and messages
 *   struct attr_set  a wire_set plus what a filter can write besides: preference, IGP
 * metric, destination, custom attributes; keys segments and answers
 * Most wire sets have one attr_set, which then is part of it.
 *
 * Canonical octets. The path attributes of a wire_set are kept as one string of items, in
 * ascending order of code, each at most once: u8 flags | u8 code | u16 len (network
 * order) | value flags: as on the wire, without EXTLEN; PARTIAL as received. Values are
 * as on the wire of a session with 4-octet AS numbers, with these exceptions: NEXT_HOP  4
 * octets; 16 (IPv6 global) or 32 (global and link-local) from MP_REACH AS_PATH   4-octet
 * segments; AS4_PATH is already merged (RFC 6793, 4.2.3) AGGREGATOR 8 octets,
 * AS4_AGGREGATOR merged MP_REACH, MP_UNREACH, AS4_PATH, AS4_AGGREGATOR never appear. So
 * two UPDATEs that say the same give the same octets, and a set for a transparent session
 * leaves by little more than a copy.
 *
 * Custom attributes of an attr_set are kept in the same way, in ascending order of id:
 *      u16 id | u8 type | u8 0 | u32 len | value, filled up with zeros to a multiple of 8
 * (host order). Ids are given by the configuration's `attribute` declarations; a name
 * keeps its id for the life of the daemon.  */
#ifndef TERN_LIB_ATTR_ATTR_H
#define TERN_LIB_ATTR_ATTR_H

#include "lib/attr/attr_def.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rchash.h"
#include "lib/net/ip.h"

#define WIRE_BLOB_MAX  65535 /* octets of one canonical string */
#define ATTR_HDR_LEN   4
#define CUSTOM_MAX_LEN 524280 /* octets of all custom attributes of a set: 65,535 words */

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
#define WIRE_HAS_NO_LLGR    0x40 /* likewise */

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

/* The part of an attr_set beside its wire part: compared and hashed by value. */
struct attr_local {
	uint32_t preference;
	uint32_t igp_metric; /* UINT32_MAX: unknown */
	uint8_t dest; /* enum route_dest */
	uint8_t rts; /* enum route_origin */
	/* of the set that it is in: length of custom in words; elsewhere any */
	uint16_t custom_words;
};

/* Custom attributes stand behind it or its wire set (attr_custom). owner: nobody,
 * immutable; lives: while counted; freed by: attr_store, after a grace period. */
struct attr_set {
	struct wire_set *wire; /* counted */
	struct counter32 refs; /* private to attr_store */
	struct attr_local local;
};

/* owner: nobody, immutable; lives: while counted; freed by: attr_store, after a grace
 * period. */
struct wire_set {
	struct rchash_node node; /* private to attr_store, which counts in it */
	struct attr_set own; /* the set that it was made for, if there was one */
	uint16_t len; /* of data */
	/* AS_PATH length as the decision counts it: a set is 1, confederations 0 */
	uint16_t path_len;
	uint8_t has; /* WIRE_HAS_* */
	uint8_t origin; /* ORIGIN_*; INCOMPLETE if absent */
	/* of the item's header in data, plus 1; 0: absent; WIRE_FAR */
	uint8_t off[SLOT_CNT];
	uint32_t path_first; /* neighbour AS: leftmost of the first sequence; 0: none */
	/* canonical octets; from wire_custom_at on custom attributes of own */
	uint8_t data[];
};

#define WIRE_FAR UINT8_MAX /* it is there, that far or farther: look for it */

_Static_assert(offsetof(struct wire_set, data) == 60,
    "there are as many sets as UPDATEs that differ");

/* attr_custom_len - octets of attr_custom: a multiple of 8. */
static inline uint32_t
attr_custom_len(const struct attr_set *s)
{
	return 8u * s->local.custom_words;
}

/* wire_custom_at - where in a wire set of @len octets those of its own set stand. */
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

	if ((const uint8_t *)s - offsetof(struct wire_set, own) == w)
		return (uint64_t *)(uintptr_t)(w + wire_custom_at(s->wire->len));
	return (uint64_t *)(uintptr_t)(s + 1);
}

/* An item of canonical octets. */
struct attr_item {
	uint8_t flags, code;
	uint16_t len;
	const uint8_t *val;
};

/* attr_flags - flags with which we originate an attribute of @code (ATTR_TABLE); optional
 * transitive for one that the table doesn't know. */
uint8_t attr_flags(uint8_t code);
/* attr_item_next - step through @len octets at @data; @pos starts at 0. Returns: false at
 * the end. */
bool attr_item_next(
    struct attr_item *it, const uint8_t *data, uint32_t len, uint32_t *pos);
/* wire_find - item of @code. Cost: O(1) for those with a slot, if they aren't far.
 * Returns: whether it is there. */
bool wire_find(const struct wire_set *w, uint8_t code, struct attr_item *it);
/* wire_slot - item of an attribute, whose code is @code, with a slot. Returns: whether it
 * is there. */
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

/* wire_med, wire_local_pref - 0 if absent or not of 4 octets. They aren't kept beside the
 * octets: sets are many. */
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
/* wire_fill - compute every field of @w but node, own from its len and data. */
void wire_fill(struct wire_set *w);

/* What stands before the value of a custom attribute in a set. The value is filled up to
 * a multiple of 8 octets, and attributes are in order of their ids. */
struct custom_head {
	uint16_t id;
	uint8_t type; /* enum filter type; opaque here */
	uint8_t zero;
	uint32_t len; /* of the value, in octets */
};

/* custom_padded - octets that a value of @len takes. */
static inline uint32_t
custom_padded(uint32_t len)
{
	return (len + 7u) & ~7u;
}

/* One custom attribute. */
struct custom_item {
	uint16_t id;
	uint8_t type;
	uint32_t len;
	const void *val;
};

bool custom_next(struct custom_item *it, const struct attr_set *s, uint32_t *pos);
bool custom_find(const struct attr_set *s, uint16_t id, struct custom_item *it);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of a segment: made by the first session of a class that needs the
 * messages, shared by the other sessions.
 *
 * Which calls may run at the same time: msg_cache_get from any number of sessions. The
 * first session that needs messages with the unchanged set claims the place in the
 * segment by one CAS, fills the place and then publishes the messages; a session that
 * finds the place claimed makes a variant. One CAS appends a variant to the segment's
 * list; if the list has SEG_VARIANTS variants, the caller keeps its variant for the
 * present callback.
 * Progress: lock-free.
 *
 * Loop: the session's; any number of sessions share a segment, as said above. */
#ifndef TERN_PROTO_BGP_OUT_MSG_CACHE_H
#define TERN_PROTO_BGP_OUT_MSG_CACHE_H

#include "lib/mt/atomic.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/msg_piece.h"
#include "nest/rib/stream/segment.h"
#include "proto/bgp/out/session_class.h"

struct tern;

#define SEG_VARIANTS 4

/* Messages outside the segment's own place: segment.slot is a list of variants; first
 * come, first kept. Owner: the segment. Freed by: msg_cache_free. */
struct msg_variant {
	struct pubptr next; /* next variant of the segment */
	uint64_t key; /* key of the class */
	struct wire_set *wire; /* counted; NULL: withdrawals */
	struct msg_piece msg; /* len 0: can't be encoded */
	/* block with the variant; the block of the message is counted too */
	struct bump_block *block;
};

/* bgp_seg_class - BGP's additions to segments. */
extern const struct seg_class bgp_seg_class;

/* msg_memory_init - register bgp_seg_class, and place messages in memory that the kernel
 * can send without copying, if the system supports such memory; msg_memory_fini - after
 * rcu_drain. Once, at start and end. */
void msg_memory_init(struct tern *t);
void msg_memory_fini(struct tern *t);

/* segment_quick - true if the segment has the messages for @cls with the unchanged set;
 * then quick_* may be read. */
static inline bool
segment_quick(const struct segment *s, const struct session_class *cls)
{
	return load_acquire64(&s->quick_key) == cls->key; /* pairs: SQUICK */
}

/* msg_cache_get - messages that announce @s's nets with @wire (NULL: withdraw the nets)
 * to class @cls. @a: memory for messages that cannot be cached; @built: set if this call
 * made the messages.
 * Returns: false: not encodable: treat as a withdrawal. */
bool msg_cache_get(struct table *t, struct segment *s, const struct session_class *cls,
    struct wire_set *wire, struct arena *a, struct msg_piece *out, bool *built);
/* msg_build - msg_cache_get for any nets, always in @a. */
bool msg_build(const struct table *t, const struct session_class *cls,
    struct wire_set *wire, const uint8_t *nlri, uint32_t nlri_len, struct arena *a,
    struct msg_piece *out);

#endif

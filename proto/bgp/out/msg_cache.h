/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of a segment: made by the first session of a class that needs them, shared
 * by the rest.
 *
 * Which calls may run at the same time: msg_cache_get from any number of sessions. The
 * first that needs messages with the set as it is claims the place in the segment by one
 * CAS, fills it and then says so; whoever meets it claimed makes a variant of its own. A
 * variant is put to the end of the segment's list by one CAS; when that has SEG_VARIANTS
 * the caller keeps its own for the present callback. Progress: lock-free.
 */
#ifndef TERN_PROTO_BGP_MSG_CACHE_H
#define TERN_PROTO_BGP_MSG_CACHE_H

#include "lib/mt/atomic.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/segment.h"
#include "proto/bgp/out/session_class.h"

struct tern;

/* msg_memory_init - let messages lie where the kernel can send them without copying, if
 * the system can do that; msg_memory_fini - after rcu_drain. Once, at start and end. */
void msg_memory_init(struct tern *t);
void msg_memory_fini(struct tern *t);

/* segment_quick - are the messages for @cls, with the set as it is, in the segment?
 * quick_* may be read then. */
static inline bool
segment_quick(const struct segment *s, const struct session_class *cls)
{
	return load_acquire64(&s->quick_key) == cls->key; /* pairs: SQUICK */
}

/* msg_cache_get - messages that announce @s's nets with @wire (NULL: withdraw them) to
 * class @cls.
 * @a: takes what can't be cached; @built: set if this call made them.
 * Returns: false if it can't be encoded: treat as a withdrawal. */
bool msg_cache_get(struct table *t, struct segment *s, const struct session_class *cls,
    struct wire_set *wire, struct arena *a, struct msg_piece *out, bool *built);
/* msg_build - the same for any nets, always in @a. */
bool msg_build(const struct table *t, const struct session_class *cls,
    struct wire_set *wire, const uint8_t *nlri, uint32_t nlri_len, struct arena *a,
    struct msg_piece *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Announcements, and numbers for announcements: path attributes and their encoding. The
 * daemon has one list, so an export table needs four octets a net, and sessions with
 * equal announcements share the rest.
 *
 * Which calls may run at the same time: all but announces_new and announces_free; any
 * thread that has joined RCU.
 * G1  A counted announcement is found by equal content and has one number.
 * G2  A number leads to its announcement, which stays valid until the reader's next
 *     quiescent state. After the announcement's end the number leads to nothing, or to a
 *     newer announcement.
 * Progress: lock-free. */
#ifndef TERN_PROTO_BGP_OUT_ANNOUNCE_H
#define TERN_PROTO_BGP_OUT_ANNOUNCE_H

#include "lib/mt/rchash.h"
#include "lib/mt/atomic.h"

struct announces;
struct attr_store;
struct wire_set;

/* How attributes go out, as the session's classes (bgp_sink.h) define. */
enum announce_look { LOOK_USUAL, LOOK_IBGP, LOOK_HOP_STAYS };

/* An announcement, immutable. Owner: the holders of references. Life: until the count is
 * 0 and a grace period has passed. Freed by: the last announce_put. */
struct announce {
	struct rchash_node node; /* private */
	struct wire_set *wire; /* counted */
	uint32_t originator_id; /* added to the set's attributes; 0: none */
	uint32_t id; /* not 0 */
	uint8_t look; /* enum announce_look */
};

OWNED struct announces *announces_new(struct attr_store *store);
/* announces_free - free the list; every reference was put. Waits for deferred frees. @as:
 * NULL: no effect. */
void announces_free(TAKE struct announces *as);

/* announce_equal - compare wire, originator_id and look, the fields of a key (wire is
 * borrowed). announce_get - the announcement equal to @key, with a reference. */
static inline bool
announce_equal(const struct announce *a, const struct announce *b)
{
	return a->wire == b->wire && a->originator_id == b->originator_id &&
	       a->look == b->look;
}
OWNED const struct announce *announce_get(
    struct announces *as, const struct announce *key);
void announce_put(struct announces *as, TAKE const struct announce *a);
/* announce_ref - take a further reference. Returns: false: the count is already 0. */
static inline bool
announce_ref(const struct announce *a)
{
	struct announce *mine = (struct announce *)(uintptr_t)a;

	return counter32_add_unless_zero(&mine->node.refs, 1);
}
/* announce_at - the announcement with number @id; NULL: none. */
const struct announce *announce_at(const struct announces *as, uint32_t id);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is announced, and numbers for it: path attributes and how they go out. One list
 * for the daemon, so that an export table needs four octets a net, and sessions that
 * announce alike share the rest.
 *
 * Which calls may run at the same time: all but announces_new and announces_free; any
 * thread that has joined RCU.
 * G1  What is counted is found by equal content, and has one number.
 * G2  A number leads to its announcement, which stays for who asks until his next
 *     quiescent state; or to nothing, or to another one, if it has gone.
 * Progress: lock-free. */
#ifndef TERN_PROTO_BGP_ANNOUNCE_H
#define TERN_PROTO_BGP_ANNOUNCE_H

#include "lib/mt/rchash.h"
#include "lib/mt/atomic.h"

struct announces;
struct attr_store;
struct wire_set;

/* How attributes go out, as the session's looks (bgp_sink.h) have it. */
enum announce_look { LOOK_USUAL, LOOK_IBGP, LOOK_HOP_STAYS };

/* Immutable; freed a grace period after its count has reached 0. */
struct announce {
	struct rchash_node node; /* private */
	struct wire_set *wire; /* counted */
	uint32_t originator_id; /* that it has beside its own attributes; or 0 */
	uint32_t id; /* not 0 */
	uint8_t look; /* enum announce_look */
};

OWNED struct announces *announces_new(struct attr_store *store);
/* announces_free - all have been put. Waits for what goes. @as: NULL: nothing. */
void announces_free(TAKE struct announces *as);
/* announces_cnt - how many there are; for tests. */
uint64_t announces_cnt(const struct announces *as);

/* announce_equal - do they say the same? Of a key wire (borrowed), originator_id and look
 * count. announce_get - what @key says, with a reference. */
static inline bool
announce_equal(const struct announce *a, const struct announce *b)
{
	return a->wire == b->wire && a->originator_id == b->originator_id &&
	       a->look == b->look;
}
OWNED const struct announce *announce_get(
    struct announces *as, const struct announce *key);
void announce_put(struct announces *as, TAKE const struct announce *a);
/* announce_ref - one more, unless it is going. Returns: whether there is one. */
static inline bool
announce_ref(const struct announce *a)
{
	struct announce *mine = (struct announce *)(uintptr_t)a;

	return counter32_add_unless_zero(&mine->node.refs, 1);
}
/* announce_at - of number @id; NULL: it has gone. */
const struct announce *announce_at(const struct announces *as, uint32_t id);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of sessions, interned: what messages to a peer look like (struct bgp_class).
 *
 * Which calls may run at the same time: session_class_get, _put from any thread that has
 * joined RCU. Progress: lock-free. A class goes with the last session of it: peers that
 * come back with other parameters leave nothing behind. Messages that were cached for it
 * may outlive it, so they know it by its key, which is never given again, and not by its
 * address. */
#ifndef TERN_PROTO_BGP_SESSION_CLASS_H
#define TERN_PROTO_BGP_SESSION_CLASS_H

#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_params.h"

struct announces;
struct attr_store;
struct class_registry;

struct session_class {
	uint64_t key; /* a number of its own, and ORIGINATOR_ID in the lower half */
	struct bgp_class bgp;
};

/* Routes that no message can hold, which one session tells for all. Any thread. */
struct bgp_unsent {
	struct pub64 cnt; /* not yet told */
	struct pub64 said_ns; /* when such were told last; 0: never */
};

OWNED struct class_registry *class_registry_new(void);
/* class_registry_free - all classes have been put. Waits for what goes. */
void class_registry_free(TAKE struct class_registry *r);
struct bgp_unsent *class_registry_unsent(struct class_registry *r);
/* class_registry_announces - of sessions with an export table: what they announce of sets
 * of @store. Made when the first asks, in the control worker; any thread afterwards. */
struct announces *class_registry_announces(
    struct class_registry *r, struct attr_store *store);
/* class_registry_cnt - how many there are; for tests. */
uint64_t class_registry_cnt(const struct class_registry *r);

/* session_class_get - a reference to the one object that equals @c. */
const struct session_class *session_class_get(
    struct class_registry *r, const struct bgp_class *c);
/* session_class_put - @c: NULL: nothing. */
void session_class_put(struct class_registry *r, const struct session_class *c);

/* session_class_from - @to: as @c, for a route that the peer with the router id
 * @originator_id sent us (RFC 4456, 8). It isn't interned: @to is good while @c is
 * held. */
static inline void
session_class_from(
    struct session_class *to, const struct session_class *c, uint32_t originator_id)
{
	*to = *c;
	to->key = (c->key & ~(uint64_t)UINT32_MAX) | originator_id;
	to->bgp.originator_id = originator_id;
}

#endif

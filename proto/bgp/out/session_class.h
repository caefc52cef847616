/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of sessions, interned: the encoding of messages to a peer (struct bgp_class).
 *
 * Which calls may run at the same time: session_class_get, _put from any thread that has
 * joined RCU. Progress: lock-free. A class ends with its last session; a peer that
 * returns with changed parameters leaves no class behind. Messages cached for a class may
 * outlive the class; the messages therefore store the key of the class, never reused, and
 * not the address. */
#ifndef TERN_PROTO_BGP_OUT_SESSION_CLASS_H
#define TERN_PROTO_BGP_OUT_SESSION_CLASS_H

#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_params.h"

struct announces;
struct attr_store;
struct class_registry;

/* An interned class. Owner: the holders of references. Life: until the count is 0 and a
 * grace period has passed. Freed by: the last session_class_put. */
struct session_class {
	uint64_t key; /* a unique number, with ORIGINATOR_ID in the lower half */
	struct bgp_class bgp;
};

/* Routes that no message can hold, logged by one session for all sessions. Any thread.
 * Owner: the class registry. Life: embedded in the registry. */
struct bgp_unsent {
	struct pub64 cnt; /* not yet logged */
	struct pub64 said_ns; /* time of the last log line; 0: never */
};

OWNED struct class_registry *class_registry_new(void);
/* class_registry_free - free the registry; all classes have been put. Waits for deferred
 * frees. */
void class_registry_free(TAKE struct class_registry *r);
struct bgp_unsent *class_registry_unsent(struct class_registry *r);
/* class_registry_announces - the announcements of sets of @store, for sessions with an
 * export table. The first call, in the control worker, creates the list; any thread
 * afterwards. */
struct announces *class_registry_announces(
    struct class_registry *r, struct attr_store *store);

/* session_class_get - the interned class equal to @c, with a reference. */
const struct session_class *session_class_get(
    struct class_registry *r, const struct bgp_class *c);
/* session_class_put - release a reference. @c: NULL: no effect. */
void session_class_put(struct class_registry *r, const struct session_class *c);

/* session_class_from - fill @to with @c for a route from the peer with the router id
 * @originator_id (RFC 4456, 8). @to is not interned, and is valid while @c is held. */
static inline void
session_class_from(
    struct session_class *to, const struct session_class *c, uint32_t originator_id)
{
	*to = *c;
	to->key = (c->key & ~(uint64_t)UINT32_MAX) | originator_id;
	to->bgp.originator_id = originator_id;
}

#endif

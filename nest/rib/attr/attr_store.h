/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store of interned attribute sets: equal attributes are one object. The daemon has
 * one store.
 *
 * Which calls may run at the same time: all but attr_store_new and attr_store_free; any
 * thread that has joined RCU.
 * G1  Two sets with equal content have one address while both live. Exception: a set
 *     whose count reached zero is dying and is never revived; until it is freed, a new
 *     set with equal content may exist.
 * G2  A set is freed a grace period after its count reached zero, and the references of a
 *     path are dropped a grace period after unlinking. A pointer read under RCU becomes a
 *     reference by attr_set_ref_live only.
 * Progress: lock-free. Owner of a set: the references. Life: see G2. Owner of the store:
 * the daemon, until attr_store_free. */
#ifndef TERN_NEST_RIB_ATTR_ATTR_STORE_H
#define TERN_NEST_RIB_ATTR_ATTR_STORE_H

#include "lib/attr/attr_edit.h"
#include "lib/mt/atomic.h"

struct attr_store;

OWNED struct attr_store *attr_store_new(void);
/* attr_store_free - after rcu_drain; all references are gone. */
void attr_store_free(TAKE struct attr_store *s);

/* attr_store_wire - the wire set of canonical octets, with a reference. */
OWNED struct wire_set *attr_store_wire(
    struct attr_store *s, const uint8_t *data, uint32_t len);
/* attr_store_intern - the set of canonical octets, @local and @custom octets, with a
 * reference. Hops in @custom must be interned (hops_interned), and the set takes
 * references to them; hops by value need attr_store_edit. The call costs less time and
 * memory than a request for the wire set first. */
OWNED struct attr_set *attr_store_intern(struct attr_store *s, const uint8_t *data,
    uint32_t len, const struct attr_local *local, const uint64_t *custom,
    uint32_t custom_len);
/* attr_store_set - the set of @wire (borrowed), @local and @custom octets, as above, with
 * a reference. */
OWNED struct attr_set *attr_store_set(struct attr_store *s, struct wire_set *wire,
    const struct attr_local *local, const uint64_t *custom, uint32_t custom_len);
/* attr_scratch - a set outside the store, for a filter to read and edit; the store makes
 * a set from the result. Lives in @a; references are not allowed. */
struct attr_set *attr_scratch(
    struct arena *a, const uint8_t *data, uint32_t len, const struct attr_local *local);
/* attr_store_edit - the result of an edit, whose base is a set of @s or a scratch set.
 * Returns: NULL: the attributes are too long (WIRE_BLOB_MAX). */
OWNED struct attr_set *attr_store_edit(struct attr_store *s, const struct attr_edit *e);
/* attr_store_empty - a set without attributes, to start an edit from; borrowed, lives as
 * the store. */
struct attr_set *attr_store_empty(struct attr_store *s);

/* attr_set_ref - take @cnt further references; the caller holds a reference. Returns:
 * @a. */
static inline struct attr_set *
attr_set_ref(struct attr_set *a, uint32_t cnt)
{
	counter32_add(&a->refs, cnt);
	return a;
}

static inline struct wire_set *
wire_set_ref(struct wire_set *w)
{
	counter32_add(&w->node.refs, 1);
	return w;
}

/* attr_set_ref_live - take a reference to a set read under RCU. Returns: false: the set
 * is dying. */
static inline bool
attr_set_ref_live(struct attr_set *a)
{
	return counter32_add_unless_zero(&a->refs, 1);
}

void attr_set_unref(struct attr_store *s, TAKE struct attr_set *a, uint32_t cnt);

/* attr_hold_put - replace the reference *@held (NULL: none) by @a (NULL: none), whose
 * reference moves to the holder. The previous reference is dropped. The pointer alone
 * says whether the holder has a reference: a bool beside the pointer fails when code
 * changes only one of the two. */
static inline void
attr_hold_put(struct attr_store *s, struct attr_set **held, TAKE struct attr_set *a)
{
	struct attr_set *old = *held;

	*held = a;
	if (old)
		attr_set_unref(s, old, 1);
}
void wire_set_unref(struct attr_store *s, TAKE struct wire_set *w);

/* Counts of the store. Owner: the caller; by value: nothing to free. */
struct attr_store_stats {
	uint64_t sets, wires, octets;
};
void attr_store_stats(struct attr_store *s, struct attr_store_stats *st);

#endif

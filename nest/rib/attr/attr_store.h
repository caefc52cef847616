/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned attribute sets: the same attributes are one object. One store for the daemon.
 *
 * Which calls may run at the same time: all but attr_store_new and attr_store_free; any
 * thread that has joined RCU.
 * G1  Two sets with equal content have one address while both live, but for a dying one:
 *     a set whose count has reached zero is never revived, and its new twin may coexist
 *     with it until it is freed.
 * G2  A set is freed a grace period after its count reached zero; so is what a path held
 *     when it was unlinked. A borrowed pointer read under RCU is turned into a reference
 *     by attr_set_ref_live only.
 * Progress: lock-free. */
#ifndef TERN_NEST_ATTR_STORE_H
#define TERN_NEST_ATTR_STORE_H

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
 * reference. Hops in @custom are interned ones (hops_interned), and the set has a
 * reference of its own on each; attr_store_edit is for those that are values. Costs less
 * time and memory than to ask for the wire set first. */
OWNED struct attr_set *attr_store_intern(struct attr_store *s, const uint8_t *data,
    uint32_t len, const struct attr_local *local, const uint64_t *custom,
    uint32_t custom_len);
/* attr_store_set - the set of @wire (borrowed), @local and @custom octets, as above, with
 * a reference. */
OWNED struct attr_set *attr_store_set(struct attr_store *s, struct wire_set *wire,
    const struct attr_local *local, const uint64_t *custom, uint32_t custom_len);
/* attr_scratch - a set that isn't interned, for a filter to look at and change; the store
 * makes a set of the result. Lives in @a; nobody may take a reference. */
struct attr_set *attr_scratch(
    struct arena *a, const uint8_t *data, uint32_t len, const struct attr_local *local);
/* attr_store_edit - the result of an edit, whose base is a set of @s or a scratch set.
 * Returns: NULL if it doesn't fit (WIRE_BLOB_MAX). */
OWNED struct attr_set *attr_store_edit(struct attr_store *s, const struct attr_edit *e);
/* attr_store_empty - a set without attributes, to start an edit from; borrowed, lives as
 * the store. */
struct attr_set *attr_store_empty(struct attr_store *s);

/* attr_set_ref - @cnt more references; the caller holds one. Returns: @a. */
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

/* attr_set_ref_live - a reference on a set that was read under RCU. Returns: false: it is
 * dying. */
static inline bool
attr_set_ref_live(struct attr_set *a)
{
	return counter32_add_unless_zero(&a->refs, 1);
}

void attr_set_unref(struct attr_store *s, TAKE struct attr_set *a, uint32_t cnt);

/* attr_hold_put - a holder's reference, *@held (NULL: none), becomes @a (NULL: none),
 * whose reference the holder takes over. The reference until now is dropped. The pointer
 * alone says whether there is a reference: a bool beside another pointer goes wrong when
 * somebody changes one of the two. */
static inline void
attr_hold_put(struct attr_store *s, struct attr_set **held, TAKE struct attr_set *a)
{
	struct attr_set *old = *held;

	*held = a;
	if (old)
		attr_set_unref(s, old, 1);
}
void wire_set_unref(struct attr_store *s, TAKE struct wire_set *w);

struct attr_store_stats {
	uint64_t sets, wires, octets;
};
void attr_store_stats(struct attr_store *s, struct attr_store_stats *st);

#endif

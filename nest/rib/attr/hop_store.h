/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned next hops: the same hop is one object, counted by the sets that have it. For
 * attr_store, which has one.
 *
 * Which calls may run at the same time: all but hop_store_init and hop_store_fini; any
 * thread that has joined RCU.
 * G1  Two hops that are the same have one address while both live, but for a dying one.
 * G2  A hop is freed a grace period after its count reached zero.
 * Progress: lock-free. */
#ifndef TERN_NEST_HOP_STORE_H
#define TERN_NEST_HOP_STORE_H

#include "lib/mt/rchash.h"

struct arena;

struct hop_store {
	struct rchash hops;
	uint64_t seed;
};

void hop_store_init(struct hop_store *s);
/* hop_store_fini - after rcu_drain; no set has a hop any more. */
void hop_store_fini(struct hop_store *s);

/* hops_intern - custom attributes whose hops are values, as they are in a set: in @a, and
 * with a reference on each hop. Returns: their length; @len, and *@custom as it is, if
 * there are no such hops. */
uint32_t hops_intern(
    struct hop_store *s, struct arena *a, uint64_t **custom, uint32_t len);
/* hops_interned - may custom attributes become those of a set? Not if they have hops that
 * are values. */
bool hops_interned(const uint64_t *custom, uint32_t len);
/* hops_ref, hops_unref - a reference more or less on each hop of custom attributes as
 * they are in a set. */
void hops_ref(const uint64_t *custom, uint32_t len);
void hops_unref(struct hop_store *s, const uint64_t *custom, uint32_t len);

#endif

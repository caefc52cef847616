/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned next hops: equal hops are one object, counted by the sets that contain the
 * hop. Part of the attribute store.
 *
 * Which calls may run at the same time: all but hop_store_init and hop_store_fini; any
 * thread that has joined RCU.
 * G1  Two equal hops have one address while both live, unless one is dying.
 * G2  A hop is freed a grace period after its count reached zero.
 * Progress: lock-free. Owner: the attribute store that embeds the struct. Life: until
 * hop_store_fini. */
#ifndef TERN_NEST_RIB_ATTR_HOP_STORE_H
#define TERN_NEST_RIB_ATTR_HOP_STORE_H

#include "lib/mt/rchash.h"

struct arena;

/* The store of hops. Owner: the attribute store that embeds the struct. Freed by:
 * hop_store_fini. */
struct hop_store {
	struct rchash hops;
	uint64_t seed;
};

void hop_store_init(struct hop_store *s);
/* hop_store_fini - after rcu_drain; no set has a hop any more. */
void hop_store_fini(struct hop_store *s);

/* hops_intern - copy custom attributes with hops by value to @a, in the form of a set,
 * with a reference to each interned hop. Returns: length of the copy; @len, with *@custom
 * unchanged, if @custom has no hops by value. */
uint32_t hops_intern(
    struct hop_store *s, struct arena *a, uint64_t **custom, uint32_t len);
/* hops_interned - false: the custom attributes have hops by value and cannot belong to a
 * set. */
bool hops_interned(const uint64_t *custom, uint32_t len);
/* hops_ref, hops_unref - take or drop a reference to each hop in the custom attributes of
 * a set. */
void hops_ref(const uint64_t *custom, uint32_t len);
void hops_unref(struct hop_store *s, const uint64_t *custom, uint32_t len);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned objects of a table image: next hops, origins, attribute sets. Equal objects
 * are stored once and have an index. The index of an object that lost its last reference
 * waits for two publications (fib_format.h, F5).
 *
 * Loop: the owner of the builder. */
#ifndef TERN_LIB_FIB_FIB_VALUE_H
#define TERN_LIB_FIB_FIB_VALUE_H

#include "lib/base/check.h"
#include <stdint.h>

/* An interned object. Owner: fib_intern. Freed by: the last drop. */
struct fib_object {
	uint32_t tag; /* 32 bits of the hash of the key */
	uint32_t index;
	uint32_t place; /* of an attribute set: its unit in the file; 0: not written */
	uint32_t len;
	uint8_t key[];
};

/* A free index. Owner: fib_intern. Life: by value. */
struct fib_index_free {
	uint32_t index;
	uint64_t freed; /* the publication that no longer needs the index */
};

/* An entry of the hash table. Owner: fib_intern. Life: by value. */
struct fib_name {
	uint32_t tag;
	uint32_t index; /* 0: the entry is empty */
};

/* Objects of one kind. Owner: the builder. Freed by: fib_intern_fini. */
struct fib_intern {
	/* a hash table with linear probing from entry @tag modulo @name_cap on. Tags
	 * decide places and nearly all comparisons, so a search reads one line of the
	 * cache and the object with the key */
	struct fib_name *name;
	uint32_t name_cap; /* a power of two; at most half of the entries are in use */
	uint64_t seed;
	struct fib_object **at; /* by index; NULL: free */
	/* references by index. A dense array lies in the caches, the objects do not */
	uint32_t *refs;
	uint32_t cap, refs_cap; /* room in @at and @refs */
	uint32_t top, max; /* indices below top were given out */
	uint32_t cnt;
	struct fib_index_free *wait; /* oldest first, from @wait_from on */
	uint32_t wait_cap, wait_cnt, wait_from;
	uint64_t usable; /* indices that were freed up to this publication may be used */
	uint32_t *fresh; /* indices that the file lacks */
	uint32_t fresh_cap, fresh_cnt;
	uint64_t octets, octets_max; /* of objects */
};

/* fib_intern_init - no object; @max: the largest index; @octets_max: of all objects. */
void fib_intern_init(struct fib_intern *t, uint32_t max, uint64_t octets_max);
void fib_intern_fini(struct fib_intern *t);
/* fib_intern_get - find or make the object with the key and take a reference. Returns:
 * the index; 0: all indices or octets are in use. */
uint32_t fib_intern_get(struct fib_intern *t, const void *key, uint32_t len);
/* fib_intern_fetch - begin to fetch the memory of a search for the key: step 0 the entry,
 * step 1 the pointer to the object, step 2 the object. */
void fib_intern_fetch(
    const struct fib_intern *t, const void *key, uint32_t len, unsigned step);
/* fib_intern_drop - give back a reference. @next: the publication that no longer needs
 * the object. Returns: the place of an object that lost the
 * last reference, else 0. */
uint32_t fib_intern_drop(struct fib_intern *t, uint32_t index, uint64_t next);
/* fib_intern_all_fresh - the file is new: the file lacks all objects. */
void fib_intern_all_fresh(struct fib_intern *t);
uint64_t fib_intern_octets(const struct fib_intern *t);

/* fib_intern_fetch_name - begin to fetch the entry of @o. */
static inline void
fib_intern_fetch_name(const struct fib_intern *t, const struct fib_object *o)
{
	__builtin_prefetch(&t->name[o->tag & (t->name_cap - 1)]);
}

static inline void
fib_intern_ref(struct fib_intern *t, uint32_t index)
{
	if (index)
		t->refs[index]++;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published pointers of 4 octets to objects less than 8 GB away: the pointer stores the
 * distance between pointer and object.
 *
 * The pointers serve small, numerous objects within one reservation of addresses
 * (lib/mem/vmem.h). One thread writes, as with a pubptr; all zeros is NULL. A near
 * pointer must not be copied, because the value depends on the pointer's address. Owner:
 * the object that embeds the pointer. Life: embedded.
 * Progress: wait-free. */
#ifndef TERN_LIB_MT_NEAR_H
#define TERN_LIB_MT_NEAR_H

#include "lib/base/check.h"
#include "lib/mt/atomic.h"

#define NEAR_UNIT 4 /* both ends are at multiples of it */

/* A near pointer. By value in its owner: nothing to free. */
struct near {
	struct pub32 to; /* private: units from here */
};

static inline void *
near_at(const struct near *n, uint32_t to)
{
	return to ? (void *)((uintptr_t)n + (uintptr_t)(intptr_t)(int32_t)to * NEAR_UNIT)
		  : NULL;
}

static inline uint32_t
near_to(const struct near *n, const void *p)
{
	intptr_t d = (intptr_t)((uintptr_t)p - (uintptr_t)n);

	if (!p)
		return 0;
	ASSERT(d / NEAR_UNIT == (int32_t)(d / NEAR_UNIT) && d);
	DCHECK(d % NEAR_UNIT == 0);
	return (uint32_t)(int32_t)(d / NEAR_UNIT);
}

static inline void *
near_load_acquire(const struct near *n)
{
	return near_at(n, load_acquire32(&n->to));
}

static inline void *
near_load_relaxed(const struct near *n)
{
	return near_at(n, load_relaxed32(&n->to));
}

static inline void
near_store_release(struct near *n, const void *p)
{
	store_release32(&n->to, near_to(n, p));
}

static inline void
near_store_relaxed(struct near *n, const void *p)
{
	store_relaxed32(&n->to, near_to(n, p));
}

#endif

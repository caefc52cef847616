/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations on atomics that tern allows, and the types that other folders embed.
 *
 * pub32, pub64, pubptr: words that one thread publishes and other threads read.
 * counter32, counter64: numbers that any thread adds to. The name of each function states
 * the memory order. A comment beside each release names the paired acquire by a tag, and
 * the acquire has the same tag ("pairs: JTAIL").
 *
 * Owner: the object that embeds the word. Life: embedded in the object. */
#ifndef TERN_LIB_MT_ATOMIC_H
#define TERN_LIB_MT_ATOMIC_H

#include "lib/base/base.h"
#include <stdatomic.h>

#if defined(__SANITIZE_THREAD__)
#define TERN_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TERN_TSAN 1
#endif
#endif

/* A published word of 32 bits. By value in its owner: nothing to free. */
struct pub32 {
	_Atomic uint32_t v;
};
/* A published word of 64 bits. By value in its owner: nothing to free. */
struct pub64 {
	_Atomic uint64_t v;
};
/* A published pointer. By value in its owner, who frees the object behind the pointer
 * after a grace period. */
struct pubptr {
	void *_Atomic v;
};
/* A counter of 32 bits. By value in its owner: nothing to free. */
struct counter32 {
	_Atomic uint32_t v;
};
/* A counter of 64 bits. By value in its owner: nothing to free. */
struct counter64 {
	_Atomic uint64_t v;
};

#define TERN_ATOMIC_WORD(name, type, value_type)                                         \
	static inline value_type load_acquire##name(const struct type *p)                \
	{                                                                                \
		return atomic_load_explicit(                                             \
		    &((struct type *)(uintptr_t)p)->v, memory_order_acquire);            \
	}                                                                                \
	static inline value_type load_relaxed##name(const struct type *p)                \
	{                                                                                \
		return atomic_load_explicit(                                             \
		    &((struct type *)(uintptr_t)p)->v, memory_order_relaxed);            \
	}                                                                                \
	static inline void store_release##name(struct type *p, value_type x)             \
	{                                                                                \
		atomic_store_explicit(&p->v, x, memory_order_release);                   \
	}                                                                                \
	static inline void store_relaxed##name(struct type *p, value_type x)             \
	{                                                                                \
		atomic_store_explicit(&p->v, x, memory_order_relaxed);                   \
	}                                                                                \
	static inline value_type xchg_acq_rel##name(struct type *p, value_type x)        \
	{                                                                                \
		return atomic_exchange_explicit(&p->v, x, memory_order_acq_rel);         \
	}                                                                                \
	/* On failure *old is what was found. */                                         \
	static inline bool cas_acq_rel##name(                                            \
	    struct type *p, value_type *old, value_type x)                               \
	{                                                                                \
		return atomic_compare_exchange_strong_explicit(                          \
		    &p->v, old, x, memory_order_acq_rel, memory_order_acquire);          \
	}

/* style: names are glued here once, so that every function exists for every word type. */
TERN_ATOMIC_WORD(32, pub32, uint32_t)
TERN_ATOMIC_WORD(64, pub64, uint64_t)
TERN_ATOMIC_WORD(_ptr, pubptr, void *)
#undef TERN_ATOMIC_WORD

static inline void
add_relaxed64(struct pub64 *p, uint64_t n)
{
	atomic_fetch_add_explicit(&p->v, n, memory_order_relaxed);
}

static inline uint64_t
sub_acq_rel64(struct pub64 *p, uint64_t n) /* Returns: the value before. */
{
	return atomic_fetch_sub_explicit(&p->v, n, memory_order_acq_rel);
}

/* fence_seq_cst - order a publication before the read of a sleeper's flag, and the store
 * of the sleeper's flag before the sleeper's last read of the publication (see
 * lib/mt/journal.h and sysdep/loop/loop.c). Without the fence both sides may read the old
 * value, and the sleeper misses the wake-up. */
static inline void
fence_seq_cst(void)
{
#ifdef TERN_TSAN
	/* TSan does not model fences; an exchange on one static word gives the same
	 * order. */
	static _Atomic uint32_t word;

	atomic_exchange_explicit(&word, 1, memory_order_seq_cst);
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

static inline uint32_t
counter32_add(struct counter32 *c, uint32_t n) /* relaxed. Returns: the value before. */
{
	return atomic_fetch_add_explicit(&c->v, n, memory_order_relaxed);
}

static inline uint32_t
counter32_sub_acq_rel(struct counter32 *c, uint32_t n) /* Returns: the value before. */
{
	return atomic_fetch_sub_explicit(&c->v, n, memory_order_acq_rel);
}

static inline uint32_t
counter32_get(const struct counter32 *c)
{
	return atomic_load_explicit(
	    &((struct counter32 *)(uintptr_t)c)->v, memory_order_relaxed);
}

/* counter32_add_unless_zero - for references: false if the count had reached 0. */
static inline bool
counter32_add_unless_zero(struct counter32 *c, uint32_t n)
{
	uint32_t old = atomic_load_explicit(&c->v, memory_order_relaxed);

	while (old)
		if (atomic_compare_exchange_weak_explicit(
			&c->v, &old, old + n, memory_order_acquire, memory_order_relaxed))
			return true;
	return false;
}

static inline uint64_t
counter64_add(struct counter64 *c, uint64_t n) /* relaxed. Returns: the value before. */
{
	return atomic_fetch_add_explicit(&c->v, n, memory_order_relaxed);
}

static inline uint64_t
counter64_get(const struct counter64 *c)
{
	return atomic_load_explicit(
	    &((struct counter64 *)(uintptr_t)c)->v, memory_order_relaxed);
}

/* counter64_bump - add to a counter that only the owner writes: no locked instruction. */
static inline void
counter64_bump(struct counter64 *c, uint64_t n)
{
	atomic_store_explicit(&c->v,
	    atomic_load_explicit(&c->v, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline void
counter64_set(struct counter64 *c, uint64_t v)
{
	atomic_store_explicit(&c->v, v, memory_order_relaxed);
}

#endif

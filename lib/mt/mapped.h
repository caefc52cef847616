/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a file that one process writes and other processes map read-only. The words
 * have plain types, because the file's format is a contract of its own; the functions
 * give the order.
 *
 * The writer stores data, then a number that makes the data visible
 * (mapped_store_release64), and changes old data only behind mapped_fence_release. A
 * reader loads the number, then data, then the number again behind
 * mapped_fence_acquire. If the number is unchanged, the data were valid at both loads.
 *
 * Loop: any thread. Progress: wait-free. */
#ifndef TERN_LIB_MT_MAPPED_H
#define TERN_LIB_MT_MAPPED_H

#include <stdint.h>

/* mapped_load_acquire32, mapped_load_acquire64 - load a word; later loads stay behind
 * the load. */
static inline uint32_t
mapped_load_acquire32(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline uint64_t
mapped_load_acquire64(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

/* mapped_store_release32, mapped_store_release64 - store a word behind all earlier
 * stores. */
static inline void
mapped_store_release32(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static inline void
mapped_store_release64(uint64_t *p, uint64_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

/* mapped_store_relaxed64 - store a whole word, in no order with other stores. */
static inline void
mapped_store_relaxed64(uint64_t *p, uint64_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

/* mapped_fence_release - later stores stay behind earlier stores. */
static inline void
mapped_fence_release(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* mapped_fence_acquire - later loads stay behind earlier loads. */
static inline void
mapped_fence_acquire(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

#endif

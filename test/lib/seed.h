/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeded random numbers for property tests.
 *
 * TERN_SEED=number replays a run; else the seed is drawn. seed_start says on stderr which
 * it is, and the runner shows output only of a test that failed. TERN_SOAK=1 asks for
 * long runs. */
#ifndef TERN_TEST_LIB_SEED_H
#define TERN_TEST_LIB_SEED_H

#include "lib/base/hash.h"
#include <stdio.h>
#include <stdlib.h>

struct seed {
	uint64_t state;
};

static inline struct seed
seed_start(const char *name)
{
	const char *text = getenv("TERN_SEED");
	struct seed s;

	s.state = text ? strtoull(text, NULL, 0) : hash_seed_random() >> 16;
	fprintf(stderr, "%s: replay with TERN_SEED=%llu\n", name,
	    (unsigned long long)s.state);
	return s;
}

static inline uint64_t
seed_u64(struct seed *s)
{
	s->state += 0x9e3779b97f4a7c15ull;
	return hash_u64(0, s->state);
}

/* seed_below - 0 to @n - 1; @n is not 0. */
static inline uint32_t
seed_below(struct seed *s, uint32_t n)
{
	return (uint32_t)((seed_u64(s) >> 32) * n >> 32);
}

/* seed_chance - true once in @n. */
static inline bool
seed_chance(struct seed *s, uint32_t n)
{
	return seed_below(s, n) == 0;
}

/* A sanitizer costs a multiple of the processor's time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEED_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SEED_SANITIZED 1
#endif
#endif

/* seed_scaled - @whole, or a third of @whole with a sanitizer. Returns: at least 1. */
static inline uint32_t
seed_scaled(uint32_t whole)
{
#ifdef SEED_SANITIZED
	return whole / 3 ? whole / 3 : 1;
#else
	return whole;
#endif
}

/* seed_rounds - @quick, fewer with a sanitizer, or a hundred times as many when
 * soaking. */
static inline uint32_t
seed_rounds(uint32_t quick)
{
	return getenv("TERN_SOAK") ? quick * 100 : seed_scaled(quick);
}

/* seed_whole - @whole when soaking, else @quick. */
static inline uint32_t
seed_whole(uint32_t quick, uint32_t whole)
{
	return getenv("TERN_SOAK") ? whole : quick;
}

#endif

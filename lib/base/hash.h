/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeded 64-bit hash of octets, for tables with keys that a peer chooses. The hash is
 * not cryptographic; the seed is drawn at start, so that no peer can prepare collisions.
 * Pure functions but for the random seed; any thread. */
#ifndef TERN_LIB_BASE_HASH_H
#define TERN_LIB_BASE_HASH_H

#include "lib/base/base.h"

/* hash_seed_random - a seed from the system's random numbers. */
uint64_t hash_seed_random(void);
/* hash_bytes - wyhash-like multiply-and-fold over the @len octets of @key. */
uint64_t hash_bytes(uint64_t seed, const void *key, size_t len);

/* hash_u64 - one mixed word. */
static inline uint64_t
hash_u64(uint64_t seed, uint64_t v)
{
	__uint128_t m = (__uint128_t)(v ^ seed ^ 0x9e3779b97f4a7c15ull) *
			0xbf58476d1ce4e5b9ull;

	v = (uint64_t)m ^ (uint64_t)(m >> 64);
	v ^= v >> 32;
	v *= 0x94d049bb133111ebull;
	return v ^ (v >> 29);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash of octets: multiply two 64-bit words and fold the 128-bit product; one
 * multiplication mixes 16 octets.
 *
 * A factor of zero would cancel the other factor. Both factors contain the secret seed,
 * so no peer can prepare a key that makes a factor zero.
 *
 * Pure functions but for the random seed; any thread. */
#include "lib/base/hash.h"
#include "lib/crypto/entropy.h"

#define K0 0x8bb84b93962eacc9ull
#define K1 0x2d358dccaa6c78a5ull
#define K2 0x4b33a62ed433d4a3ull

uint64_t
hash_seed_random(void)
{
	return entropy_u64();
}

static inline uint64_t
hash_fold(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t
hash_read64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
hash_read32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

uint64_t
hash_bytes(uint64_t seed, const void *key, size_t len)
{
	const uint8_t *p = key;
	uint64_t k = (seed << 23 | seed >> 41) ^ K1;
	uint64_t h = seed ^ K0;
	uint64_t a = 0, b = 0;
	size_t n = len;

	for (; n > 16; n -= 16, p += 16)
		h = hash_fold(hash_read64(p) ^ k, hash_read64(p + 8) ^ h);
	/* 0 to 16 octets are left; the two words may overlap. */
	if (n >= 8) {
		a = hash_read64(p);
		b = hash_read64(p + n - 8);
	} else if (n >= 4) {
		a = hash_read32(p);
		b = hash_read32(p + n - 4);
	} else if (n > 0) {
		a = (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
	}
	return hash_fold(hash_fold(a ^ k, b ^ h) ^ K2, seed ^ len ^ K1);
}

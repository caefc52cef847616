/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeded random numbers (splitmix64): the same seed gives the same run everywhere. */
#ifndef TERN_TEST_LOAD_RNG_H
#define TERN_TEST_LOAD_RNG_H

#include "lib/base/base.h"

struct load_rng {
	uint64_t state;
};

static inline uint64_t
load_rng_u64(struct load_rng *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* load_rng_below - 0 to @n - 1; @n is not 0. */
static inline uint32_t
load_rng_below(struct load_rng *r, uint32_t n)
{
	return (uint32_t)(((load_rng_u64(r) >> 32) * n) >> 32);
}

/* load_rng_unit - 0 up to but not 1. */
static inline double
load_rng_unit(struct load_rng *r)
{
	return (double)(load_rng_u64(r) >> 11) * 0x1p-53;
}

static inline bool
load_rng_chance(struct load_rng *r, double p)
{
	return load_rng_unit(r) < p;
}

/* load_rng_geometric - 1, 2, ... of mean @mean (at least 1). */
static inline uint32_t
load_rng_geometric(struct load_rng *r, double mean, uint32_t max)
{
	uint32_t k = 1;

	while (k < max && load_rng_chance(r, 1 - 1 / mean))
		k++;
	return k;
}

static inline void
load_rng_shuffle(struct load_rng *r, uint32_t *a, uint32_t cnt)
{
	uint32_t i, j, t;

	for (i = cnt; i > 1; i--) {
		j = load_rng_below(r, i);
		t = a[i - 1];
		a[i - 1] = a[j];
		a[j] = t;
	}
}

#endif

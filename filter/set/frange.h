/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of keys: sorting and joining. Pure functions; any thread. Owner and life: the
 * caller's arrays. */
#ifndef TERN_FILTER_SET_FRANGE_H
#define TERN_FILTER_SET_FRANGE_H

#include "filter/set/keyset.h"

/* A range of keys, both ends included. Wider ranges are a struct frange128: IP; EC in lo;
 * LC as hi = a << 32 | b, lo = c. Owner: the array of the caller,
 * who frees the array. */
struct frange32 {
	uint32_t lo, hi; /* INT, ENUM, QUAD; PAIR as asn << 16 | data */
};

/* frange_join32, frange_join128 - sort @cnt ranges in place, and join ranges that overlap
 * or touch. Returns: the number of ranges that are left. */
uint32_t frange_join32(struct frange32 *r, uint32_t cnt);
uint32_t frange_join128(struct frange128 *r, uint32_t cnt);
/* frange_join_overlaps - the same, but ranges that only touch stay apart. */
uint32_t frange_join_overlaps(struct frange128 *r, uint32_t cnt);

#endif

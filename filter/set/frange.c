/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts ranges of keys and joins them. Pure functions; any thread. Tested by
 * test/unit/test_set.c.
 *
 * I1  Joined ranges ascend and do not overlap. */
#include "filter/set/frange.h"
#include "filter/set/keyset.h"
#include <stdlib.h>

static int
frange_cmp32(const void *va, const void *vb)
{
	const struct frange32 *a = va, *b = vb;

	return a->lo < b->lo ? -1 : a->lo > b->lo;
}

static int
frange_cmp128(const void *va, const void *vb)
{
	const struct frange128 *a = va, *b = vb;

	return fkey_cmp(a->lo, b->lo);
}

uint32_t
frange_join32(struct frange32 *r, uint32_t cnt)
{
	uint32_t i, out = 0;

	for (i = 1; i < cnt && r[i - 1].lo <= r[i].lo; i++)
		;
	if (i < cnt)
		qsort(r, cnt, sizeof(*r), frange_cmp32);
	for (i = 0; i < cnt; i++) {
		if (r[i].lo > r[i].hi)
			continue;
		if (out &&
		    (r[out - 1].hi == UINT32_MAX || r[i].lo <= r[out - 1].hi + 1)) {
			if (r[i].hi > r[out - 1].hi)
				r[out - 1].hi = r[i].hi;
		} else {
			r[out++] = r[i];
		}
	}
	return out;
}

/* frange_merge128 - @touching: ranges that only touch are joined, too. */
static uint32_t
frange_merge128(struct frange128 *r, uint32_t cnt, bool touching)
{
	uint32_t i, out = 0;

	for (i = 1; i < cnt && fkey_cmp(r[i - 1].lo, r[i].lo) <= 0; i++)
		;
	if (i < cnt)
		qsort(r, cnt, sizeof(*r), frange_cmp128);
	for (i = 0; i < cnt; i++) {
		struct fkey next;

		if (fkey_cmp(r[i].lo, r[i].hi) > 0)
			continue;
		if (!out) {
			r[out++] = r[i];
			continue;
		}
		next = r[out - 1].hi;
		if (++next.lo == 0)
			next.hi++;
		if (fkey_cmp(r[i].lo, r[out - 1].hi) <= 0 ||
		    (touching && fkey_cmp(r[i].lo, next) == 0)) {
			if (fkey_cmp(r[i].hi, r[out - 1].hi) > 0)
				r[out - 1].hi = r[i].hi;
		} else {
			r[out++] = r[i];
		}
	}
	return out;
}

uint32_t
frange_join128(struct frange128 *r, uint32_t cnt)
{
	return frange_merge128(r, cnt, true);
}

uint32_t
frange_join_overlaps(struct frange128 *r, uint32_t cnt)
{
	return frange_merge128(r, cnt, false);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AS path masks: [= 1 2..5 ? * [7, 8] + =]. Owner: the configuration or the run. Life:
 * the arena of the owner; immutable. Pure functions; any thread. */
#ifndef TERN_FILTER_SET_MASK_H
#define TERN_FILTER_SET_MASK_H

#include "filter/set/set.h"

#define MASK_ITEM_MAX 63

enum mask_kind {
	MASK_ONE, /* ?: any one AS */
	MASK_ANY, /* *: any run, including the empty run */
	MASK_RANGE, /* an AS from lo to hi */
	MASK_SET /* an AS in set */
};

/* An item of a mask. Owner: struct fpath_mask. Freed by: the arena of the mask. */
struct mask_item {
	uint8_t kind; /* enum mask_kind */
	bool repeat; /* followed by +: once or more */
	/* number of lo, hi or set that are found at run time (templates in code) */
	uint8_t parts;
	uint32_t lo, hi;
	const struct fset *set;
};

/* A mask. Owner: the configuration or the run. Freed by: the arena of the owner. */
struct fpath_mask {
	uint32_t cnt;
	uint64_t any; /* bit i: item i is MASK_ANY */
	struct mask_item item[]; /* at most MASK_ITEM_MAX */
};

/* mask_match - match the path in canonical octets. An AS_SET is one position that matches
 * if any member matches. Cost: path length times mask length, no recursion. */
bool mask_match(const struct fpath_mask *m, const uint8_t *path, uint32_t len);
bool mask_same(const struct fpath_mask *a, const struct fpath_mask *b);
void mask_print(struct strbuf *b, const struct fpath_mask *m);

#endif

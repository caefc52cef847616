/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Space in a section of a table image: ranges of units for chunks of different sizes.
 *
 * Holes lie in buckets by size up to FIB_BUCKETS - 1 units, larger holes in a list.
 * Neighbouring holes join. A freed range waits for two publications, because a reader may
 * still read the range (fib_format.h, F5).
 *
 * I1  Unit 0 is never given out, so 0 can mean none.
 * I2  A range has at least FIB_RANGE_MIN units; a smaller hole is in no list and waits
 *     for a neighbour.
 *
 * Loop: the owner of the builder. The record of ranges lies in the builder's memory, not
 * in the file: a reader sees no record, and a damaged file cannot mislead the writer. */
#ifndef TERN_LIB_FIB_FIB_SPACE_H
#define TERN_LIB_FIB_FIB_SPACE_H

#include "lib/base/base.h"

#define FIB_BUCKETS   128
#define FIB_RANGE_MIN 4

/* A freed range. Owner: the list. Life: by value. */
struct fib_range {
	uint32_t at, cnt;
	uint32_t block; /* whose slot leads readers to the range */
};

/* A growing list of ranges. Owner: fib_space. Freed by: fib_space_fini. */
struct fib_ranges {
	struct fib_range *at;
	uint32_t cnt, cap;
};

/* Owner: the builder. Freed by: fib_space_fini. */
struct fib_space {
	/* private; fib_stat reads the numbers */
	uint32_t *tag; /* a word for each unit below @top */
	uint32_t tag_cap;
	uint32_t top; /* units in use or in holes lie below */
	uint32_t limit; /* units of the section */
	uint32_t head[FIB_BUCKETS]; /* head[0]: the list of large holes */
	uint64_t full[FIB_BUCKETS / 64]; /* a bit for each bucket with a hole */
	uint32_t idle, waiting; /* units in holes; units of freed ranges that wait */
	uint32_t holes;
	struct fib_ranges wait[2]; /* by publication modulo 2 */
	struct fib_ranges held; /* given, but a slot may lead there */
};

/* fib_space_init - no range is given out; @limit: units of the section. */
void fib_space_init(struct fib_space *s, uint32_t limit);
void fib_space_fini(struct fib_space *s);
/* fib_space_take - a range of @cnt units (at least FIB_RANGE_MIN) for @owner (not 0).
 * Returns: the first unit; 0: the section is full. */
uint32_t fib_space_take(struct fib_space *s, uint32_t cnt, uint32_t owner);
/* fib_space_give - the slot of @block will no longer lead to the range at @at. */
void fib_space_give(struct fib_space *s, uint32_t at, uint32_t block);
/* fib_space_back - give back a range that no reader has seen, at once. */
void fib_space_back(struct fib_space *s, uint32_t at);
/* fib_space_next - publication @n begins: ranges that publication @n - 2 freed become
 * holes. fib_space_sure - publication @n is complete, except for the blocks with a bit in
 * @dirty (NULL: none): the ranges of all other blocks wait for two publications. */
void fib_space_next(struct fib_space *s, uint64_t n);
void fib_space_sure(struct fib_space *s, uint64_t n, const uint64_t *dirty);
/* fib_space_last - the owner of the last range before unit @end (at most top), and the
 * range. Returns: 0: no range with an owner ends there. */
uint32_t fib_space_last(const struct fib_space *s, uint32_t end, struct fib_range *r);
/* fib_space_below - true: a hole for @cnt units lies below unit @at. */
bool fib_space_below(const struct fib_space *s, uint32_t cnt, uint32_t at);
/* fib_space_octets - memory of the record. */
uint64_t fib_space_octets(const struct fib_space *s);

static inline uint32_t
fib_space_len(const struct fib_space *s, uint32_t at)
{
	return s->tag[at];
}

#endif

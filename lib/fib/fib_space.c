/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of units, and holes between them.
 *
 * Words of the record, by unit:
 *   range of n units at a:  tag[a] = tag[a + n - 1] = n,
 *                           tag[a + 1] = owner (0: the range waits)
 *   hole of n units at a:   tag[a] = tag[a + n - 1] = n | HOLE,
 *                           and from FIB_RANGE_MIN units on tag[a + 1] = next hole,
 *                           tag[a + 2] = previous hole of its list
 *
 * I1  No two holes are neighbours, and no hole ends at top.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c. */
#include "lib/fib/fib_space.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#define HOLE        0x80000000u
#define SPACE_AHEAD 16u /* ranges whose neighbours are fetched before their turn */

void
fib_space_init(struct fib_space *s, uint32_t limit)
{
	*s = (struct fib_space){ .limit = limit, .top = 1 };
	s->tag = vec_room(MEM_PROTO, NULL, &s->tag_cap, 1024, sizeof(*s->tag));
	s->tag[0] = 1; /* unit 0: neither range nor hole */
}

void
fib_space_fini(struct fib_space *s)
{
	mem_free(MEM_PROTO, s->tag);
	mem_free(MEM_PROTO, s->wait[0].at);
	mem_free(MEM_PROTO, s->wait[1].at);
	mem_free(MEM_PROTO, s->held.at);
}

static uint32_t
fib_space_bucket(uint32_t cnt)
{
	return cnt < FIB_BUCKETS ? cnt : 0;
}

static void
fib_space_link(struct fib_space *s, uint32_t at, uint32_t cnt)
{
	uint32_t b = fib_space_bucket(cnt), next = s->head[b];

	s->tag[at] = s->tag[at + cnt - 1] = cnt | HOLE;
	s->idle += cnt;
	s->holes++;
	if (cnt < FIB_RANGE_MIN)
		return;
	s->tag[at + 1] = next;
	s->tag[at + 2] = 0;
	if (next)
		s->tag[next + 2] = at;
	s->head[b] = at;
	s->full[b / 64] |= 1ull << (b % 64);
}

static void
fib_space_unlink(struct fib_space *s, uint32_t at)
{
	uint32_t cnt = s->tag[at] & ~HOLE, b = fib_space_bucket(cnt), next, prev;

	s->idle -= cnt;
	s->holes--;
	if (cnt < FIB_RANGE_MIN)
		return;
	next = s->tag[at + 1];
	prev = s->tag[at + 2];
	if (next)
		s->tag[next + 2] = prev;
	if (prev)
		s->tag[prev + 1] = next;
	else if (!(s->head[b] = next))
		s->full[b / 64] &= ~(1ull << (b % 64));
}

static uint32_t
fib_space_mark(struct fib_space *s, uint32_t at, uint32_t cnt, uint32_t owner)
{
	s->tag[at] = s->tag[at + cnt - 1] = cnt;
	s->tag[at + 1] = owner;
	return at;
}

/* fib_space_fit - the smallest bucket from @cnt on with a hole; 0: none. */
static uint32_t
fib_space_fit(const struct fib_space *s, uint32_t cnt)
{
	for (uint32_t w = cnt / 64; w < FIB_BUCKETS / 64; w++) {
		uint64_t m = s->full[w];

		if (w == cnt / 64)
			m &= ~0ull << (cnt % 64);
		if (w == 0)
			m &= ~1ull;
		if (m)
			return w * 64 + (uint32_t)__builtin_ctzll(m);
	}
	return 0;
}

/* fib_space_hole - a hole for @cnt units: of this size, else larger so that the rest can
 * be used, else a large hole, else any. Returns: 0: none. */
static uint32_t
fib_space_hole(const struct fib_space *s, uint32_t cnt)
{
	uint32_t b;

	if (cnt < FIB_BUCKETS) {
		if (s->head[cnt])
			return s->head[cnt];
		if (cnt + FIB_RANGE_MIN < FIB_BUCKETS &&
		    (b = fib_space_fit(s, cnt + FIB_RANGE_MIN)))
			return s->head[b];
	}
	for (uint32_t at = s->head[0]; at; at = s->tag[at + 1])
		if ((s->tag[at] & ~HOLE) >= cnt)
			return at;
	if (cnt < FIB_BUCKETS && (b = fib_space_fit(s, cnt)))
		return s->head[b];
	return 0;
}

bool
fib_space_below(const struct fib_space *s, uint32_t cnt, uint32_t at)
{
	uint32_t hole = fib_space_hole(s, cnt);

	return hole && hole < at;
}

uint32_t
fib_space_take(struct fib_space *s, uint32_t cnt, uint32_t owner)
{
	uint32_t at = fib_space_hole(s, cnt);

	DCHECK(cnt >= FIB_RANGE_MIN && owner);
	if (at) {
		uint32_t have = s->tag[at] & ~HOLE;

		fib_space_unlink(s, at);
		if (have > cnt)
			fib_space_link(s, at + cnt, have - cnt);
	} else {
		if (cnt > s->limit - s->top)
			return 0;
		at = s->top;
		s->tag = vec_room(
		    MEM_PROTO, s->tag, &s->tag_cap, at + cnt, sizeof(*s->tag));
		s->top += cnt;
	}
	return fib_space_mark(s, at, cnt, owner);
}

void
fib_space_back(struct fib_space *s, uint32_t at)
{
	uint32_t cnt = s->tag[at];

	if (s->tag[at - 1] & HOLE) {
		uint32_t left = s->tag[at - 1] & ~HOLE;

		at -= left;
		cnt += left;
		fib_space_unlink(s, at);
	}
	if (at + cnt < s->top && s->tag[at + cnt] & HOLE) {
		uint32_t right = s->tag[at + cnt] & ~HOLE;

		fib_space_unlink(s, at + cnt);
		cnt += right;
	}
	if (at + cnt == s->top)
		s->top = at;
	else
		fib_space_link(s, at, cnt);
}

static void
fib_space_push(struct fib_ranges *l, struct fib_range r)
{
	l->at = vec_room(MEM_PROTO, l->at, &l->cap, l->cnt + 1, sizeof(*l->at));
	l->at[l->cnt++] = r;
}

void
fib_space_give(struct fib_space *s, uint32_t at, uint32_t block)
{
	s->tag[at + 1] = 0;
	s->waiting += s->tag[at];
	fib_space_push(&s->held, (struct fib_range){ at, s->tag[at], block });
}

void
fib_space_next(struct fib_space *s, uint64_t n)
{
	struct fib_ranges *l = &s->wait[n & 1];

	for (uint32_t i = 0; i < l->cnt; i++) {
		if (i + SPACE_AHEAD < l->cnt) {
			const struct fib_range *r = &l->at[i + SPACE_AHEAD];

			__builtin_prefetch(&s->tag[r->at - 1]);
			__builtin_prefetch(&s->tag[r->at + r->cnt]);
		}
		s->waiting -= l->at[i].cnt;
		fib_space_back(s, l->at[i].at);
	}
	l->cnt = 0;
}

void
fib_space_sure(struct fib_space *s, uint64_t n, const uint64_t *dirty)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->held.cnt; i++) {
		struct fib_range r = s->held.at[i];

		if (dirty && dirty[r.block / 64] >> (r.block % 64) & 1)
			s->held.at[kept++] = r;
		else
			fib_space_push(&s->wait[n & 1], r);
	}
	s->held.cnt = kept;
}

uint32_t
fib_space_last(const struct fib_space *s, uint32_t end, struct fib_range *r)
{
	if (end <= 1)
		return 0;
	r->cnt = s->tag[end - 1] & ~HOLE;
	r->at = end - r->cnt;
	return s->tag[end - 1] & HOLE ? 0 : s->tag[r->at + 1];
}

uint64_t
fib_space_octets(const struct fib_space *s)
{
	return (uint64_t)s->tag_cap * sizeof(*s->tag) +
	       ((uint64_t)s->wait[0].cap + s->wait[1].cap + s->held.cap) *
		   sizeof(*s->held.at);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring of records, one producer, one consumer.
 *
 * I1  head and tail run over all 32-bit numbers; the difference is the number of octets
 *     in use.
 * I2  A record consists of an 8-octet header (the length, rounded up, and the user's
 *     length) and the record's octets. A filler (user's length ~0) precedes a record that
 *     would otherwise cross the end of the buffer.
 * I3  The producer frees or allocates the buffer only while head = tail. The consumer
 *     cannot be reading then: the consumer reads buf only after it has seen a tail beyond
 *     head.
 *
 * Loop: the producer's and the consumer's, as ring.h says. */
#include "lib/mt/ring.h"
#include "lib/base/check.h"
#include "lib/base/wrap.h"
#include "lib/mem/mem.h"

#define RING_FILLER UINT32_MAX
#define RING_START  4096 /* octets at first, if so many are allowed */

struct ring_hdr {
	uint32_t span; /* octets with header, a multiple of 8 */
	uint32_t len; /* as reserved, or RING_FILLER */
};

static uint32_t
ring_start_size(const struct ring *r)
{
	return r->size_max < RING_START ? r->size_max : RING_START;
}

void
ring_init(struct ring *r, uint32_t size_max)
{
	memset(r, 0, sizeof(*r));
	ASSERT(size_max >= 64 && (size_max & (size_max - 1)) == 0);
	r->size_max = size_max;
	r->size = ring_start_size(r);
	r->ptail = (uint32_t)wrap_start(0, 32) & ~7u;
	store_relaxed32(&r->tail, r->ptail);
	store_relaxed32(&r->head, r->ptail);
}

void
ring_fini(struct ring *r)
{
	mem_free(MEM_RING, r->buf);
	r->buf = NULL;
}

/* ring_room - free octets, by the consumer's published head. */
static uint32_t
ring_room(const struct ring *r)
{
	return r->size - (r->ptail - load_acquire32(&r->head)); /* pairs: RHEAD */
}

static void
ring_put_filler(struct ring *r, uint32_t span)
{
	struct ring_hdr *h = (void *)(r->buf + (r->ptail & (r->size - 1)));

	h->span = span;
	h->len = RING_FILLER;
	r->ptail += span;
}

/* ring_fit - allocate the buffer, or a larger buffer if a record of @span octets demands
 * more room or the last record found no room; only while the ring is empty (I3). */
static void
ring_fit(struct ring *r, uint32_t span)
{
	uint32_t size = r->size;

	if (r->grow && size < r->size_max)
		size *= 2;
	while (size / 2 < span)
		size *= 2;
	if ((r->buf && size == r->size) ||
	    load_acquire32(&r->head) != r->ptail) /* pairs: RHEAD */
		return;
	mem_free(MEM_RING, r->buf);
	r->buf = mem_alloc(MEM_RING, size);
	r->size = size;
	r->grow = false;
}

/* ring_has_room - for @span octets; *@to_end: what is left before the buffer's end. */
static bool
ring_has_room(const struct ring *r, uint32_t span, uint32_t *to_end)
{
	*to_end = r->size - (r->ptail & (r->size - 1));
	return span <= r->size / 2 &&
	       ring_room(r) >= (span <= *to_end ? span : span + *to_end);
}

void *
ring_reserve(struct ring *r, uint32_t len)
{
	uint32_t span = ((len + 7) & ~7u) + (uint32_t)sizeof(struct ring_hdr);
	struct ring_hdr *h;
	uint32_t to_end;

	ASSERT(span <= r->size_max / 2);
	ring_fit(r, span);
	if (!ring_has_room(r, span, &to_end)) {
		r->grow = true;
		store_relaxed32(&r->wanted, 1);
		/* either we see the released head, or the consumer sees wanted */
		fence_seq_cst();
		ring_fit(r, span);
		if (!ring_has_room(r, span, &to_end))
			return NULL;
		store_relaxed32(&r->wanted, 0);
	}
	if (span > to_end)
		ring_put_filler(r, to_end);
	h = (void *)(r->buf + (r->ptail & (r->size - 1)));
	h->span = span;
	h->len = len;
	r->reserved = span;
	return h + 1;
}

void
ring_commit(struct ring *r)
{
	r->ptail += r->reserved;
	r->reserved = 0;
	store_release32(&r->tail, r->ptail); /* pairs: RTAIL */
}

bool
ring_trim(struct ring *r)
{
	if (r->buf && load_acquire32(&r->head) == r->ptail) { /* pairs: RHEAD */
		mem_free(MEM_RING, r->buf);
		r->buf = NULL;
		r->size = ring_start_size(r);
		r->grow = false;
	}
	return !r->buf;
}

bool
ring_empty(const struct ring *r)
{
	return load_acquire32(&r->tail) ==
	       load_acquire32(&r->head); /* pairs: RTAIL RHEAD */
}

void *
ring_peek(struct ring *r, uint32_t *len)
{
	uint32_t head = load_relaxed32(&r->head);
	struct ring_hdr *h;

	while (load_acquire32(&r->tail) != head) { /* pairs: RTAIL */
		h = (void *)(r->buf + (head & (r->size - 1)));
		if (h->len != RING_FILLER) {
			*len = h->len;
			return h + 1;
		}
		head += h->span;
		store_release32(&r->head, head); /* pairs: RHEAD */
	}
	return NULL;
}

void *
ring_next(const struct ring *r, const void *rec)
{
	const struct ring_hdr *h = (const struct ring_hdr *)rec - 1;
	uint32_t head = load_relaxed32(&r->head), mask = r->size - 1;
	uint32_t off = (uint32_t)((const uint8_t *)h - r->buf);
	uint32_t at = head + ((off - head) & mask) + h->span;
	struct ring_hdr *next;

	while (load_acquire32(&r->tail) != at) { /* pairs: RTAIL */
		next = (void *)(r->buf + (at & mask));
		if (next->len != RING_FILLER)
			return next + 1;
		at += next->span;
	}
	return NULL;
}

bool
ring_release(struct ring *r)
{
	uint32_t head = load_relaxed32(&r->head);
	uint32_t tail = load_relaxed32(&r->tail), half = r->size / 2;
	struct ring_hdr *h;

	do {
		h = (void *)(r->buf + (head & (r->size - 1)));
		head += h->span;
	} while (h->len == RING_FILLER);
	store_release32(&r->head, head); /* pairs: RHEAD */
	/* From here on the producer may find it empty and change buffer and size (I3). */
	if (tail - head > half)
		return false;
	fence_seq_cst(); /* the other half of ring_reserve's */
	if (!load_relaxed32(&r->wanted))
		return false;
	store_relaxed32(&r->wanted, 0);
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ring of records, one producer, one consumer.
 *
 * I1  head and tail run over all 32-bit numbers; their difference is what is in use.
 * I2  A record is an 8-octet header (its length, rounded up, and the user's length) and
 * its octets. One that would cross the end of the buffer is preceded by a filler (user's
 * length ~0). I3  The producer frees or makes the buffer only while head = tail, when the
 * consumer can't be reading: it looks at buf only after it has seen a tail beyond head.
 */
#include "lib/mt/ring.h"

#define RING_FILLER UINT32_MAX

struct ring_hdr {
	uint32_t span; /* octets with header, a multiple of 8 */
	uint32_t len; /* as reserved, or RING_FILLER */
};

void
ring_init(struct ring *r, uint32_t size)
{
	memset(r, 0, sizeof(*r));
	ASSERT(size >= 64 && (size & (size - 1)) == 0);
	r->size = size;
}

void
ring_fini(struct ring *r)
{
	mem_free(MEM_JOURNAL, r->buf);
	r->buf = NULL;
}

/* room - free octets, by the consumer's published head. */
static uint32_t
room(const struct ring *r)
{
	return r->size - (r->ptail - load_acquire32(&r->head)); /* pairs: RHEAD */
}

static void
put_filler(struct ring *r, uint32_t span)
{
	struct ring_hdr *h = (void *)(r->buf + (r->ptail & (r->size - 1)));

	h->span = span;
	h->len = RING_FILLER;
	r->ptail += span;
}

void *
ring_reserve(struct ring *r, uint32_t len)
{
	uint32_t span = ((len + 7) & ~7u) + (uint32_t)sizeof(struct ring_hdr);
	uint32_t to_end, need;
	struct ring_hdr *h;

	ASSERT(span <= r->size / 2);
	if (!r->buf)
		r->buf = mem_alloc(MEM_JOURNAL, r->size);
	to_end = r->size - (r->ptail & (r->size - 1));
	need = span <= to_end ? span : span + to_end;
	if (room(r) < need) {
		store_relaxed32(&r->wanted, 1);
		fence_seq_cst(); /* either we see the released head, or the consumer sees
				    wanted */
		if (room(r) < need)
			return NULL;
		store_relaxed32(&r->wanted, 0);
	}
	if (span > to_end)
		put_filler(r, to_end);
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

void
ring_trim(struct ring *r)
{
	if (r->buf && load_acquire32(&r->head) == r->ptail) { /* pairs: RHEAD */
		mem_free(MEM_JOURNAL, r->buf);
		r->buf = NULL;
	}
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

bool
ring_release(struct ring *r)
{
	uint32_t head = load_relaxed32(&r->head);
	struct ring_hdr *h = (void *)(r->buf + (head & (r->size - 1)));
	uint32_t tail = load_relaxed32(&r->tail);

	head += h->span;
	store_release32(&r->head, head); /* pairs: RHEAD */
	if (tail - head > r->size / 2)
		return false;
	fence_seq_cst(); /* the other half of ring_reserve's */
	if (!load_relaxed32(&r->wanted))
		return false;
	store_relaxed32(&r->wanted, 0);
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounded ring of records of varying length, one producer and one consumer (session to
 * table).
 *
 * Which calls may run at the same time: ring_reserve, ring_commit, ring_trim (producer)
 * with ring_peek, ring_next, ring_release (consumer). ring_init and ring_fini run alone.
 * G1  The consumer gets records whole, in order, aligned to 8, each contiguous.
 * G2  The buffer exists only while in use. The buffer starts small and grows while the
 *     ring is empty; ring_trim frees the buffer of an empty ring.
 * Progress: wait-free. ring_reserve fails if the ring is full; ring_release notifies the
 * consumer that the producer waits for room.
 *
 * Owner: the producer; the consumer writes `head`. Life: embedded, until ring_fini.
 *
 * Loop: the producer's and the consumer's, as said above. */
#ifndef TERN_LIB_MT_RING_H
#define TERN_LIB_MT_RING_H

#include "lib/mt/atomic.h"

/* A ring. Owner: the producer. Freed by: ring_fini. */
struct ring {
	/* producer's. private */
	uint8_t *buf; /* NULL while unused; read by the consumer only behind RTAIL */
	uint32_t size; /* of buf, or of the next buffer; like buf */
	uint32_t size_max;
	uint32_t ptail, reserved;
	bool grow; /* no room was left: double the size as soon as the ring is empty */
	/* published */
	_Alignas(CACHE_LINE) struct pub32 tail;
	_Alignas(CACHE_LINE) struct pub32 head;
	struct pub32 wanted; /* 1: the producer waits for room */
};

/* ring_init - @size_max: octets, a power of two; a record may take at most half of it. */
void ring_init(struct ring *r, uint32_t size_max);
void ring_fini(struct ring *r);
/* ring_reserve - room for a record of @len octets; NULL: no room now, `wanted` is set. */
void *ring_reserve(struct ring *r, uint32_t len);
/* ring_commit - publish what was reserved last. */
void ring_commit(struct ring *r);
/* ring_pos - producer: another value after each record that was put. */
static inline uint32_t
ring_pos(const struct ring *r)
{
	return r->ptail;
}

/* ring_octets - octets in use, of a moment that may be past. Any thread. */
static inline uint32_t
ring_octets(const struct ring *r)
{
	/* head first: a later tail is never before this head. pairs: RHEAD */
	uint32_t head = load_acquire32(&r->head);

	return load_relaxed32(&r->tail) - head;
}

/* ring_trim - producer, when idle: free the memory if the ring is empty. Returns: is
 * there none? */
bool ring_trim(struct ring *r);
/* ring_empty - as the caller's side sees it. */
bool ring_empty(const struct ring *r);
/* ring_peek - the oldest record, valid until ring_release; NULL: none. */
void *ring_peek(struct ring *r, uint32_t *len);
/* ring_next - the record behind @rec, which was given and isn't released; NULL: none is
 * there yet. */
void *ring_next(const struct ring *r, const void *rec);
/* ring_release - done with the oldest record that was given.
 * Returns: whether the producer waited for room and there now is plenty: wake it. */
bool ring_release(struct ring *r);

#endif

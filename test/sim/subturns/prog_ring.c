/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/mt/ring.c: a producer and a consumer with records of different lengths. The ring is
 * small, so that the producer waits for room and the positions wrap. */
#include "lib/base/base.h"
#include "lib/mt/ring.h"
#include "test/sim/subturns/subturns.h"

#define SIZE 64
#define MAX  24

static struct ring ring;
static uint32_t total;
static uint8_t length[64];
static bool trims[64];
static struct pub32 sleeps;
static struct sub_permit room, work;

static void
ring_consume(uint32_t n)
{
	uint32_t len;
	const uint8_t *p;

	while (!(p = ring_peek(&ring, &len))) {
		store_relaxed32(&sleeps, 1);
		fence_seq_cst();
		if (ring_empty(&ring) || !xchg_acq_rel32(&sleeps, 0))
			sub_permit_take(&work);
	}
	if (len != length[n])
		sub_fail("record %u has %u octets instead of %u", n, len, length[n]);
	for (uint32_t i = 0; i < len; i++)
		if (p[i] != (uint8_t)(n + i + 1))
			sub_fail("octet %u of record %u is missing", i, n);
	if (ring_release(&ring))
		sub_permit_give(&room);
}

static void
ring_consumer(void *arg)
{
	(void)arg;
	for (uint32_t n = 0; n < total; n++)
		ring_consume(n);
}

static void
ring_producer(void *arg)
{
	(void)arg;
	for (uint32_t n = 0; n < total; n++) {
		uint8_t *p;

		while (!(p = ring_reserve(&ring, length[n])))
			sub_permit_take(&room);
		for (uint32_t i = 0; i < length[n]; i++)
			p[i] = (uint8_t)(n + i + 1);
		ring_commit(&ring);
		fence_seq_cst();
		if (load_relaxed32(&sleeps) && xchg_acq_rel32(&sleeps, 0))
			sub_permit_give(&work);
		if (trims[n])
			ring_trim(&ring);
	}
}

static void
ring_play(void)
{
	unsigned consumer, producer;

	memset(&room, 0, sizeof(room));
	memset(&work, 0, sizeof(work));
	store_relaxed32(&sleeps, 0);
	total = 3 + (uint32_t)sub_random(9);
	for (uint32_t n = 0; n < total; n++) {
		length[n] = (uint8_t)(1 + sub_random(MAX));
		trims[n] = !sub_random(6);
	}
	ring_init(&ring, SIZE);
	if (sub_random(2)) { /* the positions pass 2^32 */
		ring.ptail = 0u - SIZE;
		store_relaxed32(&ring.tail, ring.ptail);
		store_relaxed32(&ring.head, ring.ptail);
	}
	consumer = sub_thread_new("consumer", ring_consumer, NULL);
	producer = sub_thread_new("producer", ring_producer, NULL);
	sub_thread_join(consumer);
	sub_thread_join(producer);
	if (!ring_empty(&ring))
		sub_fail("octets are left");
	ring_fini(&ring);
	if (sub_heap_left())
		sub_fail("the ring keeps memory");
}

extern const struct sub_program prog_ring;
const struct sub_program prog_ring = { "ring", "lib/mt/ring.c: a producer, a consumer",
	ring_play, NULL };

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring: a producer and a consumer, records of random length, positions that pass
 * 2^32.
 *
 * What is checked: records come whole and in order (G1), also after ring_trim (G2); a
 * producer that found no room is told when there is some. Prints nothing; aborts on a
 * failure. Argument: records (400,000). */
#include "lib/mt/ring.h"
#include "lib/mt/rcu.h"
#include "test/lib/seed.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SIZE 1024
#define MAX  (SIZE / 2 - 16)

static struct ring ring;
static sem_t room, work;
static struct pub32 consumer_sleeps;
static uint64_t total;
static struct seed consumer_seed;

static void
stress_ring_die(const char *what)
{
	fprintf(stderr, "stress_ring: %s\n", what);
	abort();
}

static void
stress_ring_wait_for(sem_t *s, const char *why)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	if (sem_timedwait(s, &until))
		stress_ring_die(why);
}

static uint32_t
len_of(uint64_t n)
{
	uint64_t h = hash_u64(7, n);

	/* Mostly short, now and then as long as can be. */
	return h % 16 ? 1 + (uint32_t)(h >> 32) % 60 : 1 + (uint32_t)(h >> 32) % MAX;
}

static void
check_whole(const uint8_t *p, uint64_t n)
{
	uint32_t len = len_of(n);

	for (uint32_t i = 0; i < len; i++)
		if (p[i] != (uint8_t)(n + i))
			stress_ring_die("a record isn't whole");
}

static void *
stress_ring_consume(void *arg)
{
	uint64_t n = 0;
	uint32_t len;

	(void)arg;
	while (n < total) {
		uint8_t *p = ring_peek(&ring, &len);

		if (!p) {
			store_relaxed32(&consumer_sleeps, 1);
			fence_seq_cst();
			if (!ring_empty(&ring)) {
				if (!xchg_acq_rel32(&consumer_sleeps, 0))
					stress_ring_wait_for(
					    &work, "a wake-up that was due");
				continue;
			}
			stress_ring_wait_for(&work, "nobody woke the consumer");
			continue;
		}
		if (((uintptr_t)p & 7) || len != len_of(n))
			stress_ring_die("a record of another length, or not aligned");
		for (uint32_t ahead = 0, most = (uint32_t)(n % 5); p;
		     p = ring_next(&ring, p)) {
			check_whole(p, n + ahead);
			if (ahead++ == most)
				break;
		}
		do { /* some of those that were seen, and maybe one that wasn't */
			n++;
			if (ring_release(&ring))
				sem_post(&room);
		} while (n % 3 && !ring_empty(&ring));
		if (seed_chance(&consumer_seed, 200))
			sched_yield();
	}
	return NULL;
}

static void
stress_ring_produce(uint64_t n, uint64_t *waits)
{
	uint32_t len = len_of(n);
	uint8_t *p;

	while (!(p = ring_reserve(&ring, len))) {
		++*waits;
		stress_ring_wait_for(
		    &room, "nobody told the producer that there is room");
	}
	for (uint32_t i = 0; i < len; i++)
		p[i] = (uint8_t)(n + i);
	ring_commit(&ring);
	fence_seq_cst();
	if (load_relaxed32(&consumer_sleeps) && xchg_acq_rel32(&consumer_sleeps, 0))
		sem_post(&work);
}

int
main(int argc, char **argv)
{
	struct seed s = seed_start("stress_ring");
	uint64_t waits = 0, trims = 0;
	pthread_t thread;

	total = argc > 1 ? strtoull(argv[1], NULL, 0) : seed_rounds(400000);
	consumer_seed.state = seed_u64(&s);
	sem_init(&room, 0, 0);
	sem_init(&work, 0, 0);
	ring_init(&ring, SIZE);
	ring.ptail = 0u - 64 * SIZE; /* passes 2^32 soon */
	store_relaxed32(&ring.tail, ring.ptail);
	store_relaxed32(&ring.head, ring.ptail);
	if (pthread_create(&thread, NULL, stress_ring_consume, NULL))
		stress_ring_die("no thread");
	for (uint64_t n = 0; n < total; n++) {
		stress_ring_produce(n, &waits);
		if (seed_chance(&s, 50)) {
			sched_yield();
			ring_trim(&ring);
			trims += !ring.buf;
		}
	}
	pthread_join(thread, NULL);
	if (!ring_empty(&ring))
		stress_ring_die("octets are left");
	ring_trim(&ring);
	if (ring.buf)
		stress_ring_die("the memory of an empty ring isn't given back");
	if (!waits || !trims)
		stress_ring_die(
		    "it was never full, or never trimmed: the test tests nothing");
	ring_fini(&ring);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternfib bench: lookups per second of an image, by kind of key: uniform addresses,
 * addresses in random ranges with a route (announced), and keys that depend on the last
 * answer (chained). Tested by test/unit/test_ternfib.c.
 *
 * Loop: the main thread; each further thread has a handle of its own. */
#include "client/fib/fib_cmd.h"
#include "lib/base/hash.h"
#include "lib/fib/ternfib.h"
#include "lib/net/ip.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEYS  (1u << 18)
#define PARTS 64u
#define BULK  32u

/* Keys of 16 octets, IPv4 keys also as numbers. Owner: the command. */
struct fib_keys {
	uint8_t (*octet)[16];
	uint32_t *number;
	uint32_t cnt, cap, seen;
	unsigned bits;
};

/* One thread of the measurement. Owner: the command. */
struct fib_bench {
	const struct fib_cmd *c;
	const struct fib_keys *keys;
	int mode; /* 0: single, 1: bulk, 2: chained */
	double rate;
	uint64_t sum;
};

static double
fib_bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void
fib_bench_key(struct fib_keys *k, uint32_t i, const uint8_t octet[16])
{
	memcpy(k->octet[i], octet, 16);
	k->number[i] = get_be32(octet + 12);
}

/* fib_bench_below - a number from 0 to @most; @h: random. */
static uint64_t
fib_bench_below(uint64_t h, uint64_t most)
{
	return most == UINT64_MAX ? h : h % (most + 1);
}

/* fib_bench_in - the address @first plus a random number from 0 to @last - @first. */
static struct ip_addr
fib_bench_in(struct ip_addr first, struct ip_addr last, uint64_t h)
{
	struct ip_addr span = { last.hi - first.hi - (last.lo < first.lo),
		last.lo - first.lo };
	struct ip_addr by = { fib_bench_below(hash_u64(2, h), span.hi), hash_u64(3, h) };

	if (by.hi == span.hi)
		by.lo = fib_bench_below(by.lo, span.lo);
	first.lo += by.lo;
	first.hi += by.hi + (first.lo < by.lo);
	return first;
}

/* fib_bench_range - keep a random address of the range; each range has the same chance.
 *  */
static int
fib_bench_range(void *arg, const struct ternfib_range *r)
{
	struct fib_keys *k = arg;
	uint64_t h = hash_u64(1, k->seen);
	uint32_t at = k->seen++;
	uint8_t octet[16];

	if (at >= KEYS && (at = (uint32_t)(h % k->seen)) >= KEYS)
		return 0;
	ip_put16(octet, fib_bench_in(ip_get16(r->first), ip_get16(r->last), h));
	fib_bench_key(k, at, octet);
	k->cnt = k->seen < KEYS ? k->seen : KEYS;
	return 0;
}

static void
fib_bench_uniform(struct fib_keys *k)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		uint64_t w[2] = { hash_u64(3, i), hash_u64(4, i) };
		uint8_t octet[16];

		memcpy(octet, w, 16);
		if (k->bits == 128)
			octet[0] = (uint8_t)(0x20 | (octet[0] & 0x1f));
		fib_bench_key(k, i, octet);
	}
	k->cnt = KEYS;
}

static uint64_t
fib_bench_part(struct ternfib *t, const struct fib_bench *b, uint32_t from, uint32_t cnt)
{
	const struct fib_keys *k = b->keys;
	uint64_t out[BULK], sum = 0, last = 0;

	for (uint32_t i = from; i < from + cnt; i++) {
		uint32_t at = b->mode == 2 ? i ^ (last & 1) : i;

		if (b->mode != 1) {
			last = k->bits == 32 ? ternfib_find4(t, k->number[at])
					     : ternfib_find6(t, k->octet[at]);
			sum += last;
			continue;
		}
		if (k->bits == 32)
			ternfib_bulk4(t, out, &k->number[i], BULK);
		else
			ternfib_bulk6(t, out, k->octet[i], BULK);
		for (uint32_t j = 0; j < BULK; j++)
			sum += out[j];
		i += BULK - 1;
	}
	return sum;
}

/* fib_bench_run - the sum of the best times of all parts of the keys: other programs of
 * the machine disturb a part in some rounds only. */
static void *
fib_bench_run(void *arg)
{
	struct fib_bench *b = arg;
	struct ternfib *t = fib_cmd_open(b->c);
	uint32_t cnt = b->keys->cnt / PARTS / BULK * BULK;
	double best[PARTS], end = fib_bench_now() + (b->c->seconds ? b->c->seconds : 1);
	double all = 0;

	if (!t || !cnt) {
		ternfib_close(t);
		return NULL;
	}
	for (unsigned p = 0; p < PARTS; p++)
		best[p] = 1e9;
	do {
		for (unsigned p = 0; p < PARTS; p++) {
			double from = fib_bench_now(), took;

			b->sum += fib_bench_part(t, b, p * cnt, cnt);
			took = fib_bench_now() - from;
			best[p] = took < best[p] ? took : best[p];
		}
	} while (fib_bench_now() < end);
	for (unsigned p = 0; p < PARTS; p++)
		all += best[p];
	b->rate = cnt * PARTS / all / 1e6;
	ternfib_close(t);
	return NULL;
}

/* fib_bench_threads - measure with all threads. Returns: false: a thread did not start,
 * or had no image. */
static bool
fib_bench_threads(struct fib_bench *b, pthread_t *id)
{
	unsigned cnt = b->c->threads, i;
	bool ok = true;

	for (i = 0; i < cnt; i++) {
		int err = pthread_create(&id[i], NULL, fib_bench_run, &b[i]);

		if (!err)
			continue;
		fprintf(stderr, "ternfib: thread %u: %s\n", i + 1, strerror(err));
		ok = false;
		break;
	}
	while (i--) {
		pthread_join(id[i], NULL);
		ok &= b[i].rate > 0;
	}
	return ok;
}

/* fib_bench_row - measure each way of lookups with the keys. Returns: false after a
 * message. */
static bool
fib_bench_row(const struct fib_cmd *c, const struct fib_keys *k, const char *name)
{
	static const char *const mode[] = { "single", "bulk of 32", "chained" };
	struct fib_bench *b = calloc(c->threads, sizeof(*b));
	pthread_t *id = calloc(c->threads, sizeof(*id));
	bool ok = true;

	if (!b || !id)
		abort();
	for (int m = 0; m < 3 && ok; m++) {
		double rate = 0;

		for (unsigned i = 0; i < c->threads; i++)
			b[i] = (struct fib_bench){ .c = c, .keys = k, .mode = m };
		ok = fib_bench_threads(b, id);
		for (unsigned i = 0; i < c->threads; i++)
			rate += b[i].rate;
		if (ok)
			printf("%s, %s: %.1f million per second (sum %" PRIx64 ")\n",
			    name, mode[m], rate, b[0].sum);
	}
	free(b);
	free(id);
	return ok;
}

int
fib_cmd_bench(const struct fib_cmd *c, char **arg)
{
	struct ternfib *t = fib_cmd_open(c);
	struct fib_keys k = { 0 };
	bool ok;
	static const char *const code[] = { "plain C", "with AVX2", "with AVX-512" };

	(void)arg;
	if (!t)
		return 1;
	k.bits = ternfib_bits(t);
	k.octet = calloc(KEYS, 16);
	k.number = calloc(KEYS, sizeof(*k.number));
	if (!k.octet || !k.number)
		abort();
	printf("%s\n", code[ternfib_plain(t, c->plain)]);
	fib_bench_uniform(&k);
	ok = fib_bench_row(c, &k, "uniform");
	k.cnt = 0;
	ok = ok && !ternfib_walk(t, fib_bench_range, &k);
	for (uint32_t i = k.cnt; ok && i-- > 1;) {
		uint32_t j = (uint32_t)(hash_u64(5, i) % (i + 1)), n = k.number[i];
		uint8_t octet[16];

		memcpy(octet, k.octet[i], 16);
		fib_bench_key(&k, i, k.octet[j]);
		memcpy(k.octet[j], octet, 16);
		k.number[j] = n;
	}
	if (ok && k.cnt >= PARTS * BULK)
		ok = fib_bench_row(c, &k, "announced");
	else if (ok)
		printf("announced: the image has too few ranges\n");
	ternfib_close(t);
	free(k.octet);
	free(k.number);
	return !ok;
}

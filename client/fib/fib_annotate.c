/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternfib annotate: add the origin AS and the next hop of source and destination to flow
 * records. Standard input has records of a fixed size (-r) or lines (-c); the command
 * writes each record with an addition to standard output, in the same order.
 *
 * Addition to a binary record: source AS, destination AS (32 bits each, host order), then
 * the next hops of source and destination (4 octets each for IPv4, 16 for IPv6, network
 * order). Addition to a line: ",SOURCE-AS,DESTINATION-AS,SOURCE-HOP,DESTINATION-HOP".
 *
 * Threads take turns: a thread reads a block while the thread has the read turn, adds the
 * facts without a turn, and writes while the thread has the write turn. Each thread has a
 * handle of its own.
 *
 * Tested by test/unit/test_ternfib.c. Loop: the threads of the command. */
#include "client/fib/fib_cmd.h"
#include "lib/fib/ternfib.h"
#include "lib/net/ip.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK 262144u /* octets that a thread reads at a time */
#define BATCH 512u /* addresses for each bulk of lookups */
#define LINE  4096u /* longest line */
#define ADDED 160u /* longest addition to a line */

/* The work of all threads. Owner: the command; @lock protects the turns. */
struct fib_flow {
	const struct fib_cmd *c;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t reads, writes; /* blocks that were read and written */
	char *rest; /* the incomplete record behind the last block */
	size_t rest_len;
	bool end, failed;
};

/* A thread's part. Owner: the thread. */
struct fib_flow_part {
	struct fib_flow *f;
	struct ternfib *t;
	char *in, *out;
	size_t in_len, out_len;
	uint32_t *asn; /* caches of facts by index, of one generation */
	struct ternfib_hop *hop;
	uint64_t asn_of, hop_of;
	char addr[BATCH][16];
	uint32_t number[BATCH];
	uint64_t answer[BATCH];
};

static bool
fib_flow_write(const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* fib_flow_whole - octets of the block that are whole records. */
static size_t
fib_flow_whole(const struct fib_flow *f, const char *p, size_t len)
{
	const char *last;

	if (!f->c->csv[0])
		return len / f->c->record * f->c->record;
	last = memrchr(p, '\n', len);
	return last ? (size_t)(last - p) + 1 : 0;
}

/* fib_flow_read - the next block of whole records. Returns: the number of the block; -1:
 * the end. The caller holds the lock. */
static int64_t
fib_flow_read(struct fib_flow_part *p)
{
	struct fib_flow *f = p->f;
	size_t have = f->rest_len, whole = 0;

	if (f->end)
		return -1;
	memcpy(p->in, f->rest, have);
	while (have < BLOCK && !f->end) {
		ssize_t n = read(STDIN_FILENO, p->in + have, BLOCK - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			f->end = true;
		else
			have += (size_t)n;
	}
	whole = fib_flow_whole(f, p->in, have);
	if (f->end && f->c->csv[0] && have > whole) {
		p->in[have++] = '\n'; /* the last line has no newline */
		whole = have;
	}
	if (have > whole && have - whole > LINE && f->c->csv[0])
		f->failed = f->end = true;
	f->rest_len = f->end ? 0 : have - whole;
	memcpy(f->rest, p->in + whole, f->rest_len);
	p->in_len = whole;
	return (int64_t)f->reads++;
}

/* ---- facts ---- */

static uint32_t
fib_flow_asn(struct fib_flow_part *p, uint64_t answer)
{
	uint32_t *at = &p->asn[ternfib_origin_of(answer)];

	if (*at == UINT32_MAX && ternfib_origin(p->t, answer, at))
		*at = 0;
	return *at;
}

static const struct ternfib_hop *
fib_flow_hop(struct fib_flow_part *p, uint64_t answer)
{
	struct ternfib_hop *h = &p->hop[ternfib_hop_of(answer)];

	if (!h->kind) {
		if (ternfib_hop(p->t, answer, h))
			memset(h, 0, sizeof(*h));
		h->kind = h->kind ? h->kind : TERNFIB_REJECT;
	}
	return h;
}

/* fib_flow_look_once - look the @cnt addresses up, and put their facts into the caches.
 * Returns: true: answers and facts belong to the generation of the caches. */
static bool
fib_flow_look_once(struct fib_flow_part *p, uint32_t cnt)
{
	uint64_t generation;

	if (ternfib_poll(p->t) > 0)
		p->asn_of = 0;
	generation = ternfib_generation(p->t);
	if (p->asn_of != generation) {
		memset(p->asn, 0xff, (size_t)sizeof(*p->asn) << 20);
		memset(p->hop, 0, sizeof(*p->hop) << 16);
		p->asn[0] = 0;
		p->asn_of = generation;
	}
	if (ternfib_bits(p->t) == 32)
		ternfib_bulk4(p->t, p->answer, p->number, cnt);
	else
		ternfib_bulk6(p->t, p->answer, p->addr, cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		fib_flow_asn(p, p->answer[i]);
		fib_flow_hop(p, p->answer[i]);
	}
	return ternfib_generation(p->t) == generation;
}

/* fib_flow_look - look the @cnt addresses up. An index means another next hop in another
 * generation, and this process may have stood still for many generations. */
static void
fib_flow_look(struct fib_flow_part *p, uint32_t cnt)
{
	while (!fib_flow_look_once(p, cnt))
		;
}

/* ---- binary records ---- */

static void
fib_flow_binary(struct fib_flow_part *p)
{
	const struct fib_cmd *c = p->f->c;
	size_t octets = ternfib_bits(p->t) / 8, pad = 16 - octets;
	size_t left = p->in_len / c->record;
	const char *in = p->in;
	char *out = p->out;

	while (left) {
		uint32_t cnt = left < BATCH / 2 ? (uint32_t)left : BATCH / 2;

		for (uint32_t i = 0; i < cnt; i++) {
			const char *r = in + (size_t)i * c->record;

			if (pad) {
				p->number[2 * i] = get_be32((void *)(r + c->source));
				p->number[2 * i + 1] = get_be32(
				    (void *)(r + c->destination));
				continue;
			}
			memcpy(p->addr[2 * i], r + c->source, 16);
			memcpy(p->addr[2 * i + 1], r + c->destination, 16);
		}
		fib_flow_look(p, 2 * cnt);
		for (uint32_t i = 0; i < cnt; i++) {
			const uint64_t *a = &p->answer[2 * i];
			uint32_t as[2] = { fib_flow_asn(p, a[0]), fib_flow_asn(p, a[1]) };

			memcpy(out, in, c->record);
			in += c->record;
			out += c->record;
			memcpy(out, as, sizeof(as));
			out += sizeof(as);
			memcpy(out, fib_flow_hop(p, a[0])->addr + pad, octets);
			memcpy(out + octets, fib_flow_hop(p, a[1])->addr + pad, octets);
			out += 2 * octets;
		}
		left -= cnt;
	}
	p->out_len = (size_t)(out - p->out);
}

/* ---- lines ---- */

/* fib_flow_number - an IPv4 address in the usual form, or false. */
static bool
fib_flow_number(const char *s, const char *end, uint32_t *out)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned n = 0, digits = 0;

		while (s < end && *s >= '0' && *s <= '9' && digits < 3) {
			n = n * 10 + (unsigned)(*s++ - '0');
			digits++;
		}
		if (!digits || n > 255 || (i < 3 && (s == end || *s++ != '.')))
			return false;
		v = v << 8 | n;
	}
	*out = v;
	return s == end;
}

/* fib_flow_address - store the address of a column as number @i of the batch; an
 * unreadable column is the address 0. */
static void
fib_flow_address(struct fib_flow_part *p, uint32_t i, const char *s, const char *end)
{
	char text[IP_STR_MAX];
	struct ip_addr a;

	p->number[i] = 0;
	memset(p->addr[i], 0, 16);
	if (ternfib_bits(p->t) == 32) {
		fib_flow_number(s, end, &p->number[i]);
		return;
	}
	if ((size_t)(end - s) >= sizeof(text))
		return;
	memcpy(text, s, (size_t)(end - s));
	text[end - s] = 0;
	if (!ip_parse(&a, text))
		ip_put16((uint8_t *)p->addr[i], a);
}

/* fib_flow_columns - find the two columns of the line that ends at @end. */
static void
fib_flow_columns(struct fib_flow_part *p, uint32_t i, const char *s, const char *end)
{
	const unsigned *want = p->f->c->csv;

	p->number[i] = p->number[i + 1] = 0;
	memset(p->addr[i], 0, 32);
	for (unsigned col = 1; s <= end; col++) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		const char *to = comma ? comma : end;

		if (col == want[0])
			fib_flow_address(p, i, s, to);
		if (col == want[1])
			fib_flow_address(p, i + 1, s, to);
		if (col >= want[0] && col >= want[1])
			return;
		s = to + 1;
	}
}

static char *
fib_flow_put_u32(char *to, uint32_t v)
{
	char digit[10];
	unsigned n = 0;

	do
		digit[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*to++ = digit[--n];
	return to;
}

static char *
fib_flow_put_hop(char *to, const struct ternfib_hop *h)
{
	struct ip_addr a = ip_get16(h->addr);

	if (h->kind != TERNFIB_IP)
		return to;
	return ip_is_v4(a) ? ip4_put_str(to, ip_to_v4(a)) : ip6_put_str(to, a);
}

static char *
fib_flow_line(struct fib_flow_part *p, char *out, const char *s, size_t len, uint32_t i)
{
	const uint64_t *a = &p->answer[i];

	memcpy(out, s, len);
	out += len;
	*out++ = ',';
	out = fib_flow_put_u32(out, fib_flow_asn(p, a[0]));
	*out++ = ',';
	out = fib_flow_put_u32(out, fib_flow_asn(p, a[1]));
	*out++ = ',';
	out = fib_flow_put_hop(out, fib_flow_hop(p, a[0]));
	*out++ = ',';
	out = fib_flow_put_hop(out, fib_flow_hop(p, a[1]));
	*out++ = '\n';
	return out;
}

static void
fib_flow_lines(struct fib_flow_part *p)
{
	const char *in = p->in, *end = in + p->in_len;
	const char *line[BATCH / 2], *stop[BATCH / 2];
	char *out = p->out;

	while (in < end) {
		uint32_t cnt = 0;

		for (; cnt < BATCH / 2 && in < end; cnt++) {
			line[cnt] = in;
			stop[cnt] = memchr(in, '\n', (size_t)(end - in));
			fib_flow_columns(p, 2 * cnt, in, stop[cnt]);
			in = stop[cnt] + 1;
		}
		fib_flow_look(p, 2 * cnt);
		for (uint32_t i = 0; i < cnt; i++)
			out = fib_flow_line(
			    p, out, line[i], (size_t)(stop[i] - line[i]), 2 * i);
	}
	p->out_len = (size_t)(out - p->out);
}

/* ---- threads ---- */

static void *
fib_flow_run(void *arg)
{
	struct fib_flow_part *p = arg;
	struct fib_flow *f = p->f;
	int64_t block;

	for (;;) {
		pthread_mutex_lock(&f->lock);
		block = fib_flow_read(p);
		pthread_mutex_unlock(&f->lock);
		if (block < 0)
			return NULL;
		if (f->c->csv[0])
			fib_flow_lines(p);
		else
			fib_flow_binary(p);
		pthread_mutex_lock(&f->lock);
		while (f->writes != (uint64_t)block)
			pthread_cond_wait(&f->turn, &f->lock);
		pthread_mutex_unlock(&f->lock);
		/* the other threads wait for the next number */
		if (!fib_flow_write(p->out, p->out_len))
			f->failed = true;
		pthread_mutex_lock(&f->lock);
		f->writes++;
		f->end |= f->failed;
		pthread_cond_broadcast(&f->turn);
		pthread_mutex_unlock(&f->lock);
	}
}

static bool
fib_flow_start(struct fib_flow *f, struct fib_flow_part *p)
{
	size_t out = f->c->csv[0] ? BLOCK + BLOCK / 2 * ADDED
				  : BLOCK + (size_t)BLOCK / f->c->record * 40;

	p->f = f;
	p->t = fib_cmd_open(f->c);
	p->in = malloc(BLOCK + 1);
	p->out = malloc(out + 4096);
	p->asn = malloc((size_t)sizeof(*p->asn) << 20);
	p->hop = malloc(sizeof(*p->hop) << 16);
	return p->t && p->in && p->out && p->asn && p->hop;
}

int
fib_cmd_annotate(const struct fib_cmd *c, char **arg)
{
	struct fib_flow f = { .c = c,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.turn = PTHREAD_COND_INITIALIZER };
	struct fib_flow_part *p = calloc(c->threads, sizeof(*p));
	pthread_t *id = calloc(c->threads, sizeof(*id));
	bool ok = p && id && (f.rest = malloc(BLOCK + 1));
	unsigned i, octets;

	(void)arg;
	for (i = 0; ok && i < c->threads; i++)
		ok = fib_flow_start(&f, &p[i]);
	octets = ok ? ternfib_bits(p[0].t) / 8 : 0;
	if (ok && !c->csv[0] &&
	    (octets > c->record || c->source > c->record - octets ||
		c->destination > c->record - octets)) {
		fprintf(stderr, "ternfib: an address lies outside the record\n");
		ok = false;
	}
	for (i = 0; ok && i < c->threads; i++)
		ok = !pthread_create(&id[i], NULL, fib_flow_run, &p[i]);
	for (unsigned j = 0; id && j < c->threads && id[j]; j++)
		pthread_join(id[j], NULL);
	for (i = 0; p && i < c->threads; i++) {
		ternfib_close(p[i].t);
		free(p[i].in);
		free(p[i].out);
		free(p[i].asn);
		free(p[i].hop);
	}
	free(p);
	free(id);
	free(f.rest);
	if (f.failed)
		fprintf(stderr, "ternfib: output failed, or a line is too long\n");
	return !ok || f.failed;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternfib annotate: add the origin AS and the next hop of source and destination to flow
 * records. Standard input has records of a fixed size (-r) or lines (-c); the command
 * writes each record with an addition to standard output, in the same order.
 *
 * Addition to a binary record: source AS, destination AS (32 bits each, host order), then
 * the next hops of source and destination (4 octets each for IPv4, 16 for IPv6, network
 * order). Addition to a line: ",SOURCE-AS,DESTINATION-AS,SOURCE-HOP,DESTINATION-HOP". A
 * line may end with CR LF. A first line without addresses is a heading, and gets the
 * names of the new columns.
 *
 * Threads take turns: a thread reads a block while the thread has the read turn, adds the
 * facts without a turn, and writes while the thread has the write turn. Each thread has a
 * handle of its own. Turns count records, so each message about the input has the number
 * of a record or a line.
 *
 * I1  The output is the annotated form of the first N records of the input; N is less
 *     than all only if the command exits with 1 and a message.
 *
 * Tested by test/unit/test_ternfib.c and test/stress/stress_annotate.c. Loop: the threads
 * of the command. */
#include "client/fib/fib_cmd.h"
#include "client/fib/fib_flow.h"
#include "lib/fib/ternfib.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ADDED 160u /* longest addition to a line */

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

/* fib_flow_fill - read until @p->in has a whole record, or the input ends. Returns: the
 * octets of @p->in. */
static size_t
fib_flow_fill(struct fib_flow *f, struct fib_flow_part *p)
{
	size_t have = f->rest_len;

	memcpy(p->in, f->rest, have);
	while (have < FIB_FLOW_BLOCK && !f->end && !fib_flow_whole(f, p->in, have)) {
		ssize_t n = read(STDIN_FILENO, p->in + have, FIB_FLOW_BLOCK - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			f->in_fault = FIB_FLOW_READ;
			f->in_errno = errno;
		}
		if (n <= 0)
			f->end = true;
		else
			have += (size_t)n;
	}
	return have;
}

/* fib_flow_read - the next block of whole records. Returns: false: the end. The caller
 * holds @in_lock. */
static bool
fib_flow_read(struct fib_flow_part *p)
{
	struct fib_flow *f = p->f;
	size_t have, whole;

	if (f->end)
		return false;
	have = fib_flow_fill(f, p);
	whole = fib_flow_whole(f, p->in, have);
	if (f->end && !f->in_fault && f->c->csv[0] && have > whole) {
		p->in[have++] = '\n'; /* the last line has no newline */
		whole = have;
	}
	f->rest_len = have - whole;
	memcpy(f->rest, p->in + whole, f->rest_len);
	if (f->end && !f->in_fault && f->rest_len)
		f->in_fault = FIB_FLOW_CUT;
	if (!f->end && !whole) {
		f->in_fault = FIB_FLOW_LONG;
		f->end = true;
	}
	p->in_len = whole;
	p->block = f->reads++;
	return true;
}

/* ---- threads ---- */

/* fib_flow_done - the block was written. The caller holds the lock. */
static void
fib_flow_done(struct fib_flow *f, struct fib_flow_part *p)
{
	if (p->bad && !f->bad)
		f->bad_first = f->records + p->bad_first;
	f->bad += p->bad;
	f->records += p->records;
	if (p->lost && p->lost != f->lost)
		fib_cmd_lost(f->c, p->lost);
	f->lost = p->lost;
	f->writes++;
	pthread_cond_broadcast(&f->turn);
}

/* fib_flow_turn - wait until the blocks before the block of @p are written. Returns:
 * false: a fault ended the output before the block. */
static bool
fib_flow_turn(struct fib_flow *f, const struct fib_flow_part *p)
{
	bool may;

	pthread_mutex_lock(&f->lock);
	while (f->writes != p->block)
		pthread_cond_wait(&f->turn, &f->lock);
	may = !f->out_fault;
	pthread_mutex_unlock(&f->lock);
	return may;
}

static void *
fib_flow_run(void *arg)
{
	struct fib_flow_part *p = arg;
	struct fib_flow *f = p->f;

	for (;;) {
		bool more, may;

		pthread_mutex_lock(&f->lock);
		more = !f->out_fault;
		pthread_mutex_unlock(&f->lock);
		pthread_mutex_lock(&f->in_lock);
		more = more && fib_flow_read(p);
		pthread_mutex_unlock(&f->in_lock);
		if (!more)
			return NULL;
		p->records = p->bad = 0;
		memset(p->none, 0, sizeof(p->none));
		if (f->c->csv[0])
			fib_flow_lines(p);
		else
			fib_flow_binary(p);
		may = fib_flow_turn(f, p);
		/* the other threads wait for the next number */
		if (may && !fib_flow_write(p->out, p->out_len)) {
			f->out_errno = errno;
			p->fault = FIB_FLOW_WRITE;
		}
		pthread_mutex_lock(&f->lock);
		if (may)
			f->out_fault = p->fault;
		else
			p->records = p->bad = 0;
		fib_flow_done(f, p);
		pthread_mutex_unlock(&f->lock);
	}
}

/* ---- the command ---- */

/* fib_flow_say_fault - what ended the command. The number of a record or a line: the
 * record that the command did not write. */
static void
fib_flow_say_fault(const struct fib_flow *f)
{
	enum fib_flow_fault fault = f->out_fault ? f->out_fault : f->in_fault;
	const char *kind = f->c->csv[0] ? "line" : "record";
	unsigned long long next = f->records + 1;

	switch (fault) {
	case FIB_FLOW_READ:
		fprintf(stderr, "ternfib: standard input: %s %llu: %s\n", kind, next,
		    strerror(f->in_errno));
		break;
	case FIB_FLOW_CUT:
		fprintf(stderr,
		    "ternfib: standard input: record %llu is cut off: %zu of %u octets\n",
		    next, f->rest_len, f->c->record);
		break;
	case FIB_FLOW_LONG:
		fprintf(stderr,
		    "ternfib: standard input: line %llu is longer than %u octets\n", next,
		    FIB_FLOW_BLOCK);
		break;
	case FIB_FLOW_FAMILY:
		fprintf(stderr,
		    "ternfib: %s: %s %llu: the new image has the other address family\n",
		    f->c->path, kind, next);
		break;
	case FIB_FLOW_WRITE:
		fprintf(stderr, "ternfib: standard output: %s\n", strerror(f->out_errno));
		break;
	case FIB_FLOW_OK:
		break;
	}
}

/* fib_flow_ends - the exit status, after a message for each fault. */
static int
fib_flow_ends(const struct fib_flow *f)
{
	if (f->bad)
		fprintf(stderr,
		    "ternfib: standard input: line %llu and %llu other lines lack an "
		    "IPv%c "
		    "address in column %u or %u\n",
		    (unsigned long long)f->bad_first, (unsigned long long)f->bad - 1,
		    f->bits == 32 ? '4' : '6', f->c->csv[0], f->c->csv[1]);
	fib_flow_say_fault(f);
	return f->bad || f->in_fault || f->out_fault;
}

static bool
fib_flow_start(struct fib_flow *f, struct fib_flow_part *p)
{
	size_t out = f->c->csv[0]
			 ? FIB_FLOW_BLOCK + FIB_FLOW_BLOCK / 2 * ADDED
			 : FIB_FLOW_BLOCK + (size_t)FIB_FLOW_BLOCK / f->c->record * 40;

	p->f = f;
	p->t = fib_cmd_open(f->c);
	if (!p->t)
		return false;
	p->in = malloc(FIB_FLOW_BLOCK + 1);
	p->out = malloc(out + 4096);
	p->asn = malloc((size_t)sizeof(*p->asn) << 20);
	p->hop = malloc(sizeof(*p->hop) << 16);
	if (p->in && p->out && p->asn && p->hop)
		return true;
	fprintf(stderr, "ternfib: out of memory\n");
	return false;
}

/* fib_flow_fits - true: the addresses lie within the record. */
static bool
fib_flow_fits(const struct fib_flow *f)
{
	const struct fib_cmd *c = f->c;
	unsigned octets = f->bits / 8;

	if (c->csv[0] || (octets <= c->record && c->source <= c->record - octets &&
			     c->destination <= c->record - octets))
		return true;
	fprintf(stderr, "ternfib: an address lies outside the record\n");
	return false;
}

int
fib_cmd_annotate(const struct fib_cmd *c, char **arg)
{
	struct fib_flow f = { .c = c,
		.in_lock = PTHREAD_MUTEX_INITIALIZER,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.turn = PTHREAD_COND_INITIALIZER };
	struct fib_flow_part *p = calloc(c->threads, sizeof(*p));
	pthread_t *id = calloc(c->threads, sizeof(*id));
	bool ok = p && id && (f.rest = malloc(FIB_FLOW_BLOCK + 1)), fits;
	unsigned i;

	(void)arg;
	for (i = 0; ok && i < c->threads; i++)
		ok = fib_flow_start(&f, &p[i]);
	f.bits = ok ? ternfib_bits(p[0].t) : 0;
	fits = !ok || fib_flow_fits(&f);
	ok = ok && fits;
	for (i = 0; ok && i < c->threads; i++) {
		ok = !pthread_create(&id[i], NULL, fib_flow_run, &p[i]);
		if (!ok)
			fprintf(stderr, "ternfib: thread %u does not start\n", i + 1);
	}
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
	if (!fits)
		return 2; /* of -r */
	return fib_flow_ends(&f) || !ok;
}

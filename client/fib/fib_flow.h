/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternfib annotate: the state of the threads, and the work on one block of records.
 *
 * Loop: the threads of the command. */
#ifndef TERN_CLIENT_FIB_FIB_FLOW_H
#define TERN_CLIENT_FIB_FIB_FLOW_H

#include "client/fib/fib_cmd.h"
#include "lib/fib/ternfib.h"
#include <pthread.h>

/* octets that a thread reads at a time; the longest line */
#define FIB_FLOW_BLOCK 262144u
#define FIB_FLOW_BATCH 512u /* addresses for each bulk of lookups */

/* Why the command ends before the end of the input. */
enum fib_flow_fault {
	FIB_FLOW_OK,
	FIB_FLOW_READ, /* standard input gives an error */
	FIB_FLOW_CUT, /* the input ends within a binary record */
	FIB_FLOW_LONG, /* a line does not fit into a block */
	FIB_FLOW_FAMILY, /* the new image has the other address family */
	FIB_FLOW_WRITE, /* standard output gives an error */
};

/* The work of all threads. @in_lock: the turn to read, which lasts until input comes, and
 * the fields of the reader; @lock: the fields of the writer. No thread holds both. Owner:
 * the command. Life: the call; on the stack, nothing to free. */
struct fib_flow {
	const struct fib_cmd *c;
	unsigned bits; /* of the image at the start */
	/* reader */
	pthread_mutex_t in_lock;
	uint64_t reads; /* blocks */
	char *rest; /* the incomplete record behind the last block */
	size_t rest_len;
	enum fib_flow_fault in_fault;
	int in_errno;
	bool end;
	/* writer */
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t writes; /* blocks */
	uint64_t records; /* of these blocks */
	uint64_t bad, bad_first; /* lines without two addresses; number of the first */
	enum fib_flow_fault out_fault;
	int out_errno;
	int lost; /* the last error of ternfib_poll */
};

/* A thread's part. Owner: the thread. Life: the command. Freed by: fib_cmd_annotate. */
struct fib_flow_part {
	struct fib_flow *f;
	struct ternfib *t;
	char *in, *out;
	size_t in_len, out_len;
	uint64_t block; /* number */
	uint64_t records, bad, bad_first; /* of the block; @bad_first: from 1 */
	enum fib_flow_fault fault; /* of the block */
	int lost; /* the last error of ternfib_poll */
	uint32_t *asn; /* caches of facts by index, of one generation */
	struct ternfib_hop *hop;
	uint64_t facts_of; /* the generation */
	char addr[FIB_FLOW_BATCH][16];
	uint32_t number[FIB_FLOW_BATCH];
	bool none[FIB_FLOW_BATCH]; /* the column has no address */
	uint64_t answer[FIB_FLOW_BATCH];
};

/* fib_flow_binary, fib_flow_lines - annotate the records of @p->in into @p->out, and
 * count the records. */
void fib_flow_binary(struct fib_flow_part *p);
void fib_flow_lines(struct fib_flow_part *p);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps of tables in MRT format (TABLE_DUMP_V2, RFC 6396, 4.3).
 *
 * A dump is a worker of its own, with a thread of its own: it reads the tables under RCU
 * in steps of about a millisecond, as `show route` does, and writes files between them,
 * so that neither tables nor sessions nor the end of a grace period wait for a disk. The
 * table's thread takes no part.
 *
 * What is in a file is each net's state at some time while it was written. It appears
 * under its name when it is complete; until then, and after an error, what had that name
 * before is there. */
#ifndef TERN_NEST_MRT_DUMP_H
#define TERN_NEST_MRT_DUMP_H

#include "lib/mt/atomic.h"
#include "sysdep/loop/loop.h"

struct cli_expr;
struct config_ref;
struct filter;
struct tern;

#define MRT_ERROR_TEXT 320

/* What is to be dumped, and then what came of it: one object that travels there and back.
 * owner: who asks; then the dump; then who asks again. */
struct mrt_ask {
	struct msg msg;
	/* asked: */
	char *who; /* for the log: an instance; NULL: a command. MEM_OTHER */
	char *tables; /* name or pattern of tables of IP routes. MEM_OTHER */
	char *filename; /* mrt_name's format. MEM_OTHER */
	const struct filter *filter; /* NULL: all routes */
	struct config_ref *conf; /* a reference, for the filter; NULL: none is needed */
	struct cli_expr
	    *expr; /* which the filter belongs to; NULL: to the configuration */
	uint32_t router_id;
	bool add_path; /* path identifiers for all */
	struct pub32 stop; /* by the asker: it isn't wanted any more */
	/* where it goes when it is done; the worker must live until then */
	struct worker *asker;
	void (*done)(struct worker *asker, TAKE struct msg *m);
	/* the answer: */
	int err; /* 0 or negative errno; then: */
	char error[MRT_ERROR_TEXT]; /* what failed, for log and user */
	uint64_t nets, routes, octets, took_ns;
	uint32_t tables_done; /* files may be fewer: names without %N are the same */
};

/* mrt_ask_new - nothing is asked yet. */
OWNED struct mrt_ask *mrt_ask_new(void);
void mrt_ask_free(TAKE struct mrt_ask *a);
/* mrt_dump_start - begin. Any thread that is a worker's, which the end of the daemon
 * waits for. */
void mrt_dump_start(struct tern *t, TAKE struct mrt_ask *a);

#endif

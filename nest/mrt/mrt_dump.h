/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps of tables in MRT format (TABLE_DUMP_V2, RFC 6396, 4.3).
 *
 * A dump is a worker with its own thread. Like `show route`, the dump reads the tables
 * under RCU in steps of about a millisecond, and writes files between the steps. So no
 * table, no session and no grace period waits for a disk. The thread of the table takes
 * no part.
 *
 * A file has the state of each net at some time during the writing. The file gets its
 * name when it is complete; until then, and after an error, the previous file keeps the
 * name.
 *
 * Loop: the dump's; mrt_dump_start in any thread with a worker. */
#ifndef TERN_NEST_MRT_MRT_DUMP_H
#define TERN_NEST_MRT_MRT_DUMP_H

#include "lib/mt/atomic.h"
#include "sysdep/loop/loop.h"

struct cli_expr;
struct config_ref;
struct filter;
struct tern;

#define MRT_ERROR_TEXT 320

/* A request for a dump, and later its answer: one object that travels to the dump and
 * back.
 * Owner: the asker; from mrt_dump_start on the dump; from `done` on the asker again.
 * Freed by: mrt_ask_free. */
struct mrt_ask {
	struct msg msg;
	/* request: */
	char *who; /* name for the log: an instance; NULL: a command. MEM_OTHER */
	char *tables; /* name or pattern of tables of IP routes. MEM_OTHER */
	char *filename; /* format of mrt_name. MEM_OTHER */
	const struct filter *filter; /* NULL: all routes */
	struct config_ref *conf; /* a reference, for the filter; NULL: not needed */
	struct cli_expr
	    *expr; /* owner of the filter; NULL: the configuration owns the filter */
	uint32_t router_id;
	bool add_path; /* write path identifiers for all routes */
	/* routes of BGP sessions that are up, refused routes too, before the import
	 * policy where the channel knows the form */
	bool received;
	struct pub32 stop; /* set by the asker: cancel the dump */
	/* receives the answer; the worker must live until then */
	struct worker *asker;
	void (*done)(struct worker *asker, TAKE struct msg *m);
	/* answer: */
	int err; /* 0 or negative errno; then the other fields of the answer are set */
	char error[MRT_ERROR_TEXT]; /* the failed operation, for log and user */
	uint64_t nets, routes, octets, took_ns;
	/* of `received`: channels that know the refused routes no more, and channels that
	 * know no route as received */
	uint32_t channels_accepted, channels_unknown;
	/* files may be fewer: tables share a file name without %N */
	uint32_t tables_done;
};

/* mrt_ask_new - an empty request. */
OWNED struct mrt_ask *mrt_ask_new(void);
void mrt_ask_free(TAKE struct mrt_ask *a);
/* mrt_dump_start - begin a dump. Any thread with a worker that the end of the daemon
 * waits for. */
void mrt_dump_start(struct tern *t, TAKE struct mrt_ask *a);

#endif

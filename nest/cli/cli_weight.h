/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weight of a control client in the competition for processors.
 *
 * A client owes the processor time of its commands, except for SHORT_NS a turn, enough
 * for a short query; it pays as time passes. A client that owes too much yields to tables
 * and sessions (worker_nice) until its debt is paid. All indebted clients of a socket
 * share one allowance: fifty such clients cost no more than one. New clients inherit the
 * debt of a client that left, except for short queries; so does a client that connects
 * again for each command.
 *
 * G1  A client with short queries owes nothing, whatever other clients do.
 * G2  All clients of a socket together get, at full weight and beyond short queries,
 *     ALLOWED_NS and 1/16 of the time that passes, plus or minus a turn for each client.
 *
 * Loop: the client's, unless stated. Owner of the structs: the server, or the client's
 * session; lives as long, embedded. */
#ifndef TERN_NEST_CLI_CLI_WEIGHT_H
#define TERN_NEST_CLI_CLI_WEIGHT_H

#include "lib/mt/atomic.h"
#include "sysdep/loop/loop.h"

/* Shared by the clients of a socket. Zeroed at first. */
struct cli_weights {
	struct counter32 owing; /* clients in debt */
	/* private: the server's loop. Debt of clients that left, and its time */
	uint64_t left_ns, left_at_ns;
};

/* Owner: the client's session, embedded. */
struct cli_weight {
	/* private */
	struct cli_weights *all;
	struct worker *worker;
	uint64_t owed_ns, at_ns; /* debt, and the time of its calculation */
	struct timer rested; /* checks for payment while the thread yields */
};

/* cli_weight_init - in the server's loop, before the thread of @w exists. Takes: @all
 * lives longer. */
void cli_weight_init(
    struct cli_weight *cw, struct cli_weights *all, struct worker *w, uint64_t now_ns);
/* cli_weight_start - in the client's loop, before the functions below. */
void cli_weight_start(struct cli_weight *cw);
/* cli_weight_turn - before a turn (@cpu_ns 0), and after a turn with its processor time.
 * @junk: the turn handled octets that are no command; no part is free. */
void cli_weight_turn(struct cli_weight *cw, uint64_t now_ns, uint64_t cpu_ns, bool junk);
/* cli_weight_end - the last call in the client's loop. */
void cli_weight_end(struct cli_weight *cw);
/* cli_weight_left - in the server's loop, after cli_weight_end: the client left. */
void cli_weight_left(struct cli_weight *cw, uint64_t now_ns);

#endif

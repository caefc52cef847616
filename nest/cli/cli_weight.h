/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much a client of the control socket weighs against all others that want a
 * processor.
 *
 * A client owes what its commands cost, but for SHORT_NS a turn, which a short question
 * takes; it pays by time that passes. Who owes too much gives way to tables and sessions
 * (worker_nice) until all is paid. All clients of a socket that owe share one allowance:
 * fifty of them cost others what one does. What one owes that leaves, the next ones that
 * come begin with, but for a short question; so does who connects anew for each command.
 *
 * G1  Who asks short questions owes nothing, whatever others do.
 * G2  All clients of a socket have, at full weight and beyond short questions,
 *     ALLOWED_NS and 1/16 of the time that passes, give or take a turn for each.
 *
 * Loop: the client's, but for what says otherwise. */
#ifndef TERN_NEST_CLI_WEIGHT_H
#define TERN_NEST_CLI_WEIGHT_H

#include "lib/mt/atomic.h"
#include "sysdep/loop/loop.h"

/* What the clients of a socket have in common. Zeros are a good start. */
struct cli_weights {
	struct counter32 owing; /* how many owe something */
	/* private: the server's loop. Of those that have left, and when that was */
	uint64_t left_ns, left_at_ns;
};

/* owner: the client's session, embedded. */
struct cli_weight {
	/* private */
	struct cli_weights *all;
	struct worker *worker;
	uint64_t owed_ns, at_ns; /* and when it was counted */
	struct timer rested; /* looks whether it is paid, if the thread gives way */
};

/* cli_weight_init - in the server's loop, before @w's thread is there.
 * Takes: @all lives longer. */
void cli_weight_init(
    struct cli_weight *cw, struct cli_weights *all, struct worker *w, uint64_t now_ns);
/* cli_weight_start - in the client's loop, before anything else of here. */
void cli_weight_start(struct cli_weight *cw);
/* cli_weight_turn - before a turn (@cpu_ns 0), and after it: it has taken so much of the
 * processor. @junk: on octets that are no command; nothing of that is free. */
void cli_weight_turn(struct cli_weight *cw, uint64_t now_ns, uint64_t cpu_ns, bool junk);
/* cli_weight_end - the last call in the client's loop. */
void cli_weight_end(struct cli_weight *cw);
/* cli_weight_left - in the server's loop, after cli_weight_end: it is gone. */
void cli_weight_left(struct cli_weight *cw, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detection of loops that take too long: a callback should run about a millisecond at
 * most (loop.h, I3). Loop: each loop calls the functions about its own rounds;
 * loop_watch_set runs in one thread. */
#ifndef TERN_SYSDEP_LOOP_LOOP_WATCH_H
#define TERN_SYSDEP_LOOP_LOOP_WATCH_H

#include "lib/base/check.h"

/* What is looked at for `debug latency`. */
#define LATENCY_WAKEUP  0x01 /* a timer fires later than it was to */
#define LATENCY_EVENTS  0x02 /* turns: messages, and what workers have to do */
#define LATENCY_TIMERS  0x04 /* what is done when timers fire */
#define LATENCY_SOCKETS 0x08 /* what is done when descriptors are ready */
#define LATENCY_ALL     0x0f

/* Owner: the caller of loop_watch_set, which copies the values. Life: by value. */
struct loop_limits {
	/* a round that takes longer is a warning in the log; 0: never */
	uint64_t warning_ns;
	/* a round that takes longer ends the process (abort); 0: never */
	uint64_t timeout_ns;
	/* parts of a round that take longer are logged, class debug */
	uint32_t latency; /* LATENCY_* */
	uint64_t latency_ns;
};

/* loop_watch_set - from now on, for all loops. One thread. */
void loop_watch_set(const struct loop_limits *lim);

/* ---- for loops ---- */

struct loop;

/* loop_watch_limits - the part of loop_watch_set that loops measure themselves. */
void loop_watch_limits(const struct loop_limits *lim);
/* loop_watch_parts - are the parts of rounds looked at? */
bool loop_watch_parts(void);
/* loop_watch_part - @part (LATENCY_*) of a round has taken from @from_ns until now.
 * Returns: now. */
uint64_t loop_watch_part(struct loop *l, uint32_t part, uint64_t from_ns);
/* loop_watch_round - a round has taken @ns. */
void loop_watch_round(struct loop *l, uint64_t ns);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits of tests in C. This file and waits.py hold the pauses of the tests (make
 * check-sleeps). A test waits for a condition:
 *
 *	struct wait w = { 0 };
 *
 *	while (!condition)
 *		export_wait_turn(&w, "the thing that is missing");
 *
 * The limit is for a hang; a slow machine does not reach the limit. */
#ifndef TERN_TEST_LIB_WAIT_H
#define TERN_TEST_LIB_WAIT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WAIT_LIMIT_S = 100 };

/* owner: one thread. lives: on the stack of a loop that waits. */
struct wait {
	time_t until; /* 0: the loop has not waited yet */
};

/* wait_pause - the pause between two looks of a loop that has a limit of its own. */
static inline void
wait_pause(uint64_t us)
{
	struct timespec ts = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	nanosleep(&ts, NULL);
}

/* export_wait_turn - the end of a turn of a loop that waits for @what. */
static inline void
lib_wait_turn(struct wait *w, const char *what)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!w->until)
		w->until = now.tv_sec + WAIT_LIMIT_S;
	if (now.tv_sec > w->until) {
		fprintf(stderr, "in vain: %s\n", what);
		abort();
	}
	wait_pause(200);
}

/* wait_spread - a pause that lets other threads come to another state, or does what the
 * test forbids if the code has the fault. A slow machine may hide a fault then; a slow
 * machine cannot make the test fail. */
static inline void
wait_spread(uint64_t us)
{
	wait_pause(us);
}

#endif

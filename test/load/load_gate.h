/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting to be told to go on, so that several ternloads on several machines do the same
 * at one moment (--stepwise).
 *
 * "{"ready": NAME, "at": TIME}" goes to stdout; what comes back on stdin is a line
 * "go TIME", in seconds of CLOCK_REALTIME: go on then, or at once if it has passed. */
#ifndef TERN_TEST_LOAD_GATE_H
#define TERN_TEST_LOAD_GATE_H

#include "lib/base/base.h"

struct load_run;

/* owner: struct load_run. */
struct load_gate {
	bool asked;
	uint64_t asked_ns; /* load_now, when it was */
	uint64_t go_ns; /* load_now; 0: not told yet */
	uint64_t waited_ns; /* so long in all, which no time limit counts */
	char line[64]; /* what came of it so far */
	unsigned len;
};

/* load_gate_pass - may the run go on to what is called @name? Blocks: never. When stdin
 * has ended, the run is fatal. */
bool load_gate_pass(struct load_run *r, const char *name);
/* load_gate_wait - likewise, but wait. Returns: 0, or -EPIPE: stdin has ended. */
int load_gate_wait(struct load_run *r, const char *name);
/* load_gate_time - @ns of load_now in seconds of CLOCK_REALTIME. */
double load_gate_time(uint64_t ns);

#endif

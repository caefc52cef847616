/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rate limit of log lines about failing filters.
 *
 * A filter that fails for one route fails for many routes, in many sessions. Each place
 * is logged once an interval, with the number of suppressed failures. Any thread may call
 * at any time; lock-free. */
#ifndef TERN_FILTER_RUN_FAULT_H
#define TERN_FILTER_RUN_FAULT_H

#include "lib/mt/atomic.h"

#define FAULT_INTERVAL_NS 10000000000u
#define FAULT_PLACES      16 /* places of one filter that are distinct in an interval */

/* A place in the source. Owner: the gate. Life: embedded in the gate. */
struct fault_place {
	/* 0: free; another place may take the slot after the interval */
	struct pub64 place;
	struct pub64 next_ns; /* no line before */
	struct pub32 quiet; /* failures since the last line */
};

/* One gate for each filter; all zeros: empty. Owner: the filter. Life: the arena of the
 * configuration. */
struct fault_gate {
	struct fault_place place[FAULT_PLACES];
};

/* fault_gate_pass - a failure at @place (any number but 0) at monotonic @now_ns. Returns:
 * true: log the failure; *@quiet: suppressed failures before. */
bool fault_gate_pass(
    struct fault_gate *g, uint64_t now_ns, uint64_t place, uint32_t *quiet);

#endif

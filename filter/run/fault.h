/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often the log hears of a filter that fails.
 *
 * A filter that fails for one route fails for many, in many sessions. Each place is told
 * once an interval, with how many failures were kept quiet since. May be called from any
 * thread at a time; lock-free. */
#ifndef TERN_FILTER_FAULT_H
#define TERN_FILTER_FAULT_H

#include "lib/mt/atomic.h"

#define FAULT_INTERVAL_NS 10000000000u
#define FAULT_PLACES      16 /* places of one filter that are told apart in an interval */

struct fault_place {
	struct pub64 place; /* 0: free; gives way to another when its interval is over */
	struct pub64 next_ns; /* no line before */
	struct pub32 quiet; /* failures since the last line */
};

/* One for each filter; all zeros is its beginning. owner: nobody. */
struct fault_gate {
	struct fault_place place[FAULT_PLACES];
};

/* fault_gate_pass - something failed at @place, any number but 0, at the monotonic time
 * @now_ns.
 * Returns: is it to be told? Then *@quiet: how many before weren't. */
bool fault_gate_pass(
    struct fault_gate *g, uint64_t now_ns, uint64_t place, uint32_t *quiet);

#endif

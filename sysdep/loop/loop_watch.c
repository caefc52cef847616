/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detection of loops that take too long: each loop measures its own rounds, for `watchdog
 * warning` and `debug latency`.
 *
 * I1  A loop logs at most one complaint a second; further complaints are not counted.
 * I2  Loops with long rounds (worker_patient) are ignored.
 *
 * Loop: each loop calls the functions about its own rounds; loop_watch_set runs in one
 * thread. */
#include "sysdep/loop/loop_watch.h"

#include "lib/mt/atomic.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop_priv.h"
#include "sysdep/os/clock.h"

#define LATENCY_SAY_NS NS_PER_S

/* style: what all loops of the process share, as their pool (pool.c). */
static struct watch_state {
	struct pub32 latency;
	struct pub64 warning_ns, latency_ns;
} state;

bool
loop_watch_parts(void)
{
	return load_relaxed32(&state.latency);
}

static const char *
watch_part_name(uint32_t part)
{
	return part == LATENCY_WAKEUP   ? "wake-up"
	       : part == LATENCY_EVENTS ? "events"
	       : part == LATENCY_TIMERS ? "timers"
					: "sockets";
}

uint64_t
loop_watch_part(struct loop *l, uint32_t part, uint64_t from_ns)
{
	uint64_t now_ns = clock_now_ns(), ns = now_ns - from_ns;

	if (load_relaxed32(&state.latency) & part &&
	    ns > load_relaxed64(&state.latency_ns) &&
	    log_due(&l->stats.latency_said_ns, now_ns, LATENCY_SAY_NS))
		log_msg(LOG_C_DEBUG, "Loop %s: %s took %.3f ms", l->pool.name,
		    watch_part_name(part), (double)ns / (double)NS_PER_MS);
	return now_ns;
}

void
loop_watch_round(struct loop *l, uint64_t ns)
{
	uint64_t limit_ns = load_relaxed64(&state.warning_ns);

	if (!limit_ns || ns <= limit_ns || load_relaxed32(&l->mode.patient) ||
	    !log_due(&l->stats.warned_ns, clock_now_ns(), LATENCY_SAY_NS))
		return;
	log_msg(LOG_C_WARN, "Loop %s was busy for %.3f s", l->pool.name,
	    (double)ns / (double)NS_PER_S);
}

void
loop_watch_limits(const struct loop_limits *lim)
{
	store_relaxed64(&state.warning_ns, lim->warning_ns);
	store_relaxed64(&state.latency_ns, lim->latency_ns);
	store_relaxed32(&state.latency, lim->latency);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detection of loops that take too long. Each loop measures its own rounds; the watchdog
 * has a separate thread.
 *
 * Loops measure themselves for `watchdog warning` and `debug latency`. A thread without
 * other work finds a round that does not end, while `watchdog timeout` is set.
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

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_MIN_NS (20 * NS_PER_MS)
#define LOOK_MAX_NS NS_PER_S
#define SAY_NS      NS_PER_S
#define LAST_WORDS  (100 * NS_PER_MS) /* for the log's thread */

/* style: what all loops of the process share, as their pool (pool.c). */
static struct watch_state {
	struct pub32 latency;
	struct pub64 warning_ns, timeout_ns, latency_ns;
	struct pub32 runs; /* the thread does */
} state;

bool
loop_watch_parts(void)
{
	return load_relaxed32(&state.latency);
}

static const char *
part_name(uint32_t part)
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
	    log_due(&l->latency_said_ns, now_ns, SAY_NS))
		log_msg(LOG_C_DEBUG, "Loop %s: %s took %.3f ms", l->name, part_name(part),
		    (double)ns / (double)NS_PER_MS);
	return now_ns;
}

void
loop_watch_round(struct loop *l, uint64_t ns)
{
	uint64_t limit_ns = load_relaxed64(&state.warning_ns);

	if (!limit_ns || ns <= limit_ns || load_relaxed32(&l->patient) ||
	    !log_due(&l->warned_ns, clock_now_ns(), SAY_NS))
		return;
	log_msg(LOG_C_WARN, "Loop %s was busy for %.3f s", l->name,
	    (double)ns / (double)NS_PER_S);
}

/* ---- the thread ---- */

static void
sleep_ns(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static void *
loop_watch_look(void *arg)
{
	uint64_t timeout_ns, busy_ns;
	char name[16];

	(void)arg;
	pthread_setname_np(pthread_self(), "watchdog");
	while ((timeout_ns = load_relaxed64(&state.timeout_ns))) {
		busy_ns = pool_longest_round(name);
		if (busy_ns > timeout_ns) {
			log_msg(LOG_C_FATAL,
			    "Watchdog: loop %s has been busy for %.3f s, aborting", name,
			    (double)busy_ns / (double)NS_PER_S);
			fprintf(stderr, "Watchdog: loop %s, aborting\n", name);
			sleep_ns(LAST_WORDS);
			abort();
		}
		sleep_ns(
		    min_u64(timeout_ns / 4 > LOOK_MIN_NS ? timeout_ns / 4 : LOOK_MIN_NS,
			LOOK_MAX_NS));
	}
	store_relaxed32(&state.runs, 0);
	return NULL;
}

static void
start_thread(void)
{
	sigset_t all, old;
	pthread_t thread;
	int rc;

	if (load_relaxed32(&state.runs))
		return;
	store_relaxed32(&state.runs, 1);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&thread, NULL, loop_watch_look, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!rc) {
		pthread_detach(thread);
		return;
	}
	store_relaxed32(&state.runs, 0);
	log_msg(LOG_C_ERR, "No thread for the watchdog: %s", strerror(rc));
}

void
loop_watch_set(const struct loop_limits *lim)
{
	store_relaxed64(&state.warning_ns, lim->warning_ns);
	store_relaxed64(&state.latency_ns, lim->latency_ns);
	store_relaxed32(&state.latency, lim->latency);
	store_relaxed64(&state.timeout_ns, lim->timeout_ns);
	if (lim->timeout_ns)
		start_thread();
}

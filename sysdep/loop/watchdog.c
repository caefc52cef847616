/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watchdog: a thread without other work finds a round that does not end, while
 * `watchdog timeout` is set. Loop: a thread of its own; loop_watch_set runs in the
 * main loop.
 *
 * I1  Loops with long rounds (worker_patient) are ignored.
 *
 * Tested by test/unit/test_loop_watch.c. */
#include "sysdep/loop/loop_watch.h"
#include "lib/mt/atomic.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop_priv.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/sandbox.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_MIN_NS (20 * NS_PER_MS)
#define LOOK_MAX_NS NS_PER_S
#define LAST_WORDS  (100 * NS_PER_MS) /* for the log's thread */

/* style: one watchdog looks at all loops of the process, as their pool (pool.c). */
static struct watchdog {
	struct pub64 timeout_ns;
	struct pub32 runs; /* the thread does */
} watchdog;

static void
watchdog_sleep_ns(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static void *
watchdog_look(void *arg)
{
	uint64_t timeout_ns, busy_ns;
	char name[16];

	(void)arg;
	pthread_setname_np(pthread_self(), "watchdog");
	while ((timeout_ns = load_relaxed64(&watchdog.timeout_ns))) {
		busy_ns = pool_longest_round(name);
		if (busy_ns > timeout_ns) {
			log_msg(LOG_C_FATAL,
			    "Watchdog: loop %s has been busy for %.3f s, aborting", name,
			    (double)busy_ns / (double)NS_PER_S);
			fprintf(stderr, "Watchdog: loop %s, aborting\n", name);
			watchdog_sleep_ns(LAST_WORDS);
			abort();
		}
		watchdog_sleep_ns(
		    min_u64(timeout_ns / 4 > LOOK_MIN_NS ? timeout_ns / 4 : LOOK_MIN_NS,
			LOOK_MAX_NS));
	}
	store_relaxed32(&watchdog.runs, 0);
	return NULL;
}

static void
watchdog_start_thread(void)
{
	sigset_t old;
	pthread_t thread;
	int rc;

	if (load_relaxed32(&watchdog.runs))
		return;
	store_relaxed32(&watchdog.runs, 1);
	sandbox_block_signals(&old);
	rc = pthread_create(&thread, NULL, watchdog_look, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!rc) {
		pthread_detach(thread);
		return;
	}
	store_relaxed32(&watchdog.runs, 0);
	log_msg(LOG_C_ERR, "No thread for the watchdog: %s", strerror(rc));
}

void
loop_watch_set(const struct loop_limits *lim)
{
	loop_watch_limits(lim);
	store_relaxed64(&watchdog.timeout_ns, lim->timeout_ns);
	if (lim->timeout_ns)
		watchdog_start_thread();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Troubles of the daemon's machine (trouble.h).
 *
 * I1  The members and the disk survive the daemon; the daemon's memory and connections do
 *     not.
 * I2  After -R the daemon holds routes back until members have sent all routes, for
 *     RECOVERY_NS at most: the world is judged later. */
#include "test/sim/trouble.h"

#include "test/sim/script.h"
#include "test/sim/sim.h"

#define AWAY_NS     (20 * SIM_S)
#define END_NS      (60 * SIM_S)
#define RECOVERY_NS (300 * SIM_S)
#define LEAP_S      7200

static bool
trouble_is_gone(void *arg)
{
	(void)arg;
	return !sim_daemon_runs(1);
}

/* trouble_restart - by a crash or by a command, with and without -R. */
static void
trouble_restart(struct trouble *t, struct world *w)
{
	bool crash = sim_random(2), recovers = sim_random(2), configures = sim_random(2);

	if (crash)
		sim_daemon_crash(1);
	else
		world_command(w, recovers ? "graceful restart" : "down");
	if (!sim_wait(trouble_is_gone, NULL, sim_now() + END_NS))
		sim_fail("ternd does not end within 60 s");
	sim_sleep(sim_now() + sim_random(AWAY_NS));
	if (!crash)
		script_step("ended");
	sim_daemon_start(recovers ? "-R" : NULL);
	if (recovers)
		t->calm_ns = sim_now() + RECOVERY_NS;
	if (!configures)
		return;
	sim_sleep(sim_now() + sim_random(AWAY_NS));
	world_command(w, "configure");
}

static void
trouble_disk(struct trouble *t, bool full)
{
	script_step(full ? "disk full" : "disk free");
	sim_disk_room(full ? 0 : UINT64_MAX);
	t->disk_full = full;
}

static void
trouble_clock(void)
{
	uint64_t leap_s = 1 + sim_random(LEAP_S);

	script_step("clock %llus", (unsigned long long)leap_s);
	sim_clock_set(sim_clock_step() + (int64_t)(leap_s * SIM_S));
}

bool
trouble_happens(struct trouble *t, struct world *w)
{
	switch (sim_random(4)) {
	case 0:
		trouble_disk(t, !t->disk_full);
		return false;
	case 1:
		trouble_clock();
		return false;
	default:
		trouble_restart(t, w);
		return true;
	}
}

void
trouble_ends(struct trouble *t)
{
	if (t->disk_full)
		trouble_disk(t, false);
	if (sim_now() < t->calm_ns)
		sim_sleep(t->calm_ns);
}

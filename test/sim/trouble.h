/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Troubles of the daemon's machine in drawn days and pairs of features: the seed kills
 * the daemon, restarts the daemon with and without -R, configures the daemon during the
 * recovery, fills the disk, and steps the calendar clock.
 *
 * Owner of struct trouble: the run. Life: the run. */
#ifndef TERN_TEST_SIM_TROUBLE_H
#define TERN_TEST_SIM_TROUBLE_H

#include "test/sim/world.h"

struct trouble {
	uint64_t calm_ns; /* when the recovery after a restart has ended */
	bool disk_full;
};

/* trouble_happens - one trouble that the seed draws. Returns: false: the daemon has not
 * restarted. */
bool trouble_happens(struct trouble *t, struct world *w);
/* trouble_ends - the disk has room; waits for the end of a recovery. */
void trouble_ends(struct trouble *t);

#endif

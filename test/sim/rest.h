/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The world at rest, and the comparison with a fresh daemon (rest.c). */
#ifndef TERN_TEST_SIM_REST_H
#define TERN_TEST_SIM_REST_H

#include "test/sim/world.h"

/* rest_check - wait until nothing changes; then a copy of this process drops its daemon,
 * starts a fresh one with the same file and the same members, and compares what members
 * were told, what `show` says, and how much memory is in use. Fails the run if the two
 * differ. @when: for the message. @slow_s: how long kept routes may wait for nothing, at
 * least (stale routes, timers). */
void rest_check(struct world *w, const char *when, unsigned slow_s);

#endif

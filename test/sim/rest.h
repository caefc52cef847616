/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The world at rest, and the comparison with a fresh daemon (rest.c). */
#ifndef TERN_TEST_SIM_REST_H
#define TERN_TEST_SIM_REST_H

#include "test/sim/world.h"

/* rest_check - wait until nothing changes, then compare the world with a fresh daemon. A
 * copy of this process drops its daemon, starts a fresh daemon with an equal file and
 * equal members, and compares the members' tables, the answers to `show`, and the memory
 * in use. Fails the run after a difference. @when: for the message. @slow_s: the shortest
 * wait for stale routes and timers. */
void rest_check(struct world *w, const char *when, unsigned slow_s);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The oracle: a naive model of a route server that states which routes each member must
 * hold when the world rests (doc/testing.md).
 *
 * The model shares the parser of configurations, the interpreter of filters, and value
 * types (lib/net, lib/attr) with the daemon. All rules are written anew from RFCs and
 * from doc/: each rule over all routes, without an index, a journal or an epoch. */
#ifndef TERN_TEST_SIM_ORACLE_H
#define TERN_TEST_SIM_ORACLE_H

#include "test/sim/world.h"

/* oracle_init - before the first run: memory for the sums of all runs. Without this call
 * oracle_check does nothing, and nothing in a build with ThreadSanitizer. */
void oracle_init(void);
/* oracle_check - compare what members hold with the model, in a copy of the process. The
 * world rests. Fails the run after a difference. Routes that the model cannot judge are
 * counted by feature. @when: for the message. */
void oracle_check(struct world *w, const char *when);
/* oracle_print - after all runs: print the sums, and what was not judged. */
void oracle_print(void);

#endif

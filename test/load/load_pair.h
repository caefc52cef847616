/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two healthy members beside the clients of a run (--pair): one changes a route, again
 * and again, and how long does it take until the other has been told? They are played by
 * a process of their own, which the scheduler prefers, so that what is measured is the
 * server's and not that of a run that is busy with all its clients. */
#ifndef TERN_TEST_LOAD_PAIR_H
#define TERN_TEST_LOAD_PAIR_H

#include "test/load/load_run.h"

#define LOAD_PAIR_CNT 2
#define LOAD_PAIR_NET 0x7effff00u /* 126.255.255.0/24, which no client announces */

/* load_pair_start - start the process; its members take the addresses and AS numbers that
 * follow the last client's.
 * Returns: 0 or negative errno. */
int load_pair_start(struct load_run *r);
/* load_pair_end - end it; nothing if there is none. */
void load_pair_end(struct load_run *r);

/* In turn: wait until both are up, measure, stop, wait until it has stopped. Each takes
 * in what was measured. */
bool load_pair_is_up(struct load_pair *p);
/* load_pair_go - begin to measure; what was measured before is forgotten. */
void load_pair_go(struct load_pair *p);
/* load_pair_stop - the change that is under way is the last one. */
void load_pair_stop(struct load_pair *p);
bool load_pair_has_stopped(struct load_pair *p);
/* load_pair_take - what was measured, in nanoseconds; it stays the pair's. Returns: how
 * many. */
uint32_t load_pair_take(struct load_pair *p, uint64_t **sample);
/* load_pair_failed - has the process ended before it was told to? */
bool load_pair_failed(struct load_pair *p);

#endif

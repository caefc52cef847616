/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeders, for the files of a table: incarnations, stale and dead paths, limits. Loop:
 * the table's. */
#ifndef TERN_NEST_RIB_TABLE_FEEDER_PRIV_H
#define TERN_NEST_RIB_TABLE_FEEDER_PRIV_H

#include "lib/mt/atomic.h"
#include "nest/rib/source.h"

#include <stdbool.h>
#include <stdint.h>

struct origin;
struct rec;
struct table;

void feeders_init(struct table *t);
void feeders_fini(struct table *t);
/* feeders_put - set the feeder with number @id to @f (NULL: none). */
void feeders_put(struct table *t, uint32_t id, struct feeder *f);
/* feeder_up - begin an incarnation with facts @o. feeder_new_epoch - end the incarnation:
 * all paths are dead, and a walk removes them. feeder_stale - all paths are stale; @away:
 * the incarnation ends too. feeder_sweep - stale paths are dead. feeder_limits - set
 * limits. */
void feeder_up(struct table *t, struct feeder *f, TAKE struct origin *o);
void feeder_new_epoch(struct table *t, struct feeder *f);
void feeder_stale(struct table *t, struct feeder *f, bool away);
void feeder_sweep(struct table *t, struct feeder *f);
/* feeder_overdue - the stale paths become overdue. */
void feeder_overdue(struct table *t, struct feeder *f);
void feeder_limits(struct feeder *f, const struct rec *r);
/* feeder_count_withdraw - count a withdrawal: accepted if an unfiltered path was there
 * (@was_ok), else ignored, unless our policy refused and did not keep the route
 * (@by_policy). */
static inline void
feeder_count_withdraw(struct feeder *f, bool was_ok, bool by_policy)
{
	if (was_ok)
		counter64_bump(&f->stats->imp_wd_accepted, 1);
	else if (!by_policy)
		counter64_bump(&f->stats->imp_wd_ignored, 1);
}
/* feeders_check - end the detaching feeders without paths. */
void feeders_check(struct table *t);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batch numbers of a table: the first number, and the renewal before a wrap. Loop: the
 * table's. */
#ifndef TERN_NEST_RIB_TABLE_TABLE_AGE_H
#define TERN_NEST_RIB_TABLE_TABLE_AGE_H

#include "lib/mt/atomic.h"
#include "nest/rib/table_priv.h"

/* table_age_init - set the number of the first batch. */
void table_age_init(struct table *t);
/* table_age_is_due - asked once a batch, before the batch notes changes. */
#define AGE_SPAN (1u << 28)
static inline bool
table_age_is_due(const struct table *t)
{
	return t->time.ages || load_relaxed32(&t->batch) - t->time.aged >= AGE_SPAN;
}

/* table_age - take a step if the renewal is due. Returns: true: continue in the next
 * turn. */
bool table_age(struct table *t);

#endif

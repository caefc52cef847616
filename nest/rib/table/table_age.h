/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batch numbers of a table: the first number, and the renewal before a wrap. Loop: the
 * table's. */
#ifndef TERN_NEST_RIB_TABLE_TABLE_AGE_H
#define TERN_NEST_RIB_TABLE_TABLE_AGE_H

#include "nest/rib/table_priv.h"

/* table_age_init - set the number of the first batch. */
void table_age_init(struct table *t);
/* table_age - called once a batch, before the batch notes changes. Returns: true:
 * continue in the next turn. */
bool table_age(struct table *t);

#endif

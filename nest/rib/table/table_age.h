/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a table's batches: how they begin, and that they may wrap. */
#ifndef TERN_NEST_TABLE_AGE_H
#define TERN_NEST_TABLE_AGE_H

#include "nest/rib/table_priv.h"

/* table_age_init - the numbers of its first batches. */
void table_age_init(struct table *t);
/* table_age - once a batch, before it notes anything. Returns: is more to be done in the
 * next turn? */
bool table_age(struct table *t);

#endif

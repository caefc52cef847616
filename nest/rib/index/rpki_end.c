/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of an index: the index was deleted, no subscriber is left, and no mark is under
 * way. Loop: the index's. Tests: test_rpki_index.c. */
#include "nest/rib/index/rpki_index_priv.h"

#include "lib/mt/atomic.h"
#include "nest/rib/index/follower.h"

void
rpki_index_try_stop(struct rpki_index *x)
{
	if (!counter32_get(&x->users) && !x->round.marks_out && x->f.attached)
		follower_leave(&x->f);
}

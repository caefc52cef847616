/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subscribers of an index, in groups by the table of the routes. Loop: the index's.
 * Tests: test_rpki_index.c. */
#include "nest/rib/index/rpki_index_priv.h"
#include "lib/base/list.h"
#include "nest/rib/index/rpki_index.h"

void
roa_subs_each(struct rpki_index *x, void (*fn)(struct roa_sub *s))
{
	struct list *g, *n;

	list_for_each (g, &x->subs.groups)
		list_for_each (n, &roa_group_of(g)->subs)
			fn(container_of(n, struct roa_sub, link));
}

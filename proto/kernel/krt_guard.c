/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards during the removal of many routes (krt_guard.h). Loop: the instance's. Tested by
 * test/net/test_kernel.py. */
#include "proto/kernel/krt_guard.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/rtnl_route.h"
#include "nest/rib/ids.h"
#include "proto/kernel/krt_batch.h"

/* A guard: the fields that a removal message needs. */
struct krt_kept {
	struct prefix dst;
	uint32_t table, priority;
	uint8_t protocol;
};

void
krt_guard_fini(struct krt_guard *g)
{
	mem_free(MEM_PROTO, g->kept);
	g->kept = NULL;
	g->left = g->cnt = g->cap = 0;
}

bool
krt_guard_takes(struct krt_guard *g, const struct rtnl_route *r)
{
	if (++g->left % KRT_GUARD_EACH || g->cnt == KRT_GUARD_MAX)
		return false;
	g->kept = vec_room(MEM_PROTO, g->kept, &g->cap, g->cnt + 1, sizeof(*g->kept));
	g->kept[g->cnt++] = (struct krt_kept){ r->dst, r->table, r->priority,
		r->protocol };
	return true;
}

void
krt_guard_end(struct krt_guard *g, struct krt_batch *b)
{
	g->left = 0;
	while (g->cnt) {
		const struct krt_kept *k = &g->kept[--g->cnt];
		const struct rtnl_route r = { .dst = k->dst,
			.table = k->table,
			.priority = k->priority,
			.protocol = k->protocol };

		if (b)
			krt_batch_del(b, NO_ID, &r);
	}
	krt_guard_fini(g);
}

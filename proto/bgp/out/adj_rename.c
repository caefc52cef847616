/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a peer holds gets other net ids, since its channel follows another table
 * (nest/channel/channel_ground.c).
 *
 * Loop: the session's. Tests: test/net/test_untouched.py. */
#include "lib/base/bitmap.h"
#include "lib/base/mem.h"
#include "nest/rib/segment.h"
#include "nest/rib/source.h"
#include "proto/bgp/out/adj_out.h"
#include "proto/bgp/out/announce.h"
#include "proto/bgp/out/export_table.h"

/* What the peer holds of one id. */
struct renamed {
	uint32_t id; /* the new one */
	const struct announce *what; /* counted; NULL: there is no export table */
};

/* rename_take - all that @a has, by the new ids. Returns: how many. */
static uint32_t
rename_take(const struct adj_out *a, struct renamed *r,
    uint32_t (*to)(void *arg, uint32_t id), void *arg)
{
	uint32_t cnt = 0;

	for (uint32_t id = bitmap_next(&a->out, 0); id != UINT32_MAX;
	     id = bitmap_next(&a->out, id + 1)) {
		uint32_t now = to(arg, id);

		if (now == NO_SOURCE)
			continue;
		r[cnt].id = now;
		r[cnt].what = a->table ? export_table_find(a->table, id) : NULL;
		if (r[cnt].what && !announce_ref(r[cnt].what))
			r[cnt].what = NULL;
		cnt++;
	}
	return cnt;
}

void
adj_out_rename(struct adj_out *a, uint32_t (*to)(void *arg, uint32_t id), void *arg)
{
	struct renamed *r = mem_alloc(MEM_PROTO, (a->out_cnt + 1) * sizeof(*r));
	uint32_t cnt = rename_take(a, r, to, arg);

	adj_out_clear(a);
	for (uint32_t i = 0; i < cnt; i++) {
		struct seg_run one = { r[i].id, 1 };

		adj_out_ranges(a, &one, 1);
		if (!r[i].what)
			continue;
		export_table_told(a->table, r[i].what, NULL, &one, 1);
		announce_put(a->table->as, r[i].what);
	}
	mem_free(MEM_PROTO, r);
}

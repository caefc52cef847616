/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New net ids for the routes of a peer, when the peer's channel follows another table
 * (nest/channel/export/channel_ground.c).
 *
 * Loop: the session's. Tests: test/net/test_untouched.py. */
#include "lib/mem/mem.h"
#include "nest/rib/stream/segment.h"
#include "proto/bgp/out/adj_out.h"
#include "proto/bgp/out/announce.h"
#include "proto/bgp/out/export_table.h"

OWNED struct adj_out *
adj_out_like(const struct adj_out *a)
{
	struct adj_out *to = mem_alloc(MEM_PROTO, sizeof(*to));

	adj_out_init(to);
	if (a->table)
		to->table = export_table_new(a->table->as);
	return to;
}

void
adj_out_rename(const struct adj_out *a, uint32_t id, struct adj_out *to, uint32_t to_id)
{
	struct seg_run one = { to_id, 1 };
	const struct announce *what = a->table ? export_table_find(a->table, id) : NULL;

	adj_out_ranges(to, &one, 1);
	if (what)
		export_table_sent(to->table, what, NULL, &one, 1);
}

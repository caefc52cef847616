/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a peer was told, by id. Loop: the session's; export_table_find: any thread.
 * Tests: test_adj_out.c, test_export_table.c, prop_spine.c. */
#include "proto/bgp/out/export_table.h"

#include "lib/base/mem.h"
#include "lib/mt/id_map.h"
#include "nest/rib/segment.h"
#include "proto/bgp/out/announce.h"

struct export_table *
export_table_new(struct announces *as)
{
	struct export_table *t = mem_zalloc(MEM_PROTO, sizeof(*t));

	t->as = as;
	return t;
}

void
export_table_free(TAKE struct export_table *t)
{
	if (!t)
		return;
	export_table_clear(t);
	mem_free(MEM_PROTO, t);
}

/* drop - one id less has announcement @num. */
static void
drop(struct export_table *t, uint32_t num)
{
	uint32_t left = id_map_get(&t->uses, num) - 1;

	id_map_put(&t->uses, num, left);
	if (!left)
		announce_put(t->as, announce_at(t->as, num));
}

void
export_table_told(struct export_table *t, const struct announce *key,
    const struct seg_run *run, uint32_t run_cnt)
{
	const struct announce *a = announce_seen(t->as, key);
	uint32_t uses = a ? id_map_get(&t->uses, a->id) : 0, more = 0, old;

	if (!uses) {
		a = announce_get(t->as, key);
		uses = id_map_get(&t->uses, a->id);
		if (uses) /* it is one of ours all the same */
			announce_put(t->as, a);
	}
	/* It is ours from here on, whatever these ids had. */
	id_map_put(&t->uses, a->id, uses + 1);
	for (uint32_t r = 0; r < run_cnt; r++)
		for (uint32_t i = 0; i < run[r].cnt; i++) {
			old = id_map_put(&t->told, run[r].id + i, a->id);
			if (old == a->id)
				continue;
			more++;
			if (old)
				drop(t, old);
		}
	id_map_put(&t->uses, a->id, uses + 1 + more);
	drop(t, a->id);
}

void
export_table_gone(struct export_table *t, uint32_t id, uint32_t cnt)
{
	uint32_t old;

	for (uint32_t i = id; i < id + cnt; i++)
		if ((old = id_map_put(&t->told, i, 0)))
			drop(t, old);
}

void
export_table_clear(struct export_table *t)
{
	uint32_t end = id_map_end(&t->uses);

	for (uint32_t num = 0; num < end; num++)
		if (id_map_get(&t->uses, num))
			announce_put(t->as, announce_at(t->as, num));
	id_map_clear(&t->told);
	id_map_clear(&t->uses);
}

uint32_t
export_table_same(const struct export_table *t, const struct announce *key,
    const struct seg_run *run, uint32_t run_cnt)
{
	const struct announce *a = announce_seen(t->as, key);
	uint32_t cnt = 0;

	for (uint32_t r = 0; a && r < run_cnt; r++)
		for (uint32_t i = 0; i < run[r].cnt; i++)
			cnt += id_map_get(&t->told, run[r].id + i) == a->id;
	return cnt;
}

const struct announce *
export_table_find(const struct export_table *t, uint32_t id)
{
	uint32_t num = id_map_get(&t->told, id);

	return num ? announce_at(t->as, num) : NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The announcements to a peer, by id. Loop: the session's; export_table_find: any thread.
 * Tests: test_adj_out.c, test_export_table.c, prop_spine.c. */
#include "proto/bgp/out/export_table.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/id_map.h"
#include "nest/rib/stream/segment.h"
#include "proto/bgp/out/announce.h"

struct export_table *
export_table_new(struct announces *as)
{
	struct export_table *t = mem_zalloc(MEM_PROTO, sizeof(*t));

	t->as = as;
	return t;
}

static void
table_free(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct export_table, rcu));
}

void
export_table_free(TAKE struct export_table *t)
{
	if (!t)
		return;
	export_table_clear(t);
	rcu_free_later(&t->rcu, table_free);
}

/* ---- how many ids have a number ---- */

static uint32_t
table_uses_of(const struct export_table *t, uint32_t num)
{
	const uint8_t *b = num / USES_BLOCK < t->uses_cnt ? t->uses[num / USES_BLOCK]
							  : NULL;
	uint32_t cnt = b ? b[num % USES_BLOCK] : 0;

	return unlikely(cnt == USES_MANY) ? cnt + id_map_get(&t->more, num) : cnt;
}

static uint8_t *
table_use_made(struct export_table *t, uint32_t num)
{
	uint32_t at = num / USES_BLOCK;

	t->uses = vec_zeroed(MEM_PROTO, t->uses, &t->uses_cnt, at + 1, sizeof(*t->uses));
	if (!t->uses[at])
		t->uses[at] = mem_zalloc(MEM_PROTO, USES_BLOCK);
	return &t->uses[at][num % USES_BLOCK];
}

static void
table_set_uses(struct export_table *t, uint32_t num, uint32_t cnt)
{
	uint8_t *u = table_use_made(t, num);

	if (unlikely(*u == USES_MANY || cnt >= USES_MANY))
		id_map_put(&t->more, num, cnt > USES_MANY ? cnt - USES_MANY : 0);
	*u = (uint8_t)(cnt < USES_MANY ? cnt : USES_MANY);
}

/* export_table_drop - @cnt ids less have announcement @num. */
static void
export_table_drop(struct export_table *t, uint32_t num, uint32_t cnt)
{
	uint32_t left = table_uses_of(t, num) - cnt;

	table_set_uses(t, num, left);
	if (!left)
		announce_put(t->as, announce_at(t->as, num));
}

static void
table_forget_uses(struct export_table *t)
{
	for (uint32_t i = 0; i < t->uses_cnt; i++)
		mem_free(MEM_PROTO, t->uses[i]);
	mem_free(MEM_PROTO, t->uses);
	t->uses = NULL;
	t->uses_cnt = 0;
	id_map_clear(&t->more);
}

/* ---- what was sent ---- */

/* export_table_replace - give the ids of @run the number @num; 0: none. Returns: number
 * of ids that had another number. Neighbouring ids mostly have one announcement, whose
 * references are dropped at once. */
static uint32_t
export_table_replace(struct export_table *t, const struct seg_run *run, uint32_t num)
{
	uint32_t last = 0, same = 0, differ = 0;

	for (uint32_t i = 0; i < run->cnt; i++) {
		uint32_t old = id_map_put(&t->sent, run->id + i, num);

		if (old == num)
			continue;
		differ++;
		t->sent_cnt += !old;
		t->sent_cnt -= !num;
		if (old != last) {
			if (last)
				export_table_drop(t, last, same);
			last = old;
			same = 0;
		}
		same++;
	}
	if (last)
		export_table_drop(t, last, same);
	return differ;
}

/* table_number_of - the number of the announcement @key, counted by the table; *@uses:
 * number of ids with the announcement. */
static uint32_t
table_number_of(struct export_table *t, const struct announce *key, struct pub32 *hint,
    uint32_t *uses)
{
	uint32_t num = hint ? load_acquire32(hint) : 0; /* pairs: ANHINT */
	const struct announce *a = num ? announce_at(t->as, num) : NULL;

	if (a && announce_equal(a, key)) {
		*uses = table_uses_of(t, num);
		if (*uses || announce_ref(a))
			return num;
	}
	a = announce_get(t->as, key);
	*uses = table_uses_of(t, a->id);
	if (*uses) /* counted already */
		announce_put(t->as, a);
	if (hint)
		store_release32(hint, a->id); /* pairs: ANHINT */
	return a->id;
}

static void
export_table_put_runs(struct export_table *t, uint32_t num, uint32_t uses,
    const struct seg_run *run, uint32_t run_cnt)
{
	for (uint32_t r = 0; r < run_cnt; r++)
		uses += export_table_replace(t, &run[r], num);
	table_set_uses(t, num, uses);
}

void
export_table_sent(struct export_table *t, const struct announce *key, struct pub32 *hint,
    const struct seg_run *run, uint32_t run_cnt)
{
	uint32_t uses, num = table_number_of(t, key, hint, &uses);

	export_table_put_runs(t, num, uses, run, run_cnt);
}

/* table_any_has - true if one of the ids has number @num. */
static bool
table_any_has(const struct export_table *t, uint32_t num, const struct seg_run *run,
    uint32_t run_cnt)
{
	for (struct seg_nets n = seg_nets_of(run, run_cnt); seg_nets_next(&n);)
		if (id_map_get(&t->sent, n.id) == num)
			return true;
	return false;
}

bool
export_table_news(struct export_table *t, const struct announce *key, struct pub32 *hint,
    const struct seg_run *run, uint32_t run_cnt)
{
	uint32_t uses, num = table_number_of(t, key, hint, &uses);

	if (uses && table_any_has(t, num, run, run_cnt))
		return false;
	export_table_put_runs(t, num, uses, run, run_cnt);
	return true;
}

void
export_table_gone(struct export_table *t, uint32_t id, uint32_t cnt)
{
	struct seg_run run = { id, cnt };

	if (t->sent_cnt)
		export_table_replace(t, &run, 0);
	if (!t->sent_cnt)
		table_forget_uses(t);
}

void
export_table_clear(struct export_table *t)
{
	id_map_clear(&t->sent); /* first: nobody else may find what is put (G2) */
	t->sent_cnt = 0;
	for (uint32_t num = 0; num < t->uses_cnt * USES_BLOCK; num++)
		if (table_uses_of(t, num))
			announce_put(t->as, announce_at(t->as, num));
	table_forget_uses(t);
}

/* export_table_matches - true if number @num, which is in use here, belongs to an
 * announcement equal to @key. */
static bool
export_table_matches(
    const struct export_table *t, uint32_t num, const struct announce *key)
{
	return announce_equal(announce_at(t->as, num), key);
}

uint32_t
export_table_same(const struct export_table *t, const struct announce *key,
    const struct seg_run *run, uint32_t run_cnt)
{
	uint32_t cnt = 0, last = 0;
	bool same = false;

	for (struct seg_nets n = seg_nets_of(run, run_cnt); seg_nets_next(&n);) {
		uint32_t num = id_map_get(&t->sent, n.id);

		if (num != last)
			same = num && export_table_matches(t, num, key);
		last = num;
		cnt += same;
	}
	return cnt;
}

const struct announce *
export_table_find(const struct export_table *t, uint32_t id)
{
	uint32_t num = id_map_get(&t->sent, id);

	return num ? announce_at(t->as, num) : NULL;
}

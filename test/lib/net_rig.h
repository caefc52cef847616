/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table without a worker, journal and grace periods, for tests: its nets by their
 * prefix, its feeders, sets of attributes. */
#ifndef TERN_TEST_LIB_NET_RIG_H
#define TERN_TEST_LIB_NET_RIG_H

#include "nest/rib/attr/attr_store.h"
#include "nest/rib/table/feeder_priv.h"
#include "nest/rib/table_priv.h"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

static inline struct net *
rig_net_get(struct table *t, const struct prefix *p, uint32_t *id)
{
	uint8_t nlri[PREFIX_WIRE_MAX + 16];
	uint32_t len = prefix_put(nlri, p);
	const uint8_t *pos = nlri;
	struct net_key key;

	memset(nlri + len, 0, sizeof(nlri) - len);
	table_keys_read(t, false, &key, 1, &pos, nlri + len);
	key.likely = NO_ID;
	return table_net_get_key(t, &key, id);
}

static inline struct net *
rig_net_find(const struct table *t, const struct prefix *p, uint32_t *id)
{
	struct nlri k = nlri_of_prefix(p);

	return table_net_find(t, &k, id);
}

/* ---- a table of nets alone ---- */

static inline OWNED struct table *
net_rig_table(enum nlri_kind kind)
{
	struct table *t = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->kind = kind;
	table_nets_init(t);
	table_hash_init(t);
	stream_init(&t->best, t);
	return t;
}

static inline void
net_rig_table_drop(TAKE struct table *t)
{
	stream_fini(&t->best);
	table_nets_fini(t);
	table_hash_fini(t);
	mem_free(MEM_TABLE, t);
	rcu_quiesce();
	rcu_drain();
	assert_int_equal(mem_used(MEM_TABLE), 0);
}

/* ---- with feeders and sets ---- */

static inline OWNED struct table *
net_rig_new(void)
{
	struct table *t;

	rcu_join();
	t = net_rig_table(NLRI_IP4);
	t->store = attr_store_new();
	feeders_init(t);
	arena_init(&t->work.scratch, MEM_TABLE, 4096);
	store_relaxed32(&t->batch, 1);
	return t;
}

/* net_rig_feeder - @f is number @i, and up. */
static inline void
net_rig_feeder(struct table *t, uint32_t i, struct feeder *f, struct feeder_stats *stats,
    struct origin *facts, const struct path_order *order)
{
	f->order = facts->order = order;
	f->stats = stats;
	f->up = true;
	store_relaxed32(&f->id, i);
	store_relaxed_ptr(&f->facts, facts);
	feeders_put(t, i, f);
}

/* net_rig_end_batch - what table_batch_end does. */
static inline void
net_rig_end_batch(struct table *t)
{
	for (uint32_t i = 0; i < t->work.retired_cnt; i++)
		table_path_free(t, t->work.retired[i]);
	for (uint32_t i = 0; i < t->best.change_cnt; i++)
		table_net_ptr(t, t->best.change[i].id)->flags &= (uint8_t)~NET_MOVED;
	t->work.retired_cnt = t->best.change_cnt = t->best.change_seen = 0;
	store_relaxed32(&t->batch, load_relaxed32(&t->batch) + 1);
}

/* net_rig_free - no feeder has a path any more, and the test no set: nothing may be
 * left. */
static inline void
net_rig_free(TAKE struct table *t, struct feeder *f, uint32_t cnt)
{
	struct attr_store *st = t->store;

	net_rig_end_batch(t);
	assert_int_equal(htab_cnt(&t->paths.many), 0);
	feeders_fini(t);
	arena_fini(&t->work.scratch);
	for (uint32_t i = 0; i < cnt; i++)
		feeder_fini(&f[i]);
	mem_free(MEM_TABLE, t->work.retired);
	net_rig_table_drop(t);
	attr_store_free(st);
	rcu_drain();
	assert_int_equal(mem_used(MEM_ATTR), 0);
	rcu_leave();
}

struct rig_attrs {
	uint32_t pref, local_pref; /* decide_local_pref 0: no attribute */
	uint32_t as_cnt, first_as; /* a path of @as_cnt times this AS, 8 at most */
	uint32_t med, origin;
};

static inline OWNED struct attr_set *
rig_set(struct attr_store *st, const struct rig_attrs *a)
{
	uint8_t data[128], path[2 + 4 * 8] = { AS_SEQUENCE, (uint8_t)a->as_cnt }, val[4],
					origin = (uint8_t)a->origin;
	struct wbuf w = wbuf_of(data, sizeof(data));
	struct attr_local local = { .preference = a->pref };
	struct wire_set *wire;
	struct attr_set *set;

	for (uint32_t i = 0; i < a->as_cnt; i++)
		put_be32(path + 2 + 4 * i, a->first_as);
	wire_item(&w, 0x40, ATTR_ORIGIN, &origin, 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, 2 + 4 * a->as_cnt);
	put_be32(val, 0x0a0000fe);
	wire_item(&w, 0x40, ATTR_NEXT_HOP, val, 4);
	put_be32(val, a->med);
	wire_item(&w, 0x80, ATTR_MED, val, 4);
	put_be32(val, a->local_pref);
	if (a->local_pref)
		wire_item(&w, 0x40, ATTR_LOCAL_PREF, val, 4);
	wire = attr_store_wire(st, data, (uint32_t)wbuf_len(&w));
	set = attr_store_set(st, wire, &local, NULL, 0);
	wire_set_unref(st, wire);
	return set;
}

#endif

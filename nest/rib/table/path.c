/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads fields of paths (any thread, under RCU), and ends a path (the table's loop).
 * Tested by test/prop/prop_paths.c and test/unit/test_table_best.c. */
#include "lib/mt/atomic.h"
#include "lib/mt/near.h"
#include "lib/mt/slab.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"

const struct path *
path_next(const struct path *p)
{
	return near_load_acquire(&p->next); /* pairs: TPATH */
}

struct attr_set *
path_set(const struct path *p)
{
	return p->set;
}

struct attr_set *
path_pre(const struct path *p)
{
	if (p->flags & PATH_PRE)
		return p->pre[0];
	return p->flags & PATH_FILTERED ? p->set : NULL;
}

uint32_t
path_id(const struct path *p)
{
	return p->id;
}

bool
path_filtered(const struct path *p)
{
	return p->flags & PATH_FILTERED;
}

bool
path_shown_filtered(const struct table *t, const struct path *p)
{
	const struct feeder *s = table_feeder_at(t, path_feeder(p));

	return path_filtered(p) && s && s->keeps_filtered;
}

uint32_t
path_src(const struct path *p)
{
	return path_feeder(p);
}

uint32_t
path_rid(const struct path *p)
{
	return path_rid_of(p);
}

const struct origin *
path_origin_of(const struct table *t, const struct path *p)
{
	uint32_t id = path_origin(p);
	struct feeder *s;

	if (unlikely(id))
		return origin_find(t->tern->origins, id);
	s = table_feeder_at(t, path_feeder(p));
	return s ? load_acquire_ptr(&s->facts) : NULL; /* pairs: TFACTS */
}

const struct route_source *
path_facts(const struct table *t, const struct path *p)
{
	const struct origin *o = path_origin_of(t, p);

	return o ? &o->src : NULL;
}

bool
path_piped(const struct path *p)
{
	return path_origin(p) != 0;
}

uint64_t
path_time_ns(const struct table *t, const struct path *p)
{
	return t->base_ns + path_time_cs(p) * TABLE_CS_NS;
}

bool
path_live(const struct table *t, const struct path *p)
{
	/* Readers may be a moment behind; only the table's own decisions count. */
	uint64_t epochs = load_acquire64(
	    &table_feeder_at(t, path_feeder(p))->epoch.pub); /* pairs: TEPOCH */

	/* read the epoch again: the path may be fresh now */
	return epochs_live(epochs, path_epoch(p));
}

bool
path_stale(const struct table *t, const struct path *p)
{
	uint64_t epochs = load_acquire64(
	    &table_feeder_at(t, path_feeder(p))->epoch.pub); /* pairs: TEPOCH */

	return epochs_stale(epochs, path_epoch(p));
}

void
table_path_free(struct table *t, TAKE struct path *p)
{
	if (unlikely(path_origin(p)))
		table_origin_drop(t, path_origin(p));
	attr_set_unref(t->store, p->set, 1);
	if (p->flags & PATH_PRE)
		attr_set_unref(t->store, p->pre[0], 1);
	slab_put(path_slab(t, p->flags), p);
}

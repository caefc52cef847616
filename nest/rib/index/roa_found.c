/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets found by a walk: one list for readers, and one list for each feeder with only its
 * own nets, since a channel without a route of a net has no decision to repeat.
 *
 * Loop: the index's. Tests: test_rpki_index.c, test_aspa_index.c. */
#include "nest/rib/index/rpki_index_priv.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"

OWNED struct roa_affected *
roa_affected_new(bool all)
{
	struct roa_affected *h = mem_zalloc(MEM_TABLE, sizeof(*h));

	counter32_add(&h->refs, 1);
	h->all = all;
	return h;
}

void
roa_affected_unref(TAKE struct roa_affected *h)
{
	if (counter32_sub_acq_rel(&h->refs, 1) != 1)
		return;
	mem_free(MEM_TABLE, h->id);
	mem_free(MEM_TABLE, h);
}

/* found_affected_add - nets come in order. */
static void
found_affected_add(struct roa_affected *h, uint32_t id)
{
	if (h->cnt && h->id[h->cnt - 1] == id) /* a second route of the net */
		return;
	h->id = vec_room(MEM_TABLE, h->id, &h->cap, h->cnt + 1, sizeof(*h->id));
	h->id[h->cnt++] = id;
}

void
roa_found_net(struct roa_found *f, uint32_t id)
{
	if (!f->nets)
		f->nets = roa_affected_new(false);
	found_affected_add(f->nets, id);
	f->cnt++;
}

void
roa_found_route(struct roa_found *f, uint32_t feeder, uint32_t id)
{
	f->owner = vec_zeroed(
	    MEM_TABLE, f->owner, &f->owner_cap, feeder + 1, sizeof(*f->owner));
	if (!f->owner[feeder])
		f->owner[feeder] = roa_affected_new(false);
	found_affected_add(f->owner[feeder], id);
	f->owner[feeder]->routes++;
	f->cnt++;
}

void
roa_found_alone(struct roa_found *f, uint32_t feeder)
{
	struct roa_affected *h = roa_found_of(f, feeder);

	if (h)
		h->alone++;
}

struct roa_affected *
roa_found_of(const struct roa_found *f, uint32_t feeder)
{
	return feeder < f->owner_cap ? f->owner[feeder] : NULL;
}

void
roa_found_add(struct rpki_index *x, uint32_t id, const struct net *n, uint32_t *looks)
{
	const struct path *first = net_first(n);
	bool alone = first != NULL;

	roa_found_net(&x->round.found, id);
	for (const struct path *p = first; p; p = path_next(p)) {
		++*looks;
		alone &= path_src(p) == path_src(first);
		if (roa_changes_route(&x->round.changes, p, looks))
			roa_found_route(&x->round.found, path_src(p), id);
	}
	if (alone)
		roa_found_alone(&x->round.found, path_src(first));
}

struct roa_affected *
roa_found_for(const struct roa_found *f, const struct roa_sub *s)
{
	const struct feeder *of = s->feeder ? s->feeder : s->shunned;
	struct roa_affected *h = NULL, *nets = f->nets;

	if (of)
		h = roa_found_of(f, load_relaxed32(&of->id));
	if (s->feeder)
		return h;
	return h && nets && h->alone == nets->cnt ? NULL : nets;
}

void
roa_found_clear(struct roa_found *f)
{
	if (f->nets)
		roa_affected_unref(f->nets);
	for (uint32_t i = 0; i < f->owner_cap; i++)
		if (f->owner[i])
			roa_affected_unref(f->owner[i]);
	mem_free(MEM_TABLE, f->owner);
	*f = (struct roa_found){ 0 };
}

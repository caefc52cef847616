/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The overlay state of a table, published by the table's worker on request of the pipe.
 *
 * Loop: the table's, but for functions marked in the header. */
#include "nest/rib/table/overlay.h"

#include "lib/attr/attr.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/path_priv.h"
#include "nest/core/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/path_tie.h"
#include "nest/rib/table/path_walk.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"

#include <stdlib.h>
#include <string.h>

struct set_msg {
	struct msg msg;
	struct overlay *o;
	uint32_t back;
};

static void
overlay_free(struct rcu_node *n)
{
	struct overlay *o = container_of(n, struct overlay, rcu);

	config_ref_put(o->conf);
	table_unuse(o->base);
	mem_free(MEM_TABLE, o);
}

struct overlay *
overlay_new(void)
{
	struct overlay *o = mem_zalloc(MEM_TABLE, sizeof(*o));

	counter32_add(&o->refs, 1);
	return o;
}

void
overlay_put(TAKE struct overlay *o)
{
	if (counter32_sub_acq_rel(&o->refs, 1) == 1)
		rcu_free_later(&o->rcu, overlay_free);
}

static void
table_overlay_set(struct worker *w, TAKE struct msg *m)
{
	struct table *t = container_of(w, struct table, worker);
	struct set_msg *sm = container_of(m, struct set_msg, msg);
	struct overlay *old = load_relaxed_ptr(&t->pub.overlay);
	bool others = !sm->o && old && old->back != sm->back;
	struct list *n;

	if (!others)
		store_release_ptr(&t->pub.overlay, sm->o); /* pairs: OVERLAY */
	mem_free(MEM_TABLE, sm);
	if (others)
		return;
	if (old)
		overlay_put(old);
	list_for_each (n, &t->feeders.all)
		worker_wake(container_of(n, struct feeder, link)->worker);
}

void
table_overlay_drop(struct table *t)
{
	struct overlay *o = load_relaxed_ptr(&t->pub.overlay);

	if (o)
		overlay_put(o);
}

void
overlay_set(struct table *over, TAKE struct overlay *o, uint32_t back)
{
	struct set_msg *sm = mem_zalloc(MEM_TABLE, sizeof(*sm));

	sm->msg.handle = table_overlay_set;
	sm->o = o;
	sm->back = back;
	worker_post(&over->worker, &sm->msg);
}

const struct overlay *
overlay_at(const struct table *over)
{
	return load_acquire_ptr(&over->pub.overlay); /* pairs: OVERLAY */
}

struct overlay *
overlay_at_ref(const struct table *over)
{
	struct overlay *o = load_acquire_ptr(&over->pub.overlay); /* pairs: OVERLAY */

	return o && counter32_add_unless_zero(&o->refs, 1) ? o : NULL;
}

const struct overlay *
overlay_of(const struct table *over)
{
	const struct overlay *o = overlay_at(over);

	return o && !o->poured ? o : NULL;
}

struct overlay *
overlay_ref(const struct table *over)
{
	return overlay_of(over) ? overlay_at_ref(over) : NULL;
}

bool
overlay_owns(const struct overlay *o, const struct path *p)
{
	return path_src(p) != o->pipe;
}

bool
overlay_brings(const struct overlay *o, uint32_t src, const struct origin *from)
{
	return src != o->back && from && from->generation < o->max_generation &&
	       !origin_passed(from, o->over);
}

bool
overlay_is_empty(const struct table *over)
{
	return !counter64_get(&over->st.nets);
}

const struct path *
overlay_own(const struct table *over, const struct nlri *k)
{
	const struct net *n = overlay_is_empty(over) ? NULL : table_find_nlri(over, k);
	const struct path *p = n ? net_best(n) : NULL;
	const struct overlay *o = overlay_at(over);

	if (!p || !o || overlay_owns(o, p))
		return p;
	for (p = net_first(n); p; p = path_next(p)) /* the pipe pours */
		if (overlay_owns(o, p) && !path_filtered(p) && path_live(over, p))
			return p;
	return NULL;
}

/* ---- order ---- */

bool
overlay_cand(struct overlay_cand *c, const struct table *t, const struct path *path,
    struct attr_set *set, bool own)
{
	const struct origin *o = path_origin_of(t, path);

	*c = (struct overlay_cand){ .path = path, .from = o, .own = own };
	c->set = set ? set : path_set(path);
	c->time_ns = path_time_ns(t, path);
	c->generation = o ? o->generation + !own : 0;
	return o != NULL;
}

static struct route_cand
overlay_cand_of(const struct overlay_cand *c)
{
	/* arrival times differ if 10 ms apart */
	return (struct route_cand){ c->set, &c->from->src,
		(uint32_t)(c->time_ns / 10000000) };
}

/* overlay_cmp_equal - the attributes after the pipe's policy decide. */
static int
overlay_cmp_equal(const struct overlay_cand *a, const struct overlay_cand *b)
{
	struct path_tie ta = { 0, a->from, a->set, path_piped(a->path) };
	struct path_tie tb = { 0, b->from, b->set, path_piped(b->path) };
	enum reason why;

	return path_tie_cmp(&ta, &tb, &why);
}

/* overlay_cmp - < 0: @a comes before @b, but for MED (best_cmp in table_best.c). */
static int
overlay_cmp(const struct overlay_cand *a, const struct overlay_cand *b)
{
	const struct path_order *oa = a->from->order, *ob = b->from->order;
	struct route_cand ca = overlay_cand_of(a), cb = overlay_cand_of(b);
	int c;

	if (a->set->local.preference != b->set->local.preference)
		return a->set->local.preference > b->set->local.preference ? -1 : 1;
	if (oa != ob)
		return oa->kind < ob->kind ? -1 : 1;
	c = oa->rank ? oa->rank(&ca, &cb) : 0;
	if (!c)
		c = (int)a->generation - (int)b->generation;
	return c ? c : overlay_cmp_equal(a, b);
}

static bool
table_overlay_tied(const struct overlay_cand *a, const struct overlay_cand *b)
{
	const struct path_order *o = a->from->order;
	struct route_cand ca = overlay_cand_of(a), cb = overlay_cand_of(b);

	return o->tied && b->from->order == o &&
	       a->set->local.preference == b->set->local.preference && o->tied(&ca, &cb);
}

bool
overlay_tied(const struct overlay_cand *a, const struct overlay_cand *b)
{
	return overlay_cmp(a, b) <= 0 ? table_overlay_tied(a, b)
				      : table_overlay_tied(b, a);
}

bool
overlay_med(const struct overlay_cand *c, uint64_t *group, uint32_t *med)
{
	const struct path_order *o = c->from->order;
	struct route_cand rc = overlay_cand_of(c);

	if (!o->med)
		return false;
	*med = o->med(&rc, group);
	return true;
}

/* overlay_put_in - @c in order of rank. */
static void
overlay_put_in(const struct overlay_cand *c, unsigned *at, unsigned cnt, unsigned i)
{
	while (cnt && overlay_cmp(&c[i], &c[at[cnt - 1]]) < 0) {
		at[cnt] = at[cnt - 1];
		cnt--;
	}
	at[cnt] = i;
}

unsigned
overlay_best(const struct overlay_cand *c, unsigned cnt)
{
	struct route_cand rivals[PATH_WALK_TIED];
	unsigned at[PATH_WALK_TIED], first = 0, n = 1;

	for (unsigned i = 1; i < cnt; i++)
		if (overlay_cmp(&c[i], &c[first]) < 0)
			first = i;
	at[0] = first;
	for (unsigned i = 0; i < cnt && n < PATH_WALK_TIED; i++)
		if (i != first && table_overlay_tied(&c[first], &c[i]))
			overlay_put_in(c, at, n++, i);
	if (n == 1)
		return first;
	for (unsigned i = 0; i < n; i++)
		rivals[i] = overlay_cand_of(&c[at[i]]);
	return at[c[first].from->order->select(rivals, n)];
}

static int
overlay_cmp_back(const void *a, const void *b)
{
	const struct overlay_cand *x = a, *y = b;
	int c = overlay_cmp(y, x);

	/* routes with equal attributes keep the order of their table */
	return c ? c : (x->nr < y->nr) - (x->nr > y->nr);
}

/* overlay_take_med - of the routes tied with the last of @cnt, move the best to the
 * end. */
static void
overlay_take_med(struct overlay_cand *c, unsigned cnt)
{
	const struct overlay_cand *last = &c[cnt - 1];
	struct route_cand rivals[PATH_WALK_TIED];
	struct overlay_cand best;
	unsigned n = 1, i;

	rivals[0] = overlay_cand_of(last);
	for (; n < PATH_WALK_TIED && n < cnt && table_overlay_tied(last, last - n); n++)
		rivals[n] = overlay_cand_of(last - n);
	if (n == 1)
		return;
	i = cnt - 1 - last->from->order->select(rivals, n);
	best = c[i];
	memmove(&c[i], &c[i + 1], (cnt - 1 - i) * sizeof(*c));
	c[cnt - 1] = best;
}

void
overlay_sort(struct overlay_cand *c, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		c[i].nr = i;
	qsort(c, cnt, sizeof(*c), overlay_cmp_back);
	for (; cnt > 1; cnt--)
		overlay_take_med(c, cnt);
}

static uint64_t
overlay_tie_place(const struct table *t, const struct path *p)
{
	const struct feeder *f = table_feeder_at(t, path_feeder(p));

	return f ? f->place : 0;
}

/* overlay_tie_cmp - as best_cmp_equal in table_best.c, about the candidates' sets. */
static int
overlay_tie_cmp(
    const struct table *t, const struct overlay_cand *a, const struct overlay_cand *b)
{
	struct path_tie x = { overlay_tie_place(t, a->path), a->from, a->set,
		path_origin(a->path) != 0 };
	struct path_tie y = { overlay_tie_place(t, b->path), b->from, b->set,
		path_origin(b->path) != 0 };
	enum reason why;
	int c = path_tie_cmp(&x, &y, &why);

	if (c)
		return c;
	if (path_rid_of(a->path) != path_rid_of(b->path))
		return path_rid_of(a->path) < path_rid_of(b->path) ? -1 : 1;
	return path_feeder(a->path) < path_feeder(b->path) ? -1 : 1;
}

void
overlay_sort_ties(const struct table *t, struct overlay_cand *c, unsigned cnt)
{
	for (unsigned i = 1; i < cnt; i++) {
		struct overlay_cand one = c[i];
		unsigned at = i;

		for (; at && overlay_tie_cmp(t, &one, &c[at - 1]) < 0; at--)
			c[at] = c[at - 1];
		c[at] = one;
	}
}

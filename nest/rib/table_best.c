/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a net in order of rank, and which of them is best. The table's loop.
 *
 * The order is strict and leaves MED out, which isn't transitive: preference, then the
 * protocol's rank. The best route is the first selectable path, unless others are tied
 * with it in all that comes before MED: then the protocol chooses among these (RFC
 * 4271, 9.1.2.2 c). So the result doesn't depend on the order in which routes came.
 *
 * I1  A new path is linked before the best is moved, and the old path of the same source
 * is unlinked after that: a reader sees the best as it was or as it will be, never a gap.
 * I2  Paths of dead epochs and filtered ones are never best once the net was touched. */
#include "nest/rib/table_priv.h"

#define TIED_MAX                                                                         \
	256 /* beyond, the first 256 in rank take part in the comparison of MED */

static struct path *
next_of(const struct path *p)
{
	return near_load_relaxed(&p->next);
}

static bool
is_dead(const struct table *t, const struct path *p)
{
	return p->epoch != table_own_feeder(t, p->feeder)->epoch;
}

bool
path_live(const struct table *t, const struct path *p)
{
	/* Readers may be a moment behind; only the table's own decisions count. */
	return load_acquire64(
		   &table_feeder_at(t, p->feeder)->epoch_pub) == /* pairs: TEPOCH */
	       p->epoch;
}

static struct route_cand
cand_of(const struct table *t, const struct path *p)
{
	struct origin *f = load_relaxed_ptr(&table_own_feeder(t, p->feeder)->facts);

	return (struct route_cand){ p->set, &f->src, p->time_cs };
}

/* path_cmp - < 0: @a comes before @b. */
static int
path_cmp(const struct table *t, const struct path *a, const struct path *b)
{
	const struct feeder *sa, *sb;
	int fa = a->flags & PATH_FILTERED, fb = b->flags & PATH_FILTERED, c;
	struct route_cand ca, cb;

	if (fa != fb)
		return fa - fb;
	if (a->set->local.preference != b->set->local.preference)
		return a->set->local.preference > b->set->local.preference ? -1 : 1;
	sa = table_own_feeder(t, a->feeder);
	sb = table_own_feeder(t, b->feeder);
	if (sa->order == sb->order && sa->order->rank) {
		ca = cand_of(t, a);
		cb = cand_of(t, b);
		c = sa->order->rank(&ca, &cb);
		if (c)
			return c;
	}
	return a->feeder < b->feeder ? -1 : a->feeder > b->feeder;
}

/* choose_tied - @first is the best but for MED; others of its class may be tied with it.
 */
static struct path *
choose_tied(const struct table *t, struct path *first, const struct path *skip)
{
	const struct path_order *order = table_own_feeder(t, first->feeder)->order;
	struct route_cand cand[TIED_MAX];
	struct path *at[TIED_MAX], *p;
	unsigned cnt = 1;

	at[0] = first;
	cand[0] = cand_of(t, first);
	for (p = next_of(first); p && cnt < TIED_MAX; p = next_of(p)) {
		if (p == skip || is_dead(t, p))
			continue;
		if ((p->flags & PATH_FILTERED) ||
		    table_own_feeder(t, p->feeder)->order != order ||
		    p->set->local.preference != first->set->local.preference)
			break;
		cand[cnt] = cand_of(t, p);
		if (!order->tied(&cand[0], &cand[cnt]))
			break;
		at[cnt++] = p;
	}
	return cnt > 1 ? at[order->select(cand, cnt)] : first;
}

/* choose - the best path, @skip left out; NULL: none. */
static struct path *
choose(const struct table *t, const struct net *n, const struct path *skip)
{
	struct path *p = near_load_relaxed(&n->paths);

	while (p && (p == skip || is_dead(t, p)))
		p = next_of(p);
	if (!p || (p->flags & PATH_FILTERED))
		return NULL;
	if (!next_of(p) || !table_own_feeder(t, p->feeder)->order->tied)
		return p;
	return choose_tied(t, p, skip);
}

static void
count_preferred(struct table *t, const struct path *p, uint64_t add)
{
	if (p)
		counter64_bump(&table_own_feeder(t, p->feeder)->stats->preferred, add);
}

/* set_best - move the best to @p: whenever a path of the net has changed. Marks the net for this batch's segments (I2,
 * I3 of table_priv.h). */
static void
set_best(struct table *t, struct net *n, uint32_t id, struct path *p)
{
	struct path *old = near_load_relaxed(&n->best);
	uint32_t batch = load_relaxed32(&t->batch);

	if (old == p && likely(!nlri_tells_paths(t->kind)))
		return;
	if (load_relaxed32(&n->batch) != batch) {
		if (t->change_cnt == t->change_cap) {
			t->change_cap = t->change_cap ? 2 * t->change_cap : 256;
			t->change = mem_realloc(
			    MEM_TABLE, t->change, t->change_cap * sizeof(*t->change));
		}
		t->change[t->change_cnt++] = (struct change){ .id = id,
			.old_src = old ? old->feeder : NO_SOURCE,
			.old_set = old ? old->set : NULL };
		store_release32(&n->batch, batch); /* pairs: NBATCH */
		store_release32(
		    &table_chunk(t, id >> CHUNK_ORDER)->ver, batch); /* pairs: CVER */
	}
	count_preferred(t, old, (uint64_t)-1);
	count_preferred(t, p, 1);
	near_store_release(&n->best, p); /* pairs: TBEST */
}

/* path_new - NULL: no address is left for it. */
static struct path *
path_new(struct table *t, const struct feeder *s, struct attr_set *set,
    struct attr_set *pre, unsigned flags)
{
	struct path *p = slab_get(pre ? &t->path_pre_slab : &t->path_slab);

	if (unlikely(!p))
		return NULL;
	if (pre)
		p->pre[0] = attr_set_ref(pre, 1);
	*p = (struct path){ .set = attr_set_ref(set, 1),
		.time_cs = t->now_cs,
		.feeder = load_relaxed32(&s->id),
		.epoch = s->epoch,
		.flags = flags | (pre ? PATH_PRE : 0) };
	return p;
}

/* count_path - one more or less (@add: 1 or -1) of @s. */
static void
count_path(struct table *t, const struct path *p, int add)
{
	struct feeder *s = table_own_feeder(t, p->feeder);
	bool live = p->epoch == s->epoch;

	s->path_cnt += (uint32_t)add;
	counter64_bump(&t->st.paths, (uint64_t)add);
	if (p->flags & PATH_FILTERED)
		counter64_bump(&t->st.filtered, (uint64_t)add);
	if (!live)
		return;
	s->live_cnt += (uint32_t)add;
	if (p->flags & PATH_FILTERED) {
		s->live_filtered += (uint32_t)add;
		counter64_set(&s->stats->filtered, s->live_filtered);
	} else {
		counter64_set(&s->stats->imported, s->live_cnt - s->live_filtered);
	}
}

/* unlink_path - take @p out, whose predecessor is @prev (NULL: it is the first). */
static void
unlink_path(struct table *t, struct net *n, struct path *prev, struct path *p)
{
	near_store_release(prev ? &prev->next : &n->paths, next_of(p)); /* pairs: TPATH */
	count_path(t, p, -1);
	/* `next` still leads on for readers who stand here, so the chain runs through a
	 * list of its own. */
	if (t->retired_cnt == t->retired_cap) {
		t->retired_cap = t->retired_cap ? 2 * t->retired_cap : 256;
		t->retired = mem_realloc(
		    MEM_TABLE, t->retired, t->retired_cap * sizeof(*t->retired));
	}
	t->retired[t->retired_cnt++] = p;
}

static void
note_dead(struct table *t, struct net *n, uint32_t id)
{
	if (near_load_relaxed(&n->paths))
		return;
	counter64_bump(&t->st.nets, (uint64_t)-1);
	table_net_dead(t, n, id);
}

/* link_path - in order of rank, before any that is not better. */
static void
link_path(struct table *t, struct net *n, struct path *p)
{
	struct path *prev = NULL, *at = near_load_relaxed(&n->paths);

	if (!at)
		counter64_bump(&t->st.nets, 1);
	/* Of dead ones only the memory is left to go by; they may stand anywhere. */
	while (at && (is_dead(t, at) || path_cmp(t, at, p) < 0)) {
		prev = at;
		at = next_of(at);
	}
	near_store_relaxed(&p->next, at);
	near_store_release(prev ? &prev->next : &n->paths, p); /* pairs: TPATH */
	count_path(t, p, 1);
}

/* drop_paths - unlink the dead ones and @old. The best has moved away from them. */
static void
drop_paths(struct table *t, struct net *n, const struct path *old)
{
	struct path *prev = NULL, *p = near_load_relaxed(&n->paths), *next;

	for (; p; p = next) {
		next = next_of(p);
		if (p == old || is_dead(t, p))
			unlink_path(t, n, prev, p);
		else
			prev = p;
	}
}

/* path_of - the present path of @s; *@any_dead: has the net paths of dead epochs? */
static struct path *
path_of(
    const struct table *t, const struct net *n, const struct feeder *s, bool *any_dead)
{
	uint32_t id = load_relaxed32(&s->id);
	struct path *p, *found = NULL;

	*any_dead = false;
	for (p = near_load_relaxed(&n->paths); p; p = next_of(p)) {
		if (is_dead(t, p))
			*any_dead = true;
		else if (p->feeder == id)
			found = p;
	}
	return found;
}

/* remove_paths - @old and the dead ones, of which there are some. */
static void
remove_paths(struct table *t, struct net *n, uint32_t id, const struct path *old)
{
	set_best(t, n, id, choose(t, n, old));
	drop_paths(t, n, old);
	note_dead(t, n, id);
}

bool
table_announce(struct table *t, struct feeder *s, struct net *n, uint32_t id,
    struct attr_set *set, struct attr_set *pre, uint8_t flags)
{
	bool any_dead;
	struct path *old = path_of(t, n, s, &any_dead), *p;

	if (old && old->set == set && (old->flags & PATH_FILTERED) == flags &&
	    (old->flags & PATH_PRE ? old->pre[0] : NULL) == pre && !any_dead) {
		counter64_bump(&s->stats->imp_upd_ignored, 1);
		return true;
	}
	p = path_new(t, s, set, pre, flags);
	if (unlikely(!p)) { /* what was there isn't valid any more */
		if (old || any_dead)
			remove_paths(t, n, id, old);
		return false;
	}
	link_path(t, n, p);
	set_best(t, n, id, choose(t, n, old));
	if (old || any_dead)
		drop_paths(t, n, old);
	if (!(flags & PATH_FILTERED))
		counter64_bump(&s->stats->imp_upd_accepted, 1);
	return true;
}

void
table_withdraw(struct table *t, struct feeder *s, struct net *n, uint32_t id)
{
	bool any_dead;
	struct path *old = path_of(t, n, s, &any_dead);

	if (!old && !any_dead) {
		counter64_bump(&s->stats->imp_wd_ignored, 1);
		return;
	}
	counter64_bump(old ? &s->stats->imp_wd_accepted : &s->stats->imp_wd_ignored, 1);
	remove_paths(t, n, id, old);
}

void
table_prune(struct table *t, struct net *n, uint32_t id)
{
	struct path *p = near_load_relaxed(&n->paths);

	while (p && !is_dead(t, p))
		p = next_of(p);
	if (!p)
		return;
	remove_paths(t, n, id, NULL);
}

int
table_path_state(const struct table *t, const struct feeder *s, const struct net *n)
{
	bool any_dead;
	struct path *p = path_of(t, n, s, &any_dead);

	return p ? (p->flags & PATH_FILTERED ? 1 : 0) : -1;
}

const struct attr_set *
table_path_pre(const struct table *t, const struct feeder *s, const struct net *n)
{
	bool any_dead;
	struct path *p = path_of(t, n, s, &any_dead);

	return p ? path_pre(p) : NULL;
}

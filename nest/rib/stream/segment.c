/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Group nets into segments: by the table for its journal, by sessions for cuts.
 *
 * An open hash over (set, source) finds the groups. The items of a group form a list in
 * the order of arrival, and are sorted by id only if necessary (ids of one UPDATE are in
 * order).
 *
 * Loop: the table's for the journal, the reader's for cuts; segment_free in any
 * thread. */
#include "nest/rib/stream/segment.h"

#include "nest/rib/stream.h"
#include "nest/rib/table_priv.h"

#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/base/hash.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/attr/export_memo.h"
#include "nest/rib/nlri.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct group {
	const struct seg_item *key;
	uint32_t first, last, cnt;
	bool sorted;
};

struct grouping {
	const struct seg_item *item;
	uint32_t *next; /* by item: next item of its group */
	struct group *group;
	uint32_t group_cnt;
	uint32_t *slot, mask;
};

static bool
segment_same_key(const struct seg_item *a, const struct seg_item *b)
{
	return a->set == b->set && a->src == b->src && a->old_src == b->old_src &&
	       a->origin == b->origin;
}

static void
segment_add_item(struct grouping *g, uint32_t i)
{
	const struct seg_item *it = &g->item[i];
	uint64_t h = hash_u64((uint64_t)it->old_src << 32 | (it->src ^ it->origin),
	    (uint64_t)(uintptr_t)it->set);
	struct group *gr;
	uint32_t at;

	for (at = (uint32_t)h & g->mask; g->slot[at] != NONE; at = (at + 1) & g->mask)
		if (segment_same_key(g->group[g->slot[at]].key, it))
			break;
	g->next[i] = NONE;
	if (g->slot[at] == NONE) {
		g->slot[at] = g->group_cnt;
		g->group[g->group_cnt++] = (struct group){ it, i, i, 1, true };
		return;
	}
	gr = &g->group[g->slot[at]];
	if (g->item[gr->last].id > it->id)
		gr->sorted = false;
	g->next[gr->last] = i;
	gr->last = i;
	gr->cnt++;
}

static int
segment_cmp_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

uint8_t
segment_marks(
    const struct table *t, const struct attr_set *set, const struct route_source *f)
{
	const struct seg_class *c = t->tern->seg_class;

	return c ? c->marks(set, f) : 0;
}

void
segment_note(const struct table *t, struct segment *s)
{
	const struct seg_class *c = t->tern->seg_class;

	if (!c)
		return;
	s->class_key = c->key(s->set);
	if (s->facts)
		s->marks = c->marks(s->set, &s->facts->src);
}

/* segment_get_facts - origin of @it, with a reference. Returns: NULL: the origin is
 * gone. */
static OWNED struct origin *
segment_get_facts(const struct table *t, const struct seg_item *it)
{
	const struct feeder *s;
	struct origin *f;

	if (unlikely(it->origin)) {
		f = origin_find(t->tern->origins, it->origin);
	} else {
		s = table_feeder_at(t, it->src);
		f = s ? load_acquire_ptr(&s->facts) : NULL; /* pairs: TFACTS */
	}
	return f && origin_ref_live(f) ? f : NULL;
}

/* put_nets - write the NLRI of @cnt nets. Returns: the end; the spare octets behind the
 * end are written too. */
NLRI_INLINE uint8_t *
put_nets(enum nlri_kind k, const struct stream *st, uint8_t *to, const uint32_t *id,
    uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		const struct net *n = stream_net(st, id[i]);

		if (unlikely(st->slot)) {
			put_be32(to, id[i]);
			to += NLRI_ID_LEN;
		}
		to += nlri_put(k, to, n->word, n->head);
	}
	memset(to, 0, NLRI_SLACK);
	return to;
}

/* segment_make - NULL: the set is dying, or the source is gone. */
static struct segment *
segment_make(const struct stream *st, struct bump *mem, const struct grouping *g,
    const struct group *gr, uint32_t *id, uint32_t batch)
{
	const struct table *t = st->table;
	struct bump_block *block;
	uint32_t cnt = 0, runs = 0, nlri_len = 0;
	struct origin *facts = NULL;
	struct segment *s;
	size_t size;

	if (gr->key->set && !(facts = segment_get_facts(t, gr->key)))
		return NULL;
	if (gr->key->set && !attr_set_ref_live(gr->key->set)) {
		origin_put(facts);
		return NULL;
	}
	for (uint32_t i = gr->first; i != NONE; i = g->next[i])
		id[cnt++] = g->item[i].id;
	if (!gr->sorted)
		qsort(id, cnt, sizeof(*id), segment_cmp_id);
	for (uint32_t i = 0; i < cnt; i++) {
		runs += !i || id[i] != id[i - 1] + 1;
		nlri_len += nlri_len_of(t->kind, stream_net(st, id[i])->head);
	}
	if (st->slot)
		nlri_len += cnt * NLRI_ID_LEN;
	size = sizeof(*s) + (runs > 1 ? runs : 0) * sizeof(s->run[0]) + nlri_len +
	       NLRI_SLACK;
	s = bump_alloc(mem, (uint32_t)size, &block);
	memset(s, 0, sizeof(*s));
	s->block = block;
	s->je.bytes = (uint32_t)size;
	s->set = gr->key->set;
	if (s->set) {
		s->wire = s->set->wire;
		s->facts = facts;
		segment_note(t, s);
	}
	s->src = gr->key->src;
	s->old_src = gr->key->old_src;
	s->origin = gr->key->origin;
	s->batch = batch;
	s->nets = (struct seg_run){ id[0], cnt };
	s->run_cnt = runs;
	if (st->slot)
		s->form |= SEG_PATHS;
	if (runs == 1)
		s->form |= SEG_ONE_RUN;
	if (s->set && t->tern->seg_class)
		s->form |= t->tern->seg_class->form(s->set);
	if (s->marks || s->old_src != NO_FEEDER)
		s->form &= (uint8_t)~SEG_UNIFORM;
	if (s->old_src == s->src && s->set)
		s->form |= SEG_BEHIND;
	if (s->set)
		s->form |= segment_lists(s->set);
	s->nlri_len = nlri_len;
	for (uint32_t i = 0, r = NONE; i < cnt && runs > 1; i++) {
		if (!i || id[i] != id[i - 1] + 1)
			s->run[++r] = (struct seg_run){ id[i], 1 };
		else
			s->run[r].cnt++;
	}
	NLRI_BY_KIND(
	    t->kind, put_nets, st, (uint8_t *)(uintptr_t)segment_nlri(s), id, cnt);
	return s;
}

bool
segment_group(struct stream *st, struct bump *mem, struct arena *a,
    const struct seg_item *item, uint32_t cnt, uint32_t batch,
    void (*emit)(void *arg, TAKE struct segment *s), void *arg)
{
	struct grouping g = { .item = item };
	uint32_t slots = 16, *id;
	bool all = true;

	if (!cnt)
		return true;
	while (slots < 2 * cnt)
		slots *= 2;
	g.mask = slots - 1;
	g.slot = arena_alloc(a, slots * sizeof(*g.slot));
	memset(g.slot, 0xff, slots * sizeof(*g.slot));
	g.next = arena_alloc(a, cnt * sizeof(*g.next));
	g.group = arena_alloc(a, cnt * sizeof(*g.group));
	id = arena_alloc(a, cnt * sizeof(*id));
	for (uint32_t i = 0; i < cnt; i++)
		segment_add_item(&g, i);
	for (uint32_t i = 0; i < g.group_cnt; i++) {
		struct segment *s = segment_make(st, mem, &g, &g.group[i], id, batch);

		if (s)
			emit(arg, s);
		else
			all = false;
	}
	return all;
}

void
segment_charge(struct table *t, struct segment *s, uint32_t octets)
{
	struct stream *st = s->form & SEG_PATHS ? t->all : &t->best;

	journal_charge(&st->journal, &s->je, octets);
}

void *
segment_room(struct table *t, bool for_octets, uint32_t len, struct bump_block **block)
{
	return bump_alloc(for_octets ? &t->out.msg : &t->out.head, len, block);
}

void
segment_free(const struct table *t, TAKE struct segment *s)
{
	struct export_memo *m = load_acquire_ptr(&s->memo), *m_next; /* pairs: EMEMO */
	void *slot = load_acquire_ptr(&s->slot); /* pairs: MVAR */

	if (s->quick_block)
		bump_put(s->quick_block);
	if (slot)
		t->tern->seg_class->free_slot(t->store, slot);
	for (; m; m = m_next) {
		m_next = load_acquire_ptr(&m->next); /* pairs: EMEMO */
		export_memo_free(t->store, m);
	}
	if (s->set) {
		attr_set_unref(t->store, s->set, 1);
		origin_put(s->facts);
	}
	bump_put(s->block);
}

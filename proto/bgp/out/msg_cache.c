/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of segments, shared between sessions of a class. Loop: the session's; several
 * sessions at a time. */
#include "proto/bgp/out/msg_cache.h"

#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/bump.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "lib/wire/wbuf.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/msg_piece.h"
#include "nest/rib/table.h"
#include "proto/bgp/out/bgp_rules.h"
#include "proto/bgp/out/long_lived.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/page_file.h"

static void *
cache_take_pages(const struct bump_pages *bp, enum mem_tag tag)
{
	return page_file_take(bp->arg, tag);
}

static void
cache_give_pages(const struct bump_pages *bp, enum mem_tag tag, void *block)
{
	page_file_give(bp->arg, tag, block);
}

void
msg_memory_init(struct tern *t)
{
	t->seg_class = &bgp_seg_class;
	t->messages.file = page_file_new();
	if (!t->messages.file)
		log_msg(LOG_C_INFO, "The system has no memory files: ternd copies "
				    "messages to each socket");
	t->messages.pages = (struct bump_pages){ .len = PAGE_FILE_BLOCK,
		.take = cache_take_pages,
		.give = cache_give_pages,
		.arg = t->messages.file };
}

void
msg_memory_fini(struct tern *t)
{
	page_file_free(t->messages.file);
	t->messages.file = NULL;
}

bool
msg_build(const struct table *t, const struct session_class *cls, struct wire_set *wire,
    const uint8_t *nlri, uint32_t nlri_len, struct arena *a, struct msg_piece *out)
{
	size_t cap = bgp_update_build_bound(&cls->bgp, table_family(t), wire, nlri_len);
	uint8_t *data = arena_alloc(a, cap);
	struct wbuf w = wbuf_of(data, cap);
	int cnt = bgp_update_build(&cls->bgp, table_family(t), wire, nlri, nlri_len, &w);

	*out = (struct msg_piece){ 0 };
	if (cnt <= 0)
		return false;
	*out = (struct msg_piece){
		.data = data, .len = (uint32_t)wbuf_len(&w), .msg_cnt = (uint32_t)cnt
	};
	return true;
}

static void
cache_variant_free(struct attr_store *store, TAKE struct msg_variant *v)
{
	if (v->wire)
		wire_set_unref(store, v->wire);
	if (v->msg.block)
		bump_put(v->msg.block);
	bump_put(v->block);
}

static void
msg_cache_free(struct attr_store *store, TAKE void *slot)
{
	for (struct msg_variant *v = slot, *next; v; v = next) {
		next = load_acquire_ptr(&v->next); /* pairs: MVAR */
		cache_variant_free(store, v);
	}
}

const struct seg_class bgp_seg_class = {
	.marks = bgp_rules_marks,
	.key = bgp_rules_key,
	.form = bgp_rules_form,
	.overdue = long_lived_set,
	.free_slot = msg_cache_free,
};

/* msg_cache_find - a variant. @end: where the next one would hang; @cnt: how many there
 * are. */
static const struct msg_variant *
msg_cache_find(struct segment *s, const struct session_class *cls,
    const struct wire_set *wire, struct pubptr **end, unsigned *cnt)
{
	struct pubptr *at = &s->slot;
	struct msg_variant *v;

	for (*cnt = 0; (v = load_acquire_ptr(at)); at = &v->next) { /* pairs: MVAR */
		if (v->key == cls->key && v->wire == wire)
			return v;
		++*cnt;
	}
	*end = at;
	return NULL;
}

/* cache_keep_data - move @m to memory that outlives the callback, beside other messages.
 */
static void
cache_keep_data(struct table *t, struct msg_piece *m)
{
	uint8_t *data = segment_room(t, true, m->len, &m->block);

	memcpy(data, m->data, m->len);
	m->data = data;
}

/* msg_cache_keep - store @tmp (len 0: not encodable) as a variant. */
static OWNED struct msg_variant *
msg_cache_keep(struct table *t, const struct session_class *cls, struct wire_set *wire,
    const struct msg_piece *tmp)
{
	struct bump_block *block;
	struct msg_variant *v = segment_room(t, false, sizeof(*v), &block);

	*v = (struct msg_variant){
		.key = cls->key, .wire = wire, .msg = *tmp, .block = block
	};
	if (wire)
		wire_set_ref(wire);
	if (tmp->len)
		cache_keep_data(t, &v->msg);
	return v;
}

/* msg_cache_hang - append @fresh to the list. Returns: false: the list is full, or
 * another session has made an equal variant (*@same). */
static bool
msg_cache_hang(struct msg_variant *fresh, struct pubptr *end, unsigned cnt, bool *same)
{
	struct msg_variant *there;

	for (*same = false; cnt < SEG_VARIANTS && !*same; cnt++, end = &there->next) {
		void *expect = NULL;

		if (cas_acq_rel_ptr(end, &expect, fresh)) /* pairs: MVAR */
			return true;
		there = expect; /* another session was first here */
		*same = there->key == fresh->key && there->wire == fresh->wire;
	}
	return false;
}

/* msg_cache_claim - may the caller fill the place in the segment? */
static bool
msg_cache_claim(struct segment *s, const struct wire_set *wire, uint32_t msgs)
{
	uint64_t expect = 0;

	return wire == s->wire && msgs <= UINT16_MAX && !load_relaxed64(&s->quick_key) &&
	       cas_acq_rel64(&s->quick_key, &expect, SEG_CLAIMED); /* pairs: SQUICK */
}

static void
cache_fill_quick(struct table *t, struct segment *s, const struct session_class *cls,
    struct msg_piece *m)
{
	cache_keep_data(t, m);
	s->quick_data = m->data;
	s->quick_block = m->block;
	s->quick_len = m->len;
	s->quick_cnt = (uint16_t)m->msg_cnt;
	store_release64(&s->quick_key, cls->key); /* pairs: SQUICK */
	segment_charge(t, s, m->len);
}

bool
msg_cache_get(struct table *t, struct segment *s, const struct session_class *cls,
    struct wire_set *wire, struct arena *a, struct msg_piece *out, bool *built)
{
	struct pubptr *end;
	unsigned cnt;
	const struct msg_variant *v;
	struct msg_variant *fresh;
	bool same;

	if (wire == s->wire && segment_quick(s, cls)) {
		*out = (struct msg_piece){ s->quick_data, s->quick_len, s->quick_cnt,
			s->quick_block };
		return true;
	}
	v = msg_cache_find(s, cls, wire, &end, &cnt);
	if (v) {
		*out = v->msg;
		return v->msg.len;
	}
	*built = true;
	msg_build(t, cls, wire, segment_nlri(s), s->nlri_len, a, out);
	if (out->len && msg_cache_claim(s, wire, out->msg_cnt)) {
		cache_fill_quick(t, s, cls, out);
		return true;
	}
	if (cnt == SEG_VARIANTS)
		return out->len;
	fresh = msg_cache_keep(t, cls, wire, out);
	if (msg_cache_hang(fresh, end, cnt, &same)) {
		segment_charge(t, s, (uint32_t)sizeof(*fresh) + fresh->msg.len);
		*out = fresh->msg;
		return out->len;
	}
	*built = !same;
	cache_variant_free(table_store(t), fresh);
	return out->len;
}

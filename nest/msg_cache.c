/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of segments, shared between sessions of a class. */
#include "nest/msg_cache.h"

#include "lib/wire/bgp_update_enc.h"
#include "nest/tern.h"
#include "sysdep/log.h"

static void *
take_pages(const struct bump_pages *bp, enum mem_tag tag)
{
	return page_file_take(bp->arg, tag);
}

static void
give_pages(const struct bump_pages *bp, enum mem_tag tag, void *block)
{
	page_file_give(bp->arg, tag, block);
}

void
msg_memory_init(struct tern *t)
{
	t->messages = page_file_new();
	if (!t->messages)
		log_msg(LOG_C_INFO,
		    "No memory files here: messages are copied to each socket");
	t->message_pages = (struct bump_pages){ .len = PAGE_FILE_BLOCK,
		.take = take_pages,
		.give = give_pages,
		.arg = t->messages };
}

void
msg_memory_fini(struct tern *t)
{
	page_file_free(t->messages);
	t->messages = NULL;
}

const struct session_class *
session_class_get(struct pubptr *registry, const struct bgp_class *c)
{
	struct session_class *fresh = NULL, *head, *at;

	head = load_acquire_ptr(registry); /* pairs: SCLASS */
	for (;;) {
		for (at = head; at; at = at->next)
			if (bgp_class_equal(&at->bgp, c)) {
				mem_free(MEM_PROTO, fresh);
				return at;
			}
		if (!fresh) {
			fresh = mem_zalloc(MEM_PROTO, sizeof(*fresh));
			fresh->bgp = *c;
		}
		fresh->next = head;
		void *expect = head;

		if (cas_acq_rel_ptr(registry, &expect, fresh)) /* pairs: SCLASS */
			return fresh;
		head = expect;
	}
}

void
session_classes_free(struct pubptr *registry)
{
	struct session_class *c = xchg_acq_rel_ptr(registry, NULL),
			     *next; /* pairs: SCLASS */

	for (; c; c = next) {
		next = c->next;
		mem_free(MEM_PROTO, c);
	}
}

const struct msg_variant *
msg_build(const struct table *t, const struct session_class *cls, struct wire_set *wire,
    const uint8_t *nlri, uint32_t nlri_len, struct arena *a)
{
	size_t cap = bgp_update_build_bound(&cls->bgp, t->fam, wire, nlri_len);
	struct msg_variant *v = arena_alloc(a, sizeof(*v) + cap);
	struct wbuf w = wbuf_of(v + 1, cap);
	int cnt = bgp_update_build(&cls->bgp, t->fam, wire, nlri, nlri_len, &w);

	if (cnt <= 0)
		return NULL;
	*v = (struct msg_variant){ .cls = cls,
		.wire = wire,
		.data = (const uint8_t *)(v + 1),
		.len = (uint32_t)wbuf_len(&w),
		.msg_cnt = (uint32_t)cnt };
	return v;
}

/* find - @end: where the next variant would hang; NULL: there are as many as may be. */
static const struct msg_variant *
find(struct segment *s, const struct session_class *cls, const struct wire_set *wire,
    struct pubptr **end, unsigned *cnt)
{
	struct pubptr *at = &s->variant;
	struct msg_variant *v;

	for (*cnt = 0; (v = load_acquire_ptr(at)); at = &v->next) { /* pairs: MVAR */
		if (v->cls == cls && v->wire == wire)
			return v;
		++*cnt;
	}
	*end = at;
	return NULL;
}

/* keep - a copy of @tmp (NULL: it can't be encoded) that outlives the callback. */
static OWNED struct msg_variant *
keep(struct table *t, const struct session_class *cls, struct wire_set *wire,
    const struct msg_variant *tmp)
{
	struct bump_block *block;
	struct msg_variant *v = bump_alloc(&t->head_mem, sizeof(*v), &block);
	uint8_t *data;

	*v = (struct msg_variant){ .cls = cls, .wire = wire, .block = block };
	if (wire)
		wire_set_ref(wire);
	if (tmp) {
		data = bump_alloc(&t->msg_mem, tmp->len, &v->data_block);
		memcpy(data, tmp->data, tmp->len);
		v->data = data;
		v->len = tmp->len;
		v->msg_cnt = tmp->msg_cnt;
	}
	return v;
}

const struct msg_variant *
msg_cache_get(struct table *t, struct segment *s, const struct session_class *cls,
    struct wire_set *wire, struct arena *a, bool *built)
{
	struct pubptr *end;
	unsigned cnt;
	const struct msg_variant *v = find(s, cls, wire, &end, &cnt), *tmp;
	struct msg_variant *fresh, *there;
	void *expect;

	if (v)
		return v->len ? v : NULL;
	*built = true;
	tmp = msg_build(t, cls, wire, segment_nlri(s), s->nlri_len, a);
	if (!tmp)
		log_msg(LOG_C_ERR,
		    "Table %s: attributes too long for a message, route withdrawn",
		    t->name);
	if (cnt == SEG_VARIANTS)
		return tmp;
	fresh = keep(t, cls, wire, tmp);
	for (; cnt < SEG_VARIANTS; cnt++, end = &there->next) {
		expect = NULL;
		if (cas_acq_rel_ptr(end, &expect, fresh)) /* pairs: MVAR */
			return fresh->len ? fresh : NULL;
		there =
		    expect; /* another session was first here: did it make the same? */
		if (there->cls == cls && there->wire == wire)
			break;
	}
	msg_variant_free(t->store, fresh);
	*built = cnt == SEG_VARIANTS;
	return tmp;
}

void
msg_variant_free(struct attr_store *store, TAKE struct msg_variant *v)
{
	if (!v)
		return;
	if (v->wire)
		wire_set_unref(store, v->wire);
	if (v->data_block)
		bump_put(v->data_block);
	bump_put(v->block);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of segments, shared between sessions of a class. */
#include "nest/msg_cache.h"

#include "lib/wire/bgp_update_enc.h"
#include "sysdep/log.h"

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

/* fill - the messages into @v, which has room for @cap octets. Returns: false: can't be
 * encoded. */
static bool
fill(struct msg_variant *v, size_t cap, const struct table *t,
    const struct session_class *cls, struct wire_set *wire, const uint8_t *nlri,
    uint32_t nlri_len)
{
	struct wbuf w = wbuf_of(v->data, cap);
	int cnt = bgp_update_build(&cls->bgp, t->fam, wire, nlri, nlri_len, &w);

	v->cls = cls;
	v->wire = wire;
	v->msg_cnt = cnt > 0 ? (uint32_t)cnt : 0;
	v->len = cnt > 0 ? (uint32_t)wbuf_len(&w) : 0;
	return cnt > 0;
}

const struct msg_variant *
msg_build(const struct table *t, const struct session_class *cls, struct wire_set *wire,
    const uint8_t *nlri, uint32_t nlri_len, struct arena *a)
{
	size_t cap = bgp_update_build_bound(&cls->bgp, t->fam, wire, nlri_len);
	struct msg_variant *v = arena_alloc(a, sizeof(*v) + cap);

	return fill(v, cap, t, cls, wire, nlri, nlri_len) ? v : NULL;
}

static const struct msg_variant *
find(const struct segment *s, const struct session_class *cls,
    const struct wire_set *wire, unsigned *free_place)
{
	for (unsigned i = 0; i < SEG_VARIANTS; i++) {
		const struct msg_variant *v = load_acquire_ptr(
		    &s->variant[i]); /* pairs: MVAR */

		if (!v) {
			*free_place = i;
			return NULL;
		}
		if (v->cls == cls && v->wire == wire)
			return v;
	}
	*free_place = SEG_VARIANTS;
	return NULL;
}

const struct msg_variant *
msg_cache_get(struct table *t, struct segment *s, const struct session_class *cls,
    struct wire_set *wire, struct arena *a, bool *built)
{
	unsigned place;
	const struct msg_variant *v = find(s, cls, wire, &place), *tmp;
	struct msg_variant *fresh;
	void *expect = NULL;

	if (v)
		return v->len ? v : NULL;
	*built = true;
	tmp = msg_build(t, cls, wire, segment_nlri(s), s->nlri_len, a);
	if (!tmp)
		log_msg(LOG_C_ERR,
		    "Table %s: attributes too long for a message, route withdrawn",
		    t->name);
	if (place == SEG_VARIANTS)
		return tmp;
	fresh = mem_alloc(MEM_JOURNAL, sizeof(*fresh) + (tmp ? tmp->len : 0));
	*fresh = (struct msg_variant){ .cls = cls, .wire = wire };
	if (tmp)
		memcpy(fresh, tmp, sizeof(*fresh) + tmp->len);
	if (wire)
		wire_set_ref(wire);
	for (; place < SEG_VARIANTS; place++, expect = NULL) {
		if (cas_acq_rel_ptr(&s->variant[place], &expect, fresh)) /* pairs: MVAR */
			return fresh->len ? fresh : NULL;
		v = expect; /* another session was first here: did it make the same? */
		if (v->cls == cls && v->wire == wire)
			break;
	}
	msg_variant_free(t->store, fresh);
	*built = place == SEG_VARIANTS;
	return tmp;
}

void
msg_variant_free(struct attr_store *store, TAKE struct msg_variant *v)
{
	if (!v)
		return;
	if (v->wire)
		wire_set_unref(store, v->wire);
	mem_free(MEM_JOURNAL, v);
}

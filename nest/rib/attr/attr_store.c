/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interning of wire sets and attribute sets over lib/mt/rchash. Any thread.
 *
 * I1  Content is written before the node is linked, and never after.
 * I2  A look-up takes its reference inside the comparison (add unless zero), so a found
 *     set lives; a dying set compares as different.
 * I3  The thread that drops the last reference takes the node out and frees the set after
 *     a grace period; the set then drops its reference to its wire set.
 * I4  A set has references to its hops until its octets are freed.
 * I5  The embedded set of a wire set is counted and complete before the wire set is
 *     linked, or is never used: so no thread can miss a set that another thread is
 *     making. If the embedded set dies while the wire set lives, its successor is a set
 *     of the hash. */
#include "nest/rib/attr/attr_store.h"

#include "lib/attr/attr.h"
#include "lib/base/hash.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rchash.h"
#include "lib/mt/rcu.h"
#include "nest/rib/attr/hop_store.h"

struct attr_store {
	struct rchash wires, more; /* sets beside their wire set */
	uint64_t seed;
	struct attr_set *empty;
	struct hop_store hops;
	struct counter64 octets, embedded;
};

/* owner: as attr_set. */
struct more_set {
	struct rchash_node node;
	struct attr_set set; /* last: custom attributes follow */
};

/* style: sets have no rcu_node, which would cost 24 octets in each living set; a node is
 * allocated for a dead set. The octets of the dead set cannot serve: rchash_node and refs
 * are unused, but readers may still pass over the node. */
struct dead {
	struct rcu_node rcu;
	struct attr_store *store;
	struct wire_set *wire;
	struct more_set *more;
};

struct wire_key {
	const uint8_t *data;
	uint32_t len;
};

struct set_key {
	const struct wire_set *wire;
	const struct attr_local *local;
	const uint64_t *custom;
	uint32_t custom_len;
};

/* The octets of data begin where the fields end, before sizeof(struct wire_set). */
static size_t
store_wire_size(uint32_t len, uint32_t custom_len)
{
	size_t size = offsetof(struct wire_set, data) + len;

	if (custom_len)
		return wire_custom_at(len) + custom_len;
	return size < sizeof(struct wire_set) ? sizeof(struct wire_set) : size;
}

static bool
store_wire_same(struct rchash_node *n, const void *key)
{
	struct wire_set *w = container_of(n, struct wire_set, node);
	const struct wire_key *k = key;

	return w->len == k->len && memcmp(w->data, k->data, k->len) == 0 &&
	       counter32_add_unless_zero(&w->node.refs, 1);
}

/* store_set_is - true: @a has the content of @k; @a then has a further reference. */
static bool
store_set_is(struct attr_set *a, const struct set_key *k)
{
	return a->wire == k->wire && memcmp(&a->local, k->local, sizeof(a->local)) == 0 &&
	       (!k->custom_len ||
		   memcmp(attr_custom(a), k->custom, k->custom_len) == 0) &&
	       counter32_add_unless_zero(&a->refs, 1);
}

static bool
store_set_same(struct rchash_node *n, const void *key)
{
	return store_set_is(&container_of(n, struct more_set, node)->set, key);
}

struct attr_store *
attr_store_new(void)
{
	struct attr_store *s = mem_zalloc(MEM_ATTR, sizeof(*s));
	struct attr_local none = { 0 };

	rchash_init(&s->wires, MEM_ATTR);
	rchash_init(&s->more, MEM_ATTR);
	hop_store_init(&s->hops);
	s->seed = hash_seed_random();
	s->empty = attr_store_intern(s, (const uint8_t *)"", 0, &none, NULL, 0);
	return s;
}

void
attr_store_free(TAKE struct attr_store *s)
{
	attr_set_unref(s, s->empty, 1);
	rcu_drain(); /* dead sets drop their hops */
	rcu_drain(); /* dropped hops are freed */
	hop_store_fini(&s->hops);
	rchash_fini(&s->more);
	rchash_fini(&s->wires);
	mem_free(MEM_ATTR, s);
}

struct attr_set *
attr_store_empty(struct attr_store *s)
{
	return s->empty;
}

/* store_wire_make - fill in @w, which has enough room; the embedded set gets no custom
 * attributes and no count. */
static void
store_wire_make(
    struct wire_set *w, const struct wire_key *k, const struct attr_local *local)
{
	ASSERT(k->len <= WIRE_BLOB_MAX);
	memset(w, 0, sizeof(*w));
	w->len = (uint16_t)k->len;
	memcpy(w->data, k->data, k->len);
	wire_fill(w);
	w->embedded.wire = w;
	if (local)
		w->embedded.local = *local;
	w->embedded.local.custom_words = 0;
}

static void
attr_store_embed(struct wire_set *w, const struct set_key *first)
{
	w->embedded.local.custom_words = (uint16_t)(first->custom_len / 8);
	if (first->custom_len) {
		memcpy(attr_custom(&w->embedded), first->custom, first->custom_len);
		hops_ref(first->custom, first->custom_len);
	}
	counter32_add(&w->embedded.refs, 1);
}

/* attr_store_unembed - drop the references of the embedded set; the octets are about to
 * be freed. */
static void
attr_store_unembed(struct attr_store *s, const struct wire_set *w)
{
	if (w->embedded.local.custom_words)
		hops_unref(
		    &s->hops, attr_custom(&w->embedded), attr_custom_len(&w->embedded));
}

/* store_wire_get - find or make a wire set, with a reference. @first: NULL, or the
 * content of the embedded set of a new wire set, with a reference too. *@fresh: the wire
 * set is new. */
static struct wire_set *
store_wire_get(struct attr_store *s, const struct wire_key *k,
    const struct set_key *first, bool *fresh)
{
	uint64_t hash = hash_bytes(s->seed, k->data, k->len);
	struct rchash_node *n = rchash_find(&s->wires, hash, store_wire_same, k);
	size_t size = store_wire_size(k->len, first ? first->custom_len : 0);
	struct wire_set *w;

	*fresh = false;
	if (n)
		return container_of(n, struct wire_set, node);
	w = mem_alloc(MEM_ATTR, size);
	store_wire_make(w, k, first ? first->local : NULL);
	counter32_add(&w->node.refs, 1);
	if (first)
		attr_store_embed(w, first); /* I5 */
	n = rchash_insert(&s->wires, &w->node, hash, store_wire_same, k);
	if (n != &w->node) {
		attr_store_unembed(s, w);
		mem_free(MEM_ATTR, w);
		return container_of(n, struct wire_set, node);
	}
	counter64_add(&s->octets, size);
	*fresh = true;
	return w;
}

struct wire_set *
attr_store_wire(struct attr_store *s, const uint8_t *data, uint32_t len)
{
	struct wire_key k = { data, len };
	bool fresh;

	return store_wire_get(s, &k, NULL, &fresh);
}

struct attr_set *
attr_store_intern(struct attr_store *s, const uint8_t *data, uint32_t len,
    const struct attr_local *local, const uint64_t *custom, uint32_t custom_len)
{
	struct wire_key k = { data, len };
	struct set_key first = { NULL, local, custom, custom_len };
	bool fresh;
	struct wire_set *w = store_wire_get(s, &k, &first, &fresh);
	struct attr_set *a;

	DCHECK(hops_interned(custom, custom_len));
	if (fresh) {
		counter64_add(&s->embedded, 1);
		return &w->embedded; /* the set has the reference to @w */
	}
	a = attr_store_set(s, w, local, custom, custom_len);
	wire_set_unref(s, w);
	return a;
}

struct attr_set *
attr_store_set(struct attr_store *s, struct wire_set *wire,
    const struct attr_local *local, const uint64_t *custom, uint32_t custom_len)
{
	uint64_t hash = hash_u64(s->seed, wire->node.hash);
	struct attr_local l = *local;
	struct set_key key = { wire, &l, custom, custom_len };
	struct rchash_node *n;
	struct more_set *m;

	DCHECK(hops_interned(custom, custom_len));
	l.custom_words = (uint16_t)(custom_len / 8);
	if (likely(store_set_is(&wire->embedded, &key)))
		return &wire->embedded;
	hash = hash_bytes(hash, &l, sizeof(l));
	if (custom_len)
		hash = hash_bytes(hash, custom, custom_len);
	ASSERT(custom_len % 8 == 0 && custom_len <= CUSTOM_MAX_LEN);
	n = rchash_find(&s->more, hash, store_set_same, &key);
	if (n)
		return &container_of(n, struct more_set, node)->set;
	m = mem_alloc(MEM_ATTR, sizeof(*m) + custom_len);
	memset(m, 0, sizeof(*m));
	m->set.local = l;
	if (custom_len) {
		memcpy(attr_custom(&m->set), custom, custom_len);
		hops_ref(custom, custom_len);
	}
	m->set.wire = wire_set_ref(wire);
	counter32_add(&m->set.refs, 1);
	n = rchash_insert(&s->more, &m->node, hash, store_set_same, &key);
	if (n != &m->node) {
		hops_unref(&s->hops, custom, custom_len);
		wire_set_unref(s, wire);
		mem_free(MEM_ATTR, m);
	} else {
		counter64_add(&s->octets, sizeof(*m) + custom_len);
	}
	return &container_of(n, struct more_set, node)->set;
}

struct attr_set *
attr_scratch(
    struct arena *a, const uint8_t *data, uint32_t len, const struct attr_local *local)
{
	struct wire_set *w = arena_alloc(a, store_wire_size(len, 0));
	struct wire_key k = { data, len };

	store_wire_make(w, &k, local);
	return &w->embedded;
}

/* store_edited_set - a set of @wire (NULL: of the octets @data) with local and custom
 * attributes of the edit. */
static struct attr_set *
store_edited_set(struct attr_store *s, const struct attr_edit *e, struct wire_set *wire,
    const uint8_t *data, uint32_t len)
{
	uint64_t *custom;
	int written = attr_edit_custom(e, &custom);
	struct attr_set *a;
	uint32_t custom_len;

	if (written < 0)
		return NULL;
	custom_len = hops_intern(&s->hops, e->arena, &custom, (uint32_t)written);
	a = wire ? attr_store_set(s, wire, &e->local, custom, custom_len)
		 : attr_store_intern(s, data, len, &e->local, custom, custom_len);
	if (custom_len != (uint32_t)written) /* the set took references of its own */
		hops_unref(&s->hops, custom, custom_len);
	return a;
}

struct attr_set *
attr_store_edit(struct attr_store *s, const struct attr_edit *e)
{
	struct attr_set *base = (struct attr_set *)(uintptr_t)e->base, *a;
	uint8_t *data;
	int len;

	if (attr_edit_wire_changed(e)) {
		len = attr_edit_wire(e, &data);
		return len < 0 ? NULL : store_edited_set(s, e, NULL, data, (uint32_t)len);
	}
	/* A reference to the base protects its wire set. A scratch set or a dying set
	 * gives no reference. */
	if (!attr_set_ref_live(base))
		return store_edited_set(s, e, NULL, base->wire->data, base->wire->len);
	if (!attr_edit_changed(e))
		return base;
	a = store_edited_set(s, e, base->wire, NULL, 0);
	attr_set_unref(s, base, 1);
	return a;
}

static void
attr_store_free_dead(struct rcu_node *n)
{
	struct dead *d = container_of(n, struct dead, rcu);

	if (d->more) {
		hops_unref(&d->store->hops, attr_custom(&d->more->set),
		    attr_custom_len(&d->more->set));
		wire_set_unref(d->store, d->more->set.wire);
		mem_free(MEM_ATTR, d->more);
	}
	if (d->wire)
		attr_store_unembed(d->store, d->wire);
	mem_free(MEM_ATTR, d->wire);
	mem_free(MEM_ATTR, d);
}

static void
attr_store_bury(struct attr_store *s, struct wire_set *w, struct more_set *m)
{
	struct dead *d = mem_alloc(MEM_ATTR, sizeof(*d));

	d->store = s;
	d->wire = w;
	d->more = m;
	rcu_free_later(&d->rcu, attr_store_free_dead);
}

void
attr_set_unref(struct attr_store *s, TAKE struct attr_set *a, uint32_t cnt)
{
	struct more_set *m;

	if (counter32_sub_acq_rel(&a->refs, cnt) != cnt)
		return;
	if (a == &a->wire->embedded) { /* an embedded set stays with its wire set */
		counter64_add(&s->embedded, (uint64_t)-1);
		wire_set_unref(s, a->wire);
		return;
	}
	m = container_of(a, struct more_set, set);
	counter64_add(&s->octets, 0 - (uint64_t)(sizeof(*m) + attr_custom_len(a)));
	rchash_delete(&s->more, &m->node);
	attr_store_bury(s, NULL, m);
}

void
wire_set_unref(struct attr_store *s, TAKE struct wire_set *w)
{
	if (counter32_sub_acq_rel(&w->node.refs, 1) != 1)
		return;
	counter64_add(&s->octets,
	    0 - (uint64_t)store_wire_size(w->len, attr_custom_len(&w->embedded)));
	rchash_delete(&s->wires, &w->node);
	attr_store_bury(s, w, NULL);
}

void
attr_store_stats(struct attr_store *s, struct attr_store_stats *st)
{
	st->sets = rchash_count(&s->more) + counter64_get(&s->embedded);
	st->wires = rchash_count(&s->wires);
	st->octets = counter64_get(&s->octets);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interning of wire sets and attribute sets over lib/mt/rchash.
 *
 * I1  Content is written before the node is linked, and never after.
 * I2  A lookup takes its reference inside the comparison (add unless zero), so a set that
 * is found is alive; a dying one compares as different. I3  Who brings a count to zero
 * takes the node out and frees it after a grace period; the set then gives up its
 * reference on its wire set. */
#include "nest/attr_store.h"

#include "lib/base/hash.h"
#include "lib/mt/rcu.h"

struct attr_store {
	struct rchash wires, sets;
	uint64_t seed;
	struct attr_set *empty;
	struct counter64 octets;
};

/* style: the grace period's node isn't kept in the sets, where it would cost 24 octets
 * each for life; a dead object's own octets serve: rchash_node and refs are no longer
 * read by anyone who may use them, but readers may still pass over the node, so a node is
 * allocated for it. */
struct dead {
	struct rcu_node rcu;
	struct attr_store *store;
	struct wire_set *wire;
	struct attr_set *set;
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

/* Octets begin where the fields end, which is before the struct's size. */
static size_t
wire_size(uint32_t len)
{
	size_t size = offsetof(struct wire_set, data) + len;

	return size < sizeof(struct wire_set) ? sizeof(struct wire_set) : size;
}

static bool
wire_same(struct rchash_node *n, const void *key)
{
	struct wire_set *w = container_of(n, struct wire_set, node);
	const struct wire_key *k = key;

	return w->len == k->len && memcmp(w->data, k->data, k->len) == 0 &&
	       counter32_add_unless_zero(&w->refs, 1);
}

static bool
set_same(struct rchash_node *n, const void *key)
{
	struct attr_set *a = container_of(n, struct attr_set, node);
	const struct set_key *k = key;

	return a->wire == k->wire && memcmp(&a->local, k->local, sizeof(a->local)) == 0 &&
	       (!k->custom_len || memcmp(a->custom, k->custom, k->custom_len) == 0) &&
	       counter32_add_unless_zero(&a->refs, 1);
}

struct attr_store *
attr_store_new(void)
{
	struct attr_store *s = mem_zalloc(MEM_ATTR, sizeof(*s));
	struct attr_local none = { 0 };
	struct wire_set *w;

	rchash_init(&s->wires, MEM_ATTR);
	rchash_init(&s->sets, MEM_ATTR);
	s->seed = hash_seed_random();
	w = attr_store_wire(s, (const uint8_t *)"", 0);
	s->empty = attr_store_set(s, w, &none, NULL, 0);
	wire_set_unref(s, w);
	return s;
}

void
attr_store_free(TAKE struct attr_store *s)
{
	attr_set_unref(s, s->empty, 1);
	rcu_drain();
	rchash_fini(&s->sets);
	rchash_fini(&s->wires);
	mem_free(MEM_ATTR, s);
}

struct attr_set *
attr_store_empty(struct attr_store *s)
{
	return s->empty;
}

struct wire_set *
attr_store_wire(struct attr_store *s, const uint8_t *data, uint32_t len)
{
	uint64_t hash = hash_bytes(s->seed, data, len);
	struct wire_key key = { data, len };
	struct rchash_node *n = rchash_find(&s->wires, hash, wire_same, &key);
	struct wire_set *w;

	if (n)
		return container_of(n, struct wire_set, node);
	ASSERT(len <= WIRE_BLOB_MAX);
	w = mem_alloc(MEM_ATTR, wire_size(len));
	memset(w, 0, sizeof(*w));
	w->len = (uint16_t)len;
	memcpy(w->data, data, len);
	wire_fill(w);
	counter32_add(&w->refs, 1);
	n = rchash_insert(&s->wires, &w->node, hash, wire_same, &key);
	if (n != &w->node)
		mem_free(MEM_ATTR, w);
	else
		counter64_add(&s->octets, wire_size(len));
	return container_of(n, struct wire_set, node);
}

struct attr_set *
attr_store_set(struct attr_store *s, struct wire_set *wire,
    const struct attr_local *local, const uint64_t *custom, uint32_t custom_len)
{
	uint64_t hash = hash_u64(s->seed, (uint64_t)(uintptr_t)wire);
	struct attr_local l = *local;
	struct set_key key = { wire, &l, custom, custom_len };
	struct rchash_node *n;
	struct attr_set *a;

	l.custom_words = (uint16_t)(custom_len / 8);
	hash = hash_bytes(hash, &l, sizeof(l));
	if (custom_len)
		hash = hash_bytes(hash, custom, custom_len);
	ASSERT(custom_len % 8 == 0 && custom_len <= CUSTOM_MAX_LEN);
	n = rchash_find(&s->sets, hash, set_same, &key);
	if (n)
		return container_of(n, struct attr_set, node);
	a = mem_alloc(MEM_ATTR, sizeof(*a) + custom_len);
	memset(a, 0, sizeof(*a));
	a->local = l;
	if (custom_len)
		memcpy(a->custom, custom, custom_len);
	a->wire = wire_set_ref(wire);
	counter32_add(&a->refs, 1);
	n = rchash_insert(&s->sets, &a->node, hash, set_same, &key);
	if (n != &a->node) {
		wire_set_unref(s, wire);
		mem_free(MEM_ATTR, a);
	} else {
		counter64_add(&s->octets, sizeof(*a) + custom_len);
	}
	return container_of(n, struct attr_set, node);
}

/* is_scratch - not interned: nobody counts it. (A dying set looks the same; to make it anew is right, too.) */
static bool
is_scratch(const struct attr_set *a)
{
	return !counter32_get(&a->refs);
}

struct attr_set *
attr_scratch(
    struct arena *a, const uint8_t *data, uint32_t len, const struct attr_local *local)
{
	struct attr_set *set = arena_alloc(a, sizeof(*set));
	struct wire_set *w = arena_alloc(a, wire_size(len));

	ASSERT(len <= WIRE_BLOB_MAX);
	memset(set, 0, sizeof(*set));
	memset(w, 0, sizeof(*w));
	w->len = (uint16_t)len;
	memcpy(w->data, data, len);
	wire_fill(w);
	set->wire = w;
	set->local = *local;
	set->local.custom_words = 0;
	return set;
}

/* edited_wire - the wire part of the result, with a reference. NULL: it doesn't fit. */
static struct wire_set *
edited_wire(struct attr_store *s, const struct attr_edit *e)
{
	struct wire_set *base = e->base->wire;
	uint8_t *data;
	int len;

	if (attr_edit_wire_changed(e)) {
		len = attr_edit_wire(e, &data);
		return len < 0 ? NULL : attr_store_wire(s, data, (uint32_t)len);
	}
	if (is_scratch(e->base))
		return attr_store_wire(s, base->data, base->len);
	return wire_set_ref(base);
}

struct attr_set *
attr_store_edit(struct attr_store *s, const struct attr_edit *e)
{
	struct attr_set *a;
	struct wire_set *w;
	uint64_t *custom;
	int custom_len;

	if (!attr_edit_changed(e) && !is_scratch(e->base))
		return attr_set_ref((struct attr_set *)(uintptr_t)e->base, 1);
	custom_len = attr_edit_custom(e, &custom);
	if (custom_len < 0)
		return NULL;
	w = edited_wire(s, e);
	if (!w)
		return NULL;
	a = attr_store_set(s, w, &e->local, custom, (uint32_t)custom_len);
	wire_set_unref(s, w);
	return a;
}

static void
free_dead(struct rcu_node *n)
{
	struct dead *d = container_of(n, struct dead, rcu);

	if (d->set) {
		wire_set_unref(d->store, d->set->wire);
		mem_free(MEM_ATTR, d->set);
	}
	mem_free(MEM_ATTR, d->wire);
	mem_free(MEM_ATTR, d);
}

static void
bury(struct attr_store *s, struct wire_set *w, struct attr_set *a)
{
	struct dead *d = mem_alloc(MEM_ATTR, sizeof(*d));

	d->store = s;
	d->wire = w;
	d->set = a;
	rcu_free_later(&d->rcu, free_dead);
}

void
attr_set_unref(struct attr_store *s, TAKE struct attr_set *a, uint32_t cnt)
{
	if (counter32_sub_acq_rel(&a->refs, cnt) != cnt)
		return;
	counter64_add(&s->octets, 0 - (uint64_t)(sizeof(*a) + attr_custom_len(a)));
	rchash_delete(&s->sets, &a->node);
	bury(s, NULL, a);
}

void
wire_set_unref(struct attr_store *s, TAKE struct wire_set *w)
{
	if (counter32_sub_acq_rel(&w->refs, 1) != 1)
		return;
	counter64_add(&s->octets, 0 - (uint64_t)wire_size(w->len));
	rchash_delete(&s->wires, &w->node);
	bury(s, w, NULL);
}

void
attr_store_stats(struct attr_store *s, struct attr_store_stats *st)
{
	st->sets = rchash_count(&s->sets);
	st->wires = rchash_count(&s->wires);
	st->octets = counter64_get(&s->octets);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of an image: an attribute set and the facts of its source, each once, with
 * the values that the builder made of the route.
 *
 * I1  A route exists while it has nets; its attribute set, its values and its next hop
 *     have one reference of the route each.
 * I2  net[id] is not 0 if and only if `there` has the bit of id, and the builder then
 *     has the prefix of the net with the value of the route and of the net's RPKI state.
 * I3  A value that the builder cannot hold whole (-ENOSPC) loses communities, peer and
 *     RPKI state first, then the origin AS; at last the route is rejected. `lacks` says
 *     so until the route is made again.
 *
 * Loop: the instance's. Tested by test/unit/test_image.c, test/net/test_image.py. */
#include "proto/image/image_priv.h"

#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/vec.h"
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_format.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"

void
image_routes_init(struct image_routes *t)
{
	htab_init(&t->by_key, MEM_PROTO);
	htab_init(&t->hops, MEM_PROTO);
	bitmap_init(&t->there, MEM_PROTO);
	t->cnt = 1;
}

void
image_routes_fini(struct image_routes *t)
{
	htab_fini(&t->by_key);
	htab_fini(&t->hops);
	bitmap_fini(&t->there);
	mem_free(MEM_PROTO, t->at);
	mem_free(MEM_PROTO, t->spare);
	mem_free(MEM_PROTO, t->net);
}

/* ---- next hops that the table resolves ---- */

static struct image_hop *
image_hop_find(struct image_routes *t, struct ip_addr a, uint64_t hash)
{
	struct htab_node *n;

	htab_each_same (n, &t->hops, hash) {
		struct image_hop *h = container_of(n, struct image_hop, node);

		if (ip_equal(h->addr, a))
			return h;
	}
	return NULL;
}

/* image_hop_count - one route more (@add), or fewer, has next hop @a. */
static void
image_hop_count(struct image_routes *t, struct ip_addr a, bool add)
{
	uint64_t hash = hash_u64(hash_u64(0, a.hi), a.lo);
	struct image_hop *h = image_hop_find(t, a, hash);

	if (!h) {
		h = mem_zalloc(MEM_PROTO, sizeof(*h));
		h->addr = a;
		htab_add(&t->hops, &h->node, hash);
		t->hops_changed = true;
	}
	h->routes += add ? 1 : (uint32_t)-1;
	if (h->routes)
		return;
	htab_del(&t->hops, &h->node);
	mem_free(MEM_PROTO, h);
	t->hops_changed = true;
}

static void
image_route_set_resolved(struct image_routes *t, struct image_route *r, bool on)
{
	if (r->resolved == on)
		return;
	r->resolved = on;
	image_hop_count(t, wire_next_hop(r->set->wire), on);
}

/* ---- values ---- */

/* route_value_make - a value with a reference for the route. *@lacks: I3. */
static uint64_t
route_value_make(
    struct image_proto *s, struct image_route *r, enum fib_rpki state, bool *lacks)
{
	struct fib_entry e;
	uint64_t value = 0;
	bool resolved;
	int rc;

	image_entry_of(s, &e, r, state, &resolved);
	image_route_set_resolved(&s->routes, r, resolved);
	rc = fib_value_get(s->fib, &e, &value);
	*lacks = rc;
	if (rc) {
		e.community_cnt = e.large_cnt = 0;
		e.peer_as = 0;
		e.rpki = FIB_RPKI_NONE;
		rc = fib_value_get(s->fib, &e, &value);
	}
	if (rc) {
		e.origin_as = 0;
		rc = fib_value_get(s->fib, &e, &value);
	}
	if (rc) {
		e = (struct fib_entry){ .hop_kind = FIB_HOP_REJECT };
		rc = fib_value_get(s->fib, &e, &value);
		ASSERT(!rc); /* s->reject is this value */
	}
	arena_reset(&s->arena);
	return value;
}

static void
image_route_note_lack(
    struct image_routes *t, struct image_route *r, enum fib_rpki state, bool lacks)
{
	uint8_t bit = (uint8_t)(1u << state);

	t->lacking += (lacks ? 1u : 0u) - (r->lacks & bit ? 1u : 0u);
	r->lacks = (uint8_t)((r->lacks & ~bit) | (lacks ? bit : 0));
}

uint64_t
image_route_value(struct image_proto *s, struct image_route *r, enum fib_rpki state)
{
	bool lacks;

	if (likely(r->value[state]))
		return r->value[state];
	r->value[state] = route_value_make(s, r, state, &lacks);
	image_route_note_lack(&s->routes, r, state, lacks);
	return r->value[state];
}

bool
image_route_renew(struct image_proto *s, struct image_route *r)
{
	bool changed = false;

	for (unsigned i = 0; i < IMAGE_STATES; i++) {
		uint64_t old = r->value[i];
		bool lacks;

		if (!old)
			continue;
		r->value[i] = route_value_make(s, r, (enum fib_rpki)i, &lacks);
		image_route_note_lack(&s->routes, r, (enum fib_rpki)i, lacks);
		changed |= r->value[i] != old;
		fib_value_drop(s->fib, old);
	}
	if (changed)
		r->changed = s->look.nr;
	return changed;
}

/* ---- routes ---- */

static uint32_t
image_route_number(struct image_routes *t)
{
	if (t->spare_cnt)
		return t->spare[--t->spare_cnt];
	ASSERT(t->cnt <= IMAGE_IDX_MAX);
	t->at = vec_room(
	    MEM_PROTO, t->at, &t->cap, t->cnt + 1, sizeof(struct image_route *));
	return t->cnt++;
}

struct image_route *
image_route_get(
    struct image_proto *s, struct attr_set *set, const struct route_source *src)
{
	struct image_routes *t = &s->routes;
	uint32_t peer = src && src->is_bgp ? src->peer_as : 0,
		 link = src ? src->link_if : 0;
	uint64_t hash = hash_u64(
	    hash_u64(0, (uintptr_t)set), (uint64_t)peer << 32 | link);
	struct image_route *r;
	struct htab_node *n;

	htab_each_same (n, &t->by_key, hash) {
		r = container_of(n, struct image_route, node);
		if (r->set == set && r->peer_as == peer && r->link_if == link)
			return r;
	}
	r = mem_zalloc(MEM_PROTO, sizeof(*r));
	attr_set_ref(set, 1);
	r->set = set;
	r->peer_as = peer;
	r->link_if = link;
	r->idx = image_route_number(t);
	t->at[r->idx] = r;
	htab_add(&t->by_key, &r->node, hash);
	return r;
}

/* image_route_release - free @r, but not its values. */
static void
image_route_release(struct image_proto *s, struct image_route *r)
{
	image_route_set_resolved(&s->routes, r, false);
	attr_set_unref(s->p.tern->store, r->set, 1);
	mem_free(MEM_PROTO, r);
}

void
image_route_drop(struct image_proto *s, struct image_route *r)
{
	struct image_routes *t = &s->routes;

	if (r->nets)
		return;
	for (unsigned i = 0; i < IMAGE_STATES; i++) {
		if (r->value[i])
			fib_value_drop(s->fib, r->value[i]);
		image_route_note_lack(t, r, (enum fib_rpki)i, false);
	}
	htab_del(&t->by_key, &r->node);
	t->at[r->idx] = NULL;
	t->spare = vec_room(
	    MEM_PROTO, t->spare, &t->spare_cap, t->spare_cnt + 1, sizeof(*t->spare));
	t->spare[t->spare_cnt++] = r->idx;
	image_route_release(s, r);
}

void
image_routes_clear(struct image_proto *s)
{
	struct image_routes *t = &s->routes;

	for (uint32_t i = 1; i < t->cnt; i++)
		if (t->at[i]) {
			htab_del(&t->by_key, &t->at[i]->node);
			image_route_release(s, t->at[i]);
		}
	t->cnt = 1;
	t->spare_cnt = 0;
	t->lacking = 0;
	t->hops_changed = false;
	bitmap_clear_all(&t->there);
	if (t->net)
		memset(t->net, 0, t->net_cap * sizeof(*t->net));
}

/* ---- nets ---- */

static void
image_net_room(struct image_routes *t, uint32_t id)
{
	uint32_t cap = t->net_cap;

	if (likely(id < cap))
		return;
	t->net = vec_room(MEM_PROTO, t->net, &t->net_cap, id + 1, sizeof(*t->net));
	memset(t->net + cap, 0, (t->net_cap - cap) * sizeof(*t->net));
}

static struct image_route *
image_net_route(const struct image_routes *t, uint32_t id)
{
	return id < t->net_cap && t->net[id] ? t->at[t->net[id] >> 2] : NULL;
}

void
image_net_put(
    struct image_proto *s, uint32_t id, const struct prefix *p, struct image_route *r)
{
	struct image_routes *t = &s->routes;
	struct image_route *old;
	enum fib_rpki state = image_judges(s) ? image_entry_judge(s, r, p)
					      : FIB_RPKI_NONE;

	image_net_room(t, id);
	old = image_net_route(t, id);
	fib_set(s->fib, p, image_route_value(s, r, state));
	t->net[id] = r->idx << 2 | state;
	r->nets++;
	s->sink.held += bitmap_set(&t->there, id);
	if (!old)
		return;
	old->nets--;
	image_route_drop(s, old);
}

void
image_net_drop(struct image_proto *s, uint32_t id, const struct prefix *p)
{
	struct image_routes *t = &s->routes;
	struct image_route *old = image_net_route(t, id);

	if (!old)
		return;
	fib_unset(s->fib, p);
	t->net[id] = 0;
	bitmap_clear(&t->there, id);
	s->sink.held--;
	old->nets--;
	image_route_drop(s, old);
}

void
image_net_renew(struct image_proto *s, uint32_t id, bool judge)
{
	struct image_routes *t = &s->routes;
	struct image_route *r = image_net_route(t, id);
	enum fib_rpki was, state;
	struct nlri k;
	struct prefix p;

	if (!r)
		return;
	was = state = (enum fib_rpki)(t->net[id] & 3);
	if (!judge && r->changed != s->look.nr)
		return;
	k = channel_nlri(s->ch, id);
	p = nlri_prefix((enum nlri_kind)channel_family(s->ch), k.word, k.head);
	if (judge)
		state = image_entry_judge(s, r, &p);
	if (state == was && r->changed != s->look.nr)
		return;
	fib_set(s->fib, &p, image_route_value(s, r, state));
	t->net[id] = r->idx << 2 | state;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways of static routes (static_ways.h). An address is a neighbour by the rules of bird2:
 *
 * - An interface that is down has no neighbours. With `check link`, an interface without
 *   carrier has no usable neighbours; the neighbours do not move to another interface.
 * - An address is a neighbour of an interface if it lies in a subnet of the interface or
 *   is the interface's peer address. Of several interfaces, the interface with the
 *   longest prefix wins, then the lowest index.
 * - A local address is a neighbour on the interface with that address, also on the
 *   loopback interface.
 * - A link-local IPv6 address needs an interface name.
 * - In a VRF, only interfaces of the VRF count, unless the route names an interface.
 * - `onlink` makes any address a neighbour on the named interface.
 *
 * Loop: the instance's. Tested by test/unit/test_static_ways.c,
 * test/net/test_static_ways.py. */
#include "proto/static/static_ways.h"

#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "proto/static/static_route.h"

/* A way in the making. */
struct making {
	struct htab_node node;
	struct static_way way;
	uint32_t nr;
	struct making *next; /* the way made after it */
};

static uint64_t
static_ways_hash_of(const struct static_via *v)
{
	uint64_t h = hash_u64(v->onlink + 2u * v->recursive + 4u * v->bfd, v->gw.hi);

	h = hash_u64(h, v->gw.lo);
	return v->ifname ? hash_bytes(h, v->ifname, strlen(v->ifname)) : h;
}

/* way_of - find the way of @v, or make a way with number @nr. */
static struct making *
way_of(struct htab *t, struct arena *a, const struct static_via *v, uint32_t nr)
{
	uint64_t hash = static_ways_hash_of(v);
	struct htab_node *n;
	struct making *m;

	htab_each_same (n, t, hash) {
		m = container_of(n, struct making, node);
		if (static_via_way_same(m->way.via, v))
			return m;
	}
	m = arena_zalloc(a, sizeof(*m));
	m->way.via = v;
	m->nr = nr;
	htab_add(t, &m->node, hash);
	return m;
}

/* ways_fill_users - fill the arrays of users. A route with two vias of different weight
 * on one way is a user twice. */
static void
ways_fill_users(struct static_conf *sc, struct static_way *way, struct arena *a)
{
	uint32_t total = 0, *user;

	for (uint32_t w = 0; w < sc->way_cnt; w++) {
		way[w].first_user = total;
		total += way[w].user_cnt;
		way[w].user_cnt = 0;
	}
	user = arena_alloc(a, (total + 1) * sizeof(*user));
	for (uint32_t i = 0; i < sc->item_cnt; i++)
		for (uint32_t k = 0; k < sc->item[i].r->via_cnt; k++) {
			struct static_way
			    *w = &way[sc->way_of[sc->item[i].first_way + k]];

			user[w->first_user + w->user_cnt++] = i;
		}
	sc->user = user;
}

void
static_ways_index(struct static_conf *sc, struct arena *a)
{
	struct making *m = NULL, *first = NULL, **end = &first;
	struct static_way *way;
	uint32_t total = 0, *way_of_via;
	struct arena work;
	struct htab t;

	arena_init(&work, MEM_CONFIG, 4096);
	htab_init(&t, MEM_CONFIG);
	for (uint32_t i = 0; i < sc->item_cnt; i++)
		total += sc->item[i].r->via_cnt;
	way_of_via = arena_alloc(a, (total + 1) * sizeof(*way_of_via));
	total = 0;
	for (uint32_t i = 0; i < sc->item_cnt; i++)
		for (uint32_t k = 0; k < sc->item[i].r->via_cnt; k++) {
			const struct static_via *v = &sc->item[i].r->via[k];

			if (!m || m->way.via != v) /* many routes may share @v */
				m = way_of(&t, &work, v, sc->way_cnt);
			if (m->nr == sc->way_cnt) {
				*end = m;
				end = &m->next;
				sc->way_cnt++;
			}
			m->way.user_cnt++;
			way_of_via[total++] = m->nr;
		}
	way = arena_alloc(a, (sc->way_cnt + 1) * sizeof(*way));
	for (m = first; m; m = m->next)
		way[m->nr] = m->way;
	sc->way_of = way_of_via;
	ways_fill_users(sc, way, a);
	sc->way = way;
	htab_fini(&t);
	arena_fini(&work);
}

/* ---- neighbours ---- */

/* static_ways_reach - length of the prefix by which @gw is a neighbour of @i; -1:
 * none. */
static int
static_ways_reach(const struct iface *i, struct ip_addr gw)
{
	int best = -1;

	for (uint32_t k = 0; k < i->addr_cnt; k++) {
		const struct iface_addr *a = &i->addr[k];
		enum family fam = a->subnet.fam;
		struct prefix net = a->subnet;
		bool is;

		/* the subnet of a peer address counts as a subnet around the own
		 * address */
		if (net.len < family_bits(fam))
			net = prefix_make(a->local, net.len, fam);
		is = ip_equal(a->local, gw) ||
		     (net.len == family_bits(fam) ? ip_equal(net.addr, gw)
						  : iface_is_host(&net, gw));
		if (is && net.len > best)
			best = net.len;
	}
	return best;
}

/* static_ways_behind - the interface of @vrf with the neighbour @gw; NULL: none. */
static const struct iface *
static_ways_behind(const struct iface_list *l, uint32_t vrf, struct ip_addr gw)
{
	const struct iface *found = NULL;
	int best = -1;

	for (uint32_t i = 0; i < l->cnt; i++) {
		const struct iface *f = &l->iface[i];
		int len = (f->flags & IFF_UP) && iface_in_vrf(f, vrf)
			      ? static_ways_reach(f, gw)
			      : -1;

		if (len > best) {
			best = len;
			found = f;
		}
	}
	return found;
}

bool
static_way_find(struct hop *out, const struct static_via *v, const struct iface_list *l,
    uint32_t vrf, bool check_link)
{
	const struct iface *i;

	if (!static_via_possible(v))
		return false;
	if (v->ifname) {
		i = iface_find(l, v->ifname);
		if (i && !ip_is_none(v->gw) && !v->onlink &&
		    static_ways_reach(i, v->gw) < 0)
			return false;
	} else {
		i = static_ways_behind(l, vrf, v->gw);
	}
	if (!i || !(i->flags & IFF_UP) || (check_link && !iface_has_carrier(i)))
		return false;
	*out = hop_make(v->gw, i->index, i->name);
	out->onlink = v->onlink;
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The peers of a dump. Instances whose peers have equal address, AS and BGP identifier
 * are one peer. Loop: the dump's. Tested by test/unit/test_mrt_dump.c. */
#include "nest/mrt/mrt_peers.h"

#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "nest/rib/table.h"
#include "sysdep/os/clock.h"

#include <errno.h>

#define PEERS_LOOK_NETS 256 /* nets and paths between two looks at the clock */

struct known {
	struct htab_node node;
	uint32_t nr;
};

static uint64_t
mrt_peers_hash_of(const struct mrt_peer *p)
{
	uint64_t word[3] = { p->addr.hi, p->addr.lo,
		(uint64_t)p->as << 32 | p->router_id };

	return hash_bytes(0, word, sizeof(word));
}

static bool
peers_is_peer(const struct route_source *src)
{
	return src->is_bgp && !ip_is_none(src->from);
}

static struct mrt_peer
mrt_peers_peer_of(const struct route_source *src)
{
	return (struct mrt_peer){ src->peer_router_id, src->from, src->peer_as };
}

static int
mrt_peers_find_hashed(const struct mrt_peers *ps, const struct mrt_peer *p, uint64_t hash)
{
	struct htab_node *n;

	htab_each_same (n, &ps->by_facts, hash) {
		uint32_t nr = container_of(n, struct known, node)->nr;
		const struct mrt_peer *q = &ps->peer[nr];

		if (ip_equal(p->addr, q->addr) && p->as == q->as &&
		    p->router_id == q->router_id)
			return (int)nr;
	}
	return -ENOENT;
}

static void
mrt_peers_add(struct mrt_peers *ps, const struct mrt_peer *p)
{
	uint64_t hash = mrt_peers_hash_of(p);
	struct known *k;

	if (ps->cnt == MRT_ENTRIES_MAX || mrt_peers_find_hashed(ps, p, hash) >= 0)
		return;
	k = arena_zalloc(&ps->arena, sizeof(*k));
	ps->peer = vec_room(MEM_OTHER, ps->peer, &ps->cap, ps->cnt + 1, sizeof(*p));
	ps->peer[ps->cnt] = *p;
	k->nr = ps->cnt++;
	htab_add(&ps->by_facts, &k->node, hash);
}

void
mrt_peers_init(struct mrt_peers *ps, const struct tern *t, bool up)
{
	static const struct mrt_peer nobody;
	const struct tern_view *v = tern_view_get(t);

	*ps = (struct mrt_peers){ .peer = NULL };
	htab_init(&ps->by_facts, MEM_OTHER);
	arena_init(&ps->arena, MEM_OTHER, 4096);
	mrt_peers_add(ps, &nobody);
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct channel *ch = load_acquire_ptr(
		    &v->proto[i]->channels); /* pairs: PCHAN */

		for (; ch; ch = channel_next(ch)) {
			const struct route_source *src = channel_facts(ch);
			struct mrt_peer p;

			if (!src || !peers_is_peer(src) || (up && !channel_seems_up(ch)))
				continue;
			p = mrt_peers_peer_of(src);
			mrt_peers_add(ps, &p);
		}
	}
}

/* mrt_peers_take_net - Returns: how many paths @n has. */
static uint32_t
mrt_peers_take_net(struct mrt_peers *ps, const struct table *t, const struct net *n)
{
	uint32_t cnt = 0;

	for (const struct path *p = n ? net_first(n) : NULL; p; p = path_next(p), cnt++) {
		const struct route_source *src = path_piped(p) ? path_facts(t, p) : NULL;
		struct mrt_peer k;

		if (!src || !peers_is_peer(src))
			continue;
		k = mrt_peers_peer_of(src);
		mrt_peers_add(ps, &k);
	}
	return cnt;
}

/* mrt_peers_take_table - add the peers of routes in @t. Returns: true: complete. */
static bool
mrt_peers_take_table(struct mrt_peers *ps, const struct table *t, uint64_t until_ns)
{
	uint32_t cnt = 0;

	while (ps->pos < table_id_limit(t)) {
		cnt += 1 + mrt_peers_take_net(ps, t, table_net_at(t, ps->pos++));
		if (cnt < PEERS_LOOK_NETS)
			continue;
		if (clock_now_ns() >= until_ns)
			return false;
		cnt = 0;
	}
	ps->pos = 0;
	return true;
}

bool
mrt_peers_take(struct mrt_peers *ps, const struct table *t, const struct table *base,
    uint64_t until_ns)
{
	if (!ps->of_base && !mrt_peers_take_table(ps, t, until_ns))
		return false;
	ps->of_base = true;
	return !base || mrt_peers_take_table(ps, base, until_ns);
}

void
mrt_peers_fini(struct mrt_peers *ps)
{
	htab_fini(&ps->by_facts);
	arena_fini(&ps->arena);
	mem_free(MEM_OTHER, ps->peer);
}

int
mrt_peers_find(const struct mrt_peers *ps, const struct route_source *src)
{
	struct mrt_peer p;

	if (!peers_is_peer(src))
		return 0;
	p = mrt_peers_peer_of(src);
	return mrt_peers_find_hashed(ps, &p, mrt_peers_hash_of(&p));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watch of the next hops of recursive routes (static_igp.h). Tested by
 * test/net/test_recursive.py.
 *
 * Loop: the instance's. */
#include "proto/static/static_igp.h"

#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/table.h"
#include "proto/static/static_route.h"

void
static_igp_init(struct static_igp *g, struct tern *t, const struct conf_proto *cf)
{
	for (int f = 0; f < FAM_CNT; f++) {
		g->table[f] = tern_table_of(t, static_conf_igp(cf, f));
		table_use(g->table[f]);
	}
}

void
static_igp_free(struct static_igp *g)
{
	for (int f = 0; f < FAM_CNT; f++)
		if (g->table[f])
			table_unuse(g->table[f]);
}

bool
static_igp_busy(const struct static_igp *g)
{
	return g->going || g->watch[FAM_IP4] || g->watch[FAM_IP6];
}

static void
igp_unwatch(struct static_igp *g, enum family f)
{
	if (!g->watch[f])
		return;
	g->going++;
	igp_watch_delete(g->watch[f]);
	g->watch[f] = NULL;
}

void
static_igp_end(struct static_igp *g)
{
	igp_unwatch(g, FAM_IP4);
	igp_unwatch(g, FAM_IP6);
}

void
static_igp_set(struct static_igp *g, struct proto *p, const struct static_conf *sc,
    const struct igp_watch_ops *ops)
{
	struct ip_addr *a = mem_alloc(MEM_PROTO, (sc->way_cnt + 1) * sizeof(*a));
	uint32_t cnt = static_conf_recursive(sc, a), v4 = ip_group(a, cnt);

	for (int f = 0; f < FAM_CNT; f++) {
		const struct ip_addr *first = f == FAM_IP4 ? a : a + v4;
		uint32_t n = f == FAM_IP4 ? v4 : cnt - v4;

		if (n && !g->watch[f])
			g->watch[f] = igp_watch_new(
			    p->tern, g->table[f], &p->worker, ops);
		if (n)
			igp_watch_set(g->watch[f], first, n);
		else
			igp_unwatch(g, f);
	}
	mem_free(MEM_PROTO, a);
}

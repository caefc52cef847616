/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watch of the next hops of recursive routes (static_igp.h). Tested by
 * test/net/test_recursive.py.
 *
 * Loop: the instance's. */
#include "proto/static/static_igp.h"

#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/rib/index/igp.h"
#include "proto/static/static_route.h"

void
static_igp_end(struct static_igp *g)
{
	if (!g->watch)
		return;
	g->going++;
	igp_watch_delete(g->watch);
	g->watch = NULL;
}

void
static_igp_set(struct static_igp *g, struct proto *p, const struct static_conf *sc,
    const struct igp_watch_ops *ops)
{
	struct ip_addr *a = mem_alloc(MEM_PROTO, (sc->way_cnt + 1) * sizeof(*a));
	uint32_t cnt = static_conf_recursive(sc, a);

	if (cnt && !g->watch)
		g->watch = igp_watch_new(p->tern, g->table, &p->worker, ops);
	if (cnt)
		igp_watch_set(g->watch, a, cnt);
	else
		static_igp_end(g);
	mem_free(MEM_PROTO, a);
}

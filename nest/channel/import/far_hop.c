/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the hops of a route whose next hop a table lookup has resolved
 * (channel_hops.c). Loop: the session's. Tested by test/net/test_igp.py. */
#include "filter/run/custom.h"
#include "filter/run/hop.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/import/channel_hops_priv.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/source.h"
#include "sysdep/iface/iface.h"
#include "sysdep/loop/loop.h"

uint64_t
far_hop_hash(struct ip_addr a)
{
	return hash_u64(hash_u64(0, a.hi), a.lo);
}

struct far_hop *
far_hop_find(const struct channel_hops *h, struct ip_addr a)
{
	struct htab_node *n;

	htab_each_same (n, &h->by_addr, far_hop_hash(a)) {
		struct far_hop *f = container_of(n, struct far_hop, node);

		if (ip_equal(f->addr, a))
			return f;
	}
	return NULL;
}

bool
far_hop_look(struct channel *ch, struct far_hop *f)
{
	struct igp_way way;
	bool same;

	igp_resolve(ch->imp.hops->igp[family_of_ip(f->addr)], &way, f->addr,
	    iface_list_get(&ch->proto->tern->ifaces));
	same = f->dest == way.dest && f->metric == way.metric && f->cnt == way.cnt &&
	       (!way.cnt || !memcmp(f->hop, way.hop, way.cnt * sizeof(*f->hop)));
	if (same)
		return false;
	mem_free(MEM_PROTO, f->hop);
	f->hop = way.cnt ? mem_alloc(MEM_PROTO, way.cnt * sizeof(*f->hop)) : NULL;
	if (way.cnt)
		memcpy(f->hop, way.hop, way.cnt * sizeof(*f->hop));
	f->dest = way.dest;
	f->metric = way.metric;
	f->cnt = way.cnt;
	return true;
}

void
far_hop_drop(struct channel_hops *h, TAKE struct far_hop *f)
{
	htab_del(&h->by_addr, &f->node);
	mem_free(MEM_PROTO, f->hop);
	mem_free(MEM_PROTO, f);
}

bool
far_hop_put(struct attr_edit *e, const struct far_hop *f)
{
	e->local.dest = f->dest;
	e->local.igp_metric = f->metric;
	if (attr_edit_set_custom(e, CUSTOM_RECURSIVE, T_IP, &f->addr, sizeof(f->addr)))
		return false;
	if (f->cnt)
		return !hops_set(e, f->hop, f->cnt);
	return !hops_unset(e);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders of an operator that an instance carries out until their revocation: the drain
 * (RFC 8326).
 *
 * Loop: the instance's, but for proto_drain_publish. Tested by test/net/test_drain.py. */
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"

static void
proto_orders_free_drain(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct proto_drain, rcu));
}

void
proto_drain_publish(struct proto *p, TAKE struct proto_drain *d)
{
	struct proto_drain *old = load_relaxed_ptr(&p->orders.drain);

	store_release_ptr(&p->orders.drain, d); /* pairs: PDRAIN */
	if (old)
		rcu_free_later(&old->rcu, proto_orders_free_drain);
}

void
proto_orders_carry_out(struct proto *p, enum proto_order order)
{
	bool drains = order == ORDER_DRAIN;

	if (p->orders.drains == drains)
		return;
	p->orders.drains = drains;
	for (struct channel *ch = load_relaxed_ptr(&p->channels); ch;
	     ch = channel_next(ch))
		channel_drain(ch);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders of an operator that an instance carries out until their revocation: the drain
 * (RFC 8326), overrides (nest/core/override.h) and the quarantine.
 *
 * Loop: the instance's, but for proto_drain_publish. Tested by test/net/test_drain.py,
 * test/net/test_override.py and test/net/test_quarantine.py. */
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/override.h"

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

/* proto_orders_drain - the drain begins or ends. */
static void
proto_orders_drain(struct proto *p, bool drains)
{
	if (p->orders.drains == drains)
		return;
	p->orders.drains = drains;
	for (struct channel *ch = load_relaxed_ptr(&p->channels); ch;
	     ch = channel_next(ch))
		channel_drain(ch);
}

/* proto_orders_quarantine - follow orders.quarantine. */
static void
proto_orders_quarantine(struct proto *p)
{
	bool on = load_relaxed32(&p->orders.quarantine);

	if (p->orders.quarantined == on)
		return;
	p->orders.quarantined = on;
	for (struct channel *ch = load_relaxed_ptr(&p->channels); ch;
	     ch = channel_next(ch))
		channel_quarantine(ch);
}

void
proto_orders_carry_out(struct proto *p, struct proto_cmd *cmd)
{
	struct overrides *old = p->orders.overrides;

	if (cmd->order == ORDER_QUARANTINE) {
		proto_orders_quarantine(p);
		return;
	}
	if (cmd->order != ORDER_OVERRIDES) {
		proto_orders_drain(p, cmd->order == ORDER_DRAIN);
		return;
	}
	p->orders.overrides = cmd->overrides;
	cmd->overrides = NULL;
	for (struct channel *ch = load_relaxed_ptr(&p->channels); ch;
	     ch = channel_next(ch))
		channel_overrides(ch, old);
	overrides_unref(old);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link of an established direct session: the reaction to changes of interfaces,
 * addresses and carriers.
 *
 * I1  A session that came up while its peer was on a subnet of an interface depends on
 *     the interface (link_if). A session over loopback, or over other routes, does not.
 * I2  When the peer is no longer on the interface's subnets or, with `check link`, the
 *     carrier is lost, the session ends at once. The session then waits (waits_link), in
 *     Idle and without `error wait time`, until the peer is on an interface again.
 * I3  Stale routes of a peer that is away depend on the interface of the ended session.
 *     The loss of the interface withdraws the stale routes, because no path leads to the
 *     next hops (RFC 4271, 9.1.2.1).
 * I4  A session that looks for its peer connects as soon as the peer is on a link,
 *     without waiting for the rest of `connect retry time`.
 *
 * Loop: the session's; neigh_concerned in any thread. Tested by
 * test/net/test_interface.py. */
#include "lib/base/base.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/iface/iface.h"

const struct iface *
neigh_in(const struct iface_list *l, const struct bgp_conf *cf)
{
	if (cf->tcp.multihop || cf->dynamic.has_range)
		return NULL;
	if (cf->id.vrf && !cf->id.iface)
		return bgp_link_vrf(l, cf->id.vrf, cf->id.remote_ip);
	return cf->tcp.onlink ? bgp_link_onlink(l, cf->id.iface)
			      : bgp_link_neigh(l, cf->id.iface, cf->id.remote_ip);
}

/* neigh_needs_global - true if the session has routes of the other family, whose next
 * hop is another local address. */
static bool
neigh_needs_global(const struct conf_proto *p, const struct bgp_conf *cf)
{
	enum family over = family_of_ip(cf->id.remote_ip);

	for (const struct conf_channel *c = p->chan; c; c = c->next)
		if (!c->is_rpki && c->family != over)
			return true;
	return false;
}

static bool
bgp_neigh_differs(const struct iface *a, const struct iface *b)
{
	return a && b ? !iface_same(a, b) : a != b;
}

bool
neigh_concerned(
    const struct proto *p, const struct iface_list *old, const struct iface_list *now)
{
	const struct conf_proto *pc = proto_conf_get(p);
	const struct bgp_conf *cf = bgp_conf_of(pc);
	const struct iface *a = neigh_in(old, cf), *b = neigh_in(now, cf);

	if (bgp_neigh_differs(a, b))
		return true;
	if (!neigh_needs_global(pc, cf))
		return false;
	return ip_is_none(cf->id.local_ip) ||
	       bgp_neigh_differs(
		   iface_with(old, cf->id.local_ip), iface_with(now, cf->id.local_ip));
}

void
neigh_up(struct bgp_session *s)
{
	const struct iface_list *l = iface_list_get(&s->p.tern->ifaces);
	const struct iface *n = neigh_in(l, session_conf(s));

	s->neigh.link_if = n ? n->index : 0;
}

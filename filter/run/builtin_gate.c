/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where packets go: attributes of the one way that a route has.
 *
 * A route that came by BGP on a common link leads to its BGP next hop; a static one to
 * its hops (filter/run/hop.h). A gateway that a filter assigns, or from which a filter
 * has parted the BGP next hop by writing another, is a hop, too. A peer is told the BGP
 * next hop where there is one, and else the gateway (proto/bgp/out/bgp_rules.c), as RFC
 * 4271, 5.1.3 (3) has it for a route whose gateway is on the link of the session.
 *
 * Of a route with several hops filters see the first one. A hop may have an interface:
 * with a gateway that is on it, or without one, as that of an interface's own network.
 * Else which interface a gateway is behind is looked up. */
#include "filter/filter.h"
#include "filter/value/fvalue.h"
#include "filter/run/builtin.h"
#include "filter/run/custom.h"
#include "filter/run/frun.h"
#include "filter/run/hop.h"
#include "filter/run/links.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/base/arena.h"
#include "lib/net/ip.h"
#include "sysdep/iface.h"

#define LABEL_MAX 0xfffff

static struct ip_addr
gateway(const struct frun *r)
{
	struct hop h;

	if (r->edit->local.dest != DEST_UNICAST)
		return IP_NONE;
	if (hop_in(r->edit, 0, &h))
		return h.gw;
	return r->edit->local.rts == RTS_BGP ? route_next_hop(r) : IP_NONE;
}

static const struct iface *
link_of(struct frun *r, struct ip_addr gw)
{
	r->reads |= FILTER_READ_IFACES | FILTER_READ_VOLATILE;
	return links_find(iface_list_get(r->t->ifaces), gw);
}

bool
route_get_gw(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	*out = fvalue_ip(gateway(r));
	return true;
}

/* set_way - one hop in place of all that there were. */
static bool
set_way(struct frun *r, struct hop h)
{
	r->edit->local.dest = DEST_UNICAST;
	return route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_GW_MPLS)) &&
	       route_wrote(r, hops_set(r->edit, &h, 1));
}

bool
route_set_gw(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	struct hop h;

	(void)a;
	if (ip_is_link_local(v->ip) && hop_in(r->edit, 0, &h) && h.ifindex)
		return set_way(r, hop_make(v->ip, h.ifindex, h.ifname));
	if (!link_of(r, v->ip))
		return vm_fail(r, "gw must be an address on the link of an interface");
	return set_way(r, hop_make(v->ip, 0, NULL));
}

bool
route_keep_gw(struct frun *r)
{
	struct ip_addr gw = gateway(r);
	struct hop h;

	if (ip_is_none(gw) || hop_in(r->edit, 0, &h))
		return true;
	h = hop_make(gw, 0, NULL);
	return route_wrote(r, hops_set(r->edit, &h, 1));
}

/* iface_of - the interface of the route's hop, or that its gateway is behind. Returns:
 * false: there is none. */
static bool
iface_of(struct frun *r, struct hop *out)
{
	const struct iface *l;

	if (hop_in(r->edit, 0, out) && out->ifindex)
		return true;
	l = link_of(r, gateway(r));
	if (l)
		*out = hop_make(IP_NONE, l->index, l->name);
	return l;
}

bool
route_get_ifname(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct hop h;
	const char *name = iface_of(r, &h) ? h.ifname : "";

	(void)a;
	*out = (struct fvalue){ .type = T_STRING, .len = (uint32_t)strlen(name) };
	out->str = arena_strndup(&r->t->arena, name, out->len);
	return true;
}

/* Packets go to the interface itself: there is no gateway any more. */
bool
route_set_ifname(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	const struct iface_list *l = iface_list_get(r->t->ifaces);
	const char *name = arena_strndup(&r->t->arena, v->str, v->len);
	const struct iface *dev = iface_find(l, name);

	(void)a;
	r->reads |= FILTER_READ_IFACES | FILTER_READ_VOLATILE;
	if (!dev)
		return vm_fail(r, "ifname must be the name of an interface");
	return set_way(r, hop_make(IP_NONE, dev->index, dev->name));
}

bool
route_get_ifindex(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct hop h;

	(void)a;
	fvalue_set_u32(out, T_INT, iface_of(r, &h) ? h.ifindex : 0);
	return true;
}

bool
route_get_dest(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	fvalue_set_u32(out, T_ENUM_RTD, r->edit->local.dest);
	return true;
}

/* Back to one leads only the assignment of a gateway or an interface. */
bool
route_set_dest(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	(void)a;
	if (v->i == DEST_UNICAST)
		return vm_fail(
		    r, "dest can't become RTD_UNICAST but by assigning gw or ifname");
	r->edit->local.dest = (uint8_t)v->i;
	return route_wrote(r, hops_unset(r->edit)) &&
	       route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_GW_MPLS));
}

bool
route_set_weight(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	if (v->i < 1 || v->i > HOP_WEIGHT_MAX)
		return vm_fail(r, "weight must be from 1 to 256");
	if (r->edit->local.dest != DEST_UNICAST)
		return vm_fail(r, "weight can't be assigned: the route has no gateway");
	return route_set_own(r, a, v);
}

bool
route_set_gw_mpls(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	if (v->i > LABEL_MAX)
		return vm_fail(r, "gw_mpls must be a label: at most 1048575");
	return route_set_own(r, a, v);
}

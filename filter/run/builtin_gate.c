/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where packets go: attributes of the one way that a route has.
 *
 * A route that came by BGP on a common link leads to its BGP next hop; a static one to
 * its gateway. A gateway that a filter assigns, or from which a filter has parted the BGP
 * next hop by writing another, is kept as CUSTOM_GATEWAY. A peer is told the BGP next hop
 * where there is one, and else the gateway (proto/bgp/out/bgp_rules.c), as RFC 4271,
 * 5.1.3 (3) has it for a route whose gateway is on the link of the session.
 *
 * A route may keep an interface (CUSTOM_IFACE): with a gateway that is on it, or without
 * one, as that of an interface's own network. Else which interface a gateway is behind is
 * looked up. */
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

#define WEIGHT_MAX 256
#define LABEL_MAX  0xfffff

static struct ip_addr
gateway(const struct frun *r)
{
	struct custom_item it;
	struct hop_iface dev;
	struct ip_addr gw;

	if (r->edit->local.dest != DEST_UNICAST)
		return IP_NONE;
	if (!attr_edit_get_custom(r->edit, CUSTOM_GATEWAY, &it) || it.len != sizeof(gw))
		return r->edit->local.rts == RTS_BGP && !hop_iface_in(r->edit, &dev)
			   ? route_next_hop(r)
			   : IP_NONE;
	memcpy(&gw, it.val, sizeof(gw));
	return gw;
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

bool
route_set_gw(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	struct hop_iface dev;
	bool local = ip_is_link_local(v->ip) && hop_iface_in(r->edit, &dev);

	(void)a;
	if (!local && !link_of(r, v->ip))
		return vm_fail(r, "gw must be an address on the link of an interface");
	r->edit->local.dest = DEST_UNICAST;
	return (local || route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_IFACE))) &&
	       route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_GW_MPLS)) &&
	       route_wrote(r, attr_edit_set_custom(
				  r->edit, CUSTOM_GATEWAY, T_IP, &v->ip, sizeof(v->ip)));
}

bool
route_keep_gw(struct frun *r)
{
	struct ip_addr gw = gateway(r);
	struct custom_item it;

	if (ip_is_none(gw) || attr_edit_get_custom(r->edit, CUSTOM_GATEWAY, &it))
		return true;
	return route_wrote(
	    r, attr_edit_set_custom(r->edit, CUSTOM_GATEWAY, T_IP, &gw, sizeof(gw)));
}

/* iface_of - the interface that the route keeps, or that its gateway is behind. Returns:
 * false: there is none. */
static bool
iface_of(struct frun *r, struct hop_iface *out)
{
	const struct iface *l;

	if (hop_iface_in(r->edit, out))
		return true;
	l = link_of(r, gateway(r));
	if (!l)
		return false;
	*out = (struct hop_iface){ .index = l->index };
	memcpy(out->name, l->name, sizeof(out->name));
	return true;
}

bool
route_get_ifname(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct hop_iface dev;
	const char *name = iface_of(r, &dev) ? dev.name : "";

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
	r->edit->local.dest = DEST_UNICAST;
	return route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_GATEWAY)) &&
	       route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_GW_MPLS)) &&
	       route_wrote(r, hop_set_iface(r->edit, dev->index, dev->name));
}

bool
route_get_ifindex(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct hop_iface dev;

	(void)a;
	fvalue_set_u32(out, T_INT, iface_of(r, &dev) ? dev.index : 0);
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
	return route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_GATEWAY)) &&
	       route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_IFACE)) &&
	       route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_GW_MPLS));
}

bool
route_set_weight(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	if (v->i < 1 || v->i > WEIGHT_MAX)
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The destination of packets: attributes of a route's hops. The thread of the run calls.
 *
 * Packets of a BGP route on a common link go to the BGP next hop; packets of a static
 * route go to the route's hops (filter/run/hop.h). A gateway becomes a hop if a filter
 * assigns the gateway, or changes the BGP next hop of a route whose packets shall keep
 * the way. A peer receives the BGP next hop if the route has one, else the gateway
 * (proto/bgp/out/bgp_rules.c), as RFC 4271, 5.1.3 (3) says for a gateway on the session's
 * link.
 *
 * For a route with several hops filters see the first hop. A hop may have an interface:
 * with a gateway on the interface, or without a gateway for the interface's own network.
 * For a gateway without an interface the interface is looked up.
 *
 * I1  A route with hops stores `weight` and `onlink` in the hops. A route without hops
 *     stores assigned values as custom attributes. The values move into a new hop, and
 *     back when the last hop is removed. The values therefore survive any assignment, as
 *     in bird2. */
#include "filter/filter.h"
#include "filter/value/fvalue.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/custom.h"
#include "filter/run/frun.h"
#include "filter/run/hop.h"
#include "filter/run/links.h"
#include "filter/run/value.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/mem/arena.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "sysdep/iface/iface.h"

#define LABEL_MAX   0xfffff
#define REFUSED_MAX 200 /* octets of a message about a value */

/* builtin_gate_refuse - the run fails: @v can't be assigned. */
static bool
builtin_gate_refuse(struct frun *r, const struct fvalue *v, const char *why)
{
	struct strbuf b;
	const char *text;

	strbuf_init(&b);
	strbuf_addf(&b, "%s: ", why);
	fvalue_show(&b, v);
	text = arena_strndup(
	    &r->t->arena, b.s, b.len < REFUSED_MAX ? b.len : REFUSED_MAX);
	strbuf_fini(&b);
	return vm_fail(r, text);
}

/* ---- the hops, and the values that move with hops ---- */

/* gate_reserved_number - value of the custom attribute @id; @unset: never assigned. */
static uint32_t
gate_reserved_number(const struct frun *r, uint16_t id, uint32_t unset)
{
	struct custom_item it;
	uint32_t v;

	if (!attr_edit_get_custom(r->edit, id, &it) || it.len != sizeof(v))
		return unset;
	memcpy(&v, it.val, sizeof(v));
	return v;
}

/* gate_put_hop - replace all hops by @h, and keep weight and onlink (I1). */
static bool
gate_put_hop(struct frun *r, struct hop h)
{
	struct hop old;

	if (hop_in(r->edit, 0, &old)) {
		h.weight = old.weight;
		h.onlink = old.onlink;
	} else {
		h.weight = (uint16_t)gate_reserved_number(r, CUSTOM_WEIGHT, 1);
		h.onlink = gate_reserved_number(r, CUSTOM_ONLINK, false) != 0;
	}
	return route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_WEIGHT)) &&
	       route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_ONLINK)) &&
	       route_wrote(r, hops_set(r->edit, &h, 1));
}

/* gate_put_number - the reverse: what is @unset needs no attribute. */
static bool
gate_put_number(struct frun *r, uint16_t id, enum ftype t, uint32_t v, uint32_t unset)
{
	return route_wrote(r, v == unset
				  ? attr_edit_unset_custom(r->edit, id)
				  : attr_edit_set_custom(r->edit, id, t, &v, sizeof(v)));
}

/* gate_drop_hops - remove all hops; weight and onlink of the first hop stay with the
 * route (I1). */
static bool
gate_drop_hops(struct frun *r)
{
	struct hop h;

	return !hop_in(r->edit, 0, &h) ||
	       (gate_put_number(r, CUSTOM_WEIGHT, T_INT, h.weight, 1) &&
		   gate_put_number(r, CUSTOM_ONLINK, T_BOOL, h.onlink, false) &&
		   route_wrote(r, hops_unset(r->edit)));
}

/* gate_all_hops - a copy of them in the run's arena. Returns: how many. */
static unsigned
gate_all_hops(struct frun *r, struct hop **out)
{
	struct hop h;
	unsigned cnt = 0;

	while (hop_in(r->edit, cnt, &h))
		cnt++;
	*out = arena_alloc(&r->t->arena, cnt * sizeof(h));
	for (unsigned i = 0; i < cnt; i++)
		(void)hop_in(r->edit, i, *out + i);
	vm_charge(r, cnt * sizeof(h));
	return cnt;
}

static struct ip_addr
builtin_gate_gateway(const struct frun *r)
{
	struct hop h;

	if (r->edit->local.dest != DEST_UNICAST)
		return IP_NONE;
	if (hop_in(r->edit, 0, &h))
		return h.gw;
	return r->edit->local.rts == RTS_BGP ? route_next_hop(r) : IP_NONE;
}

static const struct iface *
gate_link_of(struct frun *r, struct ip_addr gw)
{
	r->reads |= FILTER_READ_IFACES | FILTER_READ_VOLATILE;
	return links_gateway(iface_list_get(r->t->ifaces), gw);
}

bool
route_get_gw(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	(void)a;
	*out = fvalue_ip(builtin_gate_gateway(r));
	return true;
}

/* gate_drop_way_marks - the route gets new hops: remove the labels of the old hops and
 * the mark "recursive". */
static bool
gate_drop_way_marks(struct frun *r)
{
	struct custom_item it;

	return route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_GW_MPLS)) &&
	       (!attr_edit_get_custom(r->edit, CUSTOM_RECURSIVE, &it) ||
		   route_wrote(r, attr_edit_unset_custom(r->edit, CUSTOM_RECURSIVE)));
}

/* gate_set_way - replace all hops by @h. */
static bool
gate_set_way(struct frun *r, struct hop h)
{
	r->edit->local.dest = DEST_UNICAST;
	return gate_drop_way_marks(r) && gate_put_hop(r, h);
}

bool
route_set_gw(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	struct hop h;

	(void)a;
	if (hop_in(r->edit, 0, &h) && h.ifindex && (h.onlink || ip_is_link_local(v->ip)))
		return gate_set_way(r, hop_make(v->ip, h.ifindex, h.ifname));
	if (!gate_link_of(r, v->ip))
		return builtin_gate_refuse(
		    r, v, "gw must be an address on the link of an interface");
	return gate_set_way(r, hop_make(v->ip, 0, NULL));
}

bool
route_keep_gw(struct frun *r)
{
	struct ip_addr gw = builtin_gate_gateway(r);
	struct hop h;

	if (ip_is_none(gw) || hop_in(r->edit, 0, &h))
		return true;
	return gate_put_hop(r, hop_make(gw, 0, NULL));
}

/* builtin_gate_iface_of - the interface of the route's hop, or the interface of its
 * gateway. Returns: false: no interface. */
static bool
builtin_gate_iface_of(struct frun *r, struct hop *out)
{
	const struct iface *l;

	if (hop_in(r->edit, 0, out) && out->ifindex)
		return true;
	l = gate_link_of(r, builtin_gate_gateway(r));
	if (l)
		*out = hop_make(IP_NONE, l->index, l->name);
	return l;
}

bool
route_get_ifname(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct hop h;
	const char *name = builtin_gate_iface_of(r, &h) ? h.ifname : "";

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
		return builtin_gate_refuse(
		    r, v, "ifname must be the name of an interface");
	return gate_set_way(r, hop_make(IP_NONE, dev->index, dev->name));
}

bool
route_get_ifindex(struct frun *r, const struct route_attr *a, struct fvalue *out)
{
	struct hop h;

	(void)a;
	fvalue_set_u32(out, T_INT, builtin_gate_iface_of(r, &h) ? h.ifindex : 0);
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
	if (!gate_drop_hops(r))
		return false;
	r->edit->local.dest = (uint8_t)v->i;
	return gate_drop_way_marks(r);
}

/* Of a route with several hops all get it. */
bool
route_set_weight(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	struct hop *h;
	unsigned cnt;

	if (v->i < 1 || v->i > HOP_WEIGHT_MAX)
		return builtin_gate_refuse(r, v, "weight must be from 1 to 256");
	if (r->edit->local.dest != DEST_UNICAST)
		return vm_fail(r, "weight can't be assigned: the route has no gateway");
	cnt = gate_all_hops(r, &h);
	for (unsigned i = 0; i < cnt; i++)
		h[i].weight = (uint16_t)v->i;
	if (!cnt)
		return route_set_reserved(r, a, v);
	return route_wrote(r, hops_set(r->edit, h, hops_sort(h, cnt)));
}

/* Of a route with several hops the first gets it. */
bool
route_set_onlink(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	struct hop *h;
	unsigned cnt = gate_all_hops(r, &h);

	if (!cnt)
		return route_set_reserved(r, a, v);
	h[0].onlink = v->i != 0;
	return route_wrote(r, hops_set(r->edit, h, cnt));
}

bool
route_set_gw_mpls(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	if (v->i > LABEL_MAX)
		return builtin_gate_refuse(
		    r, v, "gw_mpls must be a label, at most 1048575");
	return route_set_reserved(r, a, v);
}

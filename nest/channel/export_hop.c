/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes out for a next hop, after the export filter: the route's own, its gateway, or an
 * address of ours; and whether that would be the peer itself.
 *
 * Loop: of whoever asks. */
#include "nest/channel/channel_priv.h"

#include "filter/run/custom.h"

/* own_of - as of the class that the route goes out with (channel_send.c). */
static const struct export_own *
own_of(const struct export_question *q)
{
	return &q->v->own[q->marks & SEG_IBGP ? 1 : 0];
}

static bool
on_link(const struct export_rules *r, struct ip_addr a)
{
	unsigned i;

	for (i = 0; i < r->link_cnt; i++)
		if ((r->link[i].fam == FAM_IP4) == ip_is_v4(a) &&
		    prefix_has_ip(&r->link[i], a))
			return true;
	return false;
}

/* gateway_of - Returns: whether the route has one other than its BGP next hop. */
static bool
gateway_of(const struct attr_set *set, struct ip_addr *gw)
{
	struct custom_item it;

	if (!set->local.custom_words || set->local.dest != DEST_UNICAST ||
	    !custom_find(set, CUSTOM_GATEWAY, &it) || it.len != sizeof(*gw))
		return false;
	memcpy(gw, it.val, sizeof(*gw));
	return true;
}

/* use_gateway - a route without a BGP next hop, such as a static one, is sent with its
 * gateway for one, where the peer can reach that. Filters were asked before: they see no
 * BGP next hop. Returns: whether the gateway is the next hop. */
static bool
use_gateway(const struct export_question *q, struct export_answer *a)
{
	const struct export_rules *r = &q->v->rules;
	struct attr_edit e;
	struct ip_addr gw;
	struct attr_set *set;
	uint8_t buf[16];

	if (!gateway_of(a->set, &gw) || (!r->to_ibgp && !on_link(r, gw)))
		return false;
	attr_edit_init(&e, q->arena, a->set);
	if (ip_is_v4(gw))
		put_be32(buf, ip_to_v4(gw));
	else
		ip_put16(buf, gw);
	if (attr_edit_set(&e, ATTR_NEXT_HOP, attr_flags(ATTR_NEXT_HOP), buf,
		ip_is_v4(gw) ? 4 : 16) ||
	    !(set = attr_store_edit(q->ch->table->store, &e))) {
		a->verdict = EXPORT_REJECT;
		return false;
	}
	export_answer_done(q->ch, a);
	a->set = set;
	a->owned = true;
	return true;
}

/* hop_stays - RFC 4271, 5.1.3: the peer usually gets our address; is this an exception? A filter
 * that assigned the next hop knows what it does. Else a direct peer gets next hops that it reaches without us:
 * of a session on its link, or the gateway. As BIRD. */
static bool
hop_stays(const struct export_question *q, const struct route_source *src,
    struct export_answer *a)
{
	const struct export_rules *r = &q->v->rules;
	struct ip_addr hop = wire_next_hop(a->set->wire), gw;

	if (!ip_is_none(hop)) {
		if (!ip_equal(hop, wire_next_hop(q->set->wire)))
			return true;
		if (r->link_if && src->link_if == r->link_if)
			return true;
	}
	if (!r->link_if)
		return false;
	if (gateway_of(a->set, &gw))
		return use_gateway(q, a);
	/* it would have to be looked up, but on a link a next hop is its own gateway */
	return src->is_bgp && !src->link_if && !ip_is_none(hop) && on_link(r, hop);
}

void
export_hop_settle(const struct export_question *q, const struct route_source *src,
    struct export_answer *a)
{
	uint8_t kind = !src->is_bgp   ? HOP_OURS
		       : src->is_ebgp ? HOP_EXTERNAL
				      : HOP_INTERNAL;

	if (a->verdict != EXPORT_ACCEPT)
		return;
	if (q->v->rules.own_hop & kind)
		a->hop_stays = hop_stays(q, src, a);
	else if (export_hop_wants(a) && !own_of(q)->always)
		use_gateway(q, a);
}

bool
export_hop_is_peer(const struct export_question *q, const struct export_answer *a)
{
	const struct export_own *own = own_of(q);
	struct ip_addr peer = q->v->rules.peer_addr;
	struct attr_item it;

	if ((own->always && !a->hop_stays) ||
	    !wire_slot(a->set->wire, SLOT_NEXT_HOP, ATTR_NEXT_HOP, &it))
		return own->is_peer;
	return ip_equal(wire_next_hop(a->set->wire), peer) ||
	       (it.len == 32 && ip_equal(ip_get16(it.val + 16), peer));
}

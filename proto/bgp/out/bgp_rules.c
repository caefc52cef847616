/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of one peer (bgp_rules.h). The outgoing next hop is chosen after the export
 * filter: the route's next hop, its gateway, or a local address. A route whose next hop
 * would be the peer itself is refused.
 *
 * Loop: of the caller. */
#include "proto/bgp/out/bgp_rules.h"

#include "filter/filter.h"
#include "filter/run/hop.h"
#include "lib/attr/aigp.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/community.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "lib/wire/wbuf.h"
#include "nest/core/reason.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/attr/export_memo.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/conf/hop_map.h"

#include <errno.h>

static const struct bgp_rules *
bgp_rules_of(const struct sink_rules *r)
{
	return container_of((struct sink_rules *)(uintptr_t)r, struct bgp_rules, base);
}

/* bgp_rules_self_of - as of the class that the route goes out with (bgp_sink.c). */
static const struct export_self *
bgp_rules_self_of(const struct bgp_rules *r, const struct export_question *q)
{
	return &r->self[q->marks & SEG_IBGP ? 1 : 0];
}

/* rules_wants_gateway - may there be a gateway in place of the BGP next hop? */
static bool
rules_wants_gateway(const struct export_question *q, const struct export_answer *a)
{
	/* The segment says it, too, and is at hand. */
	if (q->seg && (q->seg->form & SEG_UNIFORM) && a->set == q->set)
		return false;
	return !a->set->wire->off[SLOT_NEXT_HOP] && a->set->local.custom_words;
}

static bool
bgp_rules_on_link(const struct export_rules *r, struct ip_addr a)
{
	unsigned i;

	for (i = 0; i < r->link_cnt; i++)
		if ((r->link[i].fam == FAM_IP4) == ip_is_v4(a) &&
		    prefix_has_ip(&r->link[i], a))
			return true;
	return false;
}

/* rules_can_use - can the peer use next hop @a? RFC 8950: without the capability IPv4
 * routes have IPv4 next hops. */
static bool
rules_can_use(const struct export_rules *r, struct ip_addr a)
{
	if (ip_is_v4(a))
		return !r->only_ip6;
	return !r->only_ip4;
}

/* rules_can_send - can the peer use next hop @a, or the address that the map has for
 * @a? */
static bool
rules_can_send(const struct export_rules *r, struct ip_addr a)
{
	return rules_can_use(r, a) || !ip_is_none(hop_map_other(r->map, a));
}

/* rules_gateway_of - Returns: true: the route has exactly one gateway besides its BGP
 * next hop. A link-local gateway does not count, because the address is unknown to other
 * routers. */
static bool
rules_gateway_of(const struct attr_set *set, struct ip_addr *gw)
{
	struct hop h, more;

	if (!hop_of(set, 0, &h) || hop_of(set, 1, &more) || ip_is_none(h.gw) ||
	    ip_is_link_local(h.gw))
		return false;
	*gw = h.gw;
	return true;
}

/* rules_take_edit - send the route with the changes of @e. Returns: false: no room for
 * the set; the route is refused. */
static bool
rules_take_edit(
    const struct export_question *q, const struct attr_edit *e, struct export_answer *a)
{
	struct attr_set *set = attr_store_edit(table_store(q->table), e);

	if (!set) {
		a->verdict = EXPORT_REJECT;
		a->reason = REASON_NO_ROOM;
		return false;
	}
	attr_hold_put(table_store(q->table), &a->held, set);
	a->set = set;
	return true;
}

/* rules_set_hop - send the route with the next hop @hop. Returns: false: no room; the
 * route is refused. */
static bool
rules_set_hop(
    const struct export_question *q, struct ip_addr hop, struct export_answer *a)
{
	struct attr_edit e;
	uint8_t buf[16];

	attr_edit_init(&e, q->arena, a->set);
	if (ip_is_v4(hop))
		put_be32(buf, ip_to_v4(hop));
	else
		ip_put16(buf, hop);
	if (attr_edit_set(&e, ATTR_NEXT_HOP, attr_flags(ATTR_NEXT_HOP), buf,
		ip_is_v4(hop) ? 4 : 16)) {
		a->verdict = EXPORT_REJECT;
		return false;
	}
	return rules_take_edit(q, &e, a);
}

/* rules_use_gateway - use the gateway of a route without BGP next hop, such as a static
 * route, as the next hop if the peer can reach the gateway. The filters ran before and
 * see no BGP next hop. Returns: true: the gateway is the next hop. */
static bool
rules_use_gateway(const struct export_rules *r, const struct export_question *q,
    struct export_answer *a)
{
	struct ip_addr gw;

	return rules_gateway_of(a->set, &gw) && rules_can_send(r, gw) &&
	       (r->interior || bgp_rules_on_link(r, gw)) && rules_set_hop(q, gw, a);
}

/* rules_hop_stays - true if the route keeps its next hop. RFC 4271, 5.1.3: the peer
 * usually gets the local address. Exceptions: a filter has assigned the next hop, or a
 * direct peer reaches the next hop without this router (a session on its link, or the
 * gateway). As BIRD. */
static bool
rules_hop_stays(const struct export_rules *r, const struct export_question *q,
    struct export_answer *a)
{
	const struct route_source *src = q->facts;
	struct ip_addr hop = wire_next_hop(a->set->wire), gw;

	if (!ip_is_none(hop)) {
		if (!ip_equal(hop, wire_next_hop(q->set->wire)))
			return true;
		if (!rules_can_send(r, hop))
			return false;
		if (r->link_if && src->link_if == r->link_if)
			return true;
	}
	if (!r->link_if)
		return false;
	if (rules_gateway_of(a->set, &gw))
		return rules_use_gateway(r, q, a);
	/* on a link a next hop is its own gateway, so no lookup is needed */
	return src->is_bgp && !src->link_if && !ip_is_none(hop) &&
	       bgp_rules_on_link(r, hop);
}

/* rules_settle_hop - choose the outgoing next hop. */
static void
rules_settle_hop(
    const struct bgp_rules *r, const struct export_question *q, struct export_answer *a)
{
	const struct route_source *src = q->facts;
	uint8_t kind = !src->is_bgp   ? HOP_OURS
		       : src->is_ebgp ? HOP_EXTERNAL
				      : HOP_INTERNAL;

	if (r->peer.self_hop & kind)
		a->way = rules_hop_stays(&r->peer, q, a) ? BGP_WAY_HOP_STAYS : 0;
	else if (rules_wants_gateway(q, a) && !bgp_rules_self_of(r, q)->always)
		rules_use_gateway(&r->peer, q, a);
}

/* bgp_rules_leave_link - remove the link-local next hop that the source announced: the
 * global next hop remains, or the local address takes the place of the next hop. A next
 * hop that the filter assigned stays. */
static void
bgp_rules_leave_link(
    const struct bgp_rules *r, const struct export_question *q, struct export_answer *a)
{
	struct attr_item it, was;
	struct attr_edit e;
	int rc;

	if (bgp_rules_self_of(r, q)->always && !(a->way & BGP_WAY_HOP_STAYS))
		return;
	if (!wire_slot(a->set->wire, SLOT_NEXT_HOP, ATTR_NEXT_HOP, &it) ||
	    !wire_slot(q->set->wire, SLOT_NEXT_HOP, ATTR_NEXT_HOP, &was) ||
	    it.len != was.len || memcmp(it.val, was.val, it.len) != 0)
		return;
	attr_edit_init(&e, q->arena, a->set);
	if (ip_is_link_local(wire_next_hop(a->set->wire)))
		rc = attr_edit_unset(&e, ATTR_NEXT_HOP);
	else if (it.len == 32)
		rc = attr_edit_set(
		    &e, ATTR_NEXT_HOP, attr_flags(ATTR_NEXT_HOP), it.val, 16);
	else
		return;
	if (rc)
		a->verdict = EXPORT_REJECT;
	else
		rules_take_edit(q, &e, a);
}

/* rules_may_be_peer - false: no, as is known without a look at the set. */
static bool
rules_may_be_peer(const struct bgp_rules *r, const struct export_question *q,
    const struct export_answer *a)
{
	return !q->seg || a->set != q->set || q->seg->class_key == r->hop_key ||
	       q->seg->class_key == r->other_key || r->keyless;
}

/* rules_hop_is_peer - RFC 4271, 5.1.3: is what goes out for a next hop the peer's own
 * address? Last of all. */
static bool
rules_hop_is_peer(const struct bgp_rules *r, const struct export_question *q,
    const struct export_answer *a)
{
	const struct export_self *self = bgp_rules_self_of(r, q);
	struct ip_addr peer = r->peer.peer_addr;
	struct attr_item it;

	if ((self->always && !(a->way & BGP_WAY_HOP_STAYS)) ||
	    !wire_slot(a->set->wire, SLOT_NEXT_HOP, ATTR_NEXT_HOP, &it))
		return self->is_peer;
	return ip_equal(wire_next_hop(a->set->wire), peer) ||
	       (it.len == 32 && ip_equal(ip_get16(it.val + 16), peer)) ||
	       (!ip_is_none(r->peer.peer_other) &&
		   ip_equal(wire_next_hop(a->set->wire), r->peer.peer_other));
}

/* bgp_rules_self_goes - is an address of ours the next hop that goes out? */
static bool
bgp_rules_self_goes(const struct bgp_rules *r, const struct export_question *q,
    const struct export_answer *a)
{
	const struct export_self *self = bgp_rules_self_of(r, q);

	return (self->always && !(a->way & BGP_WAY_HOP_STAYS)) ||
	       !a->set->wire->off[SLOT_NEXT_HOP] ||
	       (self->for_local && ip_is_link_local(wire_next_hop(a->set->wire)));
}

/* rules_is_whole - is @a about all nets of a segment with the segment's set? */
static bool
rules_is_whole(const struct export_question *q, const struct export_answer *a)
{
	return q->seg && !q->net && a->set == q->seg->set;
}

/* rules_set_mapped - send the route with the next hop @hop of the map. All peers with the
 * map and the segment's set get one set: the first peer leaves the set in the segment. */
static void
rules_set_mapped(const struct bgp_rules *r, const struct export_question *q,
    struct ip_addr hop, struct export_answer *a)
{
	struct export_memo m = {
		.by = r->peer.map, .conf = r->conf, .verdict = FILTER_ACCEPT
	};
	bool whole = rules_is_whole(q, a);
	uint32_t more;

	if (!rules_set_hop(q, hop, a) || !whole)
		return;
	m.set = a->set;
	more = export_memo_put(table_store(q->table), &q->seg->memo, q->seg->wire, &m);
	if (more)
		segment_charge(q->table, q->seg, more);
}

/* rules_translate - a router of the map has a next hop in both families, and the
 * route goes out with the next hop of the family that the peer can use. A route with
 * another next hop is refused: the peer could not reach the next hop. A link-local next
 * hop is in no map. */
static void
rules_translate(
    const struct bgp_rules *r, const struct export_question *q, struct export_answer *a)
{
	struct ip_addr hop = wire_next_hop(a->set->wire), other;
	const struct export_memo *m;

	if (rules_can_use(&r->peer, hop) || bgp_rules_self_goes(r, q, a))
		return;
	m = rules_is_whole(q, a) ? export_memo_find(&q->seg->memo, r->peer.map) : NULL;
	if (m) {
		a->set = m->set;
		return;
	}
	other = hop_map_other(r->peer.map, hop);
	if (!ip_is_none(other)) {
		rules_set_mapped(r, q, other, a);
		return;
	}
	a->verdict = EXPORT_REJECT;
	a->ruled = true;
	a->reason = REASON_UNMAPPED_NEXT_HOP;
}

/* bgp_rules_add_way - copy @it with the distance to the next hop added to the metric
 * (RFC 7311, 3.4.2); other TLVs stay. Returns: true: the attribute has a metric. */
static bool
bgp_rules_add_way(
    const struct export_question *q, const struct attr_set *set, struct attr_item *it)
{
	const uint8_t *at = aigp_find(it->val, it->len);
	uint8_t *val;

	if (!at)
		return false;
	val = arena_alloc(q->arena, it->len);
	memcpy(val, it->val, it->len);
	put_be64(val + (at - it->val), aigp_total(set, get_be64(at)));
	it->val = val;
	return true;
}

/* rules_settle_aigp - who sends by us has our way, too. Whether a route of an IGP gets a
 * metric is policy (RFC 7311, 3.4.1). */
static void
rules_settle_aigp(
    const struct bgp_rules *r, const struct export_question *q, struct export_answer *a)
{
	uint8_t one[AIGP_METRIC_LEN];
	struct attr_item it;
	struct attr_edit e;

	if (wire_find(a->set->wire, ATTR_AIGP, &it)) {
		if (!bgp_rules_self_goes(r, q, a) || !bgp_rules_add_way(q, a->set, &it))
			return;
	} else {
		if (r->peer.aigp != BGP_AIGP_ORIGINATE || q->facts->is_bgp ||
		    aigp_way_of(a->set) == UINT32_MAX)
			return;
		aigp_put(one, aigp_way_of(a->set));
		it.val = one;
		it.len = sizeof(one);
	}
	attr_edit_init(&e, q->arena, a->set);
	if (attr_edit_set(&e, ATTR_AIGP, attr_flags(ATTR_AIGP), it.val, it.len))
		a->verdict = EXPORT_REJECT;
	else
		rules_take_edit(q, &e, a);
}

void
bgp_rules_settle(const struct sink_rules *rules, const struct export_question *q,
    struct export_answer *a)
{
	const struct bgp_rules *r = bgp_rules_of(rules);

	if (unlikely(r->peer.self_hop || rules_wants_gateway(q, a)))
		rules_settle_hop(r, q, a);
	if (unlikely(export_rules_foreign(&r->peer, q->facts)) &&
	    a->verdict == EXPORT_ACCEPT)
		bgp_rules_leave_link(r, q, a);
	if (unlikely(r->peer.map) && a->verdict == EXPORT_ACCEPT)
		rules_translate(r, q, a);
	if (unlikely(r->peer.aigp) && a->verdict == EXPORT_ACCEPT)
		rules_settle_aigp(r, q, a);
	/* RFC 9234, 5: a route with OTC must not be sent to this peer. */
	if (r->peer.keep_otc && a->verdict == EXPORT_ACCEPT &&
	    (a->set->wire->has & WIRE_HAS_OTC)) {
		a->verdict = EXPORT_REJECT;
		a->reason = REASON_OTC;
	}
	if (a->verdict == EXPORT_ACCEPT && rules_may_be_peer(r, q, a) &&
	    rules_hop_is_peer(r, q, a)) {
		a->verdict = EXPORT_REJECT;
		a->ruled = true;
		a->reason = REASON_PEER_NEXT_HOP;
	}
}

enum reason
bgp_rules_no_hop(const struct bgp_class *c, enum family fam, const struct wire_set *w)
{
	return bgp_class_lacks_extended(c, fam, w) ? REASON_NO_EXTENDED_NEXT_HOP
						   : REASON_NO_NEXT_HOP;
}

enum reason
bgp_rules_unsent(const struct bgp_class *c, enum family fam, const struct wire_set *w,
    const uint8_t *nlri, uint32_t len, struct arena *a)
{
	size_t cap = bgp_update_build_bound(c, fam, w, len);
	struct wbuf out = wbuf_of(arena_alloc(a, cap), cap);
	int cnt = bgp_update_build(c, fam, w, nlri, len, &out);

	return cnt > 0          ? REASON_NONE
	       : cnt == -EINVAL ? bgp_rules_no_hop(c, fam, w)
				: REASON_TOO_LONG;
}

uint8_t
bgp_rules_packs(const struct sink_rules *rules, const struct export_question *q,
    const struct export_answer *a, const uint8_t *nlri, uint32_t len)
{
	const struct bgp_rules *r = bgp_rules_of(rules);
	bool stays = a->way & BGP_WAY_HOP_STAYS, ibgp = q->marks & SEG_IBGP;
	struct bgp_class c = r->look[stays ? 2 : ibgp ? 1 : 0];
	uint8_t buf[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK] = { 0 };
	uint32_t ids = c.ids ? NLRI_ID_LEN : 0;

	if (!stays && ibgp && r->reflect)
		c.originator_id = q->facts->peer_router_id;
	memcpy(buf + ids, nlri, len);
	return bgp_rules_unsent(&c, r->fam, a->set->wire, buf, ids + len, q->arena);
}

/* ---- segments ---- */

uint8_t
bgp_rules_marks(const struct attr_set *set, const struct route_source *f)
{
	struct attr_item it;
	uint8_t marks = 0;

	if (f && f->is_bgp && !f->is_ebgp)
		marks |= f->rr_client ? SEG_IBGP : SEG_IBGP | SEG_INTERNAL;
	if (!wire_find(set->wire, ATTR_COMMUNITY, &it))
		return marks;
	for (uint32_t i = 0; i + 4 <= it.len; i += 4) {
		uint32_t c = get_be32(it.val + i);

		if (c == COMM_NO_ADVERTISE)
			marks |= SEG_NO_ADVERTISE;
		else if (c == COMM_NO_EXPORT)
			marks |= SEG_NO_EXPORT;
		else if (c == COMM_NO_EXPORT_SUBCONFED)
			marks |= SEG_NO_SUBCONFED;
	}
	if (set->wire->has & WIRE_HAS_LLGR_STALE)
		marks |= SEG_LLGR_STALE;
	return marks;
}

uint32_t
bgp_rules_key(const struct attr_set *set)
{
	return bgp_hop_key(wire_next_hop(set->wire));
}

/* rules_has_next_hop - false: sessions of one class might announce different next
 * hops. */
static bool
rules_has_next_hop(const struct attr_set *set)
{
	return set->wire->off[SLOT_NEXT_HOP] || !set->local.custom_words;
}

static bool
rules_has_local_hop(const struct attr_set *set)
{
	struct attr_item it;

	return wire_slot(set->wire, SLOT_NEXT_HOP, ATTR_NEXT_HOP, &it) &&
	       (it.len == 32 || ip_is_link_local(wire_next_hop(set->wire)));
}

/* bgp_rules_form - the own metric may have to be added to AIGP. */
uint8_t
bgp_rules_form(const struct attr_set *set)
{
	bool alike = rules_has_next_hop(set) && !(set->wire->has & WIRE_HAS_AIGP);

	return (alike ? SEG_UNIFORM : 0) | (rules_has_local_hop(set) ? SEG_LOCAL_HOP : 0);
}

uint8_t
bgp_rules_forbid(const struct sink_rules *rules, uint8_t marks)
{
	const struct export_rules *r = &bgp_rules_of(rules)->peer;

	/* RFC 4271, 9.2: a route of an internal peer goes to no other internal peer */
	if ((marks & SEG_INTERNAL) && r->to_ibgp && !r->rr_client)
		return REASON_INTERNAL;
	if ((marks & SEG_LLGR_STALE) && r->no_stale)
		return REASON_LLGR_STALE;
	if (!r->interpret_communities)
		return REASON_NONE;
	if (marks & SEG_NO_ADVERTISE)
		return REASON_NO_ADVERTISE;
	if ((marks & SEG_NO_SUBCONFED) && !r->to_ibgp)
		return REASON_NO_EXPORT_SUBCONFED;
	if ((marks & SEG_NO_EXPORT) && !r->interior)
		return REASON_NO_EXPORT;
	return REASON_NONE;
}

static struct export_self
rules_self_hop_of(const struct bgp_class *cls, enum family fam, struct ip_addr peer)
{
	return (struct export_self){ .always = cls->next_hop == BGP_NH_SELF,
		.for_local = cls->next_hop == BGP_NH_KEEP_GLOBAL,
		.is_peer = !ip_is_none(peer) &&
			   (ip_equal(bgp_class_self_hop(cls, fam), peer) ||
			       ip_equal(cls->nh6_ll, peer)) };
}

static bool
rules_same_link(const struct export_rules *a, const struct export_rules *b)
{
	if (a->link_if != b->link_if || a->link_cnt != b->link_cnt)
		return false;
	for (unsigned i = 0; i < a->link_cnt; i++)
		if (!prefix_equal(&a->link[i], &b->link[i]))
			return false;
	return true;
}

/* rules_same_policy - the options of the rules that belong to the export policy. */
static bool
rules_same_policy(const struct export_rules *a, const struct export_rules *b)
{
	return a->interpret_communities == b->interpret_communities &&
	       a->only_ip6 == b->only_ip6 && hop_map_same(a->map, b->map) &&
	       ip_equal(a->peer_other, b->peer_other);
}

bool
export_rules_same(
    const struct export_rules *a, const struct export_rules *b, bool but_policy)
{
	return ip_equal(a->peer_addr, b->peer_addr) && a->to_ibgp == b->to_ibgp &&
	       a->interior == b->interior && a->rr_client == b->rr_client &&
	       a->no_stale == b->no_stale && a->only_ip4 == b->only_ip4 &&
	       a->aigp == b->aigp && a->keep_otc == b->keep_otc &&
	       a->self_hop == b->self_hop && rules_same_link(a, b) &&
	       (but_policy || rules_same_policy(a, b));
}

void
bgp_rules_init(struct bgp_rules *r, const struct export_rules *peer, enum family fam,
    const struct bgp_class *cls, const struct bgp_class *cls_ibgp, bool others_differ)
{
	bool local = ip_is_link_local(peer->peer_addr);

	*r = (struct bgp_rules){ .peer = *peer };
	r->hop_key = r->other_key = bgp_hop_key(peer->peer_addr);
	if (!ip_is_none(peer->peer_other))
		r->other_key = bgp_hop_key(peer->peer_other);
	r->fam = fam;
	r->look[0] = r->look[2] = *cls;
	r->look[1] = *cls_ibgp;
	r->self[0] = rules_self_hop_of(cls, fam, peer->peer_addr);
	r->self[1] = rules_self_hop_of(cls_ibgp, fam, peer->peer_addr);
	r->keyless = local || r->self[0].is_peer || r->self[1].is_peer;
	r->base.by_source = peer->to_ibgp || others_differ || peer->self_hop ||
			    peer->aigp == BGP_AIGP_ORIGINATE;
	if (peer->aigp == BGP_AIGP_ORIGINATE)
		return; /* a set without AIGP may get one */
	/* The peer shares a class with peers that get IPv4 next hops. No class of a peer
	 * without RFC 8950 has a message with an IPv6 next hop, so a map changes nothing
	 * in a message for such a class. */
	if (peer->only_ip6)
		return;
	if (!peer->keep_otc && !(peer->self_hop && peer->link_if) && !r->self[0].is_peer)
		r->base.uniform = local ? SEG_UNIFORM | SEG_LOCAL_HOP : SEG_UNIFORM;
}

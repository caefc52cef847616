/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a set sent to a peer, and how does it look then?
 *
 * First what belongs to the peer and is never remembered: its own route, a next hop that
 * is the peer itself, reflection, well-known communities. Then the export filter, once
 * for all nets of a segment unless it may read the prefix; its answer is left in the
 * segment for channels with the same filter. Last what looks at the filter's result: next
 * hops, OTC. */
#include "nest/channel/channel_priv.h"

#include "filter/run/custom.h"
#include "nest/channel/export_memo.h"

#include <errno.h>

bool
export_rules_allow(const struct export_view *v, const struct attr_set *set,
    const struct route_source *src)
{
	return (!src || src->id != v->src) &&
	       !ip_equal(wire_next_hop(set->wire), v->rules.peer_addr) &&
	       export_marks_allow(v, segment_marks(set, src));
}

/* segment_allowed - the same for all of a segment. */
static bool
segment_allowed(const struct export_view *v, const struct segment *seg)
{
	return seg->src != v->src && !export_own_hop(v, seg) &&
	       export_marks_allow(v, seg->marks);
}

/* keep_leak - RFC 9234, 5: OTC says that this peer must not have it. */
static bool
keep_leak(const struct export_view *v, const struct export_answer *a)
{
	return v->rules.keep_otc && a->verdict == EXPORT_ACCEPT &&
	       (a->set->wire->has & WIRE_HAS_OTC);
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

/* wants_gateway - may there be a gateway in place of the BGP next hop? */
static inline bool
wants_gateway(const struct export_answer *a)
{
	return a->verdict == EXPORT_ACCEPT && !a->set->wire->off[SLOT_NEXT_HOP] &&
	       a->set->local.custom_words;
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
use_gateway(struct channel *ch, const struct export_view *v, struct export_answer *a)
{
	struct attr_edit e;
	struct ip_addr gw;
	struct attr_set *set;
	uint8_t buf[16];

	if (!gateway_of(a->set, &gw) || (!v->rules.to_ibgp && !on_link(&v->rules, gw)))
		return false;
	if (ip_equal(gw, v->rules.peer_addr)) {
		a->verdict = EXPORT_REJECT;
		return false;
	}
	attr_edit_init(&e, &ch->arena, a->set);
	if (ip_is_v4(gw))
		put_be32(buf, ip_to_v4(gw));
	else
		ip_put16(buf, gw);
	if (attr_edit_set(&e, ATTR_NEXT_HOP, attr_flags(ATTR_NEXT_HOP), buf,
		ip_is_v4(gw) ? 4 : 16) ||
	    !(set = attr_store_edit(ch->table->store, &e))) {
		a->verdict = EXPORT_REJECT;
		return false;
	}
	export_answer_done(ch, a);
	a->set = set;
	a->owned = true;
	return true;
}

/* hop_stays - RFC 4271, 5.1.3: the peer usually gets our address; is this an exception? @before: the set that
 * the filter was given. A filter that assigned the next hop knows what it does. Else a
 * direct peer gets next hops that it reaches without us: of a session on its link, or the gateway. As BIRD. */
static bool
hop_stays(struct channel *ch, const struct export_view *v, const struct attr_set *before,
    const struct route_source *src, struct export_answer *a)
{
	const struct export_rules *r = &v->rules;
	struct ip_addr hop = wire_next_hop(a->set->wire), gw;

	if (!ip_is_none(hop)) {
		if (!ip_equal(hop, wire_next_hop(before->wire)))
			return true;
		if (r->link_if && src->link_if == r->link_if)
			return true;
	}
	if (!r->link_if)
		return false;
	if (gateway_of(a->set, &gw))
		return use_gateway(ch, v, a);
	/* it would have to be looked up, but on a link a next hop is its own gateway */
	return src->is_bgp && !src->link_if && !ip_is_none(hop) && on_link(r, hop);
}

/* settle_hop - what goes out for a next hop, after the filter. */
static inline void
settle_hop(struct channel *ch, const struct export_view *v, const struct attr_set *before,
    const struct route_source *src, struct export_answer *a)
{
	uint8_t kind = !src->is_bgp   ? HOP_OURS
		       : src->is_ebgp ? HOP_EXTERNAL
				      : HOP_INTERNAL;

	if (a->verdict != EXPORT_ACCEPT)
		return;
	if (v->rules.own_hop & kind)
		a->hop_stays = hop_stays(ch, v, before, src, a);
	else if (wants_gateway(a))
		use_gateway(ch, v, a);
}

/* run_filter - @out: as in the answer. Returns: what the run read. */
static uint32_t
run_filter(const struct filter *f, struct filter_thread *ft, struct table *t,
    struct arena *a, const struct route_view *rv, struct export_answer *out)
{
	struct attr_edit e;
	uint32_t reads = 0;

	attr_edit_init(&e, a, rv->set);
	out->verdict = filter_run(f, ft, &channel_filter_env, rv, &e, &reads) ==
			       FILTER_ACCEPT
			   ? EXPORT_ACCEPT
			   : EXPORT_REJECT;
	out->set = (struct attr_set *)(uintptr_t)rv->set;
	out->owned = false;
	if (out->verdict == EXPORT_ACCEPT && attr_edit_changed(&e)) {
		out->set = attr_store_edit(t->store, &e);
		out->owned = out->set != NULL;
		if (!out->set)
			out->verdict = EXPORT_REJECT;
	}
	return reads;
}

static bool
recall(const struct segment *seg, const struct filter *f, struct export_answer *a)
{
	const struct export_memo *m = export_memo_find(seg, f);

	if (!m)
		return false;
	a->verdict = m->verdict == FILTER_ACCEPT ? EXPORT_ACCEPT : EXPORT_REJECT;
	if (m->set)
		a->set = m->set;
	return true;
}

/* ask - the filter of @v about all nets of @seg, and leave its answer in the segment: but not
 * if another table has been read, which may say something else by the time that it is found. */
static void
ask(struct channel *ch, const struct export_view *v, struct segment *seg,
    struct route_view *rv, struct export_answer *a)
{
	uint32_t reads;

	prefix_get(&rv->net, segment_nlri(seg),
	    ch->fam); /* a run-time error is told of the first */
	reads = run_filter(
	    v->filter, channel_filter_thread(ch), ch->table, &ch->arena, rv, a);

	if (!(reads & (FILTER_READ_TABLE | FILTER_READ_VOLATILE)))
		export_memo_put(ch->table->store, seg, v->filter, v->conf,
		    a->verdict == EXPORT_ACCEPT ? FILTER_ACCEPT : FILTER_REJECT,
		    a->verdict == EXPORT_ACCEPT ? a->set : NULL);
}

/* ask_filter - what the rules have let through. */
static void
ask_filter(struct channel *ch, struct segment *seg, const struct prefix *net,
    struct export_answer *a)
{
	const struct export_view *v = ch->view;
	const struct filter *f = v->filter;
	struct route_view rv = { .set = seg->set };

	if (!net && (filter_may_read(f) & FILTER_READ_NET)) {
		a->verdict = EXPORT_PER_NET;
		return;
	}
	if (!net && recall(seg, f, a))
		return;
	rv.src = &seg->facts->src;
	if (!net) {
		ask(ch, v, seg, &rv, a);
		return;
	}
	rv.net = *net;
	run_filter(f, channel_filter_thread(ch), ch->table, &ch->arena, &rv, a);
}

void
export_decide(struct channel *ch, struct segment *seg, const struct prefix *net,
    struct export_answer *a)
{
	enum filter_verdict fixed;

	counter64_bump(&ch->stats.decisions, 1);
	a->verdict = EXPORT_REJECT;
	a->set = seg->set;
	a->owned = false;
	a->hop_stays = false;
	a->ruled = !segment_allowed(ch->view, seg);
	if (a->ruled)
		return;
	if (filter_is_const(ch->view->filter, &fixed))
		a->verdict = fixed == FILTER_ACCEPT ? EXPORT_ACCEPT : EXPORT_REJECT;
	else
		ask_filter(ch, seg, net, a);
	if (unlikely(ch->view->rules.own_hop || wants_gateway(a)))
		settle_hop(ch, ch->view, seg->set, &seg->facts->src, a);
	if (keep_leak(ch->view, a))
		a->verdict = EXPORT_REJECT;
}

/* look - the answer of view @v about @net, or, if that is NULL, about all nets of @seg. */
static void
look(struct channel *ch, const struct export_view *v, struct segment *seg,
    const struct prefix *net, struct export_answer *a)
{
	struct route_view rv = { .set = seg->set, .src = &seg->facts->src };
	enum filter_verdict fixed;

	*a = (struct export_answer){ .verdict = EXPORT_REJECT, .set = seg->set };
	if (!segment_allowed(v, seg))
		return;
	if (filter_is_const(v->filter, &fixed)) {
		a->verdict = fixed == FILTER_ACCEPT ? EXPORT_ACCEPT : EXPORT_REJECT;
	} else if (net) {
		rv.net = *net;
		run_filter(
		    v->filter, channel_filter_thread(ch), ch->table, &ch->arena, &rv, a);
	} else if (!recall(seg, v->filter, a)) {
		ask(ch, v, seg, &rv, a);
	}
	settle_hop(ch, v, seg->set, rv.src, a);
	if (keep_leak(v, a))
		a->verdict = EXPORT_REJECT;
}

bool
export_same(struct channel *ch, const struct export_view *old, struct segment *seg,
    const struct prefix *net)
{
	struct export_answer a, b;
	bool same;

	look(ch, old, seg, net, &a);
	look(ch, ch->view, seg, net, &b);
	same = a.verdict == b.verdict &&
	       (a.verdict != EXPORT_ACCEPT ||
		   (a.set->wire == b.set->wire && a.hop_stays == b.hop_stays));
	export_answer_done(ch, &a);
	export_answer_done(ch, &b);
	return same;
}

int
channel_would_export(const struct channel *ch, struct filter_thread *ft, struct arena *ar,
    const struct route_view *r, struct attr_set **out)
{
	const struct export_view *v = load_acquire_ptr(&ch->view_pub); /* pairs: CVIEW */
	struct export_answer a = { .verdict = EXPORT_REJECT,
		.set = (struct attr_set *)(uintptr_t)r->set };
	enum filter_verdict fixed;

	if (!v)
		return -ENOTCONN;
	if (!export_rules_allow(v, r->set, r->src))
		return 0;
	if (filter_is_const(v->filter, &fixed))
		a.verdict = fixed == FILTER_ACCEPT ? EXPORT_ACCEPT : EXPORT_REJECT;
	else
		run_filter(v->filter, ft, ch->table, ar, r, &a);
	if (a.verdict == EXPORT_ACCEPT && keep_leak(v, &a)) {
		if (a.owned)
			attr_set_unref(ch->table->store, a.set, 1);
		return 0;
	}
	if (a.verdict != EXPORT_ACCEPT)
		return 0;
	*out = a.set;
	if (!a.owned && !attr_set_ref_live(a.set))
		return 0; /* replaced while we looked: its successor is in another state
			   */
	return 1;
}

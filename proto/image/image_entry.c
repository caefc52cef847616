/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of a route in an image.
 *
 * - The next hop is the first next hop that the kernel would use
 *   (nest/rib/index/route_hops.h), with its interface. A unicast route without a usable
 *   next hop, and a route of kind unreachable or prohibit, is rejected. A blackhole is
 *   dropped.
 * - `resolve no` gives the next hop of the attributes, without an interface, even if the
 *   session found no way to the next hop; routes without such a next hop keep their own.
 * - The origin AS is the last AS of the path, 0 for a path that ends in an AS set.
 * - The peer AS is the AS of the BGP session; for routes of other protocols the first AS
 *   of the path.
 * - The RPKI state is that of roa_check; a route without a path has no state.
 *
 * Loop: the instance's. Tested by test/unit/test_image.c, test/net/test_image.py. */
#include "proto/image/image_priv.h"

#include "filter/run/hop.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/route.h"
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_format.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/roa.h"
#include "nest/channel/channel.h"
#include "nest/core/tern.h"
#include "nest/rib/index/route_hops.h"
#include "nest/rib/index/rpki_index.h"
#include "proto/image/image_conf.h"
#include "sysdep/iface/iface.h"

/* entry_put_received - the next hop as received; a session that resolves next hops may
 * have found no way to the next hop. Returns: false: no next hop counts. */
static bool
entry_put_received(struct fib_entry *e, const struct attr_set *set, bool next_hop)
{
	struct ip_addr a = wire_next_hop(set->wire);
	struct hop h;
	bool lost = set->local.rts == RTS_BGP && set->local.dest == DEST_UNREACHABLE;

	if (set->local.dest != DEST_UNICAST && !(lost && !ip_is_none(a)))
		return false;
	e->hop_kind = FIB_HOP_IP;
	if (!next_hop)
		return true;
	e->next_hop = a;
	if (ip_is_none(a) && hop_of(set, 0, &h)) {
		e->next_hop = h.gw;
		e->ifindex = h.ifindex;
		e->hop_kind = ip_is_none(h.gw) ? FIB_HOP_LINK : FIB_HOP_IP;
	}
	return true;
}

/* entry_put_way - the next hop that the kernel would use. */
static void
entry_put_way(struct image_proto *s, struct fib_entry *e, const struct image_route *r,
    bool *resolved)
{
	const struct hops_place at = { iface_list_get(&s->p.tern->ifaces),
		channel_from(s->ch) };
	const struct route_source src = { .link_if = r->link_if };
	struct hop *hop = arena_alloc(&s->arena, HOPS_MAX * sizeof(*hop));

	if (!route_hops_find(hop, &at, r->set, &src, resolved)) {
		e->hop_kind = FIB_HOP_REJECT;
		return;
	}
	e->hop_kind = FIB_HOP_IP;
	if (!image_conf_of(s)->next_hop)
		return;
	if (ip_is_none(hop->gw))
		e->hop_kind = FIB_HOP_LINK;
	e->next_hop = hop->gw;
	e->ifindex = hop->ifindex;
}

static void
entry_put_hop(struct image_proto *s, struct fib_entry *e, const struct image_route *r,
    bool *resolved)
{
	const struct image_conf *conf = image_conf_of(s);

	if (!conf->resolve && entry_put_received(e, r->set, conf->next_hop))
		return;
	if (r->set->local.dest == DEST_UNICAST)
		entry_put_way(s, e, r, resolved);
	else
		e->hop_kind = r->set->local.dest == DEST_BLACKHOLE ? FIB_HOP_DROP
								   : FIB_HOP_REJECT;
}

/* entry_words - the communities of attribute @code as words in host order. Returns:
 * number of words. */
static uint32_t
entry_words(struct image_proto *s, const struct wire_set *w, enum attr_slot slot,
    uint8_t code, const uint32_t **to)
{
	struct attr_item it;
	uint32_t *word, cnt;

	if (!wire_slot(w, slot, code, &it))
		return 0;
	cnt = it.len / sizeof(*word);
	word = arena_alloc(&s->arena, (cnt + 1) * sizeof(*word));
	for (uint32_t i = 0; i < cnt; i++)
		word[i] = get_be32(it.val + 4 * i);
	*to = word;
	return cnt;
}

void
image_entry_of(struct image_proto *s, struct fib_entry *e, const struct image_route *r,
    enum fib_rpki state, bool *resolved)
{
	const struct wire_set *w = r->set->wire;
	uint32_t fields = image_conf_of(s)->fields;

	*e = (struct fib_entry){ .rpki = state };
	*resolved = false;
	entry_put_hop(s, e, r, resolved);
	if (fields & FIB_WITH_ORIGIN)
		e->origin_as = wire_path_last(w);
	if (fields & FIB_WITH_PEER)
		e->peer_as = r->peer_as ? r->peer_as : w->path_first;
	if (!(fields & FIB_WITH_COMMUNITIES))
		return;
	e->community_cnt = (uint16_t)entry_words(
	    s, w, SLOT_COMMUNITY, ATTR_COMMUNITY, &e->community);
	e->large_cnt = (uint16_t)(entry_words(s, w, SLOT_LARGE_COMMUNITY,
				      ATTR_LARGE_COMMUNITY, &e->large) /
				  3);
}

enum fib_rpki
image_entry_judge(
    const struct image_proto *s, const struct image_route *r, const struct prefix *p)
{
	const struct rpki_index *roa = s->look.roa;

	if (!roa || !r->set->wire->off[SLOT_AS_PATH])
		return FIB_RPKI_NONE;
	switch (roa_map_check(rpki_index_map(roa), p, wire_path_last(r->set->wire))) {
	case ROA_VALID:
		return FIB_RPKI_VALID;
	case ROA_INVALID:
		return FIB_RPKI_INVALID;
	default:
		return FIB_RPKI_UNKNOWN;
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way of a member's routes into the table: checks, attributes that the session adds,
 * import filter.
 *
 * The checks follow RFC 4271 (6.3, 9.1.2), RFC 4456 (8), RFC 7606, RFC 9234 (5), RFC 9774
 * and doc/reasons.md. */
#include "test/sim/oracle/oracle_model.h"

#include "lib/attr/as_path.h"
#include "lib/attr/attr_edit.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "test/sim/codec.h"
#include "test/sim/sim.h"

#include <string.h>

#define PAST_S 10 /* beyond the time of stale routes */

/* The route of a member, as it passes. */
struct oracle_way_in {
	struct oracle *o;
	const struct oracle_session *s;
	const struct conf_channel *ch;
	const struct bgp_conf *b;
	struct attr_edit e;
};

/* oracle_import_read - the attributes as the member sends them. Returns: false: too
 * many. */
static bool
oracle_import_read(struct oracle_way_in *in, const struct rib_route *r)
{
	uint8_t octets[CODEC_USUAL_MAX];
	const uint8_t *p = octets,
		      *end = octets +
			     codec_route(in->s->member, r->attrs, r->key.v6, octets),
		      *value;
	uint32_t len;
	int err = 0;

	attr_edit_init(&in->e, &in->o->arena, in->o->empty);
	for (; p < end && !err; p = value + len) {
		uint8_t flags = p[0] & (uint8_t)~ATTR_F_EXTLEN, code = p[1];

		len = p[0] & ATTR_F_EXTLEN ? codec_get16(p + 2) : p[2];
		value = p + (p[0] & ATTR_F_EXTLEN ? 4 : 3);
		if (code == ATTR_MP_REACH) /* AFI, SAFI, length, next hop */
			err = attr_edit_set(&in->e, ATTR_NEXT_HOP, ATTR_F_TRANSITIVE,
			    value + 4, value[3]);
		else
			err = attr_edit_set(&in->e, code, flags, value, len);
	}
	return !err;
}

/* oracle_import_loop - RFC 4271, 9.1.2: the own AS in the path. */
static enum reason
oracle_import_path(const struct oracle_way_in *in)
{
	struct attr_item it;

	if (!attr_edit_get(&in->e, ATTR_AS_PATH, &it))
		return REASON_NONE;
	if (as_path_count(it.val, it.len, in->b->id.local_as) >
	    in->b->policy.allow_local_as)
		return REASON_OWN_AS;
	if (in->b->policy.confederation &&
	    as_path_count(it.val, it.len, in->b->policy.confederation) >
		in->b->policy.allow_local_as)
		return REASON_OWN_CONFEDERATION;
	if (in->b->id.ebgp && bgp_conf_interior(in->b) &&
	    (!it.len || it.val[0] != AS_CONFED_SEQUENCE))
		return REASON_NO_CONFED_SEQUENCE;
	if (in->b->policy.enforce_first_as && in->b->id.ebgp &&
	    as_path_first(it.val, it.len) != in->s->member->as)
		return REASON_FIRST_AS;
	if (!in->b->policy.allow_as_sets && as_path_has_set(it.val, it.len))
		return REASON_AS_SET;
	return REASON_NONE;
}

static bool
oracle_import_is_ours(struct ip_addr a)
{
	char text[IP_STR_MAX];

	return link_has(0, ip_str(text, a));
}

static bool
oracle_import_on_link(const struct oracle_session *s, struct ip_addr a)
{
	for (unsigned i = 0; i < s->subnet_cnt; i++)
		if (prefix_has_ip(&s->subnet[i], a))
			return true;
	return !s->subnet_cnt;
}

/* oracle_import_hop - *@far: the next hop is no neighbor. */
static enum reason
oracle_import_hop(const struct oracle_way_in *in, bool *far)
{
	const struct bgp_channel_conf *cc = bgp_channel_conf_of(in->ch);
	struct attr_item it;
	struct ip_addr a;

	*far = in->b->tcp.multihop;
	if (!attr_edit_get(&in->e, ATTR_NEXT_HOP, &it))
		return REASON_MALFORMED;
	a = it.len == 4 ? ip4(get_be32(it.val)) : ip_get16(it.val);
	*far |= cc->gateway_recursive && !oracle_import_on_link(in->s, a);
	if (!ip_is_host(a))
		return REASON_BAD_NEXT_HOP;
	if (oracle_import_is_ours(a))
		return REASON_OWN_NEXT_HOP;
	if (*far ? ip_is_link_local(a) : !oracle_import_on_link(in->s, a))
		return REASON_FAR_NEXT_HOP;
	return REASON_NONE;
}

/* oracle_import_otc - RFC 9234, 5: a leak. */
static enum reason
oracle_import_otc(const struct oracle_way_in *in)
{
	struct attr_item it;

	if (!attr_edit_get(&in->e, ATTR_OTC, &it))
		return REASON_NONE;
	switch (in->b->policy.role) {
	case BGP_ROLE_PROVIDER:
	case BGP_ROLE_RS_SERVER:
		return REASON_OTC_DOWNSTREAM;
	case BGP_ROLE_PEER:
		return get_be32(it.val) == in->s->member->as ? REASON_NONE
							     : REASON_OTC_MISMATCH;
	default:
		return REASON_NONE;
	}
}

/* oracle_import_complete - LOCAL_PREF: none from other ASes, but a default (RFC 4271,
 * 5.1.5); OTC of a provider, a peer or a route server (RFC 9234, 5). */
static int
oracle_import_complete(struct oracle_way_in *in)
{
	uint8_t role = in->b->policy.role;
	struct attr_item it;
	int err = 0;

	if (!bgp_conf_interior(in->b) && !in->b->policy.allow_local_pref)
		err = attr_edit_unset(&in->e, ATTR_LOCAL_PREF);
	if (!err && !attr_edit_get(&in->e, ATTR_LOCAL_PREF, &it))
		err = attr_edit_set_u32(
		    &in->e, ATTR_LOCAL_PREF, in->b->decision.default_local_pref);
	if (!err && !attr_edit_get(&in->e, ATTR_OTC, &it) &&
	    (role == BGP_ROLE_CUSTOMER || role == BGP_ROLE_PEER ||
		role == BGP_ROLE_RS_CLIENT))
		err = attr_edit_set_u32(&in->e, ATTR_OTC, in->s->member->as);
	return err;
}

/* oracle_import_route - a route for the table. Refused routes come along with their
 * reason. */
static struct oracle_route
oracle_import_route(struct oracle_way_in *in, const struct rib_route *r)
{
	struct oracle_route out = { .net = oracle_prefix(&r->key),
		.id = r->key.id,
		.source = &in->s->source,
		.by = in->s->proto,
		.doubt = in->s->doubt,
		.way_cnt = 1,
		.way = { oracle_table_of(in->o, in->ch->table) } };
	const struct bgp_channel_conf *cc = bgp_channel_conf_of(in->ch);
	bool far = false;

	if (!in->s->member->sends_id[r->key.v6])
		out.id = 0;
	if (!oracle_import_read(in, r)) {
		out.refused = REASON_NO_ROOM;
		return out;
	}
	if (prefix_is_bogus(&out.net))
		out.refused = REASON_BOGUS_NETWORK;
	if (!out.refused)
		out.refused = oracle_import_path(in);
	if (!out.refused)
		out.refused = oracle_import_hop(in, &far);
	if (!out.refused)
		out.refused = oracle_import_otc(in);
	if (far && bgp_conf_looks_up(in->ch))
		out.doubt = DOUBT_RECURSIVE;
	if (in->b->decision.prefer_older)
		out.doubt = DOUBT_OLDER;
	if (out.refused || oracle_import_complete(in))
		return out;
	in->e.local = (struct attr_local){ .preference = in->ch->preference,
		.igp_metric = far ? UINT32_MAX : cc->cost,
		.dest = far ? DEST_UNREACHABLE : DEST_UNICAST,
		.rts = RTS_BGP };
	out.set = oracle_set(in->o, &in->e);
	if (!out.set || !oracle_filter(in->o, in->ch->import, &out.net, &in->s->source,
			    &out.set, &out.doubt))
		out.refused = REASON_IMPORT_FILTER;
	return out;
}

static void
oracle_import_channel(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, const struct rib *told, enum oracle_doubt doubt)
{
	struct oracle_way_in in = { o, s, ch, bgp_conf_of(s->proto), { 0 } };
	struct oracle_table *t = oracle_table_of(o, ch->table);
	const struct rib_route *r;
	unsigned from = t->cnt;
	struct oracle_route out;
	uint32_t at = 0;

	while ((r = rib_next(told, &at))) {
		if (r->key.v6 != (ch->family == FAM_IP6))
			continue;
		out = oracle_import_route(&in, r);
		if (doubt)
			out.doubt = doubt;
		oracle_add(t, &out);
	}
	oracle_limits(o, s, ch, t, from);
}

/* oracle_import_is_past - the time of the stale routes of a member without a session is
 * over: the restart time, the long-lived stale time, and the hold time, in which the
 * daemon notices the loss. */
static bool
oracle_import_is_past(const struct member *m)
{
	uint64_t s = MEMBER_RESTART_S + m->long_lived_s + m->hold_s + PAST_S;

	return sim_now() > m->down_ns + s * SIM_S;
}

void
oracle_import(struct oracle *o)
{
	for (unsigned i = 0; i < o->session_cnt; i++) {
		const struct oracle_session *s = &o->session[i];

		for (const struct conf_channel *ch = s->proto ? s->proto->chan : NULL; ch;
		     ch = ch->next) {
			if (ch->family == FAM_IP6 && !s->member->ipv6)
				continue;
			if (s->member->up)
				oracle_import_channel(
				    o, s, ch, &s->member->told, DOUBT_NONE);
			else if (!oracle_import_is_past(s->member))
				oracle_import_channel(
				    o, s, ch, &s->member->kept, DOUBT_STALE);
		}
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between the channels of a session and the session's send queue.
 *
 * I1  The channels of an established session share one queue, in the order of their
 *     calls.
 * I2  Nothing here takes a channel down (bgp_session.c, I3).
 * I3  When configuration or link has changed, the sink gets all its parameters again:
 *     bgp_chan_up and bgp_chan_class call the same functions. Properties of the origin
 *     (bgp_chan_source_of) change only with the session, because each of their options
 *     restarts the session.
 *
 * Loop: the session's. Tested by test/unit/test_bgp_session.c and
 * test/net/test_facts.py. */
#include "lib/attr/route.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_refresh.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/conf/hop_map.h"
#include "proto/bgp/in/bgp_link.h"
#include "proto/bgp/out/bgp_rules.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/bgp_tx.h"
#include "proto/bgp/out/session_class.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_nego.h"
#include "proto/bgp/session/bgp_restart.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

/* Delays before a ring's memory is freed: without input; after a session went down (an
 * idle table has emptied the ring by then); and after an unsuccessful attempt. The first
 * delay ends at multiples of itself, so one round serves all sessions of a loop. A
 * session that only sends holds no memory after the feed and is not woken. */
#define IDLE_NS (2 * NS_PER_S)
#define DOWN_NS (3 * NS_PER_MS)
#define LATE_NS (200 * NS_PER_MS)

static struct bgp_session *
bgp_chan_session_of(struct channel *ch)
{
	return container_of(channel_proto(ch), struct bgp_session, p);
}

static struct bgp_conn *
bgp_chan_conn_of(struct bgp_sink *k)
{
	return bgp_chan_session_of(k->sink.ch)->est;
}

static size_t
bgp_chan_room(struct bgp_sink *k)
{
	struct bgp_conn *c = bgp_chan_conn_of(k);

	return c ? bgp_tx_room(&c->tx) : 0;
}

static void
bgp_chan_put(struct bgp_sink *k, const struct msg_piece *m)
{
	struct bgp_conn *c = bgp_chan_conn_of(k);

	if (!c)
		return;
	bgp_tx_put(&c->tx, m->data, m->len, m->block);
	mon_out(c, m->data, m->len);
}

static void
bgp_chan_flush(struct bgp_sink *k)
{
	struct bgp_conn *c = bgp_chan_conn_of(k);

	if (c)
		conn_flush(c);
}

static void
bgp_chan_done(struct bgp_sink *k)
{
	struct channel *ch = k->sink.ch;
	struct bgp_session *s = bgp_chan_session_of(ch);
	uint8_t buf[BGP_EOR_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	if (!s->est)
		return;
	if (refreshes_synced(s, channel_family(ch))) {
		bgp_eor_put(&w, channel_family(ch));
		if (session_traces(s, DEBUG_PACKETS))
			proto_log(&s->p, LOG_C_TRACE, "Sending END-OF-RIB");
		bgp_conn_send(s->est, buf, (uint32_t)wbuf_len(&w));
		mon_out(s->est, buf, (uint32_t)wbuf_len(&w));
	}
	refreshes_next(s, channel_family(ch));
}

const struct bgp_out bgp_session_out = {
	.room = bgp_chan_room,
	.put = bgp_chan_put,
	.flush = bgp_chan_flush,
	.end_of_rib = bgp_chan_done,
};

static void
bgp_chan_import_ready(struct channel *ch)
{
	struct bgp_session *s = bgp_chan_session_of(ch);

	s->rx.resume = true;
	session_soon(s);
}

static void
bgp_chan_brought(struct channel *ch)
{
	bgp_chan_active(bgp_chan_session_of(ch));
}

/* bgp_chan_limit - RFC 4486, 4: a peer that sends too many routes receives the limit. An
 * export limit is not the peer's fault. */
static void
bgp_chan_limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	static const char *const kind[] = { [LIMIT_IMPORT] = "import",
		[LIMIT_RECEIVE] = "receive",
		[LIMIT_EXPORT] = "export" };
	struct bgp_session *s = bgp_chan_session_of(ch);

	if (a != LIMIT_RESTART && a != LIMIT_DISABLE)
		return;
	if (s->settle.stop_disable && a != LIMIT_DISABLE) /* the stronger word stays */
		return;
	s->settle.stop_limit = true;
	snprintf(s->last.limit, sizeof(s->last.limit), "%s limit %u of %s", kind[k], max,
	    channel_name(ch));
	s->settle.stop_disable |= a == LIMIT_DISABLE;
	if (k == LIMIT_EXPORT) {
		s->settle.stop_code = a == LIMIT_DISABLE ? BGP_EC_ADMIN_SHUTDOWN
							 : BGP_EC_ADMIN_RESET;
		s->settle.stop_len = 0;
	} else {
		s->settle.stop_code = BGP_EC_PREFIX_LIMIT;
		s->settle.stop_len = bgp_limit_put(
		    s->settle.stop_data, channel_family(ch), max);
	}
	session_soon(s);
}

static bool
bgp_chan_refresh(struct channel *ch)
{
	struct bgp_session *s = bgp_chan_session_of(ch);
	uint8_t buf[64];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	if (!s->est || !s->est->terms.refresh)
		return false;
	bgp_refresh_encode(&w, BGP_REFRESH_ASK, channel_family(ch));
	if (session_traces(s, DEBUG_PACKETS))
		proto_log(&s->p, LOG_C_TRACE, "Sending ROUTE-REFRESH");
	bgp_conn_send(s->est, buf, (uint32_t)wbuf_len(&w));
	return true;
}

static void
bgp_chan_withdraw_stale(struct channel *ch, const char *why)
{
	restart_withdraw(bgp_chan_session_of(ch), channel_family(ch), why);
}

static void
bgp_chan_slow(struct channel *ch)
{
	struct bgp_session *s = bgp_chan_session_of(ch);

	if (s->settle.stop_limit) /* it ends for that */
		return;
	s->settle.stop_code = BGP_EC_RESOURCES;
	s->settle.stop_len = 0;
	session_soon(s);
}

static void
bgp_chan_detached(struct channel *ch)
{
	struct bgp_session *s = bgp_chan_session_of(ch);

	s->admin.attached--;
	session_soon(s);
}

const struct channel_ops bgp_channel_ops = {
	.far = true,
	.import_ready = bgp_chan_import_ready,
	.brought = bgp_chan_brought,
	.limit = bgp_chan_limit,
	.refresh = bgp_chan_refresh,
	.withdraw_stale = bgp_chan_withdraw_stale,
	.slow = bgp_chan_slow,
	.detached = bgp_chan_detached,
};

/* chan_keeps_otc - RFC 9234, 5, on the way out, 2: such a route isn't for providers,
 * peers and route servers. */
static bool
chan_keeps_otc(const struct bgp_conf *cf)
{
	return cf->policy.role == BGP_ROLE_CUSTOMER || cf->policy.role == BGP_ROLE_PEER ||
	       cf->policy.role == BGP_ROLE_RS_CLIENT;
}

/* bgp_chan_class_of - the encoding of channel @f. If the session uses the other family,
 * the local address is an address of the same interface. RFC 2545, 3: if the local
 * address is the next hop on a common link, the link-local address follows, or stands
 * alone without a global address. */
static void
bgp_chan_class_of(const struct bgp_session *s, const struct bgp_conn *c, unsigned f,
    bool from_ibgp, struct bgp_class *out)
{
	const struct conf_channel *cc = channel_conf(s->chan[f]);
	bool configured = !ip_is_none(bgp_channel_conf_of(cc)->next_hop_address);

	bgp_nego_class(s->p.cf, cc, &c->terms, c->local_ip, from_ibgp, out);
	if (!configured && f == FAM_IP6 && ip_is_none(out->nh6) &&
	    ip_is_none(out->nh6_ll))
		out->nh6 = c->other_local;
	if (!configured && f == FAM_IP4 && ip_is_none(out->nh4) && !out->mp4)
		out->nh4 = c->other_local;
	if (c->link.ifindex && ip_is_none(out->nh6_ll) &&
	    (!ip_is_none(out->nh6) || (!configured && f == FAM_IP6)))
		out->nh6_ll = c->link.ll;
}

/* chan_set_others - routes from internal peers may have another encoding: next hop and,
 * to an internal peer, ORIGINATOR_ID and CLUSTER_LIST (RFC 4456, 8). Routes whose next
 * hop stays have another encoding as well. */
static void
chan_set_others(struct bgp_session *s, const struct bgp_conn *c, unsigned f)
{
	const struct bgp_conf *cf = session_conf(s);
	uint8_t self_hop = bgp_nego_self_hop(s->p.cf, channel_conf(s->chan[f]));
	struct bgp_class cls;

	bgp_chan_class_of(s, c, f, true, &cls);
	if (!cf->id.ebgp)
		cls.cluster_id = cf->policy.rr_cluster_id ? cf->policy.rr_cluster_id
							  : c->ours.router_id;
	bgp_sink_set_class_ibgp(&s->sink[f], &cls, !cf->id.ebgp);
	bgp_nego_class_hop(s->p.cf, &cls);
	bgp_sink_set_class_hop(&s->sink[f], self_hop ? &cls : NULL, self_hop);
}

static struct bgp_link_query
chan_link_query(const struct bgp_session *s, const struct bgp_conn *c)
{
	const struct bgp_conf *cf = session_conf(s);
	const struct iface_list *l = iface_list_get(&s->p.tern->ifaces);
	const struct iface *i = cf->id.vrf && !cf->id.iface
				    ? bgp_link_vrf(l, cf->id.vrf, cf->id.remote_ip)
				    : NULL;

	return (struct bgp_link_query){ .ifaces = l,
		.name = i ? i->name : cf->id.iface,
		.local = c->local_ip,
		.onlink = cf->tcp.onlink };
}

/* chan_find_link - the present link of a session that is up: the families of which next
 * hops of the session can be. */
static void
chan_find_link(const struct bgp_session *s, const struct bgp_conn *c, struct bgp_link *l)
{
	struct bgp_link_query q = chan_link_query(s, c);
	const struct bgp_params *p = &c->terms.params;
	struct ip_addr remote = session_conf(s)->id.remote_ip;
	bool v4 = ip_is_v4(remote);

	bgp_link_find(l, &q, remote);
	bgp_link_keep(l, v4 || (p->fam & FAM_BIT(FAM_IP4)),
	    !v4 || (p->fam & FAM_BIT(FAM_IP6)) || p->ext_next_hop);
}

/* bgp_chan_find_other_local - find the local address of the other family, if the session
 * has routes of that family. */
static void
bgp_chan_find_other_local(struct bgp_session *s, struct bgp_conn *c)
{
	struct bgp_link_query q = chan_link_query(s, c);
	bool v4 = ip_is_v4(c->local_ip);
	enum family other = v4 ? FAM_IP6 : FAM_IP4;

	c->other_local = IP_NONE;
	if (s->chan[other] && (c->terms.params.fam & FAM_BIT(other)))
		c->other_local = bgp_link_local(&q, !v4);
}

static void
chan_trace_link(const struct bgp_session *s, const struct bgp_conn *c)
{
	const struct iface_list *l = iface_list_get(&s->p.tern->ifaces);
	const struct iface *i = c->link.ifindex ? iface_by_index(l, c->link.ifindex)
						: NULL;

	if (i)
		proto_log(&s->p, LOG_C_TRACE, "Neighbor is on interface %s", i->name);
	else
		proto_log(&s->p, LOG_C_TRACE, "Neighbor is on no interface's subnet");
}

/* chan_set_map - @cls: the encoding of IPv4 routes to the peer. */
static void
chan_set_map(struct export_rules *r, const struct hop_map *map, const struct bgp_conn *c,
    const struct bgp_class *cls)
{
	r->map = map;
	r->peer_other = hop_map_other(map, r->peer_addr);
	r->only_ip6 = cls->mp4 && !ip_is_v4(c->local_ip);
}

/* bgp_chan_rules_of - the rules that keep routes from the peer on channel @f with
 * encoding @cls: from the configuration, the negotiation, and the present link. */
static struct export_rules
bgp_chan_rules_of(const struct bgp_session *s, const struct bgp_conn *c, unsigned f,
    const struct bgp_class *cls)
{
	const struct bgp_conf *cf = session_conf(s);
	const struct conf_channel *cc = channel_conf(s->chan[f]);
	struct export_rules r = { .peer_addr = cf->id.remote_ip,
		.to_ibgp = !cf->id.ebgp,
		.interior = bgp_conf_interior(cf),
		.rr_client = cf->policy.rr_client,
		.interpret_communities = cf->policy.interpret_communities,
		.no_stale = !c->theirs.caps.llgr.on,
		.only_ip4 = f == FAM_IP4 && !cls->mp4,
		.aigp = bgp_channel_conf_of(cc)->aigp,
		.keep_otc = chan_keeps_otc(cf),
		.link_cnt = c->link.cnt,
		.self_hop = bgp_nego_self_hop(s->p.cf, cc),
		.link_if = c->link.ifindex };

	_Static_assert(
	    sizeof(r.link) == sizeof(c->link.subnet), "both links have one size");
	memcpy(r.link, c->link.subnet, sizeof(r.link));
	if (bgp_channel_conf_of(cc)->hop.map)
		chan_set_map(&r, bgp_channel_conf_of(cc)->hop.map, c, cls);
	return r;
}

static struct route_source
bgp_chan_source_of(const struct bgp_session *s, const struct bgp_conn *c)
{
	const struct bgp_conf *cf = session_conf(s);

	return (struct route_source){ .proto = s->p.name,
		.from = cf->id.remote_ip,
		.peer_as = c->terms.params.peer_as,
		.local_as = cf->id.local_as,
		.peer_router_id = c->terms.peer_router_id,
		.link_if = c->link.ifindex,
		.is_bgp = true,
		.is_ebgp = cf->id.ebgp,
		.in_confed = cf->id.ebgp && bgp_conf_interior(cf),
		.med_metric = cf->decision.med_metric,
		.no_path_metric = !cf->decision.path_metric,
		.no_igp_metric = !cf->decision.igp_metric,
		.prefer_older = cf->decision.prefer_older,
		.default_med = cf->decision.default_med,
		.rr_client = cf->policy.rr_client,
		.rs_client = cf->policy.rs_client };
}

/* bgp_chan_look_again - the peer's routes were checked against another link: request the
 * routes again. */
static void
bgp_chan_look_again(struct bgp_session *s)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f] && channel_is_up(s->chan[f]) &&
		    !channel_refresh_in(s->chan[f]))
			proto_log(&s->p, LOG_C_WARN,
			    "The addresses of the link have changed, but the peer can't "
			    "send its %s routes again",
			    channel_name(s->chan[f]));
}

void
bgp_chan_link(struct bgp_session *s, struct bgp_conn *c)
{
	struct bgp_link was = c->link, now;
	struct ip_addr before = c->other_local;

	chan_find_link(s, c, &now);
	if (c->link.ifindex && now.ifindex == c->link.ifindex)
		c->link = now;
	bgp_chan_find_other_local(s, c);
	if (bgp_link_same(&was, &c->link) && ip_equal(before, c->other_local))
		return;
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f])
			bgp_chan_class(s, (enum family)f);
	bgp_chan_look_again(s);
	session_publish(s);
}

void
bgp_chan_up(struct bgp_session *s, struct bgp_conn *c)
{
	const struct bgp_conf *cf = session_conf(s);
	struct export_rules rules;
	struct route_source src;
	struct bgp_class cls;

	refreshes_up(s);
	if (!cf->tcp.multihop)
		chan_find_link(s, c, &c->link);
	if (!cf->tcp.multihop && session_traces(s, DEBUG_INTERFACES))
		chan_trace_link(s, c);
	bgp_chan_find_other_local(s, c);
	counter64_set(&s->rx.as_sets, 0);
	src = bgp_chan_source_of(s, c);
	for (unsigned f = 0; f < FAM_CNT; f++) {
		if (!s->chan[f] || !(c->terms.params.fam & FAM_BIT(f)))
			continue;
		mon_channel_up(s, f);
		bgp_chan_class_of(s, c, f, false, &cls);
		rules = bgp_chan_rules_of(s, c, f, &cls);
		bgp_sink_up(&s->sink[f], &cls, &rules);
		chan_set_others(s, c, f);
		bgp_offer_like(s, f);
		channel_set_ids(
		    s->chan[f], c->terms.params.ids & FAM_BIT(f) ? NLRI_ID_LEN : 0);
		channel_up(s->chan[f], &src);
	}
}

void
bgp_chan_class(struct bgp_session *s, enum family f)
{
	struct export_rules rules;
	struct bgp_class cls;

	if (!s->est || !channel_is_up(s->chan[f]))
		return;
	bgp_chan_class_of(s, s->est, f, false, &cls);
	rules = bgp_chan_rules_of(s, s->est, f, &cls);
	bgp_sink_set_rules(&s->sink[f], &rules);
	bgp_sink_set_class(&s->sink[f], &cls);
	chan_set_others(s, s->est, f);
	bgp_offer_like(s, f);
}

void
bgp_chan_down(struct bgp_session *s, uint8_t keep)
{
	for (unsigned f = 0; f < FAM_CNT; f++) {
		if (!s->chan[f] || !channel_is_up(s->chan[f]))
			continue;
		if (keep & FAM_BIT(f))
			channel_away(s->chan[f]);
		else
			channel_down(s->chan[f]);
	}
	refreshes_down(s);
	s->rx.active_ns = loop_now_ns(&s->p.worker);
	timer_set(&s->rx.idle, s->rx.active_ns + DOWN_NS);
}

static void
chan_idle_later(struct bgp_session *s)
{
	timer_set(&s->rx.idle, (s->rx.active_ns / IDLE_NS + 2) * IDLE_NS);
}

void
bgp_chan_active(struct bgp_session *s)
{
	s->rx.active_ns = loop_now_ns(&s->p.worker);
	if (!timer_active(&s->rx.idle))
		chan_idle_later(s);
}

void
bgp_chan_idle_fires(struct timer *t)
{
	struct bgp_session *s = container_of(t, struct bgp_session, rx.idle);
	uint64_t now = loop_now_ns(&s->p.worker);

	if (s->est && now - s->rx.active_ns < IDLE_NS) {
		chan_idle_later(s);
		return;
	}
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f])
			channel_idle(s->chan[f]);
	if (now - s->rx.active_ns <
	    IDLE_NS) /* down: a busy table may still hold the ring */
		timer_set(t, now + LATE_NS);
}

void
bgp_chan_work_put(struct bgp_session *s)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f])
			channel_work_put(s->chan[f]);
}

bool
bgp_chan_ready(const struct bgp_session *s)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f] && channel_is_up(s->chan[f]) &&
		    !channel_import_ready(s->chan[f]))
			return false;
	return true;
}

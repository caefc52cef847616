/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From octets of a connection to messages, to events of the machine and changes of the
 * channels.
 *
 * I1  A message is handled whole. After a message that closes the connection, the
 *     remaining octets are not read.
 * I2  UPDATEs are handled only while all channels have room (bgp_chan_ready); other
 *     messages behind an UPDATE in the stream wait too.
 * I3  Withdrawals of an UPDATE are done before its announcements (RFC 4271, 4.3).
 * I4  An invalid route withdraws the earlier announcement, and is logged once a second at
 *     most.
 * I5  The KEEPALIVE that would establish a connection waits while the OPEN of a winning
 *     connection is due. Otherwise each side could drop the connection that the other
 *     side keeps: this side would drop the rival, because this connection is established;
 *     the peer, which gets the local OPEN on the rival, would drop this connection.
 *
 * Loop: the session's. Tested by test/fuzz/fuzz_session.c and
 * test/unit/test_bgp_session.c. */
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_refresh.h"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "lib/wire/bmp.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "proto/bgp/in/bgp_policy.h"
#include "proto/bgp/session/bgp_collide.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_nego.h"
#include "proto/bgp/session/bgp_restart.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include <stdio.h>

#define YIELD_NS NS_PER_S

/* Buffers of one call of rx_octets. */
struct scratch {
	uint8_t *blob, *full; /* canonical octets: of the codec; with what we add */
	size_t cap;
};

/* ---- OPEN ---- */

/* rx_error - note @err and make @err an event. */
static void
rx_error(struct bgp_conn *c, enum bgp_event e, const struct bgp_err *err)
{
	struct bgp_session *s = c->s;

	session_fault(s, err->code, err->subcode, err->data, err->data_len);
	s->cause.fault.text = err->text;
	session_event(c, e);
	s->cause.fault.text = NULL;
}

static void
bgp_rx_open(struct bgp_conn *c, const struct bgp_msg *msg)
{
	struct bgp_session *s = c->s;
	struct bgp_conn *other = &s->conn[!c->dir];
	struct bgp_speaker local = { c->ours.router_id, c->ours.as }, remote;
	struct bgp_err err;

	if (c->state != BGP_OPENSENT) {
		session_event(c, BGP_EV_OPEN);
		return;
	}
	err = bgp_open_decode(msg->body, msg->body_len, &c->theirs);
	if (!err.severity) {
		trace_open(c, "Got", &c->theirs);
		err = bgp_nego(s->p.cf, &c->ours, &c->theirs, c->with_caps, &c->terms);
	}
	if (err.severity) {
		rx_error(c, BGP_EV_OPEN_ERR, &err);
		return;
	}
	remote = (struct bgp_speaker){ c->theirs.router_id, c->theirs.as };
	switch (bgp_collide(c->dir == BGP_IN, other->state, local, remote)) {
	case BGP_COLLIDE_THIS:
		session_event(c, BGP_EV_COLLISION_DUMP);
		return;
	case BGP_COLLIDE_OTHER:
		session_event(other, BGP_EV_COLLISION_DUMP);
		break;
	case BGP_COLLIDE_NONE:
		break;
	}
	if (c->terms.params.ext_msg)
		c->msg_max = BGP_MSG_EXT_MAX;
	mon_open(c, msg);
	session_event(c, BGP_EV_OPEN);
}

/* ---- NOTIFICATION ---- */

/* rx_is_orderly - the peer ended in good order, or will be back at once: no reason to
 * wait.
 */
static bool
rx_is_orderly(const struct bgp_notify *n)
{
	if (n->code != BGP_E_CEASE)
		return false;
	return n->subcode == BGP_EC_ADMIN_SHUTDOWN || n->subcode == BGP_EC_DECONFIGURED ||
	       n->subcode == BGP_EC_ADMIN_RESET || n->subcode == BGP_EC_CONFIG_CHANGE ||
	       n->subcode == BGP_EC_COLLISION || n->subcode == BGP_EC_REJECTED;
}

/* rx_take_message - the shutdown communication (RFC 9003), as bgp_notify_text quotes it.
 */
static void
rx_take_message(struct bgp_session *s, const char *text)
{
	const char *from = strchr(text, '"'), *to = from ? strrchr(text, '"') : NULL;

	s->last.message[0] = 0;
	if (to && to > from + 1)
		snprintf(s->last.message, sizeof(s->last.message), "%.*s",
		    (int)(to - from - 1), from + 1);
}

static void
bgp_rx_notification(struct bgp_conn *c, const struct bgp_msg *msg)
{
	struct bgp_session *s = c->s;
	char text[BGP_NOTIFY_TEXT_MAX];
	struct bgp_notify n;
	uint32_t reasons;

	if (!bgp_notify_decode(msg->body, msg->body_len, &n))
		n = (struct bgp_notify){ 0 };
	bgp_notify_text(text, &n);
	session_log(s, LOG_C_REMOTE, "Received: %s", text);
	mon_last(c, BMP_DOWN_REMOTE_NOTIFICATION, msg->body - BGP_HDR_LEN, msg->len);
	reasons = n.code == BGP_E_CEASE && n.subcode < 32 ? 1u << n.subcode : 0;
	if (bgp_notify_unwrap(&n)) {
		s->restart.hard = s->est == c;
		reasons |= n.code == BGP_E_CEASE && n.subcode < 32 ? 1u << n.subcode : 0;
	}
	if (n.code == BGP_E_CEASE && n.subcode == BGP_EC_COLLISION) {
		s->cause.no_damp = true;
		session_event(c, BGP_EV_NOTIFY);
		s->cause.no_damp = false;
		return;
	}
	session_note(s, BGP_ERR_RECEIVED, bgp_err_text(n.code, n.subcode));
	bgp_downs_note(s, false, &n);
	rx_take_message(s, text);
	if (n.code == BGP_E_OPEN && n.subcode == BGP_EO_PARAM && c->with_caps)
		s->attempts.no_caps = s->cause.no_damp =
		    true; /* RFC 5492, 3: try again without */
	s->cause.no_damp |= rx_is_orderly(&n);
	if (session_conf(s)->timers.disable_after_cease & reasons) {
		proto_life_disable(&s->p);
	}
	session_event(c, n.code == BGP_E_OPEN && n.subcode == BGP_EO_VERSION
			     ? BGP_EV_NOTIFY_VERSION
			     : BGP_EV_NOTIFY);
	s->cause.no_damp = false;
}

/* ---- UPDATE ---- */

#define ATTR_TEXT 24

/* rx_attr_text - " (attribute 99)"; "" if no attribute is at fault. */
static const char *
rx_attr_text(char to[ATTR_TEXT], unsigned attr)
{
	to[0] = 0;
	if (attr)
		snprintf(to, ATTR_TEXT, " (attribute %u)", attr);
	return to;
}

/* rx_log_invalid - @what: details; NULL: none. @attr: code of the attribute at fault; 0:
 * none. */
static void
rx_log_invalid(struct bgp_session *s, const struct bgp_reach *r, enum reason why,
    const char *what, unsigned attr)
{
	bool leak = why == REASON_OTC_DOWNSTREAM || why == REASON_OTC_MISMATCH;
	uint64_t now = loop_now_ns(&s->p.worker);
	char text[PREFIX_STR_MAX], at[ATTR_TEXT];
	struct prefix p;

	if (s->rx.invalid_log_ns && now - s->rx.invalid_log_ns < NS_PER_S)
		return;
	s->rx.invalid_log_ns = now;
	prefix_get(&p, r->nlri.p + r->nlri.id_len, r->fam);
	if (leak)
		proto_log(&s->p, LOG_C_REMOTE, BGP_POLICY_LEAK "%s", reason_text(why));
	proto_log(&s->p, LOG_C_REMOTE, "Invalid route %s withdrawn: %s%s%s",
	    prefix_str(text, &p), leak ? BGP_POLICY_LEAK : "",
	    what ? what : reason_text(why), rx_attr_text(at, attr));
}

/* rx_log_discard - an attribute was left out; once a second, as all that a peer can
 * cause at will. */
static void
rx_log_discard(struct bgp_session *s, const struct bgp_err *err)
{
	uint64_t now = loop_now_ns(&s->p.worker);
	char at[ATTR_TEXT];

	if (s->rx.invalid_log_ns && now - s->rx.invalid_log_ns < NS_PER_S)
		return;
	s->rx.invalid_log_ns = now;
	proto_log(&s->p, LOG_C_REMOTE, "Attribute left out: %s%s", err->text,
	    rx_attr_text(at, err->attr));
}

/* rx_log_bogus - the first of the prefixes that no unicast route can have; there is one.
 */
static void
rx_log_bogus(struct bgp_session *s, const struct bgp_reach *r)
{
	uint64_t now = loop_now_ns(&s->p.worker);
	char text[PREFIX_STR_MAX];
	struct bgp_nlri one = r->nlri;
	struct prefix p = { 0 };
	uint32_t bogus = 0;

	if (s->rx.invalid_log_ns && now - s->rx.invalid_log_ns < NS_PER_S)
		return;
	s->rx.invalid_log_ns = now;
	for (one.len = 0; !bogus; one.p += one.len) {
		one.len = one.id_len + prefix_get(&p, one.p + one.id_len, r->fam);
		bgp_policy_usable(r->fam, &one, NULL, &bogus);
	}
	proto_log(&s->p, LOG_C_WARN, "Ignoring bogus route %s", prefix_str(text, &p));
}

/* rx_count_as_sets - routes refused for an AS_SET; the first of a session is logged. */
static void
rx_count_as_sets(struct bgp_session *s, const struct bgp_reach *r)
{
	char text[PREFIX_STR_MAX];
	struct prefix p;

	if (!counter64_get(&s->rx.as_sets)) {
		prefix_get(&p, r->nlri.p + r->nlri.id_len, r->fam);
		session_log(s, LOG_C_REMOTE,
		    "Route %s refused: %s (further routes are only counted)",
		    prefix_str(text, &p), reason_text(REASON_AS_SET));
	}
	counter64_add(&s->rx.as_sets, r->nlri.cnt);
}

/* bgp_rx_on_link - is the next hop of @r a neighbor on the session's link? */
static bool
bgp_rx_on_link(const struct bgp_conn *c, const struct bgp_reach *r)
{
	struct attr_item it;
	uint32_t pos = 0;

	while (r->blob && attr_item_next(&it, r->blob, r->blob_len, &pos))
		if (it.code == ATTR_NEXT_HOP)
			return bgp_link_has(&c->link,
			    it.len == 4 ? ip4(get_be32(it.val)) : ip_get16(it.val));
	return false;
}

/* rx_drop_reach - refuse the routes of @r for the reason @why, and withdraw earlier
 * routes of the same prefixes. */
static void
rx_drop_reach(struct bgp_session *s, const struct bgp_reach *r, enum reason why,
    const struct bgp_err *err)
{
	struct channel *ch = s->chan[r->fam];
	const char *text = why == REASON_MALFORMED ? err->text : NULL;
	unsigned attr = why == REASON_MALFORMED ? err->attr : 0;
	char what[160], at[ATTR_TEXT];

	if (why == REASON_AS_SET)
		rx_count_as_sets(s, r);
	else
		rx_log_invalid(s, r, why, text, attr);
	channel_withdraw(ch, r->nlri.p, r->nlri.len);
	if (text)
		snprintf(what, sizeof(what), "%s%s", text, rx_attr_text(at, attr));
	channel_refuse(ch, why, text ? what : NULL, r->nlri.p, r->nlri.len);
}

/* rx_drop_bogus - those of @r that no unicast route can have. */
static void
rx_drop_bogus(struct bgp_session *s, const struct bgp_reach *r)
{
	struct channel *ch = s->chan[r->fam];
	struct bgp_nlri one = r->nlri;
	const uint8_t *end = r->nlri.p + r->nlri.len;
	struct prefix p;
	uint32_t bogus;

	rx_log_bogus(s, r);
	for (; one.p < end; one.p += one.len) {
		one.len = one.id_len + prefix_get(&p, one.p + one.id_len, r->fam);
		one.cnt = 1;
		bgp_policy_usable(r->fam, &one, NULL, &bogus);
		if (bogus)
			channel_refuse(ch, REASON_BOGUS_NETWORK, NULL, one.p, one.len);
	}
}

/* rx_reach - Returns: false: some or all of its routes were refused. */
static bool
rx_reach(struct bgp_conn *c, const struct bgp_reach *r, const struct bgp_err *err,
    struct scratch *sc)
{
	struct bgp_session *s = c->s;
	const struct bgp_conf *cf = session_conf(s);
	struct channel *ch = s->chan[r->fam];
	const struct bgp_channel_conf *cc = bgp_channel_conf_of(channel_conf(ch));
	bool far = cf->tcp.multihop || (cc->gateway_recursive && !bgp_rx_on_link(c, r));
	struct bgp_judge j = { .cf = cf,
		.router_id = c->ours.router_id,
		.peer_as = c->terms.params.peer_as,
		.local_ip = c->local_ip,
		.other_local = c->other_local,
		.link = far ? NULL : &c->link,
		.ifaces = iface_list_get(&s->p.tern->ifaces),
		.link_if = c->link.ifindex,
		.no_aigp = c->terms.params.aigp && !cc->aigp };
	struct attr_local local = { .igp_metric = far ? UINT32_MAX : cc->cost,
		.dest = far ? DEST_UNREACHABLE : DEST_UNICAST,
		.rts = RTS_BGP };
	enum reason why = r->blob ? bgp_policy_check(&j, r->blob, r->blob_len)
				  : REASON_MALFORMED;
	uint32_t len, stays, bogus;
	uint8_t *rest;

	if (why) {
		rx_drop_reach(s, r, why, err);
		return false;
	}
	len = bgp_policy_default(&j, r->blob, r->blob_len, sc->full);
	stays = bgp_policy_usable(r->fam, &r->nlri, NULL, &bogus);
	if (!bogus) {
		channel_import(ch, sc->full, len, &local, r->nlri.p, r->nlri.len);
		return true;
	}
	rx_drop_bogus(s, r);
	if (!stays)
		return false;
	rest = mem_zalloc(MEM_PROTO, r->nlri.len + PREFIX_WIRE_MAX);
	bgp_policy_usable(r->fam, &r->nlri, rest, &bogus);
	channel_import(ch, sc->full, len, &local, rest, stays);
	mem_free(MEM_PROTO, rest);
	return true; /* what no unicast route can have isn't worth a word */
}

static bool
bgp_rx_usable(const struct bgp_session *s, unsigned fam)
{
	return fam < FAM_CNT && s->chan[fam] && channel_is_up(s->chan[fam]);
}

static void
rx_update(struct bgp_conn *c, const struct bgp_msg *msg, struct scratch *sc)
{
	struct bgp_session *s = c->s;
	struct bgp_update u;
	unsigned refused = 0; /* by place in u.reach */

	session_event(c, BGP_EV_UPDATE);
	if (c->state != BGP_ESTABLISHED)
		return;
	bgp_chan_active(s);
	if (sc->cap < BGP_BLOB_CAP(msg->len)) {
		sc->cap = BGP_BLOB_CAP(msg->len);
		sc->blob = mem_realloc(MEM_PROTO, sc->blob, sc->cap, 1);
		sc->full = mem_realloc(MEM_PROTO, sc->full, sc->cap + BGP_POLICY_ROOM, 1);
	}
	if (bgp_update_decode(&c->terms.params, msg->body, msg->body_len, &u, sc->blob,
		sc->cap) == BGP_SEV_RESET) {
		mon_update(c, msg, &u, 0);
		rx_error(c, BGP_EV_UPDATE_ERR, &u.err);
		return;
	}
	if (u.err.severity == BGP_SEV_ATTR_DISCARD)
		rx_log_discard(s, &u.err);
	if (u.eor && session_traces(s, DEBUG_PACKETS))
		proto_log(&s->p, LOG_C_TRACE, "Got END-OF-RIB");
	for (unsigned i = 0; i < u.unreach_cnt; i++) /* I3 */
		if (bgp_rx_usable(s, u.unreach[i].fam))
			channel_withdraw(s->chan[u.unreach[i].fam], u.unreach[i].nlri.p,
			    u.unreach[i].nlri.len);
	for (unsigned i = 0; i < u.reach_cnt; i++)
		if (bgp_rx_usable(s, u.reach[i].fam))
			refused |= rx_reach(c, &u.reach[i], &u.err, sc) ? 0 : 1u << i;
	for (unsigned f = 0; u.eor && f < FAM_CNT; f++)
		if ((u.eor & FAM_BIT(f)) && bgp_rx_usable(s, (enum family)f)) {
			channel_import_end(s->chan[f]);
			restart_through(s, f);
			recover_through(s, f);
		}
	mon_update(c, msg, &u, refused);
}

/* ---- ROUTE-REFRESH ---- */

static void
rx_refresh(struct bgp_conn *c, const struct bgp_msg *msg)
{
	struct bgp_session *s = c->s;
	struct bgp_refresh r;
	struct bgp_err err;

	session_event(c, BGP_EV_REFRESH);
	if (c->state != BGP_ESTABLISHED)
		return;
	if (!c->ours.caps.refresh)
		return; /* RFC 2918, 4: not announced, so ignored */
	err = bgp_refresh_decode(msg, c->terms.enh_refresh, &r);
	if (err.severity) {
		rx_error(c, BGP_EV_UPDATE_ERR, &err);
		return;
	}
	if (r.kind != BGP_REFRESH_IGNORE && bgp_rx_usable(s, r.fam))
		refreshes_got(s, r.kind, r.fam);
}

static void
rx_message(struct bgp_conn *c, const struct bgp_msg *msg, struct scratch *sc)
{
	bool trace = session_traces(c->s, DEBUG_PACKETS);

	if (unlikely(trace && msg->type == BGP_UPDATE))
		proto_log(&c->s->p, LOG_C_TRACE, "Got UPDATE (%u octets)", msg->len);
	else if (unlikely(trace && msg->type == BGP_KEEPALIVE))
		proto_log(&c->s->p, LOG_C_TRACE, "Got KEEPALIVE");
	switch (msg->type) {
	case BGP_OPEN:
		bgp_rx_open(c, msg);
		break;
	case BGP_UPDATE:
		rx_update(c, msg, sc);
		break;
	case BGP_NOTIFICATION:
		bgp_rx_notification(c, msg);
		break;
	case BGP_KEEPALIVE:
		session_event(c, BGP_EV_KEEPALIVE);
		break;
	case BGP_ROUTE_REFRESH:
		rx_refresh(c, msg);
		break;
	}
}

/* rx_must_yield - true: the message must wait (I5) for the other connection. The message
 * waits for a second at most, because a peer may leave the other connection open and
 * never answer on the connection. */
static bool
rx_must_yield(struct bgp_conn *c, const struct bgp_msg *msg)
{
	struct bgp_conn *other = &c->s->conn[!c->dir];
	struct bgp_speaker local = { c->ours.router_id, c->ours.as },
			   remote = { c->theirs.router_id, c->theirs.as };
	uint64_t now = loop_now_ns(&c->s->p.worker);

	if (msg->type != BGP_KEEPALIVE || c->state != BGP_OPENCONFIRM ||
	    other->state != BGP_OPENSENT)
		return false;
	if (bgp_collide(other->dir == BGP_IN, c->state, local, remote) !=
	    BGP_COLLIDE_OTHER)
		return false;
	if (!c->timer.yield_ns) {
		c->timer.yield_ns = now + YIELD_NS;
		timer_set(
		    &c->timer.hold, c->timer.yield_ns); /* which looks at hold_at_ns */
	}
	return now < c->timer.yield_ns;
}

uint32_t
rx_octets(struct bgp_conn *c, const uint8_t *buf, uint32_t len)
{
	struct scratch sc = { 0 };
	uint32_t done = 0, life = c->sock.life;

	while (done < len) {
		struct bgp_msg msg;
		struct bgp_err err;
		enum bgp_frame f = bgp_msg_frame(
		    buf + done, len - done, c->msg_max, &msg, &err);

		if (f == BGP_FRAME_MORE || conn_deaf(c))
			break;
		if (f == BGP_FRAME_BAD) {
			rx_error(c, BGP_EV_HEADER_ERR, &err);
			break;
		}
		if ((c->s->est == c && !bgp_chan_ready(c->s)) || /* I2 */
		    rx_must_yield(c, &msg)) {
			c->paused = true;
			break;
		}
		if (unlikely(load_relaxed32(&c->s->p.mrtdump) & MRTDUMP_MESSAGES))
			bgp_mrt_message(c, &msg, buf + done);
		done += msg.len;
		rx_message(c, &msg, &sc);
		if (!conn_has_socket(c) || c->sock.life != life) /* I1 */
			break;
	}
	mem_free(MEM_PROTO, sc.blob);
	mem_free(MEM_PROTO, sc.full);
	return done;
}

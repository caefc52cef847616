/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published state of a session, and answers from this state.
 *
 * I1  The instance publishes an immutable snapshot when its state changes. A reader uses
 *     the snapshot, the configuration in force and a few times (counters) under RCU, and
 *     sends no message.
 *
 * Loops: session_publish and bgp_snap_publish in the instance's worker; the answers in
 * any thread. Tested by test/net/test_birdc.py and test/unit/test_bgp_session.c. */
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_nego.h"
#include "proto/bgp/session/bgp_state.h"
#include "proto/bgp/show/bgp_snap_priv.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/sock/sock_ao.h"
#include <bsd/string.h>
#include <stdio.h>

/* ---- in the instance's worker ---- */

/* bgp_state_shown - "Established", "Passive", "Down" ... as shown. */
static const char *
bgp_state_shown(const struct bgp_session *s)
{
	uint8_t out = s->conn[BGP_OUT].state, in = s->conn[BGP_IN].state;

	if (s->est)
		return bgp_state_text(BGP_ESTABLISHED);
	if (!proto_life_wanted(&s->p))
		return "Down";
	if (timer_active(&s->attempts.idle_hold))
		return bgp_state_text(BGP_IDLE);
	if (in >= BGP_OPENSENT && in >= out)
		return bgp_state_text(in);
	if (session_waits(s) && out == BGP_ACTIVE)
		return "Passive";
	return bgp_state_text(out);
}

static void
bgp_show_snap_gone(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct bgp_snap, rcu));
}

static void
bgp_snap_publish(struct bgp_session *s)
{
	struct bgp_snap *n = mem_zalloc(MEM_PROTO, sizeof(*n)),
			*old = load_relaxed_ptr(&s->shown.snap);
	const struct bgp_conn *c = s->est;

	strlcpy(n->state, bgp_state_shown(s), sizeof(n->state));
	session_error_text(s, n->error, sizeof(n->error));
	n->error_kind = s->last.error_kind;
	n->bad_as = s->last.bad_as;
	n->closed = s->last.closed;
	strlcpy(n->limit, s->last.limit, sizeof(n->limit));
	strlcpy(n->error_text, s->last.error_text, sizeof(n->error_text));
	n->stale = s->restart.stale;
	n->llgr = s->restart.llgr;
	n->wait_s = s->attempts.wait_s;
	n->retry_s = s->attempts.retry_s;
	n->peer_as = old ? old->peer_as : 0;
	if (c) {
		n->up = true;
		n->neighbor_id = c->terms.peer_router_id;
		n->hold_s = c->terms.hold_s;
		n->their_hold_s = c->theirs.hold_time;
		n->keepalive_s = c->terms.keepalive_s;
		n->send_hold_s = c->terms.send_hold_s;
		n->ours = c->ours.caps;
		n->theirs = c->theirs.caps;
		n->as4 = c->terms.params.as4;
		n->peer_as = c->terms.params.peer_as;
		n->local_ip = c->local_ip;
		n->other_local = c->other_local;
		n->local_ll = c->link.ifindex ? c->link.ll : IP_NONE;
	}
	store_release_ptr(&s->shown.snap, n); /* pairs: BSNAP */
	if (old)
		rcu_free_later(&old->rcu, bgp_show_snap_gone);
}

void
bgp_snap_free(struct bgp_session *s)
{
	mem_free(MEM_PROTO, load_relaxed_ptr(&s->shown.snap));
}

/* bgp_show_set_reloads - publish whether the routes of a session that is up can be
 * requested again. */
static void
bgp_show_set_reloads(struct bgp_session *s)
{
	s->p.refuses.refresh = s->est && !s->est->terms.refresh;
	s->p.refuses.reload = false;
	for (unsigned f = 0; s->p.refuses.refresh && f < FAM_CNT; f++)
		if (s->chan[f] && channel_is_up(s->chan[f]) && !channel_keeps(s->chan[f]))
			s->p.refuses.reload = true;
}

void
session_publish(struct bgp_session *s)
{
	char info[128], error[BGP_ERROR_TEXT + 16];
	enum proto_state st = s->est                     ? PS_UP
			      : proto_life_wanted(&s->p) ? PS_START
							 : PS_DOWN;

	if (session_traces(s, DEBUG_STATES) && st != proto_status_get(&s->p)->state)
		proto_log(&s->p, LOG_C_TRACE, "State changed to %s",
		    st == PS_UP      ? "up"
		    : st == PS_START ? "start"
				     : "down");
	bgp_show_set_reloads(s);
	session_error_text(s, error, sizeof(error));
	/* A session that is down has no state to show; the column keeps its trailing
	 * blanks. */
	if (st == PS_DOWN)
		strlcpy(info, error, sizeof(info));
	else
		snprintf(info, sizeof(info), "%-14s%s", bgp_state_shown(s), error);
	bgp_snap_publish(s); /* first: the event of proto_publish gives the cause */
	proto_publish(&s->p, st, s->p.life.disabled, info,
	    s->p.life.state == LIFE_DOWN && s->p.life.message ? s->p.life.message
							      : s->last.message);
}

/* ---- any thread ---- */

void
bgp_trouble(const struct proto *p, struct strbuf *out)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	uint32_t place = load_relaxed32(&s->enlisted.place_err),
		 key = load_relaxed32(&s->enlisted.key_err);

	if (place)
		strbuf_addf(out, "Not listening: %s", sock_listen_error((int)place));
	else if (key && session_conf(s)->auth.method == BGP_AUTH_AO)
		strbuf_addf(out, "Keys not set: %s", sock_ao_error(-(int)key));
	else if (key)
		strbuf_addf(out, "Password not set: %s", strerror((int)key));
}

const char *
bgp_later(const struct proto *p, const struct conf_proto *cf)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */
	struct bgp_open open;

	if (!n || !n->up)
		return NULL;
	bgp_nego_open(cf, 0, true, 0, &open);
	return open.caps.gr.on != n->ours.gr.on || open.caps.gr.fam != n->ours.gr.fam
		   ? "graceful restart"
		   : NULL;
}

const char *
bgp_forgets(const struct proto *p)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */
	const struct bgp_conf *cf = bgp_conf_of(proto_conf_get(p));

	if (!n || !n->up)
		return NULL;
	if (!n->ours.gr.fam && cf->gr.mode == BGP_GR_ON)
		return "graceful restart is on since the session came up: restart the "
		       "session first";
	if (!n->ours.gr.fam)
		return "graceful restart is not on";
	return n->theirs.gr.on ? NULL : "the neighbor does not announce graceful restart";
}

bool
bgp_idle(const struct proto *p)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */

	return !n || (!n->up && !n->stale);
}

/* show_asks_in_vain - true: the changed import policy of a channel needs routes that the
 * peer cannot send again. */
static bool
show_asks_in_vain(
    const struct bgp_session *s, const struct conf_proto *cf, const struct bgp_snap *n)
{
	const struct conf_proto *was = proto_conf_get(&s->p);

	if (n->ours.refresh && n->theirs.refresh)
		return false;
	for (unsigned f = 0; f < FAM_CNT; f++) {
		const struct channel *ch = s->chan[f]; /* constant after its creation */
		const struct conf_channel *c = ch ? channel_conf(ch) : NULL, *next;

		if (!ch || !channel_seems_up(ch) || channel_keeps(ch))
			continue;
		next = conf_channel_like(cf, c);
		if (next && (conf_channel_diff(was, c, cf, next) & CONF_CH_IMPORT))
			return true;
	}
	return false;
}

/* bgp_show_crosses - true: @now routes exceed the new limit @l and would end the
 * session. */
static bool
bgp_show_crosses(const struct conf_limit *old, const struct conf_limit *l, uint64_t now)
{
	return l->action >= LIMIT_RESTART && now > l->max &&
	       (l->max != old->max || l->action != old->action);
}

/* show_limit_crossed - name of an exceeded limit option; NULL: none. */
static const char *
show_limit_crossed(const struct bgp_session *s, const struct conf_proto *cf)
{
	for (const struct conf_channel *c = cf->chan; c; c = c->next) {
		const struct channel *ch = s->chan[c->family];
		const struct conf_channel *was = ch ? channel_conf(ch) : NULL;
		const struct channel_stats *st = ch ? channel_stats_get(ch) : NULL;

		if (!ch)
			continue;
		if (bgp_show_crosses(&was->limit.import, &c->limit.import,
			feeder_counted(&st->in, LIMIT_IMPORT)))
			return "import limit";
		if (bgp_show_crosses(&was->limit.receive, &c->limit.receive,
			feeder_counted(&st->in, LIMIT_RECEIVE)))
			return "receive limit";
		if (bgp_show_crosses(&was->limit.export, &c->limit.export,
			counter64_get(&st->exported)))
			return "export limit";
	}
	return NULL;
}

const char *
bgp_ends(const struct proto *p, const struct conf_proto *cf, bool soft)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */
	struct bgp_open theirs = { 0 };
	struct bgp_terms t = { 0 };

	if (!n || !n->up)
		return NULL;
	theirs.hold_time = (uint16_t)n->their_hold_s;
	if (bgp_nego_timers(bgp_conf_of(cf), &theirs, &t).severity ||
	    t.hold_s != n->hold_s)
		return "hold time";
	if (show_limit_crossed(s, cf))
		return show_limit_crossed(s, cf);
	return !soft && show_asks_in_vain(s, cf, n) ? "import, no route refresh" : NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session: carries out the steps of its two connections' machines.
 *
 * I1  A step is complete before the next event: state first, then the actions in order,
 *     then session_settle from the loop if the connection went to IDLE.
 * I2  At most one connection is established; the same call drops the other connection.
 * I3  No channel is taken up or down inside a channel's call: session_settle reacts to
 *     errors of the socket and to limits that were found in such a call.
 * I4  Both machines are in IDLE while idle_hold runs, unless a restart was requested.
 *
 * Loop: the session's. */
#include "lib/base/hash.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/listen/bgp_listen.h"
#include "proto/bgp/out/bgp_tx.h"
#include "proto/bgp/session/bgp_collide.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_nego.h"
#include "proto/bgp/session/bgp_restart.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/names.h"
#include "sysdep/sock/sock_opt.h"
#include <string.h>

static uint64_t
bgp_session_now_of(const struct bgp_session *s)
{
	return loop_now_ns(&s->p.worker);
}

static struct bgp_conn *
session_other_of(struct bgp_conn *c)
{
	return &c->s->conn[!c->dir];
}

/* bgp_session_jittered - RFC 4271, 10: times a random number from 0.75 to 1. */
static uint64_t
bgp_session_jittered(struct bgp_session *s, uint32_t sec)
{
	uint64_t *j = &s->attempts.jitter;

	*j = *j * 6364136223846793005ull + 1442695040888963407ull;
	return sec * (NS_PER_MS * 750 + (*j >> 33) % (NS_PER_MS * 250 + 1));
}

static void
bgp_session_stop_timer(struct timer *t, struct counter64 *shown)
{
	timer_cancel(t);
	counter64_set(shown, 0);
}

/* ---- actions ---- */

static void
session_act_send_open(struct bgp_conn *c)
{
	uint8_t buf[BGP_OPEN_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	unsigned again = recover_open(c->s);

	c->with_caps = session_conf(c->s)->caps.enable && !c->s->attempts.no_caps;
	c->msg_max = BGP_MSG_MAX;
	bgp_nego_open(c->s->p.cf, session_router_id(c->s), c->with_caps, again, &c->ours);
	if (c->ours.caps.has_hostname && !c->ours.caps.hostname[0])
		names_host(c->ours.caps.hostname, sizeof(c->ours.caps.hostname));
	bgp_open_encode(&w, &c->ours, c->with_caps);
	trace_open(c, "Sending", &c->ours);
	bgp_conn_send(c, buf, (uint32_t)wbuf_len(&w));
}

static void
session_act_send_keepalive(struct bgp_conn *c)
{
	uint8_t buf[BGP_HDR_LEN];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	if (c->tx.keepalive_waits) {
		conn_flush(c);
		return;
	}
	bgp_keepalive_put(&w);
	if (session_traces(c->s, DEBUG_PACKETS))
		proto_log(&c->s->p, LOG_C_TRACE, "Sending KEEPALIVE");
	c->tx.keepalive_waits = true;
	bgp_conn_send(c, buf, BGP_HDR_LEN);
}

static void
session_act_hold(struct bgp_conn *c, uint32_t sec)
{
	if (!sec)
		return;
	c->timer.hold_at_ns = bgp_session_now_of(c->s) + sec * NS_PER_S;
	if (!timer_active(&c->timer.hold) ||
	    timer_at_ns(&c->timer.hold) > c->timer.hold_at_ns)
		timer_set(&c->timer.hold, c->timer.hold_at_ns);
	counter64_set(&c->s->shown.hold_ns, c->timer.hold_at_ns);
}

static void
session_act_keepalive_start(struct bgp_conn *c)
{
	uint64_t at = bgp_session_now_of(c->s) +
		      bgp_session_jittered(c->s, c->terms.keepalive_s);

	timer_set(&c->timer.keepalive, at);
	counter64_set(&c->s->shown.keepalive_ns, at);
}

static void
session_act_send_hold_start(struct bgp_conn *c)
{
	conn_progress(c);
	if (c->terms.send_hold_s)
		timer_set(&c->timer.send_hold,
		    c->timer.progress_ns + c->terms.send_hold_s * NS_PER_S);
}

/* bgp_session_act_retry - in ACTIVE until we connect (`connect delay time`), in CONNECT
 * until we give up the attempt (`connect retry time`). */
static void
bgp_session_act_retry(struct bgp_conn *c)
{
	struct bgp_session *s = c->s;
	const struct bgp_conf *cf = session_conf(s);
	uint64_t at;

	s->attempts.retry_s = c->state == BGP_CONNECT ? cf->timers.connect_retry_s
						      : cf->timers.connect_delay_s;
	if (c->failed && !s->attempts.retry_s)
		s->attempts.retry_s = 1; /* a peer that refuses at once: no busy loop */
	at = bgp_session_now_of(s) + bgp_session_jittered(s, s->attempts.retry_s);
	timer_set(&s->attempts.retry, at);
	counter64_set(&s->shown.retry_ns, at);
}

/* session_earliest_start - `restart time` counts from the start before. */
static uint64_t
session_earliest_start(const struct bgp_session *s)
{
	return s->attempts.started_ns ? s->attempts.started_ns + s->p.cf->restart_time_ns
				      : 0;
}

static void
session_wait_until(struct bgp_session *s, uint64_t at_ns)
{
	timer_set(&s->attempts.idle_hold, at_ns);
	counter64_set(&s->shown.wait_ns, at_ns);
}

/* session_act_damp - start the wait after an error, unless the other connection is making
 * progress or the peer has ended the session regularly. */
static void
session_act_damp(struct bgp_conn *c)
{
	struct bgp_session *s = c->s;
	const struct bgp_conf *cf = session_conf(s);
	uint64_t now = bgp_session_now_of(s);

	if (session_other_of(c)->state >= BGP_OPENSENT || !proto_life_wanted(&s->p) ||
	    s->cause.no_damp)
		return;
	session_event(session_other_of(c), BGP_EV_COLLISION_DUMP); /* I4 */
	if (cf->timers.disable_after_error) {
		proto_life_disable(&s->p);
		return;
	}
	s->attempts.wait_s = bgp_backoff_next(&s->attempts.backoff, now,
	    cf->timers.error_wait_min_s, cf->timers.error_wait_max_s,
	    cf->timers.error_forget_s);
	session_wait_until(
	    s, max_u64(now + s->attempts.wait_s * NS_PER_S, session_earliest_start(s)));
}

static void
session_act_up(struct bgp_conn *c)
{
	struct bgp_session *s = c->s;
	char text[IP_STR_MAX];

	ASSERT(!s->est);
	s->est = c;
	s->attempts.no_caps = s->unanswered.said = false;
	session_note(s, BGP_ERR_NONE, "");
	s->last.closed = 0;
	session_log(s, LOG_C_INFO, "Session established with %s",
	    ip_str(text, session_conf(s)->id.remote_ip));
	if (session_other_of(c)->state != BGP_IDLE)
		session_event(session_other_of(c), BGP_EV_COLLISION_DUMP); /* I2 */
	neigh_up(s);
	restart_back(s, c);
	mon_look(c, true);
	bgp_chan_up(s, c);
	recover_up(s, c);
	unsent_look(s);
}

static void
session_act_release(struct bgp_conn *c)
{
	struct bgp_session *s = c->s;
	uint8_t keep = restart_keeps(c);

	if (s->est != c)
		return;
	s->est = NULL;
	mon_down(c);
	s->recovery.forwards = c->terms.gr_notify && !s->restart.hard;
	s->restart.hard = false;
	counter64_set(&s->shown.hold_ns, 0);
	counter64_set(&s->shown.keepalive_ns, 0);
	counter64_set(&s->shown.send_hold_ns, 0);
	bgp_chan_down(s, keep);
	unsent_look(s);
	unanswered_begin(s);
	bgp_downs_add(s);
	restart_away(s, c, keep);
}

static void
bgp_session_do_action(struct bgp_conn *c, const struct bgp_step *st, enum bgp_action a)
{
	struct bgp_session *s = c->s;

	switch (a) {
	case BGP_ACT_NOTIFY:
		session_notify(c, st);
		break;
	case BGP_ACT_COUNT_ZERO:
		c->retry_cnt = 0;
		break;
	case BGP_ACT_COUNT:
		c->retry_cnt++;
		break;
	case BGP_ACT_RETRY_START:
		bgp_session_act_retry(c);
		break;
	case BGP_ACT_RETRY_STOP:
		if (c->dir == BGP_OUT)
			bgp_session_stop_timer(&s->attempts.retry, &s->shown.retry_ns);
		break;
	case BGP_ACT_CONNECT:
		conn_connect(c);
		break;
	case BGP_ACT_CLOSE:
		bgp_conn_close(c, st->action[0] == BGP_ACT_NOTIFY);
		break;
	case BGP_ACT_SEND_OPEN:
		session_act_send_open(c);
		break;
	case BGP_ACT_SEND_KEEPALIVE:
		session_act_send_keepalive(c);
		break;
	case BGP_ACT_HOLD_LARGE:
		session_act_hold(c, session_conf(s)->timers.startup_hold_s);
		break;
	case BGP_ACT_HOLD_START:
		session_act_hold(c, c->terms.hold_s);
		break;
	case BGP_ACT_KEEPALIVE_START:
		session_act_keepalive_start(c);
		break;
	case BGP_ACT_SEND_HOLD_START:
		session_act_send_hold_start(c);
		break;
	case BGP_ACT_UP:
		session_act_up(c);
		break;
	case BGP_ACT_RELEASE:
		session_act_release(c);
		break;
	case BGP_ACT_DAMP:
		session_act_damp(c);
		break;
	case BGP_ACT_DAMP_STOP:
		bgp_session_stop_timer(&s->attempts.idle_hold, &s->shown.wait_ns);
		break;
	default: /* LISTEN: the listener knows us while we are enabled; UPDATE: bgp_rx.c
		  */
		break;
	}
}

void
session_event(struct bgp_conn *c, enum bgp_event e)
{
	struct bgp_session *s = c->s;
	struct bgp_facts f = { .passive = c->dir == BGP_IN || session_waits(s),
		.hold = c->terms.hold_s != 0 };
	struct bgp_step st = bgp_fsm_step(c->state, e, f);
	uint8_t old = c->state;

	if (st.next != old && session_traces(s, DEBUG_EVENTS))
		proto_log(&s->p, LOG_C_TRACE, "%s connection: %s -> %s (%s)",
		    c->dir == BGP_IN ? "Incoming" : "Outgoing", bgp_state_text(old),
		    bgp_state_text(st.next), bgp_event_text(e));
	c->state = st.next;
	c->event = (uint8_t)e;
	if (e == BGP_EV_OPEN_ERR) /* the peer is another router than before */
		restart_end(s);
	c->failed = e == BGP_EV_TCP_FAILS || (c->failed && c->state != BGP_ESTABLISHED);
	for (unsigned i = 0; i < st.cnt; i++)
		bgp_session_do_action(c, &st, st.action[i]);
	if (c->state == old)
		return;
	if (unlikely(load_relaxed32(&s->p.mrtdump) & MRTDUMP_STATES))
		bgp_mrt_state(c, old);
	if (c->state == BGP_OPENCONFIRM && !c->terms.hold_s)
		timer_cancel(&c->timer.hold);
	session_publish(s);
	if (session_other_of(c)->timer.yield_ns)
		s->rx.resume = true; /* it may not have to wait any more */
	if (c->state == BGP_IDLE || s->rx.resume)
		session_soon(s);
}

/* ---- start, stop ---- */

void
session_start(struct bgp_session *s)
{
	s->neigh.waits_link = false;
	bgp_listen_join(s);
	session_soon(s);
	unanswered_begin(s);
	session_publish(s);
}

void
session_stop(struct bgp_session *s, unsigned cease, const char *text)
{
	uint8_t data[BGP_SHUTDOWN_MAX + 1];
	uint16_t len = text ? bgp_shutdown_put(data, text) : 0;
	bool down = !s->est;

	for (int i = 0; i < 2; i++) {
		session_fault(s, BGP_E_CEASE, cease, data, len);
		session_event(&s->conn[i], BGP_EV_MANUAL_STOP);
	}
	if (down)
		restart_end(s);
	bgp_session_stop_timer(&s->attempts.idle_hold, &s->shown.wait_ns);
	memset(&s->attempts.backoff, 0, sizeof(s->attempts.backoff));
	session_note(s, BGP_ERR_NONE, "");
	session_stop_forget(s);
	s->attempts.no_caps = false;
}

/* session_close_now - a channel or the table asked for it (limit, slow): AutomaticStop.
 */
static void
session_close_now(struct bgp_session *s)
{
	uint8_t code = s->settle.stop_code;

	if (s->settle.stop_disable) {
		proto_life_disable(&s->p);
		s->p.limited.disabled = true;
	} else if (s->settle.stop_limit) {
		proto_limit_restarts(&s->p);
	}
	if (s->settle.stop_limit)
		session_note(s, BGP_ERR_AUTO, "Route limit exceeded");
	else if (code == BGP_EC_RESOURCES)
		session_note(s, BGP_ERR_AUTO, "Peer doesn't take our messages");
	for (int i = 0; i < 2; i++) {
		session_fault(
		    s, BGP_E_CEASE, code, s->settle.stop_data, s->settle.stop_len);
		session_event(&s->conn[i], BGP_EV_AUTO_STOP);
	}
	if (s->settle
		.stop_limit) /* the stale routes of a peer that is away crossed a limit */
		restart_end(s);
	session_stop_forget(s);
	session_publish(s);
}

/* session_wake_idle - give machines in IDLE their start, where nothing speaks against
 * it. */
static void
session_wake_idle(struct bgp_session *s)
{
	struct bgp_conn *out = &s->conn[BGP_OUT], *in = &s->conn[BGP_IN];

	if (!proto_life_wanted(&s->p) || s->est || timer_active(&s->attempts.idle_hold) ||
	    s->neigh.waits_link)
		return;
	if (out->state == BGP_IDLE && in->state == BGP_IDLE) {
		if (bgp_session_now_of(s) < session_earliest_start(s)) {
			s->attempts.wait_s = (uint32_t)((s->p.cf->restart_time_ns +
							    NS_PER_S - 1) /
							NS_PER_S);
			session_wait_until(s, session_earliest_start(s));
			session_publish(s);
			return;
		}
		s->attempts.started_ns = bgp_session_now_of(s);
	}
	/* Out starts as if passive: bgp_session_act_retry then makes it wait for
	 * `connect delay time`. */
	if (out->state == BGP_IDLE && in->state < BGP_OPENSENT)
		session_event(out, BGP_EV_AUTO_START_PASSIVE);
	if (in->state == BGP_IDLE && out->state < BGP_OPENSENT)
		session_event(in, BGP_EV_AUTO_START_PASSIVE);
}

/* session_finish_if_free - let the instance go if nothing holds it any more. */
static void
session_finish_if_free(struct bgp_session *s)
{
	if (s->admin.attached || s->enlisted.registered || s->bfd.cnt ||
	    s->enlisted.leaving || !list_empty(&s->lingering) || s->p.end.stopped)
		return;
	bgp_listener_put(s->enlisted.listener);
	s->enlisted.listener = NULL;
	proto_gone(&s->p);
}

/* session_settle - what must not happen inside another call. */
static void
session_settle(struct timer *t)
{
	struct bgp_session *s = container_of(t, struct bgp_session, settle.soon);

	for (int i = 0; i < 2; i++) {
		struct bgp_conn *c = &s->conn[i];

		if (c->tx.err && conn_has_socket(c))
			conn_last_words(c);
		if (c->tx.err && conn_has_socket(c)) {
			session_note(s, BGP_ERR_SOCKET, strerror(-c->tx.err));
			session_event(c, BGP_EV_TCP_FAILS);
		} else if (c->state == BGP_CONNECT && !conn_has_socket(c)) {
			session_event(c, BGP_EV_TCP_FAILS);
		}
	}
	if (s->settle.stop_code)
		session_close_now(s);
	if (s->rx.resume) {
		s->rx.resume = false;
		for (int i = 0; i < 2; i++)
			conn_resume(&s->conn[i]);
	}
	if (!proto_life_wanted(&s->p)) { /* by an error or a limit, perhaps */
		bgp_listen_leave(s);
		restart_end(s);
		recover_end(s);
		session_bfd(s);
	}
	session_wake_idle(s);
	if (proto_life_ends(&s->p))
		session_finish_if_free(s);
}

/* bgp_session_restarts - true if a session exists whose routes stay if its peer restarts.
 */
static bool
bgp_session_restarts(const struct bgp_session *s)
{
	return s->est && (s->est->terms.gr_fam | s->est->terms.llgr_fam);
}

void
session_accept(struct bgp_session *s, TAKE struct os_fd fd, struct ip_addr local)
{
	struct bgp_conn *c = &s->conn[BGP_IN];
	int rc;

	/* RFC 4724, 4.2: the peer has restarted, and the old connection did not show the
	 * restart. This does not apply if the peer has closed the new connection, as
	 * after a collision, or sends in the old connection the reason of its end. */
	if (bgp_session_restarts(s) && !sock_has_ended(fd, 0))
		conn_last_words(s->est);
	if (bgp_session_restarts(s) && !sock_has_ended(fd, 0)) {
		session_note(s, BGP_ERR_SOCKET, "The peer opens a new connection");
		session_event(s->est, BGP_EV_TCP_FAILS);
	}
	if (timer_active(
		&s->settle.soon)) { /* the connection may be about to leave IDLE */
		timer_cancel(&s->settle.soon);
		session_settle(&s->settle.soon);
	}
	if (c->state != BGP_ACTIVE || s->est) {
		if (session_traces(s, DEBUG_EVENTS))
			proto_log(&s->p, LOG_C_TRACE, "Incoming connection rejected");
		bgp_listen_refuse(fd, s->p.tern);
		return;
	}
	rc = conn_adopt(c, fd, local);
	if (rc) {
		session_log(
		    s, LOG_C_ERR, "Can't set options of a connection: %s", strerror(-rc));
		return;
	}
	if (session_traces(s, DEBUG_EVENTS))
		proto_log(&s->p, LOG_C_TRACE, "Incoming connection accepted");
	session_event(c, BGP_EV_TCP_CONFIRMED);
}

static void
bgp_session_retry_fires(struct timer *t)
{
	struct bgp_session *s = container_of(t, struct bgp_session, attempts.retry);

	counter64_set(&s->shown.retry_ns, 0);
	session_event(&s->conn[BGP_OUT], BGP_EV_RETRY_EXPIRES);
}

static void
session_idle_hold_fires(struct timer *t)
{
	struct bgp_session *s = container_of(t, struct bgp_session, attempts.idle_hold);

	counter64_set(&s->shown.wait_ns, 0);
	s->attempts.started_ns = bgp_session_now_of(s);
	for (int i = 0; i < 2; i++)
		if (s->conn[i].state == BGP_IDLE)
			session_event(&s->conn[i], BGP_EV_IDLE_HOLD_EXPIRES);
}

void
session_init(struct bgp_session *s)
{
	struct worker *w = &s->p.worker;

	s->enlisted.accept = session_accept;
	timer_init(&s->attempts.retry, w, bgp_session_retry_fires);
	timer_init(&s->attempts.idle_hold, w, session_idle_hold_fires);
	timer_init(&s->settle.soon, w, session_settle);
	timer_init(&s->rx.idle, w, bgp_chan_idle_fires);
	mon_again_init(s);
	bgp_offer_init(s);
	unsent_init(s);
	unanswered_init(s);
	restart_init(s);
	refreshes_init(s);
	list_init(&s->lingering);
	s->attempts.jitter = hash_seed_random();
	conn_init(&s->conn[BGP_OUT], s, BGP_OUT);
	conn_init(&s->conn[BGP_IN], s, BGP_IN);
}

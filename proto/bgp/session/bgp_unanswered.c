/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session with a password or keys that does not come up.
 *
 * If the peer has another password, its kernel drops the local segments and the local
 * kernel drops the peer's segments, without a notice. Linux does not refuse a signed
 * connection without a listener either. Two things can be observed: connections without
 * an answer, and the kernel's counters, which cover all sockets. Both are shown; the
 * counters are logged, once until the session has been up.
 *
 * I1  The counters are read once in LOOK_S, or in a shorter connect retry time, only by
 *     sessions with a password or keys that look for their peer. A peer with a wrong
 *     password repeats its SYN within seconds, so LOOK_S need not be as long as a connect
 *     retry time, 120 s.
 *
 * Loop: the session's. Tested by test/net/test_password.py. */
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_drops.h"
#include <inttypes.h>
#include <stdio.h>

#define LOOK_S 15

/* unanswered_is_looking - true if no connection has reached an OPEN, and the last
 * connect was not refused; a refusal is no sign of a wrong password. */
static bool
unanswered_is_looking(const struct bgp_session *s)
{
	return proto_life_wanted(&s->p) && !s->est &&
	       s->conn[BGP_OUT].state < BGP_OPENSENT &&
	       s->conn[BGP_IN].state < BGP_OPENSENT && !s->conn[BGP_OUT].failed;
}

static void
unanswered_set_timer(struct bgp_session *s)
{
	uint64_t retry_s = max_u64(session_conf(s)->timers.connect_retry_s, 1);

	timer_set(&s->unanswered.timer,
	    loop_now_ns(&s->p.worker) + min_u64(retry_s, LOOK_S) * NS_PER_S);
}

/* unanswered_say_drops - since the last look so many were dropped. */
static void
unanswered_say_drops(struct bgp_session *s, const struct sock_drops *more)
{
	char text[BGP_ERROR_TEXT];

	snprintf(text, sizeof(text),
	    "No answer; %" PRIu64 " wrong signatures, %" PRIu64 " missing (all peers)",
	    more->wrong, more->none);
	session_note(s, BGP_ERR_SOCKET, text);
	session_publish(s);
	if (s->unanswered.said)
		return;
	s->unanswered.said = true;
	session_log(s, LOG_C_WARN,
	    "No answer, and meanwhile the kernel has dropped segments of this peer or of "
	    "another peer: %" PRIu64 " with a wrong signature, %" PRIu64
	    " without a signature. Have both sides the same %s?",
	    more->wrong, more->none,
	    session_conf(s)->auth.method == BGP_AUTH_AO ? "keys" : "password");
}

/* bgp_unanswered_look - what has been since the last time. */
static void
bgp_unanswered_look(struct bgp_session *s)
{
	struct bgp_unanswered *u = &s->unanswered;
	struct sock_drops now, more;

	sock_drops_get(&now);
	more.wrong = now.wrong - min_u64(u->drops.wrong, now.wrong);
	more.none = now.none - min_u64(u->drops.none, now.none);
	u->drops = now;
	if (!unanswered_is_looking(s)) {
		u->connecting = false;
		return;
	}
	if (more.wrong || more.none) {
		unanswered_say_drops(s, &more);
	} else if (s->conn[BGP_OUT].state == BGP_CONNECT) {
		/* A connect that has just begun does not count as unanswered. */
		if (u->connecting && !s->last.error_kind) {
			session_note(s, BGP_ERR_SOCKET,
			    "No answer: no router has the address, or the peer has "
			    "another password");
			session_publish(s);
		}
		u->connecting = true;
	}
}

static void
unanswered_fires(struct timer *t)
{
	struct bgp_session *s = container_of(t, struct bgp_session, unanswered.timer);

	if (!proto_life_wanted(&s->p) || s->est ||
	    session_conf(s)->auth.method == BGP_AUTH_NONE)
		return;
	bgp_unanswered_look(s);
	unanswered_set_timer(s);
}

void
unanswered_init(struct bgp_session *s)
{
	timer_init(&s->unanswered.timer, &s->p.worker, unanswered_fires);
}

void
unanswered_begin(struct bgp_session *s)
{
	struct bgp_unanswered *u = &s->unanswered;

	if (session_conf(s)->auth.method == BGP_AUTH_NONE || s->p.tern->dry_run)
		return;
	u->connecting = false;
	sock_drops_get(&u->drops);
	unanswered_set_timer(s);
}

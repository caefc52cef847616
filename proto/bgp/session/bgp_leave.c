/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The silent end of a session before the local restart (RFC 4724, 4.1). Loop: the
 * session's. Tests: test/net/test_own_restart. */
#include "nest/channel/instance/proto_life.h"
#include "nest/core/recovery.h"
#include "nest/core/tern.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/listen/bgp_listen.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "proto/bgp/session/bgp_restart.h"

void
recover_leave(struct bgp_session *s)
{
	proto_life_disable(&s->p);
	s->recovery.leaves = true;
	recover_end(s);
	for (int i = 0; i < 2; i++) {
		/* what had come to something; then what tries */
		session_event(&s->conn[i], BGP_EV_TCP_FAILS);
		session_event(&s->conn[i], BGP_EV_MANUAL_STOP);
	}
	restart_timers_stop(s);
	bgp_listen_leave(s);
	session_publish(s);
}

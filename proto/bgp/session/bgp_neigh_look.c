/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effect of interface changes on a session (bgp_neigh.c): the link of an established
 * session is lost, or the peer can be reached.
 *
 * Loop: the session's. Tested by test/net/test_interface.py. */
#include "lib/base/base.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_err.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "proto/bgp/session/bgp_restart.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

/* bgp_neigh_lose - end the session; @why: the reason for the operator (bgp_neigh.c,
 * I2). */
static void
bgp_neigh_lose(struct bgp_session *s, const char *why)
{
	s->neigh.link_if = 0;
	s->neigh.waits_link = true;
	session_note(s, BGP_ERR_LINK, why);
	s->cause.no_damp = s->cause.way_lost = true;
	for (int i = 0; i < 2; i++) {
		s->cause.fault = (struct bgp_fault){ .code = BGP_E_CEASE };
		session_event(&s->conn[i], BGP_EV_AUTO_STOP);
	}
	s->cause.no_damp = s->cause.way_lost = false;
	restart_end(s); /* I3 */
	session_publish(s);
}

/* bgp_neigh_gain - the peer can be reached. */
static void
bgp_neigh_gain(struct bgp_session *s)
{
	uint64_t at = loop_now_ns(&s->p.worker) +
		      session_conf(s)->timers.connect_delay_s * NS_PER_S;

	if (session_traces(s, DEBUG_INTERFACES))
		proto_log(&s->p, LOG_C_TRACE, "Neighbor ready");
	if (s->neigh.waits_link) {
		s->neigh.waits_link = false;
		session_soon(s);
	} else if (timer_active(&s->attempts.retry) &&
		   timer_at_ns(&s->attempts.retry) > at) {
		timer_set(&s->attempts.retry, at); /* I4 */
		counter64_set(&s->shown.retry_ns, at);
	}
}

void
neigh_look(struct bgp_session *s)
{
	const struct bgp_conf *cf = session_conf(s);
	const struct iface *n = neigh_in(iface_list_get(&s->p.tern->ifaces), cf);
	bool ready = n && (iface_has_carrier(n) || !cf->tcp.check_link);
	bool was = s->neigh.link_ready;

	s->neigh.link_ready = ready;
	if (!s->est && !s->restart.stale)
		s->neigh.link_if = 0;
	if (s->neigh.link_if && (!n || s->neigh.link_if != n->index))
		bgp_neigh_lose(s, "Neighbor lost");
	else if (s->neigh.link_if && !ready)
		bgp_neigh_lose(s, "Link down");
	else if (s->est)
		bgp_chan_link(s, s->est);
	else if (ready && (!was || s->neigh.waits_link))
		bgp_neigh_gain(s);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BFD session of a BGP session (RFC 5882, 10.2; RFC 9384). The BGP session requests
 * the BFD session while the instance is enabled, whether or not the peer is present, as
 * soon as the interface or the local address is known.
 *
 * I1  Only the loss of a BFD session that was up ends the BGP session. A BFD session that
 *     never comes up does not keep the peer away, and a BFD session that an operator
 *     takes down, on either side, says nothing about the path.
 * I2  With `graceful`, and a peer whose routes may stay, the connection counts as broken:
 *     no NOTIFICATION is sent, and the routes stay (RFC 4724). Otherwise the peer gets a
 *     Cease, as Hard Reset (RFC 8538) if the peer would keep the routes otherwise.
 * I3  Without `graceful` the loss of the BFD session withdraws stale routes, too: a peer
 *     that is away has lost the path (RFC 5882, 4.3).
 * I4  While no BGP session is established, the loss of the BFD session starts no error
 *     wait: no routes were lost. A BFD session may come up and be lost again at once if
 *     its first packets overtake one another.
 *
 * Loop: the session's. Tested by test/net/test_bfd_asked.py and
 * test/sim/stories/bfd_*.story. */
#include "lib/wire/bgp/bgp_err.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/bfd/bfd_ask.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/bfd/bfd_place.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_nego.h"
#include "proto/bgp/session/bgp_restart.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"

static void
bgp_bfd_lost(struct bgp_session *s)
{
	const struct bgp_conf *cf = session_conf(s);
	bool graceful = cf->bfd.mode == BGP_BFD_GRACEFUL ||
			bfd_ask_is_graceful(s->bfd.ask);

	if (!proto_life_wanted(&s->p))
		return;
	session_log(s, LOG_C_INFO, "BFD session down");
	session_note(s, BGP_ERR_LINK, "BFD session down");
	if (graceful && s->est && (s->est->terms.gr_fam | s->est->terms.llgr_fam)) {
		session_event(s->est, BGP_EV_TCP_FAILS);
	} else {
		s->cause.way_lost = true;
		s->cause.no_damp = !s->est; /* I4 */
		for (int i = 0; i < 2; i++) {
			s->cause.fault = (struct bgp_fault){ .code = BGP_E_CEASE,
				.subcode = BGP_EC_BFD_DOWN };
			session_event(&s->conn[i], BGP_EV_AUTO_STOP);
		}
		s->cause.way_lost = s->cause.no_damp = false;
		if (!graceful) /* I3 */
			restart_end(s);
	}
	session_publish(s);
}

static void
bgp_bfd_news(struct bfd_ask *a, enum bfd_news what)
{
	static const char *const text[] = { [BFD_NEWS_UP] = "up",
		[BFD_NEWS_DOWN] = "down",
		[BFD_NEWS_ADMIN] = "down by an operator" };
	struct bgp_session *s = a->arg;

	if (a != s->bfd.ask)
		return;
	if (session_traces(s, DEBUG_EVENTS))
		proto_log(&s->p, LOG_C_TRACE, "BFD session is %s", text[what]);
	if (what == BFD_NEWS_DOWN)
		bgp_bfd_lost(s);
}

static void
bgp_bfd_gone(struct bfd_ask *a)
{
	struct bgp_session *s = a->arg;

	s->bfd.cnt--;
	session_soon(s);
}

static const struct bfd_ask_ops bgp_bfd_ops = { .news = bgp_bfd_news,
	.gone = bgp_bfd_gone };

/* bgp_bfd_wanted - with whom. Returns: false: with nobody, now. */
static bool
bgp_bfd_wanted(const struct bgp_session *s, struct bfd_place *place)
{
	const struct bgp_conf *cf = session_conf(s);

	if (!proto_life_wanted(&s->p) || !cf->bfd.mode || cf->dynamic.has_range)
		return false;
	*place = (struct bfd_place){ .peer = cf->id.remote_ip,
		.local = cf->id.local_ip,
		.multihop = cf->tcp.multihop };
	return cf->tcp.multihop ||
	       bfd_place_find(place, iface_list_get(&s->p.tern->ifaces), cf->id.iface,
		   cf->tcp.onlink);
}

void
session_bfd(struct bgp_session *s)
{
	const struct bgp_conf *cf = session_conf(s);
	struct bfd_place place;
	bool wants = bgp_bfd_wanted(s, &place);

	if (s->bfd.ask && (!wants || !bfd_place_same(&s->bfd.ask->place, &place))) {
		struct bfd_ask *a = s->bfd.ask;

		s->bfd.ask = NULL;
		bfd_ask_delete(a);
	}
	if (!wants)
		return;
	if (!s->bfd.ask) {
		s->bfd.cnt++;
		s->bfd.ask = bfd_ask_new(&s->p, &bgp_bfd_ops, s, &place, cf->bfd.opts);
	} else if (s->bfd.conf != cf) {
		bfd_ask_opts(s->bfd.ask, cf->bfd.opts);
	}
	s->bfd.conf = cf;
}

void
session_bfd_look(struct bgp_session *s)
{
	if (s->bfd.ask)
		bfd_ask_look(s->bfd.ask);
}

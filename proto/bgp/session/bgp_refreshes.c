/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refreshes with a begin and an end (RFC 7313).
 *
 * In: when the peer begins, all its routes of the family become stale; at the end the
 * routes that were not sent again are removed. Without an end they are removed after
 * COMING_MAX_S.
 *
 * Out: when the peer asks, the session begins, sends all routes, and ends. A request
 * during a transmission causes a further round after the present round. No refresh begins
 * before the first End-of-RIB (RFC 7313, 4): if nothing has been sent by then, the first
 * transmission already contains all requested routes.
 *
 * I1  A peer without enhanced refresh gets neither begin nor end, and its requests are
 *     refreshes of RFC 2918.
 * I2  The next `synced` of a family in `going` is the end of the refresh that was begun.
 *
 * Loop: the session's. Tests: test/net/test_restart. */
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_refresh.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_restart.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define COMING_MAX_S 600

static void
refreshes_send_kind(struct bgp_session *s, enum bgp_refresh_kind kind, unsigned f)
{
	uint8_t buf[64];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	bgp_refresh_encode(&w, kind, (enum family)f);
	if (session_traces(s, DEBUG_PACKETS))
		proto_log(&s->p, LOG_C_TRACE, "Sending %s",
		    kind == BGP_REFRESH_BEGIN ? "BEGIN-OF-RR" : "END-OF-RR");
	bgp_conn_send(s->est, buf, (uint32_t)wbuf_len(&w));
}

static void
bgp_refreshes_begin(struct bgp_session *s, unsigned f)
{
	if (s->refreshes.going & FAM_BIT(f))
		return;
	s->refreshes.going |= FAM_BIT(f);
	refreshes_send_kind(s, BGP_REFRESH_BEGIN, f);
}

static void
bgp_refreshes_asked(struct bgp_session *s, unsigned f)
{
	bool next = channel_refresh_out(s->chan[f]);

	if (!s->est->terms.enh_refresh)
		return;
	if (!next)
		s->refreshes.asked |= FAM_BIT(f);
	else if (s->refreshes.fed & FAM_BIT(f))
		bgp_refreshes_begin(s, f);
}

static void
bgp_refreshes_ended(struct bgp_session *s, unsigned f)
{
	if (!(s->refreshes.coming & FAM_BIT(f)))
		return;
	s->refreshes.coming &= (uint8_t)~FAM_BIT(f);
	channel_sweep(s->chan[f]);
	channel_import_end(s->chan[f]);
	if (!s->refreshes.coming)
		timer_cancel(&s->refreshes.timer);
}

/* bgp_refreshes_begun - mark the routes stale. Ignored while the peer is back from a
 * restart and has not sent all routes: the peer must not begin then, and its End-of-RIB
 * ends the restart. */
static void
bgp_refreshes_begun(struct bgp_session *s, unsigned f)
{
	if (s->restart.stale & FAM_BIT(f))
		return;
	s->refreshes.coming |= FAM_BIT(f);
	channel_stale(s->chan[f]);
	timer_set(
	    &s->refreshes.timer, loop_now_ns(&s->p.worker) + COMING_MAX_S * NS_PER_S);
	s->refreshes.late = 0;
}

void
refreshes_got(struct bgp_session *s, unsigned kind, unsigned f)
{
	static const char *const text[] = { "ROUTE-REFRESH", "BEGIN-OF-RR", "END-OF-RR" };

	if (session_traces(s, DEBUG_PACKETS))
		proto_log(&s->p, LOG_C_TRACE, "Got %s", text[kind]);
	if (kind == BGP_REFRESH_ASK)
		bgp_refreshes_asked(s, f);
	else if (kind == BGP_REFRESH_BEGIN)
		bgp_refreshes_begun(s, f);
	else
		bgp_refreshes_ended(s, f);
}

bool
refreshes_synced(struct bgp_session *s, unsigned f)
{
	bool went = s->refreshes.going & FAM_BIT(f);

	s->refreshes.fed |= FAM_BIT(f);
	s->refreshes.going &= (uint8_t)~FAM_BIT(f);
	if (went)
		refreshes_send_kind(s, BGP_REFRESH_END, f);
	return !went;
}

void
refreshes_next(struct bgp_session *s, unsigned f)
{
	if (!(s->refreshes.asked & FAM_BIT(f)))
		return;
	s->refreshes.asked &= (uint8_t)~FAM_BIT(f);
	bgp_refreshes_begin(s, f);
}

void
refreshes_up(struct bgp_session *s)
{
	s->refreshes.fed = s->refreshes.going = s->refreshes.asked = 0;
}

void
refreshes_down(struct bgp_session *s)
{
	s->refreshes.coming = 0;
	timer_cancel(&s->refreshes.timer);
}

void
refreshes_flush(struct bgp_session *s)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		bgp_refreshes_ended(s, f);
}

static void
bgp_refreshes_fires(struct timer *t)
{
	struct bgp_session *s = container_of(t, struct bgp_session, refreshes.timer);

	if (restart_put_off(s, t, &s->refreshes.late))
		return;
	session_log(s, LOG_C_WARN,
	    "A refresh of the neighbor has no end: stale routes are removed");
	refreshes_flush(s);
}

void
refreshes_init(struct bgp_session *s)
{
	timer_init(&s->refreshes.timer, &s->p.worker, bgp_refreshes_fires);
}

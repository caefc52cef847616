/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A restarting peer (RFC 4724, 4.2): when the connection breaks, the peer's routes stay
 * for the time that the peer has requested. The routes are stale until the peer is back
 * and announces the routes again; routes not announced by the peer's End-of-RIB are
 * removed.
 *
 *      session        channel        routes           ends with
 *      established    up             -                connection breaks
 *      none           down, away     stale            time is over, a stop, another peer:
 *                                                     the table removes the routes
 *      established    up             some are stale   End-of-RIB, or STALE_MAX_S
 *
 * If the peer has requested long-lived restart (RFC 9494), the stale routes of a family
 * get LLGR_STALE at the end of the time and stay for a second time, which the peer states
 * for each family. The second time continues when the peer is back, until End-of-RIB. The
 * end of the hold time then counts as a broken connection.
 *
 * I1  A family is in `stale` if its channel is away, or up with routes that may be stale.
 * I2  Only a broken connection counts: after a NOTIFICATION of either side no route
 *     stays, unless both sides have announced RFC 8538. With RFC 8538 no route stays
 *     after a Hard Reset. A Hard Reset is sent for a lasting end: the session is disabled
 *     or deleted, or a limit was crossed.
 * I3  When the connection breaks again, routes that were stale already are removed,
 *     unless they are long-lived stale (the table does this).
 *
 * Loop: the session's. Tests: test/net/test_restart, test_path_count.c. */
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bgp/bgp_params.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_nego.h"
#include "proto/bgp/session/bgp_restart.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

/* A peer that is back may send no End-of-RIB. */
#define STALE_MAX_S 600
/* Look again whether octets of it still wait to be read: we may be slow. */
#define LATE_S   2
#define LATE_MAX (STALE_MAX_S / LATE_S)

static void
restart_ends_in(struct bgp_session *s, uint32_t sec, bool shown)
{
	uint64_t at = loop_now_ns(&s->p.worker) + sec * NS_PER_S;

	timer_set(&s->restart.timer, at);
	s->restart.late = 0;
	counter64_set(&s->restart.show_ns, shown ? at : 0);
}

/* bgp_restart_fresh - no route of family @f is stale. */
static void
bgp_restart_fresh(struct bgp_session *s, unsigned f)
{
	s->restart.stale &= (uint8_t)~FAM_BIT(f);
	s->restart.llgr &= (uint8_t)~FAM_BIT(f);
	timer_cancel(&s->restart.llgr_timer[f].timer);
	counter64_set(&s->restart.show_llgr_ns[f], 0);
}

/* bgp_restart_drop - the stale routes of family @f go. */
static void
bgp_restart_drop(struct bgp_session *s, unsigned f)
{
	if (channel_is_up(s->chan[f]))
		channel_sweep(s->chan[f]);
	else
		channel_down(s->chan[f]);
	bgp_restart_fresh(s, f);
}

/* bgp_restart_settle - nothing is to be waited for any more, perhaps; long-lived families
 * have timers of their own. */
static void
bgp_restart_settle(struct bgp_session *s)
{
	if (s->restart.stale & ~s->restart.llgr)
		return;
	timer_cancel(&s->restart.timer);
	counter64_set(&s->restart.show_ns, 0);
}

/* bgp_restart_settled - of families @keep, those whose routes the import policy of now
 * has decided (nest/channel/import/channel_stale.c, I2). */
static uint8_t
bgp_restart_settled(const struct bgp_session *s, uint8_t keep)
{
	for (unsigned f = 0; f < FAM_CNT; f++) {
		struct channel *ch = s->chan[f];

		if (!(keep & FAM_BIT(f)) || !ch || !channel_is_up(ch) ||
		    !channel_unsettled(ch))
			continue;
		keep &= (uint8_t)~FAM_BIT(f);
		proto_log(&s->p, LOG_C_WARN,
		    "The neighbor hasn't sent the routes again that a changed policy "
		    "asks for: the routes of %s are removed",
		    channel_name(ch));
	}
	return keep;
}

uint8_t
restart_keeps(const struct bgp_conn *c)
{
	const struct bgp_session *s = c->s;

	if (s->recovery.leaves)
		return s->restart.stale | c->terms.params.fam;
	if (!proto_life_wanted(&s->p) || s->restart.hard)
		return 0;
	if (c->event != BGP_EV_TCP_FAILS && !c->terms.gr_notify)
		return 0;
	return bgp_restart_settled(s, c->terms.gr_fam | c->terms.llgr_fam);
}

bool
restart_is_hard(const struct bgp_conn *c, const struct bgp_notify *n)
{
	const struct bgp_session *s = c->s;

	if (s->est != c || !c->terms.gr_notify)
		return false;
	return !proto_life_wanted(&s->p) || s->settle.stop_limit || s->cause.way_lost ||
	       (n->code != BGP_E_CEASE && session_conf(s)->timers.disable_after_error);
}

/* restart_begin_long - of family @f, for the first time or once more, when its timer
 * goes on. */
static void
restart_begin_long(struct bgp_session *s, unsigned f)
{
	struct bgp_long_timer *lt = &s->restart.llgr_timer[f];
	uint64_t at = loop_now_ns(&s->p.worker) + s->restart.llgr_s[f] * NS_PER_S;

	channel_long_lived(s->chan[f]);
	s->restart.llgr |= FAM_BIT(f);
	if (timer_active(&lt->timer))
		return;
	timer_set(&lt->timer, at);
	lt->late = 0;
	counter64_set(&s->restart.show_llgr_ns[f], at);
}

void
restart_away(struct bgp_session *s, const struct bgp_conn *c, uint8_t keep)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if ((s->restart.stale & ~keep) & FAM_BIT(f))
			bgp_restart_fresh(s, f); /* its channel went down */
	s->restart.stale = keep;
	if (s->recovery.leaves)
		return;
	if (!keep) {
		bgp_restart_settle(s);
		return;
	}
	s->restart.may_llgr = c->terms.llgr_fam;
	memcpy(s->restart.llgr_s, c->terms.llgr_s, sizeof(s->restart.llgr_s));
	for (unsigned f = 0; f < FAM_CNT; f++)
		if ((keep & (s->restart.llgr | ~c->terms.gr_fam)) & FAM_BIT(f))
			restart_begin_long(s, f);
	if (keep & ~s->restart.llgr) {
		restart_ends_in(s, c->terms.gr_s, true);
		session_log(s, LOG_C_INFO,
		    "Graceful restart of the neighbor: the routes stay for %u s",
		    c->terms.gr_s);
	} else {
		bgp_restart_settle(s);
	}
}

/* restart_has_kept - true if the peer states that it has kept the family's routes. */
static bool
restart_has_kept(const struct bgp_session *s, const struct bgp_conn *c, unsigned f)
{
	uint8_t kept = s->restart.llgr & FAM_BIT(f) ? c->terms.llgr_kept
						    : c->terms.gr_kept;

	return kept & FAM_BIT(f);
}

void
restart_back(struct bgp_session *s, const struct bgp_conn *c)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		if ((s->restart.stale & FAM_BIT(f)) && !restart_has_kept(s, c, f)) {
			if (c->terms.params.fam & FAM_BIT(f))
				channel_sweep(s->chan[f]);
			else
				channel_down(s->chan[f]);
			bgp_restart_fresh(s, f);
		}
	if (s->restart.stale & ~s->restart.llgr)
		restart_ends_in(s, STALE_MAX_S, false);
	bgp_restart_settle(s);
}

void
restart_through(struct bgp_session *s, unsigned f)
{
	if (!(s->restart.stale & FAM_BIT(f)))
		return;
	bgp_restart_drop(s, f);
	bgp_restart_settle(s);
	if (!s->restart.stale)
		session_log(s, LOG_C_INFO, "Graceful restart of the neighbor is done");
	session_publish(s);
}

void
restart_timers_stop(struct bgp_session *s)
{
	timer_cancel(&s->restart.timer);
	for (unsigned f = 0; f < FAM_CNT; f++)
		timer_cancel(&s->restart.llgr_timer[f].timer);
}

void
restart_end(struct bgp_session *s)
{
	if (!s->restart.stale || (s->recovery.leaves && !proto_life_ends(&s->p)))
		return;
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->restart.stale & FAM_BIT(f))
			bgp_restart_drop(s, f);
	bgp_restart_settle(s);
	session_publish(s);
}

void
restart_withdraw(struct bgp_session *s, unsigned f, const char *why)
{
	if (!(s->restart.stale & FAM_BIT(f)) || s->recovery.leaves)
		return;
	proto_log(&s->p, LOG_C_WARN,
	    "%s, and routes before policy aren't kept: "
	    "the stale routes of %s are removed",
	    why, channel_name(s->chan[f]));
	bgp_restart_drop(s, f);
	bgp_restart_settle(s);
	session_publish(s);
}

bool
restart_put_off(struct bgp_session *s, struct timer *t, uint32_t *late)
{
	if (!s->est || !conn_unread(s->est) || *late >= LATE_MAX)
		return false;
	++*late;
	timer_set(t, loop_now_ns(&s->p.worker) + LATE_S * NS_PER_S);
	return true;
}

static void
bgp_restart_fires(struct timer *t)
{
	struct bgp_session *s = container_of(t, struct bgp_session, restart.timer);
	uint8_t over = s->restart.stale & ~s->restart.llgr;
	uint8_t stay = s->est ? 0 : over & s->restart.may_llgr;

	if (restart_put_off(s, t, &s->restart.late))
		return;
	session_log(s, LOG_C_INFO, "%s: the stale routes %s",
	    s->est ? "No End-of-RIB after the neighbor's graceful restart"
		   : "Graceful restart of the neighbor takes too long",
	    stay ? "rank last from now on" : "are removed");
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (stay & FAM_BIT(f))
			restart_begin_long(s, f);
		else if (over & FAM_BIT(f))
			bgp_restart_drop(s, f);
	bgp_restart_settle(s);
	session_publish(s);
}

static void
restart_long_fires(struct timer *t)
{
	struct bgp_long_timer *lt = container_of(t, struct bgp_long_timer, timer);
	struct bgp_session *s = lt->s;

	if (restart_put_off(s, t, &lt->late))
		return;
	session_log(
	    s, LOG_C_INFO, "The long-lived stale time is over: stale routes are removed");
	bgp_restart_drop(s, (unsigned)(lt - s->restart.llgr_timer));
	bgp_restart_settle(s);
	session_publish(s);
}

void
restart_init(struct bgp_session *s)
{
	timer_init(&s->restart.timer, &s->p.worker, bgp_restart_fires);
	for (unsigned f = 0; f < FAM_CNT; f++) {
		s->restart.llgr_timer[f].s = s;
		timer_init(
		    &s->restart.llgr_timer[f].timer, &s->p.worker, restart_long_fires);
	}
}

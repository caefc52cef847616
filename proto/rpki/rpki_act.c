/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions of an instance's state machine: queries, reports, timers, data.
 *
 * I1  An action causes an event only by way of the loop (rpki_link_lost, rpki_link_up and
 *     timers come from the loop), so a step is complete before the next step begins.
 * I2  Data outlives connections. Only the action EMPTY removes the data from the tables;
 *     it takes the channels down: one message each, whatever the number of records.
 * I3  The Retry timer is not moved with each received octet: the timer compares alive_ns
 *     when it fires. Time during which the instance does not read, because the tables
 *     accept nothing, does not count.
 *
 * Loop: the instance's. Tested by test/net/test_rpki.py and
 * test/sim/stories/rtr_errors.story. */
#include "lib/base/plural.h"
#include "nest/conf/config.h"
#include "proto/rpki/rpki.h"

#include "lib/base/hash.h"
#include "lib/mt/atomic.h"
#include "lib/wire/rtr.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "proto/rpki/rpki_data.h"
#include "proto/rpki/rpki_fsm.h"
#include "proto/rpki/rpki_priv.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <bsd/string.h>

#define ABOUT_MAX 256 /* octets of a wrong PDU that are sent back */

static uint64_t
rpki_act_now_of(const struct rpki_proto *s)
{
	return loop_now_ns(&s->p.worker);
}

/* ---- times ---- */

static void
act_start_timer(
    struct rpki_proto *s, struct timer *t, struct counter64 *shown, uint64_t ns)
{
	uint64_t at = rpki_act_now_of(s) + ns;

	timer_set(t, at);
	counter64_set(shown, at);
}

static void
rpki_act_stop_timer(struct timer *t, struct counter64 *shown)
{
	timer_cancel(t);
	counter64_set(shown, 0);
}

/* rpki_act_jittered - times 0.75 to 1: caches have many routers. */
static uint64_t
rpki_act_jittered(uint32_t sec)
{
	uint64_t part = hash_seed_random() % 250;

	return sec * (NS_PER_MS * (750 + part));
}

static void
rpki_act_retry(struct rpki_proto *s)
{
	act_start_timer(
	    s, &s->timers.retry, &s->shown.retry_ns, rpki_retry_s(s) * NS_PER_S);
	s->timers.alive_ns = rpki_act_now_of(s);
}

static void
act_backoff(struct rpki_proto *s)
{
	uint32_t most = rpki_retry_s(s),
		 sec = s->timers.backoff_s ? s->timers.backoff_s : 1;

	sec = sec < most ? sec : most;
	s->timers.backoff_s = 2 * sec;
	s->timers.wait_s = sec;
	act_start_timer(s, &s->timers.retry, &s->shown.retry_ns, rpki_act_jittered(sec));
}

/* ---- actions ---- */

static void
act_send_pdu(struct rpki_proto *s, const struct rtr_pdu *p)
{
	uint8_t buf[RPKI_OUT_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	rtr_encode(&w, p);
	if (rpki_traces(s, DEBUG_PACKETS))
		proto_log(&s->p, LOG_C_TRACE,
		    "Sending %s packet (version %u, session id %u, serial %u)",
		    rtr_type_text(p->type), p->version, p->session, p->serial);
	link_send(s, buf, (uint32_t)wbuf_len(&w));
}

static void
act_query(struct rpki_proto *s)
{
	bool serial = s->cache.known &&
		      s->cache.known_version == s->cache.version; /* RFC 8210, 7 */

	s->cache.serial_query = serial;
	act_send_pdu(s, &(struct rtr_pdu){ .version = s->cache.version,
			    .type = serial ? RTR_SERIAL_QUERY : RTR_RESET_QUERY,
			    .session = serial ? s->cache.session : 0,
			    .serial = serial ? s->cache.serial : 0 });
}

static void
act_send_error(struct rpki_proto *s)
{
	const char *text = s->present.fault.text;

	rpki_note(s, text);
	if (!s->present.about)
		return;
	act_send_pdu(
	    s, &(struct rtr_pdu){ .version = s->cache.version,
		   .type = RTR_ERROR_REPORT,
		   .error = s->present.fault.error,
		   .about = s->present.about,
		   .about_len = (uint32_t)min_u64(s->present.about_len, ABOUT_MAX),
		   .text = (const uint8_t *)text,
		   .text_len = (uint32_t)strlen(text) });
}

static void
act_collect(struct rpki_proto *s)
{
	for (unsigned i = 0; i < RPKI_TABLES; i++)
		if (s->chan[i].ch)
			rpki_data_begin(&s->chan[i].data, !s->cache.serial_query);
}

static void
act_drop(struct rpki_proto *s)
{
	for (unsigned i = 0; i < RPKI_TABLES; i++)
		if (s->chan[i].ch)
			rpki_data_drop(&s->chan[i].data);
	rpki_feed(s); /* a reload may have waited, too */
}

static void
act_apply(struct rpki_proto *s)
{
	for (unsigned i = 0; i < RPKI_TABLES; i++)
		if (s->chan[i].ch)
			rpki_data_apply(&s->chan[i].data);
	counter64_set(&s->shown.update_ns, rpki_act_now_of(s));
	s->timers.backoff_s = 0;
	s->feed.announced_all = true;
	s->shown.kept[0] = 0;
	rpki_say_recovered(s);
	rpki_note(s, "");
	rpki_feed(s);
}

static void
act_empty(struct rpki_proto *s)
{
	uint32_t cnt = rpki_records(s);

	rpki_feed_stop(s); /* reading resumes after the feed */
	for (unsigned i = 0; i < RPKI_TABLES; i++)
		if (s->chan[i].ch)
			channel_down(s->chan[i].ch);
	rpki_act_stop_timer(&s->timers.expire, &s->shown.expire_ns);
	counter64_set(&s->shown.update_ns, 0);
	s->shown.kept[0] = 0;
	if (!proto_life_is_up(&s->p))
		return;
	proto_log(&s->p, LOG_C_WARN, "The cache's data has expired: %u record%s removed",
	    cnt, plural(cnt, " is", "s are"));
	rpki_channels_up(s);
}

static void
act_forget(struct rpki_proto *s)
{
	s->cache.known = false;
}

static void
act_connect(struct rpki_proto *s)
{
	s->cache.negotiated = false;
	link_open(s);
}

static void
act_close(struct rpki_proto *s)
{
	rpki_act_stop_timer(&s->timers.refresh, &s->shown.refresh_ns);
	link_close(s);
}

static void
rpki_act_do_action(struct rpki_proto *s, enum rpki_action a)
{
	switch (a) {
	case RPKI_ACT_NONE:
		break;
	case RPKI_ACT_CONNECT:
		act_connect(s);
		break;
	case RPKI_ACT_CLOSE:
		act_close(s);
		break;
	case RPKI_ACT_QUERY:
		act_query(s);
		break;
	case RPKI_ACT_COLLECT:
		act_collect(s);
		break;
	case RPKI_ACT_TAKE: /* rpki_rx does it for each record without the machine */
		break;
	case RPKI_ACT_DROP:
		act_drop(s);
		break;
	case RPKI_ACT_APPLY:
		act_apply(s);
		break;
	case RPKI_ACT_FORGET:
		act_forget(s);
		break;
	case RPKI_ACT_DOWNGRADE:
		s->cache.version = s->present.lower;
		break;
	case RPKI_ACT_RAISE:
		s->cache.version = rpki_conf(s)->max_version;
		break;
	case RPKI_ACT_SEND_ERROR:
		act_send_error(s);
		break;
	case RPKI_ACT_RETRY:
		rpki_act_retry(s);
		break;
	case RPKI_ACT_BACKOFF:
		act_backoff(s);
		break;
	case RPKI_ACT_REFRESH:
		act_start_timer(s, &s->timers.refresh, &s->shown.refresh_ns,
		    rpki_refresh_s(s) * NS_PER_S);
		break;
	case RPKI_ACT_EXPIRE:
		act_start_timer(s, &s->timers.expire, &s->shown.expire_ns,
		    rpki_expire_s(s) * NS_PER_S);
		break;
	case RPKI_ACT_LIVE:
		rpki_act_stop_timer(&s->timers.retry, &s->shown.retry_ns);
		break;
	case RPKI_ACT_HUSH:
		rpki_act_stop_timer(&s->timers.refresh, &s->shown.refresh_ns);
		break;
	case RPKI_ACT_EMPTY:
		act_empty(s);
		break;
	}
}

void
rpki_event(struct rpki_proto *s, enum rpki_event e)
{
	enum rpki_state before = s->state;
	struct rpki_step st = rpki_fsm_step(before, e, s->cache.serial_query);

	ASSERT(!s->present.acting); /* I1 */
	s->present.acting = true;
	s->state = st.next;
	if (st.next != before && rpki_traces(s, DEBUG_STATES))
		proto_log(&s->p, LOG_C_TRACE, "Changing from %s to %s state (%s)",
		    rpki_state_text(before), rpki_state_text(st.next),
		    rpki_event_text(e));
	for (unsigned i = 0; i < st.cnt; i++)
		rpki_act_do_action(s, st.action[i]);
	s->present.acting = false;
	rpki_say(s, before, e, &st);
	if (st.cnt)
		rpki_publish(&s->p);
}

void
rpki_fault(
    struct rpki_proto *s, const struct rtr_fault *f, const uint8_t *about, uint32_t len)
{
	s->present.fault = *f;
	s->present.about = about;
	s->present.about_len = len;
	rpki_event(s, RPKI_EV_FAULT);
	s->present.about = NULL;
}

void
rpki_link_up(struct rpki_proto *s)
{
	rpki_event(s, RPKI_EV_CONNECTED);
}

void
rpki_link_lost(struct rpki_proto *s, const char *text)
{
	rpki_note(s, text);
	rpki_event(s, RPKI_EV_LOST);
}

/* ---- timers ---- */

static void
rpki_act_retry_fires(struct timer *t)
{
	struct rpki_proto *s = container_of(t, struct rpki_proto, timers.retry);
	uint64_t limit = rpki_retry_s(s) * NS_PER_S;
	bool syncing = s->state == RPKI_START || s->state == RPKI_RUNNING;

	if (s->feed.on)
		s->timers.alive_ns = rpki_act_now_of(s);
	if (syncing && rpki_act_now_of(s) < s->timers.alive_ns + limit) { /* I3 */
		act_start_timer(s, t, &s->shown.retry_ns,
		    s->timers.alive_ns + limit - rpki_act_now_of(s));
		return;
	}
	counter64_set(&s->shown.retry_ns, 0);
	if (syncing || s->state == RPKI_CONNECTING)
		rpki_note(s, "The cache doesn't answer");
	rpki_event(s, RPKI_EV_RETRY);
}

static void
act_refresh_fires(struct timer *t)
{
	rpki_event(container_of(t, struct rpki_proto, timers.refresh), RPKI_EV_REFRESH);
}

static void
act_expire_fires(struct timer *t)
{
	rpki_event(container_of(t, struct rpki_proto, timers.expire), RPKI_EV_EXPIRE);
}

static void
rpki_act_more(struct timer *t)
{
	rpki_feed(container_of(t, struct rpki_proto, timers.more));
}

/* rpki_act_change - adjust a running timer to the new interval, counted from the timer's
 * start. */
static void
rpki_act_change(struct timer *t, struct counter64 *shown, uint32_t was_s, uint32_t now_s)
{
	uint64_t at;

	if (!timer_active(t) || was_s == now_s)
		return;
	at = timer_at_ns(t) - was_s * NS_PER_S + now_s * NS_PER_S;
	timer_set(t, at);
	counter64_set(shown, at);
}

void
rpki_timers_init(struct rpki_proto *s)
{
	struct worker *w = &s->p.worker;

	timer_init(&s->timers.retry, w, rpki_act_retry_fires);
	timer_init(&s->timers.refresh, w, act_refresh_fires);
	timer_init(&s->timers.expire, w, act_expire_fires);
	timer_init(&s->timers.more, w, rpki_act_more);
}

void
rpki_timers_changed(struct rpki_proto *s, uint32_t refresh_s, uint32_t expire_s)
{
	rpki_act_change(
	    &s->timers.refresh, &s->shown.refresh_ns, refresh_s, rpki_refresh_s(s));
	rpki_act_change(
	    &s->timers.expire, &s->shown.expire_ns, expire_s, rpki_expire_s(s));
}

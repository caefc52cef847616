/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session: carries out the steps of its machine, and the changes that packets cause.
 *
 * I1  tx_us, rx_us are the intervals in sent packets. tx_act_us, rx_act_us are the
 *     effective intervals. While the session is up a longer tx_us or a shorter rx_us
 *     takes effect when the other side has answered a poll (6.8.3); every other change
 *     takes effect at once.
 * I2  A session that is not up sends each `idle tx interval`, or `min tx interval` if
 *     that is longer.
 * I3  A session that leaves is in AdminDown and in b->leaving, and nobody sees the
 *     session. A request for the same neighbour ends the session at once and makes a new
 *     session.
 * I4  Sequence numbers of authentication grow with each packet if the type is meticulous,
 *     else with each packet of changed content.
 *
 * Loop: the instance's. Tested by test/net/test_bfd.py and
 * test/sim/stories/bfd_admin.story, bfd_down.story. */
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/bfd.h"
#include "lib/wire/wbuf.h"
#include "nest/bfd/bfd_ask.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/bfd/bfd_shown.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "proto/bfd/bfd_conf.h"
#include "proto/bfd/bfd_fsm.h"
#include "proto/bfd/bfd_priv.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/clock.h"

#define NEWS_BURST 20 /* log lines about sessions in a second */
#define END_CNT    2 /* packets of bfd_session_end: one may be lost */

static bool
bfd_session_traces(const struct bfd_session *s, uint32_t mask)
{
	return load_relaxed32(&s->b->p.debug) & mask;
}

/* bfd_session_may_log - a log line about the session, if there weren't too many. */
static bool
bfd_session_may_log(struct bfd_proto *b)
{
	uint64_t now = bfd_now(b);

	if (now >= b->news.until_ns) {
		if (b->news.cnt > NEWS_BURST)
			proto_log(&b->p, LOG_C_INFO, "%u more change%s of sessions",
			    b->news.cnt - NEWS_BURST,
			    plural(b->news.cnt - NEWS_BURST, "", "s"));
		b->news.until_ns = now + NS_PER_S;
		b->news.cnt = 0;
	}
	return ++b->news.cnt <= NEWS_BURST;
}

/* ---- what it is like ---- */

static uint32_t
session_to_us(uint64_t ns)
{
	return (uint32_t)max_u64(1, min_u64(ns / NS_PER_US, UINT32_MAX));
}

static void
session_set_intervals(struct bfd_session *s)
{
	uint32_t tx = session_to_us(s->opts.min_tx_ns),
		 rx = session_to_us(s->opts.min_rx_ns);

	if (s->state != BFD_UP)
		tx = (uint32_t)max_u64(tx, session_to_us(s->opts.idle_tx_ns)); /* I2 */
	if (s->state == BFD_UP && (tx != s->rate.tx_us || rx != s->rate.rx_us))
		s->poll = true;
	s->rate.tx_us = tx;
	s->rate.rx_us = rx;
	if (s->state != BFD_UP || tx < s->rate.tx_act_us) /* I1 */
		s->rate.tx_act_us = tx;
	if (s->state != BFD_UP || rx > s->rate.rx_act_us)
		s->rate.rx_act_us = rx;
}

/* bfd_session_retime - set the timers by the effective intervals. */
static void
bfd_session_retime(struct bfd_session *s)
{
	bfd_retime_tx(s);
	bfd_retime_detect(s);
}

static void
bfd_session_polled(struct bfd_session *s)
{
	s->poll = false;
	s->rate.tx_act_us = s->rate.tx_us;
	s->rate.rx_act_us = s->rate.rx_us;
}

/* session_by_conf - what the configuration says of sessions like @s. */
static const struct bfd_opts *
session_by_conf(const struct bfd_session *s)
{
	const struct bfd_conf *cf = bfd_conf_of(s->b);
	const struct iface *i;

	if (s->place.multihop)
		return cf->multihop;
	i = iface_by_index(iface_list_get(&s->b->p.tern->ifaces), s->place.ifindex);
	return i ? bfd_conf_opts(cf, i, s->place.local) : NULL;
}

void
bfd_session_opts(struct bfd_session *s)
{
	const struct bfd_ask *first = list_empty(&s->asks) ? NULL
							   : container_of(s->asks.next,
								 struct bfd_ask, link);
	uint8_t auth = s->opts.auth;

	bfd_opts_merge(&s->opts, first ? first->session_opts : NULL, session_by_conf(s));
	if (s->opts.auth != auth)
		s->seq.rx_known = false;
	session_set_intervals(s);
	bfd_session_retime(s);
	bfd_show_session(s);
}

/* ---- packets out ---- */

/* bfd_session_sign - which key the packet is to have. Returns: false: there is none. */
static bool
bfd_session_sign(struct bfd_session *s, struct bfd_packet *p, struct bfd_key *key)
{
	const struct bfd_opt_key *k;

	if (!s->opts.auth)
		return true;
	k = bfd_opts_key_to_send(&s->opts, clock_real_ns(bfd_now(s->b)) / NS_PER_S);
	if (!k) {
		char peer[IP_STR_MAX];

		bfd_odd(s->b, BFD_ODD_KEY, "No password to send with to %s",
		    ip_str(peer, s->place.peer));
		return false;
	}
	bfd_opts_key_open(key, k);
	p->auth_type = s->opts.auth;
	p->key_id = k->id;
	if (bfd_auth_is_meticulous(s->opts.auth))
		s->seq.tx++;
	p->seq = s->seq.tx;
	store_relaxed32(&s->shown->tx_seq, s->seq.tx);
	return true;
}

static void
session_trace_packet(
    const struct bfd_session *s, const char *what, const struct bfd_packet *p)
{
	char peer[IP_STR_MAX];

	if (!bfd_session_traces(s, DEBUG_PACKETS))
		return;
	proto_log(&s->b->p, LOG_C_TRACE, "%s %s [%s%s%s]", what,
	    ip_str(peer, s->place.peer), bfd_state_text(p->state),
	    p->flags & BFD_POLL ? " P" : "", p->flags & BFD_FINAL ? " F" : "");
}

void
bfd_session_send(struct bfd_session *s, bool final)
{
	struct bfd_packet p = { .diag = s->diag,
		.state = s->state,
		.flags = final     ? BFD_FINAL
			 : s->poll ? BFD_POLL
				   : 0,
		.mult = (uint8_t)s->opts.mult,
		.mine = s->mine,
		.yours = s->yours,
		.min_tx_us = s->rate.tx_us,
		.min_rx_us = s->rate.rx_us };
	struct bfd_key key = { 0 };
	/* RFC 5880, 6.8.7: a passive side does not send first */
	bool hushed = s->opts.passive == BFD_YES && !s->yours;
	uint8_t *room = hushed ? NULL : bfd_out_room(s);

	if (room && bfd_session_sign(s, &p, &key)) {
		struct wbuf w = wbuf_of(room, BFD_LEN_MAX);

		bfd_encode(&w, &p, &key);
		explicit_bzero(&key, sizeof(key));
		bfd_out_add(s, wbuf_len(&w));
		counter64_bump(&s->shown->cnt.sent, 1);
		session_trace_packet(s, "Sending CTL to", &p);
	}
	s->tx_ns = clock_now_ns();
	bfd_next_tx(s);
}

/* ---- the machine ---- */

void
bfd_session_notify(const struct bfd_session *s, struct bfd_ask *a)
{
	bfd_ask_notify(a, s->state, false, s->remote.state == BFD_ADMIN_DOWN,
	    s->opts.graceful == BFD_YES);
}

static void
bfd_session_notify_all(struct bfd_session *s, bool lost, bool admin)
{
	struct list *n;

	list_for_each (n, &s->asks)
		bfd_ask_notify(container_of(n, struct bfd_ask, link), s->state, lost,
		    admin, s->opts.graceful == BFD_YES);
}

static void
session_log_change(struct bfd_session *s, uint8_t old)
{
	bool up = s->state == BFD_UP, was = old == BFD_UP;
	char peer[IP_STR_MAX];

	ip_str(peer, s->place.peer);
	if (bfd_session_traces(s, DEBUG_EVENTS))
		proto_log(&s->b->p, LOG_C_TRACE,
		    "Session to %s changed state from %s to %s", peer,
		    bfd_state_text(old), bfd_state_text(s->state));
	if (up == was || !bfd_session_may_log(s->b))
		return;
	if (up)
		proto_log(&s->b->p, LOG_C_INFO, "Session to %s is up", peer);
	else if (s->diag == BFD_DIAG_SIGNALED)
		proto_log(&s->b->p, LOG_C_INFO, "Session to %s is down: %s (%s)", peer,
		    bfd_diag_text(s->diag), bfd_diag_text(s->remote.diag));
	else
		proto_log(&s->b->p, LOG_C_INFO, "Session to %s is down: %s", peer,
		    bfd_diag_text(s->diag));
}

/* bfd_session_enter - change the state, before protocols are notified. */
static void
bfd_session_enter(struct bfd_session *s, uint8_t state)
{
	s->state = state;
	s->poll = false;
	session_set_intervals(s);
	s->seq.tx++; /* I4 */
	if (state == BFD_UP) {
		counter64_bump(&s->shown->cnt.ups, 1);
		s->poll = true; /* the intervals have changed */
	}
}

static void
bfd_session_act(struct bfd_session *s, enum bfd_action a)
{
	switch (a) {
	case BFD_ACT_CLEAR:
		s->diag = BFD_DIAG_NONE;
		break;
	case BFD_ACT_EXPIRED:
		s->diag = BFD_DIAG_EXPIRED;
		break;
	case BFD_ACT_SIGNALED:
		s->diag = BFD_DIAG_SIGNALED;
		break;
	case BFD_ACT_PATH:
		s->diag = BFD_DIAG_PATH;
		break;
	case BFD_ACT_ADMIN:
		s->diag = BFD_DIAG_ADMIN;
		break;
	case BFD_ACT_FORGET:
		s->yours = 0;
		s->remote.state = BFD_DOWN;
		break;
	case BFD_ACT_NOTIFY_UP:
		bfd_session_notify_all(s, false, false);
		break;
	case BFD_ACT_NOTIFY_DOWN:
		counter64_bump(&s->shown->cnt.losses, 1);
		bfd_session_notify_all(s, true, false);
		break;
	case BFD_ACT_NOTIFY_ADMIN:
		bfd_session_notify_all(s, false, true);
		break;
	case BFD_ACT_SEND:
		bfd_session_send(s, false);
		break;
	case BFD_ACT_NONE:
		break;
	}
}

void
bfd_session_event(struct bfd_session *s, enum bfd_event e)
{
	struct bfd_step st = bfd_fsm_step(s->state, e);
	uint8_t old = s->state;

	if (st.next != old)
		bfd_session_enter(s, st.next);
	for (unsigned i = 0; i < st.cnt; i++)
		bfd_session_act(s, st.action[i]);
	if (st.next != old) {
		session_log_change(s, old);
		store_relaxed64(&s->shown->since_ns, bfd_now(s->b));
	}
	bfd_retime_tx(s);
	bfd_show_session(s);
}

/* ---- packets in ---- */

void
bfd_session_packet(struct bfd_session *s, const struct bfd_packet *p, uint64_t at_ns)
{
	bool news = s->yours != p->mine || s->remote.state != p->state ||
		    s->remote.min_tx_us != p->min_tx_us ||
		    s->remote.min_rx_us != p->min_rx_us || s->remote.mult != p->mult ||
		    s->remote.demand != !!(p->flags & BFD_DEMAND);

	session_trace_packet(s, "CTL received from", p);
	counter64_bump(&s->shown->cnt.received, 1);
	s->yours = p->mine;
	s->remote.state = p->state;
	s->remote.diag = p->diag;
	s->remote.demand = p->flags & BFD_DEMAND;
	s->remote.min_tx_us = p->min_tx_us;
	s->remote.min_rx_us = p->min_rx_us;
	s->remote.mult = p->mult;
	s->rx_ns = max_u64(s->rx_ns, at_ns);
	store_relaxed64(&s->shown->heard_ns, s->rx_ns);
	if (p->flags & BFD_FINAL && s->poll) {
		bfd_session_polled(s);
		news = true;
	}
	if (news || !s->detect.node.pos || !s->tx.node.pos)
		bfd_session_retime(s);
	if (p->state != BFD_UP || s->state != BFD_UP)
		bfd_session_event(s, bfd_rx_event(p->state));
	if (p->flags & BFD_POLL && s->state != BFD_ADMIN_DOWN)
		bfd_session_send(s, true);
	if (news)
		bfd_show_session(s);
}

/* ---- life ---- */

static uint64_t
session_hash_place(const struct bfd_place *p)
{
	uint64_t h = hash_u64(p->peer.hi, p->peer.lo);

	return hash_u64(h, p->multihop ? p->local.lo : p->ifindex);
}

static bool
session_same_place(const struct bfd_place *a, const struct bfd_place *b)
{
	return a->multihop == b->multihop && a->ifindex == b->ifindex &&
	       ip_equal(a->peer, b->peer) &&
	       (!a->multihop || ip_equal(a->local, b->local));
}

struct bfd_session *
bfd_find_place(const struct bfd_proto *b, const struct bfd_place *place)
{
	struct htab_node *n;

	htab_each_same (n, &b->by_place, session_hash_place(place)) {
		struct bfd_session *s = container_of(n, struct bfd_session, by_place);

		if (session_same_place(&s->place, place))
			return s;
	}
	return NULL;
}

struct bfd_session *
bfd_find(const struct bfd_proto *b, uint32_t mine)
{
	struct htab_node *n = htab_find(&b->by_mine, hash_u64(0, mine));

	for (; n; n = htab_next(n)) {
		struct bfd_session *s = container_of(n, struct bfd_session, by_mine);

		if (s->mine == mine)
			return s;
	}
	return NULL;
}

static struct bfd_shown *
session_shown_new(const struct bfd_session *s)
{
	struct bfd_shown *w = mem_zalloc(MEM_PROTO, sizeof(*w));
	const struct iface *i = iface_by_index(
	    iface_list_get(&s->b->p.tern->ifaces), s->place.ifindex);

	w->place = s->place;
	w->mine = s->mine;
	if (i && !s->place.multihop)
		memcpy(w->ifname, i->name, sizeof(w->ifname));
	store_relaxed64(&w->since_ns, bfd_now(s->b));
	return w;
}

struct bfd_session *
bfd_session_new(struct bfd_proto *b, const struct bfd_place *place)
{
	struct bfd_session *s = mem_zalloc(MEM_PROTO, sizeof(*s));
	char peer[IP_STR_MAX];

	s->b = b;
	s->place = *place;
	s->tx.s = s->detect.s = s;
	s->detect.detects = true;
	list_init(&s->asks);
	do
		s->mine = (uint32_t)bfd_random(b);
	while (!s->mine || bfd_find(b, s->mine));
	s->seq.tx = (uint32_t)bfd_random(b);
	s->state = s->remote.state = BFD_DOWN;
	s->remote.min_rx_us = 1;
	s->shown = session_shown_new(s);
	s->sock = bfd_sock_get(b, place);
	htab_add(&b->by_mine, &s->by_mine, hash_u64(0, s->mine));
	htab_add(&b->by_place, &s->by_place, session_hash_place(place));
	list_add_tail(&b->sessions, &s->link);
	b->session_cnt++;
	b->sessions_changed = true;
	if (bfd_session_traces(s, DEBUG_EVENTS))
		proto_log(&b->p, LOG_C_TRACE, "Session to %s added",
		    ip_str(peer, s->place.peer));
	return s;
}

static void
session_keep_counts(struct bfd_shown *w, const struct bfd_shown *old)
{
	counter64_bump(&w->cnt.received, counter64_get(&old->cnt.received));
	counter64_bump(&w->cnt.sent, counter64_get(&old->cnt.sent));
	counter64_bump(&w->cnt.ups, counter64_get(&old->cnt.ups));
	counter64_bump(&w->cnt.losses, counter64_get(&old->cnt.losses));
	store_relaxed32(&w->asks, load_relaxed32(&old->asks));
}

/* session_show_anew - publish the session under a new record. */
static void
session_show_anew(struct bfd_session *s)
{
	struct bfd_shown *old = s->shown;

	s->shown = session_shown_new(s);
	session_keep_counts(s->shown, old);
	bfd_show_session(s);
	bfd_show_gone(s->b, old);
	s->b->sessions_changed = true;
}

void
bfd_session_move(struct bfd_session *s, struct ip_addr local)
{
	struct bfd_proto *b = s->b;

	if (s->state != BFD_DOWN)
		bfd_session_event(s, BFD_EV_PATH);
	bfd_sock_put(s->sock);
	s->place.local = local;
	s->sock = bfd_sock_get(b, &s->place);
	session_show_anew(s);
}

void
bfd_session_leave(TAKE struct bfd_session *s)
{
	if (!s->yours) { /* nobody listens */
		bfd_session_free(s);
		return;
	}
	session_show_anew(s);
	list_del(&s->link);
	list_add_tail(&s->b->leaving, &s->link);
	s->b->session_cnt--;
	s->diag = BFD_DIAG_ADMIN;
	bfd_session_enter(s, BFD_ADMIN_DOWN);
	bfd_session_send(s, false);
	s->leave_ns = s->tx_ns + (uint64_t)s->opts.mult * bfd_tx_us(s) * NS_PER_US;
}

void
bfd_session_end(TAKE struct bfd_session *s)
{
	for (unsigned i = 0; i < END_CNT; i++)
		bfd_session_send(s, false);
	bfd_session_free(s);
}

void
bfd_session_free(TAKE struct bfd_session *s)
{
	struct bfd_proto *b = s->b;
	char peer[IP_STR_MAX];

	DCHECK(list_empty(&s->asks));
	if (bfd_session_traces(s, DEBUG_EVENTS))
		proto_log(&b->p, LOG_C_TRACE, "Session to %s removed",
		    ip_str(peer, s->place.peer));
	bfd_out_flush(b);
	bfd_untime(s);
	htab_del(&b->by_mine, &s->by_mine);
	htab_del(&b->by_place, &s->by_place);
	list_del(&s->link);
	bfd_sock_put(s->sock);
	if (s->leave_ns) { /* I3 */
		bfd_shown_put(s->shown);
	} else {
		b->session_cnt--;
		b->sessions_changed = true;
		bfd_show_gone(b, s->shown);
	}
	mem_free(MEM_PROTO, s);
}

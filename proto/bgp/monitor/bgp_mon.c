/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a session to monitors (nest/monitor/monitor.h): start and end of the
 * session, and the received UPDATEs.
 *
 * I1  An UPDATE is reported after it was handled: its routes are on the ring to the table
 *     before a monitor sees the UPDATE, so a monitor that reads the table can know when
 *     the table has the routes.
 * I2  Refused routes (RFC 7606's treat-as-withdraw, the local AS in the path) are not in
 *     the Adj-RIB-In: monitors get a withdrawal for refused routes.
 *
 * Loop: the session's. Tested by test/net/test_bmp.py. */
#include "lib/base/base.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_update_dec.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "lib/wire/bmp.h"
#include "lib/wire/wbuf.h"
#include "nest/monitor/monitor.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_opt.h"

#include <bsd/string.h>
#include <string.h>

_Static_assert(MONITOR_MAX <= 32, "a bit each");

/* ---- the session as reported ---- */

static void
bgp_mon_ends_of(const struct bgp_conn *c, struct monitor_life *l)
{
	struct os_fd fd = sock_tcp_fd(&c->sock);

	l->peer = session_conf(c->s)->id.remote_ip;
	l->peer_port = sock_remote_end(fd).port;
	l->local = c->local_ip;
	l->local_port = sock_local_end(fd).port;
}

static OWNED struct monitor_life *
mon_life_of(const struct bgp_conn *c)
{
	const struct bgp_session *s = c->s;
	uint8_t ours[BGP_OPEN_MAX];
	struct wbuf w = wbuf_of(ours, sizeof(ours));
	struct monitor_life *l;

	bgp_open_encode(&w, &c->ours, c->with_caps);
	l = monitor_life_new(s->p.tern, wbuf_len(&w) + c->open_len);
	strlcpy(l->name, s->p.name, sizeof(l->name));
	bgp_mon_ends_of(c, l);
	l->peer_as = c->theirs.as;
	l->local_as = c->ours.as;
	l->router_id = c->theirs.router_id;
	l->up_us = clock_real_ns(clock_now_ns()) / NS_PER_US;
	l->msg_max = (uint16_t)c->msg_max;
	l->as4 = c->terms.params.as4;
	l->local_pref = c->terms.params.ibgp || c->terms.params.confed ||
			c->terms.params.allow_local_pref;
	l->fam = c->terms.params.fam;
	l->ids = c->terms.params.ids;
	l->sent_len = (uint16_t)wbuf_len(&w);
	l->received_len = c->open_len;
	memcpy(l->open, ours, l->sent_len);
	if (c->open_len)
		memcpy(l->open + l->sent_len, c->open, c->open_len);
	return l;
}

void
mon_open(struct bgp_conn *c, const struct bgp_msg *m)
{
	mem_free(MEM_PROTO, c->open);
	c->open = mem_alloc(MEM_PROTO, m->len);
	c->open_len = m->len;
	memcpy(c->open, m->body - BGP_HDR_LEN, m->len);
}

void
mon_look(struct bgp_conn *c, bool fresh)
{
	const struct monitor_list *l = monitor_list_get(c->s->p.tern);
	struct bgp_mon *mon = &c->s->mon;
	uint32_t seen = mon->seen_nr, again = 0, out_since;

	if (!l || (mon->life && l->nr == seen))
		return;
	for (unsigned r = 0; r < MON_RIB_CNT; r++)
		if (mon->out[r].again_for)
			again = UINT32_MAX; /* places in the list are others now */
	mon->wants = mon->lost = mon->ends = 0;
	for (unsigned r = 0; r < MON_RIB_CNT; r++)
		mon->out[r].wants = mon->out[r].again_for = 0;
	if (!mon->life) {
		mon->life = mon_life_of(c);
		seen = 0;
	}
	mon->seen_nr = l->nr;
	for (uint32_t i = 0; i < l->cnt; i++) {
		struct monitor *m = l->at[i];

		if (!monitor_wants(m, c->s->p.name))
			continue;
		if (!seen || monitor_nr_after(m->since, seen))
			monitor_report(m, MON_UP, fresh, mon->life, NULL);
		mon->wants |= m->updates ? 1u << i : 0;
		mon->ends |= m->ends ? 1u << i : 0;
		mon->out[MON_RIB_SENT].wants |= m->outs ? 1u << i : 0;
		mon->out[MON_RIB_OFFER].wants |= m->offers ? 1u << i : 0;
		out_since = load_relaxed32(&m->out_since);
		if (out_since && (!seen || monitor_nr_after(out_since, seen)))
			again |= 1u << i;
	}
	for (unsigned r = 0; r < MON_RIB_CNT && !fresh; r++)
		if (again & mon->out[r].wants)
			mon_again(c, l, (enum bgp_mon_rib)r, again & mon->out[r].wants);
}

const struct monitor_list *
mon_list(struct bgp_conn *c)
{
	const struct monitor_list *l;

	while ((l = monitor_list_get(c->s->p.tern)) && l->nr != c->s->mon.seen_nr)
		mon_look(c, false);
	return l;
}

/* ---- its end ---- */

static void
mon_forget_last(struct bgp_mon *mon)
{
	mem_free(MEM_PROTO, mon->last);
	mon->last = NULL;
	mon->last_len = 0;
	mon->why = 0;
}

void
mon_last(struct bgp_conn *c, unsigned why, const uint8_t *msg, size_t len)
{
	struct bgp_mon *mon = &c->s->mon;

	if (c->s->est != c || !mon->life)
		return;
	mon_forget_last(mon);
	mon->why = (uint8_t)why;
	mon->last = mem_alloc(MEM_PROTO, len);
	mon->last_len = (uint16_t)len;
	memcpy(mon->last, msg, len);
}

/* mon_last_words - what a Peer Down says. */
static OWNED struct monitor_octets *
mon_last_words(const struct bgp_conn *c, unsigned *why)
{
	const struct bgp_mon *mon = &c->s->mon;
	uint8_t event[2];

	*why = mon->why;
	if (*why)
		return monitor_octets_new(mon->last, mon->last_len);
	*why = c->event == BGP_EV_TCP_FAILS ? BMP_DOWN_REMOTE : BMP_DOWN_LOCAL_EVENT;
	if (*why == BMP_DOWN_REMOTE)
		return NULL;
	put_be16(event, c->event); /* enum bgp_event counts as RFC 4271, 8.1 */
	return monitor_octets_new(event, sizeof(event));
}

void
mon_down(struct bgp_conn *c)
{
	const struct monitor_list *l = monitor_list_get(c->s->p.tern);
	struct bgp_mon *mon = &c->s->mon;
	struct monitor_octets *o;
	unsigned why;

	if (!mon->life)
		return;
	o = mon_last_words(c, &why);
	for (uint32_t i = 0; l && i < l->cnt; i++)
		if (monitor_wants(l->at[i], c->s->p.name))
			monitor_report(l->at[i], MON_DOWN, why, mon->life, o);
	monitor_octets_put(o);
	monitor_life_put(mon->life);
	mon->life = NULL;
	for (unsigned r = 0; r < MON_RIB_CNT; r++) {
		mon->out[r].wants = mon->out[r].again_for = 0;
		timer_cancel(&mon->out[r].again);
	}
	timer_cancel(&mon->late);
	mon_forget_last(mon);
}

/* ---- UPDATEs ---- */

/* bgp_mon_report - report to all monitors that want UPDATEs. */
static void
bgp_mon_report(struct bgp_conn *c, const struct monitor_list *l, enum monitor_kind k,
    TAKE struct monitor_octets *o)
{
	struct monitor_event e = { .kind = (uint8_t)k, .octets = o };

	mon_report(c->s, l, c->s->mon.wants, &e);
	monitor_octets_put(o);
}

/* bgp_mon_report_gone - I2. */
static void
bgp_mon_report_gone(struct bgp_conn *c, const struct monitor_list *l, enum family fam,
    const struct bgp_nlri *n)
{
	struct bgp_class as = { 0 };
	uint8_t *buf, *end;
	struct wbuf w;
	size_t cap;

	bgp_class_init(&as);
	as.ids = n->id_len != 0;
	cap = bgp_update_build_bound(&as, fam, NULL, n->len);
	buf = mem_alloc(MEM_PROTO, cap);
	w = wbuf_of(buf, cap);
	if (bgp_update_build(&as, fam, NULL, n->p, n->len, &w) > 0)
		for (end = buf; end < w.pos; end += get_be16(end + 16))
			bgp_mon_report(c, l, MON_UPDATE,
			    monitor_octets_new(end, get_be16(end + 16)));
	mem_free(MEM_PROTO, buf);
}

static void
bgp_mon_report_refused(struct bgp_conn *c, const struct monitor_list *l,
    const struct bgp_update *u, unsigned refused)
{
	for (unsigned i = 0; i < u->reach_cnt; i++)
		if (refused & 1u << i)
			bgp_mon_report_gone(
			    c, l, (enum family)u->reach[i].fam, &u->reach[i].nlri);
}

static void
bgp_mon_report_end(struct bgp_conn *c, const struct monitor_list *l, uint8_t fam)
{
	struct monitor_event e = { .kind = MON_END, .reason = fam };

	mon_report(c->s, l, c->s->mon.ends, &e);
}

void
mon_update_put(struct bgp_conn *c, const struct bgp_msg *m, const struct bgp_update *u,
    unsigned refused)
{
	const struct monitor_list *l = c->s->est == c ? mon_list(c) : NULL;
	const uint8_t *octets = m->body - BGP_HDR_LEN;

	if (l && u->eor && c->s->mon.ends)
		bgp_mon_report_end(c, l, u->eor);
	if (!l || !c->s->mon.wants)
		return;
	if (u->err.severity)
		bgp_mon_report(c, l, MON_MIRROR, monitor_octets_new(octets, m->len));
	if (u->err.severity == BGP_SEV_RESET)
		return;
	if (refused && refused == (1u << u->reach_cnt) - 1) {
		for (unsigned i = 0; i < u->unreach_cnt; i++)
			bgp_mon_report_gone(
			    c, l, (enum family)u->unreach[i].fam, &u->unreach[i].nlri);
	} else {
		bgp_mon_report(c, l, MON_UPDATE, monitor_octets_new(octets, m->len));
	}
	bgp_mon_report_refused(c, l, u, refused);
}

/* ---- what is sent ---- */

void
mon_report_out(
    struct bgp_conn *c, enum bgp_mon_rib r, const uint8_t *octets, uint32_t len)
{
	const struct monitor_list *l = c->s->est == c ? mon_list(c) : NULL;
	struct monitor_event e = { .kind = r == MON_RIB_SENT ? MON_OUT : MON_OFFER };

	if (!l || !c->s->mon.out[r].wants)
		return;
	e.octets = monitor_octets_new(octets, len);
	mon_report(c->s, l, c->s->mon.out[r].wants, &e);
	monitor_octets_put(e.octets);
}

/* ---- routes reported again ---- */

/* bgp_mon_again_part - report a part of @rib, and set the timer for the next part. */
static void
bgp_mon_again_part(struct bgp_session *s, enum bgp_mon_rib rib)
{
	struct bgp_mon_out *o = &s->mon.out[rib];
	const struct monitor_list *l;
	uint64_t then;

	if (!s->est || !o->again_for)
		return;
	l = mon_list(s->est);
	if (!l ||
	    timer_active(&o->again)) /* no monitor is left; the report begins anew */
		return;
	then = mon_again_part(s, l, rib);
	if (then)
		timer_set(&o->again, then);
}

static void
mon_sent_fires(struct timer *t)
{
	bgp_mon_again_part(
	    container_of(t, struct bgp_session, mon.out[MON_RIB_SENT].again),
	    MON_RIB_SENT);
}

static void
mon_offer_fires(struct timer *t)
{
	bgp_mon_again_part(
	    container_of(t, struct bgp_session, mon.out[MON_RIB_OFFER].again),
	    MON_RIB_OFFER);
}

void
mon_again_init(struct bgp_session *s)
{
	timer_init(&s->mon.out[MON_RIB_SENT].again, &s->p.worker, mon_sent_fires);
	timer_init(&s->mon.out[MON_RIB_OFFER].again, &s->p.worker, mon_offer_fires);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The offer of a session: the routes before the export filter, for monitors (RFC 8671,
 * 5.2). Each channel has a second sink; the offer channel gives this sink the routes that
 * the peer would get without policy (nest/channel/export/channel_offer.c), encoded as
 * for the peer. The messages go to monitors only.
 *
 * I1  The sink takes routes only while all monitors of the offer are free: otherwise the
 *     sink has no room, and the routes wait in the table. The offer therefore fills no
 *     queue.
 * I2  The export table of the sink holds the routes that were reported to monitors, or
 *     that monitors have knowingly lost; bgp_mon_again.c reports the whole table to a
 *     monitor that asks.
 *
 * Loop: the session's. Tested by test/net/test_bmp_out.py. */
#include "lib/base/base.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/channel.h"
#include "nest/monitor/monitor.h"
#include "nest/rib/stream/msg_piece.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define ROOM (64u << 10)
#define OFFER_LATE_NS                                                                    \
	(20 * NS_PER_MS) /* between two looks at a monitor that isn't free */

static struct bgp_session *
bgp_offer_session_of(const struct channel *ch)
{
	return container_of(channel_proto(ch), struct bgp_session, p);
}

static size_t
bgp_offer_room(struct bgp_sink *k)
{
	struct bgp_session *s = bgp_offer_session_of(k->sink.ch);
	const struct monitor_list *l = s->est ? mon_list(s->est) : NULL;
	uint64_t least = s->est ? ROOM : 0;

	for (uint32_t i = 0; l && i < l->cnt; i++)
		if (s->mon.out[MON_RIB_OFFER].wants & 1u << i)
			least = min_u64(least, monitor_spare(l->at[i]));
	if (s->est && !least && !timer_active(&s->mon.late))
		timer_set(&s->mon.late, loop_now_ns(&s->p.worker) + OFFER_LATE_NS);
	return least;
}

static void
bgp_offer_late(struct timer *t)
{
	worker_again(&container_of(t, struct bgp_session, mon.late)->p.worker);
}

static void
bgp_offer_put(struct bgp_sink *k, const struct msg_piece *m)
{
	struct bgp_session *s = bgp_offer_session_of(k->sink.ch);

	if (s->est && s->mon.out[MON_RIB_OFFER].wants)
		mon_report_out(s->est, MON_RIB_OFFER, m->data, m->len);
}

static void
bgp_offer_flush(struct bgp_sink *k)
{
	(void)k; /* octets were copied */
}

static void
bgp_offer_end_of_rib(struct bgp_sink *k)
{
	struct bgp_session *s = bgp_offer_session_of(k->sink.ch);
	uint8_t buf[BGP_EOR_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	if (!s->est)
		return;
	bgp_eor_put(&w, channel_family(k->sink.ch));
	mon_report_out(s->est, MON_RIB_OFFER, buf, (uint32_t)wbuf_len(&w));
}

static const struct bgp_out bgp_offer_out = {
	.room = bgp_offer_room,
	.put = bgp_offer_put,
	.flush = bgp_offer_flush,
	.end_of_rib = bgp_offer_end_of_rib,
};

static struct bgp_sink *
offer_of_sink(struct sink *k)
{
	return container_of(k, struct bgp_sink, sink);
}

static void
bgp_offer_ready(struct sink *k)
{
	struct bgp_session *s = bgp_offer_session_of(k->ch);

	bgp_sink_like(offer_of_sink(k), &s->sink[channel_family(k->ch)]);
}

/* bgp_offer_slow - the table needs what waits for a monitor: the record of reported
 * routes is dropped, by both sides. */
static void
bgp_offer_slow(struct channel *ch)
{
	struct bgp_session *s = bgp_offer_session_of(ch);
	const struct monitor_list *l = s->est ? mon_list(s->est) : NULL;

	if (l)
		mon_lost(s, l, s->mon.out[MON_RIB_OFFER].wants);
	channel_offer_anew(s->chan[channel_family(ch)], bgp_offer_ready);
}

/* bgp_offer_attached - of one that was made while the session was up. */
static void
bgp_offer_attached(struct channel *ch)
{
	channel_offer_anew(
	    bgp_offer_session_of(ch)->chan[channel_family(ch)], bgp_offer_ready);
}

static void
bgp_offer_detached(struct channel *ch)
{
	struct bgp_session *s = bgp_offer_session_of(ch);

	s->admin.attached--;
	session_soon(s);
}

static const struct channel_ops bgp_offer_ops = {
	.far = true,
	.slow = bgp_offer_slow,
	.attached = bgp_offer_attached,
	.detached = bgp_offer_detached,
};

void
bgp_offer_init(struct bgp_session *s)
{
	timer_init(&s->mon.late, &s->p.worker, bgp_offer_late);
}

void
bgp_offer_new(struct bgp_session *s, unsigned f, bool can_all)
{
	struct bgp_sink *k = mem_zalloc(MEM_PROTO, sizeof(*k));

	bgp_sink_init(k, &bgp_offer_out, can_all);
	bgp_sink_keep_table(k, s->p.tern);
	k->quiet = true;
	channel_offer_new(s->chan[f], &bgp_offer_ops, &k->sink);
	s->offer[f] = k;
	s->admin.attached++;
}

void
bgp_offer_reconf(struct bgp_session *s, unsigned f, bool on, bool can_all)
{
	struct channel *ch = s->chan[f];

	if (on && !s->offer[f]) {
		bgp_offer_new(s, f, can_all);
		s->offer[f]->fills = true;
		channel_attach(channel_offer(ch));
	} else if (on && !channel_offer(ch)) {
		s->offer[f]->fills = true;
		channel_offer_wake(ch, bgp_offer_ready);
	} else if (!on && channel_offer(ch)) {
		channel_offer_stop(ch);
	}
}

void
bgp_offer_like(struct bgp_session *s, unsigned f)
{
	const struct channel *b = channel_offer(s->chan[f]);

	/* otherwise `ready` does the same at the start of the channel */
	if (b && channel_is_attached(b))
		bgp_sink_like(s->offer[f], &s->sink[f]);
}

void
bgp_offer_free(struct bgp_session *s, unsigned f)
{
	if (!s->offer[f])
		return;
	bgp_sink_fini(s->offer[f]);
	mem_free(MEM_PROTO, s->offer[f]);
}

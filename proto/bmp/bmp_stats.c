/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics reports, and the lines about stations in `show protocols all`.
 *
 * Loop: the instance's; bmp_reply any thread under RCU. Tested by
 * test/net/test_bmp.py. */
#include "lib/attr/route.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/bmp.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "proto/bmp/bmp.h"
#include "proto/bmp/bmp_in_priv.h"
#include "proto/bmp/bmp_priv.h"

#include <stdio.h>

#define STATS_CAP 512

/* Counters of a session, summed over its channels. */
struct sum {
	uint64_t refused, in, out, offer;
	bool offers; /* the last is counted */
};

static uint64_t
stats_in_of(const struct channel_stats *cs)
{
	return counter64_get(&cs->in.imported) + counter64_get(&cs->in.filtered);
}

/* bmp_stats_offer - set *@cnt to the number of routes before export policy. Returns:
 * false: the channel does not keep these routes. */
static bool
bmp_stats_offer(const struct channel *ch, uint64_t *cnt)
{
	const struct channel *b = channel_offer(ch);

	*cnt = b ? counter64_get(&channel_stats_get(b)->exported) : 0;
	return b != NULL;
}

static struct sum
stats_sum_of(const struct proto *p)
{
	const struct channel *ch = load_acquire_ptr(&p->channels); /* pairs: PCHAN */
	struct sum s = { 0 };
	uint64_t offer;

	for (; ch; ch = channel_next(ch)) {
		const struct channel_stats *cs = channel_stats_get(ch);

		s.refused += counter64_get(&cs->imp_upd_filtered);
		s.in += stats_in_of(cs);
		s.out += counter64_get(&cs->exported);
		s.offers |= bmp_stats_offer(ch, &offer);
		s.offer += offer;
	}
	return s;
}

static void
bmp_stats_put_families(struct bmp_msg *m, const struct proto *p)
{
	const struct channel *ch = load_acquire_ptr(&p->channels); /* pairs: PCHAN */
	uint64_t offer;

	for (; ch; ch = channel_next(ch)) {
		const struct channel_stats *cs = channel_stats_get(ch);
		uint16_t afi = channel_family(ch) == FAM_IP6 ? 2 : 1;

		if (!nlri_is_ip(table_kind(channel_table(ch))))
			continue;
		bmp_stats_add_family(m, BMP_STAT_ADJ_IN_FAMILY, afi, 1, stats_in_of(cs));
		bmp_stats_add_family(
		    m, BMP_STAT_OUT_POST_FAMILY, afi, 1, counter64_get(&cs->exported));
		if (bmp_stats_offer(ch, &offer))
			bmp_stats_add_family(m, BMP_STAT_OUT_PRE_FAMILY, afi, 1, offer);
	}
}

static void
stats_put_one(struct bmp_station *st, const struct proto *p, const struct monitor_life *l)
{
	struct wbuf out = bmp_out(st, STATS_CAP);
	struct bmp_peer head = bmp_header(l, 0, bmp_now_us());
	struct sum s = stats_sum_of(p);
	struct bmp_msg m;

	bmp_stats_begin(&m, &out, &head);
	bmp_stats_add(&m, BMP_STAT_REJECTED, s.refused);
	bmp_stats_add(&m, BMP_STAT_ADJ_IN, s.in);
	if (s.offers)
		bmp_stats_add(&m, BMP_STAT_OUT_PRE, s.offer);
	bmp_stats_add(&m, BMP_STAT_OUT_POST, s.out);
	bmp_stats_put_families(&m, p);
	bmp_stats_end(&m);
	bmp_out_end(st, &out, 1);
}

void
bmp_stats_put(struct bmp_station *st)
{
	const struct tern_view *v = tern_view_get(st->bmp->p.tern);

	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct bmp_who *w = bmp_find(st->bmp, v->proto[i]->name);

		if (w && bmp_is_reported(w, st))
			stats_put_one(st, v->proto[i], w->life);
	}
}

static void
stats_reply_kinds(struct reply *r, const struct bmp_conf *cf)
{
	const struct {
		const char *name;
		bool on;
	} kind[] = { { "in pre_policy", cf->in_pre }, { "in post_policy", cf->in_post },
		{ "out pre_policy", cf->out_pre }, { "out post_policy", cf->out_post },
		{ "local", cf->loc_rib } };
	unsigned cnt = 0;

	reply_text(r, "  Monitoring:       ");
	reply_list(r, "monitoring");
	for (unsigned i = 0; i < ARRAY_LEN(kind); i++)
		if (kind[i].on)
			reply_str(r, NULL, cnt++ ? ", %s" : "%s", kind[i].name);
	reply_close(r);
	reply_text(r, "%s\n", cnt ? "" : "nothing");
}

static void
stats_reply_station(
    struct reply *r, const struct bmp_station *st, const struct bmp_place *at)
{
	bool up = load_relaxed32(&st->counts.is_up);

	reply_open(r, NULL);
	reply_ip(r, "address", "  Station:          %s", at->ip);
	reply_u64(r, "port", " port %s\n", at->port);
	reply_bool(r, "up", NULL, up);
	reply_text(r, "    State:          %s\n", up ? "Up" : "Down");
	reply_u64(r, "connects", "    Connected:      %s times\n",
	    counter64_get(&st->counts.connects));
	reply_u64(r, "sent_messages", "    Sent:           %s messages, ",
	    counter64_get(&st->counts.sent_msgs));
	reply_u64(
	    r, "sent_octets", "%s octets\n", counter64_get(&st->counts.sent_octets));
	reply_u64(
	    r, "resyncs", "    Resyncs:        %s\n", counter64_get(&st->counts.resyncs));
	reply_close(r);
}

void
bmp_reply(const struct proto *p, struct reply *r)
{
	const struct bmp_proto *b = (const struct bmp_proto *)p;
	const struct bmp_conf *cf = proto_conf_get(p)->opt;

	reply_open(r, "bmp");
	if (b->in) {
		bmp_in_reply(b->in, r);
	} else {
		stats_reply_kinds(r, cf);
		reply_u64(r, "sessions", "  Sessions:         %s known\n",
		    load_relaxed32(&b->known));
		reply_list(r, "stations");
		for (unsigned i = 0; i < cf->station_cnt; i++)
			stats_reply_station(r, &b->st[i], &cf->station[i]);
		reply_close(r);
	}
	reply_close(r);
}

void
bmp_note(struct bmp_proto *b)
{
	unsigned up = 0;
	char info[64];

	for (unsigned i = 0; i < b->st_cnt; i++)
		up += b->st[i].up;
	snprintf(info, sizeof(info), "%u of %u stations", up, b->st_cnt);
	if (proto_life_is_up(&b->p))
		proto_publish(&b->p, up ? PS_UP : PS_START, false, info, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes that a peer holds, or is offered, for a monitor that asks: read from the
 * export table, a part at a time, whenever the monitor is free (nest/monitor/monitor.h).
 *
 * I1  A bit of the Adj-RIB-Out changes when its message is reported (bgp_sink.h, I1), in
 *     the session's worker, and each part is reported in a separate callback. A part
 *     therefore shows the routes after all earlier reports; later changes are reported
 *     later.
 *
 * Loop: the session's. Tested by test/net/test_bmp_out.py. */
#include "lib/base/bitmap.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/channel.h"
#include "nest/monitor/monitor.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/msg_piece.h"
#include "nest/rib/table.h"
#include "proto/bgp/out/announce.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/export_table.h"
#include "proto/bgp/out/msg_cache.h"
#include "proto/bgp/out/session_class.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdlib.h>

#define STEP_IDS 1024
#define LATE_NS  (50 * NS_PER_MS) /* between two looks at a monitor that isn't free */

/* A part that is being reported. */
struct part {
	struct bgp_session *s;
	enum bgp_mon_rib rib;
	struct bgp_mon_out *o; /* of s->mon */
	const struct monitor_list *l; /* mon_list */
	struct arena arena;
};

/* The announcement of an id. */
struct held {
	const struct announce *what;
	uint32_t id;
	uint32_t first; /* the lowest id with the same announcement */
};

static int
again_by_what(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int
bgp_mon_again_by_first(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* again_sort_held - group the ids by announcement. The lowest id of a group decides the
 * group's place, not the address of the announcement. */
static void
again_sort_held(struct held *h, uint32_t cnt)
{
	qsort(h, cnt, sizeof(*h), again_by_what);
	for (uint32_t i = 0; i < cnt; i++)
		h[i].first = i && h[i].what == h[i - 1].what ? h[i - 1].first : h[i].id;
	qsort(h, cnt, sizeof(*h), bgp_mon_again_by_first);
}

/* bgp_mon_again_report - @k: MON_OUT..., or the kind for the offer. */
static void
bgp_mon_again_report(
    const struct part *p, enum monitor_kind k, const uint8_t *octets, size_t len)
{
	struct monitor_event e = { .kind = (uint8_t)k, .reason = 1 };

	_Static_assert(MON_OFFER_BEGIN - MON_OUT_BEGIN == MON_OFFER - MON_OUT &&
			   MON_OFFER_END - MON_OUT_END == MON_OFFER - MON_OUT,
	    "the events have equal distances");
	if (p->rib == MON_RIB_OFFER)
		e.kind = (uint8_t)(k + MON_OFFER - MON_OUT);
	e.octets = octets ? monitor_octets_new(octets, len) : NULL;
	mon_report(p->s, p->l, p->o->again_for, &e);
	monitor_octets_put(e.octets);
}

/* bgp_mon_again_look_of - the class that encodes @a; @from: room for a class with
 * ORIGINATOR_ID. */
static const struct session_class *
bgp_mon_again_look_of(
    const struct bgp_sink *k, const struct announce *a, struct session_class *from)
{
	const struct bgp_classes *l = &k->classes;

	if (a->look == LOOK_HOP_STAYS && l->hop)
		return l->hop;
	if (a->look != LOOK_IBGP)
		return l->cls;
	if (!a->originator_id)
		return l->ibgp;
	session_class_from(from, l->ibgp, a->originator_id);
	return from;
}

/* bgp_mon_again_run - @cnt ids with equal announcements. */
static void
bgp_mon_again_run(struct part *p, struct bgp_sink *k, const struct held *h, uint32_t cnt)
{
	struct arena *a = &p->arena;
	struct channel *ch = k->sink.ch;
	const struct table *t = channel_from(ch);
	unsigned ids = k->sink.all ? NLRI_ID_LEN : 0;
	uint8_t *buf = arena_alloc(a, cnt * (NLRI_ID_LEN + NLRI_MAX) + NLRI_SLACK);
	struct session_class from;
	struct msg_piece m;
	uint32_t len = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		struct nlri n = channel_nlri(ch, h[i].id);

		if (ids)
			put_be32(buf + len, h[i].id);
		len += ids + NLRI_BY_KIND(table_kind(t), nlri_put, buf + len + ids,
				 n.word, n.head);
	}
	if (msg_build(t, bgp_mon_again_look_of(k, h->what, &from), h->what->wire, buf,
		len, a, &m))
		bgp_mon_again_report(p, MON_OUT, m.data, m.len);
}

/* bgp_mon_again_step - of what @k has sent, from id @pos on. Returns: where to go on;
 * UINT32_MAX: at its end. */
static uint32_t
bgp_mon_again_step(struct part *p, struct bgp_sink *k, uint32_t pos)
{
	uint32_t cnt = 0, id = pos;
	struct held *h;

	arena_init(&p->arena, MEM_PROTO, 4096);
	h = arena_alloc(&p->arena, STEP_IDS * sizeof(*h));
	while (cnt < STEP_IDS && (id = bitmap_next(&k->adj.out, id)) != UINT32_MAX) {
		const struct announce *what = export_table_find(k->adj.table, id);

		if (what)
			h[cnt++] = (struct held){ what, id, 0 };
		id++;
	}
	again_sort_held(h, cnt);
	for (uint32_t i = 0, n; i < cnt; i = n) {
		for (n = i + 1; n < cnt && h[n].what == h[i].what; n++)
			;
		bgp_mon_again_run(p, k, &h[i], n - i);
	}
	arena_fini(&p->arena);
	return id;
}

/* again_sink_now - of the reported family; NULL: nothing is sent in it, or known. */
static struct bgp_sink *
again_sink_now(const struct part *p)
{
	struct bgp_session *s = p->s;
	uint32_t fam = p->o->fam;
	struct bgp_sink *k = p->rib == MON_RIB_SENT ? &s->sink[fam] : s->offer[fam];

	return s->chan[fam] && channel_is_up(s->chan[fam]) && k && k->adj.table ? k
										: NULL;
}

static void
again_next_family(const struct part *p)
{
	uint8_t buf[BGP_EOR_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	if (again_sink_now(p)) {
		bgp_eor_put(&w, (enum family)p->o->fam);
		bgp_mon_again_report(p, MON_OUT, buf, wbuf_len(&w));
	}
	p->o->fam++;
	p->o->pos = 0;
}

/* bgp_mon_again_is_whole - true if the export table has all sent routes of @k. An export
 * table that was created while the session was up is filled anew. */
static bool
bgp_mon_again_is_whole(struct bgp_sink *k)
{
	if (channel_is_up(k->sink.ch) && !channel_feeds(k->sink.ch))
		k->fills = false;
	return !k->fills;
}

/* again_are_free - true if all monitors that get the report are free. */
static bool
again_are_free(const struct part *p)
{
	for (uint32_t i = 0; i < p->l->cnt; i++)
		if (p->o->again_for & 1u << i && !monitor_is_free(p->l->at[i]))
			return false;
	return true;
}

/* bgp_mon_again_resume - Returns: when to go on; 0: that was all. */
static uint64_t
bgp_mon_again_resume(struct part *p)
{
	struct bgp_mon_out *o = p->o;
	uint64_t now = loop_now_ns(&p->s->p.worker);
	struct bgp_sink *k;

	if (!again_are_free(p))
		return now + LATE_NS;
	if (o->fam == FAM_CNT) {
		bgp_mon_again_report(p, MON_OUT_END, NULL, 0);
		o->again_for = 0;
		return 0;
	}
	k = again_sink_now(p);
	if (k && !bgp_mon_again_is_whole(k))
		return now + LATE_NS;
	o->pos = k ? bgp_mon_again_step(p, k, o->pos) : UINT32_MAX;
	if (o->pos == UINT32_MAX)
		again_next_family(p);
	return now + 1; /* in the next round */
}

uint64_t
mon_again_part(struct bgp_session *s, const struct monitor_list *l, enum bgp_mon_rib rib)
{
	struct part p = { .s = s, .rib = rib, .o = &s->mon.out[rib], .l = l };

	return bgp_mon_again_resume(&p);
}

void
mon_again(
    struct bgp_conn *c, const struct monitor_list *l, enum bgp_mon_rib r, uint32_t who)
{
	struct part p = { .s = c->s, .rib = r, .o = &c->s->mon.out[r], .l = l };

	p.o->again_for = who;
	p.o->fam = p.o->pos = 0;
	bgp_mon_again_report(&p, MON_OUT_BEGIN, NULL, 0);
	timer_set(&p.o->again, loop_now_ns(&c->s->p.worker));
}

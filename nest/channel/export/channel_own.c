/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The own routes of a peer on an overlay (nest/rib/table/overlay.h): which of the nets of
 * the base have an own route of the overlay, and how the own route ranks among the routes
 * of the base.
 *
 * I1  Own routes are looked up at the time of sending: the answer is current, or a
 *     segment of the overlay follows.
 *
 * Loop: the session's. Tests: test_own_nets.c, test_overlay.py. */
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"
#include "lib/attr/attr.h"
#include "lib/base/bitmap.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/own_nets.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

#define RIVALS_MAX 12 /* routes of a net whose MEDs are compared by group */

/* channel_own_before - does @own come before @p of the base? */
bool
channel_own_before(const struct channel *ch, const struct path *own, const struct path *p)
{
	struct overlay_cand c[2];

	return overlay_cand(&c[0], ch->table, own, NULL, true) &&
	       overlay_cand(&c[1], ch->from, p, NULL, false) && overlay_best(c, 2) == 0;
}

static uint64_t
own_hash(const struct channel *ch, const struct nlri *k)
{
	return NLRI_BY_KIND(ch->kind, nlri_hash, 0, k->word, k->head);
}

/* own_maybe - false: the peer never announced net @k. An offer channel uses the set of
 * its channel. */
static bool
own_maybe(const struct channel *ch, const struct nlri *k)
{
	const struct channel *of = ch->offer.of ? ch->offer.of : ch;

	return own_nets_maybe(&of->over->nets, own_hash(ch, k));
}

void
channel_own_note(struct channel *ch, const struct rec *r)
{
	unsigned ids = r->flags & REC_IDS ? NLRI_ID_LEN : 0;
	const uint8_t *pos = r->nlri, *end = pos + r->nlri_len;

	while (pos < end) {
		struct nlri k;

		pos += ids;
		pos += NLRI_BY_KIND(ch->kind, nlri_get, &k, pos);
		own_nets_add(&ch->over->nets, own_hash(ch, &k));
	}
}

/* channel_own_route - the best own route of the table for net @k; NULL: none. */
static const struct path *
channel_own_route(const struct channel *ch, const struct nlri *k)
{
	return channel_is_over(ch) && !ch->exp.first_allowed && own_maybe(ch, k)
		   ? overlay_own(ch->table, k)
		   : NULL;
}

/* MEDs of some routes, each with a group. */
struct meds {
	uint64_t group[RIVALS_MAX];
	uint32_t med[RIVALS_MAX];
	unsigned cnt;
	bool rivals; /* two routes of a group differ; or too many routes */
};

static void
own_med_add(struct meds *m, uint64_t group, uint32_t med)
{
	bool many = m->cnt == RIVALS_MAX;

	for (unsigned i = 0; i < m->cnt; i++)
		m->rivals |= m->med[i] != med && (many || m->group[i] == group);
	if (many)
		return;
	m->group[m->cnt] = group;
	m->med[m->cnt++] = med;
}

/* own_by_med - true: MED may rank some of @own and the routes of @n. Then the best of two
 * isn't always the best of all. */
static bool
own_by_med(const struct channel *ch, const struct net *n, const struct path *own)
{
	struct meds m = { .cnt = 0 };
	struct overlay_cand c;
	uint64_t group;
	uint32_t med;

	if (overlay_cand(&c, ch->table, own, NULL, true) && overlay_med(&c, &group, &med))
		own_med_add(&m, group, med);
	for (const struct path *p = net_first(n); p && !m.rivals; p = path_next(p))
		if (!path_filtered(p) && path_live(ch->from, p) &&
		    overlay_cand(&c, ch->from, p, NULL, false) &&
		    overlay_med(&c, &group, &med))
			own_med_add(&m, group, med);
	return m.rivals;
}

static enum own_rank
own_rank_of(const struct channel *ch, const struct path *own, const struct net *n,
    const struct path *p)
{
	struct overlay_cand c[2];

	if (!own || !overlay_cand(&c[0], ch->table, own, NULL, true) ||
	    !overlay_cand(&c[1], ch->from, p, NULL, false))
		return OWN_NONE;
	if (overlay_tied(&c[0], &c[1]) && own_by_med(ch, n, own))
		return OWN_TIED;
	return overlay_best(c, 2) == 0 ? OWN_FIRST : OWN_BEHIND;
}

enum own_rank
channel_own_rank(const struct channel *ch, const struct net *n, const struct path *p)
{
	struct nlri k;

	if (!channel_is_over(ch) || ch->exp.first_allowed)
		return OWN_NONE;
	k = net_nlri(ch->from, n);
	return own_rank_of(ch, channel_own_route(ch, &k), n, p);
}

/* own_is_tied - is @p equal to @own by all rules before MED? */
static bool
own_is_tied(const struct channel *ch, const struct path *own, const struct path *p)
{
	struct overlay_cand c[2];

	return overlay_cand(&c[0], ch->table, own, NULL, true) &&
	       overlay_cand(&c[1], ch->from, p, NULL, false) &&
	       overlay_tied(&c[0], &c[1]);
}

void
channel_own_find(const struct channel *ch, const struct net *n, struct own_found *f)
{
	struct nlri k = net_nlri(ch->from, n);

	f->own = channel_own_route(ch, &k);
	f->ordered = f->own && !own_by_med(ch, n, f->own);
	f->ties = false;
	if (!f->own || f->ordered)
		return;
	for (const struct path *p = net_first(n); p && !f->ties; p = path_next(p))
		f->ties = !path_filtered(p) && path_live(ch->from, p) &&
			  own_is_tied(ch, f->own, p);
}

bool
channel_own_first(
    const struct channel *ch, const struct own_found *f, const struct path *p)
{
	return channel_own_before(ch, f->own, p);
}

/* own_note_net - note net @id of the present segment. */
static void
own_note_net(struct own_noted *o, uint32_t id, enum own_rank rank)
{
	if (o->cnt == OWN_NOTED)
		o->all = false;
	else
		o->net[o->cnt++] = (struct own_net){ id, rank };
}

bool
channel_own_of(struct channel *ch, const struct segment *s)
{
	const uint8_t *pos = segment_nlri(s);
	struct own_noted *o;

	if (likely(!channel_is_over(ch)) || ch->exp.first_allowed ||
	    overlay_is_empty(ch->table))
		return false;
	o = &ch->over->noted;
	o->cnt = 0;
	o->all = true;
	for (struct seg_nets w = segment_nets(s); o->all && seg_nets_next(&w);) {
		const struct path *p, *own;
		const struct net *n;
		enum own_rank how;
		struct nlri k;

		pos += NLRI_BY_KIND(ch->kind, nlri_get, &k, pos);
		own = channel_own_route(ch, &k);
		if (!own)
			continue;
		n = reader_net(ch->rd, w.id);
		p = net_best(n);
		how = p ? own_rank_of(ch, own, n, p) : OWN_NONE;
		if (how >= OWN_FIRST)
			own_note_net(o, w.id, how);
	}
	return o->cnt > 0;
}

bool
channel_own_may(const struct channel *ch, const struct segment *s)
{
	const struct overlay *o = ch->exp.view->overlay;
	const uint8_t *pos = segment_nlri(s);

	if (!o || !s->set || !overlay_brings(o, s->src, s->facts))
		return true;
	if (ch->exp.first_allowed || overlay_is_empty(ch->table))
		return false;
	for (uint32_t i = 0; i < s->nets.cnt; i++) {
		struct nlri k;

		pos += NLRI_BY_KIND(ch->kind, nlri_get, &k, pos);
		if (own_maybe(ch, &k))
			return true;
	}
	return false;
}

enum own_rank
channel_own_best(const struct channel *ch, uint32_t id)
{
	const struct own_noted *o;
	const struct path *p;
	const struct net *n;

	if (likely(!channel_is_over(ch)) || ch->exp.first_allowed)
		return OWN_NONE;
	o = &ch->over->noted;
	if (o->all) {
		for (unsigned i = 0; i < o->cnt; i++)
			if (o->net[i].id == id)
				return o->net[i].rank;
		return OWN_NONE;
	}
	n = reader_net(ch->rd, id);
	p = net_best(n);
	return p ? channel_own_rank(ch, n, p) : OWN_NONE;
}

void
channel_own_later(struct channel *ch, const struct segment *s)
{
	const struct overlay *o = ch->exp.view->overlay;
	const uint8_t *pos = segment_nlri(s);
	bool gone = o && !overlay_brings(o, s->src, s->facts);

	if (s->form & SEG_BEHIND)
		return;
	for (struct seg_nets w = segment_nets(s); seg_nets_next(&w);) {
		struct nlri k;

		pos += NLRI_BY_KIND(ch->kind, nlri_get, &k, pos);
		if (gone)
			reader_dirty(ch->rd, w.id, 1);
		else if (channel_own_route(ch, &k))
			ch->over->later_cnt += bitmap_set(&ch->over->later, w.id);
	}
}

void
channel_own_forget(struct channel *ch)
{
	if (!ch->over)
		return;
	bitmap_clear_all(&ch->over->later);
	ch->over->later_cnt = ch->over->waits = 0;
	ch->over->handles = false;
	channel_work_left(ch);
}

void
channel_work_left(struct channel *ch)
{
	ch->rd->busy = ch->exp.before || (ch->over && ch->over->handles);
}

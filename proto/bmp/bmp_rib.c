/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers of tables for one station: a reader of all paths sends the post-policy
 * routes of sessions, a reader of best routes sends a Loc-RIB.
 *
 * I1  `path` has, for each path id, the life of the session and the identifier that the
 *     station was sent. An entry of a life that the station no longer knows is void: Peer
 *     Down withdrew all routes of the life.
 * I2  The reader leaves out a route of a session before Peer Up. The reader marks the
 *     session (skipped), or the station if the session is unknown; after Peer Up, all
 *     routes are sent again. A session normally posts MON_UP before it brings routes, so
 *     a look into the inbox finds the session. Only a new instance learns of the existing
 *     sessions one by one.
 * I3  A route that a pipe brought belongs to the table of its session, and only the
 *     reader of that table sends the route.
 * I4  A path that is gone, or dead because its session ended, is not sent, and its entry
 *     stays: the withdrawal or the replacing path is still to be read. If the reader
 *     entered the next life of the session for the path, the withdrawal would remove a
 *     route that the next life announced with the same identifier.
 *
 * I5  A route that is withdrawn and announced again gets a new path id. If both changes
 *     are in one batch, the journal may have the announcement before the withdrawal. So
 *     the reader sends no withdrawal if the table has the route again with another id.
 *     The entry then moves to the new id. The reader may overwrite the entry of the new
 *     id (rib_is_again) for four reasons:
 *     - Both routes are of one session. A feeder's number is given to no other feeder
 *       before every reader has settled the withdrawals (feeder_id_hold in
 *       nest/rib/table/feeder.c), and bmp_rib_withdraw settles a withdrawal.
 *     - Both entries are of one life. The station knows the life of the old entry
 *       (rib_reported_of), a session has one known life, and Peer Down ends the life. An
 *       entry of the next life can only be written after that Peer Down.
 *     - The announcement of the new id reaches the station: the segment was sent before,
 *       or is still to be read, or was left out because the session was not up (I2). In
 *       the last case all routes are sent again.
 *     - The search stops at the first filtered path: filtered paths are the last of a net
 *       (nest/rib/table.h), and a filtered route does not belong to a post-policy RIB.
 *
 * Loop: the instance's, but for marked functions. Tested by test/net/test_bmp.py and
 * test/net/test_bmp_others.py. */
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bmp.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/tern.h"
#include "nest/monitor/monitor.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/read_ids.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/loop/loop.h"

#include <stdlib.h>

/* ---- heads ---- */

/* rib_of_table - a peer distinguisher that survives a restart: FNV-1a of the table's
 * name. */
static uint64_t
rib_of_table(const struct table *t)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (const char *p = table_name(t); *p; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3ull;
	return h;
}

static uint32_t
bmp_rib_router_id(const struct bmp_rib *r)
{
	uint32_t id = r->bmp->p.cf->router_id;

	return id ? id : load_relaxed32(&r->bmp->p.tern->router_id);
}

/* rib_router_as - RFC 9069, 4.1: the AS of the router. If the sessions have several
 * local AS numbers, the first session of the configuration decides; 0: no session. */
static uint32_t
rib_router_as(const struct bmp_rib *r)
{
	const struct config *conf = tern_view_get(r->bmp->p.tern)->conf->conf;

	for (unsigned i = 0; i < conf->proto_cnt; i++)
		if (conf->proto[i]->class->local_as)
			return conf->proto[i]->class->local_as(conf->proto[i]);
	return 0;
}

/* rib_loc_head - RFC 9069, 4.1. */
static struct bmp_peer
rib_loc_head(const struct bmp_rib *r)
{
	return (struct bmp_peer){ .type = BMP_PEER_LOC_RIB,
		.distinguisher = rib_of_table(r->table),
		.addr = IP_NONE,
		.as = r->as,
		.router_id = r->router_id,
		.time_us = bmp_now_us() };
}

/* RFC 9069, 4.4: both OPENs are made up. */
void
bmp_loc_up(struct bmp_rib *r)
{
	uint32_t id = bmp_rib_router_id(r), as = rib_router_as(r);
	struct bmp_peer head;
	struct bgp_open o = { .as = as, .router_id = id };
	uint8_t buf[BGP_OPEN_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf)), out;
	struct bmp_up up = { .local = IP_NONE, .table = table_name(r->table) };

	r->as = as;
	r->router_id = id;
	head = rib_loc_head(r);
	bgp_caps_init(&o.caps);
	o.caps.mp = o.caps.as4 = true;
	o.caps.fam = FAM_BIT(table_family(r->table));
	o.caps.as = as;
	bgp_open_encode(&w, &o, true);
	up.sent = up.received = buf;
	up.sent_len = up.received_len = wbuf_len(&w);
	out = bmp_out(r->st, 512 + 2 * up.sent_len);
	bmp_peer_up_put(&out, &head, &up);
	bmp_out_end(r->st, &out, 1);
	r->up = true;
}

void
bmp_loc_down(struct bmp_rib *r)
{
	struct bmp_peer head = rib_loc_head(r);

	bmp_put_down(r->st, &head, BMP_DOWN_DECONFIGURED, NULL);
	r->up = false;
}

bool
bmp_loc_moved(const struct bmp_rib *r)
{
	return r->up &&
	       (r->as != rib_router_as(r) || r->router_id != bmp_rib_router_id(r));
}

/* ---- routes of one session or of the Loc-RIB ---- */

/* Consecutive nets of a segment for one message. Life: one segment, on the stack. */
struct batch {
	struct bmp_rib *r;
	const struct wire_set *wire; /* NULL: withdrawn */
	const struct monitor_life *life; /* NULL: of the Loc-RIB, or nothing yet */
	uint8_t *buf;
	uint32_t cap;
	struct bgp_nlri n;
};

static void
rib_send_batch(struct batch *b)
{
	enum family fam = table_family(b->r->table);
	uint32_t before = b->r->st->out.len - b->r->st->out.pos;
	struct bmp_peer head;
	struct bgp_class c;

	if (!b->n.cnt)
		return;
	b->n.p = b->buf;
	if (b->r->post) {
		head = bmp_header(b->life, BMP_FLAG_POST, bmp_now_us());
		bmp_class(&c, b->life, fam, true);
	} else {
		struct monitor_life none = { .msg_max = BGP_MSG_MAX };

		head = rib_loc_head(b->r);
		bmp_class(&c, &none, fam, true);
	}
	bmp_put_routes(b->r->st, &head, &c, fam, b->wire, &b->n);
	b->r->reader.queued += b->r->st->out.len - b->r->st->out.pos - before;
	b->n.len = b->n.cnt = 0;
}

/* bmp_rib_add - net @id of the reader, for @life. */
static void
bmp_rib_add(struct batch *b, uint32_t id, const struct monitor_life *life, uint32_t rid)
{
	const struct table *t = b->r->table;
	struct nlri k = net_nlri(t, reader_net(&b->r->reader, id));
	enum nlri_kind kind = table_kind(t);
	bool ids = life && life->ids & FAM_BIT(table_family(t));

	if (life != b->life)
		rib_send_batch(b);
	b->life = life;
	b->n.id_len = ids ? NLRI_ID_LEN : 0;
	b->buf = vec_room(MEM_PROTO, b->buf, &b->cap,
	    b->n.len + NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK, 1);
	if (ids) {
		put_be32(b->buf + b->n.len, rid);
		b->n.len += NLRI_ID_LEN;
	}
	b->n.len += NLRI_BY_KIND(kind, nlri_put, b->buf + b->n.len, k.word, k.head);
	b->n.cnt++;
}

/* ---- the reader ---- */

static struct bmp_rib *
bmp_rib_of_reader(const struct reader *r)
{
	return (struct bmp_rib *)(uintptr_t)container_of(r, struct bmp_rib, reader);
}

static size_t
bmp_rib_room(struct reader *r)
{
	return bmp_room(bmp_rib_of_reader(r)->st);
}

static struct bmp_reported_path *
rib_reported_at(struct bmp_rib *r, uint32_t id)
{
	r->path = vec_zeroed(MEM_PROTO, r->path, &r->path_cap, id + 1, sizeof(*r->path));
	return &r->path[id];
}

/* rib_who_of - the session that announced the routes of @s. Returns: NULL: the station
 * does not know the session as up (I2). */
static struct bmp_who *
rib_who_of(struct bmp_rib *r, const struct segment *s)
{
	struct bmp_who *w;

	if (!s->facts || !s->facts->src.is_bgp || s->origin) /* I3 */
		return NULL;
	w = bmp_find(r->bmp, s->facts->name);
	if (w && bmp_is_reported(w, r->st))
		return w;
	bmp_drain(r->bmp);
	bmp_reconcile(r->st);
	/* another station may have finished its turn before the change */
	worker_again(&r->bmp->p.worker);
	w = bmp_find(r->bmp, s->facts->name);
	if (w && bmp_is_reported(w, r->st))
		return w;
	if (w)
		bmp_at(w, r->st)->skipped = true;
	else if (monitor_wants(r->bmp->mon, s->facts->name))
		r->st->skipped = true;
	return NULL;
}

/* rib_reported_of - the session whose route the station has for the entry @t; NULL: the
 * station has no route for @t. */
static struct bmp_reported_who *
rib_reported_of(const struct bmp_rib *r, const struct bmp_reported_path *t)
{
	struct htab_node *n;

	if (!t->life)
		return NULL;
	htab_each_same (n, &r->st->lives, t->life)
		return container_of(n, struct bmp_reported_who, node);
	return NULL;
}

/* rib_is_again - I5. @was: of path @id. */
static bool
rib_is_again(struct bmp_rib *r, uint32_t id, struct bmp_reported_path was)
{
	const struct path *p = net_first(reader_net(&r->reader, id));

	for (; p && !path_filtered(p); p = path_next(p)) {
		uint32_t now = path_id(p);

		if (path_src(p) != was.src || path_rid(p) != was.rid || !now ||
		    now == id || !path_live(r->table, p))
			continue;
		*rib_reported_at(r, now) = was;
		return true;
	}
	return false;
}

/* bmp_rib_withdraw - path @id. */
static void
bmp_rib_withdraw(struct batch *b, uint32_t id)
{
	struct bmp_rib *r = b->r;
	struct bmp_reported_path was = *rib_reported_at(r, id);
	const struct bmp_reported_who *at = rib_reported_of(r, &was);

	r->path[id].life = 0;
	if (at && !rib_is_again(r, id, was))
		bmp_rib_add(b, id, at->reported, was.rid);
}

static void
bmp_rib_take_path(
    struct batch *b, uint32_t id, const struct segment *s, const struct bmp_who *w)
{
	struct bmp_rib *r = b->r;
	struct bmp_reported_path *t = rib_reported_at(r, id);
	const struct monitor_life *l;
	const struct path *p;

	if (!s->set) {
		bmp_rib_withdraw(b, id);
		return;
	}
	p = reader_path(&r->reader, id);
	if (!p || !path_live(r->table, p))
		return; /* I4 */
	l = w ? w->life : NULL;
	t->life = l ? l->nr : 0;
	t->rid = path_rid(p);
	t->src = path_src(p);
	if (l)
		bmp_rib_add(b, id, l, t->rid);
}

static void
bmp_rib_take_net(struct batch *b, uint32_t id, const struct segment *s)
{
	if (s->set) {
		bitmap_set(&b->r->there, id);
		bmp_rib_add(b, id, NULL, 0);
	} else if (bitmap_clear(&b->r->there, id)) {
		bmp_rib_add(b, id, NULL, 0);
	}
}

static void
bmp_rib_take_segment(struct reader *rd, struct segment *s, enum read_check check)
{
	struct bmp_rib *r = bmp_rib_of_reader(rd);
	struct bmp_who *w = r->post && s->set ? rib_who_of(r, s) : NULL;
	struct batch b = { .r = r, .wire = s->set ? s->wire : NULL };

	for (struct seg_nets n = segment_nets(s); seg_nets_next(&n);) {
		if (!reader_passes(rd, s, n.id, check))
			continue;
		reader_clean(rd, n.id, 1);
		if (r->post)
			bmp_rib_take_path(&b, n.id, s, w);
		else
			bmp_rib_take_net(&b, n.id, s);
	}
	rib_send_batch(&b);
	mem_free(MEM_PROTO, b.buf);
}

static void
bmp_rib_take_gone(struct reader *rd, const uint32_t *id, uint32_t cnt)
{
	struct bmp_rib *r = bmp_rib_of_reader(rd);
	struct batch b = { .r = r };

	for (uint32_t i = 0; i < cnt; i++) {
		reader_clean(rd, id[i], 1);
		if (r->post)
			bmp_rib_withdraw(&b, id[i]);
		else if (bitmap_clear(&r->there, id[i]))
			bmp_rib_add(&b, id[i], NULL, 0);
	}
	rib_send_batch(&b);
	mem_free(MEM_PROTO, b.buf);
}

static uint32_t
bmp_rib_holds(const struct reader *rd, uint32_t id, uint32_t cnt)
{
	const struct bmp_rib *r = bmp_rib_of_reader(rd);
	uint32_t n = 0;

	if (!r->post)
		return bitmap_count_range(&r->there, id, cnt);
	for (uint32_t i = id; i < id + cnt && i < r->path_cap; i++)
		n += r->path[i].life != 0;
	return n;
}

static void
bmp_rib_flush(struct reader *rd)
{
	(void)rd; /* nothing is borrowed: octets are copied */
}

/* bmp_rib_feeds - do routes of the session @p come to @t? */
static bool
bmp_rib_feeds(const struct proto *p, const struct table *t)
{
	const struct channel *ch = load_acquire_ptr(&p->channels); /* pairs: PCHAN */

	while (ch && channel_table(ch) != t)
		ch = channel_next(ch);
	return ch != NULL;
}

/* bmp_rib_synced - RFC 7854, 5: send End-of-RIB of all sessions with routes in this
 * table. */
static void
bmp_rib_synced(struct reader *rd)
{
	struct bmp_rib *r = bmp_rib_of_reader(rd);
	enum family fam = table_family(r->table);
	const struct tern_view *v = tern_view_get(r->bmp->p.tern);
	struct bmp_peer head;

	if (!r->post) {
		head = rib_loc_head(r);
		bmp_put_eor(r->st, &head, fam);
		return;
	}
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct bmp_who *w = bmp_find(r->bmp, v->proto[i]->name);

		if (!w || !bmp_is_reported(w, r->st) || !(w->life->fam & FAM_BIT(fam)) ||
		    !bmp_rib_feeds(v->proto[i], r->table))
			continue;
		head = bmp_header(w->life, BMP_FLAG_POST, bmp_now_us());
		bmp_put_eor(r->st, &head, fam);
	}
}

/* bmp_rib_slow - table's thread: the station reads too slowly. The instance disconnects
 * the station; after the next connection all routes are sent. */
static void
bmp_rib_slow(struct reader *rd, uint64_t out_pos, uint64_t progress, bool anyway)
{
	struct bmp_rib *r = bmp_rib_of_reader(rd);

	(void)out_pos;
	if (!anyway && counter64_get(&rd->turns) != progress)
		return;
	store_relaxed32(&r->st->slow, 1);
	worker_wake(rd->worker);
}

const struct reader_ops bmp_rib_ops = {
	.room = bmp_rib_room,
	.run = reader_run_none,
	.segment = bmp_rib_take_segment,
	.gone = bmp_rib_take_gone,
	.holds = bmp_rib_holds,
	.flush = bmp_rib_flush,
	.synced = bmp_rib_synced,
	.slow = bmp_rib_slow,
};

struct bmp_rib *
bmp_rib_find(const struct bmp_station *st, const struct table *t, bool post)
{
	const struct list *n;

	list_for_each (n, &st->ribs) {
		struct bmp_rib *r = container_of(
		    (struct list *)(uintptr_t)n, struct bmp_rib, link);

		if (r->table == t && r->post == post)
			return r;
	}
	return NULL;
}

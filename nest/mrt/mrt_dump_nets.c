/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of a net in a dump of tables (mrt_dump.c).
 *
 * I1  The routes of a net are written in one step. If the buffer has no room for the
 *     routes, the buffer grows, and the net is written anew: its paths may have changed.
 * I2  Routes of sessions that came up after the table was begun are left out: the index
 *     of peers stands before the routes and lacks these peers.
 *
 * I3  Received routes (mrt_ask.received) have no route without a peer: number 0 of the
 *     index stands for other sources.
 *
 * Loop: the dump's, under RCU. Tested by test/net/test_mrt_dump.py. */
#include "nest/mrt/mrt_dump_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/mrt.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/export/over_routes.h"
#include "nest/core/tern.h"
#include "nest/mrt/mrt_peers.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

/* Which paths of a net a record has. */
enum which { ALL_PATHS, WITHOUT_ID, WITH_ID };

/* A table and a net of a dump. Life: one step, on the stack, under RCU. */
struct scene {
	struct mrt_dump *d;
	const struct table *t;
	const struct net *n; /* NULL: a net of an overlay */
	const struct overlay_cand *cand; /* routes of an overlay's net, best first */
	unsigned cand_cnt;
	struct prefix net;
};

static void
mrt_dump_nets_filter_log(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_INFO, "%s", line);
}

/* mrt_dump_nets_passes - run the filter. @v->set becomes the set after the filter; *@made
 * has a reference to that set. Returns: false: rejected. */
static bool
mrt_dump_nets_passes(struct mrt_dump *d, struct route_view *v, struct attr_set **made)
{
	static const struct filter_env env = { .log = mrt_dump_nets_filter_log };
	struct attr_edit e;
	uint32_t reads = 0;

	*made = NULL;
	if (!d->ask->filter)
		return true;
	arena_reset(&d->arena);
	attr_edit_init(&e, &d->arena, v->set);
	if (filter_run(d->ask->filter, d->ft, &env, v, &e, &reads) != FILTER_ACCEPT)
		return false;
	if (attr_edit_changed(&e))
		/* NULL: the attributes are too long */
		*made = attr_store_edit(d->tern->store, &e);
	if (*made)
		v->set = *made;
	return true;
}

/* nets_rid_of - the path identifier given by the peer; the identifiers of pipes are
 * internal. */
static uint32_t
nets_rid_of(const struct path *p)
{
	return path_piped(p) ? 0 : path_rid(p);
}

static void
mrt_dump_nets_put_route(
    const struct scene *sc, struct mrt_rib *r, const struct overlay_cand *c)
{
	struct mrt_dump *d = sc->d;
	struct route_view v = { .net = sc->net,
		.src = &c->from->src,
		.set = c->set,
		.feeder = path_src(c->path) };
	uint64_t at_ns = c->time_ns + d->real_ns;
	struct attr_set *made;
	int peer;

	peer = mrt_peers_find(&d->peers, v.src);
	if (peer < 0 || (!peer && d->ask->received) || /* I2, I3 */
	    !mrt_dump_nets_passes(d, &v, &made))
		return;
	if (wbuf_len(&d->out) + mrt_entry_bound(v.set->wire) > d->net_at + MRT_NET_MAX ||
	    mrt_rib_entry(r, (uint16_t)peer, (uint32_t)(at_ns / NS_PER_S),
		nets_rid_of(c->path), v.set->wire))
		d->lost++;
	if (made)
		attr_set_unref(d->tern->store, made, 1);
}

/* mrt_dump_nets_put_received - write @p as the peer announced the route, as far as the
 * table knows. */
static void
mrt_dump_nets_put_received(
    const struct scene *sc, struct mrt_rib *r, const struct path *p)
{
	struct attr_set *pre = path_pre(p);
	struct overlay_cand c;

	if (!path_piped(p) && path_live(sc->t, p) && !path_stale(sc->t, p) &&
	    overlay_cand(&c, sc->t, p, pre ? pre : path_set(p), true))
		mrt_dump_nets_put_route(sc, r, &c);
}

static void
mrt_dump_nets_put_path(const struct scene *sc, struct mrt_rib *r, const struct path *p)
{
	struct overlay_cand c;

	if (sc->d->ask->received)
		mrt_dump_nets_put_received(sc, r, p);
	else if (!path_filtered(p) && path_live(sc->t, p) &&
		 overlay_cand(&c, sc->t, p, NULL, true))
		mrt_dump_nets_put_route(sc, r, &c);
}

static bool
nets_is_of(const struct path *p, enum which w)
{
	return w == ALL_PATHS || (nets_rid_of(p) != 0) == (w == WITH_ID);
}

/* nets_put_record - write the paths of the net that @w selects, best first. Returns:
 * true: the net has paths that @w does not select. */
static bool
nets_put_record(const struct scene *sc, enum which w)
{
	struct mrt_dump *d = sc->d;
	struct mrt_rib_head h = { d->time_s, d->seq, w != WITHOUT_ID };
	const struct path *best = sc->n ? net_best(sc->n) : NULL;
	bool others = false;
	struct mrt_rib r;
	uint32_t cnt;

	mrt_rib_begin(&r, &d->out, &h, &sc->net);
	if (best && nets_is_of(best, w))
		mrt_dump_nets_put_path(sc, &r, best);
	for (unsigned i = 0; i < sc->cand_cnt; i++) {
		others |= !nets_is_of(sc->cand[i].path, w);
		if (nets_is_of(sc->cand[i].path, w))
			mrt_dump_nets_put_route(sc, &r, &sc->cand[i]);
	}
	for (const struct path *p = sc->n ? net_first(sc->n) : NULL; p;
	     p = path_next(p)) {
		others |= !nets_is_of(p, w);
		if (p != best && nets_is_of(p, w))
			mrt_dump_nets_put_path(sc, &r, p);
	}
	cnt = mrt_rib_end(&r);
	d->seq += cnt > 0;
	d->ask->routes += cnt;
	return others;
}

static void
nets_put_scene(const struct scene *sc)
{
	struct mrt_dump *d = sc->d;
	uint64_t routes = d->ask->routes;
	size_t len = wbuf_len(&d->out);
	uint32_t seq = d->seq;
	uint64_t lost = d->lost;

	d->net_at = len;
	for (;;) {
		if (nets_put_record(sc, d->ask->add_path ? ALL_PATHS : WITHOUT_ID))
			nets_put_record(sc, WITH_ID);
		if (!d->out.bad)
			break;
		d->out.pos = d->buf + len; /* I1 */
		d->out.bad = false;
		d->seq = seq;
		d->lost = lost;
		d->ask->routes = routes;
		mrt_dump_grow(d);
	}
	d->ask->nets += d->seq != seq;
}

void
mrt_dump_net(struct mrt_dump *d, const struct mrt_found *f, uint32_t id)
{
	const struct table *t = mrt_dump_table(f);
	const struct net *n = table_net_at(t, id);
	struct scene sc = { .d = d, .t = t, .n = n };

	if (!n)
		return;
	sc.net = net_prefix(t, n);
	nets_put_scene(&sc);
}

void
mrt_dump_net_over(struct mrt_dump *d, const struct overlay *o, uint32_t pos)
{
	struct scene sc = { .d = d };
	struct overlay_cand *cand;
	struct over_routes r;
	struct nlri k;

	if (!over_at(o, pos, &k))
		return;
	over_routes_get(&r, o, d->ft, &d->arena, &k);
	sc.cand = cand = mem_alloc(MEM_OTHER, (r.cnt + 1) * sizeof(*cand));
	sc.net = nlri_prefix(table_kind(o->over), k.word, k.head);
	while (r.cnt)
		cand[sc.cand_cnt++] = over_routes_take(&r);
	nets_put_scene(&sc);
	for (unsigned i = 0; i < sc.cand_cnt; i++)
		over_cand_done(&r, &cand[i]);
	over_routes_done(&r);
	mem_free(MEM_OTHER, cand);
}

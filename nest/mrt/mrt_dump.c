/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps of tables in MRT format.
 *
 *      NEXT   the next table: its file                       -> PEERS
 *      PEERS  whose routes are in it, and in its base -> WALK
 *      WALK   nets by id, some each step              -> NEXT, at the end
 *      END    the last file gets its name; the answer goes
 *
 * I1  Between two steps only names and a net id are kept. A table that is another one by
 *     then, under its old name, ends the dump: its ids mean something else.
 * I2  A net is written in one step. If the buffer has no room for it, that grows, and the
 *     net is written anew: its paths may be others by then.
 * I3  Routes of sessions that came up after the table was begun are left out: their peers
 *     aren't in the index, which stands before the routes.
 * I4  What a table has of its base, and by which policy, is what it had when the table
 *     was begun: numbers of nets count otherwise where it has none.
 *
 * Loop: its own, of class WORKER_CONTROL; it is nice, since nobody waits for a dump. */
#include "nest/mrt/mrt_dump.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/scan.h"
#include "lib/base/strbuf.h"
#include "lib/net/prefix.h"
#include "lib/wire/mrt.h"
#include "lib/wire/wbuf.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config_ref.h"
#include "nest/mrt/mrt_file.h"
#include "nest/mrt/mrt_name.h"
#include "nest/mrt/mrt_peers.h"
#include "nest/channel/over_routes.h"
#include "nest/rib/overlay.h"
#include "nest/rib/source.h"
#include "nest/rib/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/tern.h"
#include "sysdep/clock.h"
#include "sysdep/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define STEP_NS     NS_PER_MS
#define LOOK_NETS   32 /* nets between two looks at the clock */
#define BUFFER_MIN  (1u << 20)
#define BUFFER_FULL (BUFFER_MIN / 2) /* then it is written */
#define BUFFER_MAX  (1u << 30)
#define NET_MAX     (1u << 28) /* octets of one net: 65,535 usual entries are a tenth */

_Static_assert(BUFFER_FULL + NET_MAX < BUFFER_MAX, "it has room for any net");

enum phase { PHASE_NEXT, PHASE_PEERS, PHASE_WALK, PHASE_END };

/* Which paths of a net stand in a record. */
enum which { ALL_PATHS, WITHOUT_ID, WITH_ID };

/* owner: its worker. */
struct mrt_dump {
	struct worker worker;
	struct tern *tern;
	struct mrt_ask *ask;
	enum phase phase;
	uint64_t began_ns, real_ns; /* real_ns: what a monotonic time lacks to be real */
	uint32_t time_s;
	/* of tables, that are to be done: */
	char **name; /* MEM_OTHER */
	uint32_t name_cnt, next;
	/* of the present one: */
	const struct table *table; /* to be compared only */
	uint32_t pos, seq;
	struct mrt_peers peers;
	bool has_peers;
	struct overlay *over; /* of the present table when it was begun; NULL: none */
	/* of the present file */
	struct mrt_file file;
	uint8_t *buf;
	size_t cap;
	struct wbuf out;
	/* of filters */
	struct filter_thread *ft;
	struct arena arena;
	size_t net_at; /* octets in the buffer before the present net */
	uint64_t lost; /* entries beyond what a record can have */
};

/* A table with what is asked of it, for one step. Under RCU. */
struct scene {
	struct mrt_dump *d;
	const struct table *t;
	const struct net *n; /* NULL: it is of an overlay */
	const struct overlay_cand *cand; /* then these are its routes, the best first */
	unsigned cand_cnt;
	struct prefix net;
};

struct mrt_ask *
mrt_ask_new(void)
{
	return mem_zalloc(MEM_OTHER, sizeof(struct mrt_ask));
}

void
mrt_ask_free(TAKE struct mrt_ask *a)
{
	if (a->expr)
		cli_expr_free(a->expr);
	if (a->conf)
		config_ref_put(a->conf);
	mem_free(MEM_OTHER, a->who);
	mem_free(MEM_OTHER, a->tables);
	mem_free(MEM_OTHER, a->filename);
	mem_free(MEM_OTHER, a);
}

/* fail - the first reason counts. */
static void PRINTF_LIKE(3, 4) fail(struct mrt_dump *d, int err, const char *fmt, ...)
{
	struct mrt_ask *a = d->ask;
	va_list ap;

	d->phase = PHASE_END;
	if (a->err)
		return;
	a->err = err;
	va_start(ap, fmt);
	vsnprintf(a->error, sizeof(a->error), fmt, ap);
	va_end(ap);
}

/* ---- files ---- */

static void
flush(struct mrt_dump *d)
{
	size_t len = wbuf_len(&d->out);
	int rc = len ? mrt_file_write(&d->file, d->buf, len) : 0;

	d->out = wbuf_of(d->buf, d->cap);
	d->ask->octets += len;
	if (rc)
		fail(d, rc, "%s: %s", d->file.path, strerror(-rc));
}

static void
grow(struct mrt_dump *d)
{
	size_t len = wbuf_len(&d->out);

	ASSERT(d->cap < BUFFER_MAX);
	d->cap = d->cap ? 2 * d->cap : BUFFER_MIN;
	d->buf = mem_realloc(MEM_OTHER, d->buf, d->cap);
	d->out = wbuf_of(d->buf, d->cap);
	d->out.pos += len;
}

static void
close_file(struct mrt_dump *d, bool drop)
{
	char *path = d->file.path ? mem_strdup(MEM_OTHER, d->file.path) : NULL;
	int rc = mrt_file_close(&d->file, drop);

	if (rc)
		fail(d, rc, "%s: %s", path, strerror(-rc));
	mem_free(MEM_OTHER, path);
}

/* open_file - the one of @table; it is open already if the name is the same. */
static void
open_file(struct mrt_dump *d, const char *table)
{
	struct strbuf b;
	int rc = 0;

	strbuf_init(&b);
	mrt_name(&b, d->ask->filename, table, (time_t)d->time_s);
	if (!mrt_file_is_open(&d->file) || strcmp(b.s, d->file.path) != 0) {
		close_file(d, false);
		if (!d->ask->err)
			rc = mrt_file_open(&d->file, b.s);
	}
	if (rc == -ENOTSUP)
		fail(d, rc, "%s: is there and isn't a file", b.s);
	else if (rc)
		fail(d, rc, "%s: %s", b.s, strerror(-rc));
	strbuf_fini(&b);
}

/* ---- nets ---- */

static void
filter_log(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_INFO, "%s", line);
}

/* passes - ask the filter. @v->set becomes what it makes of the route; *@own: a reference
 * on that. */
static bool
passes(struct mrt_dump *d, struct route_view *v, struct attr_set **own)
{
	static const struct filter_env env = { .log = filter_log };
	struct attr_edit e;
	uint32_t reads = 0;

	*own = NULL;
	if (!d->ask->filter)
		return true;
	arena_reset(&d->arena);
	attr_edit_init(&e, &d->arena, v->set);
	if (filter_run(d->ask->filter, d->ft, &env, v, &e, &reads) != FILTER_ACCEPT)
		return false;
	if (attr_edit_changed(&e))
		*own = attr_store_edit(d->tern->store, &e); /* NULL: it doesn't fit */
	if (*own)
		v->set = *own;
	return true;
}

/* rid_of - as the peer has given it: that of a pipe is our own affair. */
static uint32_t
rid_of(const struct path *p)
{
	return path_piped(p) ? 0 : path_rid(p);
}

static void
put_route(const struct scene *sc, struct mrt_rib *r, const struct overlay_cand *c)
{
	struct mrt_dump *d = sc->d;
	struct route_view v = { .net = sc->net,
		.src = &c->from->src,
		.set = c->set,
		.feeder = path_src(c->path) };
	uint64_t at_ns = c->time_ns + d->real_ns;
	struct attr_set *own;
	int peer;

	peer = mrt_peers_find(&d->peers, v.src);
	if (peer < 0 || !passes(d, &v, &own)) /* I3 */
		return;
	if (wbuf_len(&d->out) + mrt_entry_bound(v.set->wire) > d->net_at + NET_MAX ||
	    mrt_rib_entry(r, (uint16_t)peer, (uint32_t)(at_ns / NS_PER_S),
		rid_of(c->path), v.set->wire))
		d->lost++;
	if (own)
		attr_set_unref(d->tern->store, own, 1);
}

static void
put_path(const struct scene *sc, struct mrt_rib *r, const struct path *p)
{
	struct overlay_cand c;

	if (!path_filtered(p) && path_live(sc->t, p) &&
	    overlay_cand(&c, sc->t, p, NULL, true))
		put_route(sc, r, &c);
}

static bool
is_of(const struct path *p, enum which w)
{
	return w == ALL_PATHS || (rid_of(p) != 0) == (w == WITH_ID);
}

/* put_record - those paths of the net that @w says, the best one first. Returns: are
 * there others? */
static bool
put_record(const struct scene *sc, enum which w)
{
	struct mrt_dump *d = sc->d;
	struct mrt_rib_head h = { d->time_s, d->seq, w != WITHOUT_ID };
	const struct path *best = sc->n ? net_best(sc->n) : NULL;
	bool others = false;
	struct mrt_rib r;
	uint32_t cnt;

	mrt_rib_begin(&r, &d->out, &h, &sc->net);
	if (best && is_of(best, w))
		put_path(sc, &r, best);
	for (unsigned i = 0; i < sc->cand_cnt; i++) {
		others |= !is_of(sc->cand[i].path, w);
		if (is_of(sc->cand[i].path, w))
			put_route(sc, &r, &sc->cand[i]);
	}
	for (const struct path *p = sc->n ? net_first(sc->n) : NULL; p;
	     p = path_next(p)) {
		others |= !is_of(p, w);
		if (p != best && is_of(p, w))
			put_path(sc, &r, p);
	}
	cnt = mrt_rib_end(&r);
	d->seq += cnt > 0;
	d->ask->routes += cnt;
	return others;
}

static void
put_scene(const struct scene *sc)
{
	struct mrt_dump *d = sc->d;
	uint64_t routes = d->ask->routes;
	size_t len = wbuf_len(&d->out);
	uint32_t seq = d->seq;
	uint64_t lost = d->lost;

	d->net_at = len;
	for (;;) {
		if (put_record(sc, d->ask->add_path ? ALL_PATHS : WITHOUT_ID))
			put_record(sc, WITH_ID);
		if (!d->out.bad)
			break;
		d->out.pos = d->buf + len; /* I2 */
		d->out.bad = false;
		d->seq = seq;
		d->lost = lost;
		d->ask->routes = routes;
		grow(d);
	}
	d->ask->nets += d->seq != seq;
}

static void
put_net(struct mrt_dump *d, const struct table *t, uint32_t id)
{
	const struct net *n = table_net_at(t, id);
	struct scene sc = { .d = d, .t = t, .n = n };

	if (!n)
		return;
	sc.net = net_prefix(t, n);
	put_scene(&sc);
}

/* put_net_over - that of number @pos of an overlay. */
static void
put_net_over(struct mrt_dump *d, const struct overlay *o, uint32_t pos)
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
	put_scene(&sc);
	for (unsigned i = 0; i < sc.cand_cnt; i++)
		over_cand_done(&r, &cand[i]);
	over_routes_done(&r);
	mem_free(MEM_OTHER, cand);
}

/* ---- phases ---- */

static const struct table *
find_table(const struct mrt_dump *d, const char *name)
{
	const struct tern_view *v = tern_view_get(d->tern);

	for (uint32_t i = 0; i < v->table_cnt; i++)
		if (!strcmp(table_name(v->table[i]), name))
			return v->table[i];
	return NULL;
}

static void
drop_over(struct mrt_dump *d)
{
	if (d->over)
		overlay_put(d->over);
	d->over = NULL;
}

static void
next_table(struct mrt_dump *d)
{
	const char *name;

	if (d->next == d->name_cnt) {
		d->phase = PHASE_END;
		return;
	}
	name = d->name[d->next++];
	d->table = find_table(d, name);
	if (!d->table)
		return; /* removed meanwhile: the next one, and its last dump stays */
	open_file(d, name);
	if (d->ask->err)
		return;
	if (d->has_peers)
		mrt_peers_fini(&d->peers);
	mrt_peers_init(&d->peers, d->tern);
	d->has_peers = true;
	d->over = overlay_ref(d->table);
	d->pos = d->seq = 0;
	d->phase = PHASE_PEERS;
}

/* is_there - I1. */
static bool
is_there(struct mrt_dump *d)
{
	const char *name = d->name[d->next - 1];

	if (find_table(d, name) == d->table)
		return true;
	fail(d, -ESTALE, "table %s has gone", name);
	return false;
}

static void
take_peers(struct mrt_dump *d, uint64_t until_ns)
{
	const struct table *base = d->over ? d->over->base : NULL;

	if (!is_there(d) || !mrt_peers_take(&d->peers, d->table, base, until_ns))
		return;
	while (wbuf_room(&d->out) < mrt_index_bound(d->peers.cnt))
		grow(d);
	mrt_index_put(&d->out, d->time_s, d->ask->router_id, d->name[d->next - 1],
	    d->peers.peer, d->peers.cnt);
	d->phase = PHASE_WALK;
}

static void
walk(struct mrt_dump *d, uint64_t until_ns)
{
	const struct overlay *o = d->over; /* I4 */
	uint32_t limit, cnt = 0;

	if (!is_there(d))
		return;
	limit = o ? over_limit(o) : table_id_limit(d->table);
	for (; d->pos < limit && wbuf_len(&d->out) < BUFFER_FULL; d->pos++) {
		if ((d->ask->filter || o || ++cnt % LOOK_NETS == 0) &&
		    clock_now_ns() >= until_ns)
			return;
		if (o)
			put_net_over(d, o, d->pos);
		else
			put_net(d, d->table, d->pos);
	}
	if (d->pos >= limit) {
		drop_over(d);
		d->ask->tables_done++;
		d->phase = PHASE_NEXT;
	}
}

/* answer - @d->ask goes back; nobody needs us any more. */
static void
answer(struct mrt_dump *d)
{
	struct mrt_ask *a = d->ask;

	drop_over(d);
	a->took_ns = clock_now_ns() - d->began_ns;
	d->ask = NULL;
	a->msg.handle = a->done;
	worker_post(a->asker, &a->msg);
	worker_stop(&d->worker);
}

static void
say_end(const struct mrt_dump *d)
{
	const struct mrt_ask *a = d->ask;
	const char *who = a->who ? a->who : "mrt dump";

	if (a->err == -ECANCELED)
		return;
	if (a->err)
		log_msg(LOG_C_ERR, "%s: MRT dump failed: %s", who, a->error);
	else if (d->lost)
		log_msg(LOG_C_WARN,
		    "%s: %llu routes of nets with more than %u are not in the dump", who,
		    (unsigned long long)d->lost, MRT_ENTRIES_MAX);
}

static void
finish(struct mrt_dump *d)
{
	if (!d->ask->err && mrt_file_is_open(&d->file))
		flush(d);
	close_file(d, d->ask->err != 0);
	say_end(d);
	answer(d);
}

static void
run(struct worker *w)
{
	struct mrt_dump *d = container_of(w, struct mrt_dump, worker);
	uint64_t until_ns = clock_now_ns() + STEP_NS;

	if (load_relaxed32(&d->tern->shutting_down) || load_relaxed32(&d->ask->stop))
		fail(d, -ECANCELED, "not wanted any more");
	else if (d->phase == PHASE_NEXT)
		next_table(d);
	else if (d->phase == PHASE_PEERS)
		take_peers(d, until_ns);
	else if (d->phase == PHASE_WALK)
		walk(d, until_ns);
	/* from here on nothing found under RCU is used */
	if (d->phase == PHASE_END) {
		finish(d);
		return;
	}
	/* before the next file is opened, what belongs to this one is in it */
	if (wbuf_len(&d->out) >= BUFFER_FULL || d->phase == PHASE_NEXT)
		flush(d);
	worker_again(w);
}

/* ---- life ---- */

/* list_tables - those of IP routes that @d->ask names. */
static void
list_tables(struct mrt_dump *d)
{
	const struct tern_view *v = tern_view_get(d->tern);

	d->name = mem_zalloc(MEM_OTHER, (v->table_cnt + 1) * sizeof(*d->name));
	for (uint32_t i = 0; i < v->table_cnt; i++) {
		const char *name = table_name(v->table[i]);

		if (nlri_is_ip(table_kind(v->table[i])) &&
		    (!strcmp(d->ask->tables, name) || scan_glob(d->ask->tables, name)))
			d->name[d->name_cnt++] = mem_strdup(MEM_OTHER, name);
	}
}

static void
start(struct worker *w)
{
	struct mrt_dump *d = container_of(w, struct mrt_dump, worker);

	worker_nice(w, true);
	worker_patient(w);
	list_tables(d);
	grow(d);
	d->phase = PHASE_NEXT;
	if (!d->name_cnt)
		fail(d, -ENOENT, "there is no table of IP routes called %s",
		    d->ask->tables);
	worker_again(w);
}

static void
gone(struct worker *w)
{
	struct mrt_dump *d = container_of(w, struct mrt_dump, worker);
	struct tern *t = d->tern;

	for (uint32_t i = 0; i < d->name_cnt; i++)
		mem_free(MEM_OTHER, d->name[i]);
	mem_free(MEM_OTHER, d->name);
	mem_free(MEM_OTHER, d->buf);
	if (d->has_peers)
		mrt_peers_fini(&d->peers);
	filter_thread_free(d->ft);
	arena_fini(&d->arena);
	mem_free(MEM_OTHER, d);
	tern_worker_gone(t);
}

static const struct worker_ops dump_ops = { .start = start, .run = run, .gone = gone };

void
mrt_dump_start(struct tern *t, TAKE struct mrt_ask *a)
{
	struct mrt_dump *d = mem_zalloc(MEM_OTHER, sizeof(*d));
	uint64_t now_ns = clock_now_ns();
	enum filter_verdict v;

	d->tern = t;
	d->ask = a;
	d->began_ns = now_ns;
	d->real_ns = clock_real_ns(now_ns) - now_ns;
	d->time_s = (uint32_t)((now_ns + d->real_ns) / NS_PER_S);
	if (a->filter && filter_is_const(a->filter, &v) && v == FILTER_ACCEPT)
		a->filter = NULL;
	d->ft = filter_thread_new(&t->ifaces);
	arena_init(&d->arena, MEM_OTHER, 4096);
	tern_worker_start(t);
	worker_start(&d->worker, &dump_ops, WORKER_CONTROL, "mrt");
}

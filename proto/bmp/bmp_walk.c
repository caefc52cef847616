/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pre-policy routes for a station that does not yet have them: a walk over the routes
 * that tables keep before import policy.
 *
 * I1  A route that a session brought before the walk began is in the table when the walk
 *     looks: the walk waits until the session's ring was empty once (settle). Later
 *     UPDATEs wait in the queue and follow the walk. So the last message about a prefix
 *     is the latest state, though the walk may have seen a later state of the prefix
 *     before.
 * I2  A walk serves all sessions that wait when the walk begins. A session that comes
 *     later waits for the next walk.
 *
 * Loop: the instance's; each step under RCU. */
#include "lib/attr/attr.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bmp.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdlib.h>

#define STEP_NETS  2048
#define STEP_PATHS 4096 /* paths in a step, plus the rest of the last net */
#define SETTLE_NS  (5 * NS_PER_MS)

/* A route found by the walk. */
struct found {
	struct bmp_who *who;
	const struct attr_set *set;
	uint32_t rid;
	uint32_t at; /* position in the walk */
	uint32_t first; /* at of the first route with this session and set */
	struct nlri net;
};

static struct bmp_reported_who *
bmp_walk_walked(struct bmp_station *st, struct bmp_who *w)
{
	return w && bmp_is_reported(w, st) && bmp_at(w, st)->pre == BMP_PRE_WALK
		   ? bmp_at(w, st)
		   : NULL;
}

static void
bmp_walk_add_table(struct bmp_walk *k, struct table *t)
{
	for (uint32_t i = 0; i < k->table_cnt; i++)
		if (k->table[i] == t)
			return;
	k->table = vec_room(
	    MEM_PROTO, k->table, &k->table_cap, k->table_cnt + 1, sizeof(*k->table));
	table_use(t);
	k->table[k->table_cnt++] = t;
}

/* walk_each_channel - call @fn for each channel of the walked sessions. */
static void
walk_each_channel(struct bmp_station *st,
    void (*fn)(struct bmp_station *st, struct bmp_who *w, struct channel *ch, void *arg),
    void *arg)
{
	const struct tern_view *v = tern_view_get(st->bmp->p.tern);

	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		struct bmp_who *w = bmp_find(st->bmp, v->proto[i]->name);
		struct channel *ch;

		if (!bmp_walk_walked(st, w))
			continue;
		ch = load_acquire_ptr(&v->proto[i]->channels); /* pairs: PCHAN */
		for (; ch; ch = channel_next(ch))
			if (nlri_is_ip(table_kind(channel_table(ch))))
				fn(st, w, ch, arg);
	}
}

static void
walk_begin_one(struct bmp_station *st, struct bmp_who *w, struct channel *ch, void *arg)
{
	(void)arg;
	/* the channel uses the table, so the table lives */
	bmp_walk_add_table(&st->walk, channel_table(ch));
	bmp_at(w, st)->unsettled |= FAM_BIT(channel_family(ch));
}

static void
walk_settle_one(struct bmp_station *st, struct bmp_who *w, struct channel *ch, void *arg)
{
	uint8_t bit = FAM_BIT(channel_family(ch));

	if (channel_through(ch))
		bmp_at(w, st)->unsettled &= (uint8_t)~bit;
	if (bmp_at(w, st)->unsettled & bit)
		*(bool *)arg = false;
}

void
bmp_walk_begin(struct bmp_station *st)
{
	struct list *n;

	st->wanted.walk = false;
	st->walk.on = true;
	st->walk.settled = false;
	st->walk.at = st->walk.pos = 0;
	list_for_each (n, &st->bmp->all) {
		struct bmp_who *w = container_of(n, struct bmp_who, link);
		struct bmp_reported_who *at = bmp_at(w, st);

		if (!bmp_is_reported(w, st) || at->pre != BMP_PRE_WAIT)
			continue;
		at->pre = BMP_PRE_WALK;
		at->unsettled = 0;
		at->epoch++;
	}
	walk_each_channel(st, walk_begin_one, NULL);
}

void
bmp_walk_end(struct bmp_station *st)
{
	struct bmp_walk *k = &st->walk;

	for (uint32_t i = 0; i < k->table_cnt; i++)
		table_unuse(k->table[i]);
	mem_free(MEM_PROTO, k->table);
	*k = (struct bmp_walk){ .on = false };
}

/* ---- a step ---- */

/* Session by number of the feeder. Life: one step, on the stack. */
struct whose {
	const struct table *table;
	struct arena *arena;
	struct bmp_who **who;
	uint32_t cnt;
};

static void
walk_count_ids(struct bmp_station *st, struct bmp_who *w, struct channel *ch, void *arg)
{
	struct whose *x = arg;
	uint32_t id = channel_source_id(ch);

	(void)st, (void)w;
	if (channel_table(ch) == x->table && id != UINT32_MAX && id >= x->cnt)
		x->cnt = id + 1;
}

static void
walk_enter_id(struct bmp_station *st, struct bmp_who *w, struct channel *ch, void *arg)
{
	struct whose *x = arg;
	uint32_t id = channel_source_id(ch);

	(void)st;
	if (channel_table(ch) == x->table && id < x->cnt)
		x->who[id] = w;
}

static int
walk_by_set(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->who != y->who)
		return x->who < y->who ? -1 : 1;
	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int
bmp_walk_by_first(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* walk_sort_found - group the routes by session and set. The first route of a group in
 * the walk decides the place of the group; addresses of session and set do not. */
static void
walk_sort_found(struct found *f, uint32_t cnt)
{
	qsort(f, cnt, sizeof(*f), walk_by_set);
	for (uint32_t i = 0; i < cnt; i++)
		f[i].first = i && f[i].who == f[i - 1].who && f[i].set == f[i - 1].set
				 ? f[i - 1].first
				 : f[i].at;
	qsort(f, cnt, sizeof(*f), bmp_walk_by_first);
}

/* bmp_walk_send_run - send the @cnt routes @f, all of one session and set. */
static void
bmp_walk_send_run(struct bmp_station *st, const struct table *t, const struct found *f,
    uint32_t cnt, struct arena *a)
{
	const struct monitor_life *l = f->who->life;
	enum nlri_kind kind = table_kind(t);
	enum family fam = table_family(t);
	struct bmp_peer head = bmp_header(l, l->as4 ? 0 : BMP_FLAG_AS2, bmp_now_us());
	unsigned id_len = l->ids & FAM_BIT(fam) ? NLRI_ID_LEN : 0;
	uint8_t *buf = arena_alloc(a, cnt * (NLRI_ID_LEN + NLRI_MAX) + NLRI_SLACK);
	struct bgp_nlri n = { .p = buf, .cnt = cnt, .id_len = (uint8_t)id_len };
	struct bgp_class c;

	for (uint32_t i = 0; i < cnt; i++) {
		if (id_len)
			put_be32(buf + n.len, f[i].rid);
		n.len += id_len + NLRI_BY_KIND(kind, nlri_put, buf + n.len + id_len,
				      f[i].net.word, f[i].net.head);
	}
	bmp_class(&c, l, fam, false);
	bmp_put_routes(st, &head, &c, fam, f->set->wire, &n);
}

/* bmp_walk_nets - the nets from @id on, below @to. Returns: the net to go on from. */
static uint32_t
bmp_walk_nets(struct bmp_station *st, const struct table *t, uint32_t id, uint32_t to)
{
	struct arena a;
	struct whose x = { .table = t, .arena = &a };
	struct found *f = NULL;
	uint32_t cnt = 0, cap = 0, looked = 0;

	arena_init(&a, MEM_PROTO, 4096);
	walk_each_channel(st, walk_count_ids, &x);
	x.who = arena_zalloc(&a, (x.cnt + 1) * sizeof(struct bmp_who *));
	walk_each_channel(st, walk_enter_id, &x);
	for (; id < to && looked < STEP_PATHS; id++) {
		const struct net *n = table_net_at(t, id);
		const struct path *p = n ? net_first(n) : NULL;

		for (; p; p = path_next(p), looked++) {
			uint32_t src = path_src(p);

			if (src >= x.cnt || !x.who[src] || !path_pre(p) ||
			    path_piped(p) || !path_live(t, p))
				continue;
			f = vec_room(MEM_PROTO, f, &cap, cnt + 1, sizeof(*f));
			f[cnt] = (struct found){ .who = x.who[src],
				.set = path_pre(p),
				.rid = path_rid(p),
				.at = cnt,
				.net = net_nlri(t, n) };
			cnt++;
		}
	}
	if (cnt)
		walk_sort_found(f, cnt);
	for (uint32_t i = 0, k; i < cnt; i = k) {
		for (k = i + 1; k < cnt && f[k].first == f[i].first; k++)
			;
		bmp_walk_send_run(st, t, &f[i], k - i, &a);
	}
	mem_free(MEM_PROTO, f);
	arena_fini(&a);
	return id;
}

/* bmp_walk_finish - the walked sessions are complete: send End-of-RIB and release the
 * queue. */
static void
bmp_walk_finish(struct bmp_station *st)
{
	struct list *n;

	list_for_each (n, &st->bmp->all) {
		struct bmp_who *w = container_of(n, struct bmp_who, link);
		struct bmp_reported_who *at = bmp_walk_walked(st, w);
		struct bmp_peer head;

		if (!at)
			continue;
		at->pre = BMP_PRE_LIVE;
		head = bmp_header(w->life, w->life->as4 ? 0 : BMP_FLAG_AS2, bmp_now_us());
		for (unsigned fam = 0; fam < FAM_CNT; fam++)
			if (w->life->fam & FAM_BIT(fam))
				bmp_put_eor(st, &head, (enum family)fam);
	}
	bmp_walk_end(st);
}

bool
bmp_walk_step(struct bmp_station *st)
{
	struct bmp_walk *k = &st->walk;
	uint32_t limit, to;

	if (!k->settled) { /* I1 */
		k->settled = true;
		walk_each_channel(st, walk_settle_one, &k->settled);
		if (!k->settled) {
			timer_set(
			    &st->bmp->soon, loop_now_ns(&st->bmp->p.worker) + SETTLE_NS);
			return false;
		}
	}
	if (k->at == k->table_cnt) {
		bmp_walk_finish(st);
		return true;
	}
	limit = table_id_limit(k->table[k->at]);
	to = limit > k->pos + STEP_NETS ? k->pos + STEP_NETS : limit;
	if (k->pos < to)
		k->pos = bmp_walk_nets(st, k->table[k->at], k->pos, to);
	if (k->pos >= limit) {
		k->at++;
		k->pos = 0;
	}
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers of one station. A reader is made for each table, starts when the station
 * connects, stops when the station disconnects, and leaves with its table.
 *
 * I1  The instance finds a table through a channel, under RCU. The channel uses the
 *     table, so the table lives until the reader uses the table too. When no view has the
 *     table any more, the reader leaves within a second.
 *
 * Loop: the instance's. Tested by test/net/test_bmp.py and test/net/test_bmp_out.py. */
#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/monitor/monitor.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/table.h"
#include "proto/bmp/bmp.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/loop/loop.h"

#include <stdlib.h>

struct rib_msg {
	struct msg msg;
	struct bmp_rib *rib;
};

static OWNED struct msg *
bmp_ribs_msg_new(struct bmp_rib *r, void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct rib_msg *rm = mem_zalloc(MEM_PROTO, sizeof(*rm));

	rm->msg.handle = fn;
	rm->rib = r;
	return &rm->msg;
}

static struct bmp_rib *
ribs_msg_rib(TAKE struct msg *m)
{
	struct rib_msg *rm = container_of(m, struct rib_msg, msg);
	struct bmp_rib *r = rm->rib;

	mem_free(MEM_PROTO, rm);
	return r;
}

static void
bmp_ribs_left(struct worker *w, TAKE struct msg *m)
{
	struct bmp_rib *r = ribs_msg_rib(m);
	struct bmp_proto *b = r->bmp;

	(void)w;
	reader_fini(&r->reader);
	table_unuse(r->table);
	arena_fini(&r->arena);
	bitmap_fini(&r->there);
	mem_free(MEM_PROTO, r->path);
	mem_free(MEM_PROTO, r);
	b->leaving--;
	bmp_try_gone(b);
}

static void
ribs_start_one(struct bmp_rib *r)
{
	if (!r->attached || r->leaving || !r->st->up || r->reader.on)
		return;
	if (!r->post)
		bmp_loc_up(r);
	reader_start(&r->reader);
	reader_all(&r->reader);
	worker_again(&r->bmp->p.worker);
}

static void
ribs_stop_one(struct bmp_rib *r)
{
	if (r->reader.on)
		reader_stop(&r->reader);
	bitmap_clear_all(&r->there);
	mem_free(MEM_PROTO, r->path);
	r->path = NULL;
	r->path_cap = 0;
	r->up = false;
	bmp_ends_drop(r);
}

/* ribs_renew_one - AS or router id of this router changed: start the Loc-RIB peer again.
 */
static void
ribs_renew_one(struct bmp_rib *r)
{
	bmp_loc_down(r);
	ribs_stop_one(r);
	ribs_start_one(r);
}

static void
ribs_leave_one(struct bmp_rib *r)
{
	if (r->up && r->st->up)
		bmp_loc_down(r);
	ribs_stop_one(r);
	list_del(&r->link);
	r->leaving = true;
	r->bmp->leaving++;
	if (r->attached)
		reader_detach(&r->reader, bmp_ribs_msg_new(r, bmp_ribs_left));
}

static void
bmp_ribs_attached(struct worker *w, TAKE struct msg *m)
{
	struct bmp_rib *r = ribs_msg_rib(m);

	(void)w;
	r->attached = true;
	if (r->leaving)
		reader_detach(&r->reader, bmp_ribs_msg_new(r, bmp_ribs_left));
	else
		ribs_start_one(r);
}

/* rib_new - make a reader. @t lives: a channel found under RCU uses @t. */
static void
rib_new(struct bmp_station *st, struct table *t, bool post)
{
	struct bmp_rib *r = mem_aligned(MEM_PROTO, CACHE_LINE, sizeof(*r));

	memset(r, 0, sizeof(*r));
	r->bmp = st->bmp;
	r->st = st;
	r->table = t;
	r->post = post;
	list_init(&r->ends);
	table_use(t);
	arena_init(&r->arena, MEM_PROTO, 4096);
	bitmap_init(&r->there, MEM_PROTO);
	reader_init(&r->reader, t, &st->bmp->p.worker, &bmp_rib_ops, &r->arena);
	r->reader.wants.all = post;
	list_add_tail(&st->ribs, &r->link);
	reader_attach(&r->reader, bmp_ribs_msg_new(r, bmp_ribs_attached));
}

/* ribs_is_overlay - true: table @t is an overlay in view @v. The base holds most best
 * routes of an overlay, so the Loc-RIB of the base reports them. The view is asked
 * because the channel may still have the previous configuration. */
static bool
ribs_is_overlay(const struct tern_view *v, const struct table *t)
{
	const struct conf_table *ct = config_find_table(v->conf->conf, table_name(t));

	return ct && conf_table_base(ct);
}

/* bmp_ribs_want - make the wanted readers for the table of channel @ch of @p. */
static void
bmp_ribs_want(struct bmp_station *st, const struct tern_view *v, const struct proto *p,
    const struct channel *ch)
{
	const struct bmp_conf *cf = bmp_conf_of(st->bmp);
	struct table *t = channel_table(ch);

	if (cf->loc_rib && !bmp_rib_find(st, t, false) && !ribs_is_overlay(v, t))
		rib_new(st, t, false);
	if (cf->in_post && proto_conf_get(p)->kind == PROTO_BGP &&
	    monitor_wants(st->bmp->mon, p->name) && !bmp_rib_find(st, t, true))
		rib_new(st, t, true);
}

static bool
ribs_in_view(const struct tern_view *v, const struct table *t)
{
	for (uint32_t i = 0; i < v->table_cnt; i++)
		if (v->table[i] == t)
			return true;
	return false;
}

void
bmp_ribs_look(struct bmp_station *st)
{
	const struct tern_view *v = tern_view_get(st->bmp->p.tern);
	struct list *n, *tmp;

	if (v->nr == st->view_nr)
		return;
	st->view_nr = v->nr;
	list_for_each_safe (n, tmp, &st->ribs) {
		struct bmp_rib *r = container_of(n, struct bmp_rib, link);

		if (!ribs_in_view(v, r->table) ||
		    (!r->post && ribs_is_overlay(v, r->table)))
			ribs_leave_one(r);
		else if (bmp_loc_moved(r))
			ribs_renew_one(r);
	}
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		struct channel *ch = load_acquire_ptr(
		    &v->proto[i]->channels); /* pairs: PCHAN */

		for (; ch; ch = channel_next(ch))
			if (nlri_is_ip(table_kind(channel_table(ch))) &&
			    ribs_in_view(v, channel_table(ch)))
				bmp_ribs_want(st, v, v->proto[i], ch);
	}
}

void
bmp_ribs_start(struct bmp_station *st)
{
	struct list *n;

	list_for_each (n, &st->ribs)
		ribs_start_one(container_of(n, struct bmp_rib, link));
}

void
bmp_ribs_stop(struct bmp_station *st)
{
	struct list *n;

	list_for_each (n, &st->ribs)
		ribs_stop_one(container_of(n, struct bmp_rib, link));
}

void
bmp_ribs_leave(struct bmp_station *st)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &st->ribs)
		ribs_leave_one(container_of(n, struct bmp_rib, link));
}

void
bmp_ribs_all(struct bmp_station *st)
{
	struct list *n;

	list_for_each (n, &st->ribs) {
		struct bmp_rib *r = container_of(n, struct bmp_rib, link);

		if (r->post && r->reader.on)
			reader_all(&r->reader);
	}
}

static int
ribs_life_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* ribs_again_one - mark the paths whose entry has one of the @cnt sorted lives as dirty.
 */
static void
ribs_again_one(struct bmp_rib *r, const uint32_t *life, uint32_t cnt)
{
	for (uint32_t id = 0; id < r->path_cap; id++) {
		uint32_t l = r->path[id].life;

		if (l && (cnt == 1 ? l == *life
				   : bsearch(&l, life, cnt, sizeof(l), ribs_life_order) !=
					 NULL))
			reader_dirty(&r->reader, id, 1);
	}
}

void
bmp_ribs_again(struct bmp_station *st)
{
	struct list *n;

	qsort(st->again.life, st->again.cnt, sizeof(*st->again.life), ribs_life_order);
	list_for_each (n, &st->ribs) {
		struct bmp_rib *r = container_of(n, struct bmp_rib, link);

		if (r->post && r->reader.on)
			ribs_again_one(r, st->again.life, st->again.cnt);
	}
}

bool
bmp_ribs_run(struct bmp_station *st)
{
	bool more = false;
	struct list *n;

	list_for_each (n, &st->ribs) {
		struct bmp_rib *r = container_of(n, struct bmp_rib, link);

		if (r->attached)
			reader_wake_more(&r->reader);
		if (r->reader.on)
			more |= reader_run(&r->reader);
		if (!list_empty(&r->ends))
			bmp_ends_run(r);
	}
	return more;
}

void
bmp_ribs_listen(struct bmp_station *st)
{
	struct list *n;

	list_for_each (n, &st->ribs)
		if (container_of(n, struct bmp_rib, link)->attached)
			reader_listen(&container_of(n, struct bmp_rib, link)->reader);
}

void
bmp_try_gone(struct bmp_proto *b)
{
	if (b->deleting && !b->leaving)
		proto_detach(&b->p);
}

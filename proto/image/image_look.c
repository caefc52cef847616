/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries that change although the table publishes no change: another next hop resolves
 * the BGP next hop, an interface comes or goes, a ROA changes.
 *
 * A look first makes the values of routes again, then puts the new values into the nets
 * of changed routes, in steps of about a millisecond. Events during a look start another
 * look after its end, so the last look begins after the last event.
 *
 * I1  The watch has at least the next hops of all routes with `resolved`, as of the last
 *     publication. After each change of the watched addresses the watcher reports once,
 *     so a change between resolution and watch is not lost.
 * I2  A watch or a subscription that ends is counted in `going`, and the instance stays
 *     until the count is 0.
 *
 * Loop: the instance's. Tested by test/net/test_image.py. */
#include "proto/image/image_priv.h"

#include "lib/base/bitmap.h"
#include "lib/base/htab.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/core/tern.h"
#include "nest/rib/ids.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/index/rpki_index.h"
#include "sysdep/loop/loop.h"

#define ROUTES_STEP 1024
#define NETS_STEP   4096
/* nets of a report that are judged at once */
#define JUDGE_AT_ONCE 4096

/* The subscription to a ROA table. Owner: the instance. Life: until the index has dropped
 * the subscription. Freed by: image_judge_dropped. */
struct image_judge {
	struct roa_sub sub; /* first */
	struct image_proto *s;
};

/* ---- the look ---- */

void
image_look_again(struct image_proto *s, uint32_t what)
{
	if (!s->fib)
		return;
	s->look.next |= what;
	if (!s->look.on)
		timer_set(&s->look.timer, 0);
}

/* image_look_routes - Returns: true: all routes were visited. */
static bool
image_look_routes(struct image_proto *s)
{
	struct image_look *k = &s->look;
	uint32_t end = k->route + ROUTES_STEP;

	if (!(k->on & (LOOK_RESOLVED | LOOK_ROUTES | LOOK_LACKING)))
		return true;
	for (; k->route < s->routes.cnt && k->route < end; k->route++) {
		struct image_route *r = s->routes.at[k->route];

		if (r && (k->on & LOOK_ROUTES || (k->on & LOOK_RESOLVED && r->resolved) ||
			     (k->on & LOOK_LACKING && r->lacks)))
			k->changed |= image_route_renew(s, r);
	}
	return k->route >= s->routes.cnt;
}

/* look_visit_nets - Returns: true: all nets were visited. */
static bool
look_visit_nets(struct image_proto *s)
{
	struct image_look *k = &s->look;

	if (!k->changed && !(k->on & LOOK_NETS))
		return true;
	for (unsigned i = 0; i < NETS_STEP; i++) {
		k->net = bitmap_next(&s->routes.there, k->net);
		if (k->net == NO_ID)
			return true;
		image_net_renew(s, k->net++, k->on & LOOK_NETS);
	}
	return false;
}

static void
image_look_begin(struct image_look *k)
{
	k->on = k->next;
	k->next = 0;
	k->nr++;
	k->route = 1;
	k->net = 0;
	k->changed = false;
}

static void
image_look_fires(struct timer *t)
{
	struct image_proto *s = image_of_worker(t->worker);
	struct image_look *k = &s->look;

	if (!s->fib)
		return;
	if (!k->on)
		image_look_begin(k);
	if (!image_look_routes(s) || !look_visit_nets(s)) {
		timer_set(&k->timer, 0);
		return;
	}
	k->on = 0;
	s->look.done(s);
	if (k->next)
		timer_set(&k->timer, 0);
}

/* ---- next hops ---- */

static void
image_watch_changed(struct worker *w)
{
	image_look_again(image_of_worker(w), LOOK_RESOLVED);
}

static void
image_look_ended(struct image_proto *s)
{
	s->look.going--;
	if (!s->look.going)
		s->look.ended(s);
}

static void
image_watch_gone(struct worker *w)
{
	image_look_ended(image_of_worker(w));
}

static const struct igp_watch_ops watch_ops = { .changed = image_watch_changed,
	.gone = image_watch_gone };

static void
image_look_unwatch(struct image_look *k)
{
	if (!k->watch)
		return;
	k->going++;
	igp_watch_delete(k->watch);
	k->watch = NULL;
}

void
image_look_hops(struct image_proto *s)
{
	struct image_routes *t = &s->routes;
	struct htab_node *n = NULL;
	struct ip_addr *a;
	uint32_t cnt = 0;

	if (!t->hops_changed || !s->fib)
		return;
	t->hops_changed = false;
	a = mem_alloc(MEM_PROTO, (htab_cnt(&t->hops) + 1) * sizeof(*a));
	while ((n = htab_walk(&t->hops, n))) {
		struct ip_addr hop = container_of(n, struct image_hop, node)->addr;

		if (family_of_ip(hop) == channel_family(s->ch))
			a[cnt++] = hop;
	}
	if (cnt && !s->look.watch)
		s->look.watch = igp_watch_new(
		    s->p.tern, channel_from(s->ch), &s->p.worker, &watch_ops);
	if (cnt)
		igp_watch_set(s->look.watch, a, cnt);
	else
		image_look_unwatch(&s->look);
	mem_free(MEM_PROTO, a);
}

/* ---- ROAs ---- */

static void
image_judge_affected(struct roa_sub *sub, TAKE struct roa_affected *h)
{
	struct image_judge *j = container_of(sub, struct image_judge, sub);
	struct image_proto *s = j->s;

	if (!s->fib) {
		roa_affected_unref(h);
		return;
	}
	if (h->all || h->cnt > JUDGE_AT_ONCE) {
		image_look_again(s, LOOK_NETS);
	} else {
		for (uint32_t i = 0; i < h->cnt; i++)
			image_net_renew(s, h->id[i], true);
		s->look.done(s);
	}
	roa_affected_unref(h);
}

static void
image_judge_ready(struct roa_sub *sub)
{
	struct image_judge *j = container_of(sub, struct image_judge, sub);

	image_look_again(j->s, LOOK_NETS);
}

static void
image_judge_dropped(struct roa_sub *sub)
{
	struct image_judge *j = container_of(sub, struct image_judge, sub);
	struct image_proto *s = j->s;

	rpki_index_unref(sub->index);
	mem_free(MEM_PROTO, j);
	image_look_ended(s);
}

static void
image_judge_drop(struct image_look *k)
{
	if (!k->judge)
		return;
	k->going++;
	roa_sub_drop(&k->judge->sub);
	k->judge = NULL;
	k->roa = NULL;
}

/* image_judge_start - subscribe to @x. No effect if the index ends: then a configuration
 * without the index is under way. */
static void
image_judge_start(struct image_proto *s, struct rpki_index *x)
{
	struct image_judge *j;

	if (!rpki_index_ref_live(x))
		return;
	j = mem_zalloc(MEM_PROTO, sizeof(*j));
	j->s = s;
	j->sub = (struct roa_sub){ .index = x,
		.worker = &s->p.worker,
		.routes = channel_from(s->ch),
		.affected = image_judge_affected,
		.ready = image_judge_ready,
		.dropped = image_judge_dropped };
	if (!roa_sub_start(&j->sub, NULL)) {
		rpki_index_unref(x);
		mem_free(MEM_PROTO, j);
		return;
	}
	s->look.judge = j;
	s->look.roa = x;
}

/* ---- life ---- */

void
image_look_start(struct image_proto *s)
{
	timer_init(&s->look.timer, &s->p.worker, image_look_fires);
}

void
image_look_update(struct image_proto *s)
{
	const struct conf_table *roa = image_judges(s) ? image_conf_of(s)->roa : NULL;
	struct rpki_index *x = roa ? load_acquire_ptr(&roa->rpki)
				   : NULL; /* pairs: FTABLE */

	if (!s->fib || s->look.roa == x)
		return;
	image_judge_drop(&s->look);
	if (x)
		image_judge_start(s, x);
	image_look_again(s, LOOK_NETS);
}

void
image_look_end(struct image_proto *s)
{
	timer_cancel(&s->look.timer);
	s->look.on = s->look.next = 0;
	image_look_unwatch(&s->look);
	image_judge_drop(&s->look);
}

bool
image_look_busy(const struct image_proto *s)
{
	return s->look.going;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of static routes (static_list.h). Loop: the instance's. Tested by
 * test/net/test_static_ways.py. */
#include "proto/static/static_list.h"

#include "filter/run/hop.h"
#include "lib/attr/attr.h"
#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/channel/instance/net_pick.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/index/igp.h"
#include "proto/static/static_bfd.h"
#include "proto/static/static_route.h"
#include "proto/static/static_ways.h"

#define MARK_STEP 4096 /* users of a way marked in one step */
/* items compared with a net_pick in one step; each is a set search */
#define PICK_STEP 16

void
static_list_init(
    struct static_list *l, struct config_ref *conf, const struct conf_proto *cf)
{
	const struct static_conf *sc = cf->opt;

	*l = (struct static_list){ .conf = config_ref_get(conf), .cf = cf };
	l->way = mem_zalloc(MEM_PROTO, (sc->way_cnt + 1) * sizeof(*l->way));
	bitmap_init(&l->there, MEM_PROTO);
	bitmap_init(&l->dirty, MEM_PROTO);
}

static void
static_list_pick_end(struct static_list *l)
{
	net_pick_unref(l->pick);
	l->pick = NULL;
	l->pick_pos = 0;
}

void
static_list_fini(struct static_list *l)
{
	if (!l->conf)
		return;
	static_list_pick_end(l);
	bitmap_fini(&l->there);
	bitmap_fini(&l->dirty);
	for (uint32_t w = 0; w < static_list_conf(l)->way_cnt; w++)
		mem_free(MEM_PROTO, l->way[w].hop);
	mem_free(MEM_PROTO, l->way);
	config_ref_put(l->conf);
	memset(l, 0, sizeof(*l));
}

void
static_list_pick(struct static_list *l, struct net_pick *pick)
{
	if (!l->conf)
		return;
	while (static_list_pick_step(l)) /* finish the previous pick */
		;
	l->pick = net_pick_ref(pick);
}

bool
static_list_pick_step(struct static_list *l)
{
	const struct static_conf *sc;
	uint32_t end;

	if (!l->pick)
		return false;
	sc = static_list_conf(l);
	end = (uint32_t)min_u64(l->pick_pos + PICK_STEP, sc->item_cnt);
	for (; l->pick_pos < end; l->pick_pos++) {
		const struct static_route *r = sc->item[l->pick_pos].r;

		if (r->kind != STATIC_ASPA && net_pick_has(l->pick, &r->vrp.net))
			bitmap_set(&l->dirty, l->pick_pos);
	}
	if (end == sc->item_cnt)
		static_list_pick_end(l);
	return true;
}

static bool
static_state_same(const struct static_state *a, const struct static_state *b)
{
	return a->up == b->up &&
	       (!a->up || (a->dest == b->dest && a->cnt == b->cnt &&
			      !memcmp(a->hop, b->hop, a->cnt * sizeof(*a->hop))));
}

/* static_list_find - the present state of the way @v. The hops lie in @s. */
static struct static_state
static_list_find(const struct static_via *v, struct static_scene *s, bool check_link)
{
	struct igp_way *w = &s->way;
	bool up = true;

	if (v->recursive) {
		igp_resolve(s->igp[family_of_ip(v->gw)], w, v->gw, s->ifaces);
	} else {
		up = static_way_find(w->hop, v, s->ifaces, s->vrf, check_link);
		if (up && v->bfd && !ip_is_none(v->gw))
			up = static_bfd_up(s->bfd, w->hop);
		w->dest = DEST_UNICAST;
		w->cnt = 1;
	}
	return (struct static_state){ up, w->dest, w->cnt, w->hop };
}

static void
static_set_state(struct static_state *to, const struct static_state *s)
{
	size_t len = s->cnt * sizeof(*s->hop);

	mem_free(MEM_PROTO, to->hop);
	*to = *s;
	to->hop = mem_alloc(MEM_PROTO, len + 1);
	memcpy(to->hop, s->hop, len);
}

/* static_mark_users - mark users of the way as dirty. Returns: false: all users are
 * marked. */
static bool
static_mark_users(struct static_list *l, const struct static_conf *sc)
{
	const struct static_way *w = &sc->way[l->look];
	uint32_t left = w->user_cnt - l->mark, cnt = left < MARK_STEP ? left : MARK_STEP;

	for (uint32_t i = 0; i < cnt; i++)
		bitmap_set(&l->dirty, sc->user[w->first_user + l->mark + i]);
	l->mark += cnt;
	return l->mark < w->user_cnt;
}

bool
static_list_look(struct static_list *l, struct static_scene *scene)
{
	const struct static_conf *sc = static_list_conf(l);
	struct static_state now;

	if (l->look == sc->way_cnt)
		return false;
	if (!l->mark) {
		now = static_list_find(sc->way[l->look].via, scene, sc->check_link);
		if (static_state_same(&now, &l->way[l->look])) {
			l->look++;
			return true;
		}
		static_set_state(&l->way[l->look], &now);
	}
	if (!static_mark_users(l, sc)) {
		l->mark = 0;
		l->look++;
	}
	return true;
}

void
static_list_again(struct static_list *l)
{
	const struct static_conf *sc = static_list_conf(l);

	while (l->mark && static_mark_users(l, sc))
		;
	l->look = l->mark = 0;
}

bool
static_list_same(
    const struct static_list *a, uint32_t i, const struct static_list *b, uint32_t k)
{
	const struct static_conf *ca = static_list_conf(a), *cb = static_list_conf(b);
	const struct static_item *x = &ca->item[i], *y = &cb->item[k];

	if (!static_route_same(x->r, y->r))
		return false;
	for (unsigned v = 0; v < x->r->via_cnt; v++)
		if (!static_state_same(&a->way[ca->way_of[x->first_way + v]],
			&b->way[cb->way_of[y->first_way + v]]))
			return false;
	return true;
}

bool
static_list_way(const struct static_list *l, struct igp_way *out, uint32_t i)
{
	const struct static_conf *sc = static_list_conf(l);
	const struct static_item *it = &sc->item[i];
	bool any = false;

	out->dest = it->r->dest;
	out->cnt = 0;
	for (unsigned v = 0; v < it->r->via_cnt; v++) {
		const struct static_state *s = &l->way[sc->way_of[it->first_way + v]];

		if (!s->up)
			continue;
		any = true;
		out->dest = s->dest;
		memcpy(out->hop + out->cnt, s->hop, s->cnt * sizeof(*s->hop));
		if (!it->r->via[v].recursive)
			out->hop[out->cnt].weight = it->r->via[v].weight;
		out->cnt = (uint16_t)(out->cnt + s->cnt);
	}
	out->cnt = (uint16_t)hops_sort(out->hop, out->cnt);
	return any || !it->r->via_cnt;
}

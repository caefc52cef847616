/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of static routes (static_list.h). Tested by test/net/test_static_ways.py. */
#include "proto/static/static_list.h"

#include "filter/run/hop.h"
#include "lib/base/bitmap.h"
#include "lib/base/mem.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "proto/static/static_route.h"
#include "proto/static/static_ways.h"

#define MARK_STEP 4096 /* routes that one step marks */

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

void
static_list_fini(struct static_list *l)
{
	if (!l->conf)
		return;
	bitmap_fini(&l->there);
	bitmap_fini(&l->dirty);
	mem_free(MEM_PROTO, l->way);
	config_ref_put(l->conf);
	memset(l, 0, sizeof(*l));
}

static bool
state_same(const struct static_state *a, const struct static_state *b)
{
	return a->up == b->up && (!a->up || !memcmp(&a->hop, &b->hop, sizeof(a->hop)));
}

/* mark_users - Returns: false: all that have the way are marked. */
static bool
mark_users(struct static_list *l, const struct static_conf *sc)
{
	const struct static_way *w = &sc->way[l->look];
	uint32_t left = w->user_cnt - l->mark, cnt = left < MARK_STEP ? left : MARK_STEP;

	for (uint32_t i = 0; i < cnt; i++)
		bitmap_set(&l->dirty, sc->user[w->first_user + l->mark + i]);
	l->mark += cnt;
	return l->mark < w->user_cnt;
}

bool
static_list_look(struct static_list *l, const struct iface_list *ifs)
{
	const struct static_conf *sc = static_list_conf(l);
	struct static_state now = { .up = false };

	if (l->look == sc->way_cnt)
		return false;
	if (!l->mark) {
		now.up = static_way_find(
		    &now.hop, sc->way[l->look].via, ifs, sc->check_link);
		if (state_same(&now, &l->way[l->look])) {
			l->look++;
			return true;
		}
		l->way[l->look] = now;
	}
	if (!mark_users(l, sc)) {
		l->mark = 0;
		l->look++;
	}
	return true;
}

void
static_list_again(struct static_list *l)
{
	const struct static_conf *sc = static_list_conf(l);

	while (l->mark && mark_users(l, sc))
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
		if (!state_same(&a->way[ca->way_of[x->first_way + v]],
			&b->way[cb->way_of[y->first_way + v]]))
			return false;
	return true;
}

unsigned
static_list_hops(const struct static_list *l, struct hop *to, uint32_t i)
{
	const struct static_conf *sc = static_list_conf(l);
	const struct static_item *it = &sc->item[i];
	unsigned cnt = 0;

	for (unsigned v = 0; v < it->r->via_cnt; v++) {
		const struct static_state *s = &l->way[sc->way_of[it->first_way + v]];

		if (!s->up)
			continue;
		to[cnt] = s->hop;
		to[cnt++].weight = it->r->via[v].weight;
	}
	return hops_sort(to, cnt);
}

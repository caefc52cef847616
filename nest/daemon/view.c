/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view: the list of instances and tables for other threads (struct tern_view).
 *
 * I1  A removed object leaves the view first; then a table is deleted, or an instance
 *     freed: the grace period begins when no thread can find the object.
 *
 * Loop: the control worker's. Tested by test/unit/test_commit.c. */
#include "nest/daemon/control_priv.h"

#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "nest/rib/index/match_index.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/table.h"

/* view_delete_dropped - I1: the view without the tables was published. */
static void
view_delete_dropped(struct control *c)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &c->end.tables) {
		struct table_slot *ts = container_of(n, struct table_slot, link);

		list_del(&ts->link);
		if (ts->rpki)
			rpki_index_delete(ts->rpki);
		if (ts->match)
			match_index_delete(ts->match);
		table_delete(ts->t);
		mem_free(MEM_CONFIG, ts->name);
		mem_free(MEM_CONFIG, ts);
	}
}

static void
view_free_rcu(struct rcu_node *n)
{
	struct tern_view *v = container_of(n, struct tern_view, rcu);

	config_ref_put(v->conf);
	mem_free(MEM_CONFIG, v->conf_bad);
	mem_free(MEM_CONFIG, v->state_bad);
	mem_free(MEM_CONFIG, v->lan);
	mem_free(MEM_CONFIG, v->proto);
	mem_free(MEM_CONFIG, v->table);
	mem_free(MEM_CONFIG, v->rpki);
	mem_free(MEM_CONFIG, v);
}

static uint32_t
view_list_len(const struct list *l)
{
	const struct list *n;
	uint32_t cnt = 0;

	list_for_each (n, l)
		cnt++;
	return cnt;
}

static void
view_fill_one(struct tern_view *v, const struct instance *in)
{
	if (in->p)
		v->proto[v->proto_cnt++] = in->p;
}

/* view_fill_protos - in the order of the configuration, each host followed by its
 * members; ending instances last. */
static void
view_fill_protos(const struct control *c, struct tern_view *v)
{
	const struct config *conf = c->conf->conf;
	const struct list *n;

	for (unsigned i = 0; i < conf->proto_cnt; i++) {
		const struct instance *in = instance_find(c, conf->proto[i]->name);

		if (!in)
			continue;
		view_fill_one(v, in);
		list_for_each (n, &in->members.list)
			view_fill_one(
			    v, container_of(n, const struct instance, member.of_host));
	}
	list_for_each (n, &c->instances) {
		const struct instance *in = container_of(n, const struct instance, link);

		if (!config_find_proto(conf, in->name) && !instance_listed(c, in))
			view_fill_one(v, in);
	}
}

void
publish_view(struct control *c)
{
	struct tern_view *v = mem_zalloc(MEM_CONFIG, sizeof(*v)),
			 *old = load_relaxed_ptr(&c->tern->view);
	struct list *n;

	v->nr = old ? old->nr + 1 : 1;
	v->conf = config_ref_get(c->conf);
	v->conf_time_ns = c->conf_time_ns;
	v->conf_bad = c->bad.text ? mem_strdup(MEM_CONFIG, c->bad.text) : NULL;
	v->conf_bad_place_len = c->bad.place_len;
	v->conf_bad_ns = c->bad.time_ns;
	v->state_bad = c->saved.bad ? mem_strdup(MEM_CONFIG, c->saved.bad) : NULL;
	v->lan = c->health.lan.findings ? mem_strdup(MEM_CONFIG, c->health.lan.findings)
					: NULL;
	v->proto = mem_zalloc(
	    MEM_CONFIG, (view_list_len(&c->instances) + 1) * sizeof(*v->proto));
	v->table = mem_zalloc(
	    MEM_CONFIG, (view_list_len(&c->tables) + 1) * sizeof(*v->table));
	view_fill_protos(c, v);
	v->rpki = mem_zalloc(
	    MEM_CONFIG, (view_list_len(&c->tables) + 1) * sizeof(*v->rpki));
	list_for_each (n, &c->tables) {
		struct table_slot *ts = container_of(n, struct table_slot, link);

		v->table[v->table_cnt++] = ts->t;
		if (ts->rpki)
			v->rpki[v->rpki_cnt++] = ts->rpki;
	}
	c->members.grown = false;
	store_release_ptr(&c->tern->view, v); /* pairs: TVIEW */
	control_ifaces_viewed(c, v);
	if (old)
		rcu_free_later(&old->rcu, view_free_rcu);
	view_delete_dropped(c);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of static ROAs and ASPAs for self-tests. Tested by test/net/test_selftest.py.
 *
 * Thread of main. */
#include "proto/static/static_rpki.h"

#include "filter/rpki.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/aspa.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "proto/static/static_route.h"

#include <string.h>

static void
rpki_add_vrp(struct roa_map *m, const struct vrp *v)
{
	struct vrp_change c = { .vrp = *v, .there = true };

	roa_map_update(m, &c, 1);
}

/* rpki_add_aspa - add the providers of @r to the entry of its customer. Several routes
 * of one customer count together. */
static void
rpki_add_aspa(struct aspa_map *m, const struct static_route *r)
{
	const struct aspa *before = aspa_map_get(m, r->vrp.asn);
	struct aspa_change c = { .customer = r->vrp.asn };
	uint32_t cnt = before ? before->cnt : 0, *all;

	all = mem_alloc(MEM_CONFIG, (cnt + r->provider_cnt + 1) * sizeof(*all));
	if (cnt)
		memcpy(all, before->provider, cnt * sizeof(*all));
	if (r->provider_cnt)
		memcpy(all + cnt, r->provider, r->provider_cnt * sizeof(*all));
	c.aspa = aspa_new(c.customer, all, cnt + r->provider_cnt);
	mem_free(MEM_CONFIG, all);
	aspa_map_update(m, &c, 1);
}

static void
rpki_add_routes(const struct conf_proto *p, const struct filter_table *t)
{
	const struct static_conf *sc = p->opt;
	void *map = load_relaxed_ptr(&t->map);

	for (uint32_t i = 0; map && i < sc->cnt; i++) {
		const struct static_route *r = sc->route[i];

		if (r->kind == STATIC_ROA && t->is_roa)
			rpki_add_vrp(map, &r->vrp);
		else if (r->kind == STATIC_ASPA && t->is_aspa)
			rpki_add_aspa(map, r);
	}
}

static void
rpki_set_map(const struct conf_table *ct, void *map)
{
	struct filter_table *t = (struct filter_table *)(uintptr_t)&ct->ft;

	store_release_ptr(&t->map, map); /* pairs: FTABLE */
}

void
static_rpki_fill(const struct config *c)
{
	for (unsigned i = 0; i < c->table_cnt; i++) {
		const struct filter_table *t = &c->table[i]->ft;

		if (t->is_roa)
			rpki_set_map(c->table[i], roa_map_new((enum family)t->fam));
		else if (t->is_aspa)
			rpki_set_map(c->table[i], aspa_map_new());
	}
	for (unsigned i = 0; i < c->proto_cnt; i++)
		if (c->proto[i]->kind == PROTO_STATIC && c->proto[i]->chan)
			rpki_add_routes(c->proto[i], &c->proto[i]->chan->table->ft);
}

void
static_rpki_drop(const struct config *c)
{
	for (unsigned i = 0; i < c->table_cnt; i++) {
		const struct filter_table *t = &c->table[i]->ft;
		void *map = load_relaxed_ptr(&t->map);

		rpki_set_map(c->table[i], NULL);
		if (map && t->is_roa)
			roa_map_free(map);
		else if (map)
			aspa_map_free(map);
	}
}

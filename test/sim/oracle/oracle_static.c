/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes and records without a member: static routes, ROAs and ASPAs of the file and of
 * validators. */
#include "test/sim/oracle/oracle_model.h"

#include "lib/attr/attr_edit.h"
#include "lib/net/aspa.h"
#include "lib/net/roa.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/static/static_route.h"
#include "test/sim/rtr.h"
#include "test/sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* Sessions ask their peers for a refresh once a minute at most; a ROA table collects
 * changes for some seconds before. */
#define RECORDS_NS (100 * SIM_S)

/* Records of one table, as the model collects the records. */
struct oracle_records {
	struct vrp_change *vrp;
	struct aspa_change *aspa;
	uint32_t vrp_cnt, aspa_cnt;
};

static void
oracle_put_vrp(struct oracle_records *to, const struct vrp *v)
{
	for (uint32_t i = 0; i < to->vrp_cnt; i++)
		if (!vrp_cmp(&to->vrp[i].vrp, v))
			return;
	to->vrp = reallocarray(to->vrp, to->vrp_cnt + 1, sizeof(*to->vrp));
	to->vrp[to->vrp_cnt++] = (struct vrp_change){ *v, true };
}

/* oracle_put_aspa - several attestations of a customer count as one with all
 * providers. */
static void
oracle_put_aspa(struct oracle_records *to, uint32_t customer, const uint32_t *provider,
    uint32_t provider_cnt)
{
	uint32_t i = 0, cnt, *all;

	while (i < to->aspa_cnt && to->aspa[i].customer != customer)
		i++;
	if (i == to->aspa_cnt) {
		to->aspa = reallocarray(to->aspa, i + 1, sizeof(*to->aspa));
		to->aspa[to->aspa_cnt++] = (struct aspa_change){ customer,
			aspa_new(customer, provider, provider_cnt) };
		return;
	}
	cnt = to->aspa[i].aspa->cnt + provider_cnt;
	all = calloc(cnt, sizeof(*all));
	memcpy(all, to->aspa[i].aspa->provider, to->aspa[i].aspa->cnt * sizeof(*all));
	memcpy(all + to->aspa[i].aspa->cnt, provider, provider_cnt * sizeof(*all));
	to->aspa[i].aspa = aspa_new(customer, all, cnt);
	free(all);
}

static void
oracle_static_records(const struct conf_proto *p, struct oracle_records *to)
{
	const struct static_conf *sc = p->opt;

	for (uint32_t i = 0; i < sc->cnt; i++) {
		const struct static_route *r = sc->route[i];

		if (r->kind == STATIC_ROA)
			oracle_put_vrp(to, &r->vrp);
		if (r->kind == STATIC_ASPA)
			oracle_put_aspa(to, r->vrp.asn, r->provider, r->provider_cnt);
	}
}

/* oracle_cache_records - Returns: false: the daemon may have other records. */
static bool
oracle_cache_records(const struct oracle *o, const struct conf_proto *p,
    const struct conf_table *t, struct oracle_records *to)
{
	const struct actor *a = world_actor(o->w, &rtr_kind, p->name);
	const struct rtr *c = (const struct rtr *)a;

	if (!a || !rtr_serves(c) || sim_now() - c->acted_ns < RECORDS_NS)
		return false;
	for (const struct record *r = c->records; r; r = r->next) {
		bool v6 = r->type == RTR_IPV6_PREFIX;
		struct ip_addr ip = v6 ? ip_get16(r->address) : ip4(get_be32(r->address));
		struct vrp v = { prefix_make(ip, r->len, v6 ? FAM_IP6 : FAM_IP4), r->max,
			r->as };

		if (r->until != UINT32_MAX)
			continue;
		if (r->type == RTR_ASPA && t->kind == TABLE_ASPA && c->asked_version >= 2)
			oracle_put_aspa(to, r->as, r->provider, r->provider_cnt);
		if (t->kind == (v6 ? TABLE_ROA6 : TABLE_ROA4) && r->type != RTR_ASPA)
			oracle_put_vrp(to, &v);
	}
	return true;
}

static void
oracle_fill(struct oracle *o, struct conf_table *t)
{
	struct oracle_records of = { 0 };
	struct oracle_table *m = oracle_table_of(o, t);
	enum filter_verdict v;

	for (unsigned i = 0; i < o->conf->proto_cnt; i++) {
		const struct conf_proto *p = o->conf->proto[i];

		for (const struct conf_channel *ch = p->chan; ch; ch = ch->next) {
			if (ch->table != t || p->disabled)
				continue;
			if (!filter_is_const(ch->import, &v) || v != FILTER_ACCEPT)
				m->is_unsure = true;
			if (p->kind == PROTO_STATIC)
				oracle_static_records(p, &of);
			else if (p->kind != PROTO_RPKI ||
				 !oracle_cache_records(o, p, t, &of))
				m->is_unsure = true;
		}
	}
	if (t->kind == TABLE_ASPA) {
		struct aspa_map *map = aspa_map_new();

		if (of.aspa_cnt)
			aspa_map_update(map, of.aspa, of.aspa_cnt);
		store_release_ptr(&t->ft.map, map); /* the model has one thread */
	} else {
		struct roa_map *map = roa_map_new(conf_kind_family(t->kind));

		if (of.vrp_cnt)
			roa_map_update(map, of.vrp, of.vrp_cnt);
		store_release_ptr(&t->ft.map, map);
	}
}

void
oracle_records(struct oracle *o)
{
	for (unsigned i = 0; i < o->conf->table_cnt; i++)
		if (conf_kind_is_rpki(o->conf->table[i]->kind))
			oracle_fill(o, o->conf->table[i]);
}

static void
oracle_static(struct oracle *o, const struct conf_proto *p, const struct conf_channel *ch)
{
	const struct static_conf *sc = p->opt;
	struct oracle_source *src = arena_zalloc(&o->arena, sizeof(*src));

	*src = (struct oracle_source){ p, NULL, ORACLE_STATIC, { .proto = p->name } };
	for (uint32_t i = 0; i < sc->cnt; i++) {
		const struct static_route *r = sc->route[i];
		struct oracle_route out = { .net = r->vrp.net,
			.id = r->index,
			.source = src,
			.by = p,
			.doubt = r->via_cnt ? DOUBT_GATEWAY : DOUBT_NONE,
			.way_cnt = 1,
			.way = { oracle_table_of(o, ch->table) } };
		enum oracle_doubt doubt = DOUBT_NONE;
		struct attr_edit e;

		attr_edit_init(&e, &o->arena, o->empty);
		e.local = (struct attr_local){ .preference = ch->preference,
			.igp_metric = UINT32_MAX,
			.dest = r->dest,
			.rts = RTS_STATIC };
		out.set = oracle_set(o, &e);
		/* The verdict of a route's code has no effect. */
		if (r->code)
			oracle_code(o, r->code, &out);
		if (!oracle_filter(o, ch->import, &out.net, src, &out.set, &doubt))
			out.refused = REASON_IMPORT_FILTER;
		if (doubt)
			out.doubt = doubt;
		oracle_add(oracle_table_of(o, ch->table), &out);
	}
}

/* oracle_subnets - of `protocol direct`: whether a subnet is there depends on the
 * interface. */
static void
oracle_subnets(
    struct oracle *o, const struct conf_proto *p, const struct conf_channel *ch)
{
	struct oracle_source *src = arena_zalloc(&o->arena, sizeof(*src));

	*src = (struct oracle_source){ p, NULL, ORACLE_DIRECT, { .proto = p->name } };
	for (const struct link *l = link_first(); l; l = l->next)
		for (const struct link_address *a = l->first; a; a = a->next) {
			bool v4 = a->family == AF_INET;
			struct ip_addr ip = v4 ? ip4(get_be32(a->octets))
					       : ip_get16(a->octets);
			struct oracle_route r = { .net = prefix_make(ip, (unsigned)a->len,
						      v4 ? FAM_IP4 : FAM_IP6),
				.source = src,
				.by = p,
				.set = o->empty,
				.doubt = DOUBT_PROTOCOL,
				.way_cnt = 1,
				.way = { oracle_table_of(o, ch->table) } };

			if (v4 == (ch->family == FAM_IP4))
				oracle_add(oracle_table_of(o, ch->table), &r);
		}
}

/* oracle_brings - protocols whose networks the model does not know. */
static bool
oracle_brings(const struct conf_proto *p)
{
	if (p->kind == PROTO_KERNEL)
		return ((const struct kernel_conf *)p->opt)->learn != KRT_LEARN_OFF;
	return p->kind == PROTO_MRT || p->kind == PROTO_BMP || p->kind == PROTO_OTHER;
}

void
oracle_statics(struct oracle *o)
{
	for (unsigned i = 0; i < o->conf->proto_cnt; i++) {
		const struct conf_proto *p = o->conf->proto[i];

		for (const struct conf_channel *ch = p->chan; ch; ch = ch->next)
			if (p->disabled)
				continue;
			else if (p->kind == PROTO_STATIC && !ch->is_rpki)
				oracle_static(o, p, ch);
			else if (p->kind == PROTO_DIRECT)
				oracle_subnets(o, p, ch);
			else if (oracle_brings(p))
				oracle_table_of(o, ch->table)->is_unsure = true;
	}
}

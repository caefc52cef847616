/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol static`.
 *
 *      route PREFIX via ... [via ...] [{ CODE }];
 *      route PREFIX recursive ADDRESS [{ CODE }];
 *      route PREFIX blackhole | unreachable | prohibit [{ CODE }];
 *      route PREFIX max LEN as ASN [{ CODE }];
 *      route aspa ASN providers ASN, ASN ... | transit [{ CODE }];
 *
 * During parsing, the routes are a list from the last route to the first. So instances of
 * one template share the routes of the template. Tested by
 * test/unit/test_conf_golden.c.
 *
 * Loop: the thread that parses; functions on parsed options run in any thread. */
#include "proto/static/static.h"

#include "filter/filter.h"
#include "filter/lang/diag.h"
#include "filter/run/net.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_igp.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/conf/opt/conf_tree.h"
#include "nest/rib/index/aspa_set.h"
#include "proto/static/static_route.h"
#include "proto/static/static_via.h"
#include "proto/static/static_ways.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define OFF(field) offsetof(struct static_conf, field)

/* ---- one route ---- */

static bool
conf_parse_dest(struct conf_args *a, struct static_route *r)
{
	static const struct opt_name name[] = { { "blackhole", DEST_BLACKHOLE },
		{ "drop", DEST_BLACKHOLE }, { "unreachable", DEST_UNREACHABLE },
		{ "reject", DEST_UNREACHABLE }, { "prohibit", DEST_PROHIBIT } };

	for (unsigned i = 0; i < ARRAY_LEN(name); i++) {
		if (conf_arg_word(a, name[i].word)) {
			r->dest = (uint8_t)name[i].value;
			return true;
		}
	}
	return false;
}

static bool
conf_parse_max(struct conf_args *a, struct static_route *r)
{
	uint32_t max, bits = r->vrp.net.fam == FAM_IP4 ? 32 : 128;

	if (!conf_arg_u32(a, &max, r->vrp.net.len, bits))
		return false;
	if (!conf_arg_word(a, "as"))
		return conf_arg_expected(a, "'as'");
	if (!conf_arg_u32(a, &r->vrp.asn, 0, UINT32_MAX))
		return false;
	r->vrp.max_len = (uint8_t)max;
	r->kind = STATIC_ROA;
	return true;
}

static int
static_conf_as_cmp(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

static bool
conf_parse_providers(struct conf_args *a, struct static_route *r)
{
	struct src_pos pos = conf_arg_pos(a);
	uint32_t *p = NULL, cnt = 0, cap = 0, to = 0;
	bool ok = true;

	do {
		p = vec_room(MEM_CONFIG, p, &cap, cnt + 1, sizeof(*p));
		ok = conf_arg_u32(a, &p[cnt], 0, UINT32_MAX);
		cnt += ok;
	} while (ok && conf_arg_comma(a));
	if (ok && cnt > ASPA_PROVIDERS_MAX) {
		conf_error(a->ctx, pos, "more than %d providers", ASPA_PROVIDERS_MAX);
		ok = false;
	}
	if (ok) {
		qsort(p, cnt, sizeof(*p), static_conf_as_cmp);
		for (uint32_t i = 0; i < cnt; i++)
			if (!to || p[to - 1] != p[i])
				p[to++] = p[i];
		r->provider = arena_memdup(conf_arena(a->ctx), p, to * sizeof(*p));
		r->provider_cnt = to;
	}
	mem_free(MEM_CONFIG, p);
	return ok;
}

/* conf_parse_aspa - behind `aspa`. */
static bool
conf_parse_aspa(struct conf_args *a, struct static_route *r)
{
	static const uint32_t nobody;

	r->kind = STATIC_ASPA;
	if (!conf_arg_u32(a, &r->vrp.asn, 0, UINT32_MAX))
		return false;
	if (conf_arg_word(a, "transit")) {
		r->provider = &nobody;
		r->provider_cnt = 1;
		return true;
	}
	if (conf_arg_word(a, "providers"))
		return conf_parse_providers(a, r);
	return conf_arg_expected(a, "'providers' or 'transit'");
}

/* static_conf_later - refuse a route, at @pos, of a type without tables. */
static bool
static_conf_later(struct conf_ctx *c, struct src_pos pos)
{
	conf_error(c, pos, "static routes of this type are not supported yet");
	return false;
}

static bool
conf_parse_what(struct conf_args *a, struct static_route *r)
{
	struct src_pos at = conf_arg_pos(a);

	if (conf_arg_word(a, "max"))
		return conf_parse_max(a, r);
	if (conf_arg_word(a, "via")) {
		r->dest = DEST_UNICAST;
		return static_via_parse(a, r);
	}
	if (conf_arg_word(a, "recursive")) {
		r->dest = DEST_UNICAST;
		return static_recursive_parse(a, r);
	}
	if (conf_parse_dest(a, r))
		return true;
	if (conf_arg_word(a, "from") || conf_arg_word(a, "mpls"))
		return static_conf_later(a->ctx, conf_arg_start(a));
	if (conf_arg_word(a, "multipath")) {
		conf_error(a->ctx, at,
		    "'multipath' is a word of BIRD 1; now: route PREFIX via A via B");
		return false;
	}
	return conf_arg_expected(a,
	    "max, via, recursive, blackhole, unreachable or prohibit behind the prefix");
}

static void
static_conf_add(struct static_conf *sc, struct static_route *r)
{
	r->index = sc->cnt++;
	r->before = sc->last;
	sc->last = r;
}

/* static_conf_add_ct - add the route @t of @file, with the result that conf_parse_what
 * would give. */
static void
static_conf_add_ct(struct conf_ctx *c, struct static_conf *sc, const char *file,
    const struct ct_route *t)
{
	static const uint8_t dest[] = { [CT_ROUTE_VIA] = DEST_UNICAST,
		[CT_ROUTE_BLACKHOLE] = DEST_BLACKHOLE,
		[CT_ROUTE_UNREACHABLE] = DEST_UNREACHABLE,
		[CT_ROUTE_PROHIBIT] = DEST_PROHIBIT };
	struct static_route *r = arena_zalloc(conf_arena(c), sizeof(*r));

	r->pos = (struct src_pos){ file, t->line, t->col };
	r->vrp.net = t->net;
	if (t->kind == CT_ROUTE_ROA) {
		r->vrp.max_len = t->max_len;
		r->vrp.asn = t->asn;
		r->kind = STATIC_ROA;
	} else {
		r->dest = dest[t->kind];
	}
	if (t->kind == CT_ROUTE_VIA) {
		struct src_pos gw = { file, t->line, t->col + t->gw_off };

		r->via = static_via_address(c, gw, t->gw, sc->last_via);
		if (!r->via)
			return;
		r->via_cnt = 1;
		sc->last_via = r->via;
	}
	static_conf_add(sc, r);
}

/* conf_is_later - true: the network at @at is of a type without tables. */
static bool
conf_is_later(const struct conf_args *at)
{
	static const char *const words[] = { "mpls", "eth", "evpn", "neighbor" };
	struct conf_args a = *at;

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (conf_arg_word(&a, words[i]))
			return true;
	return a.at && a.at->kind == CT_VALUE &&
	       (a.at->value.type == T_RD || fvalue_is_net(&a.at->value));
}

static bool
conf_parse_route(struct conf_args *a, void *to)
{
	struct static_conf *sc = to;
	const struct ct_routes *plain;
	struct static_route *r;

	if (conf_arg_routes(a, &plain)) {
		for (uint32_t i = 0; i < plain->cnt; i++)
			static_conf_add_ct(a->ctx, sc, plain->file, &plain->route[i]);
		return true;
	}
	if (conf_is_later(a))
		return static_conf_later(a->ctx, conf_arg_pos(a));
	r = arena_zalloc(conf_arena(a->ctx), sizeof(*r));
	r->pos = conf_arg_pos(a);
	if (conf_arg_word(a, "aspa")) {
		if (!conf_parse_aspa(a, r))
			return false;
	} else if (!conf_arg_prefix(a, &r->vrp.net) || !conf_parse_what(a, r)) {
		return false;
	}
	conf_arg_code(a, &r->code);
	static_conf_add(sc, r);
	return true;
}

static bool
static_conf_parse_igp(struct conf_args *a, void *to)
{
	struct static_conf *sc = to;

	return conf_igp_parse(a, sc->igp, NULL);
}

static const struct conf_opt options[] = {
	{ "route", OPT_CUSTOM, .parse = conf_parse_route,
	    .form =
		"PREFIX ( via ... | recursive ADDRESS | blackhole | unreachable | "
		"prohibit | max "
		"NUMBER as NUMBER ) | aspa NUMBER ( providers NUMBER, ... | transit )",
	    .help = "a route; a block of code behind the route sets attributes" },
	{ "check link", OPT_SWITCH, .off = OFF(check_link), .change = CONF_CH_INPLACE,
	    .help = "next hops count only while their link is up" },
	{ "igp table", OPT_CUSTOM, .parse = static_conf_parse_igp, .form = "NAME",
	    .help = "table that resolves recursive next hops of its family; twice for "
		    "both families" },
	{ NULL, OPT_TABLE, .off = OFF(igp[FAM_IP4]), .change = CONF_CH_RESTART,
	    .help = "igp table" },
	{ NULL, OPT_TABLE, .off = OFF(igp[FAM_IP6]), .change = CONF_CH_RESTART,
	    .help = "igp table" },
	{ .type = OPT_END },
};

/* ---- a whole instance ---- */

static int
conf_route_cmp(const void *x, const void *y)
{
	const struct static_route *a = *(const struct static_route *const *)x,
				  *b = *(const struct static_route *const *)y;
	int cmp = vrp_cmp(&a->vrp, &b->vrp);

	return cmp ? cmp : a->index < b->index ? -1 : 1;
}

/* static_conf_name_of - the prefix or the customer. */
static const char *
static_conf_name_of(char *text, const struct static_route *r)
{
	if (r->kind != STATIC_ASPA)
		return prefix_str(text, &r->vrp.net);
	snprintf(text, PREFIX_STR_MAX, "aspa %u", r->vrp.asn);
	return text;
}

static bool
conf_check_route(
    struct conf_ctx *c, const struct conf_channel *ch, const struct static_route *r)
{
	static const uint8_t first_table[] = { [STATIC_IP] = TABLE_IP4,
		[STATIC_ROA] = TABLE_ROA4,
		[STATIC_ASPA] = TABLE_ASPA };
	char text[PREFIX_STR_MAX];

	if (first_table[r->kind] + r->vrp.net.fam == ch->kind)
		return true;
	conf_error(c, r->pos, "route %s doesn't fit the %s channel",
	    static_conf_name_of(text, r), ch->name);
	return false;
}

/* conf_comes_again - true: @r repeats the VRP or customer of @first. A repetition with a
 * different meaning gets a warning. */
static bool
conf_comes_again(
    struct conf_ctx *c, const struct static_route *first, const struct static_route *r)
{
	char text[PREFIX_STR_MAX];

	if (r->kind == STATIC_IP)
		return false;
	if (!static_route_same(first, r))
		conf_warning(c, r->pos, "a second route for %s: the first route counts",
		    static_conf_name_of(text, r));
	return true;
}

/* conf_sorted_of - the routes of @sc, sorted by vrp_cmp. Files written by programs are
 * mostly sorted. Returns: @all, or a heap array. */
static const struct static_route **
conf_sorted_of(const struct static_conf *sc, const struct static_route **all)
{
	const struct static_route **r;
	uint32_t i;

	for (i = 1; i < sc->cnt && conf_route_cmp(&all[i - 1], &all[i]) < 0;)
		i++;
	if (i >= sc->cnt)
		return all;
	r = mem_alloc(MEM_CONFIG, sc->cnt * sizeof(*r));
	memcpy(r, all, sc->cnt * sizeof(*r));
	qsort(r, sc->cnt, sizeof(*r), conf_route_cmp);
	return r;
}

/* conf_fill_items - make the items. Several IP routes to one prefix are several items; of
 * equal VRPs or customers only the first route is an item. */
static void
conf_fill_items(struct conf_ctx *c, struct static_conf *sc)
{
	const struct static_route **all, **sorted, *r;
	uint32_t i = sc->cnt, to = 0;
	struct static_item *item;

	all = arena_alloc(conf_arena(c), (sc->cnt + 1) * sizeof(*all));
	item = arena_alloc(conf_arena(c), (sc->cnt + 1) * sizeof(*item));
	for (r = sc->last; r; r = r->before)
		all[--i] = r;
	sorted = conf_sorted_of(sc, all);
	for (i = 0; i < sc->cnt; i++) {
		const struct static_item *before = to ? &item[to - 1] : NULL;
		bool same = before && !vrp_cmp(&before->r->vrp, &sorted[i]->vrp);
		uint32_t way = before ? before->first_way + before->r->via_cnt : 0;

		if (same && conf_comes_again(c, before->r, sorted[i]))
			continue;
		item[to++] = (struct static_item){ sorted[i], same ? before->rid + 1 : 0,
			way };
	}
	if (sorted != all)
		mem_free(MEM_CONFIG, sorted);
	sc->route = all;
	sc->item = item;
	sc->item_cnt = to;
	static_ways_index(sc, conf_arena(c));
}

static bool
static_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	struct static_conf *sc = p->opt;
	struct conf_channel *ch = p->chan;
	const struct static_route *r;
	bool ok = true;

	if (!ch) {
		conf_error(c, p->pos, "protocol static needs a channel");
		return false;
	}
	if (ch->next) {
		conf_error(c, ch->next->pos, "protocol static has one channel");
		return false;
	}
	for (r = sc->last; r; r = r->before)
		ok &= conf_check_route(c, ch, r);
	if (ok)
		conf_fill_items(c, sc);
	return ok;
}

static uint32_t
static_conf_diff(const struct conf_proto *old_p, const struct conf_proto *new_p)
{
	const struct static_conf *a = old_p->opt, *b = new_p->opt;

	if (a->item_cnt != b->item_cnt)
		return CONF_CH_INPLACE;
	for (uint32_t i = 0; i < a->item_cnt; i++)
		if (vrp_cmp(&a->item[i].r->vrp, &b->item[i].r->vrp) ||
		    !static_route_same(a->item[i].r, b->item[i].r))
			return CONF_CH_INPLACE;
	return 0;
}

/* static_conf_reads - true: recursive routes of @p are resolved by @t. */
static bool
static_conf_reads(const struct conf_proto *p, const struct conf_table *t)
{
	const struct static_conf *sc = p->opt;

	if (t->kind > TABLE_IP6 || sc->igp[t->kind] == t)
		return t->kind <= TABLE_IP6;
	if (p->chan->table == t || strcmp(static_conf_igp(p, t->kind), t->name) != 0)
		return false;
	for (uint32_t w = 0; w < sc->way_cnt; w++)
		if (sc->way[w].via->recursive &&
		    family_of_ip(sc->way[w].via->gw) == t->kind)
			return true;
	return false;
}

static bool
static_conf_leads(const struct conf_proto *p, const struct conf_channel *ch)
{
	(void)ch;
	return ((const struct static_conf *)p->opt)->way_cnt > 0;
}

const struct conf_class static_conf_class = {
	.keyword = "static",
	.name = "Static",
	.kind = PROTO_STATIC,
	.preference = 200,
	.has_channels = true,
	.rpki_channels = true,
	.opt = options,
	.leads = static_conf_leads,
	.opt_size = sizeof(struct static_conf),
	.reads = static_conf_reads,
	.check = static_conf_check,
	.diff = static_conf_diff,
};

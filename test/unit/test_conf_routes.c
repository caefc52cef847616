/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static routes read by conf_routes.c against the lexer and the grammar: what they make
 * of the same text, errors, warnings and their positions included. A comment in front of
 * a route keeps conf_routes.c away from it; blanks of the same length don't. */
#include "nest/conf/conf_parse.h"
#include "filter/filter.h"
#include "proto/static/static_route.h"
#include "test/lib/filter_run.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

static const char *const ip_routes[] = { "route 10.0.0.0/8 via 10.1.1.2;",
	"route 10.1.0.0/16 via 10.1.1.2 ;", "route\t10.2.0.0/16\nvia 10.1.1.3;",
	"route 10.2.0.0/16 via 10.1.1.2;", "route 0.0.0.0/0  via  192.0.2.1;",
	"route 10.3.0.0/16 via # there\n 10.1.1.2;", "route 10.4.0.0/16 blackhole;",
	"route 10.5.0.0/16 unreachable;", "route 10.6.0.0/16 prohibit;",
	"route 10.7.0.0/16 drop;", "route 10.8.0.0/16 via 10.1.1.2 weight 2;",
	"route 10.9.0.0/16 via 10.1.1.2 via 10.1.1.3;",
	"route 10.10.0.0/16 via \"eth0\";", "route 10.11.0.0/16 via 10.1.1.2 bfd;",
	"route 10.12.0.0/16 recursive 10.1.1.2;", "route P via G;",
	"route 10.13.0.0/16 via G;", "route 10.14.0.0/16 via 2001:db8::1;",
	"route 10.15.0.0/16 via fe80::1%eth0;", "route 10.16.0.0/16 via fe80::1;",
	"route 10.17.0.0/16 via 224.0.0.1;", "route 10.18.0.0/16 via 127.0.0.1;",
	"route 10.19.0.0/16 via 10.1.1.2 { preference = 5; };",
	"route 10.20.0.0/16 via 1:2:3:4:5:6:7:8;", "check link;",
	"route 10.21.0.0/16 blackhole { preference = 5; };",
	"route 10.22.0.0/16via 10.1.1.2;", "route 10.23.0.0/16 via ::ffff:10.1.1.2;",
	"route 10.24.0.0/16 via 10.1.1.2;;", "; route 10.25.0.0/16 via 10.1.1.2;",
	"route 010.26.0.0/16 via 10.1.1.2;", "description \"x\";" };

static const char *const roa_routes[] = { "route 10.0.0.0/8 max 24 as 65000;",
	"route 10.0.0.0/8 max 24 as 65001;", "route 10.0.0.0/8 max 24 as 65000;",
	"route 10.1.0.0/16 max 16 as 0;", "route 10.1.0.0/16 max 32 as 4294967295 ;",
	"route 10.2.0.0/16\nmax\t24\nas # whose\n 7;",
	"route 10.3.0.0/16 max N as 65000;", "route 10.4.0.0/16 max 24 as (N + 1);",
	"route 10.5.0.0/16 max 024 as 007;" };

static const char *const bad_routes[] = { "route 10.0.0.1/8 via 10.1.1.2;",
	"route 10.0.0.0/33 via 10.1.1.2;", "route 10.0.0.0/8 via 10.1.1.256;",
	"route 10.0.0.0/8 via 10.1.1;", "route 10.0.0.0/8 via 0.0.0.0;",
	"route 10.0.0.0/8 via ::;", "route 10.0.0.0/8 via 10.1.1.2 10.1.1.3;",
	"route 10.0.0.0/8 via 10.1.1.2", "route 10.0.0.0/8 via;", "route 10.0.0.0/8;",
	"route via 10.1.1.2;", "route 10.0.0.0/8 over 10.1.1.2;",
	"route 2001:db8::/32 via 10.1.1.2;", "route 10.0.0.0/8 max 33 as 1;",
	"route 10.0.0.0/8 max 7 as 1;", "route 10.0.0.0/8 max 24 as 4294967296;",
	"route 10.0.0.0/8 max 24 as;", "route 10.0.0.0/8 max 24;",
	"route 10.0.0.0/8 blackholes;", "route 10.0.0.0/8 blackhole via 10.1.1.2;",
	"route 10.0.0.0/8 via 010.1.1.2;", "route 10.0.0.0/8+ via 10.1.1.2;",
	"route 10.0.0.0/8 via 10.1.1.2.3;", "route 10.0.0.0/8 via 10.1.1.2/32;",
	"routes 10.0.0.0/8 via 10.1.1.2;", "route10.0.0.0/8 via 10.1.1.2;",
	"route 10.0.0.0/8 via10.1.1.2;", "route 10.0.0.0/8 via 1:2:3:4:5:6;",
	"route 10.0.0.0/8 via 1::2::3;", "route 10.0.0.0/8 via 12345::1;",
	"import filter { route 10.0.0.0/8 via 10.1.1.2; };",
	"foo { route 10.0.0.0/8 via 10.1.1.2; };", "foo; route 10.0.0.0/8 via 10.1.1.2;",
	"} route 10.0.0.0/8 via 10.1.1.2;", "$; route 10.0.0.0/8 via 10.1.1.2;",
	"route 10.0.0.0/8 via 10.1.1.2 } {;", "" };

static bool
same_way(const struct static_route *a, const struct static_route *b)
{
	for (unsigned i = 0; i < a->via_cnt; i++)
		if (a->via[i].weight != b->via[i].weight)
			return false;
	return static_route_same(a, b);
}

static bool
same_routes(const struct static_conf *a, const struct static_conf *b)
{
	if (a->cnt != b->cnt || a->item_cnt != b->item_cnt || a->way_cnt != b->way_cnt)
		return false;
	for (uint32_t i = 0; i < a->cnt; i++) {
		const struct static_route *x = a->route[i], *y = b->route[i];

		if (vrp_cmp(&x->vrp, &y->vrp) || x->kind != y->kind ||
		    x->index != y->index || x->pos.line != y->pos.line ||
		    x->pos.col != y->pos.col || !same_way(x, y))
			return false;
	}
	for (uint32_t i = 0; i < a->item_cnt; i++)
		if (a->item[i].r->index != b->item[i].r->index ||
		    a->item[i].rid != b->item[i].rid ||
		    a->item[i].first_way != b->item[i].first_way)
			return false;
	return true;
}

static const struct static_conf *
statics_of(const struct filter_rig *g)
{
	for (unsigned i = 0; i < g->cfg->proto_cnt; i++)
		if (g->cfg->proto[i]->kind == PROTO_STATIC)
			return g->cfg->proto[i]->opt;
	return NULL;
}

/* One instance of @cnt routes, with @sign in front of each. */
static void
test_conf_routes_instance(struct strbuf *b, const char *head, const char *const *route,
    uint32_t cnt, const char *sign)
{
	strbuf_addf(
	    b, "define P = 11.0.0.0/8; define G = 10.1.1.9; define N = 24;\n%s {", head);
	for (uint32_t i = 0; i < cnt; i++)
		strbuf_addf(b, "%s%s%s", i % 3 ? "" : "\n\t", sign, route[i]);
	strbuf_adds(b, "\n}\n");
}

static void
test_conf_routes_read_both(struct filter_rig *fast, struct filter_rig *slow,
    const char *head, const char *const *route, uint32_t cnt)
{
	struct strbuf x, y;

	strbuf_init(&x);
	strbuf_init(&y);
	test_conf_routes_instance(&x, head, route, cnt, "    ");
	test_conf_routes_instance(&y, head, route, cnt, "/**/");
	if (filter_rig_config(fast, x.s) != filter_rig_config(slow, y.s) ||
	    strcmp(fast->d.errors.s, slow->d.errors.s) ||
	    strcmp(fast->d.warnings.s, slow->d.warnings.s))
		fail_msg("%s\nat once: %s%s\none by one: %s%s", x.s, fast->d.errors.s,
		    fast->d.warnings.s, slow->d.errors.s, slow->d.warnings.s);
	if (fast->cfg && statics_of(fast) &&
	    !same_routes(statics_of(fast), statics_of(slow)))
		fail_msg("%s", x.s);
	strbuf_fini(&x);
	strbuf_fini(&y);
}

static const char *const ip_head = "protocol static s",
			 *const roa_head = "roa4 table r; protocol static s";

static void
test_against_grammar(void **state)
{
	struct seed s = seed_start("conf_routes");
	uint32_t accepted = 0, refused = 0;
	struct filter_rig fast, slow;
	const char *route[600];

	(void)state;
	filter_rig_init(&fast);
	filter_rig_init(&slow);
	fast.quiet = slow.quiet = true;
	for (uint32_t round = 0; round < seed_rounds(400); round++) {
		bool roas = seed_chance(&s, 3);
		uint32_t cnt = 2 + seed_below(&s, seed_chance(&s, 20) ? 598 : 38);

		route[0] = roas ? "roa4;" : "ipv4;";
		for (uint32_t i = 1; i < cnt; i++)
			route[i] = roas
				       ? roa_routes[seed_below(&s, ARRAY_LEN(roa_routes))]
				       : ip_routes[seed_below(&s, ARRAY_LEN(ip_routes))];
		if (seed_chance(&s, 2))
			route[seed_below(&s, cnt)] =
			    bad_routes[seed_below(&s, ARRAY_LEN(bad_routes))];
		if (seed_chance(&s, 10))
			route[seed_below(&s, cnt)] = roas ? ip_routes[0] : roa_routes[0];
		test_conf_routes_read_both(
		    &fast, &slow, roas ? roa_head : ip_head, route, cnt);
		*(fast.cfg ? &accepted : &refused) += 1;
	}
	assert_true(accepted > 50 && refused > 50);
	filter_rig_fini(&fast);
	filter_rig_fini(&slow);
}

/* Each route between two others, and in blocks that have none, so that nothing depends on
 * chance. */
static void
test_each(void **state)
{
	static const char *const heads[] = { "protocol static s",
		"protocol static s from t", "template static t", "protocol bgp b",
		"protocol pipe", "protocol", "protocol static", "filter f", "foo",
		"protocol static s foo bar", "protocol static s; foo", "ipv4 table x" };
	struct filter_rig fast, slow;
	const char *r[] = { "ipv4;", ip_routes[0], NULL, ip_routes[0] };

	(void)state;
	filter_rig_init(&fast);
	filter_rig_init(&slow);
	fast.quiet = slow.quiet = true;
	for (unsigned i = 0; i < ARRAY_LEN(ip_routes); i++) {
		r[2] = ip_routes[i];
		test_conf_routes_read_both(&fast, &slow, ip_head, r, ARRAY_LEN(r));
	}
	for (unsigned i = 0; i < ARRAY_LEN(bad_routes); i++) {
		r[2] = bad_routes[i];
		for (unsigned k = 0; k < ARRAY_LEN(heads); k++)
			test_conf_routes_read_both(
			    &fast, &slow, heads[k], r, ARRAY_LEN(r));
	}
	r[0] = "roa4;";
	r[1] = r[3] = roa_routes[0];
	for (unsigned i = 0; i < ARRAY_LEN(roa_routes); i++) {
		r[2] = roa_routes[i];
		test_conf_routes_read_both(&fast, &slow, roa_head, r, ARRAY_LEN(r));
	}
	filter_rig_fini(&fast);
	filter_rig_fini(&slow);
}

/* Many routes that have one way share it. */
static void
test_shared(void **state)
{
	static const char *const r[] = { "ipv4;", "route 10.0.0.0/16 via 10.1.1.2;",
		"route 10.1.0.0/16 via 10.1.1.2;", "route 10.2.0.0/16 via 10.1.1.2 bfd;",
		"route 10.3.0.0/16 via 10.1.1.2;" };
	struct filter_rig g;
	const struct static_conf *sc;
	struct strbuf b;

	(void)state;
	filter_rig_init(&g);
	strbuf_init(&b);
	test_conf_routes_instance(&b, ip_head, r, ARRAY_LEN(r), " ");
	assert_true(filter_rig_config(&g, b.s));
	sc = statics_of(&g);
	assert_ptr_equal(sc->route[0]->via, sc->route[1]->via);
	assert_ptr_equal(sc->route[0]->via, sc->route[3]->via);
	assert_int_equal(sc->way_cnt, 2);
	strbuf_fini(&b);
	filter_rig_fini(&g);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_shared),
	cmocka_unit_test(test_each),
	cmocka_unit_test(test_against_grammar),
};

UNIT_MAIN(tests)

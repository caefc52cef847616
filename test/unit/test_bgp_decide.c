/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision process: each rule alone, total order, and independence of the order of
 * candidates (all orders of 4 routes over a small domain of attributes), against a naive
 * model. */
#include "proto/bgp/in/bgp_decide.c"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* A route with room for some attributes of its own. */
struct route {
	uint32_t id;
	struct route_source src;
	uint32_t time_cs;
	struct wire_set *wire;
	struct attr_set *set;
	uint64_t wire_room[(sizeof(struct wire_set) + 96) / 8 + 1];
	uint64_t set_room[sizeof(struct attr_set) / 8 + 1];
};

static void
route_init(struct route *r, uint32_t id)
{
	memset(r, 0, sizeof(*r));
	r->wire = (struct wire_set *)r->wire_room;
	r->set = (struct attr_set *)r->set_room;
	r->set->wire = r->wire;
	r->set->local = (struct attr_local){ .preference = 100,
		.igp_metric = UINT32_MAX,
		.dest = DEST_UNICAST,
		.rts = RTS_BGP };
	r->wire->path_len = 2;
	r->wire->path_first = 65001;
	r->id = id;
	r->src = (struct route_source){ .is_bgp = true,
		.is_ebgp = true,
		.peer_router_id = 1000,
		.from = ip4(0x0a000001),
		.peer_as = 65001 };
}

static void
route_attr(
    struct route *r, enum attr_slot slot, uint8_t code, const uint8_t *val, uint16_t len)
{
	uint16_t at = r->wire->len;
	uint8_t *p = r->wire->data + at;

	p[0] = 0x80;
	p[1] = code;
	put_be16(p + 2, len);
	memcpy(p + 4, val, len);
	r->wire->len = (uint16_t)(at + 4 + len);
	r->wire->off[slot] = (uint8_t)(at + 1);
}

static void
route_number(struct route *r, uint8_t code, uint32_t n)
{
	uint8_t val[4];

	put_be32(val, n);
	route_attr(r, code == ATTR_MED ? SLOT_MED : SLOT_LOCAL_PREF, code, val, 4);
	r->wire->has |= code == ATTR_MED ? WIRE_HAS_MED : WIRE_HAS_LOCAL_PREF;
}

static void
route_aigp(struct route *r, uint64_t metric)
{
	uint8_t val[AIGP_METRIC_LEN];
	uint16_t at = r->wire->len;

	/* it has no slot, and stands behind all that have */
	aigp_put(val, metric);
	r->wire->data[at] = 0x80;
	r->wire->data[at + 1] = ATTR_AIGP;
	put_be16(r->wire->data + at + 2, sizeof(val));
	memcpy(r->wire->data + at + 4, val, sizeof(val));
	r->wire->len = (uint16_t)(at + 4 + sizeof(val));
	r->wire->has |= WIRE_HAS_AIGP;
}

static struct route_cand
cand_of(const struct route *r)
{
	return (struct route_cand){ r->set, &r->src, r->time_cs };
}

static uint32_t
test_bgp_decide_id_of(const struct route_cand *c)
{
	return container_of((struct route_source *)(uintptr_t)c->src, struct route, src)
	    ->id;
}

/* cmp - as tables do: what is equal stands in the order of its feeders. */
static int
test_bgp_decide_cmp(const struct route_cand *a, const struct route_cand *b)
{
	int c = bgp_decide_cmp(a, b);

	return c ? c : (int)test_bgp_decide_id_of(a) - (int)test_bgp_decide_id_of(b);
}

/* best - as a table does it: keep in order, then ask among the first, tied ones. Changes
 * the order of @c. */
static const struct route_cand *
test_bgp_decide_best(struct route_cand *c, unsigned cnt)
{
	unsigned tied = 1;

	for (unsigned i = 1; i < cnt; i++)
		for (unsigned j = i; j && test_bgp_decide_cmp(&c[j], &c[j - 1]) < 0;
		     j--) {
			struct route_cand t = c[j];

			c[j] = c[j - 1];
			c[j - 1] = t;
		}
	while (tied < cnt && bgp_decide_tied(&c[0], &c[tied]))
		tied++;
	return &c[bgp_decide_select(c, tied)];
}

/* expect_at - @a beats @b, both ways round and in all functions. @step: where; NULL: not
 * by a rule. */
static void
expect_at(const struct route *a, const struct route *b, const char *step)
{
	struct route_cand ca = cand_of(a), cb = cand_of(b), both[2] = { ca, cb };
	struct lost_at at;
	bool told = bgp_decide_lost(
	    &at, &ca, &cb, both, bgp_decide_tied(&ca, &cb) ? 2 : 1);

	assert_int_equal(told, step != NULL);
	if (step)
		assert_string_equal(reason_key(at.step), step);

	assert_true(test_bgp_decide_cmp(&ca, &cb) < 0);
	assert_true(test_bgp_decide_cmp(&cb, &ca) > 0);
	assert_ptr_equal(test_bgp_decide_best(both, 2)->src, &a->src);
	both[0] = cb;
	both[1] = ca;
	assert_ptr_equal(test_bgp_decide_best(both, 2)->src, &a->src);
}

static void
test_bgp_decide_expect(const struct route *a, const struct route *b)
{
	struct route_cand ca = cand_of(a), cb = cand_of(b);
	struct lost_at at = { .step = REASON_NONE };

	bgp_decide_lost(&at, &ca, &cb, &ca, 1);
	expect_at(a, b, at.step ? reason_key(at.step) : NULL);
}

/* One rule after the other decides for the first route, with everything below it against
 * it. */
static void
test_order_of_rules(void **state)
{
	static const uint8_t low_id[4] = { 0, 0, 0, 1 }, lists[8] = { 0 };
	struct route a, b;

	(void)state;
	route_init(&a, 1);
	route_init(&b, 2);
	expect_at(&a, &b, NULL); /* 13 */
	b.src.from = ip4(0x0a000000);
	expect_at(&b, &a, "peer_address"); /* 12 */
	route_attr(&b, SLOT_CLUSTER_LIST, ATTR_CLUSTER_LIST, lists, 8);
	route_attr(&a, SLOT_CLUSTER_LIST, ATTR_CLUSTER_LIST, lists, 4);
	expect_at(&a, &b, "cluster_list_length"); /* 11 */
	route_attr(&b, SLOT_ORIGINATOR_ID, ATTR_ORIGINATOR_ID, low_id, 4);
	expect_at(&b, &a, "router_id"); /* 10 */
	a.set->local.igp_metric = 20;
	expect_at(&a, &b, "igp_metric"); /* 9 */
	a.src.in_confed = true;
	expect_at(&b, &a, "external"); /* 8 */
	a.src.is_ebgp = a.src.in_confed = false;
	expect_at(&b, &a, "external");
	b.wire->origin = ORIGIN_EGP;
	expect_at(&a, &b, "origin"); /* 6 */
	b.wire->path_len = 1;
	expect_at(&b, &a, "as_path_length"); /* 5 */
	route_aigp(&a, 100);
	expect_at(&a, &b, "aigp"); /* who has none comes last */
	route_aigp(&b, 80);
	a.set->local.igp_metric = 5;
	b.set->local.igp_metric = 24;
	expect_at(&b, &a, "aigp");
	b.set->local.igp_metric = 26;
	expect_at(&a, &b, "aigp");
	route_number(&a, ATTR_LOCAL_PREF, 101);
	expect_at(&a, &b, "local_pref"); /* 4 */
	route_number(&a, ATTR_LOCAL_PREF, 99);
	expect_at(&b, &a, "local_pref");
	route_number(&a, ATTR_LOCAL_PREF, 101);
	b.src.is_bgp = false;
	expect_at(&b, &a, "other_protocol"); /* 3 */
	a.set->local.preference = 101;
	expect_at(&a, &b, "preference"); /* 2 */
	a.wire->has |= WIRE_HAS_LLGR_STALE;
	expect_at(&b, &a, "long_lived_stale"); /* RFC 9494, 4.3 */
	b.wire->has |= WIRE_HAS_LLGR_STALE;
	expect_at(&a, &b, "preference");
	a.set->local.dest = DEST_UNREACHABLE;
	expect_at(&b, &a, "reachable"); /* 1 */
	b.set->local.dest = DEST_BLACKHOLE;
	expect_at(&b, &a, "reachable");
}

/* MED decides within a neighbour AS only, unless `med metric`; absent is 0. */
static void
test_med(void **state)
{
	struct route a, b;
	struct route_cand c[2];
	struct lost_at at;

	(void)state;
	route_init(&a, 1);
	route_init(&b, 2);
	route_number(&a, ATTR_MED, 10); /* b has none */
	c[0] = cand_of(&a);
	c[1] = cand_of(&b);
	assert_true(test_bgp_decide_cmp(&c[0], &c[1]) < 0);
	assert_true(bgp_decide_tied(&c[0], &c[1]));
	assert_ptr_equal(test_bgp_decide_best(c, 2)->src, &b.src);
	assert_true(bgp_decide_lost(&at, &c[1], &c[0], c, 2));
	assert_int_equal(at.step, REASON_MED);
	assert_true(at.has_values && at.value == 10 && at.best == 0);
	b.wire->path_first = 65002;
	assert_false(bgp_decide_lost(&at, &c[0], &c[1], c, 2));
	assert_ptr_equal(test_bgp_decide_best(c, 2)->src, &a.src);
	a.src.med_metric = b.src.med_metric = true;
	assert_ptr_equal(test_bgp_decide_best(c, 2)->src, &b.src);
	b.src.default_med = 11;
	assert_ptr_equal(test_bgp_decide_best(c, 2)->src, &a.src);
	a.src.default_med = 12; /* it has one */
	assert_ptr_equal(test_bgp_decide_best(c, 2)->src, &a.src);
}

/* Routes share packets if they are equal up to the metric to their next hops. */
static void
test_merges(void **state)
{
	struct route a, b;
	struct route_cand c[2];

	(void)state;
	route_init(&a, 1);
	route_init(&b, 2);
	b.src.peer_router_id = 77; /* what comes later doesn't count */
	c[0] = cand_of(&a);
	c[1] = cand_of(&b);
	assert_true(bgp_decide_merges(&c[0], &c[1]));
	a.wire->path_len++;
	assert_false(bgp_decide_merges(&c[0], &c[1]));
	a.wire->path_len--;
	a.set->local.igp_metric = 7;
	assert_false(bgp_decide_merges(&c[0], &c[1]));
	b.set->local.igp_metric = 7;
	a.src.is_ebgp = !a.src.is_ebgp;
	assert_false(bgp_decide_merges(&c[0], &c[1]));
	a.src.is_ebgp = !a.src.is_ebgp;
	route_number(&a, ATTR_MED, 10);
	assert_false(bgp_decide_merges(&c[0], &c[1]));
	b.wire->path_first = 65002; /* another neighbour's */
	assert_true(bgp_decide_merges(&c[0], &c[1]));
	b.src.med_metric = true;
	assert_false(bgp_decide_merges(&c[0], &c[1]));
	b.src.default_med = 10;
	assert_true(bgp_decide_merges(&c[0], &c[1]));
	a.set->local.dest = b.set->local.dest = DEST_UNREACHABLE;
	assert_false(bgp_decide_merges(&c[0], &c[1]));
}

static void
test_path_metric_off(void **state)
{
	struct route a, b;

	(void)state;
	route_init(&a, 1);
	route_init(&b, 2);
	a.wire->path_len = 9;
	test_bgp_decide_expect(&b, &a);
	a.src.no_path_metric = b.src.no_path_metric = true;
	test_bgp_decide_expect(&a, &b);
}

static void
test_igp_metric_off(void **state)
{
	struct route a, b;

	(void)state;
	route_init(&a, 1);
	route_init(&b, 2);
	b.set->local.igp_metric = 5;
	test_bgp_decide_expect(&b, &a);
	a.src.no_igp_metric = b.src.no_igp_metric = true;
	test_bgp_decide_expect(&a, &b);
}

/* Age comes before the router id, for external routes of sources that want it. */
static void
test_prefer_older(void **state)
{
	struct route a, b;

	(void)state;
	route_init(&a, 1);
	route_init(&b, 2);
	a.time_cs = 20;
	b.time_cs = 10;
	b.src.peer_router_id = 2000;
	test_bgp_decide_expect(&a, &b);
	a.src.prefer_older = b.src.prefer_older = true;
	test_bgp_decide_expect(&b, &a);
	b.src.prefer_older = false;
	test_bgp_decide_expect(&a, &b);
	b.src.prefer_older = true;
	a.src.is_ebgp = b.src.is_ebgp = false;
	test_bgp_decide_expect(&a, &b);
}

static uint32_t
test_bgp_decide_rnd(uint64_t *s, uint32_t n)
{
	*s = *s * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*s >> 33) % n;
}

static void
route_random(struct route *r, uint32_t id, uint64_t *s)
{
	route_init(r, id);
	r->wire->path_first = 65001 + test_bgp_decide_rnd(s, 2);
	r->wire->path_len = (uint16_t)(test_bgp_decide_rnd(s, 4) ? 2 : 1);
	r->wire->origin = test_bgp_decide_rnd(s, 4) ? 0 : 1;
	r->src.is_ebgp = test_bgp_decide_rnd(s, 2);
	r->src.peer_router_id = test_bgp_decide_rnd(s, 3);
	r->set->local.igp_metric = test_bgp_decide_rnd(s, 2);
	r->src.from = ip4(test_bgp_decide_rnd(s, 2));
	r->src.med_metric = test_bgp_decide_rnd(s, 8) == 0;
	r->src.no_path_metric = test_bgp_decide_rnd(s, 8) == 0;
	r->src.no_igp_metric = test_bgp_decide_rnd(s, 8) == 0;
	r->src.prefer_older = test_bgp_decide_rnd(s, 3) == 0;
	r->src.default_med = test_bgp_decide_rnd(s, 3);
	r->time_cs = test_bgp_decide_rnd(s, 3);
	if (test_bgp_decide_rnd(s, 2))
		route_number(r, ATTR_MED, test_bgp_decide_rnd(s, 3));
	if (test_bgp_decide_rnd(s, 8) == 0)
		r->set->local.dest = DEST_UNREACHABLE;
	if (test_bgp_decide_rnd(s, 6) == 0)
		route_number(r, ATTR_LOCAL_PREF, 99 + test_bgp_decide_rnd(s, 3));
}

static uint32_t
naive_med(const struct route_cand *c)
{
	return c->set->wire->has & WIRE_HAS_MED ? wire_med(c->set->wire)
						: c->src->default_med;
}

/* naive_best - RFC 4271, 9.1.2.2 word by word: remove by each rule in turn. */
static uint32_t
naive_best(const struct route_cand *c, unsigned cnt)
{
	bool gone[8] = { false };

	for (unsigned i = 0; i < cnt; i++)
		for (unsigned j = 0; j < cnt; j++)
			if (decide_cmp_before(&c[j], &c[i]) < 0)
				gone[i] = true;
	for (unsigned pass = 0; pass < 1; pass++) {
		bool med[8] = { false };

		for (unsigned i = 0; i < cnt; i++)
			for (unsigned j = 0; j < cnt; j++)
				if (!gone[i] && !gone[j] &&
				    decide_med_group(&c[i]) == decide_med_group(&c[j]) &&
				    naive_med(&c[j]) < naive_med(&c[i]))
					med[i] = true;
		for (unsigned i = 0; i < cnt; i++)
			gone[i] |= med[i];
	}
	for (unsigned i = 0; i < cnt; i++) {
		bool beaten = gone[i];

		for (unsigned j = 0; j < cnt; j++)
			beaten |= !gone[j] && (decide_cmp_after(&c[j], &c[i]) < 0 ||
						  (decide_cmp_after(&c[j], &c[i]) == 0 &&
						      test_bgp_decide_id_of(&c[j]) <
							  test_bgp_decide_id_of(&c[i])));
		if (!beaten)
			return test_bgp_decide_id_of(&c[i]);
	}
	fail();
	return 0;
}

static void
try_orders(struct route_cand *c, unsigned at, unsigned cnt, uint32_t want)
{
	if (at == cnt) {
		struct route_cand copy[4];

		memcpy(copy, c, sizeof(copy));
		assert_int_equal(
		    test_bgp_decide_id_of(test_bgp_decide_best(copy, cnt)), want);
		return;
	}
	for (unsigned i = at; i < cnt; i++) {
		struct route_cand t = c[at];

		c[at] = c[i];
		c[i] = t;
		try_orders(c, at + 1, cnt, want);
		c[i] = c[at];
		c[at] = t;
	}
}

static void
test_random(void **state)
{
	const char *env = getenv("TERN_SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : 1;
	struct route r[4];
	struct route_cand c[4];

	(void)state;
	for (unsigned n = 0; n < 5000; n++) {
		for (unsigned i = 0; i < 4; i++) {
			route_random(&r[i], i + 1, &seed);
			c[i] = cand_of(&r[i]);
		}
		for (unsigned i = 0; i < 4; i++)
			for (unsigned j = 0; j < 4; j++) {
				int ij = test_bgp_decide_cmp(&c[i], &c[j]);

				assert_int_equal(ij == 0, i == j);
				assert_int_equal(
				    ij<0, test_bgp_decide_cmp(&c[j], &c[i])> 0);
				for (unsigned k = 0; k < 4; k++)
					if (ij < 0 &&
					    test_bgp_decide_cmp(&c[j], &c[k]) < 0)
						assert_true(test_bgp_decide_cmp(
								&c[i], &c[k]) < 0);
			}
		try_orders(c, 0, 4, naive_best(c, 4));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_rules),
		cmocka_unit_test(test_med),
		cmocka_unit_test(test_merges),
		cmocka_unit_test(test_path_metric_off),
		cmocka_unit_test(test_igp_metric_off),
		cmocka_unit_test(test_prefer_older),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

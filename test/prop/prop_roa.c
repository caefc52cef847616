/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of VRPs against a plain list: random batches, then questions, and whether each
 * VRP stands in its bucket, in order. Prefixes are drawn from a small tree, so that
 * nesting, equal prefixes and replacements are frequent. */
#include "lib/net/roa.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define MODEL_MAX 600

struct model {
	struct vrp vrp[MODEL_MAX];
	uint32_t cnt;
};

static unsigned
bits_of(enum family fam)
{
	return fam == FAM_IP4 ? 32 : 128;
}

static struct prefix
prop_roa_draw_prefix(struct seed *s, enum family fam)
{
	unsigned len = seed_below(s, bits_of(fam) + 1);
	struct ip_addr a = { seed_u64(s), seed_u64(s) };

	/* a few patterns, so that prefixes meet */
	a.hi &= 0x1100000110000100ull;
	a.lo &= 0x8000000000000101ull;
	if (seed_chance(s, 2))
		len = 8 * (len / 8);
	if (fam == FAM_IP4)
		a = ip4((uint32_t)(a.hi >> 32) | (seed_below(s, 3) << 8));
	return prefix_make(a, len, fam);
}

static struct vrp
draw_vrp(struct seed *s, enum family fam)
{
	struct vrp v = { .net = prop_roa_draw_prefix(s, fam), .asn = seed_below(s, 4) };

	v.max_len = (uint8_t)(v.net.len + seed_below(s, bits_of(fam) + 1u - v.net.len));
	return v;
}

static int
model_find(const struct model *m, const struct vrp *v)
{
	for (uint32_t i = 0; i < m->cnt; i++)
		if (!vrp_cmp(&m->vrp[i], v))
			return (int)i;
	return -1;
}

static void
model_set(struct model *m, const struct vrp_change *c)
{
	int i = model_find(m, &c->vrp);

	if (i < 0 && c->there)
		m->vrp[m->cnt++] = c->vrp;
	else if (i >= 0 && !c->there)
		m->vrp[i] = m->vrp[--m->cnt];
}

/* RFC 6811, 2, as it stands there. */
static enum roa_state
prop_roa_model_check(const struct model *m, const struct prefix *p, uint32_t asn)
{
	bool covered = false;

	for (uint32_t i = 0; i < m->cnt; i++) {
		const struct vrp *v = &m->vrp[i];

		if (!prefix_contains(&v->net, p))
			continue;
		covered = true;
		if (p->len <= v->max_len && v->asn == asn && v->asn)
			return ROA_VALID;
	}
	return covered ? ROA_INVALID : ROA_UNKNOWN;
}

static void
prop_roa_one_batch(struct seed *s, enum family fam, struct roa_map *map, struct model *m)
{
	struct vrp_change c[64];
	uint32_t n = 0, want = 1 + seed_below(s, 64);

	while (n < want) {
		struct vrp_change x = { draw_vrp(s, fam), true };
		uint32_t i;

		if (m->cnt && (m->cnt + n + 64 > MODEL_MAX || seed_chance(s, 3))) {
			x.vrp = m->vrp[seed_below(s, m->cnt)];
			if (!seed_chance(s, 4))
				x.there = false;
		}
		for (i = 0; i < n && vrp_cmp(&c[i].vrp, &x.vrp); i++)
			;
		if (i == n)
			c[n++] = x;
		else
			want--;
	}
	for (uint32_t i = 0; i < n; i++)
		model_set(m, &c[i]);
	roa_map_update(map, c, n);
	rcu_quiesce();
}

/* check_bucket - Returns: how many VRPs it has. */
static uint32_t
check_bucket(const struct roa_map *map, const struct bucket *b, const struct model *m)
{
	for (uint32_t i = 0; b && i < b->cnt; i++) {
		struct vrp v = roa_vrp_at(map->fam, b, i), before;

		assert_true(model_find(m, &v) >= 0);
		assert_ptr_equal(load_relaxed_ptr(roa_place(map, &v)), b);
		if (i) {
			before = roa_vrp_at(map->fam, b, i - 1);
			assert_true(vrp_cmp(&before, &v) < 0);
		}
	}
	return b ? b->cnt : 0;
}

static uint32_t
check_node(const struct roa_map *map, const struct roa_node *n, unsigned d,
    const struct model *m)
{
	uint32_t cnt = check_bucket(map, load_relaxed_ptr(&n->bucket), m);

	for (unsigned i = 0; i < FANOUT; i++) {
		const void *child = load_relaxed_ptr(&n->child[i]);

		if (d + 1 == map->depth)
			cnt += check_bucket(map, child, m);
		else if (child)
			cnt += check_node(map, child, d + 1, m);
	}
	return cnt;
}

static void
prop_roa_compare(
    struct seed *s, enum family fam, const struct roa_map *map, const struct model *m)
{
	assert_int_equal(roa_map_cnt(map), m->cnt);
	for (unsigned i = 0; i < 200; i++) {
		struct prefix p = prop_roa_draw_prefix(s, fam);
		uint32_t asn = seed_below(s, 4);

		assert_int_equal(
		    roa_map_check(map, &p, asn), prop_roa_model_check(m, &p, asn));
	}
	assert_int_equal(check_node(map, map->root, 0, m), m->cnt);
}

static void
prop_roa_run(enum family fam)
{
	struct seed s = seed_start("prop_roa");
	uint32_t rounds = seed_rounds(20);

	for (uint32_t r = 0; r < rounds; r++) {
		struct roa_map *map = roa_map_new(fam);
		struct model m = { .cnt = 0 };

		for (unsigned b = 0; b < 20; b++) {
			prop_roa_one_batch(&s, fam, map, &m);
			prop_roa_compare(&s, fam, map, &m);
		}
		rcu_drain();
		roa_map_free(map);
	}
}

static void
test_ip4(void **state)
{
	(void)state;
	prop_roa_run(FAM_IP4);
}

static void
test_ip6(void **state)
{
	(void)state;
	prop_roa_run(FAM_IP6);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ip4),
		cmocka_unit_test(test_ip6),
	};
	int rc;

	rcu_join();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_leave();
	return rc;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of VRPs against a plain list: random batches, then questions, exact lookups and walks in order.
 * Prefixes are drawn from a small tree, so that nesting, equal prefixes and replacements are frequent. */
#include "lib/mt/rcu.h"
#include "lib/net/roa.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define MODEL_MAX 600

struct model {
	struct vrp vrp[MODEL_MAX];
	void *data[MODEL_MAX];
	uint32_t cnt;
};

static unsigned
bits_of(enum family fam)
{
	return fam == FAM_IP4 ? 32 : 128;
}

static struct prefix
draw_prefix(struct seed *s, enum family fam)
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
	struct vrp v = { .net = draw_prefix(s, fam), .asn = seed_below(s, 4) };

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

	if (i < 0 && c->data) {
		m->vrp[m->cnt] = c->vrp;
		m->data[m->cnt++] = c->data;
	} else if (i >= 0 && c->data) {
		m->data[i] = c->data;
	} else if (i >= 0) {
		m->vrp[i] = m->vrp[--m->cnt];
		m->data[i] = m->data[m->cnt];
	}
}

/* RFC 6811, 2, as it stands there. */
static enum roa_state
model_check(const struct model *m, const struct prefix *p, uint32_t asn)
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
one_batch(struct seed *s, enum family fam, struct roa_map *map, struct model *m)
{
	struct vrp_change c[64];
	uint32_t n = 0, want = 1 + seed_below(s, 64);
	static char mark[16];

	while (n < want) {
		struct vrp_change x = { draw_vrp(s, fam), &mark[seed_below(s, 16)] };
		uint32_t i;

		if (m->cnt && (m->cnt + n + 64 > MODEL_MAX || seed_chance(s, 3))) {
			x.vrp = m->vrp[seed_below(s, m->cnt)];
			if (!seed_chance(s, 4))
				x.data = NULL;
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

static void
compare(struct seed *s, enum family fam, const struct roa_map *map, const struct model *m)
{
	struct vrp v = { 0 }, last = { 0 };
	uint32_t cnt = 0;
	void *data;

	assert_int_equal(roa_map_cnt(map), m->cnt);
	for (unsigned i = 0; i < 200; i++) {
		struct prefix p = draw_prefix(s, fam);
		uint32_t asn = seed_below(s, 4);

		assert_int_equal(roa_map_check(map, &p, asn), model_check(m, &p, asn));
		v = draw_vrp(s, fam);
		if (model_find(m, &v) < 0)
			assert_null(roa_map_get(map, &v));
	}
	for (data = roa_map_next(map, &v, true); data;
	     data = roa_map_next(map, &v, false)) {
		int i = model_find(m, &v);

		assert_true(!cnt || vrp_cmp(&last, &v) < 0);
		assert_true(i >= 0);
		assert_ptr_equal(m->data[i], data);
		assert_ptr_equal(roa_map_get(map, &v), data);
		last = v;
		cnt++;
	}
	assert_int_equal(cnt, m->cnt);
}

static void
run(enum family fam)
{
	struct seed s = seed_start("prop_roa");
	uint32_t rounds = seed_rounds(20);

	for (uint32_t r = 0; r < rounds; r++) {
		struct roa_map *map = roa_map_new(fam);
		struct model m = { .cnt = 0 };

		for (unsigned b = 0; b < 20; b++) {
			one_batch(&s, fam, map, &m);
			compare(&s, fam, map, &m);
		}
		rcu_drain();
		roa_map_free(map);
	}
}

static void
test_ip4(void **state)
{
	(void)state;
	run(FAM_IP4);
}

static void
test_ip6(void **state)
{
	(void)state;
	run(FAM_IP6);
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

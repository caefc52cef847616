/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The check of AS paths against what the draft says, put another way; and the map against
 * a plain list.
 *
 * Verdicts are compared for all worlds of three ASes with all paths of up to six, and of
 * four ASes with all paths of up to four: every AS attests nothing, or any set of
 * providers among the others, the empty one included (AS 0). The model looks for pairs of
 * hops, not for ramps: a path leaks if there is a hop that isn't upwards, seen from the
 * origin, and nearer to the neighbour, with at least one AS between, one that isn't
 * downwards. */
#include "lib/mt/rcu.h"
#include "lib/net/aspa.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define AS_MAX       5
#define PATH_MAX_LEN 8
#define NOTHING      0x100u /* of attested: no attestation */

/* attested[as]: bit p: AS p is a provider; ASes from 1. */
struct world {
	unsigned as_cnt;
	uint32_t attested[AS_MAX + 1];
};

/* ---- the model ---- */

/* wrong - is the hop from @customer to @provider no upward one? @sure: is it known not to
 * be, or only not known to be? */
static bool
prop_aspa_wrong(const struct world *w, uint32_t customer, uint32_t provider, bool sure)
{
	if (w->attested[customer] == NOTHING)
		return !sure;
	return !(w->attested[customer] >> provider & 1);
}

/* broken - @p from the origin (0) to the neighbour (@n - 1), without repetitions. */
static bool
prop_aspa_broken(
    const struct world *w, const uint32_t *p, unsigned n, bool upstream, bool sure)
{
	for (unsigned i = 0; i + 1 < n; i++) {
		if (!prop_aspa_wrong(w, p[i], p[i + 1], sure))
			continue;
		if (upstream)
			return true;
		for (unsigned j = i + 2; j < n; j++)
			if (prop_aspa_wrong(w, p[j], p[j - 1], sure))
				return true;
	}
	return false;
}

static enum aspa_state
prop_aspa_model_check(
    const struct world *w, const uint32_t *path, unsigned len, bool upstream)
{
	uint32_t p[PATH_MAX_LEN];
	unsigned n = 0;

	for (unsigned i = len; i-- > 0;)
		if (!n || p[n - 1] != path[i])
			p[n++] = path[i];
	if (!n || prop_aspa_broken(w, p, n, upstream, true))
		return ASPA_INVALID;
	return prop_aspa_broken(w, p, n, upstream, false) ? ASPA_UNKNOWN : ASPA_VALID;
}

/* ---- all of a small world ---- */

static struct aspa_map *
map_of(const struct world *w)
{
	struct aspa_map *m = aspa_map_new();
	struct aspa_change c[AS_MAX];
	uint32_t cnt = 0;

	for (uint32_t as = 1; as <= w->as_cnt; as++) {
		uint32_t provider[AS_MAX + 1] = { 0 }, n = 0;

		if (w->attested[as] == NOTHING)
			continue;
		for (uint32_t p = 1; p <= w->as_cnt; p++)
			if (w->attested[as] >> p & 1)
				provider[n++] = p;
		c[cnt++] = (struct aspa_change){ as, aspa_new(as, provider, n ? n : 1) };
	}
	aspa_map_update(m, c, cnt);
	return m;
}

static void
compare_path(
    const struct world *w, const struct aspa_map *m, const uint32_t *path, unsigned len)
{
	struct aspa_walk k;

	aspa_walk_init(&k, m);
	for (unsigned i = 0; i < len; i++)
		aspa_walk_as(&k, path[i]);
	for (unsigned up = 0; up < 2; up++)
		if (aspa_walk_state(&k, up) != prop_aspa_model_check(w, path, len, up))
			fail_msg("another verdict");
}

static void
prop_aspa_compare_paths(const struct world *w, const struct aspa_map *m, unsigned max_len)
{
	for (unsigned len = 0; len <= max_len; len++) {
		uint32_t path[PATH_MAX_LEN] = { 1, 1, 1, 1, 1, 1, 1, 1 };
		unsigned i;

		do {
			compare_path(w, m, path, len);
			for (i = 0; i < len && ++path[i] > w->as_cnt; i++)
				path[i] = 1;
		} while (i < len);
	}
}

/* next_set - the next choice of providers for @as; false: it was the last, begin
 * again. */
static bool
next_set(struct world *w, uint32_t as)
{
	uint32_t s = w->attested[as];

	if (s == NOTHING) {
		w->attested[as] = 0;
		return true;
	}
	do
		s += 2;
	while (s >> as & 1); /* nobody provides for himself */
	w->attested[as] = s >> (w->as_cnt + 1) ? NOTHING : s;
	return w->attested[as] != NOTHING;
}

static void
all_worlds(unsigned as_cnt, unsigned max_len, uint32_t expected)
{
	struct world w = { as_cnt, { 0, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING } };
	uint32_t worlds = 0, as;

	do {
		struct aspa_map *m = map_of(&w);

		prop_aspa_compare_paths(&w, m, max_len);
		worlds++;
		rcu_quiesce();
		aspa_map_free(m);
		for (as = 1; as <= as_cnt && !next_set(&w, as); as++)
			;
	} while (as <= as_cnt);
	assert_int_equal(worlds, expected);
	rcu_drain();
}

static void
test_three(void **state)
{
	(void)state;
	all_worlds(3, 6, 5 * 5 * 5);
}

static void
test_four(void **state)
{
	(void)state;
	all_worlds(4, 4, 9 * 9 * 9 * 9);
}

/* Long paths of five ASes, at random. */
static void
test_five(void **state)
{
	struct seed s = seed_start("prop_aspa");
	uint32_t rounds = seed_rounds(300);

	(void)state;
	for (uint32_t r = 0; r < rounds; r++) {
		struct world w = { .as_cnt = AS_MAX };
		struct aspa_map *m;

		for (uint32_t as = 1; as <= AS_MAX; as++)
			w.attested[as] = seed_chance(&s, 4) ? NOTHING
							    : seed_below(&s, 32) << 1;
		m = map_of(&w);
		for (unsigned i = 0; i < 200; i++) {
			unsigned len = seed_below(&s, PATH_MAX_LEN + 1);
			uint32_t path[PATH_MAX_LEN];

			for (unsigned k = 0; k < len; k++)
				path[k] = 1 + seed_below(&s, AS_MAX);
			compare_path(&w, m, path, len);
		}
		rcu_quiesce();
		aspa_map_free(m);
	}
	rcu_drain();
}

/* ---- the map ---- */

#define CUSTOMERS 200

static uint32_t
prop_aspa_customer(uint32_t i)
{
	return i * 21000000u; /* spread over all 32 bits */
}

static void
prop_aspa_one_batch(struct seed *s, struct aspa_map *m, uint32_t *model)
{
	struct aspa_change c[64];
	uint32_t cnt = 0, at = seed_below(s, CUSTOMERS), step = 1 + 2 * seed_below(s, 3);

	for (uint32_t want = seed_below(s, 64); cnt < want; cnt++) {
		uint32_t provider = seed_chance(s, 3) ? 0 : 1 + seed_below(s, 9);
		uint32_t i = (at + 7 * step * cnt) % CUSTOMERS;

		if (cnt && i == at)
			break;
		model[i] = provider;
		c[cnt] = (struct aspa_change){ prop_aspa_customer(i),
			provider ? aspa_new(prop_aspa_customer(i), &provider, 1) : NULL };
	}
	aspa_map_update(m, c, cnt);
}

static void
prop_aspa_compare(const struct aspa_map *m, uint32_t *model)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < CUSTOMERS; i++) {
		const struct aspa *there = aspa_map_get(m, prop_aspa_customer(i));

		assert_int_equal(there != NULL, model[i] != 0);
		assert_null(aspa_map_get(m, prop_aspa_customer(i) + 1));
		if (!there)
			continue;
		assert_int_equal(there->customer, prop_aspa_customer(i));
		assert_int_equal(there->cnt, 1);
		assert_int_equal(there->provider[0], model[i]);
		cnt++;
	}
	assert_int_equal(aspa_map_cnt(m), cnt);
}

static void
test_map(void **state)
{
	struct seed s = seed_start("prop_aspa");
	uint32_t rounds = seed_rounds(20);

	(void)state;
	for (uint32_t r = 0; r < rounds; r++) {
		struct aspa_map *m = aspa_map_new();
		uint32_t model[CUSTOMERS] = { 0 };

		for (unsigned b = 0; b < 40; b++) {
			prop_aspa_one_batch(&s, m, model);
			prop_aspa_compare(m, model);
			rcu_quiesce();
		}
		rcu_drain();
		aspa_map_free(m);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three),
		cmocka_unit_test(test_four),
		cmocka_unit_test(test_five),
		cmocka_unit_test(test_map),
	};
	int rc;

	rcu_join();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_leave();
	return rc;
}

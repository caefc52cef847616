/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of longest matches against a plain list: random prefixes come and go, and the
 * first and the last address of each, those beside them and random ones are looked up.
 * Prefixes are drawn from a small tree, so that nesting and neighbours are frequent; all
 * that comes goes, and leaves nothing behind. */
#include "lib/net/lpm.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define MODEL_MAX 400

struct model {
	struct prefix p[MODEL_MAX]; /* by value - 1 */
	bool there[MODEL_MAX];
	uint32_t cnt; /* that are there */
};

static struct prefix
prop_lpm_draw(struct seed *s, enum family fam)
{
	unsigned bits = family_bits(fam), len = seed_below(s, bits + 1);
	struct ip_addr a = { seed_u64(s), seed_u64(s) };

	a.hi &= 0x0001010701030303ull; /* a few patterns, so that prefixes meet */
	a.lo &= 0x8000000000000101ull;
	if (seed_chance(s, 2))
		len = len / 8 * 8;
	if (fam == FAM_IP4)
		a = ip4((uint32_t)(a.hi >> 16) & 0x01070383);
	return prefix_make(a, len, fam);
}

static struct lpm_cover
prop_lpm_longest(const struct model *m, struct ip_addr a, unsigned below)
{
	struct lpm_cover c = { 0 };

	for (uint32_t i = 0; i < MODEL_MAX; i++)
		if (m->there[i] && m->p[i].len < below && prefix_has_ip(&m->p[i], a) &&
		    (!c.value || m->p[i].len > c.len))
			c = (struct lpm_cover){ i + 1, m->p[i].len };
	return c;
}

/* look - but in a map of IPv6 at no address of ::ffff:0:0/96: so those of IPv4 are
 * written. */
static void
prop_lpm_look(const struct lpm *map, const struct model *m, struct ip_addr a)
{
	if (map->fam == FAM_IP4 || !ip_is_v4(a))
		assert_int_equal(lpm_find(map, a), prop_lpm_longest(m, a, 129).value);
}

static struct ip_addr
last_of(const struct prefix *p)
{
	if (p->fam == FAM_IP4)
		return ip4(ip_to_v4(p->addr) | ~mask4(p->len));
	return (struct ip_addr){ p->addr.hi | ~mask64(p->len),
		p->addr.lo | ~(p->len > 64 ? mask64(p->len - 64) : 0) };
}

/* beside - the address before or behind @a; it may be of the other end of the space. */
static struct ip_addr
prop_lpm_neighbour(struct ip_addr a, int by, enum family fam)
{
	if (fam == FAM_IP4)
		return ip4(ip_to_v4(a) + (uint32_t)by);
	a.hi += by > 0 ? a.lo == UINT64_MAX : a.lo ? 0 : UINT64_MAX;
	a.lo += (uint64_t)(int64_t)by;
	return a;
}

static void
look_around(struct lpm *map, const struct model *m, const struct prefix *p)
{
	enum family fam = (enum family)p->fam;

	prop_lpm_look(map, m, p->addr);
	prop_lpm_look(map, m, last_of(p));
	prop_lpm_look(map, m, prop_lpm_neighbour(p->addr, -1, fam));
	prop_lpm_look(map, m, prop_lpm_neighbour(last_of(p), 1, fam));
}

static void
prop_lpm_toggle(struct lpm *map, struct model *m, uint32_t i)
{
	struct lpm_cover c = prop_lpm_longest(m, m->p[i].addr, m->p[i].len);
	struct lpm_old *o;

	(m->there[i] ? lpm_drop : lpm_put)(map, &m->p[i], i + 1, c);
	m->cnt += m->there[i] ? UINT32_MAX : 1;
	m->there[i] = !m->there[i];
	o = lpm_old_take(map);
	if (o)
		lpm_old_free(map, o); /* nobody reads meanwhile */
}

static bool
prop_lpm_is_there(const struct model *m, const struct prefix *p)
{
	for (uint32_t i = 0; i < MODEL_MAX; i++)
		if (m->there[i] && prefix_equal(&m->p[i], p))
			return true;
	return false;
}

static void
one_map(struct seed *s, enum family fam, uint32_t steps)
{
	struct model *m = calloc(1, sizeof(*m));
	struct lpm *map = lpm_new(fam);

	for (uint32_t k = 0; k < steps; k++) {
		uint32_t i = seed_below(s, MODEL_MAX);
		struct prefix p = prop_lpm_draw(s, fam);

		if (!m->there[i]) {
			if (prop_lpm_is_there(m, &p))
				continue;
			m->p[i] = p;
		}
		prop_lpm_toggle(map, m, i);
		look_around(map, m, &m->p[i]);
		look_around(map, m, &p);
	}
	for (uint32_t i = 0; i < MODEL_MAX; i++)
		if (m->there[i]) {
			prop_lpm_toggle(map, m, i);
			look_around(map, m, &m->p[i]);
		}
	assert_int_equal(m->cnt, 0);
	assert_int_equal(load_relaxed64(&map->octets), 0);
	for (uint32_t i = 0; i < ROOT_CNT; i++)
		assert_int_equal(
		    load_relaxed64(lpm_root_at(map, i)) << (64 - CHANGE_SHIFT), 0);
	lpm_free(map);
	free(m);
}

static void
test_random(void **state)
{
	struct seed s = seed_start("prop_lpm");

	(void)state;
	for (uint32_t i = 0; i < seed_rounds(6); i++) {
		one_map(&s, FAM_IP4, 4000);
		one_map(&s, FAM_IP6, 4000);
	}
	assert_int_equal(mem_used(MEM_TABLE), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

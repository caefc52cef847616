/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns are sorted by family, address and length, and none gets lost; ranges ascend
 * and differ from their neighbours. What ranges hold: test_pfxset. */
#include "filter/set/pfxset_sweep.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define PATTERNS 1200

/* By all fields, so that equal lists are the same octets. */
static int
cmp_all(const void *va, const void *vb)
{
	const struct pfx_pattern *a = va, *b = vb;
	int c = sweep_cmp_pattern(a, b);

	if (c)
		return c;
	return a->lo != b->lo ? a->lo - b->lo : a->hi - b->hi;
}

/* @kinds: 1 IPv4, 2 IPv6, 4 IPv6 beyond /64. */
static struct pfx_pattern
test_pfxset_sweep_random_pattern(struct seed *s, unsigned kinds)
{
	struct ip_addr ip = { seed_u64(s), seed_u64(s) };
	enum family fam = FAM_IP6;
	unsigned len = seed_below(s, 65);

	if (kinds == 1 || ((kinds & 1) && seed_chance(s, 2))) {
		fam = FAM_IP4;
		ip = ip4((uint32_t)ip.hi);
		len /= 2;
	} else if ((kinds & 4) && seed_chance(s, 2)) {
		len = seed_below(s, 129);
	}
	if (seed_chance(s, 2))
		len = fam == FAM_IP4 ? 24 : 48;
	return (struct pfx_pattern){ prefix_make(ip, len, fam).addr, (uint8_t)len,
		(uint8_t)seed_below(s, len + 1), (uint8_t)len, (uint8_t)fam };
}

static void
test_sort(void **state)
{
	struct pfx_pattern *pat = calloc(PATTERNS, sizeof(*pat));
	struct pfx_pattern *want = calloc(PATTERNS, sizeof(*pat));
	struct seed s = seed_start("pfxset_sweep sort");
	uint32_t round, i, cnt;

	(void)state;
	for (round = 0; round < seed_rounds(60); round++) {
		cnt = 1 + seed_below(&s, PATTERNS - 1);
		for (i = 0; i < cnt; i++) {
			pat[i] = test_pfxset_sweep_random_pattern(&s, 1 + round % 7);
			if (i && seed_chance(&s, 4))
				pat[i] = pat[seed_below(&s, i)];
		}
		memcpy(want, pat, cnt * sizeof(*pat));
		qsort(want, cnt, sizeof(*want), cmp_all);
		patterns_sort(pat, cnt);
		for (i = 1; i < cnt; i++)
			assert_true(sweep_cmp_pattern(&pat[i - 1], &pat[i]) <= 0);
		qsort(pat, cnt, sizeof(*pat), cmp_all); /* equal ones had any order */
		for (i = 0; i < cnt; i++)
			assert_int_equal(cmp_all(&pat[i], &want[i]), 0);
	}
	free(pat);
	free(want);
}

static void
test_ranges(void **state)
{
	struct pfx_pattern *pat = calloc(PATTERNS, sizeof(*pat));
	struct seed s = seed_start("pfxset_sweep ranges");
	uint32_t round, i, cnt;
	struct sweep w;

	(void)state;
	for (round = 0; round < seed_rounds(60); round++) {
		cnt = 1 + seed_below(&s, PATTERNS - 1);
		for (i = 0; i < cnt; i++)
			pat[i] = test_pfxset_sweep_random_pattern(&s, 1u << round % 3);
		patterns_sort(pat, cnt);
		sweep_run(&w, pat, cnt);
		assert_true(w.cnt <= 2 * cnt + 1);
		for (i = 0; i < w.cnt; i++) {
			uint32_t before = i ? w.id[i - 1] : 0;

			assert_false(
			    sweep_lenset_equal(&w.lens[before], &w.lens[w.id[i]]));
			assert_true(!i || ip_cmp(w.start[i - 1], w.start[i]) < 0);
		}
		sweep_fini(&w);
	}
	free(pat);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sort),
	cmocka_unit_test(test_ranges),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of nets: octets, words and prefixes of one net say the same, whatever stands in stray bits; counting and
 * cutting runs of NLRI. */
#include "nest/rib/nlri.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#include <errno.h>

static struct prefix
random_prefix(struct seed *s, enum nlri_kind k)
{
	enum family fam = nlri_family(k);
	struct ip_addr a = { seed_u64(s), seed_u64(s) };

	return prefix_make(fam == FAM_IP4 ? ip4((uint32_t)a.lo) : a,
	    (unsigned)(seed_u64(s) % (family_bits(fam) + 1)), fam);
}

static unsigned
get(enum nlri_kind k, struct nlri *n, const uint8_t *from)
{
	return NLRI_BY_KIND(k, nlri_get, n, from);
}

static unsigned
put(enum nlri_kind k, uint8_t *to, const struct nlri *n)
{
	return NLRI_BY_KIND(k, nlri_put, to, n->word, n->head);
}

static void
check_one(struct seed *s, enum nlri_kind k)
{
	struct prefix p = random_prefix(s, k), q = random_prefix(s, k), back;
	uint8_t octets[NLRI_MAX + NLRI_SLACK] = { 0 },
				  again[NLRI_MAX + NLRI_SLACK] = { 0 };
	struct nlri n = nlri_of_prefix(&p), m = nlri_of_prefix(&q), read;
	unsigned len = put(k, octets, &n), stray = p.len % 8;

	assert_true(len <= NLRI_MAX);
	assert_int_equal(len, prefix_put(again, &p));
	assert_memory_equal(octets, again, len);
	assert_int_equal(nlri_len(k, octets[0]), len);
	assert_int_equal(nlri_len_of(k, n.head), len);
	if (stray)
		octets[len - 1] |= (uint8_t)(0xff >> stray);
	memset(octets + len, 0xff, NLRI_SLACK);
	assert_int_equal(get(k, &read, octets), len);
	assert_true(nlri_same(nlri_words(k), read.word, read.head, &n));
	assert_int_equal(
	    nlri_same(nlri_words(k), m.word, m.head, &n), prefix_equal(&p, &q));
	back = nlri_prefix(k, read.word, read.head);
	assert_true(prefix_equal(&back, &p));
	assert_true(NLRI_BY_KIND(k, nlri_hash, 7, read.word, read.head) ==
		    NLRI_BY_KIND(k, nlri_hash, 7, n.word, n.head));
}

static void
test_forms(void **state)
{
	struct seed s = { 1 };

	(void)state;
	for (enum nlri_kind k = 0; k < NLRI_CNT; k++)
		for (unsigned i = 0; i < 20000; i++)
			check_one(&s, k);
}

static void
test_runs(void **state)
{
	static uint8_t run[100 * NLRI_MAX + NLRI_SLACK];
	struct seed s = { 2 };

	(void)state;
	for (enum nlri_kind k = 0; k < NLRI_CNT; k++) {
		uint32_t at[101] = { 0 }, cnt;

		for (unsigned i = 0; i < 100; i++) {
			struct prefix p = random_prefix(&s, k);
			struct nlri n = nlri_of_prefix(&p);

			at[i + 1] = at[i] + put(k, run + at[i], &n);
		}
		assert_int_equal(nlri_cnt(k, run, at[100]), 100);
		assert_int_equal(nlri_cnt(k, run, 0), 0);
		assert_int_equal(nlri_part(k, run, at[100], at[100], &cnt), at[100]);
		assert_int_equal(cnt, 100);
		for (unsigned i = 0; i < 100; i++) {
			if (at[i + 1] - at[i] > 1)
				assert_int_equal(nlri_cnt(k, run, at[i] + 1), -EINVAL);
			assert_int_equal(
			    nlri_part(k, run, at[100], at[i + 1] - 1, &cnt), at[i]);
			assert_int_equal(cnt, i);
		}
		run[at[99]] = (uint8_t)(family_bits(nlri_family(k)) + 1);
		assert_int_equal(nlri_cnt(k, run, at[100]), -EINVAL);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

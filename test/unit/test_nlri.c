/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of nets: octets, words and prefixes of one net say the same, whatever stands in
 * stray bits; counting and cutting runs of NLRI. */
#include "lib/wire/bgp/bgp_nlri.h"
#include "filter/run/net.h"
#include "nest/rib/nlri.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#include <errno.h>

static struct prefix
test_nlri_random_prefix(struct seed *s, enum nlri_kind k)
{
	enum family fam = nlri_family(k);
	struct ip_addr a = { seed_u64(s), seed_u64(s) };

	return prefix_make(fam == FAM_IP4 ? ip4((uint32_t)a.lo) : a,
	    (unsigned)(seed_u64(s) % (family_bits(fam) + 1)), fam);
}

static struct nlri
test_nlri_random_net(struct seed *s, enum nlri_kind k)
{
	struct prefix p = test_nlri_random_prefix(s, k);
	struct vrp v = { p, p.len, (uint32_t)seed_u64(s) };

	v.max_len += (uint8_t)seed_below(s, family_bits(nlri_family(k)) - p.len + 1);
	return nlri_is_ip(k) ? nlri_of_prefix(&p) : nlri_of_vrp(k, &v);
}

static unsigned
test_nlri_get(enum nlri_kind k, struct nlri *n, const uint8_t *from)
{
	return NLRI_BY_KIND(k, nlri_get, n, from);
}

static unsigned
test_nlri_put(enum nlri_kind k, uint8_t *to, const struct nlri *n)
{
	return NLRI_BY_KIND(k, nlri_put, to, n->word, n->head);
}

static void
test_nlri_check_one(struct seed *s, enum nlri_kind k)
{
	uint8_t octets[NLRI_MAX + NLRI_SLACK] = { 0 };
	struct nlri n = test_nlri_random_net(s, k), m = test_nlri_random_net(s, k), read;
	unsigned len = test_nlri_put(k, octets, &n), words = nlri_words(k);
	unsigned bits = nlri_bits(n.head), last = prefix_wire_len(bits) - 1;
	bool same = n.head == m.head && !memcmp(n.word, m.word, 4 * words);

	assert_true(len <= NLRI_MAX);
	assert_int_equal(nlri_len(k, octets[0]), len);
	assert_int_equal(nlri_len_of(k, n.head), len);
	assert_int_equal(nlri_cnt(k, octets, len), 1);
	if (bits % 8)
		octets[last] |= (uint8_t)(0xff >> bits % 8);
	memset(octets + len, 0xff, NLRI_SLACK);
	assert_int_equal(test_nlri_get(k, &read, octets), len);
	assert_true(nlri_same(words, read.word, read.head, &n));
	assert_int_equal(nlri_same(words, m.word, m.head, &n), same);
	assert_true(NLRI_BY_KIND(k, nlri_hash, 7, read.word, read.head) ==
		    NLRI_BY_KIND(k, nlri_hash, 7, n.word, n.head));
}

/* Prefixes, VRPs and what filters see are the same net. */
static void
check_values(struct seed *s, enum nlri_kind k)
{
	struct nlri n = test_nlri_random_net(s, k), back;
	struct prefix p = nlri_prefix(k, n.word, n.head);
	uint8_t octets[NLRI_MAX + NLRI_SLACK] = { 0 };
	struct route_view a = { 0 }, b = { 0 };
	struct fnet what, again;

	if (nlri_is_ip(k)) {
		back = nlri_of_prefix(&p);
	} else {
		struct vrp v = nlri_vrp(k, n.word, n.head);

		back = nlri_of_vrp(k, &v);
	}
	assert_true(nlri_same(nlri_words(k), back.word, back.head, &n));
	nlri_view(k, n.word, n.head, &a, &what);
	assert_true(prefix_equal(&a.net, &p));
	assert_int_equal(a.what == NULL, nlri_is_ip(k));
	assert_int_equal(nlri_view_get(k, octets, &b, &again), nlri_len(k, 0));
	assert_int_equal(
	    nlri_view_get(k, (test_nlri_put(k, octets, &n), octets), &b, &again),
	    nlri_len_of(k, n.head));
	assert_true(prefix_equal(&b.net, &p));
	if (a.what)
		assert_int_equal(fnet_cmp(a.what, b.what), 0);
}

static void
test_forms(void **state)
{
	struct seed s = { 1 };

	(void)state;
	for (enum nlri_kind k = 0; k < NLRI_CNT; k++)
		for (unsigned i = 0; i < 20000; i++) {
			test_nlri_check_one(&s, k);
			check_values(&s, k);
		}
}

static void
test_text(void **state)
{
	static const struct vrp v = { { { 0 }, 0, 0 }, 0, 65001 };
	struct vrp roa4 = v, roa6 = v;
	char text[NLRI_STR_MAX];
	struct nlri n;

	(void)state;
	assert_int_equal(prefix_parse(&roa4.net, "192.0.2.0/24"), 0);
	roa4.max_len = 25;
	n = nlri_of_vrp(NLRI_ROA4, &roa4);
	assert_string_equal(
	    nlri_str(text, NLRI_ROA4, n.word, n.head), "192.0.2.0/24-25 AS65001");
	assert_int_equal(prefix_parse(&roa6.net, "2001:db8::/32"), 0);
	roa6.max_len = 48;
	n = nlri_of_vrp(NLRI_ROA6, &roa6);
	assert_string_equal(
	    nlri_str(text, NLRI_ROA6, n.word, n.head), "2001:db8::/32-48 AS65001");
	n = nlri_of_vrp(NLRI_ASPA, &v);
	assert_string_equal(nlri_str(text, NLRI_ASPA, n.word, n.head), "AS65001");
	n = nlri_of_prefix(&roa6.net);
	assert_string_equal(nlri_str(text, NLRI_IP6, n.word, n.head), "2001:db8::/32");
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
			struct nlri n = test_nlri_random_net(&s, k);

			at[i + 1] = at[i] + test_nlri_put(k, run + at[i], &n);
		}
		assert_int_equal(nlri_cnt(k, run, at[100]), 100);
		assert_int_equal(nlri_cnt(k, run, 0), 0);
		assert_int_equal(nlri_part(k, run, at[100], at[100], &cnt), at[100]);
		assert_int_equal(cnt, 100);
		for (unsigned i = 0; i < 100; i++) {
			if (at[i + 1] - at[i] > 1)
				assert_int_equal(
				    nlri_cnt(k, run, at[i + 1] - 1), -EINVAL);
			assert_int_equal(
			    nlri_part(k, run, at[100], at[i + 1] - 1, &cnt), at[i]);
			assert_int_equal(cnt, i);
		}
		run[at[99]] = (uint8_t)(family_bits(nlri_family(k)) + 1);
		assert_int_equal(nlri_cnt(k, run, at[100]), -EINVAL);
	}
}

static void
test_runs_with_ids(void **state)
{
	static uint8_t run[100 * (NLRI_ID_LEN + NLRI_MAX) + NLRI_SLACK];
	struct seed s = { 3 };

	(void)state;
	for (enum nlri_kind k = 0; k < NLRI_CNT; k++) {
		uint32_t at[101] = { 0 }, cnt;

		for (unsigned i = 0; i < 100; i++) {
			struct nlri n = test_nlri_random_net(&s, k);

			put_be32(run + at[i], (uint32_t)seed_u64(&s));
			at[i + 1] = at[i] + NLRI_ID_LEN;
			at[i + 1] += test_nlri_put(k, run + at[i + 1], &n);
		}
		assert_int_equal(nlri_cnt_ids(k, run, at[100]), 100);
		assert_int_equal(nlri_cnt_ids(k, run, 0), 0);
		assert_int_equal(nlri_part_ids(k, run, at[100], at[100], &cnt), at[100]);
		assert_int_equal(cnt, 100);
		for (unsigned i = 0; i < 100; i++) {
			assert_int_equal(nlri_cnt_ids(k, run, at[i + 1] - 1), -EINVAL);
			assert_int_equal(
			    nlri_part_ids(k, run, at[100], at[i + 1] - 1, &cnt), at[i]);
			assert_int_equal(cnt, i);
		}
		run[at[99] + NLRI_ID_LEN] = (uint8_t)(family_bits(nlri_family(k)) + 1);
		assert_int_equal(nlri_cnt_ids(k, run, at[100]), -EINVAL);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_runs_with_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

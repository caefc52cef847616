/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting nets in steps, against qsort. */
#include "nest/cli/show/route/cmd_netsort.c"
#include "test/lib/unit.h"

#include <stdlib.h>

static uint64_t seed = 88172645463325252u;

static uint64_t
next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static struct vrp
test_cmd_netsort_random_net(enum nlri_kind kind, bool narrow)
{
	enum family fam = nlri_family(kind);
	struct ip_addr a = { next_random(), next_random() };
	struct vrp v = { .asn = 0 };

	if (fam == FAM_IP4)
		a = ip4((uint32_t)a.lo & (narrow ? 0xc0ff0000u : ~0u));
	else if (narrow)
		a.hi &= 0xff000000ffull, a.lo = 0;
	if (kind == NLRI_ASPA)
		v.net = prefix_make(ip4(0), 0, FAM_IP4);
	else
		v.net = prefix_make(
		    a, (unsigned)(next_random() % (family_bits(fam) + 1)), fam);
	if (!nlri_is_ip(kind))
		v.asn = (uint32_t)next_random() & (narrow ? 0xf00ff : ~0u);
	if (!nlri_is_ip(kind) && kind != NLRI_ASPA)
		v.max_len = v.net.len +
			    next_random() % (family_bits(fam) - v.net.len + 1);
	return v;
}

static int
test_cmd_netsort_cmp(const void *a, const void *b)
{
	return vrp_cmp(a, b);
}

static void
check_order(enum nlri_kind kind, uint32_t cnt, bool narrow, uint32_t work)
{
	struct vrp *p = calloc(cnt + 1, sizeof(*p));
	struct net_sort s;

	net_sort_init(&s, kind);
	for (uint32_t i = 0; i < cnt; i++) {
		struct nlri n;

		p[i] = test_cmd_netsort_random_net(kind, narrow);
		n = nlri_is_ip(kind) ? nlri_of_prefix(&p[i].net)
				     : nlri_of_vrp(kind, &p[i]);
		net_sort_add(&s, &n);
	}
	while (!net_sort_step(&s, work))
		;
	assert_true(net_sort_step(&s, work));
	qsort(p, cnt, sizeof(*p), test_cmd_netsort_cmp);
	assert_int_equal(net_sort_cnt(&s), cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		struct nlri got = net_sort_get(&s, i);
		struct vrp v = { .net = nlri_prefix(kind, got.word, got.head) };

		if (!nlri_is_ip(kind))
			v = nlri_vrp(kind, got.word, got.head);
		assert_int_equal(vrp_cmp(&v, &p[i]), 0);
	}
	net_sort_fini(&s);
	free(p);
}

static void
test_order(void **state)
{
	static const uint32_t cnt[] = { 0, 1, 2, 3, 100, 1024, 1025, 5000 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cnt); i++)
		for (enum nlri_kind k = 0; k < NLRI_CNT; k++)
			for (int narrow = 0; narrow < 2; narrow++) {
				check_order(k, cnt[i], narrow, 7);
				check_order(k, cnt[i], narrow, 100000);
			}
}

static void
test_abandoned(void **state)
{
	struct net_sort s;

	(void)state;
	net_sort_init(&s, NLRI_IP6);
	for (unsigned i = 0; i < 500; i++) {
		struct vrp v = test_cmd_netsort_random_net(NLRI_IP6, false);
		struct nlri n = nlri_of_prefix(&v.net);

		net_sort_add(&s, &n);
	}
	assert_false(net_sort_step(&s, 700));
	net_sort_fini(&s);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_abandoned),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_rpki_data checks the data of a cache: single answers, and random answers against a
 * naive model of the table. */
#include "proto/rpki/rpki_data.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define VRPS 300 /* of the model: all prefixes 10.0.x.0/24, two lengths */

static struct vrp
test_rpki_data_vrp_at(enum nlri_kind kind, unsigned i)
{
	struct ip_addr a = kind == NLRI_ROA6
			       ? (struct ip_addr){ .hi = 0x20010db800000000ull + i / 2 }
			       : ip4(10u << 24 | i / 2 << 8);
	enum family fam = nlri_family(kind);

	if (kind == NLRI_ASPA)
		return (struct vrp){ .asn = i };
	return (struct vrp){ prefix_make(a, fam == FAM_IP4 ? 24 : 64, fam),
		(uint8_t)((fam == FAM_IP4 ? 24 : 64) + i % 2), 65000 };
}

/* model_of - which number has the record that the table is told of? */
static unsigned
model_of(enum nlri_kind kind, const struct nlri *n)
{
	struct vrp v = nlri_vrp(kind, n->word, n->head);

	for (unsigned i = 0; i < VRPS; i++) {
		struct vrp w = test_rpki_data_vrp_at(kind, i);

		if (kind == NLRI_ASPA ? v.asn == w.asn : !vrp_cmp(&v, &w))
			return i;
	}
	fail();
	return 0;
}

static void
test_rpki_data_put_list(uint8_t to[8], unsigned version)
{
	put_be32(to, 1 + version);
	put_be32(to + 4, 100 + version);
}

/* The naive side: 0: not there, else which list of providers. */
struct model {
	enum nlri_kind kind;
	unsigned table[VRPS], cache[VRPS], next[VRPS];
};

static void
test_rpki_data_tell_all(struct rpki_data *d, struct model *m)
{
	struct rpki_change c;
	bool removing = false;
	unsigned told = 0;

	while (rpki_data_busy(d)) {
		uint32_t left = 7;
		unsigned i;

		if (!rpki_data_next(d, &c, &left))
			continue;
		i = model_of(m->kind, &c.nlri);
		told++;
		if (c.there) {
			assert_false(removing); /* additions first */
			m->table[i] = c.list ? c.list->as[0] : 1;
		} else {
			assert_true(m->table[i]);
			removing = true;
			m->table[i] = 0;
		}
	}
	assert_memory_equal(m->table, m->cache, sizeof(m->table));
	assert_true(told <= VRPS);
}

/* finish - what there is to do, of which nothing is told, @max records at a time.
 * Returns: in how many calls. */
static unsigned
test_rpki_data_finish(struct rpki_data *d, uint32_t max)
{
	struct rpki_change c;
	unsigned calls = 0;

	for (; rpki_data_busy(d); calls++) {
		uint32_t left = max;

		assert_false(rpki_data_next(d, &c, &left));
	}
	return calls;
}

static void
test_rpki_data_change(struct rpki_data *d, struct model *m, struct seed *seed)
{
	unsigned i = seed_below(seed, VRPS),
		 ver = m->kind == NLRI_ASPA ? seed_below(seed, 3) : 0;
	struct vrp v = test_rpki_data_vrp_at(m->kind, i);
	bool was = m->next[i];
	uint8_t list[8];

	test_rpki_data_put_list(list, ver);
	if (seed_chance(seed, 2)) {
		int rc = rpki_data_add(d, &v, list, m->kind == NLRI_ASPA ? 2 : 0);

		assert_int_equal(rc, was && m->kind != NLRI_ASPA ? -EEXIST : 0);
		if (!rc)
			m->next[i] = 1 + ver;
	} else {
		assert_int_equal(rpki_data_del(d, &v), was ? 0 : -ENOENT);
		m->next[i] = 0;
	}
}

static void
random_answers(enum nlri_kind kind, struct seed *seed)
{
	static struct model m;
	size_t used = mem_used(MEM_PROTO);
	struct rpki_data d;

	memset(&m, 0, sizeof(m));
	m.kind = kind;
	rpki_data_init(&d, kind, RPKI_AS_SENT);
	for (unsigned round = 0; round < 300; round++) {
		bool all = seed_chance(seed, 4);
		unsigned cnt = seed_below(seed, 200), there = 0, wanted = 0;

		rpki_data_begin(&d, all);
		memcpy(m.next, m.cache, sizeof(m.next));
		if (all)
			memset(m.next, 0, sizeof(m.next));
		while (cnt--)
			test_rpki_data_change(&d, &m, seed);
		for (unsigned i = 0; i < VRPS; i++)
			wanted += m.next[i] != 0;
		assert_int_equal(rpki_data_wants(&d), wanted);
		if (seed_chance(seed, 4)) {
			rpki_data_drop(&d);
			test_rpki_data_finish(&d, 7);
		} else {
			memcpy(m.cache, m.next, sizeof(m.cache));
			rpki_data_apply(&d);
			test_rpki_data_tell_all(&d, &m);
		}
		for (unsigned i = 0; i < VRPS; i++)
			there += m.cache[i] != 0;
		assert_int_equal(rpki_data_cnt(&d), there);
	}
	/* all that is there is said again */
	memset(m.table, 0, sizeof(m.table));
	rpki_data_again(&d);
	test_rpki_data_tell_all(&d, &m);
	rpki_data_clear(&d);
	assert_int_equal(rpki_data_cnt(&d), 0);
	assert_true(test_rpki_data_finish(&d, 7) >= (kind == NLRI_ASPA ? 10 : 1));
	assert_int_equal(mem_used(MEM_PROTO), used);
}

static void
test_random(void **state)
{
	struct seed seed = seed_start("test_rpki_data");

	(void)state;
	random_answers(NLRI_ROA4, &seed);
	random_answers(NLRI_ROA6, &seed);
	random_answers(NLRI_ASPA, &seed);
}

static unsigned
test_rpki_data_told(struct rpki_data *d, unsigned *added, unsigned *removed)
{
	uint32_t left = UINT32_MAX;
	struct rpki_change c;

	*added = *removed = 0;
	while (rpki_data_next(d, &c, &left))
		c.there ? ++*added : ++*removed;
	return *added + *removed;
}

/* A cache that restarts with the same data changes nothing, of 50,000 records. */
static void
test_same_again(void **state)
{
	unsigned added, removed;
	struct rpki_data d;

	(void)state;
	rpki_data_init(&d, NLRI_ROA4, RPKI_AS_SENT);
	for (int round = 0; round < 2; round++) {
		rpki_data_begin(&d, true);
		for (uint32_t i = 0; i < 50000; i++) {
			struct vrp v = { prefix_make(ip4(i << 12), 20, FAM_IP4), 24, i };

			assert_int_equal(rpki_data_add(&d, &v, NULL, 0), 0);
		}
		rpki_data_apply(&d);
		while (rpki_data_busy(&d)) {
			test_rpki_data_told(&d, &added, &removed);
			assert_int_equal(removed, 0);
			if (round)
				assert_int_equal(added, 0);
		}
		assert_int_equal(rpki_data_cnt(&d), 50000);
	}
	rpki_data_fini(&d);
}

/* `ignore max length`: one of the table stands for several of the cache. */
static void
test_any_length(void **state)
{
	struct vrp a = test_rpki_data_vrp_at(NLRI_ROA4, 0),
		   b = test_rpki_data_vrp_at(NLRI_ROA4, 1);
	uint32_t left = 10;
	unsigned added, removed;
	struct rpki_change c;
	struct rpki_data d;

	(void)state;
	rpki_data_init(&d, NLRI_ROA4, RPKI_ANY_LENGTH);
	rpki_data_begin(&d, true);
	assert_int_equal(rpki_data_add(&d, &a, NULL, 0), 0);
	assert_int_equal(rpki_data_add(&d, &b, NULL, 0), 0);
	rpki_data_apply(&d);
	assert_true(rpki_data_next(&d, &c, &left));
	assert_int_equal(c.nlri.head, 24 | 32 << 8);
	test_rpki_data_told(&d, &added, &removed);
	rpki_data_begin(&d, false);
	assert_int_equal(rpki_data_del(&d, &a), 0);
	rpki_data_apply(&d);
	assert_int_equal(test_rpki_data_told(&d, &added, &removed), 0); /* for b's sake */
	rpki_data_begin(&d, false);
	assert_int_equal(rpki_data_del(&d, &b), 0);
	rpki_data_apply(&d);
	test_rpki_data_told(&d, &added, &removed);
	assert_int_equal(removed, 1);
	rpki_data_fini(&d);
}

/* crowd - an answer about all of @cnt records. */
static void
test_rpki_data_crowd(struct rpki_data *d, uint32_t cnt)
{
	uint8_t list[8];

	test_rpki_data_put_list(list, 0);
	rpki_data_begin(d, true);
	for (uint32_t i = 0; i < cnt; i++) {
		struct vrp v = { prefix_make(ip4(i << 12), 20, FAM_IP4), 24, i };

		assert_int_equal(
		    rpki_data_add(d, &v, list, d->recs.kind == NLRI_ASPA ? 2 : 0), 0);
	}
}

/* What goes through all records does so step by step, and they can come again. */
static void
test_rpki_data_steps(enum nlri_kind kind)
{
	enum { CNT = 50000, TURN = 1000 };
	struct rpki_change c;
	unsigned added, removed;
	struct rpki_data d;

	rpki_data_init(&d, kind, RPKI_AS_SENT);
	test_rpki_data_crowd(&d, CNT);
	rpki_data_drop(&d);
	assert_int_equal(test_rpki_data_finish(&d, TURN), CNT / TURN);
	for (int round = 0; round < 2; round++) {
		test_rpki_data_crowd(&d, CNT);
		rpki_data_apply(&d);
		assert_int_equal(test_rpki_data_told(&d, &added, &removed), CNT);
		assert_int_equal(rpki_data_cnt(&d), CNT);
		rpki_data_clear(&d);
		assert_int_equal(rpki_data_cnt(&d), 0);
		assert_true(test_rpki_data_finish(&d, TURN) >= CNT / TURN / CLEAR_VRPS);
	}
	/* while it is told */
	test_rpki_data_crowd(&d, CNT);
	rpki_data_apply(&d);
	assert_true(rpki_data_next(&d, &c, &(uint32_t){ 10 }));
	rpki_data_clear(&d);
	test_rpki_data_finish(&d, TURN);
	assert_int_equal(rpki_data_cnt(&d), 0);
	rpki_data_fini(&d);
}

static void
test_steps(void **state)
{
	(void)state;
	test_rpki_data_steps(NLRI_ROA4);
	test_rpki_data_steps(NLRI_ASPA);
}

/* A cache may not fill memory with customers of ten thousand providers. */
static void
test_many_providers(void **state)
{
	enum { CNT = 10000 };
	static uint8_t provider[4 * CNT];
	struct rpki_data d;
	uint32_t as = 0;

	(void)state;
	for (uint32_t i = 0; i < CNT; i++)
		put_be32(provider + 4 * i, i + 1);
	rpki_data_init(&d, NLRI_ASPA, RPKI_AS_SENT);
	for (unsigned round = 0; round < 2; round++) {
		rpki_data_begin(&d, false);
		for (as = 0; as < 2 * RPKI_PROVIDERS_MAX / CNT; as++)
			if (rpki_data_add(&d, &(struct vrp){ .asn = as }, provider, CNT))
				break;
		assert_int_equal(as, RPKI_PROVIDERS_MAX / CNT);
		rpki_data_drop(&d);
		test_rpki_data_finish(&d, UINT32_MAX);
		assert_int_equal(d.providers, 0);
	}
	rpki_data_fini(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_same_again),
		cmocka_unit_test(test_any_length),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_many_providers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

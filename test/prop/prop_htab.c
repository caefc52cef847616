/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/base/htab.h against a list of what is in it: random adding and deleting, with
 * hashes of few values (long chains of one hash), of few buckets, and of all. */
#include "lib/base/htab.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define THINGS 600

struct thing {
	struct htab_node node;
	uint64_t hash;
	uint32_t born; /* 0: it isn't in the table */
	bool seen;
};

static struct thing thing[THINGS];

static struct thing *
prop_htab_thing_of(struct htab_node *n)
{
	return container_of(n, struct thing, node);
}

static uint64_t
random_hash(struct seed *s, unsigned kind)
{
	switch (kind) {
	case 0:
		return seed_below(s, 5);
	case 1:
		return seed_u64(s) << 6;
	default:
		return seed_u64(s);
	}
}

/* Of one hash: those of the model, from the newest to the oldest. */
static void
check_hash(const struct htab *t, uint64_t hash)
{
	uint32_t last = UINT32_MAX, cnt = 0;
	struct htab_node *n;

	htab_each_same (n, t, hash) {
		assert_int_equal(prop_htab_thing_of(n)->hash, hash);
		assert_in_range(prop_htab_thing_of(n)->born, 1, last - 1);
		last = prop_htab_thing_of(n)->born;
		cnt++;
	}
	for (unsigned i = 0; i < THINGS; i++)
		cnt -= thing[i].born && thing[i].hash == hash;
	assert_int_equal(cnt, 0);
}

/* A walk meets each that is there, once. */
static void
prop_htab_check_walk(const struct htab *t)
{
	struct htab_node *n = NULL;
	uint32_t cnt = 0;

	for (unsigned i = 0; i < THINGS; i++)
		thing[i].seen = false;
	while ((n = htab_walk(t, n))) {
		assert_true(prop_htab_thing_of(n)->born && !prop_htab_thing_of(n)->seen);
		prop_htab_thing_of(n)->seen = true;
		cnt++;
	}
	assert_int_equal(cnt, htab_cnt(t));
	for (unsigned i = 0; i < THINGS; i++)
		assert_int_equal(thing[i].seen, thing[i].born != 0);
}

static void
test_random(void **state)
{
	struct seed s = seed_start("htab");

	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		size_t before = mem_used(MEM_OTHER);
		uint32_t more =
		    2; /* how much likelier adding is: the table grows and shrinks */
		struct htab t;

		memset(thing, 0, sizeof(thing));
		htab_init(&t, MEM_OTHER);
		for (uint32_t step = 1; step <= seed_rounds(20000); step++) {
			struct thing *x = &thing[seed_below(&s, THINGS)];

			if (step % 1000 == 0)
				more = seed_below(&s, 4);
			if (!x->born && seed_below(&s, 4) <= more) {
				x->hash = random_hash(&s, kind);
				x->born = step;
				htab_add(&t, &x->node, x->hash);
			} else if (x->born && seed_below(&s, 4) > more) {
				htab_del(&t, &x->node);
				x->born = 0;
			}
			if (step % 16 == 0)
				check_hash(&t, x->hash);
			if (step % 256 == 0)
				prop_htab_check_walk(&t);
		}
		htab_fini(&t);
		assert_int_equal(mem_used(MEM_OTHER), before);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),
};

UNIT_MAIN(tests)

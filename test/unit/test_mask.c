/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path masks against a matcher that tries everything. */
#include "filter/set/mask.h"
#include "lib/attr/attr_def.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define POS_MAX 6

/* A path as positions: each some AS numbers. */
struct path {
	unsigned cnt;
	struct {
		unsigned cnt;
		uint32_t as[3];
	} pos[POS_MAX];
};

static bool
test_mask_one(const struct mask_item *it, const struct path *p, unsigned at)
{
	unsigned i;

	for (i = 0; i < p->pos[at].cnt; i++) {
		uint32_t as = p->pos[at].as[i];

		if (it->kind == MASK_ONE ||
		    (it->kind == MASK_RANGE && as >= it->lo && as <= it->hi) ||
		    (it->kind == MASK_SET && fset_has_u32(it->set, as)))
			return true;
	}
	return false;
}

static bool
test_mask_naive(const struct fpath_mask *m, uint32_t i, const struct path *p, unsigned at)
{
	if (i == m->cnt)
		return at == p->cnt;
	if (m->item[i].kind == MASK_ANY)
		return test_mask_naive(m, i + 1, p, at) ||
		       (at < p->cnt && test_mask_naive(m, i, p, at + 1));
	if (at == p->cnt || !test_mask_one(&m->item[i], p, at))
		return false;
	/* of a set, the next item may take another member */
	return test_mask_naive(m, i + 1, p, at + 1) ||
	       (p->pos[at].cnt > 1 && test_mask_naive(m, i + 1, p, at)) ||
	       (m->item[i].repeat && test_mask_naive(m, i, p, at + 1));
}

static uint32_t
test_mask_encode(const struct path *p, uint8_t *out)
{
	uint8_t *to = out, *seq = NULL;
	unsigned i, k;

	for (i = 0; i < p->cnt; i++) {
		if (p->pos[i].cnt > 1) {
			seq = NULL;
			*to++ = AS_SET;
			*to++ = (uint8_t)p->pos[i].cnt;
		} else if (!seq) {
			seq = to;
			*to++ = AS_SEQUENCE;
			*to++ = 1;
		} else {
			seq[1]++;
		}
		for (k = 0; k < p->pos[i].cnt; k++, to += 4)
			put_be32(to, p->pos[i].as[k]);
	}
	return (uint32_t)(to - out);
}

static void
test_against_naive(void **state)
{
	struct seed s = seed_start("mask");
	struct frange32 nums[] = { { 1, 1 }, { 3, 3 } };
	struct fpath_mask *m = calloc(1, sizeof(*m) + 8 * sizeof(m->item[0]));
	const struct fset *set;
	uint32_t round, i, k;
	uint8_t buf[200];
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	set = fset_build(&a, T_INT, NULL, nums, 2);
	for (round = 0; round < seed_rounds(30000); round++) {
		struct path p = { .cnt = seed_below(&s, POS_MAX + 1) };

		m->cnt = seed_below(&s, 6);
		m->any = 0;
		for (i = 0; i < m->cnt; i++) {
			m->item[i] = (struct mask_item){ .kind = (uint8_t)seed_below(
							     &s, 4),
				.lo = 1 + seed_below(&s, 3),
				.set = set };
			m->item[i].hi = m->item[i].lo + seed_below(&s, 2);
			m->any |= (uint64_t)(m->item[i].kind == MASK_ANY) << i;
			m->item[i].repeat = m->item[i].kind != MASK_ANY &&
					    seed_chance(&s, 3);
		}
		for (i = 0; i < p.cnt; i++) {
			p.pos[i].cnt = seed_chance(&s, 6) ? 2 + seed_below(&s, 2) : 1;
			for (k = 0; k < p.pos[i].cnt; k++)
				p.pos[i].as[k] = 1 + seed_below(&s, 4);
		}
		k = test_mask_encode(&p, buf);
		assert_int_equal(mask_match(m, buf, k), test_mask_naive(m, 0, &p, 0));
	}
	free(m);
	arena_fini(&a);
}

/* A mask that makes backtracking matchers take for ever. */
static void
test_bounded(void **state)
{
	struct fpath_mask *m = calloc(1, sizeof(*m) + MASK_ITEM_MAX * sizeof(m->item[0]));
	uint8_t path[2 + 4 * 255];
	uint32_t i;

	(void)state;
	m->cnt = MASK_ITEM_MAX;
	for (i = 0; i < MASK_ITEM_MAX; i++) {
		m->item[i].kind = i % 2 ? MASK_ONE : MASK_ANY;
		m->any |= (uint64_t)(i % 2 == 0) << i;
	}
	m->item[MASK_ITEM_MAX - 2] = (struct mask_item){
		.kind = MASK_RANGE, .lo = 9, .hi = 9
	};
	path[0] = AS_SEQUENCE;
	path[1] = 255;
	for (i = 0; i < 255; i++)
		put_be32(path + 2 + 4 * i, 1);
	assert_false(mask_match(m, path, sizeof(path)));
	free(m);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_against_naive),
	cmocka_unit_test(test_bounded),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slab: objects are distinct and intact, and empty blocks but for one go back. */
#include "lib/mt/slab.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

static struct slab_region
test_slab_region(uint32_t steps)
{
	return (struct slab_region){ .base = vmem_reserve(steps * (size_t)VMEM_STEP),
		.steps = steps };
}

static void
test_slab_region_free(struct slab_region *r)
{
	vmem_fini(MEM_TABLE, r->base, r->steps * (size_t)VMEM_STEP, 0);
}

static uint32_t
test_slab_used(const struct slab *s)
{
	uint32_t used = 0;

	for (struct slab_block *b = s->partial; b; b = b->next)
		used += b->used;
	for (struct slab_block *b = s->full; b; b = b->next)
		used += b->used;
	return used;
}

/* slab_ok - the invariants I1 to I4 of the slab. */
static void
slab_ok(const struct slab *s)
{
	uint32_t blocks = 0, empty = 0;

	for (struct slab_block *b = s->partial; b; b = b->next) {
		assert_int_equal((uintptr_t)b % BLOCK_ALIGN, 0);
		assert_true(b->used < s->per_block && b->fresh <= s->per_block);
		assert_true(!b->next || b->next->prev == b);
		blocks++;
		empty += b->used == 0;
	}
	for (struct slab_block *b = s->full; b; b = b->next) {
		assert_int_equal(b->used, s->per_block);
		blocks++;
	}
	assert_int_equal(blocks, s->block_cnt);
	assert_int_equal(empty, s->empty_cnt);
	assert_true(empty <= 1);
}

static void
test_sizes(void **state)
{
	(void)state;
	for (size_t size = 8; size <= 4096; size += 61) {
		struct slab_region r = test_slab_region(1);
		size_t used = mem_used(MEM_TABLE);
		struct slab s;
		unsigned align;
		uint8_t *a, *b;

		slab_init(&s, MEM_TABLE, size, &r);
		align = s.obj_size % 16 ? s.obj_size % 8 ? 4 : 8 : 16;
		assert_int_equal(mem_used(MEM_TABLE), used);
		a = slab_get(&s);
		b = slab_get(&s);
		memset(a, 1, size);
		memset(b, 2, size);
		assert_int_equal(a[size - 1], 1);
		assert_int_equal((uintptr_t)a % align, 0);
		assert_int_equal((uintptr_t)b % align, 0);
		assert_int_equal(test_slab_used(&s), 2);
		slab_put(&s, a);
		slab_ok(&s);
		assert_ptr_equal(slab_get(&s), a);
		slab_fini(&s);
		assert_int_equal(mem_used(MEM_TABLE), used);
		test_slab_region_free(&r);
	}
}

#define OBJS 3000

static void
test_random(void **state)
{
	struct seed seed = seed_start("slab");
	static uint32_t *obj[OBJS];
	struct slab_region r = test_slab_region(4);
	struct slab s;

	(void)state;
	slab_init(&s, MEM_TABLE, 200, &r);
	for (uint32_t step = 0; step < 60000; step++) {
		uint32_t i = seed_below(&seed, OBJS);

		/* Now mostly growing, now mostly shrinking. */
		if (!obj[i] && (step / 6000 % 2 == 0 || seed_chance(&seed, 4))) {
			obj[i] = slab_get(&s);
			for (int k = 0; k < 50; k++)
				obj[i][k] = i;
		} else if (obj[i] && (step / 6000 % 2 || seed_chance(&seed, 4))) {
			for (int k = 0; k < 50; k++)
				assert_int_equal(obj[i][k], i);
			slab_put(&s, obj[i]);
			obj[i] = NULL;
		}
		if (step % 1000 == 0)
			slab_ok(&s);
	}
	for (uint32_t i = 0; i < OBJS; i++)
		if (obj[i])
			slab_put(&s, obj[i]);
	slab_ok(&s);
	assert_int_equal(test_slab_used(&s), 0);
	assert_int_equal(s.block_cnt, 1);
	slab_fini(&s);
	test_slab_region_free(&r);
}

/* A load that swings around the edge of a block doesn't go to the heap. */
static void
test_edge(void **state)
{
	struct slab_region r = test_slab_region(1);
	struct slab s;
	void *last;
	size_t used;

	(void)state;
	slab_init(&s, MEM_TABLE, 4096, &r);
	for (uint32_t i = 0; i < s.per_block; i++)
		slab_get(&s);
	assert_null(s.partial);
	last = slab_get(&s);
	used = mem_used(MEM_TABLE);
	for (int i = 0; i < 100; i++) {
		slab_put(&s, last);
		assert_int_equal(mem_used(MEM_TABLE), used);
		last = slab_get(&s);
	}
	assert_int_equal(s.block_cnt, 2);
	slab_put(&s, last);
	slab_trim(&s);
	slab_ok(&s);
	assert_int_equal(s.block_cnt, 1);
	slab_trim(&s);
	slab_get(&s);
	slab_ok(&s);
	assert_int_equal(s.block_cnt, 2);
	slab_fini(&s);
	test_slab_region_free(&r);
}

/* Of two blocks with room the one in use is filled first, so that the other can go. */
static void
test_prefers_used(void **state)
{
	struct slab_region r = test_slab_region(1);
	struct slab s;
	uint8_t *obj[64];
	uint32_t n;

	(void)state;
	slab_init(&s, MEM_TABLE, 4096, &r);
	n = s.per_block;
	for (uint32_t i = 0; i < 3 * n; i++)
		obj[i] = slab_get(&s);
	assert_int_equal(s.block_cnt, 3);
	slab_put(&s, obj[0]); /* room in the first block */
	for (uint32_t i = n; i < 2 * n; i++)
		slab_put(&s, obj[i]); /* the second is empty, and kept */
	slab_ok(&s);
	assert_int_equal(s.block_cnt, 3);
	assert_ptr_equal(slab_get(&s), obj[0]);
	slab_put(&s, obj[0]);
	for (uint32_t i = 2 * n; i < 3 * n; i++)
		slab_put(&s, obj[i]); /* the third is empty too, and goes */
	slab_ok(&s);
	assert_int_equal(s.block_cnt, 2);
	slab_fini(&s);
	test_slab_region_free(&r);
}

/* Two slabs out of one region: objects are in it, what is counted is what blocks in use
 * take, and what was given back serves again. */
static void
test_region(void **state)
{
	enum { CNT = 200000, STEPS = 16 };
	struct slab_region r = test_slab_region(STEPS);
	size_t before = mem_used(MEM_TABLE);
	static uint8_t *obj[2][CNT];
	struct slab s[2];

	(void)state;
	slab_init(&s[0], MEM_TABLE, 20, &r);
	slab_init(&s[1], MEM_TABLE, 27, &r);
	assert_int_equal(s[0].obj_size, 20);
	assert_int_equal(s[1].obj_size, 28);
	for (unsigned round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < CNT; i++)
			for (unsigned k = 0; k < 2; k++) {
				obj[k][i] = slab_get(&s[k]);
				assert_in_range(obj[k][i], r.base,
				    r.base + STEPS * (size_t)VMEM_STEP - 28);
				memset(obj[k][i], (int)(i + k), 20 + 8 * k);
			}
		slab_ok(&s[0]);
		slab_ok(&s[1]);
		assert_in_range(
		    mem_used(MEM_TABLE) - before, CNT * 48, CNT * 48 * 102 / 100);
		assert_int_equal(slab_region_extent(&r), 5 * (size_t)VMEM_STEP);
		assert_in_range(
		    mem_used(MEM_TABLE) - before - load_relaxed64(&r.noted), 0, 1000);
		for (uint32_t i = 0; i < CNT; i++)
			for (unsigned k = 0; k < 2; k++) {
				assert_int_equal(obj[k][i][19], (uint8_t)(i + k));
				slab_put(&s[k], obj[k][i]);
			}
		assert_int_equal(s[0].block_cnt, 1);
		assert_in_range(mem_used(MEM_TABLE) - before, 2 * BLOCK_ALIGN,
		    2 * BLOCK_ALIGN + 1000);
		assert_int_equal(load_relaxed64(&r.noted), 2 * BLOCK_ALIGN);
	}
	slab_fini(&s[0]);
	slab_fini(&s[1]);
	assert_int_equal(mem_used(MEM_TABLE), before);
	test_slab_region_free(&r);
}

/* A region that is full: no object, until one of the same slab is given back. */
static void
test_region_full(void **state)
{
	struct slab_region r = test_slab_region(1);
	size_t before = mem_used(MEM_TABLE);
	void *obj = NULL, *last = NULL;
	uint32_t cnt = 0;
	struct slab s[2];

	(void)state;
	slab_init(&s[0], MEM_TABLE, 20, &r);
	slab_init(&s[1], MEM_TABLE, 20, &r);
	assert_true(slab_has(&s[0]) && slab_has(&s[1]));
	while ((obj = slab_get(&s[0]))) {
		last = obj;
		cnt++;
	}
	assert_int_equal(cnt, GROUP_BLOCKS * s[0].per_block);
	assert_false(slab_has(&s[0]) || slab_has(&s[1]));
	assert_null(slab_get(&s[1]));
	slab_ok(&s[0]);
	slab_put(&s[0], last);
	assert_true(slab_has(&s[0]));
	assert_ptr_equal(slab_get(&s[0]), last);
	assert_null(slab_get(&s[0]));
	slab_fini(&s[0]);
	slab_fini(&s[1]);
	assert_int_equal(mem_used(MEM_TABLE), before);
	test_slab_region_free(&r);
}

/* Blocks in groups: what is counted is what is in memory, pages of a block that goes are
 * read as zeros or not at all, and all goes back. */
static void
test_groups(void **state)
{
	enum { CNT = 400 * 15 };
	struct seed seed = seed_start("slab groups");
	size_t before = mem_used(MEM_TABLE), full;
	static uint32_t *obj[CNT];
	struct slab_region r = test_slab_region(14);
	struct slab s;

	(void)state;
	slab_init(&s, MEM_TABLE, 4096, &r);
	assert_int_equal(s.per_block, 15);
	for (unsigned round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < CNT; i++)
			if (!obj[i]) {
				obj[i] = slab_get(&s);
				obj[i][0] = obj[i][1023] = i;
			}
		slab_ok(&s);
		assert_int_equal(s.block_cnt, 400);
		full = mem_used(MEM_TABLE) - before;
		assert_in_range(full, 400 * BLOCK_ALIGN, 400 * BLOCK_ALIGN + VMEM_STEP);
		for (uint32_t k = seed_below(&seed, 7) + 1, i = 0; i < CNT; i++) {
			assert_int_equal(obj[i][0], i);
			assert_int_equal(obj[i][1023], i);
			if (i / 15 % 8 != k) { /* all but every eighth block */
				slab_put(&s, obj[i]);
				obj[i] = NULL;
			}
		}
		slab_ok(&s);
		assert_in_range(s.block_cnt, 50, 51);
		assert_in_range(mem_used(MEM_TABLE) - before, 50 * BLOCK_ALIGN,
		    51 * BLOCK_ALIGN + VMEM_STEP);
	}
	for (uint32_t i = 0; i < CNT; i++)
		if (obj[i])
			slab_put(&s, obj[i]);
	slab_fini(&s);
	assert_null(s.groups);
	assert_int_equal(mem_used(MEM_TABLE), before);
	test_slab_region_free(&r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_edge),
	cmocka_unit_test(test_prefers_used),
	cmocka_unit_test(test_region),
	cmocka_unit_test(test_region_full),
	cmocka_unit_test(test_groups),
};

UNIT_MAIN(tests)

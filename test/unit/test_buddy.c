/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of powers of two: apart from each other, joined again, counted. */
#include "lib/mem/buddy.c"
#include "sysdep/os/os.h"
#include "test/lib/unit.h"
#include <sys/mman.h>

#define LEN   (16 * (size_t)VMEM_STEP)
#define CNT   2000
#define ROUND 200000

static struct block {
	uint8_t *p;
	unsigned order;
	uint8_t mark;
} block[CNT];

/* mark - the mark stands at both ends of a block and in its middle. */
static void
test_buddy_mark(const struct block *k)
{
	size_t len = (size_t)1 << k->order;

	k->p[0] = k->p[len / 2] = k->p[len - 1] = k->mark;
}

static void
assert_marked(const struct block *k)
{
	size_t len = (size_t)1 << k->order;

	assert_int_equal(k->p[0], k->mark);
	assert_int_equal(k->p[len / 2], k->mark);
	assert_int_equal(k->p[len - 1], k->mark);
}

static void
test_buddy_put(struct buddy *b, struct block *k, size_t *sum)
{
	assert_marked(k);
	buddy_put(b, k->p, k->order);
	*sum -= (size_t)1 << k->order;
	k->p = NULL;
}

/* random_blocks - come and go, and are all gone in the end. @used: without @b. */
static void
random_blocks(struct buddy *b, size_t used, uint32_t seed)
{
	size_t sum = 0;

	for (unsigned i = 0; i < ROUND; i++) {
		struct block *k;

		seed = seed * 1664525 + 1013904223;
		k = &block[(seed >> 8) % CNT];
		if (k->p) {
			test_buddy_put(b, k, &sum);
			continue;
		}
		k->order = BUDDY_MIN_ORDER + (seed >> 20) % 9;
		k->mark = (uint8_t)(i | 1);
		k->p = buddy_get(b, k->order);
		assert_int_equal((uintptr_t)k->p & (((size_t)1 << k->order) - 1), 0);
		test_buddy_mark(k);
		sum += (size_t)1 << k->order;
		assert_int_equal(
		    mem_used(MEM_TABLE) - used, sum + (b->open / VMEM_STEP << MAP_ORDER));
	}
	for (unsigned i = 0; i < CNT; i++)
		if (block[i].p)
			test_buddy_put(b, &block[i], &sum);
	/* All are joined: each step has one free block of each order, as in the
	 * beginning. */
	for (unsigned o = BUDDY_MIN_ORDER; o <= BUDDY_MAX_ORDER; o++) {
		size_t cnt = 0;

		for (struct list *l = b->free[o].next; l != &b->free[o]; l = l->next)
			cnt++;
		assert_int_equal(
		    cnt + (o >= b->fresh), o < MAP_ORDER ? 0 : b->open / VMEM_STEP);
	}
}

static void
test_random(void **state)
{
	size_t used = mem_used(MEM_TABLE);
	struct buddy b;

	(void)state;
	buddy_init(&b, MEM_TABLE, LEN);
	for (uint32_t turn = 0; turn < 3; turn++) {
		assert_int_equal(mem_used(MEM_TABLE), used);
		random_blocks(&b, used, turn);
		buddy_trim(&b);
		assert_int_equal(os_resident(b.base, b.known), 0);
	}
	buddy_get(&b, BUDDY_MIN_ORDER);
	buddy_trim(&b);
	assert_int_equal(b.open, VMEM_STEP); /* one is out */
	buddy_fini(&b);
	assert_int_equal(mem_used(MEM_TABLE), used);
}

/* Few small blocks touch two pages: the map, and the one in which they are. */
static void
test_few(void **state)
{
	unsigned char in[VMEM_STEP / 4096];
	uint32_t pages = 0;
	struct buddy b;

	(void)state;
	buddy_init(&b, MEM_TABLE, LEN);
	for (unsigned i = 0; i < 20; i++)
		memset(buddy_get(&b, BUDDY_MIN_ORDER + i % 2), 1, 64u << i % 2);
	assert_int_equal(mincore(b.base, VMEM_STEP, in), 0);
	for (unsigned i = 0; i < sizeof(in); i++)
		pages += in[i] & 1;
	assert_int_equal(pages, 2);
	buddy_fini(&b);
}

/* 256 arrays that double in turn need what they have at the end and what one leaves
 * behind, and little more. */
static void
test_doubling(void **state)
{
	size_t used = mem_used(MEM_TABLE);
	struct buddy b;

	(void)state;
	buddy_init(&b, MEM_TABLE, LEN);
	for (unsigned i = 0; i < 256; i++)
		block[i].p = buddy_get(&b, block[i].order = BUDDY_MIN_ORDER);
	for (unsigned o = BUDDY_MIN_ORDER + 1; o <= 14; o++)
		for (unsigned i = 0; i < 256; i++) {
			uint8_t *p = buddy_get(&b, o);

			buddy_put(&b, block[i].p, o - 1);
			block[i].p = p;
			block[i].order = o;
		}
	assert_in_range(b.open, 4 << 20, 6 << 20); /* 4 MB are used */
	assert_int_equal(mem_used(MEM_TABLE) - used, (4 << 20) + (b.open >> 9));
	buddy_fini(&b); /* with what wasn't put back */
	assert_int_equal(mem_used(MEM_TABLE), used);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_doubling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash by one thread: find, insert, delete, equal hashes, growth, walks, order of the
 * list. */
#include "lib/mt/rchash.c"
#include "lib/base/hash.h"
#include "lib/mt/rcu.h"
#include "test/lib/rchash_walk.h"
#include "test/lib/unit.h"

#define CNT 5000

struct item {
	struct rchash_node node;
	uint32_t key;
	bool refuse; /* as a dying one */
};

static bool
test_rchash_same(struct rchash_node *n, const void *key)
{
	struct item *it = container_of(n, struct item, node);

	return it->key == *(const uint32_t *)key && !it->refuse;
}

static struct rchash h;
static struct item item[CNT];

static int
test_rchash_set_up(void **state)
{
	(void)state;
	rchash_init(&h, MEM_ATTR);
	memset(item, 0, sizeof(item));
	return 0;
}

static int
test_rchash_tear_down(void **state)
{
	(void)state;
	rchash_fini(&h);
	assert_int_equal(mem_used(MEM_ATTR), 0);
	return 0;
}

static void
test_rchash_insert(uint32_t i, uint64_t hash)
{
	item[i].key = i;
	assert_ptr_equal(
	    rchash_insert(&h, &item[i].node, hash, test_rchash_same, &item[i].key),
	    &item[i].node);
}

static struct rchash_node *
test_rchash_find(uint32_t key, uint64_t hash)
{
	return rchash_find(&h, hash, test_rchash_same, &key);
}

static void
test_all_ways(void **state)
{
	(void)state;
	assert_null(test_rchash_find(0, hash_u64(1, 0)));
	for (uint32_t i = 0; i < CNT; i++)
		test_rchash_insert(i, hash_u64(1, i));
	assert_int_equal(rchash_count(&h), CNT);
	assert_true(load_relaxed32(&h.order) > START_ORDER); /* it has grown */
	for (uint32_t i = 0; i < CNT; i++)
		assert_ptr_equal(test_rchash_find(i, hash_u64(1, i)), &item[i].node);
	for (uint32_t i = 0; i < CNT; i += 2)
		rchash_delete(&h, &item[i].node);
	for (uint32_t i = 0; i < CNT; i++)
		assert_ptr_equal(
		    test_rchash_find(i, hash_u64(1, i)), i % 2 ? &item[i].node : NULL);
	assert_int_equal(rchash_count(&h), CNT / 2);
	for (uint32_t i = 0; i < CNT; i += 2)
		test_rchash_insert(
		    i, hash_u64(1, i)); /* their memory is ours: nobody reads */
	assert_int_equal(rchash_count(&h), CNT);
}

/* The second of two equal ones isn't put in, unless the first is refused. */
static void
test_equal(void **state)
{
	struct item twin = { .key = 3 };

	(void)state;
	test_rchash_insert(3, 77);
	assert_ptr_equal(rchash_insert(&h, &twin.node, 77, test_rchash_same, &twin.key),
	    &item[3].node);
	item[3].refuse = true;
	assert_ptr_equal(
	    rchash_insert(&h, &twin.node, 77, test_rchash_same, &twin.key), &twin.node);
	assert_ptr_equal(test_rchash_find(3, 77), &twin.node);
	rchash_delete(&h, &item[3].node);
	assert_ptr_equal(test_rchash_find(3, 77), &twin.node);
	rchash_delete(&h, &twin.node);
	assert_null(test_rchash_find(3, 77));
}

/* One hash for all, and hashes at both ends of the order. */
static void
test_runs(void **state)
{
	static const uint64_t edge[] = { 0, 1, UINT64_MAX, UINT64_MAX >> 1, 1ull << 63,
		1ull << 62 };

	(void)state;
	for (uint32_t e = 0; e < ARRAY_LEN(edge); e++)
		for (uint32_t i = 0; i < 30; i++)
			test_rchash_insert(e * 30 + i, edge[e]);
	for (uint32_t e = 0; e < ARRAY_LEN(edge); e++)
		for (uint32_t i = 0; i < 30; i++)
			assert_ptr_equal(test_rchash_find(e * 30 + i, edge[e]),
			    &item[e * 30 + i].node);
	for (uint32_t e = 0; e < ARRAY_LEN(edge); e++)
		for (uint32_t i = 0; i < 30; i += 3)
			rchash_delete(&h, &item[e * 30 + i].node);
	for (uint32_t e = 0; e < ARRAY_LEN(edge); e++)
		for (uint32_t i = 0; i < 30; i++)
			assert_ptr_equal(test_rchash_find(e * 30 + i, edge[e]),
			    i % 3 ? &item[e * 30 + i].node : NULL);
}

/* I3: what was deleted can't be reached from the start of the list, also at its very
 * end. */
static void
test_unlinked(void **state)
{
	(void)state;
	test_rchash_insert(0, UINT64_MAX); /* reversed: all ones */
	test_rchash_insert(1, UINT64_MAX); /* goes before it */
	rchash_delete(&h, &item[0].node);
	for (struct rchash_node *n = rchash_ptr(load_acquire_ptr(&h.first.next)); n;
	     n = rchash_ptr(load_acquire_ptr(&n->next)))
		assert_ptr_not_equal(n, &item[0].node);
}

/* I1: the list is in order of hash, a marker before its elements. */
static void
test_list_order(void **state)
{
	uint64_t last = 0;
	unsigned elements = 0, markers = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		test_rchash_insert(i, hash_u64(9, i));
	for (struct rchash_node *n = rchash_ptr(load_acquire_ptr(&h.first.next)); n;
	     n = rchash_ptr(load_acquire_ptr(&n->next))) {
		assert_true(n->hash >= last);
		last = n->hash;
		elements += n->hash & 1;
		markers += !(n->hash & 1);
	}
	assert_int_equal(elements, 1000);
	assert_true(markers > 32);
}

static void
test_walk(void **state)
{
	bool seen[100] = { false };
	unsigned cnt = 0;

	(void)state;
	assert_null(rchash_first(&h));
	for (uint32_t i = 0; i < 100; i++)
		test_rchash_insert(i, hash_u64(2, i));
	rchash_delete(&h, &item[17].node);
	for (struct rchash_node *n = rchash_first(&h); n; n = rchash_next(n), cnt++)
		seen[container_of(n, struct item, node)->key] = true;
	assert_int_equal(cnt, 99);
	assert_false(seen[17]);
}

static void
test_reverse(void **state)
{
	(void)state;
	assert_int_equal(rchash_reverse(1), 1ull << 63);
	assert_int_equal(rchash_reverse(0x00000000000000f0ull), 0x0f00000000000000ull);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(
		    rchash_reverse(rchash_reverse(hash_u64(4, i))), hash_u64(4, i));
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(fn, test_rchash_set_up, test_rchash_tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_all_ways),
	TEST(test_equal),
	TEST(test_runs),
	TEST(test_unlinked),
	TEST(test_list_order),
	TEST(test_walk),
	cmocka_unit_test(test_reverse),
};

UNIT_MAIN(tests)

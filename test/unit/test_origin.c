/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Origins: numbers are given once and come back, a way through tables has one branch, and
 * a tree goes as a whole with its last reference. */
#include "nest/rib/source.h"

#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "test/lib/unit.h"

#include <pthread.h>

static struct origins *os;
static const struct route_source source = { .peer_as = 64500 };

/* Tables are only compared. */
static const struct table *
test_origin_table(unsigned n)
{
	return (const struct table *)(uintptr_t)(n * 64);
}

static void
test_origin_drain(void)
{
	rcu_quiesce();
	rcu_drain();
}

static void
test_numbers(void **state)
{
	struct origin *o[3000];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(o); i++) {
		o[i] = origin_new(os, &source, "peer");
		assert_int_equal(o[i]->id, i + 1);
		assert_ptr_equal(origin_find(os, i + 1), o[i]);
	}
	origin_put(o[1500]);
	origin_put(o[7]);
	test_origin_drain();
	o[7] = origin_new(os, &source, "lowest first");
	o[1500] = origin_new(os, &source, "then the next");
	assert_int_equal(o[7]->id, 8);
	assert_int_equal(o[1500]->id, 1501);
	assert_string_equal(origin_find(os, 8)->src.proto, "lowest first");
	for (unsigned i = 0; i < ARRAY_LEN(o); i++)
		origin_put(o[i]);
	test_origin_drain();
	o[0] = origin_new(NULL, &source, "without a number");
	assert_int_equal(o[0]->id, 0);
	assert_null(origin_through(o[0], test_origin_table(1)));
	origin_put(o[0]);
	test_origin_drain();
}

static void
test_ways(void **state)
{
	struct origin *root = origin_new(os, &source, "peer"), *a, *ab, *b;

	(void)state;
	a = origin_through(root, test_origin_table(1));
	assert_ptr_equal(origin_through(root, test_origin_table(1)), a);
	b = origin_through(root, test_origin_table(2));
	ab = origin_through(a, test_origin_table(2));
	assert_true(a != b && ab != b && ab != a && a != root);
	assert_ptr_equal(origin_through(a, test_origin_table(2)), ab);
	assert_ptr_equal(origin_through(root, test_origin_table(1)), a);
	assert_int_equal(root->generation, 0);
	assert_int_equal(a->generation, 1);
	assert_int_equal(ab->generation, 2);
	assert_int_equal(ab->src.peer_as, 64500);
	assert_string_equal(ab->src.proto, "peer");
	assert_ptr_equal(origin_find(os, ab->id), ab);
	assert_false(origin_passed(root, test_origin_table(1)));
	assert_true(origin_passed(a, test_origin_table(1)) &&
		    !origin_passed(a, test_origin_table(2)));
	assert_true(origin_passed(ab, test_origin_table(1)) &&
		    origin_passed(ab, test_origin_table(2)));
	assert_false(origin_passed(ab, test_origin_table(3)));
	/* a reference on a branch holds all of the tree */
	assert_true(origin_ref_live(ab));
	origin_put(root);
	test_origin_drain();
	assert_ptr_equal(origin_find(os, root->id), root);
	origin_put(ab);
	assert_false(origin_ref_live(b)); /* it is going */
	test_origin_drain();
	root = origin_new(os, &source, "the same number again");
	assert_int_equal(root->id, 1);
	origin_put(root);
	test_origin_drain();
}

#define THREADS 4
#define ROUNDS  200
#define TABLES  50

static struct origin *shared[ROUNDS];
static struct origin *found[THREADS][ROUNDS][TABLES];

static void *
go_through(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	rcu_join();
	for (unsigned r = 0; r < ROUNDS; r++)
		for (unsigned t = 0; t < TABLES; t++)
			found[me][r][t] = origin_through(
			    shared[r], test_origin_table(t + 1));
	rcu_leave();
	return NULL;
}

/* Several pipes read one table: what they make of an origin is one. */
static void
test_at_once(void **state)
{
	pthread_t thread[THREADS];

	(void)state;
	for (unsigned r = 0; r < ROUNDS; r++)
		shared[r] = origin_new(os, &source, "peer");
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(
		    pthread_create(&thread[i], NULL, go_through, (void *)(uintptr_t)i),
		    0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned r = 0; r < ROUNDS; r++) {
		for (unsigned t = 0; t < TABLES; t++) {
			struct origin *o = found[0][r][t];

			assert_ptr_equal(o->left, test_origin_table(t + 1));
			assert_ptr_equal(origin_find(os, o->id), o);
			for (unsigned i = 1; i < THREADS; i++)
				assert_ptr_equal(found[i][r][t], o);
		}
		origin_put(shared[r]);
	}
	test_origin_drain();
}

static int
test_origin_set_up(void **state)
{
	(void)state;
	rcu_join();
	os = origins_new();
	return 0;
}

static int
test_origin_tear_down(void **state)
{
	(void)state;
	test_origin_drain();
	origins_free(os);
	rcu_leave();
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_ways),
	cmocka_unit_test(test_at_once),
};

int
main(void)
{
	return cmocka_run_group_tests(tests, test_origin_set_up, test_origin_tear_down);
}

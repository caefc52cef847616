/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of sessions: one object for equal ones, and none is left when its sessions have
 * gone. */
#include "proto/bgp/out/session_class.c"
#include "test/lib/unit.h"

static struct class_registry *r;

static const struct session_class *
test_session_class_get(uint32_t local_as, uint32_t originator)
{
	struct bgp_class c;

	bgp_class_init(&c);
	c.prepend_as = local_as;
	c.originator_id = originator;
	return session_class_get(r, &c);
}

static void
test_interned(void **state)
{
	const struct session_class *a = test_session_class_get(1, 0),
				   *b = test_session_class_get(1, 0),
				   *c = test_session_class_get(2, 0);

	(void)state;
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, c);
	assert_true(a->key >> 32 != c->key >> 32);
	assert_int_equal(rchash_count(&r->classes), 2);
	session_class_put(r, a);
	assert_int_equal(rchash_count(&r->classes), 2);
	session_class_put(r, b);
	assert_int_equal(rchash_count(&r->classes), 1);
	session_class_put(r, c);
	session_class_put(r, NULL);
	assert_int_equal(rchash_count(&r->classes), 0);
}

/* A peer that comes back with ever new parameters leaves nothing behind; keys don't come
 * back. */
static void
test_ever_new(void **state)
{
	uint64_t last = 0;

	(void)state;
	for (uint32_t k = 0; k < 10000; k++) {
		const struct session_class *c = test_session_class_get(k % 7, 0);

		assert_true(c->key > last);
		last = c->key;
		session_class_put(r, c);
		assert_int_equal(rchash_count(&r->classes), 0);
		if (k % 500 == 0)
			rcu_quiesce();
	}
}

static void
test_from(void **state)
{
	const struct session_class *c = test_session_class_get(1, 0),
				   *d = test_session_class_get(2, 0);
	struct session_class a, b, e;

	(void)state;
	session_class_from(&a, c, 5);
	session_class_from(&b, c, 6);
	session_class_from(&e, d, 5);
	assert_int_equal(a.bgp.originator_id, 5);
	assert_int_equal(a.bgp.prepend_as, 1);
	assert_true(a.key != b.key && a.key != e.key && a.key != c->key);
	session_class_put(r, c);
	session_class_put(r, d);
}

static int
test_session_class_set_up(void **state)
{
	(void)state;
	rcu_join();
	r = class_registry_new();
	return 0;
}

static int
test_session_class_tear_down(void **state)
{
	(void)state;
	class_registry_free(r);
	rcu_leave();
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(
	    test_interned, test_session_class_set_up, test_session_class_tear_down),
	cmocka_unit_test_setup_teardown(
	    test_ever_new, test_session_class_set_up, test_session_class_tear_down),
	cmocka_unit_test_setup_teardown(
	    test_from, test_session_class_set_up, test_session_class_tear_down),
};

UNIT_MAIN(tests)

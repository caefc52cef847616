/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sets of long-lived stale routes (RFC 9494, 4.2, 4.6): the community LLGR_STALE is
 * added once, and a set with NO_LLGR, or without room, has no such set. */
#include "proto/bgp/out/long_lived.c"
#include "lib/mt/rcu.h"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

#define LIST_MAX 65532

static struct attr_store *s;
static struct arena a;

static int
test_long_lived_set_up(void **state)
{
	(void)state;
	rcu_join();
	s = attr_store_new();
	arena_init(&a, MEM_OTHER, 4096);
	return 0;
}

static int
test_long_lived_tear_down(void **state)
{
	struct attr_store_stats st;

	(void)state;
	arena_fini(&a);
	rcu_quiesce();
	rcu_drain();
	attr_store_stats(s, &st);
	assert_int_equal(st.sets, 1); /* no reference is left */
	attr_store_free(s);
	rcu_drain();
	rcu_leave();
	return 0;
}

/* long_lived_with - a set with @len octets of communities. NULL: no room. */
static struct attr_set *
long_lived_with(const uint8_t *list, uint32_t len)
{
	struct attr_local local = { .preference = 100 };
	struct attr_set *base, *made;
	struct attr_edit e;
	uint8_t data[32];
	struct wbuf w = wbuf_of(data, sizeof(data));

	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	base = attr_store_intern(s, data, (uint32_t)wbuf_len(&w), &local, NULL, 0);
	attr_edit_init(&e, &a, base);
	assert_int_equal(
	    attr_edit_set(&e, ATTR_COMMUNITY, attr_flags(ATTR_COMMUNITY), list, len), 0);
	made = attr_store_edit(s, &e);
	arena_reset(&a);
	attr_set_unref(s, base, 1);
	return made;
}

/* long_lived_of - a set with the community 1:2, and with @more. */
static struct attr_set *
long_lived_of(uint32_t more)
{
	uint8_t list[8] = { 0, 1, 0, 2 };

	put_be32(list + 4, more);
	return long_lived_with(list, more ? 8 : 4);
}

static void
test_adds(void **state)
{
	struct attr_set *was = long_lived_of(0), *made = long_lived_set(s, was, &a);
	struct attr_set *want = long_lived_of(COMM_LLGR_STALE);

	(void)state;
	assert_ptr_equal(made, want); /* interned: the same content is one set */
	assert_true(made->wire->has & WIRE_HAS_LLGR_STALE);
	assert_false(was->wire->has & WIRE_HAS_LLGR_STALE);
	attr_set_unref(s, made, 1);
	attr_set_unref(s, want, 1);
	attr_set_unref(s, was, 1);
}

static void
test_has_it(void **state)
{
	struct attr_set *was = long_lived_of(COMM_LLGR_STALE);
	struct attr_set *made = long_lived_set(s, was, &a);

	(void)state;
	assert_ptr_equal(made, was);
	attr_set_unref(s, made, 1);
	attr_set_unref(s, was, 1);
}

static void
test_leaves(void **state)
{
	struct attr_set *was = long_lived_of(COMM_NO_LLGR);

	(void)state;
	assert_null(long_lived_set(s, was, &a));
	attr_set_unref(s, was, 1);
}

/* The longest list that a set holds has no room for a further community. */
static void
test_no_room(void **state)
{
	uint8_t *list = calloc(1, LIST_MAX);
	uint32_t len = LIST_MAX;
	struct attr_set *was;

	(void)state;
	assert_non_null(list);
	for (uint32_t i = 0; i < LIST_MAX; i += 4)
		put_be32(list + i, i + 1);
	for (; (was = long_lived_with(list, len)) == NULL; len -= 4)
		assert_true(len > LIST_MAX / 2);
	assert_null(long_lived_set(s, was, &a));
	attr_set_unref(s, was, 1);
	free(list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_adds, test_long_lived_set_up, test_long_lived_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_has_it, test_long_lived_set_up, test_long_lived_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_leaves, test_long_lived_set_up, test_long_lived_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_no_room, test_long_lived_set_up, test_long_lived_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interning by one thread: equal content is one object, references, edits, what is
 * counted. */
#include "nest/rib/attr/attr_store.c"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

static struct attr_store *s;
static size_t before;

static int
test_attr_store_set_up(void **state)
{
	(void)state;
	rcu_join();
	before = mem_used(MEM_ATTR);
	s = attr_store_new();
	return 0;
}

static int
test_attr_store_tear_down(void **state)
{
	struct attr_store_stats st;

	(void)state;
	rcu_quiesce();
	rcu_drain();
	attr_store_stats(s, &st);
	assert_int_equal(st.sets, 1);
	assert_int_equal(st.wires, 1);
	attr_store_free(s);
	rcu_drain(); /* its last wire set was buried by a callback */
	assert_int_equal(mem_used(MEM_ATTR), before);
	rcu_leave();
	return 0;
}

static uint32_t
test_attr_store_octets_of(uint8_t data[32], uint32_t med)
{
	uint8_t val[4];
	struct wbuf w = wbuf_of(data, 32);

	put_be32(val, med);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x80, ATTR_MED, val, 4);
	return (uint32_t)wbuf_len(&w);
}

static struct wire_set *
wire_of(uint32_t med)
{
	uint8_t data[32];

	return attr_store_wire(s, data, test_attr_store_octets_of(data, med));
}

static struct attr_set *
test_attr_store_set_of(uint32_t med, uint32_t preference)
{
	struct attr_local local = { .preference = preference };
	uint8_t data[32];

	return attr_store_intern(
	    s, data, test_attr_store_octets_of(data, med), &local, NULL, 0);
}

static void
test_one_object(void **state)
{
	struct attr_set *a = test_attr_store_set_of(1, 100),
			*b = test_attr_store_set_of(1, 100),
			*c = test_attr_store_set_of(1, 101),
			*d = test_attr_store_set_of(2, 100);
	struct attr_store_stats st;

	(void)state;
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, c);
	assert_ptr_not_equal(a, d);
	assert_ptr_equal(a->wire, c->wire);
	assert_ptr_not_equal(a->wire, d->wire);
	assert_int_equal(wire_med(a->wire), 1);
	assert_int_equal(counter32_get(&a->refs), 2);
	assert_int_equal(counter32_get(&a->wire->node.refs), 2); /* of a and c */
	attr_store_stats(s, &st);
	assert_int_equal(st.sets, 4);
	assert_int_equal(st.wires, 3);
	attr_set_unref(s, a, 2);
	attr_set_unref(s, c, 1);
	attr_set_unref(s, d, 1);
}

/* A set whose count is zero isn't found, nor revived; its twin is another object. */
static void
test_dying(void **state)
{
	struct attr_set *a = test_attr_store_set_of(7, 1), *b;

	(void)state;
	attr_set_ref(a, 3);
	attr_set_unref(s, a, 3);
	assert_true(attr_set_ref_live(a));
	attr_set_unref(s, a, 2);
	assert_false(attr_set_ref_live(a)); /* still readable: we are online */
	b = test_attr_store_set_of(7, 1);
	assert_ptr_not_equal(a, b);
	assert_ptr_not_equal(a->wire, b->wire); /* it died with its own set */
	attr_set_unref(s, b, 1);
}

/* A wire set outlives the set that it was made for, whose successor stands beside it; one
 * of which a dying set is the base isn't revived either. */
static void
test_ext(void **state)
{
	struct attr_set *a = test_attr_store_set_of(7, 1), *b, *c;
	struct wire_set *w = wire_set_ref(a->wire), *empty = wire_of(8);
	struct attr_store_stats st;
	struct attr_edit e;
	struct arena arena;

	(void)state;
	assert_ptr_equal(a, &w->embedded);
	attr_set_unref(s, a, 1);
	b = test_attr_store_set_of(7, 1);
	assert_ptr_equal(b->wire, w);
	assert_ptr_not_equal(b, &w->embedded);
	assert_ptr_equal(test_attr_store_set_of(7, 1), b);
	c = test_attr_store_set_of(8, 1);
	assert_ptr_equal(c->wire, empty);
	attr_store_stats(s, &st);
	assert_int_equal(st.sets, 3);
	assert_int_equal(st.wires, 3);
	arena_init(&arena, MEM_OTHER, 4096);
	attr_edit_init(&e, &arena, b);
	attr_set_unref(s, b, 2);
	wire_set_unref(s, w);
	b = attr_store_edit(s, &e);
	assert_ptr_not_equal(b, e.base);
	assert_int_equal(wire_med(b->wire), 7);
	attr_set_unref(s, b, 1);
	attr_edit_init(&e, &arena, c);
	attr_set_unref(s, c, 1);
	c = attr_store_edit(s, &e);
	assert_ptr_not_equal(c, e.base);
	assert_int_equal(wire_med(c->wire), 8);
	attr_set_unref(s, c, 1);
	wire_set_unref(s, empty);
	arena_fini(&arena);
}

static void
test_custom(void **state)
{
	uint64_t custom[3] = { 5, 6, 7 };
	struct attr_local local = { .preference = 1 };
	struct wire_set *w = wire_of(3);
	struct attr_set *a = attr_store_set(s, w, &local, custom, sizeof(custom));
	struct attr_set *b = attr_store_set(s, w, &local, custom, 2 * sizeof(custom[0]));
	struct attr_set *c = attr_store_set(s, w, &local, NULL, 0);
	struct attr_set *d;

	(void)state;
	assert_ptr_not_equal(a, b);
	assert_ptr_not_equal(a, c);
	assert_memory_equal(attr_custom(a), custom, sizeof(custom));
	d = attr_store_set(s, w, &local, custom, sizeof(custom));
	assert_ptr_equal(a, d);
	custom[2] = 8;
	attr_set_unref(s, d, 1);
	d = attr_store_set(s, w, &local, custom, sizeof(custom));
	assert_ptr_not_equal(a, d);
	wire_set_unref(s, w);
	attr_set_unref(s, a, 1);
	attr_set_unref(s, b, 1);
	attr_set_unref(s, c, 1);
	attr_set_unref(s, d, 1);
}

static void
test_edit(void **state)
{
	struct attr_set *base = test_attr_store_set_of(1, 100), *a;
	struct attr_edit e;
	struct arena arena;

	(void)state;
	arena_init(&arena, MEM_OTHER, 4096);
	attr_edit_init(&e, &arena, base);
	a = attr_store_edit(s, &e); /* nothing was changed */
	assert_ptr_equal(a, base);
	attr_set_unref(s, a, 1);
	assert_int_equal(attr_edit_set_u32(&e, ATTR_MED, 2), 0);
	a = attr_store_edit(s, &e);
	assert_ptr_not_equal(a, base);
	assert_int_equal(wire_med(a->wire), 2);
	assert_int_equal(a->local.preference, 100);
	{
		struct attr_set *b = test_attr_store_set_of(2, 100);

		assert_ptr_equal(a, b); /* the same as if it had come so */
		attr_set_unref(s, b, 1);
	}
	attr_set_unref(s, a, 1);
	attr_set_unref(s, base, 1);
	arena_fini(&arena);
}

/* From a scratch set come the same sets as from one of the store, and nothing else enters
 * it. */
static void
test_scratch(void **state)
{
	struct attr_set *base = test_attr_store_set_of(1, 100), *want, *a;
	struct attr_store_stats was, now;
	struct attr_edit e;
	struct arena arena;

	(void)state;
	arena_init(&arena, MEM_OTHER, 4096);
	attr_store_stats(s, &was);
	attr_edit_init(&e, &arena,
	    attr_scratch(&arena, base->wire->data, base->wire->len, &base->local));
	assert_int_equal(wire_med(e.base->wire), wire_med(base->wire));
	a = attr_store_edit(s, &e); /* nothing was changed */
	assert_ptr_equal(a, base);
	attr_set_unref(s, a, 1);
	e.local.preference = 101; /* not of the wire part */
	a = attr_store_edit(s, &e);
	want = test_attr_store_set_of(1, 101);
	assert_ptr_equal(a, want);
	attr_set_unref(s, a, 1);
	attr_set_unref(s, want, 1);
	assert_int_equal(attr_edit_set_u32(&e, ATTR_MED, 2), 0);
	a = attr_store_edit(s, &e);
	want = test_attr_store_set_of(2, 101);
	assert_ptr_equal(a, want);
	attr_store_stats(s, &now);
	assert_int_equal(now.sets, was.sets + 1);
	assert_int_equal(now.wires, was.wires + 1);
	attr_set_unref(s, a, 1);
	attr_set_unref(s, want, 1);
	attr_set_unref(s, base, 1);
	arena_fini(&arena);
}

static void
test_octets(void **state)
{
	struct attr_local local = { .preference = 1 };
	struct attr_store_stats st, st2;
	uint64_t custom[1] = { 5 };
	struct attr_set *a;
	struct wire_set *w;

	(void)state;
	attr_store_stats(s, &st);
	a = test_attr_store_set_of(1, 1);
	attr_store_stats(s, &st2);
	assert_int_equal(st2.octets - st.octets, store_wire_size(a->wire->len, 0));
	attr_set_unref(s, a, 1);
	w = attr_store_intern(s, (const uint8_t *)"abc", 3, &local, custom, 8)->wire;
	attr_store_stats(s, &st2);
	assert_int_equal(st2.octets - st.octets, 64 + 8);
	assert_int_equal(*attr_custom(&w->embedded), 5);
	a = attr_store_intern(s, (const uint8_t *)"abc", 3, &local, custom, 8);
	assert_ptr_equal(a, &w->embedded);
	custom[0] = 6;
	a = attr_store_intern(s, (const uint8_t *)"abc", 3, &local, custom, 8);
	assert_ptr_not_equal(a, &w->embedded);
	assert_ptr_equal(a->wire, w);
	attr_set_unref(s, a, 1);
	attr_set_unref(s, &w->embedded, 2);
	rcu_quiesce();
	rcu_drain();
	attr_store_stats(s, &st2);
	assert_int_equal(st2.octets, st.octets);
	assert_int_equal(attr_store_empty(s)->wire->len, 0);
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(                                                 \
	    fn, test_attr_store_set_up, test_attr_store_tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_one_object),
	TEST(test_dying),
	TEST(test_ext),
	TEST(test_custom),
	TEST(test_edit),
	TEST(test_scratch),
	TEST(test_octets),
};

UNIT_MAIN(tests)

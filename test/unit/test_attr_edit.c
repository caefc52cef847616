/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edits over a base: what is read back, and which octets come out. */
#include "lib/attr/attr_edit.c"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

/* A base with ORIGIN, MED and one custom attribute (id 7). */
struct base {
	struct arena arena;
	struct attr_set *set;
	struct attr_edit e;
};

static void
base_init(struct base *b)
{
	static const uint8_t origin[] = { 0 }, med[] = { 0, 0, 0, 9 };
	uint8_t buf[64], custom[16] = { 7, 0, 3, 0, 4, 0, 0, 0, 'a', 'b', 'c', 'd' };
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	wire_item(&w, 0x40, ATTR_ORIGIN, origin, 1);
	wire_item(&w, 0x80, ATTR_MED, med, 4);
	b->set = calloc(1, sizeof(*b->set) + sizeof(custom));
	b->set->wire = wire_new(buf, wbuf_len(&w));
	b->set->local.custom_words = sizeof(custom) / 8;
	memcpy(attr_custom(b->set), custom, sizeof(custom));
	arena_init(&b->arena, MEM_OTHER, 4096);
	attr_edit_init(&b->e, &b->arena, b->set);
}

static void
base_fini(struct base *b)
{
	arena_fini(&b->arena);
	free(b->set->wire);
	free(b->set);
}

static void
test_nothing(void **state)
{
	struct base b;
	uint8_t *wire;
	uint64_t *custom;

	(void)state;
	base_init(&b);
	assert_false(attr_edit_changed(&b.e));
	assert_int_equal(attr_edit_wire(&b.e, &wire), b.set->wire->len);
	assert_memory_equal(wire, b.set->wire->data, b.set->wire->len);
	assert_int_equal(attr_edit_custom(&b.e, &custom), 16);
	assert_memory_equal(custom, attr_custom(b.set), 16);
	base_fini(&b);
}

static void
test_set_and_get(void **state)
{
	struct attr_item it;
	struct base b;

	(void)state;
	base_init(&b);
	assert_true(attr_edit_get(&b.e, ATTR_MED, &it));
	assert_int_equal(get_be32(it.val), 9);
	assert_int_equal(attr_edit_set_u32(&b.e, ATTR_MED, 10), 0);
	assert_int_equal(attr_edit_set_u32(&b.e, ATTR_MED, 11), 0);
	assert_int_equal(b.e.cnt, 1);
	assert_true(attr_edit_get(&b.e, ATTR_MED, &it));
	assert_int_equal(get_be32(it.val), 11);
	assert_int_equal(it.flags, 0x80);
	assert_int_equal(attr_edit_set_u32(&b.e, ATTR_ORIGIN, ORIGIN_EGP), 0);
	assert_true(attr_edit_get(&b.e, ATTR_ORIGIN, &it));
	assert_int_equal(it.len, 1);
	assert_int_equal(it.val[0], ORIGIN_EGP);
	assert_int_equal(attr_edit_unset(&b.e, ATTR_MED), 0);
	assert_false(attr_edit_get(&b.e, ATTR_MED, &it));
	assert_int_equal(attr_edit_unset(&b.e, ATTR_OTC), 0);
	assert_int_equal(b.e.cnt, 2);
	assert_true(attr_edit_changed(&b.e));
	base_fini(&b);
}

/* Items come out in order of code, whatever the order of edits. */
static void
test_wire(void **state)
{
	static const uint8_t want[] = { 0x40, 1, 0, 1, 0, 0x40, 5, 0, 4, 0, 0, 0, 100,
		0xc0, 8, 0, 0, 0xe0, 99, 0, 1, 'x' };
	struct base b;
	uint8_t *wire;

	(void)state;
	base_init(&b);
	assert_int_equal(attr_edit_set(&b.e, 99, 0xe0, "x", 1), 0);
	assert_int_equal(attr_edit_unset(&b.e, ATTR_MED), 0);
	assert_int_equal(attr_edit_set(&b.e, ATTR_COMMUNITY, 0xc0, NULL, 0), 0);
	assert_int_equal(attr_edit_set_u32(&b.e, ATTR_LOCAL_PREF, 100), 0);
	assert_int_equal(attr_edit_wire(&b.e, &wire), sizeof(want));
	assert_memory_equal(wire, want, sizeof(want));
	base_fini(&b);
}

static void
test_custom(void **state)
{
	struct attr_set *back;
	struct custom_item it;
	struct base b;
	uint64_t *out;
	int len;

	(void)state;
	base_init(&b);
	assert_true(attr_edit_get_custom(&b.e, 7, &it));
	assert_int_equal(it.type, 3);
	assert_memory_equal(it.val, "abcd", 4);
	assert_int_equal(attr_edit_set_custom(&b.e, 9, 1, "123456789", 9), 0);
	assert_int_equal(attr_edit_set_custom(&b.e, 2, 1, "z", 1), 0);
	assert_true(attr_edit_get_custom(&b.e, 9, &it));
	assert_int_equal(it.len, 9);
	len = attr_edit_custom(&b.e, &out);
	assert_int_equal(len, 16 + 16 + 24);
	back = calloc(1, sizeof(*back) + (size_t)len);
	back->wire = b.set->wire;
	back->local.custom_words = (uint16_t)(len / 8);
	memcpy(attr_custom(back), out, (size_t)len);
	assert_true(custom_find(back, 9, &it));
	assert_memory_equal(it.val, "123456789", 9);
	assert_true(custom_find(back, 7, &it));
	assert_false(custom_find(back, 8, &it));
	assert_int_equal(attr_edit_unset_custom(&b.e, 7), 0);
	assert_int_equal(attr_edit_unset_custom(&b.e, 8), 0);
	assert_false(attr_edit_get_custom(&b.e, 7, &it));
	assert_int_equal(attr_edit_custom(&b.e, &out), 16 + 24);
	free(back);
	base_fini(&b);
}

static void
test_limits(void **state)
{
	uint8_t *big = calloc(1, 65536), *wire;
	struct base b;

	(void)state;
	base_init(&b);
	assert_int_equal(attr_edit_set(&b.e, 100, 0xc0, big, 65536), -E2BIG);
	assert_int_equal(attr_edit_set(&b.e, 100, 0xc0, big, 65000), 0);
	assert_int_equal(attr_edit_set(&b.e, 101, 0xc0, big, 1000), 0);
	assert_int_equal(attr_edit_wire(&b.e, &wire), -E2BIG);
	for (unsigned i = 2; i < ATTR_EDIT_MAX; i++)
		assert_int_equal(
		    attr_edit_set(&b.e, (uint8_t)(100 + i), 0xc0, big, 1), 0);
	assert_int_equal(attr_edit_set(&b.e, 90, 0xc0, big, 1), -ENOSPC);
	assert_int_equal(attr_edit_unset(&b.e, ATTR_MED), -ENOSPC);
	assert_int_equal(attr_edit_set(&b.e, 101, 0xc0, big, 2), 0);
	free(big);
	base_fini(&b);
}

/* Setting what is there already changes nothing, unless something else was set before. */
static void
test_no_change(void **state)
{
	struct attr_item it;
	struct base b;

	(void)state;
	base_init(&b);
	assert_true(attr_edit_get(&b.e, ATTR_MED, &it));
	assert_int_equal(attr_edit_set(&b.e, ATTR_MED, it.flags, it.val, it.len), 0);
	assert_false(attr_edit_changed(&b.e));
	assert_int_equal(attr_edit_unset(&b.e, ATTR_MED), 0);
	assert_int_equal(attr_edit_set(&b.e, ATTR_MED, it.flags, it.val, it.len), 0);
	assert_true(attr_edit_get(&b.e, ATTR_MED, &it));
	assert_true(it.len > 0);
	base_fini(&b);
}

static void
test_same(void **state)
{
	struct attr_edit other;
	struct base b;

	(void)state;
	base_init(&b);
	attr_edit_init(&other, &b.arena, b.set);
	assert_true(attr_edit_same(&b.e, &other));
	assert_int_equal(attr_edit_set_u32(&b.e, ATTR_MED, 1), 0);
	assert_false(attr_edit_same(&b.e, &other));
	assert_int_equal(attr_edit_set_u32(&other, ATTR_MED, 2), 0);
	assert_false(attr_edit_same(&b.e, &other));
	assert_int_equal(attr_edit_set_u32(&other, ATTR_MED, 1), 0);
	assert_true(attr_edit_same(&b.e, &other));
	other.local.preference++;
	assert_false(attr_edit_same(&b.e, &other));
	assert_true(attr_edit_changed(&other));
	base_fini(&b);
}

/* RFC 4271, 5: of the attributes that we add to others' routes. */
static void
test_partial(void **state)
{
	static const uint8_t value[] = { 1, 2, 3, 4 };
	uint8_t buf[64];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct attr_item it;
	struct base b;

	(void)state;
	base_init(&b);
	free(b.set->wire);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, value, 4);
	wire_item(&w, 0xe0, ATTR_EXT_COMMUNITY, value, 4);
	b.set->wire = wire_new(buf, wbuf_len(&w));
	for (unsigned rts = RTS_STATIC; rts <= RTS_BGP; rts++) {
		uint8_t added = rts == RTS_BGP ? 0xe0 : 0xc0;

		b.set->local.rts = (uint8_t)rts;
		attr_edit_init(&b.e, &b.arena, b.set);
		assert_int_equal(
		    attr_edit_set(&b.e, ATTR_LARGE_COMMUNITY, 0xc0, value, 4), 0);
		assert_true(attr_edit_get(&b.e, ATTR_LARGE_COMMUNITY, &it));
		assert_int_equal(it.flags, added);
		assert_int_equal(attr_edit_set(&b.e, ATTR_COMMUNITY, 0xc0, value, 4), 0);
		assert_true(attr_edit_get(&b.e, ATTR_COMMUNITY, &it));
		assert_int_equal(it.flags, 0xc0);
		assert_int_equal(
		    attr_edit_set(&b.e, ATTR_EXT_COMMUNITY, 0xc0, value, 4), 0);
		assert_true(attr_edit_get(&b.e, ATTR_EXT_COMMUNITY, &it));
		assert_int_equal(it.flags, added);
		assert_int_equal(attr_edit_set_u32(&b.e, ATTR_OTC, 5), 0);
		assert_true(attr_edit_get(&b.e, ATTR_OTC, &it));
		assert_int_equal(it.flags, added);
		assert_int_equal(attr_edit_set_u32(&b.e, ATTR_MED, 5), 0);
		assert_true(attr_edit_get(&b.e, ATTR_MED, &it));
		assert_int_equal(it.flags, 0x80);
	}
	base_fini(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nothing),
	cmocka_unit_test(test_set_and_get),
	cmocka_unit_test(test_wire),
	cmocka_unit_test(test_custom),
	cmocka_unit_test(test_limits),
	cmocka_unit_test(test_no_change),
	cmocka_unit_test(test_same),
	cmocka_unit_test(test_partial),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets: what wire_fill decodes, and finding items. */
#include "lib/attr/attr.c"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

static const uint8_t path[] = { 2, 2, 0, 0, 0, 5, 0, 1, 0, 1 };

static struct wire_set *
test_attr_typical(void)
{
	static const uint8_t origin[] = { 0 }, nh[] = { 192, 0, 2, 1 },
			     med[] = { 0, 0, 1, 0 };
	static const uint8_t comm[] = { 0, 1, 0, 2 };
	uint8_t buf[256];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	wire_item(&w, 0x40, ATTR_ORIGIN, origin, 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, 4);
	wire_item(&w, 0x80, ATTR_MED, med, 4);
	wire_item(&w, 0xc0, ATTR_COMMUNITY, comm, 4);
	wire_item(&w, 0xe0, 99, "xyz", 3);
	return wire_new(buf, wbuf_len(&w));
}

static void
test_fill(void **state)
{
	struct wire_set *w = test_attr_typical();

	(void)state;
	assert_int_equal(w->has, WIRE_HAS_ORIGIN | WIRE_HAS_MED);
	assert_int_equal(w->origin, ORIGIN_IGP);
	assert_int_equal(w->path_len, 2);
	assert_int_equal(w->path_first, 5);
	assert_int_equal(wire_path_last(w), 65537);
	assert_int_equal(wire_med(w), 256);
	assert_int_equal(wire_local_pref(w), 0);
	assert_true(ip_equal(wire_next_hop(w), ip4(0xc0000201)));
	assert_int_equal(w->off[SLOT_LARGE_COMMUNITY], 0);
	free(w);
}

/* What begins behind more octets than a slot can say is found as well. */
static void
test_far(void **state)
{
	static const uint8_t med[] = { 0, 0, 0, 7 }, pref[] = { 0, 0, 0, 8 };
	static uint8_t buf[2048], long_path[2 + 4 * 255] = { AS_SEQUENCE, 255 };

	(void)state;
	for (unsigned cnt = 55; cnt <= 255; cnt += cnt < 65 ? 1 : 95) {
		struct wbuf b = wbuf_of(buf, sizeof(buf));
		struct wire_set *w;
		struct attr_item it;

		long_path[1] = (uint8_t)cnt;
		put_be32(long_path + 2 + 4 * (cnt - 1), 64512 + cnt);
		wire_item(&b, 0x40, ATTR_ORIGIN, "", 1);
		wire_item(&b, 0x40, ATTR_AS_PATH, long_path, 2 + 4 * cnt);
		wire_item(&b, 0x80, ATTR_MED, med, 4);
		wire_item(&b, 0x40, ATTR_LOCAL_PREF, pref, 4);
		wire_item(&b, 0xc0, ATTR_COMMUNITY, med, 4);
		w = wire_new(buf, wbuf_len(&b));
		assert_int_equal(wire_path_last(w), 64512 + cnt);
		assert_int_equal(wire_med(w), 7);
		assert_int_equal(wire_local_pref(w), 8);
		assert_true(wire_find(w, ATTR_COMMUNITY, &it));
		assert_memory_equal(it.val, med, 4);
		assert_false(wire_find(w, ATTR_LARGE_COMMUNITY, &it));
		free(w);
		memset(long_path + 2, 0, sizeof(long_path) - 2);
	}
}

static void
test_fill_empty(void **state)
{
	struct wire_set *w = wire_new(NULL, 0);
	struct attr_item it;

	(void)state;
	assert_int_equal(w->has, 0);
	assert_int_equal(w->origin, ORIGIN_INCOMPLETE);
	assert_true(ip_is_none(wire_next_hop(w)));
	assert_false(wire_find(w, ATTR_AS_PATH, &it));
	assert_false(wire_find(w, ATTR_ORIGIN, &it));
	free(w);
}

static void
test_fill_ipv6(void **state)
{
	uint8_t nh[32] = { 0x20, 1, 0xd, 0xb8 }, buf[256], one[4] = { 0, 0, 0, 1 };
	struct wbuf b = wbuf_of(buf, sizeof(buf));
	struct wire_set *w;

	(void)state;
	nh[15] = 1;
	nh[16] = 0xfe;
	wire_item(&b, 0x40, ATTR_NEXT_HOP, nh, 32);
	wire_item(&b, 0x40, ATTR_LOCAL_PREF, one, 4);
	wire_item(&b, 0x80, ATTR_AIGP, one, 4);
	wire_item(&b, 0xc0, ATTR_OTC, one, 4);
	w = wire_new(buf, wbuf_len(&b));
	assert_true(ip_equal(wire_next_hop(w), ip_get16(nh)));
	assert_int_equal(wire_local_pref(w), 1);
	assert_int_equal(wire_med(w), 0);
	assert_int_equal(w->has, WIRE_HAS_LOCAL_PREF | WIRE_HAS_AIGP | WIRE_HAS_OTC);
	free(w);
}

static void
test_find(void **state)
{
	struct wire_set *w = test_attr_typical();
	struct attr_item it;

	(void)state;
	assert_true(wire_find(w, ATTR_AS_PATH, &it));
	assert_int_equal(it.len, sizeof(path));
	assert_memory_equal(it.val, path, sizeof(path));
	assert_true(wire_find(w, ATTR_COMMUNITY, &it));
	assert_int_equal(it.flags, 0xc0);
	assert_true(wire_find(w, 99, &it));
	assert_int_equal(it.flags, 0xe0);
	assert_memory_equal(it.val, "xyz", 3);
	assert_false(wire_find(w, 98, &it));
	assert_false(wire_find(w, 100, &it));
	assert_false(wire_find(w, ATTR_LARGE_COMMUNITY, &it));
	free(w);
}

/* Cut octets end the walk instead of leading out of them. */
static void
test_cut(void **state)
{
	struct wire_set *w = test_attr_typical();
	struct attr_item it;

	(void)state;
	for (uint32_t len = 0; len < w->len; len++) {
		uint32_t pos = 0;

		while (attr_item_next(&it, w->data, len, &pos))
			assert_true(it.val + it.len <= w->data + len);
		assert_true(pos <= len);
	}
	free(w);
}

static void
test_flags(void **state)
{
	(void)state;
	assert_int_equal(attr_flags(ATTR_ORIGIN), 0x40);
	assert_int_equal(attr_flags(ATTR_MED), 0x80);
	assert_int_equal(attr_flags(ATTR_OTC), 0xc0);
	assert_int_equal(attr_flags(200), 0xc0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fill),
	cmocka_unit_test(test_far),
	cmocka_unit_test(test_fill_empty),
	cmocka_unit_test(test_fill_ipv6),
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_cut),
	cmocka_unit_test(test_flags),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as octets of custom attributes and back; order and equality; text of
 * enumerations. */
#include "filter/run/custom.h"
#include "filter/run/value.h"
#include "filter/value/enum_const.h"
#include "lib/attr/attr.h"
#include "lib/base/strbuf.h"
#include "filter/run/builtin/builtin.h"
#include "test/lib/unit.h"
#include <stdio.h>

static void
test_value_round_trip(struct fvalue v)
{
	struct fvalue back;
	uint64_t copy[8] = { 0 };
	struct strbuf a, b;
	const void *p;
	uint32_t len;
	int c;

	strbuf_init(&a);
	strbuf_init(&b);
	p = fvalue_octets(&v, &len);
	assert_true(len <= sizeof(copy));
	if (len)
		memcpy(copy, p, len);
	assert_true(fvalue_from_octets(&back, v.type, copy, len));
	assert_true(fvalue_same(&v, &back));
	if (fvalue_cmp(&c, &v, &back))
		assert_int_equal(c, 0);
	fvalue_print(&a, &v);
	fvalue_print(&b, &back);
	assert_string_equal(a.s, b.s);
	if (v.type != T_STRING && v.type != T_BYTES && v.type != T_PATH &&
	    v.type != T_CLIST)
		assert_false(fvalue_from_octets(&back, v.type, copy, len + 1));
	strbuf_fini(&a);
	strbuf_fini(&b);
}

static void
test_octets(void **state)
{
	static const uint8_t path[] = { 2, 1, 0, 0, 0, 5 };
	struct prefix p = prefix_make(ip4(0x0a000000), 8, FAM_IP4);

	(void)state;
	test_value_round_trip(fvalue_u32(T_INT, 5));
	test_value_round_trip(fvalue_u32(T_BOOL, 1));
	test_value_round_trip(fvalue_u32(T_QUAD, 0x01020304));
	test_value_round_trip(fvalue_ip(ip4(7)));
	test_value_round_trip(fvalue_ip((struct ip_addr){ 1, 2 }));
	test_value_round_trip(fvalue_prefix(&p));
	test_value_round_trip((struct fvalue){ .type = T_PAIR, .w = { 1, 2 } });
	test_value_round_trip((struct fvalue){ .type = T_EC, .w = { 0x00020001, 2 } });
	test_value_round_trip((struct fvalue){ .type = T_LC, .w = { 1, 2, 3 } });
	test_value_round_trip(
	    (struct fvalue){ .type = T_STRING, .len = 3, .str = "abc" });
	test_value_round_trip(
	    (struct fvalue){ .type = T_PATH, .len = sizeof(path), .octets = path });
	test_value_round_trip((struct fvalue){ .type = T_CLIST });
}

static void
test_order(void **state)
{
	struct fvalue i = fvalue_u32(T_INT, 5), q = fvalue_u32(T_QUAD, 0x01020304);
	struct fvalue ip = fvalue_ip(ip4(0x01020304)),
		      s = { .type = T_STRING, .str = "5", .len = 1 };
	int c;

	(void)state;
	assert_false(fvalue_cmp(&c, &i, &s));
	assert_false(fvalue_same(&i, &s));
	assert_true(fvalue_same(&q, &ip)); /* router ids are written as addresses */
	assert_true(fvalue_cmp(&c, &ip, &q) && c == 0);
}

static void
test_enums(void **state)
{
	(void)state;
	assert_string_equal(enum_const_name(T_ENUM_ROA, 2), "ROA_INVALID");
	assert_null(enum_const_name(T_ENUM_ROA, 77));
	assert_int_equal(enum_const_find("RTS_BGP")->value, RTS_BGP);
	assert_null(enum_const_find("RTS_NONSENSE"));
}

static void
test_registry(void **state)
{
	struct custom_registry r;
	char name[20];
	int i;

	(void)state;
	custom_registry_init(&r);
	for (i = 0; i < CUSTOM_MAX; i++) {
		snprintf(name, sizeof(name), "a%d", i);
		assert_int_equal(custom_registry_id(&r, name, T_INT), i + 1);
	}
	assert_true(custom_registry_id(&r, "one more", T_INT) < 0);
	assert_int_equal(custom_registry_id(&r, "a7", T_INT), 8);
	custom_registry_fini(&r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_octets),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_enums),
	cmocka_unit_test(test_registry),
};

UNIT_MAIN(tests)

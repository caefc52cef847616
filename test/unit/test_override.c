/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of overrides: which sessions and networks an override is about, which sets are
 * equal for a session, and the words. */
#include "nest/core/override.h"
#include "test/lib/unit.h"

#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "lib/net/prefix.h"

static struct prefix
net_of(const char *text)
{
	struct prefix p;

	assert_false(prefix_parse(&p, text));
	return p;
}

/* A block of 10.1.0.0/16 (longer) from AS 7, a block of 10.2.0.0/24 from m1, and no
 * export of any network to m2. */
static struct overrides *
test_override_set(void)
{
	struct overrides *s = overrides_new(3);

	s->at[0] = (struct override){ .id = 1,
		.kind = OVERRIDE_BLOCK,
		.net = net_of("10.1.0.0/16"),
		.has_net = true,
		.longer = true,
		.as = 7 };
	s->at[1] = (struct override){ .id = 4,
		.kind = OVERRIDE_BLOCK,
		.net = net_of("10.2.0.0/24"),
		.has_net = true,
		.proto = mem_strdup(MEM_CONFIG, "m1") };
	s->at[2] = (struct override){
		.id = 5, .kind = OVERRIDE_NO_EXPORT, .proto = mem_strdup(MEM_CONFIG, "m2")
	};
	return s;
}

static uint32_t
test_override_found(const struct overrides *s, enum override_kind k, const char *proto,
    uint32_t as, const char *net)
{
	struct prefix p = net_of(net ? net : "0.0.0.0/0");
	const struct override *o = overrides_find(s, k, proto, as, net ? &p : NULL);

	return o ? o->id : 0;
}

static void
test_find(void **state)
{
	struct overrides *s = test_override_set();

	(void)state;
	rcu_join();
	assert_int_equal(
	    test_override_found(s, OVERRIDE_BLOCK, "m9", 7, "10.1.0.0/16"), 1);
	assert_int_equal(
	    test_override_found(s, OVERRIDE_BLOCK, "m9", 7, "10.1.2.0/24"), 1);
	assert_int_equal(
	    test_override_found(s, OVERRIDE_BLOCK, "m9", 7, "10.0.0.0/8"), 0);
	assert_int_equal(
	    test_override_found(s, OVERRIDE_BLOCK, "m9", 8, "10.1.2.0/24"), 0);
	assert_int_equal(
	    test_override_found(s, OVERRIDE_BLOCK, "m1", 8, "10.2.0.0/24"), 4);
	assert_int_equal(
	    test_override_found(s, OVERRIDE_BLOCK, "m1", 8, "10.2.0.0/25"), 0);
	assert_int_equal(test_override_found(s, OVERRIDE_BLOCK, "m1", 8, NULL), 4);
	assert_int_equal(
	    test_override_found(s, OVERRIDE_NO_EXPORT, "m2", 8, "10.9.0.0/25"), 5);
	assert_int_equal(
	    test_override_found(s, OVERRIDE_ACCEPT, "m1", 7, "10.1.0.0/16"), 0);
	assert_null(overrides_find(NULL, OVERRIDE_BLOCK, "m1", 7, NULL));
	overrides_unref(s);
	rcu_drain();
	rcu_leave();
}

static void
test_same(void **state)
{
	struct overrides *a = test_override_set(), *b = test_override_set();

	(void)state;
	rcu_join();
	b->at[1].until_s = 99; /* the end does not matter */
	assert_true(overrides_same(a, b, OVERRIDE_BLOCK, "m1", 7));
	b->at[1].id = 6;
	assert_false(overrides_same(a, b, OVERRIDE_BLOCK, "m1", 7));
	assert_true(overrides_same(a, b, OVERRIDE_BLOCK, "m3", 7));
	assert_false(overrides_same(a, NULL, OVERRIDE_BLOCK, "m3", 7));
	assert_false(overrides_same(NULL, b, OVERRIDE_NO_EXPORT, "m2", 1));
	assert_true(overrides_same(a, NULL, OVERRIDE_BLOCK, "m3", 8));
	assert_true(overrides_same(NULL, NULL, OVERRIDE_BLOCK, "m3", 8));
	overrides_unref(a);
	overrides_unref(b);
	rcu_drain();
	rcu_leave();
}

static void
test_override_says(const struct override *o, const char *want)
{
	struct strbuf b;

	strbuf_init(&b);
	override_print(&b, o);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_words(void **state)
{
	struct override limit = { .kind = OVERRIDE_LIMIT, .limit = 12, .as = 9 }, copy;
	struct overrides *s = test_override_set();

	(void)state;
	rcu_join();
	test_override_says(&s->at[0], "block 10.1.0.0/16+ from as7");
	test_override_says(&s->at[1], "block 10.2.0.0/24 from m1");
	test_override_says(&s->at[2], "no export to m2");
	test_override_says(&limit, "limit 12 from as9");
	for (unsigned k = 0; k < OVERRIDE_KINDS; k++)
		assert_int_equal(
		    override_kind_of(override_kind_key((enum override_kind)k)), k);
	assert_int_equal(override_kind_of("eat"), OVERRIDE_KINDS);
	override_copy(&copy, &s->at[1]);
	copy.reason = mem_strdup(MEM_CONFIG, "leak");
	override_finish(&copy);
	assert_non_null(strstr(copy.text, "override 4 until "));
	assert_non_null(strstr(copy.text, ": leak"));
	override_fini(&copy);
	overrides_unref(s);
	rcu_drain();
	rcu_leave();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_same),
	cmocka_unit_test(test_words),
};

UNIT_MAIN(tests)

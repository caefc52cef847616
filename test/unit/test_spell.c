/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words that are near a misspelled word. */
#include "lib/base/spell.h"
#include "test/lib/unit.h"

static void
test_distance(void **state)
{
	char far[80];

	(void)state;
	assert_int_equal(spell_distance("", ""), 0);
	assert_int_equal(spell_distance("abc", "abc"), 0);
	assert_int_equal(spell_distance("abc", ""), 3);
	assert_int_equal(spell_distance("", "abc"), 3);
	assert_int_equal(spell_distance("rotue", "route"), 1);
	assert_int_equal(spell_distance("shwo", "show"), 1);
	assert_int_equal(spell_distance("ab", "ba"), 1);
	assert_int_equal(spell_distance("badc", "abcd"), 2);
	assert_int_equal(spell_distance("as9999", "as64999"), 2);
	assert_int_equal(spell_distance("kitten", "sitting"), 3);
	memset(far, 'x', sizeof(far) - 1);
	far[sizeof(far) - 1] = 0;
	assert_int_equal(spell_distance(far, far), SPELL_WORD_MAX);
}

/* near - the best of @name, a list that ends with NULL. */
static const char *
test_spell_near(const char *word, const char *const *name)
{
	struct spell s;

	spell_init(&s, word);
	while (*name)
		spell_add(&s, *name++);
	return s.best;
}

static void
test_offer(void **state)
{
	static const char *const name[] = { "as64999", "as64998", "route", "rotate", "t4",
		"master4", "protocols", NULL };

	(void)state;
	assert_string_equal(test_spell_near("as9999", name), "as64999");
	assert_string_equal(test_spell_near("as64988", name), "as64998");
	assert_string_equal(test_spell_near("rotue", name), "route");
	assert_string_equal(test_spell_near("maste4", name), "master4");
	assert_string_equal(
	    test_spell_near("prot", name), "protocols"); /* it begins so */
	assert_null(test_spell_near("p", name)); /* but that says too little */
	assert_null(test_spell_near("x5", name)); /* half of a word is wrong */
	assert_null(test_spell_near("nobody", name));
	assert_null(test_spell_near("", name));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_distance),
	cmocka_unit_test(test_offer),
};

UNIT_MAIN(tests)

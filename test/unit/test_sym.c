/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scopes, growth, and tables on top of others. */
#include "filter/lang/sym.h"
#include "test/lib/unit.h"
#include <stdio.h>

static const struct src_pos at = { "test", 1, 1 };

static void
test_scopes(void **state)
{
	struct sym_table t, top;
	struct sym *a, *b;
	struct arena ar;
	char name[20];
	int i;

	(void)state;
	arena_init(&ar, MEM_OTHER, 4096);
	sym_table_init(&t, &ar, NULL);
	a = sym_define(&t, "x", SYM_CONSTANT, at);
	assert_null(sym_define(&t, "x", SYM_FILTER, at));
	sym_push(&t);
	b = sym_define(&t, "x", SYM_VARIABLE, at);
	assert_non_null(b);
	assert_ptr_equal(sym_find(&t, "x"), b);
	for (i = 0; i < 500; i++) { /* grows while an inner scope is open */
		snprintf(name, sizeof(name), "v%d", i);
		assert_non_null(sym_define(&t, name, SYM_VARIABLE, at));
	}
	assert_ptr_equal(sym_find(&t, "x"), b);
	assert_non_null(sym_find(&t, "v77"));
	sym_pop(&t);
	assert_ptr_equal(sym_find(&t, "x"), a);
	assert_null(sym_find(&t, "v77"));
	assert_ptr_equal(t.first, a);
	assert_null(a->defined);
	sym_table_init(&top, &ar, &t);
	assert_ptr_equal(sym_find(&top, "x"), a);
	b = sym_define(&top, "x", SYM_VARIABLE, at);
	assert_ptr_equal(sym_find(&top, "x"), b);
	assert_ptr_equal(sym_find(&t, "x"), a);
	arena_fini(&ar);
}

static void
test_order(void **state)
{
	struct sym_table t;
	const struct sym *s;
	struct arena ar;
	char name[20];
	int i = 0;

	(void)state;
	arena_init(&ar, MEM_OTHER, 4096);
	sym_table_init(&t, &ar, NULL);
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		sym_define(&t, name, SYM_CONSTANT, at);
	}
	for (i = 0, s = t.first; s; s = s->defined, i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_string_equal(s->name, name);
		assert_ptr_equal(sym_find(&t, name), s);
	}
	assert_int_equal(i, 300);
	assert_string_equal(sym_class_name(SYM_TEMPLATE), "protocol template");
	arena_fini(&ar);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_scopes),
	cmocka_unit_test(test_order),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that BIRD refuses: order, repetition, wording (filter/lang/ext.h). */
#include "filter/lang/ext.h"

#include "test/lib/unit.h"

static void
test_order(void **state)
{
	struct ext_uses u;
	struct strbuf b;

	(void)state;
	ext_init(&u);
	strbuf_init(&b);
	ext_add(&u, (struct src_pos){ "a", 9, 1 }, KNOWN_TERN, "option '%s'", "late");
	ext_add(&u, (struct src_pos){ "a", 3, 8 }, KNOWN_BIRD_3, "function 'early'");
	ext_add(&u, (struct src_pos){ "a", 3, 2 }, KNOWN_TERN, "type 'first'");
	ext_add(&u, (struct src_pos){ "a", 3, 8 }, KNOWN_BIRD_3, "function 'early'");
	ext_add(&u, (struct src_pos){ "a", 3, 8 }, KNOWN_TERN, "an equal place");
	ext_add(&u, (struct src_pos){ "b", 1, 1 }, KNOWN_TERN, "option 'other file'");
	ext_add(&u, (struct src_pos){ "b", 2, 1 }, KNOWN_BIRD_2, "option 'known'");
	ext_add(NULL, (struct src_pos){ "b", 2, 1 }, KNOWN_TERN, "nobody asks");
	assert_int_equal(ext_print(&u, &b), 5);
	assert_string_equal(b.s,
	    "a:3:2 type 'first' is tern's own: bird 2.17 refuses the word\n"
	    "a:3:8 function 'early' is of BIRD 3: bird 2.17 refuses the word\n"
	    "a:3:8 an equal place is tern's own: bird 2.17 refuses the word\n"
	    "a:9:1 option 'late' is tern's own: bird 2.17 refuses the word\n"
	    "b:1:1 option 'other file' is tern's own: bird 2.17 refuses the word\n");
	strbuf_fini(&b);
	ext_fini(&u);
}

static void
test_nothing(void **state)
{
	struct ext_uses u;
	struct strbuf b;

	(void)state;
	ext_init(&u);
	strbuf_init(&b);
	assert_int_equal(ext_print(&u, &b), 0);
	assert_int_equal(b.len, 0);
	strbuf_fini(&b);
	ext_fini(&u);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

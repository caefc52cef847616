/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of the state file: what is printed is parsed again; files that are broken,
 * cut, or of a later version. */
#include "nest/daemon/state.h"
#include "test/lib/unit.h"

#include "lib/base/strbuf.h"

static void
test_state_is_text(const struct state *s, const char *want)
{
	struct strbuf b;

	strbuf_init(&b);
	state_print(s, &b);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_records(void **state)
{
	struct state_rec *r;
	struct state s;

	(void)state;
	state_init(&s);
	test_state_is_text(&s, "tern state 1\nend 0\n");
	r = state_add(&s, "hold", "m1");
	state_set(r, "message", "a \"b\" \\ c\nd");
	state_set(r, "since", "17");
	state_add(&s, "drain", "m1");
	assert_ptr_equal(state_add(&s, "hold", "m1"), state_find(&s, "hold", "m1"));
	test_state_is_text(&s,
	    "tern state 1\n"
	    "hold \"m1\" message=\"a \\\"b\\\" \\\\ c\\nd\" since=\"17\"\n"
	    "drain \"m1\"\nend 2\n");
	state_set(state_find(&s, "hold", "m1"), "message", NULL);
	assert_null(state_get(state_find(&s, "hold", "m1"), "message"));
	assert_string_equal(state_get(state_find(&s, "hold", "m1"), "since"), "17");
	assert_true(state_drop(&s, "hold", "m1"));
	assert_false(state_drop(&s, "hold", "m1"));
	test_state_is_text(&s, "tern state 1\ndrain \"m1\"\nend 1\n");
	state_fini(&s);
}

/* parsed - @text is @want at @line, and @cnt records are there. */
static void
test_state_parsed(const char *text, enum state_result want, uint32_t line, uint32_t cnt)
{
	struct state s;
	uint32_t at;
	const char *why;

	state_init(&s);
	assert_int_equal(state_parse(&s, &at, &why, text, strlen(text)), want);
	if (want != STATE_OK) {
		assert_int_equal(at, line);
		assert_true(strlen(why) > 10);
	}
	assert_int_equal(s.cnt, cnt);
	state_fini(&s);
}

#define TWO                                                                              \
	"tern state 1\nhold \"m1\" message=\"a \\\"b\\\" \\\\ c\\nd\" since=\"17\"\n"    \
	"quota \"m 2\" of=\"1\"\nend 2\n"

/* A text is printed as it was read, unknown kinds too; cut anywhere it is broken, and
 * whole records before the cut are there. */
static void
test_again(void **state)
{
	struct state s;
	uint32_t line;
	const char *why;

	(void)state;
	state_init(&s);
	assert_int_equal(state_parse(&s, &line, &why, TWO, strlen(TWO)), STATE_OK);
	assert_string_equal(
	    state_get(state_find(&s, "hold", "m1"), "message"), "a \"b\" \\ c\nd");
	test_state_is_text(&s, TWO);
	state_fini(&s);
	for (size_t len = 0; len < strlen(TWO); len++) {
		state_init(&s);
		assert_int_equal(state_parse(&s, &line, &why, TWO, len), STATE_BROKEN);
		assert_int_equal(s.cnt, (len > 13 && strchr(TWO + 13, '\n') < TWO + len) +
					    (strstr(TWO, "of=\"1\"\n") + 7 <= TWO + len));
		state_fini(&s);
	}
}

static void
test_broken(void **state)
{
	(void)state;
	test_state_parsed("tern state 1\nend 0\n", STATE_OK, 0, 0);
	test_state_parsed("tern state 2\nwhatever\n", STATE_NEWER, 1, 0);
	test_state_parsed("tern state 2\nhold \"x\"\nend 1\n", STATE_NEWER, 1, 0);
	test_state_parsed("bird state 1\nend 0\n", STATE_BROKEN, 1, 0);
	test_state_parsed("tern state x\nend 0\n", STATE_BROKEN, 1, 0);
	test_state_parsed("tern state 0\nend 0\n", STATE_BROKEN, 1, 0);
	test_state_parsed("tern state 99999999999999999999\n", STATE_BROKEN, 1, 0);
	test_state_parsed("", STATE_BROKEN, 1, 0);
	test_state_parsed(
	    "tern state 1\nhold \"a\"\nhold b\nend 2\n", STATE_BROKEN, 3, 1);
	test_state_parsed(
	    "tern state 1\nhold \"a\"\nhold \"a\"\nend 2\n", STATE_BROKEN, 3, 1);
	test_state_parsed("tern state 1\nhold \"a\" x\nend 1\n", STATE_BROKEN, 2, 0);
	test_state_parsed(
	    "tern state 1\nhold \"a\" x=\"1\" y\nend 1\n", STATE_BROKEN, 2, 0);
	test_state_parsed("tern state 1\nhold \"a\\q\"\nend 1\n", STATE_BROKEN, 2, 0);
	test_state_parsed("tern state 1\nHOLD \"a\"\nend 1\n", STATE_BROKEN, 2, 0);
	test_state_parsed("tern state 1\n\nend 0\n", STATE_BROKEN, 2, 0);
	test_state_parsed("tern state 1\nhold \"a\"\nend 2\n", STATE_BROKEN, 3, 1);
	test_state_parsed("tern state 1\nhold \"a\"\nend 1\nx", STATE_BROKEN, 3, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_records),
	cmocka_unit_test(test_again),
	cmocka_unit_test(test_broken),
};

UNIT_MAIN(tests)

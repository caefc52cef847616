/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets get numbers: equal for equal content, whatever octets brought it. */
#include "test/load/load_set.c"
#include "test/lib/unit.h"

static const struct load_policy policy = { 65000, false, true };

static uint32_t
set_of_text(struct load_sets *ss, const char *attrs, unsigned len)
{
	struct msg_update u = { .attrs = { (const uint8_t *)attrs, len } };

	return load_set_of_update(ss, &u, true);
}

#define SET(ss, text) set_of_text(ss, text, sizeof(text) - 1)

static void
test_numbers(void **state)
{
	struct load_sets ss;
	uint32_t a, b, i, n;
	uint8_t v[7];

	(void)state;
	load_sets_init(&ss, &policy);
	a = SET(&ss, "\x40\x01\x01\x00\x80\x04\x04\0\0\0\1");
	b = SET(&ss, "\x80\x04\x04\0\0\0\1\x40\x01\x01\x00");
	assert_int_equal(a, b);
	assert_int_not_equal(a, 0);
	assert_int_not_equal(a, SET(&ss, "\x40\x01\x01\x00\x80\x04\x04\0\0\0\2"));
	assert_int_equal(SET(&ss, "\x40\x01\x05\x00"), 0);
	/* Growing moves nothing but memory. */
	memcpy(v, "\x80\x04\x04", 3);
	for (n = 0; n < 2; n++)
		for (i = 0; i < 5000; i++) {
			put_be32(v + 3, i);
			b = set_of_text(&ss, (char *)v, sizeof(v));
			assert_int_equal(b, a + 2 + i);
		}
	load_sets_fini(&ss);
}

static void
test_judge(void **state)
{
	const struct load_set *s;
	struct load_sets ss;
	uint32_t id;

	(void)state;
	load_sets_init(&ss, &policy);
	s = load_set_judge(&ss, SET(&ss, "\x40\x01\x01\x00"));
	assert_int_equal(s->local_pref, 100);
	assert_false(s->rejected || s->kept_in || s->controlled);
	s = load_set_judge(&ss, SET(&ss, "\xc0\x08\x04\xfd\xe8\0\1"));
	assert_int_equal(s->local_pref, 90);
	s = load_set_judge(&ss, SET(&ss, "\xc0\x08\x04\xff\xff\xff\1"));
	assert_true(s->kept_in);
	id = SET(&ss, "\xc0\x08\x04\xfd\xe7\0\5");
	s = load_set_judge(&ss, id);
	assert_true(s->controlled);
	assert_true(load_set_denied(&ss, id, 5));
	assert_false(load_set_denied(&ss, id, 4));
	s = load_set_judge(&ss, SET(&ss, "\x40\x02\x06\2\1\0\0\xfd\xe8"));
	assert_true(s->rejected); /* the server's own AS */
	id = SET(&ss, "\x40\x05\x04\0\0\0\1\x40\x01\x01\x00");
	s = load_set_judge(&ss, id);
	assert_int_equal(s->out, SET(&ss, "\x40\x01\x01\x00"));
	load_sets_fini(&ss);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_judge),
};

UNIT_MAIN(tests)

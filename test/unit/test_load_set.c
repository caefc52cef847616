/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets get numbers: equal for equal content, whatever octets brought it. */
#include "test/load/load_set.c"
#include "test/lib/unit.h"

static const struct load_policy policy = { 65000, false, true, 100000, 0,
	{ 0, 0xffff0a000009 } };

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

/* Routes whose next hop no host can have are refused (RFC 4271, 6.3). */
static void
test_next_hop(void **state)
{
	static const struct {
		const char *octets;
		unsigned len;
		bool rejected;
	} hop[] = {
		{ "\x40\x03\x04\x0a\0\0\1", 7, false },
		{ "\x40\x03\x04\xff\0\x71\x0a", 7, true },
		{ "\x40\x03\x04\x0a\0\0\x09", 7, true }, /* the server's */
		{ "\x40\x03\x04\x7f\0\0\1", 7, true },
		{ "\x40\x03\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 19, true },
		{ "\x40\x03\x04\xe0\0\0\5", 7, true },
		{ "\x40\x03\x04\0\0\0\1", 7, true },
		{ "\x40\x03\x10\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 19, false },
		{ "\x40\x03\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 19, true },
		{ "\x40\x03\x10\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 19, true },
		{ "\x40\x03\x10\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 19, true },
	};
	struct load_sets ss;

	(void)state;
	load_sets_init(&ss, &policy);
	for (unsigned i = 0; i < ARRAY_LEN(hop); i++) {
		uint32_t id = set_of_text(&ss, hop[i].octets, hop[i].len);

		assert_int_equal(load_set_judge(&ss, id)->rejected, hop[i].rejected);
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
	assert_false(s->rejected || s->kept_in || s->control);
	s = load_set_judge(&ss, SET(&ss, "\xc0\x08\x04\xfd\xe8\0\1"));
	assert_int_equal(s->local_pref, 90);
	s = load_set_judge(&ss, SET(&ss, "\xc0\x08\x04\xff\xff\xff\1"));
	assert_true(s->kept_in);
	s = load_set_judge(&ss, SET(&ss, "\x40\x02\x06\2\1\0\0\xfd\xe8"));
	assert_true(s->rejected); /* the server's own AS */
	id = SET(&ss, "\x40\x05\x04\0\0\0\1\x40\x01\x01\x00");
	s = load_set_judge(&ss, id);
	assert_int_equal(s->out, SET(&ss, "\x40\x01\x01\x00"));
	load_sets_fini(&ss);
}

/* A set with path 7 8 and large communities (65000, ask, as), by number of client. */
static uint32_t
test_load_set_control(
    struct load_sets *ss, unsigned cnt, const uint32_t *ask, const uint32_t *who)
{
	struct attr_canon c = { 0 };
	uint8_t v[64] = "\2\2\0\0\0\7\0\0\0\10";
	unsigned i;

	attr_canon_add(&c, AF_TRANSITIVE, A_AS_PATH, v, 10);
	for (i = 0; i < cnt; i++) {
		put_be32(v + 12 * i, 65000);
		put_be32(v + 12 * i + 4, ask[i]);
		put_be32(
		    v + 12 * i + 8, who[i] == LOAD_CONTROL_NOBODY ? 0 : 100000 + who[i]);
	}
	if (cnt)
		attr_canon_add(
		    &c, AF_OPTIONAL | AF_TRANSITIVE, A_LARGE_COMMUNITY, v, 12 * cnt);
	i = load_set_intern(ss, (struct span){ c.octet, c.len });
	return load_set_judge(ss, i)->out;
}

#define ASKS(...) ((const uint32_t[]){ __VA_ARGS__ })
#define NOBODY    LOAD_CONTROL_NOBODY

static void
test_control(void **state)
{
	struct load_sets ss;
	struct attr_item it;
	uint32_t id, got;

	(void)state;
	load_sets_init(&ss, &policy);
	id = test_load_set_control(&ss, 0, NULL, NULL);
	assert_null(load_set_judge(&ss, id)->control);
	id = test_load_set_control(&ss, 2, ASKS(0, 0), ASKS(3, 5));
	load_set_judge(&ss, id);
	assert_int_equal(load_set_for(&ss, id, 3), 0);
	assert_int_equal(load_set_for(&ss, id, 4), id);
	assert_int_equal(load_set_for(&ss, id, 5), 0);
	id = test_load_set_control(&ss, 2, ASKS(0, 1), ASKS(NOBODY, 5));
	load_set_judge(&ss, id);
	assert_int_equal(load_set_for(&ss, id, 4), 0);
	assert_int_equal(load_set_for(&ss, id, 5), id);
	id = test_load_set_control(&ss, 2, ASKS(103, 101), ASKS(1, 2));
	load_set_judge(&ss, id);
	assert_int_equal(load_set_for(&ss, id, 0), id);
	got = load_set_for(&ss, id, 1);
	assert_true(attr_find(ss.set[got].canon, A_AS_PATH, &it));
	assert_int_equal(it.value.len, 22);
	assert_memory_equal(
	    it.value.p, "\2\5\0\0\0\7\0\0\0\7\0\0\0\7\0\0\0\7\0\0\0\10", 22);
	got = load_set_for(&ss, id, 2);
	assert_true(attr_find(ss.set[got].canon, A_AS_PATH, &it));
	assert_int_equal(it.value.len, 14);
	load_sets_fini(&ss);
}

static void
test_mark(void **state)
{
	static const char *const in[] = { "\x40\x01\x01\x00", "\xc0\x08\x04\xff\0\0\1",
		"\xc0\x08\x04\xfd\xe8\0\7" };
	static const unsigned len[] = { 4, 7, 7 }, communities[] = { 1, 2, 1 };
	struct load_sets ss;
	struct attr_item it;
	uint32_t id[3], i, out;

	(void)state;
	load_sets_init(&ss, &policy);
	for (i = 0; i < 3; i++) {
		id[i] = set_of_text(&ss, in[i], len[i]);
		assert_int_equal(load_set_judge(&ss, id[i])->out, id[i]);
	}
	load_sets_mark(&ss, 7);
	for (i = 0; i < 3; i++) {
		out = load_set_judge(&ss, id[i])->out;
		assert_true(attr_has_community(ss.set[out].canon, 65000u << 16 | 7));
		assert_true(attr_find(ss.set[out].canon, A_COMMUNITY, &it));
		assert_int_equal(it.value.len, 4 * communities[i]);
		assert_int_equal(load_set_judge(&ss, out)->out, out);
	}
	assert_int_equal(ss.set[id[2]].out, id[2]); /* it had it before */
	load_sets_mark(&ss, 0);
	assert_int_equal(load_set_judge(&ss, id[0])->out, id[0]);
	load_sets_fini(&ss);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_judge),
	cmocka_unit_test(test_next_hop),
	cmocka_unit_test(test_control),
	cmocka_unit_test(test_mark),
};

UNIT_MAIN(tests)

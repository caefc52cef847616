/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Canonical attributes: the same for sessions of both classes, what a route server
 * changes, facts. */
#include "test/load/load_attr.c"
#include "test/lib/unit.h"

static struct span
span_of(const struct attr_canon *c)
{
	return (struct span){ c->octet, c->len };
}

/* A set with a path of @cnt numbers and a set behind it, an aggregator, communities. */
static void
test_load_attr_make(
    struct attr_canon *c, const uint32_t *path, unsigned cnt, bool with_set)
{
	uint8_t v[256];
	unsigned i, len;

	c->len = 0;
	v[0] = 2; /* incomplete */
	attr_canon_add(c, AF_TRANSITIVE, A_ORIGIN, v, 1);
	v[0] = SEG_SEQUENCE;
	v[1] = (uint8_t)cnt;
	for (i = 0; i < cnt; i++)
		put_be32(v + 2 + 4 * i, path[i]);
	len = 2 + 4 * cnt;
	if (with_set) {
		memcpy(v + len, "\1\2\0\0\0\1\0\3\0\0", 10);
		len += 10;
	}
	attr_canon_add(c, AF_TRANSITIVE, A_AS_PATH, v, len);
	attr_canon_add(c, AF_TRANSITIVE, A_NEXT_HOP, "\1\2\3\4", 4);
	attr_canon_add(c, AF_OPTIONAL, A_MED, "\0\0\0\7", 4);
	put_be32(v, path[cnt - 1]);
	attr_canon_add(c, AF_OPTIONAL | AF_TRANSITIVE, A_AGGREGATOR, v, 8);
	attr_canon_add(
	    c, AF_OPTIONAL | AF_TRANSITIVE, A_COMMUNITY, "\xfd\xe8\0\1\xfd\xe8\0\2", 8);
}

/* Through an UPDATE and back. */
static void
test_load_attr_round_trip(
    const struct attr_canon *c, bool as4, enum family fam, struct attr_canon *back)
{
	uint8_t m[2 * MSG_MAX];
	unsigned mp_at, at, len;
	struct msg_update u;

	memset(m, 0, sizeof(m));
	at = len = attr_put_update(m, span_of(c), as4, fam, &mp_at);
	len += msg_put_prefix(m + len, 0x20010db8ull << 32, 0, 32);
	len = attr_finish_update(m, len, at, mp_at);
	assert_int_equal(msg_get_update(&u, m + MSG_HEADER, len - MSG_HEADER), 0);
	assert_int_equal(fam == FAM_IP4 ? u.nlri.len : u.mp_nlri.len, 5);
	assert_int_equal(attr_canonical(back, &u, as4), 0);
}

static void
assert_same(const struct attr_canon *a, const struct attr_canon *b)
{
	assert_int_equal(a->len, b->len);
	assert_memory_equal(a->octet, b->octet, a->len);
}

static void
test_both_classes(void **state)
{
	static const uint32_t small[] = { 1, 2, 3 }, big[] = { 1, 400000, 3, 500000 };
	struct attr_canon c, back;
	unsigned i;

	(void)state;
	for (i = 0; i < 8; i++) {
		test_load_attr_make(&c, i & 1 ? big : small, i & 1 ? 4 : 3, i & 4);
		test_load_attr_round_trip(&c, i & 2, FAM_IP4, &back);
		assert_same(&c, &back);
	}
}

static void
test_ip6(void **state)
{
	static const uint8_t hop[32] = { 0x20, 1, 0xd, 0xb8, [15] = 1, [16] = 0xfe,
		0x80 };
	struct attr_canon c = { 0 }, back;
	unsigned len;

	(void)state;
	for (len = 16; len <= 32; len += 16) {
		c.len = 0;
		attr_canon_add(&c, AF_TRANSITIVE, A_ORIGIN, "\0", 1);
		attr_canon_add(&c, AF_TRANSITIVE, A_AS_PATH, "", 0);
		attr_canon_add(&c, AF_OPTIONAL, A_MP_REACH, hop, len);
		attr_canon_add(&c, AF_OPTIONAL | AF_TRANSITIVE, A_LARGE_COMMUNITY,
		    "\0\0\0\1\0\0\0\2\0\0\0\3", 12);
		test_load_attr_round_trip(&c, true, FAM_IP6, &back);
		assert_same(&c, &back);
	}
}

static int
test_load_attr_canonical(struct attr_canon *c, const char *attrs, unsigned len, bool as4)
{
	struct msg_update u = { .attrs = { (const uint8_t *)attrs, len } };

	return attr_canonical(c, &u, as4);
}

#define CANON(c, text, as4) test_load_attr_canonical(c, text, sizeof(text) - 1, as4)

static void
test_as4_path(void **state)
{
	struct attr_canon c;
	struct attr_item it;

	(void)state;
	/* RFC 6793, 4.2.3: what is in front of AS4_PATH is kept. */
	assert_int_equal(CANON(&c,
			     "\x40\x02\x08\x02\x03\x00\x09\x5b\xa0\x5b\xa0"
			     "\xc0\x11\x0a\x02\x02\x00\x06\x1a\x80\x00\x06\x1a\x81",
			     false),
	    0);
	assert_true(attr_find(span_of(&c), A_AS_PATH, &it));
	assert_int_equal(it.value.len, 14);
	assert_memory_equal(it.value.p, "\2\3\0\0\0\x09\0\x06\x1a\x80\0\x06\x1a\x81", 14);
	/* A longer AS4_PATH is ignored, and so is any between speakers of 4 octets. */
	assert_int_equal(CANON(&c,
			     "\x40\x02\x04\x02\x01\x5b\xa0"
			     "\xc0\x11\x0a\x02\x02\x00\x06\x1a\x80\x00\x06\x1a\x81",
			     false),
	    0);
	assert_true(attr_find(span_of(&c), A_AS_PATH, &it));
	assert_memory_equal(it.value.p, "\2\1\0\0\x5b\xa0", 6);
	assert_false(attr_find(span_of(&c), A_AS4_PATH, &it));
	/* An AGGREGATOR other than AS_TRANS makes both AS4 attributes void. */
	assert_int_equal(CANON(&c,
			     "\x40\x02\x04\x02\x01\x5b\xa0"
			     "\xc0\x07\x06\x00\x05\x01\x02\x03\x04"
			     "\xc0\x11\x06\x02\x01\x00\x06\x1a\x80"
			     "\xc0\x12\x08\x00\x06\x1a\x80\x01\x02\x03\x05",
			     false),
	    0);
	assert_true(attr_find(span_of(&c), A_AS_PATH, &it));
	assert_memory_equal(it.value.p, "\2\1\0\0\x5b\xa0", 6);
	assert_true(attr_find(span_of(&c), A_AGGREGATOR, &it));
	assert_memory_equal(it.value.p, "\0\0\0\x05\1\2\3\4", 8);
}

static void
test_order(void **state)
{
	struct attr_canon a, b;

	(void)state;
	/* Order of attributes, order of communities and the extended-length bit mean
	 * nothing. */
	assert_int_equal(
	    CANON(&a, "\xc0\x08\x08\0\2\0\2\0\1\0\1\x40\x01\x01\x00", true), 0);
	assert_int_equal(
	    CANON(&b, "\x40\x01\x01\x00\xd0\x08\0\x08\0\1\0\1\0\2\0\2", true), 0);
	assert_same(&a, &b);
	/* The partial bit of what we don't know does. */
	assert_int_equal(CANON(&a, "\xc0\xd5\x01\x01", true), 0);
	assert_int_equal(CANON(&b, "\xe0\xd5\x01\x01", true), 0);
	assert_memory_not_equal(a.octet, b.octet, a.len);
	attr_exported(&b, span_of(&a));
	assert_int_equal(b.octet[0], 0xe0);
}

static void
test_exported(void **state)
{
	struct attr_canon c = { 0 }, out;
	struct attr_item it;

	(void)state;
	attr_canon_add(&c, AF_TRANSITIVE, A_LOCAL_PREF, "\0\0\0\1", 4);
	attr_canon_add(&c, AF_OPTIONAL, A_ORIGINATOR, "\0\0\0\1", 4);
	attr_canon_add(&c, AF_OPTIONAL | AF_TRANSITIVE, A_EXT_COMMUNITY,
	    "\x40\2\0\0\0\0\0\1\0\2\0\0\0\0\0\2", 16);
	attr_canon_add(&c, AF_OPTIONAL, 100, "x", 1);
	attr_exported(&out, span_of(&c));
	assert_true(attr_find(span_of(&out), A_EXT_COMMUNITY, &it));
	assert_int_equal(it.value.len, 8);
	assert_int_equal(it.value.p[7], 2);
	assert_int_equal(out.len, 12);
}

static void
test_facts(void **state)
{
	static const uint32_t path[] = { 7, 8, 9 };
	struct attr_canon c;
	struct attr_facts f;
	struct strbuf b;

	(void)state;
	test_load_attr_make(&c, path, 3, true);
	attr_facts(&f, span_of(&c), 8);
	assert_int_equal(f.path_len, 4);
	assert_int_equal(f.path_first, 7);
	assert_int_equal(f.med, 7);
	assert_int_equal(f.origin, 2);
	assert_true(f.path_has_as);
	attr_facts(&f, span_of(&c), 10);
	assert_false(f.path_has_as);
	assert_true(attr_has_community(span_of(&c), 65000u << 16 | 2));
	assert_false(attr_has_community(span_of(&c), 65000u << 16 | 3));
	strbuf_init(&b);
	attr_print(&b, span_of(&c));
	assert_non_null(strstr(b.s, "origin incomplete; path 7 8 9 {1 196608}; "
				    "next hop 1.2.3.4; med 7"));
	assert_non_null(strstr(b.s, "community 65000:1 65000:2"));
	strbuf_fini(&b);
}

static void
test_malformed(void **state)
{
	struct attr_canon c;

	(void)state;
	assert_int_equal(CANON(&c, "\x40\x02\x05\x02\x02\x00\x01\x00", false), -EPROTO);
	assert_int_equal(CANON(&c, "\x40\x02\x05\x02\x01\x00\x01\x00", true), -EPROTO);
	assert_int_equal(CANON(&c, "\xc0\x07\x05\x02\x01\x00\x01\x00", false), -EPROTO);
	assert_int_equal(CANON(&c, "\x40\x01\x02\x00", true), -EPROTO);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_both_classes),
	cmocka_unit_test(test_ip6),
	cmocka_unit_test(test_as4_path),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_exported),
	cmocka_unit_test(test_facts),
	cmocka_unit_test(test_malformed),
};

UNIT_MAIN(tests)

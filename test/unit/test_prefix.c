/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefixes: all of /0 to /4 in both families against bits, wire forms, text. */
#include "lib/net/prefix.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

/* bit - bit @i of the address of @p, 0 being the first of its family. */
static unsigned
test_prefix_bit(const struct prefix *p, unsigned i)
{
	if (p->fam == FAM_IP4)
		return ip_to_v4(p->addr) >> (31 - i) & 1;
	return (i < 64 ? p->addr.hi >> (63 - i) : p->addr.lo >> (127 - i)) & 1;
}

static bool
contains_model(const struct prefix *a, const struct prefix *b)
{
	if (a->fam != b->fam || a->len > b->len)
		return false;
	for (unsigned i = 0; i < a->len; i++)
		if (test_prefix_bit(a, i) != test_prefix_bit(b, i))
			return false;
	return true;
}

/* small - prefix number @n of the 31 of /0 to /4, moved @shift bits down in its family.
 */
static struct prefix
test_prefix_small(unsigned n, enum family fam, unsigned shift)
{
	unsigned len = 31 - (unsigned)__builtin_clz(n + 1);
	uint64_t bits = n + 1 - (1u << len);
	struct ip_addr a = IP_NONE;
	__uint128_t v = 0;

	if (len)
		v = (__uint128_t)bits << (128 - len) >> shift;
	a.hi = (uint64_t)(v >> 64);
	a.lo = (uint64_t)v;
	return prefix_make(
	    fam == FAM_IP4 ? ip4((uint32_t)(a.hi >> 32)) : a, len + shift, fam);
}

static void
check_pair(const struct prefix *a, const struct prefix *b)
{
	int c = prefix_cmp(a, b);

	assert_int_equal(prefix_contains(a, b), contains_model(a, b));
	assert_int_equal(prefix_equal(a, b), contains_model(a, b) && a->len == b->len);
	assert_int_equal(c == 0, prefix_equal(a, b));
	assert_int_equal(c<0, prefix_cmp(b, a)> 0);
	if (!prefix_equal(a, b) && prefix_contains(a, b))
		assert_true(c < 0);
	assert_int_equal(prefix_has_ip(a, b->addr),
	    a->fam == b->fam &&
		contains_model(a,
		    &(struct prefix){ b->addr, b->fam == FAM_IP4 ? 32 : 128, b->fam }));
	if (!prefix_equal(a, b))
		assert_true(prefix_hash(9, a) != prefix_hash(9, b));
}

static void
test_small(void **state)
{
	static const unsigned shift[] = { 0, 14, 28, 62, 124 };

	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(shift); s++)
		for (unsigned i = 0; i < 62; i++)
			for (unsigned k = 0; k < 62; k++) {
				struct prefix a, b;

				if (shift[s] > 28 && (i < 31 || k < 31))
					continue;
				a = test_prefix_small(i % 31, i / 31, shift[s]);
				b = test_prefix_small(k % 31, k / 31, shift[s]);
				check_pair(&a, &b);
			}
}

static void
test_wire(void **state)
{
	struct seed s = seed_start("prefix");

	(void)state;
	for (uint32_t i = 0; i < seed_rounds(50000); i++) {
		uint8_t buf[PREFIX_WIRE_MAX + 16];
		enum family fam = seed_below(&s, 2);
		unsigned len = seed_below(&s, fam == FAM_IP4 ? 33 : 129), octets;
		struct ip_addr a = { seed_u64(&s), seed_u64(&s) };
		struct prefix p = prefix_make(
		    fam == FAM_IP4 ? ip4((uint32_t)a.lo) : a, len, fam);
		struct prefix back;

		memset(buf, 0xaa, sizeof(buf));
		octets = prefix_put(buf, &p);
		assert_int_equal(octets, 1 + (len + 7) / 8);
		assert_int_equal(octets, prefix_wire_len(len));
		assert_int_equal(buf[0], len);
		for (unsigned k = 0; k < len; k++)
			assert_int_equal(
			    buf[1 + k / 8] >> (7 - k % 8) & 1, test_prefix_bit(&p, k));
		/* What lies behind, also in the last octet, doesn't matter. */
		memset(buf + octets, 0xff, sizeof(buf) - octets);
		if (len % 8)
			buf[octets - 1] |= (uint8_t)(0xff >> len % 8);
		assert_int_equal(prefix_get(&back, buf, fam), octets);
		assert_true(prefix_equal(&p, &back));
	}
}

static void
test_text(void **state)
{
	struct seed s = seed_start("prefix");
	char buf[PREFIX_STR_MAX];
	struct prefix p, back;

	(void)state;
	for (unsigned fam = 0; fam < FAM_CNT; fam++)
		for (unsigned len = 0; len <= (fam == FAM_IP4 ? 32 : 128); len++) {
			struct ip_addr a = { seed_u64(&s), seed_u64(&s) };

			p = prefix_make(
			    fam == FAM_IP4 ? ip4((uint32_t)a.hi) : a, len, fam);
			assert_int_equal(prefix_parse(&back, prefix_str(buf, &p)), 0);
			assert_true(prefix_equal(&p, &back));
		}
	assert_int_equal(prefix_parse(&p, "::ffff:0:0/96"), 0);
	assert_int_equal(p.fam, FAM_IP6);
	assert_string_equal(prefix_str(buf, &p), "::ffff:0:0/96");
	assert_int_equal(prefix_parse(&p, "0.0.0.0/0"), 0);
	assert_int_equal(p.fam, FAM_IP4);
	assert_string_equal(prefix_scan(&p, "10.0.0.0/8{9,24}"), "{9,24}");
	assert_string_equal(prefix_scan(&p, "10.1.2.3/8+"), "+");
	assert_int_equal(p.len, 8);
}

static void
test_bad(void **state)
{
	static const char *const bad[] = { "", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33",
		"10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/8 ", "10.0.0/8", "::/129",
		"::/0128", "::/ 1", "/8", "10.0.0.0/00", "10.0.0.0/4294967304" };
	static const char *const host[] = { "10.0.0.1/8", "0.0.0.1/0", "128.0.0.0/0",
		"10.0.0.1/31", "::1/127", "8000::/0", "2001:db8::1/64", "0:0:0:1::/63" };
	struct prefix p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(prefix_parse(&p, bad[i]), -EINVAL);
	for (size_t i = 0; i < ARRAY_LEN(host); i++)
		assert_int_equal(prefix_parse(&p, host[i]), -ERANGE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_small),
	cmocka_unit_test(test_wire),
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_bad),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NLRI against a plain loop: the guessing of groups must not change what is right. */
#include "lib/wire/bgp/bgp_nlri.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define MAX_CNT 300

static int
test_bgp_nlri_naive_check(enum family fam, const uint8_t *p, size_t len)
{
	size_t pos = 0;
	int cnt = 0;

	for (; pos < len; cnt++) {
		if (p[pos] > (fam == FAM_IP4 ? 32 : 128))
			return -EINVAL;
		pos += prefix_wire_len(p[pos]);
	}
	return pos == len ? cnt : -EINVAL;
}

static size_t
test_bgp_nlri_naive_fit(const uint8_t *p, size_t len, size_t room)
{
	size_t pos = 0;

	while (pos < len && pos + prefix_wire_len(p[pos]) <= room)
		pos += prefix_wire_len(p[pos]);
	return pos;
}

/* Prefixes at the start of @p, mostly /17 to /24. Returns: octets. */
static size_t
test_bgp_nlri_make(
    struct seed *s, uint8_t *p, enum family fam, unsigned cnt, unsigned odd)
{
	size_t len = 0;

	for (unsigned i = 0; i < cnt; i++) {
		unsigned bits = 17 + seed_below(s, 8);

		if (seed_chance(s, odd))
			bits = seed_below(s, fam == FAM_IP4 ? 33 : 129);
		p[len] = (uint8_t)bits;
		for (unsigned k = 1; k < prefix_wire_len(bits); k++)
			p[len + k] = (uint8_t)seed_u64(s);
		len += prefix_wire_len(bits);
	}
	return len;
}

static void
test_random(void **state)
{
	struct seed s = seed_start("bgp_nlri");
	static uint8_t p[MAX_CNT * PREFIX_WIRE_MAX + 16];

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		enum family fam = seed_below(&s, 2);
		unsigned cnt = seed_below(&s, MAX_CNT);
		size_t len = test_bgp_nlri_make(&s, p, fam, cnt, 1 + seed_below(&s, 40));
		size_t room = seed_below(&s, (uint32_t)len + 20);

		assert_int_equal(nlri_check(fam, p, len), cnt);
		assert_int_equal(
		    nlri_fit(fam, p, len, room), test_bgp_nlri_naive_fit(p, len, room));
		if (!len)
			continue;
		assert_int_equal(nlri_check(fam, p, len - 1),
		    test_bgp_nlri_naive_check(fam, p, len - 1));
		p[seed_below(&s, (uint32_t)len)] = (uint8_t)seed_u64(&s);
		assert_int_equal(
		    nlri_check(fam, p, len), test_bgp_nlri_naive_check(fam, p, len));
	}
}

/* with_ids - the prefixes of @p with path identifiers before them. Returns: octets. */
static size_t
with_ids(struct seed *s, uint8_t *to, const uint8_t *p, size_t len)
{
	size_t pos = 0, out = 0, one;

	for (; pos < len; pos += one, out += one) {
		one = prefix_wire_len(p[pos]);
		put_be32(to + out, (uint32_t)seed_u64(s));
		out += NLRI_ID_LEN;
		memcpy(to + out, p + pos, one);
	}
	return out;
}

static void
test_ids(void **state)
{
	struct seed s = seed_start("bgp_nlri ids");
	static uint8_t p[MAX_CNT * PREFIX_WIRE_MAX + 16],
	    q[MAX_CNT * (NLRI_ID_LEN + PREFIX_WIRE_MAX) + 16];

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		enum family fam = seed_below(&s, 2);
		unsigned cnt = 1 + seed_below(&s, MAX_CNT - 1), whole = 0;
		size_t len = with_ids(&s, q, p, test_bgp_nlri_make(&s, p, fam, cnt, 10)),
		       pos = 0, last;
		size_t room = seed_below(&s, (uint32_t)len + 20);

		assert_int_equal(nlri_check_ids(fam, q, len), cnt);
		for (last = 0; pos < len && pos <= room; whole++) {
			last = pos;
			pos += NLRI_ID_LEN + prefix_wire_len(q[pos + NLRI_ID_LEN]);
		}
		assert_int_equal(nlri_fit_ids(q, len, room), pos <= room ? pos : last);
		assert_int_equal(nlri_check_ids(fam, q, last), whole - 1);
		for (unsigned cut = 1; cut < NLRI_ID_LEN + 1; cut++)
			assert_int_equal(nlri_check_ids(fam, q, last + cut), -EINVAL);
		q[last + NLRI_ID_LEN] = (uint8_t)(family_bits(fam) + 1 +
						  seed_below(&s, 50));
		assert_int_equal(nlri_check_ids(fam, q, len), -EINVAL);
	}
}

/* Each length octet alone, in each place of a group. */
static void
test_lengths(void **state)
{
	uint8_t p[GROUP_LEN + 64];

	(void)state;
	for (unsigned at = 0; at < GROUP; at++)
		for (unsigned bits = 0; bits < 256; bits++) {
			memset(p, 24, sizeof(p));
			p[4 * at] = (uint8_t)bits;
			assert_int_equal(nlri_check(FAM_IP4, p, GROUP_LEN),
			    test_bgp_nlri_naive_check(FAM_IP4, p, GROUP_LEN));
			assert_int_equal(nlri_check(FAM_IP6, p, GROUP_LEN),
			    test_bgp_nlri_naive_check(FAM_IP6, p, GROUP_LEN));
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_ids),
	cmocka_unit_test(test_lengths),
};

UNIT_MAIN(tests)

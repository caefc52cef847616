/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of prefixes with origins against a list of the entries: all prefixes of up to 9
 * bits are asked about random sets of short prefixes. */
#include "filter/set/origin_set.c"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define ENTRIES 600
#define BITS    9 /* of the prefixes that the sets are asked about */
#define ORIGINS 4
#define SETS    60

static struct arena arena;
static struct seed seed;

static uint32_t
test_origin_below(uint32_t n)
{
	return seed_below(&seed, n);
}

/* test_origin_net - the prefix with the first @len bits of @bits; @deep: of IPv6, behind
 * 96 bits in common. */
static struct prefix
test_origin_net(enum family f, bool deep, uint32_t bits, unsigned len)
{
	struct ip_addr a = { 0, 0 };

	if (f == FAM_IP4)
		return prefix_make(ip4(bits << (32 - BITS)), len, f);
	if (!deep) {
		a.hi = (uint64_t)bits << (64 - BITS);
		return prefix_make(a, len, f);
	}
	a.hi = 0x20010db800000000;
	a.lo = (uint64_t)bits << (32 - BITS);
	return prefix_make(a, 96 + len, f);
}

static struct origin_entry
test_origin_entry(enum family f, bool deep)
{
	struct prefix p = test_origin_net(
	    f, deep, test_origin_below(1u << BITS), test_origin_below(BITS + 1));
	uint8_t lo = (uint8_t)(p.len + test_origin_below(3)), hi;

	if (lo > family_bits(f))
		lo = p.len;
	hi = (uint8_t)(lo + test_origin_below(4));
	return (struct origin_entry){ .addr = p.addr,
		.origin = test_origin_below(ORIGINS),
		.len = p.len,
		.lo = lo,
		.hi = hi > family_bits(f) ? lo : hi,
		.fam = p.fam };
}

/* test_origin_model - as the manual has the results. */
static enum irr_state
test_origin_model(
    const struct origin_entry *e, uint32_t cnt, const struct prefix *p, uint32_t asn)
{
	bool covered = false, length = false;

	for (uint32_t i = 0; i < cnt; i++) {
		struct prefix q = { e[i].addr, e[i].len, e[i].fam };

		if (!prefix_contains(&q, p))
			continue;
		covered = true;
		if (p->len < e[i].lo || p->len > e[i].hi)
			continue;
		length = true;
		if (e[i].origin == asn)
			return IRR_VALID;
	}
	return length ? IRR_ORIGIN : covered ? IRR_LENGTH : IRR_PREFIX;
}

static void
test_origin_ask_all(const struct origin_set *s, const struct origin_entry *e,
    uint32_t cnt, enum family f, bool deep)
{
	for (unsigned len = 0; len <= BITS; len++)
		for (uint32_t bits = 0; bits < 1u << len; bits++) {
			struct prefix p = test_origin_net(
			    f, deep, bits << (BITS - len), len);
			uint32_t asn = test_origin_below(ORIGINS + 1);
			char text[PREFIX_STR_MAX];

			if (origin_set_check(s, &p, asn) !=
			    test_origin_model(e, cnt, &p, asn))
				fail_msg("%s as %u: %d in place of %d, of %u entries",
				    prefix_str(text, &p), asn,
				    origin_set_check(s, &p, asn),
				    test_origin_model(e, cnt, &p, asn), cnt);
		}
}

static void
test_origin_shuffle(struct origin_entry *e, uint32_t cnt)
{
	for (uint32_t i = cnt; i > 1; i--) {
		uint32_t k = test_origin_below(i);
		struct origin_entry swap = e[k];

		e[k] = e[i - 1];
		e[i - 1] = swap;
	}
}

static void
test_random(void **state)
{
	struct origin_entry e[ENTRIES + 1], given[ENTRIES + 1];
	uint64_t a[2], b[2];

	(void)state;
	for (unsigned turn = 0; turn < SETS; turn++) {
		uint32_t cnt = test_origin_below(turn % 3 ? 40 : ENTRIES) + 1;
		bool deep = turn % 2;
		const struct origin_set *s;

		arena_reset(&arena);
		for (uint32_t i = 0; i < cnt; i++)
			given[i] = test_origin_entry(
			    test_origin_below(2) ? FAM_IP4 : FAM_IP6, deep);
		memcpy(e, given, sizeof(e));
		s = origin_set_build(&arena, e, cnt);
		test_origin_ask_all(s, given, cnt, FAM_IP4, deep);
		test_origin_ask_all(s, given, cnt, FAM_IP6, deep);
		origin_set_hash(s, a);
		/* another order and an entry twice make the same set */
		memcpy(e, given, sizeof(e));
		e[cnt] = e[0];
		test_origin_shuffle(e, cnt + 1);
		s = origin_set_build(&arena, e, cnt + 1);
		origin_set_hash(s, b);
		assert_true(a[0] == b[0] && a[1] == b[1]);
		/* a changed origin makes another set */
		memcpy(e, given, sizeof(e));
		e[test_origin_below(cnt)].origin += ORIGINS;
		origin_set_hash(origin_set_build(&arena, e, cnt), b);
		assert_true(a[0] != b[0] && a[1] != b[1]);
	}
}

static void
test_text(void **state)
{
	struct origin_entry e[] = {
		{ ip4(0x0a000000), 7, 8, 8, 32, FAM_IP4 },
		{ ip4(0xc0000200), 9, 24, 24, 24, FAM_IP4 },
		{ ip4(0xc0000200), 9, 24, 24, 24, FAM_IP4 },
		{ ip4(0xc0000200), 8, 24, 25, 26, FAM_IP4 },
		{ { 0x20010db800000000, 0 }, 1, 32, 32, 48, FAM_IP6 },
		{ { 0, 1 }, 2, 128, 128, 128, FAM_IP6 },
	};
	const struct origin_set *s = origin_set_build(&arena, e, ARRAY_LEN(e));
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	origin_set_print(&b, s);
	assert_string_equal(b.s,
	    "[10.0.0.0/8+ as 7, 192.0.2.0/24{25,26} as 8, 192.0.2.0/24 as 9, ::1/128 as "
	    "2, 2001:db8::/32{32,48} as 1]");
	assert_int_equal(origin_set_size(s), 5);
	strbuf_reset(&b);
	origin_set_print(&b, origin_set_build(&arena, e, 0));
	assert_string_equal(b.s, "[]");
	strbuf_fini(&b);
}

/* Two entries of one prefix leave a gap of lengths between them. */
static void
test_holes(void **state)
{
	struct origin_entry e[] = {
		{ ip4(0x0a000000), 1, 8, 8, 10, FAM_IP4 },
		{ ip4(0x0a000000), 2, 8, 16, 16, FAM_IP4 },
	};
	const struct origin_set *s = origin_set_build(&arena, e, ARRAY_LEN(e));
	struct prefix p = prefix_make(ip4(0x0a010000), 12, FAM_IP4);

	(void)state;
	assert_int_equal(origin_set_check(s, &p, 1), IRR_LENGTH);
	p.len = 16;
	assert_int_equal(origin_set_check(s, &p, 1), IRR_ORIGIN);
	assert_int_equal(origin_set_check(s, &p, 2), IRR_VALID);
	p.len = 17;
	assert_int_equal(origin_set_check(s, &p, 2), IRR_LENGTH);
}

static int
test_origin_set_prepare(void **state)
{
	(void)state;
	seed = seed_start("test_origin_set");
	arena_init(&arena, MEM_OTHER, 4096);
	return 0;
}

static int
test_origin_set_end(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_holes),
	};

	return cmocka_run_group_tests(
	    tests, test_origin_set_prepare, test_origin_set_end);
}

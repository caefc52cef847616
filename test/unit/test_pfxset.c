/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefix sets against their definition: every prefix of a small domain, and random
 * ones. */
#include "filter/set/pfxset.c"
#include "test/lib/pfx_naive.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"

#define PATTERNS 150

static struct pfx_pattern
test_pfxset_random_pattern(struct seed *s, enum family fam, unsigned bits)
{
	unsigned max = fam == FAM_IP4 ? 32 : 128, kind = seed_below(s, 4);
	unsigned len = seed_below(s, bits + 1);
	struct ip_addr ip = fam == FAM_IP4 ? ip4((uint32_t)seed_u64(s))
					   : (struct ip_addr){ seed_u64(s), seed_u64(s) };
	struct pfx_pattern p;

	if (seed_chance(s, 20))
		len = seed_below(s, max + 1);
	p = (struct pfx_pattern){ prefix_make(ip, len, fam).addr, (uint8_t)len,
		(uint8_t)len, (uint8_t)len, (uint8_t)fam };
	if (kind == 1) {
		p.hi = (uint8_t)max;
	} else if (kind == 2) {
		p.lo = 0;
	} else if (kind == 3) {
		p.lo = (uint8_t)seed_below(s, bits + 2);
		p.hi = (uint8_t)(p.lo + seed_below(s, 4));
		if (p.hi > max)
			p.hi = (uint8_t)max;
	}
	return p;
}

/* All prefixes up to @bits, which overlap a lot with patterns of the same size. */
static void
compare_small(const struct pfxset *set, const struct pfx_pattern *pat, uint32_t cnt,
    enum family fam, unsigned bits)
{
	unsigned len;
	uint64_t k;

	for (len = 0; len <= bits; len++) {
		for (k = 0; k < 1u << len; k++) {
			uint64_t hi = len ? k << (64 - len) : 0;
			struct ip_addr ip = fam == FAM_IP4 ? ip4((uint32_t)(hi >> 32))
							   : (struct ip_addr){ hi, 0 };
			struct prefix p = prefix_make(ip, len, fam);

			assert_int_equal(
			    pfxset_has(set, &p), pfx_naive_has(pat, cnt, &p));
		}
	}
}

static void
test_against_naive(void **state)
{
	struct seed s = seed_start("pfxset");
	struct pfx_pattern pat[PATTERNS], sorted[PATTERNS];
	uint32_t round, i, k;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	for (round = 0; round < seed_rounds(300); round++) {
		enum family fam = seed_below(&s, 2);
		unsigned bits = 3 + seed_below(&s, 4);
		uint32_t cnt = seed_below(&s, PATTERNS);
		const struct pfxset *set;

		for (i = 0; i < cnt; i++)
			pat[i] = test_pfxset_random_pattern(&s, fam, bits);
		memcpy(sorted, pat, sizeof(pat));
		set = pfxset_build(&a, sorted, cnt);
		compare_small(set, pat, cnt, fam, bits);
		for (k = 0; k < 50 && cnt; k++) { /* near the patterns, at any length */
			const struct pfx_pattern *near = &pat[seed_below(&s, cnt)];
			unsigned max = fam == FAM_IP4 ? 32 : 128;
			struct ip_addr ip = near->addr;
			struct prefix p;

			ip.lo ^= seed_chance(&s, 2) ? 1ull << seed_below(&s, 32) : 0;
			p = prefix_make(ip, seed_below(&s, max + 1), fam);
			assert_int_equal(
			    pfxset_has(set, &p), pfx_naive_has(pat, cnt, &p));
		}
		arena_reset(&a);
	}
	arena_fini(&a);
}

/* Equal sets have equal hashes, however they were written. */
static void
test_hash(void **state)
{
	struct pfx_pattern x[] = {
		{ ip4(0x0a000000), 8, 8, 32, FAM_IP4 },
		{ ip4(0x0a010000), 16, 16, 24, FAM_IP4 }, /* within the first */
		{ ip4(0xc0a80000), 16, 16, 16, FAM_IP4 },
	};
	struct pfx_pattern y[] = {
		{ ip4(0xc0a80000), 16, 16, 16, FAM_IP4 },
		{ ip4(0x0a000000), 8, 20, 32, FAM_IP4 },
		{ ip4(0x0a000000), 8, 8, 22, FAM_IP4 },
	};
	uint64_t hx[2], hy[2];
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	pfxset_hash(pfxset_build(&a, x, 3), hx);
	pfxset_hash(pfxset_build(&a, y, 3), hy);
	assert_memory_equal(hx, hy, sizeof(hx));
	y[0].hi = 17;
	pfxset_hash(pfxset_build(&a, y, 3), hy);
	assert_memory_not_equal(hx, hy, sizeof(hx));
	arena_fini(&a);
}

/* Sets of many blocks. */
static void
test_large(void **state)
{
	enum { CNT = 20000 };
	struct pfx_pattern *pat = calloc(CNT, sizeof(*pat));
	struct seed s = seed_start("pfxset large");
	const struct pfxset *set;
	uint32_t i, hits = 0;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 65536);
	for (i = 0; i < CNT; i++) {
		uint32_t ip = (uint32_t)seed_u64(&s);

		pat[i] = (struct pfx_pattern){ ip4(ip & mask4(24)), 24, 24, 24, FAM_IP4 };
	}
	set = pfxset_build(&a, pat, CNT);
	for (i = 0; i < CNT; i++) {
		struct prefix p = prefix_make(pat[i].addr, 24, FAM_IP4);
		struct prefix q = prefix_make(pat[i].addr, 25, FAM_IP4);

		hits += pfxset_has(set, &p);
		assert_false(pfxset_has(set, &q));
	}
	assert_int_equal(hits, CNT);
	assert_true(arena_used(&a) < CNT * 40);
	arena_fini(&a);
	free(pat);
}

/* The text of a small set is what could be written for it; of a large one it is a
 * number. */
static void
test_print(void **state)
{
	static const struct {
		uint32_t v4;
		uint8_t len, lo, hi;
	} rows[] = {
		{ 0xc0a80000, 16, 24, 28 },
		{ 0x0a000000, 8, 8, 32 },
		{ 0x0a000000, 8, 8, 32 },
		{ 0x0b000000, 8, 0, 8 },
		{ 0x0c000000, 8, 8, 8 },
		{ 0x0c000000, 8, 4, 10 },
	};
	struct pfx_pattern pat[PRINT_MAX + 1];
	struct arena a;
	struct strbuf b;

	(void)state;
	arena_init(&a, MEM_CONFIG, 4096);
	strbuf_init(&b);
	for (uint32_t i = 0; i < PRINT_MAX + 1; i++)
		pat[i] = (struct pfx_pattern){ ip4(i << 9), 24, 24, 24, FAM_IP4 };
	pfxset_print(&b, pfxset_build(&a, pat, PRINT_MAX + 1));
	strbuf_addf(&b, " ");
	for (uint32_t i = 0; i < ARRAY_LEN(rows); i++)
		pat[i] = (struct pfx_pattern){ ip4(rows[i].v4), rows[i].len, rows[i].lo,
			rows[i].hi, FAM_IP4 };
	pfxset_print(&b, pfxset_build(&a, pat, ARRAY_LEN(rows)));
	assert_string_equal(b.s,
	    "[202 ranges of prefixes] [10.0.0.0/8+, 11.0.0.0/8-, 12.0.0.0/8, "
	    "12.0.0.0/8{4,10}, 192.168.0.0/16{24,28}]");
	strbuf_fini(&b);
	arena_fini(&a);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_against_naive),
	cmocka_unit_test(test_hash),
	cmocka_unit_test(test_print),
	cmocka_unit_test(test_large),
};

UNIT_MAIN(tests)

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table image against a naive model: prefixes come, change and go in batches; after
 * each publication the borders of all changed prefixes, addresses in random prefixes
 * and random addresses are looked up, one by one and in bulks of each length, by plain C,
 * AVX2 and AVX-512.
 * The model is a set of exact prefixes, searched from the longest prefix to the shortest.
 *
 * With TERN_SOAK: 10,000 batches with 10,000 keys each, and 10^8 keys after each 1,000
 * batches, with a line of progress. Each 1,000 batches the model writes its answers as
 * intervals: the prefixes cut the addresses into intervals, and the search from the
 * longest prefix to the shortest gives the answer of the first address of each interval.
 * A binary search in the intervals serves the 10^8 keys. TERN_PART names a single test:
 * `make check-long` runs each test as a piece with a time limit of its own. */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("popcnt") /* else ternfib_inline4 is a call */
#endif
#include "lib/fib/fib_build.h"
#include "lib/fib/ternfib.h"
#include "lib/mem/mem.h"
#include "test/lib/seed.h"
#include "test/lib/unit.h"
#include <errno.h>
#include <unistd.h>

#define POOL   6000u
#define PLACES 16384u
#define HOPS   300u
#define KEYS   64u

/* Which prefixes and which form of the image a run has. */
enum shape {
	MIXED, /* all lengths; chunks of each kind */
	SHORT, /* IPv4 up to /24 and few next hops: octets */
	DENSE, /* IPv6 in one /24: keys with all levels of groups */
	FEW_KEYS /* IPv6, and a builder that takes chunks instead of more than 40 keys */
};

/* What the model knows of one prefix. */
struct known {
	struct prefix p;
	uint32_t hop; /* 1 to HOPS; 0: the prefix is not announced */
};

/* The addresses from @first up to the next interval have one answer. */
struct interval {
	struct ip_addr first;
	uint32_t hop;
};

struct model {
	struct seed seed;
	enum family fam;
	enum shape shape;
	uint32_t hops;
	struct fib *fib;
	struct ternfib *reader;
	char path[64];
	struct known known[POOL];
	uint32_t place[PLACES]; /* open addressing: index in known + 1 */
	uint64_t value[HOPS + 1];
	uint32_t bits; /* how many bits a length may have */
	bool has_len[129];
	struct interval *interval; /* NULL: the search of prefixes answers */
	uint32_t interval_cnt;
	uint64_t looks; /* calls of prop_fib_look */
};

static const uint32_t community[] = { 65000u << 16 | 1, 65000u << 16 | 2 };

/* ---- the model ---- */

static uint32_t *
prop_fib_place(struct model *m, const struct prefix *p)
{
	uint32_t i = (uint32_t)prefix_hash(3, p) % PLACES;

	while (m->place[i] && !prefix_equal(&m->known[m->place[i] - 1].p, p))
		i = (i + 1) % PLACES;
	return &m->place[i];
}

static uint32_t
prop_fib_expect(struct model *m, struct ip_addr a)
{
	for (unsigned len = m->bits + 1; len-- > 0;) {
		struct prefix p;
		const uint32_t *at;

		if (!m->has_len[len])
			continue;
		p = prefix_make(a, len, m->fam);
		at = prop_fib_place(m, &p);
		if (*at && m->known[*at - 1].hop)
			return m->known[*at - 1].hop;
	}
	return 0;
}

static int
prop_fib_interval_cmp(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return ip_cmp(x->first, y->first);
}

/* prop_fib_answer - the next hop of @a by the intervals, or by the prefixes. */
static uint32_t
prop_fib_answer(struct model *m, struct ip_addr a)
{
	const struct interval *from = m->interval;

	if (!from)
		return prop_fib_expect(m, a);
	for (uint32_t cnt = m->interval_cnt; cnt > 1;) {
		uint32_t half = cnt / 2;

		from = ip_cmp(from[half].first, a) <= 0 ? from + half : from;
		cnt -= half;
	}
	return from->hop;
}

static struct prefix
prop_fib_draw(struct model *m)
{
	struct seed *s = &m->seed;
	unsigned len = seed_below(s, m->bits + 1);
	struct ip_addr a = { seed_u64(s), seed_u64(s) };

	if (!seed_chance(s, 4)) {
		a.hi &= 0x0001010701030303ull; /* few patterns: prefixes meet */
		a.lo &= 0x8000000000000101ull;
	}
	if (seed_chance(s, 2))
		len = len / 8 * 8;
	if (!seed_chance(s, 4) && len > 48)
		len = 17 + len % 32;
	if (m->shape == DENSE && (len > 24 || !seed_chance(s, 20))) {
		a.hi = 0x20010d0000000000ull | seed_u64(s) >> 24;
		len = 25 + len % 32;
	}
	if (m->shape == SHORT && len > 24)
		len = 8 + len % 17;
	if (m->fam == FAM_IP4)
		a = ip4((uint32_t)(a.hi >> 16));
	return prefix_make(a, len, m->fam);
}

/* ---- lookups ---- */

static struct ip_addr
prop_fib_last(const struct prefix *p)
{
	if (p->fam == FAM_IP4)
		return ip4(ip_to_v4(p->addr) | ~mask4(p->len));
	return (struct ip_addr){ p->addr.hi | ~mask64(p->len),
		p->addr.lo | ~(p->len > 64 ? mask64(p->len - 64) : 0) };
}

static struct ip_addr
prop_fib_beside(struct ip_addr a, int by, enum family fam)
{
	if (fam == FAM_IP4)
		return ip4(ip_to_v4(a) + (uint32_t)by);
	a.hi += by > 0 ? a.lo == UINT64_MAX : a.lo ? 0 : UINT64_MAX;
	a.lo += (uint64_t)(int64_t)by;
	return a;
}

/* prop_fib_meaning - the facts of an answer are the facts of next hop number @hop. */
static void
prop_fib_meaning(struct model *m, uint64_t answer, uint32_t hop, bool all)
{
	struct ternfib_hop h;
	struct ternfib_attr attr;
	uint32_t asn;

	assert_int_equal(answer != 0, hop != 0);
	if (!hop)
		return;
	assert_int_equal(ternfib_hop(m->reader, answer, &h), 0);
	assert_int_equal(h.kind, TERNFIB_IP);
	assert_int_equal(get_be32(h.addr + 12), 0x0a000000 + hop);
	if (!all)
		return;
	assert_int_equal(ternfib_origin(m->reader, answer, &asn), 0);
	assert_int_equal(asn, hop % 7 ? 64512 + hop % 7 : 0);
	assert_int_equal(ternfib_attr(m->reader, answer, &attr), 0);
	assert_int_equal(attr.peer_as, hop % 5);
	assert_int_equal(attr.rpki, hop % 4);
	assert_int_equal(attr.community_cnt, hop % 3);
	if (hop % 3)
		assert_int_equal(attr.community[hop % 3 - 1], community[hop % 3 - 1]);
}

static void
prop_fib_look(struct model *m, const struct ip_addr *a, uint32_t cnt, bool all)
{
	uint64_t bulk[KEYS];
	uint32_t a4[KEYS];
	uint8_t a6[KEYS][16];

	for (uint32_t i = 0; i < cnt; i++) {
		a4[i] = ip_to_v4(a[i]);
		ip_put16(a6[i], a[i]);
	}
	ternfib_plain(m->reader, (int)(m->looks++ % 3));
	if (m->fam == FAM_IP4)
		ternfib_bulk4(m->reader, bulk, a4, cnt);
	else
		ternfib_bulk6(m->reader, bulk, a6, cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		uint64_t one = m->fam == FAM_IP4 ? ternfib_find4(m->reader, a4[i])
						 : ternfib_find6(m->reader, a6[i]);

		assert_int_equal(one, bulk[i]);
		if (m->fam == FAM_IP4)
			assert_int_equal(ternfib_inline4(m->reader, a4[i]), one);
		prop_fib_meaning(m, one, prop_fib_answer(m, a[i]), all);
	}
}

static struct ip_addr
prop_fib_key(struct model *m)
{
	struct seed *s = &m->seed;
	struct ip_addr a = { seed_u64(s), seed_u64(s) };

	if (m->fam == FAM_IP4)
		a = ip4((uint32_t)a.hi);
	if (!seed_chance(s, 3)) {
		const struct prefix *p = &m->known[seed_below(s, POOL)].p;
		struct ip_addr last = prop_fib_last(p);

		a.hi = p->addr.hi | (a.hi & (p->addr.hi ^ last.hi));
		a.lo = p->addr.lo | (a.lo & (p->addr.lo ^ last.lo));
	}
	return a;
}

static void
prop_fib_keys(struct model *m, uint32_t cnt, bool all)
{
	struct ip_addr a[KEYS];

	for (uint32_t i = 0; i < cnt; i += KEYS) {
		for (uint32_t j = 0; j < KEYS; j++)
			a[j] = prop_fib_key(m);
		prop_fib_look(m, a, KEYS - seed_below(&m->seed, 9), all);
	}
}

/* prop_fib_intervals - make the intervals from the prefixes of the model. */
static void
prop_fib_intervals(struct model *m)
{
	struct interval *l = mem_zalloc(MEM_OTHER, (2 * POOL + 1) * sizeof(*l));
	uint32_t cnt = 1; /* the interval of the lowest address */

	if (m->fam == FAM_IP4)
		l[0].first = ip4(0);
	for (uint32_t i = 0; i < POOL; i++) {
		const struct prefix *p = &m->known[i].p;

		if (!m->known[i].hop)
			continue;
		l[cnt++].first = p->addr;
		l[cnt].first = prop_fib_beside(prop_fib_last(p), 1, m->fam);
		cnt += ip_cmp(p->addr, l[cnt].first) < 0; /* not behind the end */
	}
	qsort(l, cnt, sizeof(*l), prop_fib_interval_cmp);
	for (uint32_t i = 0; i < cnt; i++)
		l[i].hop = prop_fib_expect(m, l[i].first);
	m->interval = l;
	m->interval_cnt = cnt;
}

/* prop_fib_many - 10^8 keys: random, announced, and the borders of all intervals. */
static void
prop_fib_many(struct model *m)
{
	prop_fib_intervals(m);
	for (uint32_t i = 0; i < m->interval_cnt; i++) {
		struct ip_addr at = m->interval[i].first;
		struct ip_addr a[2] = { at, prop_fib_beside(at, -1, m->fam) };

		prop_fib_look(m, a, 2, false);
	}
	prop_fib_keys(m, 100000000, false);
	mem_free(MEM_OTHER, m->interval);
	m->interval = NULL;
}

static void
prop_fib_borders(struct model *m, const struct prefix *p, bool all)
{
	struct ip_addr last = prop_fib_last(p);
	struct ip_addr a[4] = { p->addr, last, prop_fib_beside(p->addr, -1, m->fam),
		prop_fib_beside(last, 1, m->fam) };

	prop_fib_look(m, a, 4, all);
}

/* ---- changes ---- */

static void
prop_fib_change(struct model *m, struct known *k)
{
	uint32_t hop = seed_chance(&m->seed, 3) ? 0 : 1 + seed_below(&m->seed, m->hops);
	struct fib_entry e = { .hop_kind = FIB_HOP_IP,
		.next_hop = ip4(0x0a000000 + hop),
		.origin_as = hop % 7 ? 64512 + hop % 7 : 0,
		.peer_as = hop % 5,
		.rpki = (enum fib_rpki)(hop % 4),
		.community_cnt = (uint16_t)(hop % 3),
		.community = community };
	uint64_t value;

	assert_int_equal(fib_get(m->fib, &k->p) != 0, k->hop != 0);
	if (hop) {
		assert_int_equal(fib_value_get(m->fib, &e, &value), 0);
		fib_set(m->fib, &k->p, value);
		fib_value_drop(m->fib, value);
	} else {
		fib_unset(m->fib, &k->p);
	}
	k->hop = hop;
}

static void
prop_fib_open(struct model *m)
{
	struct fib_file file = { .path = m->path, .mode = 0600 };

	assert_int_equal(fib_open(m->fib, &file, 1), 0);
}

static void
prop_fib_follow(struct model *m)
{
	const char *why = "";
	int err;

	if (!m->reader)
		assert_int_equal(ternfib_open(&m->reader, m->path), 0);
	assert_true(ternfib_poll(m->reader) >= 0);
	err = ternfib_verify(m->reader, &why);
	if (err)
		fprintf(stderr, "verify: %s\n", why);
	assert_int_equal(err, 0);
}

static void
prop_fib_batch(struct model *m, uint32_t keys, bool all)
{
	uint32_t changed[256], cnt = 1 + seed_below(&m->seed, 255);

	for (uint32_t i = 0; i < cnt; i++) {
		changed[i] = seed_below(&m->seed, POOL);
		prop_fib_change(m, &m->known[changed[i]]);
	}
	if (seed_chance(&m->seed, 40))
		fib_rebuild(m->fib);
	if (seed_chance(&m->seed, 60)) {
		fib_close(m->fib, seed_chance(&m->seed, 2));
		assert_int_equal(fib_publish(m->fib, 2), -EBADF);
		prop_fib_open(m);
	}
	assert_int_equal(fib_publish(m->fib, 2), 0);
	assert_int_equal(fib_dirty(m->fib), 0);
	prop_fib_follow(m);
	for (uint32_t i = 0; i < cnt; i++)
		prop_fib_borders(m, &m->known[changed[i]].p, all);
	prop_fib_keys(m, keys, all);
}

static void
prop_fib_run(enum family fam, uint32_t fields, enum shape shape)
{
	struct model *m = mem_zalloc(MEM_OTHER, sizeof(*m));
	struct fib_options o = { .family = fam,
		.fields = fields,
		.table = "t",
		.max_keys = shape == FEW_KEYS ? 40 : 0 };
	bool soak = getenv("TERN_SOAK") != NULL;
	uint32_t rounds = seed_rounds(100), cnt = 0;
	struct fib_stat st;

	m->seed = seed_start("prop_fib");
	m->fam = fam;
	m->shape = shape;
	m->hops = shape == SHORT ? 60 : HOPS;
	m->bits = family_bits(fam);
	snprintf(m->path, sizeof(m->path), "/tmp/prop_fib.%d", getpid());
	m->fib = fib_new(&o);
	while (cnt < POOL) {
		struct prefix p = prop_fib_draw(m);
		uint32_t *at = prop_fib_place(m, &p);

		if (*at)
			continue;
		m->known[cnt].p = p;
		*at = ++cnt;
		m->has_len[p.len] = true;
	}
	prop_fib_open(m);
	for (uint32_t i = 1; i <= rounds; i++) {
		prop_fib_batch(m, soak ? 10000 : 500, fields != 0);
		if (!soak || i % 1000)
			continue;
		prop_fib_many(m);
		fprintf(stderr, "%u of %u batches\n", i, rounds);
	}
	for (uint32_t i = 0; i < POOL; i++)
		if (m->known[i].hop) {
			fib_unset(m->fib, &m->known[i].p);
			m->known[i].hop = 0;
		}
	assert_int_equal(fib_publish(m->fib, 3), 0);
	prop_fib_follow(m);
	prop_fib_keys(m, 500, false);
	fib_stat(m->fib, &st);
	assert_int_equal(st.prefix_cnt + st.chunk_cnt + st.hop_cnt + st.origin_cnt +
			     st.attr_cnt + st.failed,
	    0);
	fib_close(m->fib, true);
	assert_int_equal(access(m->path, F_OK), -1);
	ternfib_close(m->reader);
	fib_free(m->fib);
	mem_free(MEM_OTHER, m);
}

/* ---- pieces ---- */

static void
prop_fib_4_plain(void **state)
{
	(void)state;
	prop_fib_run(FAM_IP4, 0, MIXED);
}

static void
prop_fib_4_fields(void **state)
{
	(void)state;
	prop_fib_run(FAM_IP4, 15, MIXED);
}

static void
prop_fib_4_short(void **state)
{
	(void)state;
	prop_fib_run(FAM_IP4, 0, SHORT);
}

static void
prop_fib_6_plain(void **state)
{
	(void)state;
	prop_fib_run(FAM_IP6, 0, MIXED);
}

static void
prop_fib_6_fields(void **state)
{
	(void)state;
	prop_fib_run(FAM_IP6, 15, MIXED);
}

static void
prop_fib_6_dense(void **state)
{
	(void)state;
	prop_fib_run(FAM_IP6, 0, DENSE);
}

static void
prop_fib_6_few_keys(void **state)
{
	(void)state;
	prop_fib_run(FAM_IP6, 15, FEW_KEYS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prop_fib_4_plain),
		cmocka_unit_test(prop_fib_4_fields),
		cmocka_unit_test(prop_fib_4_short),
		cmocka_unit_test(prop_fib_6_plain),
		cmocka_unit_test(prop_fib_6_fields),
		cmocka_unit_test(prop_fib_6_dense),
		cmocka_unit_test(prop_fib_6_few_keys),
	};
	const char *part = getenv("TERN_PART");

	for (size_t i = 0; part && strcmp(part, tests[i].name) != 0;)
		if (++i == sizeof(tests) / sizeof(tests[0])) {
			fprintf(stderr, "TERN_PART=%s: no such test\n", part);
			return 2;
		}
	if (part)
		cmocka_set_test_filter(part);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of prefixes as address ranges, each with the set of prefix lengths that match in
 * it.
 *
 * Consider patterns with lo >= P.len first (p, p+, p{lo,hi}). N matches if its address
 * lies in P's range of addresses and its length in [lo, hi]; so the patterns cut the
 * address space into ranges, and in each range the lengths that match are the union over
 * the patterns that cover it. A lookup is one search for the range of N's address and one
 * look at a bit. 100,000 patterns give at most 200,001 ranges, and nesting costs nothing
 * at lookup. Lengths shorter than P.len (p-, p{lo,hi} with lo < P.len) hold exactly the
 * prefixes of these lengths that contain P: these few are kept in a list of their own.
 *
 * Ranges are made in filter/pfxset_sweep.c, and searched in filter/rangemap.c as keys of
 * 64 bits. Only if an IPv6 pattern is longer than /64 they are an array of 128 bits.
 *
 * I1  Ranges ascend strictly; before the first nothing matches. I2  Neighbouring ranges
 * have different length sets, so equal sets have equal ranges.
 *
 * Tried and dropped: a hash for each pattern length (up to 25 misses a lookup), a binary
 * trie (44 octets a prefix, and a miss a level). */
#include "filter/pfxset.h"
#include "filter/pfxset_sweep.h"
#include "filter/rangemap.h"
#include "lib/base/hash.h"
#include <stdlib.h>

/* A range of a set with patterns longer than /64. */
struct range16 {
	struct ip_addr start;
	uint32_t lens;
};

/* All ranges of one family. */
struct part {
	uint32_t cnt; /* of ranges */
	struct rangemap map; /* by the first 64 bits of the key; unless @wide is there */
	const struct range16 *wide;
	const struct lenset *lens; /* what ranges are mapped to */
	/* prefixes that match by containing a pattern's prefix, in prefix_cmp's order */
	uint32_t exact_cnt;
	const struct prefix *exact;
};

struct pfxset {
	const struct part *part[FAM_CNT]; /* NULL: nothing of that family */
	uint64_t hash[2];
};

static bool
lenset_has(const struct lenset *l, unsigned len)
{
	return l->w[len / 64] >> (len % 64) & 1;
}

/* ---- building ---- */

static void
make_wide(struct part *p, struct arena *a, const struct sweep *s)
{
	struct range16 *r = arena_zalloc(a, s->cnt * sizeof(*r));
	uint32_t i;

	for (i = 0; i < s->cnt; i++) {
		r[i].start = s->start[i];
		r[i].lens = s->id[i];
	}
	p->wide = r;
}

static void
make_map(struct part *p, struct arena *a, const struct sweep *s)
{
	uint64_t *start = mem_alloc(MEM_CONFIG, s->cnt * sizeof(*start));
	uint32_t i;

	for (i = 0; i < s->cnt; i++)
		start[i] = s->start[i].hi;
	rangemap_build(&p->map, a, start, s->id, s->cnt);
	mem_free(MEM_CONFIG, start);
}

static int
cmp_prefix(const void *a, const void *b)
{
	return prefix_cmp(a, b);
}

/* The prefixes that contain a pattern's prefix and match it. */
static void
make_exact(struct part *p, struct arena *a, const struct pfx_pattern *pat, uint32_t cnt)
{
	struct prefix *list;
	uint32_t i, n = 0, out = 0;

	for (i = 0; i < cnt; i++)
		if (pat[i].lo < pat[i].len)
			n += pat[i].len - pat[i].lo;
	if (!n)
		return;
	list = mem_alloc(MEM_CONFIG, n * sizeof(*list));
	for (n = 0, i = 0; i < cnt; i++) {
		unsigned len;

		for (len = pat[i].lo; len < pat[i].len && len <= pat[i].hi; len++)
			list[n++] = prefix_make(pat[i].addr, len, pat[i].fam);
	}
	qsort(list, n, sizeof(*list), cmp_prefix);
	for (i = 0; i < n; i++)
		if (!out || !prefix_equal(&list[out - 1], &list[i]))
			list[out++] = list[i];
	p->exact = arena_memdup(a, list, out * sizeof(*list));
	p->exact_cnt = out;
	mem_free(MEM_CONFIG, list);
}

/* The set's hash goes on over the ranges of @s. */
static void
hash_ranges(uint64_t hash[2], const struct sweep *s)
{
	uint64_t h0 = hash[0], h1 = hash[1];
	uint64_t *lens = mem_alloc(MEM_CONFIG, s->lens_cnt * sizeof(*lens));
	uint32_t i;

	for (i = 0; i < s->lens_cnt; i++)
		lens[i] = hash_bytes(3, &s->lens[i], sizeof(s->lens[i]));
	for (i = 0; i < s->cnt; i++) {
		uint64_t len = lens[s->id[i]], hi = s->start[i].hi, lo = s->start[i].lo;

		h0 = hash_u64(h0 ^ len, hi) + lo;
		h1 = hash_u64(h1 + len, ~hi) ^ lo;
	}
	hash[0] = hash_u64(h0, s->cnt);
	hash[1] = hash_u64(h1, s->cnt);
	mem_free(MEM_CONFIG, lens);
}

static void
hash_exact(uint64_t hash[2], const struct part *p)
{
	uint32_t i;

	for (i = 0; i < p->exact_cnt; i++) {
		hash[0] = prefix_hash(hash[0], &p->exact[i]);
		hash[1] = prefix_hash(~hash[1], &p->exact[i]);
	}
}

static const struct part *
part_build(uint64_t hash[2], struct arena *a, const struct pfx_pattern *pat, uint32_t cnt)
{
	struct part *p = arena_zalloc(a, sizeof(*p));
	bool wide = false;
	struct sweep s;
	uint32_t i;

	for (i = 0; i < cnt; i++)
		wide |= pat[i].fam == FAM_IP6 && pat[i].len > 64;
	sweep_run(&s, pat, cnt);
	hash_ranges(hash, &s);
	p->cnt = s.cnt;
	if (s.cnt && wide)
		make_wide(p, a, &s);
	else if (s.cnt)
		make_map(p, a, &s);
	p->lens = arena_memdup(a, s.lens, s.lens_cnt * sizeof(*s.lens));
	sweep_fini(&s);
	make_exact(p, a, pat, cnt);
	hash_exact(hash, p);
	return p;
}

const struct pfxset *
pfxset_build(struct arena *a, struct pfx_pattern *pat, uint32_t cnt)
{
	struct pfxset *s = arena_zalloc(a, sizeof(*s));
	uint32_t v4 = 0;

	patterns_sort(pat, cnt);
	while (v4 < cnt && pat[v4].fam == FAM_IP4)
		v4++;
	s->hash[0] = 1;
	s->hash[1] = 2;
	if (v4)
		s->part[FAM_IP4] = part_build(s->hash, a, pat, v4);
	s->hash[0] += 3; /* so that the same ranges in the other family differ */
	if (cnt > v4)
		s->part[FAM_IP6] = part_build(s->hash, a, pat + v4, cnt - v4);
	return s;
}

/* ---- asking ---- */

/* Index of the length set for the key @k; 0 is the empty one. */
static uint32_t
wide_find(const struct part *p, struct ip_addr k)
{
	uint32_t lo = 0, hi = p->cnt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ip_cmp(p->wide[mid].start, k) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? p->wide[lo - 1].lens : 0;
}

static bool
exact_has(const struct part *p, const struct prefix *x)
{
	uint32_t lo = 0, hi = p->exact_cnt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int c = prefix_cmp(&p->exact[mid], x);

		if (c == 0)
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

bool
pfxset_has(const struct pfxset *s, const struct prefix *p)
{
	const struct part *t = s->part[p->fam];

	if (!t)
		return false;
	if (t->cnt) {
		struct ip_addr k = sweep_key(p->addr, p->fam);
		uint32_t id = t->wide ? wide_find(t, k) : rangemap_get(&t->map, k.hi);

		if (!t->exact_cnt)
			return lenset_has(&t->lens[id], p->len);
		if (lenset_has(&t->lens[id], p->len))
			return true;
	}
	return t->exact_cnt && exact_has(t, p);
}

void
pfxset_hash(const struct pfxset *s, uint64_t out[2])
{
	out[0] = s->hash[0];
	out[1] = s->hash[1];
}

void
pfxset_print(struct strbuf *b, const struct pfxset *s)
{
	uint32_t n = 0;
	unsigned f;

	for (f = 0; f < FAM_CNT; f++)
		if (s->part[f])
			n += s->part[f]->cnt + s->part[f]->exact_cnt;
	strbuf_addf(b, "[%u ranges of prefixes]", n);
}

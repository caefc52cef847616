/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of prefixes as address ranges, each with the set of matching prefix lengths. The
 * parser's thread builds; any thread reads.
 *
 * Consider patterns with lo >= P.len first (p, p+, p{lo,hi}). N matches if its address
 * lies in P's range of addresses and its length in [lo, hi]. The patterns therefore split
 * the address space into ranges, and the matching lengths of a range are the union over
 * the covering patterns. A lookup is one search for the range of N's address and one look
 * at a bit. 100,000 patterns give at most 200,001 ranges, and nesting costs nothing at
 * lookup. Lengths shorter than P.len (p-, p{lo,hi} with lo < P.len) hold exactly the
 * prefixes of these lengths that contain P: these few prefixes are kept in a separate
 * list.
 *
 * filter/set/pfxset_sweep.c makes the ranges, and filter/set/rangemap.c searches the
 * ranges as keys of 64 bits. If an IPv6 pattern is longer than /64, the ranges are an
 * array of 128-bit keys. Most ranges are one pattern's prefix with a gap behind; the gap
 * is not stored, but the end of the range before the gap.
 *
 * I1  Ranges of a sweep ascend strictly; before the first range nothing matches.
 * I2  Neighbouring ranges of a sweep have different length sets, so equal sets have equal
 *     ranges, and the hash covers the ranges.
 *
 * Tried and dropped: a hash for each pattern length (up to 25 misses a lookup), a binary
 * trie (44 octets a prefix, and a miss a level). */
#include "filter/set/pfxset.h"
#include "filter/set/keyset.h"
#include "filter/set/pfxset_nodes.h"
#include "filter/set/pfxset_sweep.h"
#include "filter/set/rangemap.h"
#include "lib/base/hash.h"
#include "lib/base/plural.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include <stdlib.h>

#define SPANS     65 /* a range is 0 to 63 bits of addresses, or has an end by itself */
#define PRINT_MAX 100 /* items that the text of a set names */
/* length sets that are worth a distinction by last, too */
#define LENS_MAX 4096

/* All ranges of one family. */
struct part {
	uint32_t cnt; /* of ranges in the sweep */
	uint32_t wide_cnt;
	struct rangemap map; /* by the first 64 bits of the key; not used with @wide */
	const struct frange128 *wide; /* without gaps */
	const uint32_t *wide_lens; /* of each of wide */
	const struct lenset *lens; /* the values of ranges; 0: the empty set */
	/* prefixes that match by containing a pattern's prefix, in prefix_cmp's order */
	uint32_t exact_cnt;
	const struct prefix *exact;
};

struct pfxset {
	const struct part *part[FAM_CNT]; /* NULL: nothing of that family */
	/* for sets of PRINT_MAX patterns at most: the patterns as written, sorted, for
	 * the text */
	const struct pfx_pattern *pat;
	uint32_t pat_cnt;
	uint32_t cnt; /* patterns as written */
	uint64_t hash[2];
};

static bool
pfxset_lenset_has(const struct lenset *l, unsigned len)
{
	return l->w[len / 64] >> (len % 64) & 1;
}

/* ---- building ---- */

static void
pfxset_make_wide(struct part *p, struct arena *a, const struct sweep *s)
{
	struct frange128 *r = mem_alloc(MEM_CONFIG, s->cnt * sizeof(*r));
	uint32_t *lens = mem_alloc(MEM_CONFIG, s->cnt * sizeof(*lens));
	uint32_t i, n = 0;

	for (i = 0; i < s->cnt; i++) {
		struct ip_addr end = { UINT64_MAX, UINT64_MAX };

		if (!s->id[i])
			continue;
		if (i + 1 < s->cnt) {
			end = s->start[i + 1];
			if (end.lo-- == 0)
				end.hi--;
		}
		r[n] = (struct frange128){ { s->start[i].hi, s->start[i].lo },
			{ end.hi, end.lo } };
		lens[n++] = s->id[i];
	}
	p->wide_cnt = n;
	p->wide = arena_memdup(a, r, n * sizeof(*r));
	p->wide_lens = arena_memdup(a, lens, n * sizeof(*lens));
	p->lens = arena_memdup(a, s->lens, s->lens_cnt * sizeof(*s->lens));
	mem_free(MEM_CONFIG, r);
	mem_free(MEM_CONFIG, lens);
}

/* Ranges on their way into a map: an id stands for a length set and for how far the range
 * reaches. */
struct areas {
	const struct sweep *s;
	uint64_t *start;
	uint32_t *id, cnt;
	uint32_t *seen; /* by length set and bits of last: the id, or 0 */
	uint32_t spans; /* 1: ranges have no ends by themselves */
	uint64_t *last; /* by id */
	struct lenset *lens; /* by id */
	uint32_t id_cnt, last_cap, lens_cap;
};

static uint32_t
pfxset_area_add(struct areas *t, uint64_t last, struct lenset lens)
{
	uint32_t cnt = t->id_cnt + 1;

	t->last = vec_room(MEM_CONFIG, t->last, &t->last_cap, cnt, sizeof(*t->last));
	t->lens = vec_room(MEM_CONFIG, t->lens, &t->lens_cap, cnt, sizeof(*t->lens));
	t->last[t->id_cnt] = last;
	t->lens[t->id_cnt] = lens;
	return t->id_cnt++;
}

static uint32_t
pfxset_area_id(struct areas *t, uint32_t lens, uint64_t last)
{
	uint32_t span = (uint32_t)__builtin_popcountll(last) % t->spans;
	uint32_t *at = &t->seen[lens * t->spans + span];

	if (*at || !lens)
		return *at;
	*at = pfxset_area_add(t, last, t->s->lens[lens]);
	return *at;
}

/* If range @i is a prefix with a gap behind it: its last address, counted from the first.
 * Else UINT64_MAX. */
static uint64_t
pfxset_area_last(const struct sweep *s, uint32_t i)
{
	uint64_t size;

	if (i + 1 >= s->cnt || s->id[i + 1] || s->lens_cnt > LENS_MAX)
		return UINT64_MAX;
	size = s->start[i + 1].hi - s->start[i].hi;
	if ((size & (size - 1)) || (s->start[i].hi & (size - 1)))
		return UINT64_MAX;
	return size - 1;
}

static void
pfxset_fill_areas(struct areas *t)
{
	const struct sweep *s = t->s;
	uint32_t i;

	for (i = 0; i < s->cnt; i++) {
		uint64_t last = pfxset_area_last(s, i);

		t->start[t->cnt] = s->start[i].hi;
		t->id[t->cnt++] = pfxset_area_id(t, s->id[i], last);
		i += last != UINT64_MAX; /* the gap */
	}
}

static void
pfxset_make_map(struct part *p, struct arena *a, const struct sweep *s)
{
	struct areas t = { .s = s };

	t.spans = s->lens_cnt > LENS_MAX ? 1 : SPANS;
	t.start = mem_alloc(MEM_CONFIG, s->cnt * sizeof(*t.start));
	t.id = mem_alloc(MEM_CONFIG, s->cnt * sizeof(*t.id));
	t.seen = mem_zalloc(MEM_CONFIG, (size_t)s->lens_cnt * t.spans * sizeof(*t.seen));
	pfxset_area_add(&t, UINT64_MAX, (struct lenset){ { 0 } });
	pfxset_fill_areas(&t);
	p->lens = arena_memdup(a, t.lens, t.id_cnt * sizeof(*t.lens));
	rangemap_build(&p->map, a,
	    &(struct rangemap_source){ t.start, t.id, t.cnt,
		arena_memdup(a, t.last, t.id_cnt * sizeof(*t.last)), t.id_cnt });
	mem_free(MEM_CONFIG, t.start);
	mem_free(MEM_CONFIG, t.id);
	mem_free(MEM_CONFIG, t.seen);
	mem_free(MEM_CONFIG, t.last);
	mem_free(MEM_CONFIG, t.lens);
}

static int
pfxset_cmp_prefix(const void *a, const void *b)
{
	return prefix_cmp(a, b);
}

/* pfxset_make_exact - collect the prefixes that contain a pattern's prefix and match the
 * pattern. */
static void
pfxset_make_exact(
    struct part *p, struct arena *a, const struct pfx_pattern *pat, uint32_t cnt)
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
	qsort(list, n, sizeof(*list), pfxset_cmp_prefix);
	for (i = 0; i < n; i++)
		if (!out || !prefix_equal(&list[out - 1], &list[i]))
			list[out++] = list[i];
	p->exact = arena_memdup(a, list, out * sizeof(*list));
	p->exact_cnt = out;
	mem_free(MEM_CONFIG, list);
}

/* The set's hash goes on over the ranges of @s. */
static void
pfxset_hash_ranges(uint64_t hash[2], const struct sweep *s)
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
pfxset_hash_exact(uint64_t hash[2], const struct part *p)
{
	uint32_t i;

	for (i = 0; i < p->exact_cnt; i++) {
		hash[0] = prefix_hash(hash[0], &p->exact[i]);
		hash[1] = prefix_hash(~hash[1], &p->exact[i]);
	}
}

static const struct part *
pfxset_part_build(
    uint64_t hash[2], struct arena *a, const struct pfx_pattern *pat, uint32_t cnt)
{
	struct part *p = arena_zalloc(a, sizeof(*p));
	bool wide = false;
	struct sweep s;
	uint32_t i;

	for (i = 0; i < cnt; i++)
		wide |= pat[i].fam == FAM_IP6 && pat[i].len > 64;
	sweep_run(&s, pat, cnt);
	pfxset_hash_ranges(hash, &s);
	p->cnt = s.cnt;
	if (s.cnt && wide)
		pfxset_make_wide(p, a, &s);
	else if (s.cnt)
		pfxset_make_map(p, a, &s);
	sweep_fini(&s);
	pfxset_make_exact(p, a, pat, cnt);
	pfxset_hash_exact(hash, p);
	return p;
}

const struct pfxset *
pfxset_build(struct arena *a, struct pfx_pattern *pat, uint32_t cnt)
{
	struct pfxset *s = arena_zalloc(a, sizeof(*s));
	uint32_t v4 = 0;

	patterns_sort(pat, cnt);
	s->cnt = cnt;
	if (cnt && cnt <= PRINT_MAX) {
		s->pat = arena_memdup(a, pat, cnt * sizeof(*pat));
		s->pat_cnt = cnt;
	}
	while (v4 < cnt && pat[v4].fam == FAM_IP4)
		v4++;
	s->hash[0] = 1;
	s->hash[1] = 2;
	if (v4)
		s->part[FAM_IP4] = pfxset_part_build(s->hash, a, pat, v4);
	s->hash[0] += 3; /* so that equal ranges in the other family give another hash */
	if (cnt > v4)
		s->part[FAM_IP6] = pfxset_part_build(s->hash, a, pat + v4, cnt - v4);
	return s;
}

/* ---- asking ---- */

/* Which of the length sets is that of the key @k? */
static uint32_t
pfxset_find_lens(const struct part *p, struct ip_addr k)
{
	uint32_t at;

	if (!p->wide)
		return rangemap_get(&p->map, k.hi);
	at = frange_find(p->wide, p->wide_cnt, (struct fkey){ k.hi, k.lo });
	return at ? p->wide_lens[at - 1] : 0;
}

uint32_t
pfxset_size(const struct pfxset *s)
{
	return s->cnt;
}

bool
pfxset_has(const struct pfxset *s, const struct prefix *p)
{
	const struct part *t = s->part[p->fam];

	if (!t)
		return false;
	if (t->cnt) {
		uint32_t id = pfxset_find_lens(t, sweep_key(p->addr, p->fam));

		if (!t->exact_cnt)
			return pfxset_lenset_has(&t->lens[id], p->len);
		if (pfxset_lenset_has(&t->lens[id], p->len))
			return true;
	}
	return t->exact_cnt &&
	       bsearch(p, t->exact, t->exact_cnt, sizeof(*p), pfxset_cmp_prefix);
}

void
pfxset_hash(const struct pfxset *s, uint64_t out[2])
{
	out[0] = s->hash[0];
	out[1] = s->hash[1];
}

/* pfxset_print_pattern - as it would be written. */
static void
pfxset_print_pattern(struct strbuf *b, const struct pfx_pattern *t)
{
	struct prefix p = { .addr = t->addr, .len = t->len, .fam = t->fam };
	unsigned max = t->fam == FAM_IP4 ? 32 : 128;
	char text[PREFIX_STR_MAX];

	strbuf_addf(b, "%s", prefix_str(text, &p));
	if (t->lo == t->len && t->hi == t->len)
		return;
	if (t->lo == t->len && t->hi == max)
		strbuf_addf(b, "+");
	else if (!t->lo && t->hi == t->len)
		strbuf_addf(b, "-");
	else
		strbuf_addf(b, "{%u,%u}", t->lo, t->hi);
}

static void
pfxset_print_patterns(struct strbuf *b, const struct pfxset *s)
{
	const struct pfx_pattern *last = NULL, *t;
	bool first = true;

	strbuf_addf(b, "[");
	for (t = s->pat; t < s->pat + s->pat_cnt; last = t++) {
		if (last && last->fam == t->fam && ip_equal(last->addr, t->addr) &&
		    last->len == t->len && last->lo == t->lo && last->hi == t->hi)
			continue;
		strbuf_addf(b, "%s", first ? "" : ", ");
		pfxset_print_pattern(b, t);
		first = false;
	}
	strbuf_addf(b, "]");
}

void
pfxset_print(struct strbuf *b, const struct pfxset *s)
{
	uint32_t n = 0;
	unsigned f;

	if (s->pat) {
		pfxset_print_patterns(b, s);
		return;
	}

	for (f = 0; f < FAM_CNT; f++)
		if (s->part[f])
			n += s->part[f]->cnt + s->part[f]->exact_cnt;
	if (n)
		strbuf_addf(b, "[%u range%s of prefixes]", n, plural(n, "", "s"));
	else
		strbuf_adds(b, "[]");
}

void
pfxset_format(struct strbuf *b, const struct pfxset *s)
{
	if (s->pat)
		pfxset_nodes_print(b, s->pat, s->pat_cnt);
	else
		pfxset_print(b, s);
}

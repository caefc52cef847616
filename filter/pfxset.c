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
 * I1  start[] ascends strictly; range i ends before start[i + 1]. Before start[0] nothing
 * matches. I2  Neighbouring ranges have different length sets, so equal sets have equal
 * arrays. I3  Addresses are kept in 32 bits for IPv4, in 64 if no IPv6 pattern is longer
 * than /64, else in 128.
 *
 * Tried and dropped: a hash for each pattern length (up to 25 misses a lookup), a binary
 * trie (44 octets a prefix, and a miss a level). */
#include "filter/pfxset.h"
#include "lib/base/hash.h"
#include <stdlib.h>

#define INDEX_BITS_MAX 20
#define RADIX_MIN      100 /* patterns for which counting is worth while */

/* Set of prefix lengths 0 to 128. */
struct lenset {
	uint64_t w[3];
};

/* A range: where it starts, and which length set it has. One of the three for all of a family (I3);
 * start and length set lie together, so that a lookup that has found the one has the other. */
struct range4 {
	uint32_t start, lens;
};

struct range8 {
	uint64_t start;
	uint32_t lens;
};

struct range16 {
	struct ip_addr start;
	uint32_t lens;
};

/* All ranges of one family. */
struct part {
	uint32_t cnt;
	uint32_t shift; /* index by (key - base) >> shift */
	uint32_t index_cnt; /* index[k]: first range with a start of index k or more */
	uint8_t width; /* 4, 8 or 16 octets an address */
	uint64_t base; /* the least start, as a key of 64 bits */
	const uint32_t *index;
	union {
		const struct range4 *r4;
		const struct range8 *r8;
		const struct range16 *r16;
	};
	const struct lenset *lens;
	/* prefixes that match by containing a pattern's prefix, in prefix_cmp's order */
	uint32_t exact_cnt;
	const struct prefix *exact;
};

struct pfxset {
	struct part part[FAM_CNT];
	uint64_t hash[2];
};

static bool
lenset_has(const struct lenset *l, unsigned len)
{
	return l->w[len / 64] >> (len % 64) & 1;
}

static bool
lenset_equal(const struct lenset *a, const struct lenset *b)
{
	return a->w[0] == b->w[0] && a->w[1] == b->w[1] && a->w[2] == b->w[2];
}

static void
lenset_add_range(struct lenset *l, unsigned lo, unsigned hi)
{
	for (; lo <= hi; lo++)
		l->w[lo / 64] |= 1ull << (lo % 64);
}

/* Address as the 128-bit number that the ranges of its family are made of: IPv4 stands in
 * the upper 32 bits, so that both families share the code that builds. */
static struct ip_addr
to_key(struct ip_addr a, unsigned fam)
{
	if (fam == FAM_IP4)
		return (struct ip_addr){ (uint64_t)ip_to_v4(a) << 32, 0 };
	return a;
}

static struct ip_addr
key_last(struct ip_addr k, unsigned len)
{
	k.hi |= ~mask64(len);
	k.lo |= ~(len > 64 ? mask64(len - 64) : 0);
	return k;
}

/* ---- building ---- */

/* Ranges in the making. */
struct sweep {
	struct ip_addr *start;
	uint32_t *id;
	uint32_t cnt;
	struct lenset *lens;
	uint32_t lens_cnt, lens_cap;
};

/* An open pattern: ranges up to @last belong to it. */
struct open_pattern {
	struct ip_addr last;
	uint32_t id; /* union of the lengths of all that are open */
	unsigned len;
};

/* Index of @l among the length sets; equal ones are found if they are recent, else kept
 * twice. */
static uint32_t
lens_get(struct sweep *s, const struct lenset *l)
{
	uint32_t i, from = s->lens_cnt > 64 ? s->lens_cnt - 64 : 0;

	for (i = s->lens_cnt; i-- > from;)
		if (lenset_equal(&s->lens[i], l))
			return i;
	if (lenset_equal(&s->lens[0], l))
		return 0;
	if (s->lens_cnt == s->lens_cap) {
		s->lens_cap *= 2;
		s->lens = mem_realloc(
		    MEM_CONFIG, s->lens, s->lens_cap * sizeof(*s->lens));
	}
	s->lens[s->lens_cnt] = *l;
	return s->lens_cnt++;
}

static void
emit(struct sweep *s, struct ip_addr at, uint32_t id)
{
	if (s->cnt && ip_equal(s->start[s->cnt - 1], at))
		s->cnt--; /* that range was empty */
	if (s->cnt ? lenset_equal(&s->lens[s->id[s->cnt - 1]], &s->lens[id]) : id == 0)
		return; /* I2 */
	s->start[s->cnt] = at;
	s->id[s->cnt++] = id;
}

static void
close_one(struct sweep *s, struct open_pattern *stack, unsigned *depth)
{
	struct ip_addr next = stack[--*depth].last;

	if (++next.lo == 0 && ++next.hi == 0)
		return; /* the end of the address space */
	emit(s, next, *depth ? stack[*depth - 1].id : 0);
}

/* Walk @pat in order of address, shorter first; patterns nest or are apart. */
static void
sweep_run(struct sweep *s, const struct pfx_pattern *pat, uint32_t cnt)
{
	struct open_pattern stack[130];
	unsigned depth = 0;
	uint32_t i;

	for (i = 0; i < cnt; i++) {
		const struct pfx_pattern *p = &pat[i];
		struct ip_addr key = to_key(p->addr, p->fam),
			       last = key_last(key, p->len);
		struct lenset l = { { 0 } };

		if (p->hi < p->len)
			continue;
		while (depth && ip_cmp(stack[depth - 1].last, key) < 0)
			close_one(s, stack, &depth);
		if (depth)
			l = s->lens[stack[depth - 1].id];
		lenset_add_range(&l, p->lo > p->len ? p->lo : p->len, p->hi);
		if (depth && ip_equal(stack[depth - 1].last, last) &&
		    stack[depth - 1].len == p->len)
			depth--; /* the same prefix again, with other lengths */
		stack[depth].last = last;
		stack[depth].len = p->len;
		stack[depth].id = lens_get(s, &l);
		emit(s, key, stack[depth++].id);
	}
	while (depth)
		close_one(s, stack, &depth);
}

static uint64_t
start_key(const struct part *p, uint32_t i)
{
	return p->width == 4   ? p->r4[i].start
	       : p->width == 8 ? p->r8[i].start
			       : p->r16[i].start.hi;
}

/* About one index entry for two ranges. */
static void
make_index(struct part *p, struct arena *a)
{
	uint32_t *index, bits = 1, i, k = 0;
	uint64_t span;

	p->base = p->cnt ? start_key(p, 0) : 0;
	if (p->cnt < 8)
		return;
	span = start_key(p, p->cnt - 1) - p->base;
	while (bits < INDEX_BITS_MAX && (2u << bits) < p->cnt)
		bits++;
	while (p->shift < 63 && (span >> p->shift) >> bits)
		p->shift++;
	p->index_cnt = (uint32_t)(span >> p->shift) + 1;
	index = arena_alloc(a, (p->index_cnt + 1) * sizeof(*index));
	for (i = 0; i < p->cnt; i++)
		while (k <= (start_key(p, i) - p->base) >> p->shift)
			index[k++] = i;
	while (k <= p->index_cnt)
		index[k++] = p->cnt;
	p->index = index;
}

static void
pack(struct part *p, struct arena *a, const struct sweep *s, unsigned width)
{
	size_t size = width == 4   ? sizeof(struct range4)
		      : width == 8 ? sizeof(struct range8)
				   : sizeof(struct range16);
	void *to = arena_zalloc(a, s->cnt * size + 1);
	uint32_t i;

	for (i = 0; i < s->cnt; i++) {
		uint32_t id = s->id[i];

		if (width == 4)
			((struct range4 *)to)[i] = (struct range4){
				(uint32_t)(s->start[i].hi >> 32), id
			};
		else if (width == 8)
			((struct range8 *)to)[i] = (struct range8){ s->start[i].hi, id };
		else
			((struct range16 *)to)[i] = (struct range16){ s->start[i], id };
	}
	p->width = (uint8_t)width;
	p->cnt = s->cnt;
	p->lens = arena_memdup(a, s->lens, s->lens_cnt * sizeof(*s->lens));
	p->r4 = to;
	make_index(p, a);
}

static const struct lenset *
range_lens(const struct part *p, uint32_t i)
{
	return &p->lens[p->width == 4   ? p->r4[i].lens
			: p->width == 8 ? p->r8[i].lens
					: p->r16[i].lens];
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

static void
part_build(struct part *p, struct arena *a, const struct pfx_pattern *pat, uint32_t cnt)
{
	struct sweep s = { .lens_cap = 16 };
	unsigned width = 4;
	uint32_t i;

	if (!cnt)
		return;
	s.start = mem_alloc(MEM_CONFIG, (2 * (size_t)cnt + 1) * sizeof(*s.start));
	s.id = mem_alloc(MEM_CONFIG, (2 * (size_t)cnt + 1) * sizeof(*s.id));
	s.lens = mem_zalloc(MEM_CONFIG, s.lens_cap * sizeof(*s.lens));
	s.lens_cnt = 1; /* the empty set */
	sweep_run(&s, pat, cnt);
	if (pat[0].fam == FAM_IP6)
		for (width = 8, i = 0; i < cnt; i++)
			if (pat[i].len > 64)
				width = 16;
	pack(p, a, &s, width);
	make_exact(p, a, pat, cnt);
	mem_free(MEM_CONFIG, s.start);
	mem_free(MEM_CONFIG, s.id);
	mem_free(MEM_CONFIG, s.lens);
}

static int
cmp_pattern(const void *va, const void *vb)
{
	const struct pfx_pattern *a = va, *b = vb;
	int c;

	if (a->fam != b->fam)
		return a->fam < b->fam ? -1 : 1;
	c = ip_cmp(a->addr, b->addr);
	return c ? c : (int)a->len - (int)b->len;
}

/* IPv4 patterns as words: address, length, lo, hi from the top; sorted by the first two by counting
 * octets from the lowest. Lists of members come in any order and are long. */
static void
sort_v4(struct pfx_pattern *pat, uint32_t cnt)
{
	uint64_t *from = mem_alloc(MEM_CONFIG, cnt * sizeof(*from));
	uint64_t *to = mem_alloc(MEM_CONFIG, cnt * sizeof(*to)), *swap;
	unsigned shift, k;
	uint32_t i;

	for (i = 0; i < cnt; i++)
		from[i] = (uint64_t)ip_to_v4(pat[i].addr) << 24 |
			  (uint64_t)pat[i].len << 16 | (uint64_t)pat[i].lo << 8 |
			  pat[i].hi;
	for (shift = 16; shift < 56; shift += 8) {
		uint32_t at[256] = { 0 }, sum = 0;

		for (i = 0; i < cnt; i++)
			at[from[i] >> shift & 0xff]++;
		for (k = 0; k < 256; k++) {
			uint32_t n = at[k];

			at[k] = sum;
			sum += n;
		}
		for (i = 0; i < cnt; i++)
			to[at[from[i] >> shift & 0xff]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	for (i = 0; i < cnt; i++)
		pat[i] = (struct pfx_pattern){ ip4((uint32_t)(from[i] >> 24)),
			(uint8_t)(from[i] >> 16), (uint8_t)(from[i] >> 8),
			(uint8_t)from[i], FAM_IP4 };
	mem_free(MEM_CONFIG, from);
	mem_free(MEM_CONFIG, to);
}

static void
sort_patterns(struct pfx_pattern *pat, uint32_t cnt)
{
	uint32_t i;

	for (i = 1; i < cnt && cmp_pattern(&pat[i - 1], &pat[i]) <= 0; i++)
		;
	if (i >= cnt)
		return;
	for (i = 0; i < cnt && pat[i].fam == FAM_IP4; i++)
		;
	if (i == cnt && cnt >= RADIX_MIN)
		sort_v4(pat, cnt);
	else
		qsort(pat, cnt, sizeof(*pat), cmp_pattern);
}

static void
hash_part(struct pfxset *s, const struct part *p)
{
	uint32_t i;

	for (i = 0; i < p->cnt; i++) {
		uint64_t w[5] = { start_key(p, i),
			p->width == 16 ? p->r16[i].start.lo : 0 };

		memcpy(w + 2, range_lens(p, i), sizeof(struct lenset));
		s->hash[0] = hash_bytes(s->hash[0], w, sizeof(w));
		s->hash[1] = hash_bytes(~s->hash[1], w, sizeof(w));
	}
	for (i = 0; i < p->exact_cnt; i++) {
		s->hash[0] = prefix_hash(s->hash[0], &p->exact[i]);
		s->hash[1] = prefix_hash(~s->hash[1], &p->exact[i]);
	}
	s->hash[0] = hash_u64(s->hash[0], p->cnt);
	s->hash[1] = hash_u64(s->hash[1], p->cnt);
}

const struct pfxset *
pfxset_build(struct arena *a, struct pfx_pattern *pat, uint32_t cnt)
{
	struct pfxset *s = arena_zalloc(a, sizeof(*s));
	uint32_t v4 = 0;

	sort_patterns(pat, cnt);
	while (v4 < cnt && pat[v4].fam == FAM_IP4)
		v4++;
	part_build(&s->part[FAM_IP4], a, pat, v4);
	part_build(&s->part[FAM_IP6], a, pat + v4, cnt - v4);
	s->hash[0] = 1;
	s->hash[1] = 2;
	hash_part(s, &s->part[FAM_IP4]);
	hash_part(s, &s->part[FAM_IP6]);
	return s;
}

/* ---- asking ---- */

/* Number of ranges that start at or before the address of @k. */
static uint32_t
part_find(const struct part *p, struct ip_addr k, uint64_t key)
{
	uint32_t lo = 0, hi = p->cnt;

	if (p->index) {
		uint64_t i = (key - p->base) >> p->shift;

		if (i >= p->index_cnt)
			return p->cnt;
		lo = p->index[i];
		hi = p->index[i + 1];
	}
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		bool before = p->width == 4   ? p->r4[mid].start <= (uint32_t)key
			      : p->width == 8 ? p->r8[mid].start <= key
					      : ip_cmp(p->r16[mid].start, k) <= 0;

		if (before)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
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
	const struct part *t = &s->part[p->fam];

	if (t->cnt) {
		uint64_t key = p->fam == FAM_IP4 ? ip_to_v4(p->addr) : p->addr.hi;

		if (key >= t->base) {
			uint32_t i = part_find(t, p->addr, key);

			if (i && lenset_has(range_lens(t, i - 1), p->len))
				return true;
		}
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
	strbuf_addf(b, "[%u ranges of prefixes]",
	    s->part[0].cnt + s->part[0].exact_cnt + s->part[1].cnt +
		s->part[1].exact_cnt);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting patterns of prefixes, and one walk over the patterns that splits the address
 * space into ranges of equal length sets. Two patterns nest or are disjoint, so the
 * patterns that cover the present place form a stack. The parser's thread calls. */
#include "filter/set/pfxset_sweep.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include <stdlib.h>

#define COUNTING_MIN 100 /* patterns for which counting is worth while */

/* An open pattern: ranges up to @last belong to it. */
struct open_pattern {
	struct ip_addr last;
	uint32_t id; /* union of the lengths of all that are open */
	unsigned len;
};

static bool
sweep_lenset_equal(const struct lenset *a, const struct lenset *b)
{
	return a->w[0] == b->w[0] && a->w[1] == b->w[1] && a->w[2] == b->w[2];
}

/* Bits @lo to @hi of the word that begins with bit @from. */
static uint64_t
pfxset_sweep_bits_of(unsigned from, unsigned lo, unsigned hi)
{
	if (hi < from || lo >= from + 64)
		return 0;
	lo = lo > from ? lo - from : 0;
	hi = hi - from > 63 ? 63 : hi - from;
	return UINT64_MAX >> (63 - hi) & UINT64_MAX << lo;
}

static void
sweep_lenset_add_range(struct lenset *l, unsigned lo, unsigned hi)
{
	l->w[0] |= pfxset_sweep_bits_of(0, lo, hi);
	l->w[1] |= pfxset_sweep_bits_of(64, lo, hi);
	l->w[2] |= pfxset_sweep_bits_of(128, lo, hi);
}

static struct ip_addr
sweep_key_last(struct ip_addr k, unsigned len)
{
	k.hi |= ~mask64(len);
	k.lo |= ~(len > 64 ? mask64(len - 64) : 0);
	return k;
}

static uint32_t
sweep_lens_add(struct sweep *s, const struct lenset *l)
{
	s->lens = vec_room(
	    MEM_CONFIG, s->lens, &s->lens_cap, s->lens_cnt + 1, sizeof(*s->lens));
	s->lens[s->lens_cnt] = *l;
	return s->lens_cnt++;
}

/* sweep_lens_get - index of @l among the length sets; equal sets are rarely stored
 * twice. */
static uint32_t
sweep_lens_get(struct sweep *s, const struct lenset *l)
{
	uint64_t h = hash_u64(l->w[0], l->w[1] ^ l->w[2]);
	uint32_t *at = &s->cache[h % SWEEP_CACHE];

	if (sweep_lenset_equal(&s->lens[*at], l))
		return *at;
	if (sweep_lenset_equal(&s->lens[0], l))
		return 0;
	*at = sweep_lens_add(s, l);
	return *at;
}

static void
pfxset_sweep_emit(struct sweep *s, struct ip_addr at, uint32_t id)
{
	if (s->cnt && ip_equal(s->start[s->cnt - 1], at))
		s->cnt--; /* that range was empty */
	if (s->cnt ? sweep_lenset_equal(&s->lens[s->id[s->cnt - 1]], &s->lens[id])
		   : id == 0)
		return; /* I2 */
	s->start[s->cnt] = at;
	s->id[s->cnt++] = id;
}

static void
sweep_close_one(struct sweep *s, struct open_pattern *stack, unsigned *depth)
{
	struct ip_addr next = stack[--*depth].last;

	if (++next.lo == 0 && ++next.hi == 0)
		return; /* the end of the address space */
	pfxset_sweep_emit(s, next, *depth ? stack[*depth - 1].id : 0);
}

static void
sweep_open_one(struct sweep *s, const struct pfx_pattern *p, struct open_pattern *stack,
    unsigned *depth)
{
	struct ip_addr key = sweep_key(p->addr, p->fam),
		       last = sweep_key_last(key, p->len);
	struct lenset l = { { 0 } };
	struct open_pattern *top;

	while (*depth && ip_cmp(stack[*depth - 1].last, key) < 0)
		sweep_close_one(s, stack, depth);
	if (*depth)
		l = s->lens[stack[*depth - 1].id];
	sweep_lenset_add_range(&l, p->lo > p->len ? p->lo : p->len, p->hi);
	/* a repeated prefix with other lengths replaces the first */
	top = &stack[*depth];
	if (*depth && stack[*depth - 1].len == p->len)
		top--;
	else
		++*depth;
	*top = (struct open_pattern){ last, sweep_lens_get(s, &l), p->len };
	pfxset_sweep_emit(s, key, top->id);
}

void
sweep_run(struct sweep *s, const struct pfx_pattern *pat, uint32_t cnt)
{
	struct open_pattern stack[130];
	unsigned depth = 0;
	uint32_t i;

	memset(s, 0, sizeof(*s));
	s->start = mem_alloc(MEM_CONFIG, (2 * (size_t)cnt + 1) * sizeof(*s->start));
	s->id = mem_alloc(MEM_CONFIG, (2 * (size_t)cnt + 1) * sizeof(*s->id));
	sweep_lens_add(s, &(struct lenset){ { 0 } }); /* the empty set is the first */
	for (i = 0; i < cnt; i++)
		if (pat[i].hi >= pat[i].len)
			sweep_open_one(s, &pat[i], stack, &depth);
	while (depth)
		sweep_close_one(s, stack, &depth);
}

void
sweep_fini(struct sweep *s)
{
	mem_free(MEM_CONFIG, s->start);
	mem_free(MEM_CONFIG, s->id);
	mem_free(MEM_CONFIG, s->lens);
}

/* ---- sorting ---- */

static int
sweep_cmp_pattern(const void *va, const void *vb)
{
	const struct pfx_pattern *a = va, *b = vb;
	int c;

	if (a->fam != b->fam)
		return a->fam < b->fam ? -1 : 1;
	c = ip_cmp(a->addr, b->addr);
	return c ? c : (int)a->len - (int)b->len;
}

/* What a pattern without bits beyond the first 64 is sorted by, as octets from the
 * lowest: length, address, family. */
struct sort_item {
	uint64_t key; /* sweep_key */
	uint8_t len, fam, lo, hi;
};

#define DIGITS 10

static inline uint8_t
pfxset_sweep_digit(const struct sort_item *t, unsigned k)
{
	return k == 0            ? t->len
	       : k == DIGITS - 1 ? t->fam
				 : (uint8_t)(t->key >> 8 * (k - 1));
}

static void
pfxset_sweep_deal(
    struct sort_item *to, const struct sort_item *from, uint32_t cnt, unsigned k)
{
	uint32_t at[256] = { 0 }, i, sum = 0;

	for (i = 0; i < cnt; i++)
		at[pfxset_sweep_digit(&from[i], k)]++;
	for (i = 0; i < 256; i++) {
		uint32_t n = at[i];

		at[i] = sum;
		sum += n;
	}
	for (i = 0; i < cnt; i++)
		to[at[pfxset_sweep_digit(&from[i], k)]++] = from[i];
}

/* sweep_sort_counting - sort by counting octets. Lists of members are long and come in
 * any order. Octets that are equal in all patterns, as the last octets of addresses are,
 * cost nothing. */
static void
sweep_sort_counting(struct pfx_pattern *pat, uint32_t cnt)
{
	struct sort_item *from = mem_alloc(MEM_CONFIG, cnt * sizeof(*from));
	struct sort_item *to = mem_alloc(MEM_CONFIG, cnt * sizeof(*to)), *swap;
	struct sort_item vary = { 0 };
	uint32_t i;
	unsigned k;

	for (i = 0; i < cnt; i++) {
		from[i] = (struct sort_item){ sweep_key(pat[i].addr, pat[i].fam).hi,
			pat[i].len, pat[i].fam, pat[i].lo, pat[i].hi };
		vary.key |= from[i].key ^ from[0].key;
		vary.len |= from[i].len ^ from[0].len;
		vary.fam |= from[i].fam ^ from[0].fam;
	}
	for (k = 0; k < DIGITS; k++) {
		if (!pfxset_sweep_digit(&vary, k))
			continue;
		pfxset_sweep_deal(to, from, cnt, k);
		swap = from;
		from = to;
		to = swap;
	}
	for (i = 0; i < cnt; i++) {
		struct ip_addr v6 = { from[i].key, 0 };
		bool is_v4 = from[i].fam == FAM_IP4;

		pat[i] = (struct pfx_pattern){ is_v4 ? ip4((uint32_t)(from[i].key >> 32))
						     : v6,
			from[i].len, from[i].lo, from[i].hi, from[i].fam };
	}
	mem_free(MEM_CONFIG, from);
	mem_free(MEM_CONFIG, to);
}

void
patterns_sort(struct pfx_pattern *pat, uint32_t cnt)
{
	uint32_t i;

	for (i = 1; i < cnt && sweep_cmp_pattern(&pat[i - 1], &pat[i]) <= 0; i++)
		;
	if (i >= cnt)
		return;
	for (i = 0; i < cnt && (pat[i].fam == FAM_IP4 || !pat[i].addr.lo); i++)
		;
	if (i == cnt && cnt >= COUNTING_MIN)
		sweep_sort_counting(pat, cnt);
	else
		qsort(pat, cnt, sizeof(*pat), sweep_cmp_pattern);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting patterns of prefixes, and one walk over them that cuts the address space into
 * ranges of equal length sets. Patterns nest or are apart, so those that cover the place
 * at hand are a stack. */
#include "filter/pfxset_sweep.h"
#include "lib/base/hash.h"
#include <stdlib.h>

#define RADIX_MIN 100 /* patterns for which counting is worth while */

/* An open pattern: ranges up to @last belong to it. */
struct open_pattern {
	struct ip_addr last;
	uint32_t id; /* union of the lengths of all that are open */
	unsigned len;
};

static bool
lenset_equal(const struct lenset *a, const struct lenset *b)
{
	return a->w[0] == b->w[0] && a->w[1] == b->w[1] && a->w[2] == b->w[2];
}

/* Bits @lo to @hi of the word that begins with bit @from. */
static uint64_t
bits_of(unsigned from, unsigned lo, unsigned hi)
{
	if (hi < from || lo >= from + 64)
		return 0;
	lo = lo > from ? lo - from : 0;
	hi = hi - from > 63 ? 63 : hi - from;
	return UINT64_MAX >> (63 - hi) & UINT64_MAX << lo;
}

static void
lenset_add_range(struct lenset *l, unsigned lo, unsigned hi)
{
	l->w[0] |= bits_of(0, lo, hi);
	l->w[1] |= bits_of(64, lo, hi);
	l->w[2] |= bits_of(128, lo, hi);
}

static struct ip_addr
key_last(struct ip_addr k, unsigned len)
{
	k.hi |= ~mask64(len);
	k.lo |= ~(len > 64 ? mask64(len - 64) : 0);
	return k;
}

/* Index of @l among the length sets; equal ones may be kept twice, which is rare. */
static uint32_t
lens_get(struct sweep *s, const struct lenset *l)
{
	uint64_t h = hash_u64(l->w[0], l->w[1] ^ l->w[2]);
	uint32_t *at = &s->cache[h % SWEEP_CACHE];

	if (lenset_equal(&s->lens[*at], l))
		return *at;
	if (lenset_equal(&s->lens[0], l))
		return 0;
	if (s->lens_cnt == s->lens_cap) {
		s->lens_cap *= 2;
		s->lens = mem_realloc(
		    MEM_CONFIG, s->lens, s->lens_cap * sizeof(*s->lens));
	}
	s->lens[s->lens_cnt] = *l;
	*at = s->lens_cnt;
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

static void
open_one(struct sweep *s, const struct pfx_pattern *p, struct open_pattern *stack,
    unsigned *depth)
{
	struct ip_addr key = sweep_key(p->addr, p->fam), last = key_last(key, p->len);
	struct lenset l = { { 0 } };
	struct open_pattern *top;

	while (*depth && ip_cmp(stack[*depth - 1].last, key) < 0)
		close_one(s, stack, depth);
	if (*depth)
		l = s->lens[stack[*depth - 1].id];
	lenset_add_range(&l, p->lo > p->len ? p->lo : p->len, p->hi);
	/* the same prefix again, with other lengths, takes the place of the first */
	top = &stack[*depth];
	if (*depth && stack[*depth - 1].len == p->len)
		top--;
	else
		++*depth;
	*top = (struct open_pattern){ last, lens_get(s, &l), p->len };
	emit(s, key, top->id);
}

void
sweep_run(struct sweep *s, const struct pfx_pattern *pat, uint32_t cnt)
{
	struct open_pattern stack[130];
	unsigned depth = 0;
	uint32_t i;

	memset(s, 0, sizeof(*s));
	s->lens_cap = 16;
	s->start = mem_alloc(MEM_CONFIG, (2 * (size_t)cnt + 1) * sizeof(*s->start));
	s->id = mem_alloc(MEM_CONFIG, (2 * (size_t)cnt + 1) * sizeof(*s->id));
	s->lens = mem_zalloc(MEM_CONFIG, s->lens_cap * sizeof(*s->lens));
	s->lens_cnt = 1; /* the empty set */
	for (i = 0; i < cnt; i++)
		if (pat[i].hi >= pat[i].len)
			open_one(s, &pat[i], stack, &depth);
	while (depth)
		close_one(s, stack, &depth);
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

void
patterns_sort(struct pfx_pattern *pat, uint32_t cnt)
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

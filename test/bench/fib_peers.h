/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structures of others for longest matches of IPv4, to compare on one machine: the
 * published layouts of DXR (D16X4R) and poptrie (s = 18), written for this measurement,
 * and DPDK's rte_fib (DIR24_8, 2 octets a next hop) if the build has libdpdk.
 *
 * All are built from the same list of ranges or prefixes, once, and only read then. */
#ifndef TERN_TEST_BENCH_FIB_PEERS_H
#define TERN_TEST_BENCH_FIB_PEERS_H

#include "lib/base/check.h"
#include "lib/mem/mem.h"

/* Ranges of addresses in order, without gaps: the first address and the next hop. Owner:
 * the benchmark. */
struct fib_list {
	uint32_t *first;
	uint16_t *hop;
	uint32_t cnt, cap;
};

/* fib_list_at - the range of @addr, not before range @from. */
static inline uint32_t
fib_list_at(const struct fib_list *l, uint32_t addr)
{
	uint32_t lo = 0, cnt = l->cnt;

	while (cnt > 1) {
		uint32_t half = cnt / 2;

		if (l->first[lo + half] <= addr) {
			lo += half;
			cnt -= half;
		} else {
			cnt = half;
		}
	}
	return lo;
}

/* fib_list_last - the last address of range @i. */
static inline uint32_t
fib_list_last(const struct fib_list *l, uint32_t i)
{
	return i + 1 < l->cnt ? l->first[i + 1] - 1 : UINT32_MAX;
}

/* ---- DXR: 16 bits, 4 bits, ranges in chunks of 12 bits ---- */

#define DXR_DIRECT 1014u /* of the 10 bits of a count: the base is the next hop */
#define DXR_SHORT  0x200u /* the ranges have 2 octets */

struct dxr {
	uint16_t d[65536];
	uint32_t *x, *r;
	uint32_t x_cnt, r_cnt; /* words */
};

/* dxr_chunk - the X entry of the 4,096 addresses from @addr. */
static inline uint32_t
dxr_chunk(struct dxr *t, const struct fib_list *l, uint32_t addr)
{
	uint32_t from = fib_list_at(l, addr), to = fib_list_at(l, addr | 0xfff);
	uint32_t cnt = to - from + 1, base = t->r_cnt;
	bool is_short = true;

	if (cnt == 1)
		return DXR_DIRECT << 22 | l->hop[from];
	for (uint32_t i = from + 1; i <= to; i++)
		is_short &= !(l->first[i] & 255);
	for (uint32_t i = 0; i < cnt; i++) {
		uint32_t start = i ? l->first[from + i] & 0xfff : 0;

		if (is_short)
			((uint16_t *)(void *)(t->r +
					      base))[i] = (uint16_t)(start >> 8 << 12 |
								     l->hop[from + i]);
		else
			t->r[base + i] = start << 20 | l->hop[from + i];
	}
	t->r_cnt += is_short ? (cnt + 1) / 2 : cnt;
	return (cnt | (is_short ? DXR_SHORT : 0)) << 22 | base;
}

static inline struct dxr *
dxr_new(const struct fib_list *l)
{
	struct dxr *t = mem_zalloc(MEM_OTHER, sizeof(*t));
	uint32_t *shared = mem_zalloc(MEM_OTHER, 65536 * sizeof(*shared));

	t->x = mem_zalloc(MEM_OTHER, 65536 * 16 * sizeof(*t->x));
	t->r = mem_zalloc(MEM_OTHER, (l->cnt + 65536) * 2 * sizeof(*t->r));
	for (uint32_t i = 0; i < 65536; i++) {
		uint32_t *x = t->x + t->x_cnt * 16ull;
		bool same = true;

		for (uint32_t j = 0; j < 16; j++) {
			x[j] = dxr_chunk(t, l, i << 16 | j << 12);
			same &= x[j] == x[0] && x[j] >> 22 == DXR_DIRECT;
		}
		if (same && shared[x[0] & 0xffff]) {
			t->d[i] = (uint16_t)(shared[x[0] & 0xffff] - 1);
			continue;
		}
		if (same)
			shared[x[0] & 0xffff] = t->x_cnt + 1;
		t->d[i] = (uint16_t)t->x_cnt++;
	}
	mem_free(MEM_OTHER, shared);
	return t;
}

static inline uint32_t
dxr_find(const struct dxr *t, uint32_t addr)
{
	uint32_t x = t->x[(uint32_t)t->d[addr >> 16] << 4 | (addr >> 12 & 15)];
	uint32_t cnt = x >> 22, base = x & 0x3fffff, lo = 0;

	if (cnt == DXR_DIRECT)
		return base;
	if (cnt & DXR_SHORT) {
		const uint16_t *r = (const uint16_t *)(const void *)(t->r + base);

		cnt &= ~DXR_SHORT;
		while (cnt > 1) {
			uint32_t half = cnt / 2;

			if ((uint32_t)(r[lo + half] >> 12) <= (addr >> 8 & 15)) {
				lo += half;
				cnt -= half;
			} else {
				cnt = half;
			}
		}
		return r[lo] & 0xfff;
	}
	while (cnt > 1) {
		uint32_t half = cnt / 2;

		if (t->r[base + lo + half] >> 20 <= (addr & 0xfff)) {
			lo += half;
			cnt -= half;
		} else {
			cnt = half;
		}
	}
	return t->r[base + lo] & 0xfffff;
}

/* ---- poptrie: 18 bits, then nodes of 6 bits ---- */

struct poptrie_node {
	uint64_t inner, leaf;
	uint32_t base_leaf, base_inner;
};

struct poptrie {
	uint32_t *direct;
	struct poptrie_node *node;
	uint16_t *leaf;
	uint32_t node_cnt, leaf_cnt;
};

/* poptrie_fill - make node @at for the addresses from @addr, @bits of which are
 * decided. */
static inline void
poptrie_fill(struct poptrie *t, const struct fib_list *l, uint32_t at, uint64_t addr,
    unsigned bits)
{
	struct poptrie_node n = { .base_leaf = t->leaf_cnt };
	uint64_t size = bits + 6 <= 32 ? 1ull << (32 - bits - 6) : 1, child[64];
	unsigned kids = 0, shift = bits + 6 <= 32 ? 0 : bits + 6 - 32;
	uint32_t last = UINT32_MAX;

	for (unsigned i = 0; i < 64; i++) {
		uint64_t from = addr + (i >> shift) * size;
		uint32_t r = fib_list_at(l, (uint32_t)from);

		if (fib_list_last(l, r) < from + size - 1) {
			n.inner |= 1ull << i;
			child[kids++] = from;
			continue;
		}
		if (l->hop[r] != last || !n.leaf) {
			n.leaf |= 1ull << i;
			t->leaf[t->leaf_cnt++] = (uint16_t)(last = l->hop[r]);
		}
	}
	n.base_inner = t->node_cnt;
	t->node_cnt += kids;
	t->node[at] = n;
	for (unsigned i = 0; i < kids; i++)
		poptrie_fill(t, l, n.base_inner + i, child[i], bits + 6);
}

static inline struct poptrie *
poptrie_new(const struct fib_list *l)
{
	struct poptrie *t = mem_zalloc(MEM_OTHER, sizeof(*t));

	t->direct = mem_zalloc(MEM_OTHER, (1u << 18) * sizeof(*t->direct));
	t->node = mem_zalloc(MEM_OTHER, (l->cnt + 65536ull) * sizeof(*t->node));
	t->leaf = mem_zalloc(MEM_OTHER, (l->cnt * 4ull + 65536) * sizeof(*t->leaf));
	for (uint32_t i = 0; i < 1u << 18; i++) {
		uint32_t addr = i << 14, r = fib_list_at(l, addr), at;

		if (fib_list_last(l, r) >= (addr | 0x3fff)) {
			t->direct[i] = 0x80000000u | l->hop[r];
			continue;
		}
		at = t->node_cnt++;
		t->direct[i] = at;
		poptrie_fill(t, l, at, addr, 18);
	}
	return t;
}

static inline uint32_t
poptrie_find(const struct poptrie *t, uint32_t addr)
{
	uint32_t at = t->direct[addr >> 14];
	const struct poptrie_node *n;
	uint64_t key = (uint64_t)addr << 4; /* 36 bits: 18 and three times 6 */
	unsigned shift = 12, v;

	if (at & 0x80000000u)
		return at & 0xffff;
	n = &t->node[at];
	v = key >> shift & 63;
	while (n->inner >> v & 1) {
		n = &t->node[n->base_inner + (uint32_t)__builtin_popcountll(
						 n->inner & ((1ull << v) - 1))];
		shift -= 6;
		v = key >> shift & 63;
	}
	return t->leaf[n->base_leaf +
		       (uint32_t)__builtin_popcountll(n->leaf & (~0ull >> (63 - v))) - 1];
}

#endif

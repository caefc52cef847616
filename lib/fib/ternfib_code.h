/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lookups of libternfib for one instruction set: ternfib_plain.c, ternfib_avx2.c and
 * ternfib_avx512.c each build one set of functions from the inline functions here.
 *
 * Loop: the thread that owns the handle. */
#ifndef TERN_LIB_FIB_TERNFIB_CODE_H
#define TERN_LIB_FIB_TERNFIB_CODE_H

#include "lib/fib/fib_find.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/ternfib_priv.h"
#include "lib/mt/mapped.h"

/* A lookup compares the generation with the generation of an earlier lookup, which costs
 * one load. If the writer has published twice since then, the lookup runs again with the
 * present generation; further runs count as repeated. */

FIB_INLINE uint64_t
ternfib_code_find4(struct ternfib *t, uint32_t addr)
{
	uint64_t answer = fib_find4(&t->view, addr);

	t->lookups++;
	for (bool late = true; ternfib_changed(t, t->near.seen); late = false) {
		t->repeated += !late;
		t->near.seen = mapped_load_acquire64(t->near.generation);
		answer = fib_find4(&t->view, addr);
	}
	return answer;
}

FIB_INLINE uint64_t
ternfib_code_find6(struct ternfib *t, const uint8_t *addr)
{
	uint64_t answer = fib_find6(&t->view, addr);

	t->lookups++;
	for (bool late = true; ternfib_changed(t, t->near.seen); late = false) {
		t->repeated += !late;
		t->near.seen = mapped_load_acquire64(t->near.generation);
		answer = fib_find6(&t->view, addr);
	}
	return answer;
}

#define TERNFIB_BULK 64
#define TERNFIB_STEP 8 /* addresses between two tests of the end of a loop */

/* Addresses that are looked up at the same time. Owner: the call. Life: the call; on the
 * stack, nothing to free. */
struct ternfib_work4 {
	const struct fib_view *v;
	uint64_t *out;
	const uint32_t *addr;
	const uint8_t *part[TERNFIB_BULK];
	uint64_t slot[TERNFIB_BULK];
};

FIB_INLINE void
ternfib_code_slot4(struct ternfib_work4 *w, size_t i)
{
	uint64_t slot = mapped_load_acquire64(&w->v->slot[w->addr[i] >> 16]);

	w->slot[i] = slot;
	w->part[i] = fib_find_part(w->v, slot, w->addr[i]);
	__builtin_prefetch(w->part[i]);
}

FIB_INLINE void
ternfib_code_answer4(struct ternfib_work4 *w, size_t i)
{
	if (fib_find_has_octets(w->slot[i]))
		w->out[i] = fib_find_octet(w->part[i], w->addr[i]);
	else
		w->out[i] = fib_find4_slow(w->v, w->slot[i], w->addr[i]);
}

/* ternfib_code_octets4 - @n addresses of an image whose blocks are octets. */
FIB_INLINE void
ternfib_code_octets4(
    const struct fib_view *v, uint64_t *out, const uint32_t *addr, size_t n)
{
	struct ternfib_work4 w;
	size_t i = 0;

	w.v = v;
	w.out = out;
	w.addr = addr;
	for (; i + TERNFIB_STEP <= n; i += TERNFIB_STEP)
#pragma GCC unroll 8
		for (size_t j = 0; j < TERNFIB_STEP; j++)
			ternfib_code_slot4(&w, i + j);
	for (; i < n; i++)
		ternfib_code_slot4(&w, i);
	for (i = 0; i + TERNFIB_STEP <= n; i += TERNFIB_STEP)
#pragma GCC unroll 8
		for (size_t j = 0; j < TERNFIB_STEP; j++)
			ternfib_code_answer4(&w, i + j);
	for (; i < n; i++)
		ternfib_code_answer4(&w, i);
}

/* Addresses whose blocks are chunks. Owner: the call. Life: the call; on the stack,
 * nothing to free. */
struct ternfib_leaves {
	const struct fib_chunk *chunk[TERNFIB_BULK];
	const uint8_t *leaf[TERNFIB_BULK]; /* the octet where the leaf begins */
	uint8_t shift[TERNFIB_BULK]; /* bits before the leaf in this octet */
	uint8_t at[TERNFIB_BULK]; /* number of the address */
};

/* ternfib_code_fetch - fetch @len octets, at most a line of the cache. */
FIB_INLINE void
ternfib_code_fetch(const void *from, size_t len)
{
	__builtin_prefetch(from);
	__builtin_prefetch((const uint8_t *)from + len - 1);
}

/* ternfib_code_leaf4 - address @i of the list: find the leaf, and fetch the leaf. */
FIB_INLINE void
ternfib_code_leaf4(struct ternfib_leaves *l, const uint32_t *addr, size_t i)
{
	const struct fib_chunk *c = l->chunk[i];
	unsigned byte = addr[l->at[i]] >> 8 & 255, word = byte / 64;
	unsigned run = c->before[word] +
		       (unsigned)__builtin_popcountll(c->start[word] << (63 - byte % 64));
	unsigned bit = run * c->width;

	l->leaf[i] = (const uint8_t *)(c + 1) + bit / 8;
	l->shift[i] = bit % 8;
	ternfib_code_fetch(l->leaf[i], sizeof(uint64_t));
}

FIB_INLINE uint64_t
ternfib_code_packed4(
    const struct fib_view *v, const struct ternfib_leaves *l, uint32_t addr, size_t i)
{
	struct fib_pack p = fib_find_pack(l->chunk[i]);
	uint64_t leaf;

	__builtin_memcpy(&leaf, l->leaf[i], sizeof(leaf));
	leaf >>= l->shift[i];
	if (fib_find_is_child(p, leaf)) {
		const struct fib_chunk *c = fib_find_chunk(v, fib_find_unit(p, leaf));

		p = fib_find_pack(c);
		leaf = fib_find_leaf(c, addr & 255);
	}
	return fib_find_answer(v, p, leaf);
}

/* ternfib_code_chunks4 - @n addresses of an image whose blocks are chunks, in three
 * passes: the slots, the numbers of runs, the leaves. Each pass has what the pass before
 * has begun to fetch. */
FIB_INLINE void
ternfib_code_chunks4(
    const struct fib_view *v, uint64_t *out, const uint32_t *addr, size_t n)
{
	struct ternfib_leaves l;
	size_t cnt = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t slot = mapped_load_acquire64(&v->slot[addr[i] >> 16]);

		/* no branch: the next address takes the place of an answer */
		out[i] = slot;
		l.at[cnt] = (uint8_t)i;
		l.chunk[cnt] = fib_find_chunk(v, slot);
		ternfib_code_fetch(l.chunk[cnt], sizeof(*l.chunk[cnt]));
		cnt += slot >> FIB_KIND_SHIFT != 0;
	}
	for (size_t i = 0; i < cnt; i++)
		ternfib_code_leaf4(&l, addr, i);
	for (size_t i = 0; i < cnt; i++)
		out[l.at[i]] = ternfib_code_packed4(v, &l, addr[l.at[i]], i);
}

/* ternfib_code_bulk4 - @n addresses, at most TERNFIB_BULK: first all slots, so that the
 * processor fetches all chunks at the same time. An image with fields has no octets. */
FIB_INLINE void
ternfib_code_bulk4(
    const struct fib_view *v, uint64_t *out, const uint32_t *addr, size_t n)
{
	if (v->plain)
		ternfib_code_octets4(v, out, addr, n);
	else
		ternfib_code_chunks4(v, out, addr, n);
}

/* Addresses whose entries have keys. Owner: the call. Life: the call; on the stack,
 * nothing to free. */
struct ternfib_work6 {
	const int32_t *keys[TERNFIB_BULK];
	int32_t key[TERNFIB_BULK];
	uint32_t cnt[TERNFIB_BULK]; /* keys */
	/* the first key of the group to search; at last the run */
	uint32_t from[TERNFIB_BULK];
	uint8_t at[TERNFIB_BULK]; /* number of the address */
	uint8_t tall[TERNFIB_BULK]; /* numbers of the entries with list 1 */
};

/* ternfib_code_tall6 - the group of first keys, for an entry with two or three lists. */
FIB_INLINE void
ternfib_code_tall6(struct ternfib_work6 *w, size_t i)
{
	struct fib_keys k = fib_find_lists(w->keys[i], w->cnt[i]);
	uint32_t from = 0;

	if (__builtin_expect(k.top_cnt, 0))
		from = FIB_KEYS_GROUP * fib_find_search(k.top, k.top_cnt, 0, w->key[i]);
	w->from[i] = FIB_KEYS_GROUP *
		     fib_find_search(k.first[1], k.first_cnt[1], from, w->key[i]);
}

/* ternfib_code_bulk6 - @n addresses, at most TERNFIB_BULK, in passes: the entries of
 * tables, each list of first keys, the keys, the leaves. The searches of a pass do not
 * depend on each other, and a pass needs few instructions for each address, so the
 * processor works at many searches at the same time. */
FIB_INLINE void
ternfib_code_bulk6(const struct fib_view *v, uint64_t *out, const uint8_t *addr, size_t n)
{
	struct ternfib_work6 w;
	size_t cnt = 0, tall = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *a = addr + 16 * i;
		uint64_t entry = fib_find6_entry(v, a);

		out[i] = entry;
		if (!fib_find_has_keys(entry)) {
			out[i] = fib_find6_slow(v, entry, a);
			continue;
		}
		w.keys[cnt] = fib_find_at(v, entry);
		w.cnt[cnt] = FIB_KEYS_CNT(entry);
		w.at[cnt] = (uint8_t)i;
		w.key[cnt] = fib_find_key(a);
		w.from[cnt] = 0;
		w.tall[tall] = (uint8_t)cnt;
		tall += w.cnt[cnt] > FIB_KEYS_GROUP * (FIB_KEYS_GROUP + 1);
		cnt++;
	}
	for (size_t i = 0; i < tall; i++)
		ternfib_code_tall6(&w, w.tall[i]);
	for (size_t i = 0; i < cnt; i++)
		w.from[i] = FIB_KEYS_GROUP * fib_find_search(w.keys[i] + w.cnt[i],
						 (w.cnt[i] - 1) / FIB_KEYS_GROUP,
						 w.from[i], w.key[i]);
	for (size_t i = 0; i < cnt; i++)
		w.from[i] = fib_find_search(w.keys[i], w.cnt[i], w.from[i], w.key[i]);
	for (size_t i = 0; i < cnt; i++) {
		uint64_t *to = &out[w.at[i]];

		*to = fib_find_run(v, *to, fib_find_leaves(w.keys[i], w.cnt[i]),
		    w.from[i], addr + 16 * w.at[i]);
	}
}

#endif

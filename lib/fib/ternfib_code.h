/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lookups of libternfib for one instruction set: ternfib_plain.c and ternfib_avx2.c
 * each build one set of functions from the inline functions here.
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

/* ternfib_code_bulk4 - @n addresses, at most TERNFIB_BULK: first all slots, so that the
 * processor fetches all chunks at the same time. */
FIB_INLINE void
ternfib_code_bulk4(
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

/* ternfib_code_bulk6 - @n addresses, at most TERNFIB_BULK: first all entries of tables,
 * so that the processor fetches the keys of all addresses at the same time. */
FIB_INLINE void
ternfib_code_bulk6(const struct fib_view *v, uint64_t *out, const uint8_t *addr, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t entry = fib_find6_entry(v, addr + 16 * i);
		struct fib_keys k = fib_find_keys(v, entry);
		const int32_t *first = k.first_cnt[1]   ? k.first[1]
				       : k.first_cnt[0] ? k.first[0]
							: k.key;

		out[i] = entry;
		__builtin_prefetch(first);
		__builtin_prefetch((const uint8_t *)first + 60);
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *a = addr + 16 * i;
		uint64_t entry = out[i];
		int32_t key = fib_find_key(a);
		struct fib_keys k;

		if (!fib_find_has_keys(entry)) {
			out[i] = fib_find6_slow(v, entry, a);
			continue;
		}
		k = fib_find_keys(v, entry);
		out[i] = fib_find_run(v, entry, k.leaves,
		    fib_find_search(k.key, k.cnt, fib_find_group(&k, key), key), a);
	}
}

#endif

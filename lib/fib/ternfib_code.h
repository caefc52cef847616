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

FIB_INLINE uint64_t
ternfib_code_find4(struct ternfib *t, uint32_t addr)
{
	for (;;) {
		uint64_t from = mapped_load_acquire64(&t->header->live.generation);
		uint64_t answer = fib_find4(&t->view, addr);

		if (!ternfib_changed(t, from)) {
			t->seen = from;
			t->lookups++;
			return answer;
		}
		t->repeated++;
	}
}

FIB_INLINE uint64_t
ternfib_code_find6(struct ternfib *t, const uint8_t *addr)
{
	for (;;) {
		uint64_t from = mapped_load_acquire64(&t->header->live.generation);
		uint64_t answer = fib_find6(&t->view, addr);

		if (!ternfib_changed(t, from)) {
			t->seen = from;
			t->lookups++;
			return answer;
		}
		t->repeated++;
	}
}

#define TERNFIB_BULK 64

/* ternfib_code_bulk4 - @n addresses, at most TERNFIB_BULK: first all slots, so that the
 * processor fetches all chunks at the same time. */
FIB_INLINE void
ternfib_code_bulk4(
    const struct fib_view *v, uint64_t *out, const uint32_t *addr, size_t n)
{
	uint32_t slot[TERNFIB_BULK];

	for (size_t i = 0; i < n; i++) {
		slot[i] = mapped_load_acquire32(&v->slot[addr[i] >> 16]);
		__builtin_prefetch(fib_find_chunk(v, slot[i]));
	}
	for (size_t i = 0; i < n; i++) {
		const struct fib_chunk *c;
		uint64_t leaf;

		if (!(slot[i] & FIB_SLOT_CHUNK)) {
			out[i] = fib_find_direct(v, slot[i]);
			continue;
		}
		c = fib_find_chunk(v, slot[i]);
		leaf = fib_find_leaf(c, addr[i] >> 8 & 255);
		if (fib_find_is_child(c, leaf)) {
			c = fib_find_chunk(v, fib_find_unit(c, leaf));
			leaf = fib_find_leaf(c, addr[i] & 255);
		}
		out[i] = fib_find_answer(v, c, leaf);
	}
}

/* ternfib_code_bulk6 - @n addresses, at most TERNFIB_BULK, level by level: the processor
 * fetches the next chunks of all addresses at the same time. */
FIB_INLINE void
ternfib_code_bulk6(const struct fib_view *v, uint64_t *out, const uint8_t *addr, size_t n)
{
	const struct fib_chunk *chunk[TERNFIB_BULK];
	uint8_t active[TERNFIB_BULK];
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *a = addr + 16 * i;
		uint32_t slot = mapped_load_acquire32(
		    &v->slot[(unsigned)a[0] << 8 | a[1]]);

		if (!(slot & FIB_SLOT_CHUNK)) {
			out[i] = fib_find_direct(v, slot);
			continue;
		}
		chunk[i] = fib_find_chunk(v, slot);
		__builtin_prefetch(chunk[i]);
		active[left++] = (uint8_t)i;
	}
	for (unsigned at = 2; left && at < 16; at++) {
		size_t next = 0;

		for (size_t j = 0; j < left; j++) {
			unsigned i = active[j];
			const struct fib_chunk *c = chunk[i];
			uint64_t leaf = fib_find_leaf(c, addr[16 * i + at]);

			/* both outcomes are stored: no branch depends on the leaf */
			out[i] = fib_find_answer(v, c, leaf);
			chunk[i] = fib_find_chunk(v, fib_find_unit(c, leaf));
			__builtin_prefetch(chunk[i]);
			active[next] = (uint8_t)i;
			next += c->child & leaf & 1;
		}
		left = next;
	}
}

#endif

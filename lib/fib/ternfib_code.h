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

FIB_INLINE void
ternfib_code_bulk6(const struct fib_view *v, uint64_t *out, const uint8_t *addr, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = fib_find6(v, addr + 16 * i);
}

#endif

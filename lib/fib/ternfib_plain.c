/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lookups of libternfib for every processor. Loop: the thread that owns the handle.
 *  */
#include "lib/fib/ternfib_code.h"
#include "lib/fib/ternfib_priv.h"

static uint64_t
ternfib_plain_find4(struct ternfib *t, uint32_t addr)
{
	return ternfib_code_find4(t, addr);
}

static uint64_t
ternfib_plain_find6(struct ternfib *t, const uint8_t *addr)
{
	return ternfib_code_find6(t, addr);
}

static void
ternfib_plain_bulk4(const struct fib_view *v, uint64_t *out, const uint32_t *a, size_t n)
{
	ternfib_code_bulk4(v, out, a, n);
}

static void
ternfib_plain_bulk6(const struct fib_view *v, uint64_t *out, const uint8_t *a, size_t n)
{
	ternfib_code_bulk6(v, out, a, n);
}

const struct ternfib_code ternfib_code_plain = { ternfib_plain_find4, ternfib_plain_find6,
	ternfib_plain_bulk4, ternfib_plain_bulk6 };

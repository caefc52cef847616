/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lookups of libternfib for x86-64 with AVX2, BMI2 and popcnt. Loop: the thread
 * that owns the handle. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* all inline functions of the headers below become functions for these instructions */
#ifdef __x86_64__
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(                                                            \
    __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#endif
#include "lib/fib/ternfib_code.h"
#include "lib/fib/ternfib_priv.h"

#ifdef __x86_64__
static uint64_t
ternfib_avx2_find4(struct ternfib *t, uint32_t addr)
{
	return ternfib_code_find4(t, addr);
}

static uint64_t
ternfib_avx2_find6(struct ternfib *t, const uint8_t *addr)
{
	return ternfib_code_find6(t, addr);
}

static void
ternfib_avx2_bulk4(const struct fib_view *v, uint64_t *out, const uint32_t *a, size_t n)
{
	ternfib_code_bulk4(v, out, a, n);
}

static void
ternfib_avx2_bulk6(const struct fib_view *v, uint64_t *out, const uint8_t *a, size_t n)
{
	ternfib_code_bulk6(v, out, a, n);
}

static const struct ternfib_code ternfib_code_ymm = { ternfib_avx2_find4,
	ternfib_avx2_find6, ternfib_avx2_bulk4, ternfib_avx2_bulk6 };
const struct ternfib_code *const ternfib_code_avx2 = &ternfib_code_ymm;
#else
const struct ternfib_code *const ternfib_code_avx2 = NULL;
#endif

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif

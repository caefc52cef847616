/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lookups of libternfib for x86-64 with AVX-512 (F, VL, DQ, BW and VPOPCNTDQ), BMI2
 * and popcnt. Loop: the thread that owns the handle. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* all inline functions of the headers below become functions for these instructions */
#ifdef __x86_64__
#include <immintrin.h>
#ifdef __clang__
/* clang-format off */
#pragma clang attribute push( \
    __attribute__((target("avx512vl,avx512dq,avx512bw,avx512vpopcntdq,bmi,bmi2,lzcnt"))), \
    apply_to = function)
/* clang-format on */
#else
#pragma GCC target("avx512vl,avx512dq,avx512bw,avx512vpopcntdq,bmi,bmi2,popcnt,lzcnt")
#endif
#endif
#include "lib/fib/ternfib_code.h"
#ifdef __x86_64__
#include "lib/fib/ternfib_lanes.h"
#endif
#include "lib/fib/ternfib_priv.h"

#ifdef __x86_64__
static uint64_t
ternfib_avx512_find4(struct ternfib *t, uint32_t addr)
{
	return ternfib_code_find4(t, addr);
}

static uint64_t
ternfib_avx512_find6(struct ternfib *t, const uint8_t *addr)
{
	return ternfib_code_find6(t, addr);
}

static void
ternfib_avx512_bulk4(const struct fib_view *v, uint64_t *out, const uint32_t *a, size_t n)
{
	ternfib_lanes_bulk4(v, out, a, n);
}

static void
ternfib_avx512_bulk6(const struct fib_view *v, uint64_t *out, const uint8_t *a, size_t n)
{
	ternfib_lanes_bulk6(v, out, a, n);
}

static const struct ternfib_code ternfib_code_zmm = { ternfib_avx512_find4,
	ternfib_avx512_find6, ternfib_avx512_bulk4, ternfib_avx512_bulk6 };
const struct ternfib_code *const ternfib_code_avx512 = &ternfib_code_zmm;
#else
const struct ternfib_code *const ternfib_code_avx512 = NULL;
#endif

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif

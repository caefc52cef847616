/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start values of numbers that wrap.
 *
 * A daemon meets the wrap of a 32-bit counter after weeks or years; a test meets the wrap
 * in its first second. In debug builds the environment variable TERN_WRAP=N starts each
 * such number N steps below the wrap. doc/concurrency.md ("Numbers that wrap") lists the
 * numbers.
 *
 * Loop: any thread; no state. */
#ifndef TERN_LIB_BASE_WRAP_H
#define TERN_LIB_BASE_WRAP_H

#include "lib/base/check.h"

/* wrap_start - the first value of a number of @bits bits (at most 63), or of a wider one
 * whose lower @bits bits are used alone somewhere: @first, or in debug builds what
 * TERN_WRAP says. Any thread. */
uint64_t wrap_start(uint64_t first, unsigned bits);

/* serial_next - the number behind @nr; 0 is no number.
 * serial_after - is @a behind @b, where the two are less than 2^31 apart? */
static inline uint32_t
serial_next(uint32_t nr)
{
	return nr == UINT32_MAX ? 1 : nr + 1;
}

static inline bool
serial_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

#endif

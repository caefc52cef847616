/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system's random numbers. Loop: any thread; no state. Tested by
 * test_hash.c. */
#include "lib/crypto/entropy.h"

#include <bsd/stdlib.h>

uint64_t
entropy_u64(void)
{
	uint64_t v;

	arc4random_buf(&v, sizeof(v));
	return v;
}

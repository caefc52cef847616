/* SPDX-License-Identifier: GPL-3.0-or-later */
/* entropy_u64 reads a random number from the system's generator. Loop: any thread; no
 * state. Tested by test_hash.c. */
#include "lib/crypto/entropy.h"

#include <bsd/stdlib.h>

uint64_t
entropy_u64(void)
{
	uint64_t v;

	arc4random_buf(&v, sizeof(v));
	return v;
}

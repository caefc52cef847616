/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system's random numbers. No state. Tested by test_hash.c. */
#include "lib/base/entropy.h"

#include "lib/base/check.h"

#include <unistd.h>

uint64_t
entropy_u64(void)
{
	uint64_t v;

	ASSERT(getentropy(&v, sizeof(v)) == 0);
	return v;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First values of numbers that wrap (wrap.h). Loop: any thread; no state. */
#include "lib/base/wrap.h"
#include <stdlib.h>

uint64_t
wrap_start(uint64_t first, unsigned bits)
{
#ifdef TERN_DEBUG
	const char *text = getenv("TERN_WRAP");
	uint64_t steps = text ? strtoull(text, NULL, 10) : 0;

	if (steps && steps < 1ull << bits)
		return (1ull << bits) - steps;
#else
	(void)bits;
#endif
	return first;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grammatical number of a noun behind a number. Pure function; any thread. */
#ifndef TERN_LIB_BASE_PLURAL_H
#define TERN_LIB_BASE_PLURAL_H

#include <stdint.h>

/* plural - @one for one thing, else @many. Tested by test/unit/test_strbuf.c. */
static inline const char *
plural(uint64_t cnt, const char *one, const char *many)
{
	return cnt == 1 ? one : many;
}

#endif

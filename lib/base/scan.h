/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that parse a whole text as a number, and match a text against a shell
 * pattern. Pure functions; any thread. */
#ifndef TERN_LIB_BASE_SCAN_H
#define TERN_LIB_BASE_SCAN_H

#include "lib/base/check.h"

/* scan_u64 - the whole of @s as a decimal (or 0x hexadecimal) number up to @max.
 * Returns: 0, -EINVAL (not a number), -ERANGE. */
MUST_CHECK int scan_u64(uint64_t *out, const char *s, uint64_t max);
/* scan_glob - shell pattern match with * and ?. */
bool scan_glob(const char *pattern, const char *s);

#endif

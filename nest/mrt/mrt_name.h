/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mrt_name builds the name of a dump file from the pattern, the table and the time. Loop:
 * the dump's. */
#ifndef TERN_NEST_MRT_MRT_NAME_H
#define TERN_NEST_MRT_MRT_NAME_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

#include <time.h>

/* mrt_name - append to @out the result of strftime for @format and @at (local time). %N
 * is replaced by the name of the table; slashes in the name become underscores: the
 * result never names a second folder. */
void mrt_name(struct strbuf *out, const char *format, const char *table, time_t at);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of files with dumps. */
#ifndef TERN_NEST_MRT_NAME_H
#define TERN_NEST_MRT_NAME_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

#include <time.h>

/* mrt_name - @format at the end of @out, as strftime prints it for @at (local time), with
 * the name of the table for %N; slashes in that become underscores, so that it names no
 * other folder. */
void mrt_name(struct strbuf *out, const char *format, const char *table, time_t at);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failure of a check of tern's own code: print one line on stderr and abort, so that a
 * core file shows the stack. The log is not used, because the log belongs to a higher
 * floor and may itself be broken. Any thread. */
#include "lib/base/check.h"
#include <stdio.h>
#include <stdlib.h>

void
check_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
	abort();
}

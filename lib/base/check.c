/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens when a check of our own code fails: one line on stderr, then abort, so
 * that a core shows the stack. The log isn't used: it belongs to a higher floor and may
 * be what is broken. */
#include "lib/base/check.h"
#include <stdio.h>
#include <stdlib.h>

void
check_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
	abort();
}

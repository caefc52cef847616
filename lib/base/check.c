/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failure of a check of tern's own code: print a line on stderr and abort; a core file
 * then shows the stack. The check does not use the log, because the log belongs to a
 * higher floor and may be broken, too. Any thread. */
#include "lib/base/check.h"
#include <stdio.h>
#include <stdlib.h>

void
check_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
	abort();
}

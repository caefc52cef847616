/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the counters of a coverage build at _exit: libgcov writes counters at exit
 * alone, and each child of daemon_detach and of a test of rights ends by _exit. Linked in
 * builds with --coverage only, in the programs that the Makefile names. Loop: any.
 *
 * Tested by `make coverage`: sysdep/os/priv.c has lines of test/unit/test_priv.c. */
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void);

void
_exit(int status)
{
	__gcov_dump();
	for (;;)
		syscall(SYS_exit_group, status);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every unit test includes this header: cmocka, and the headers that cmocka.h needs. */
#ifndef TERN_TEST_LIB_UNIT_H
#define TERN_TEST_LIB_UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* unit_dies - does @fn abort? It runs in a child, whose complaint isn't shown. */
static inline bool
unit_dies(void (*fn)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		close(STDERR_FILENO);
		fn();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* unit_cannot_here - leave this case out: @why is what no package could mend. Any other
 * skip() counts as a failure in ./check. */
static inline void
unit_cannot_here(const char *why)
{
	print_message("cannot here: %s\n", why);
	skip();
}

#define UNIT_MAIN(tests)                                                                 \
	int main(void)                                                                   \
	{                                                                                \
		return cmocka_run_group_tests(tests, NULL, NULL);                        \
	}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Self-tests of a configuration: what `ternd -t` runs. Loop: the thread of main. */
#ifndef TERN_NEST_DAEMON_SELFTEST_H
#define TERN_NEST_DAEMON_SELFTEST_H

#include "nest/conf/config.h"

/* Result of the self-tests. Owner: the caller, on the stack; lives as long. */
struct selftest_result {
	unsigned suites, failed; /* bt_test_same counts as a suite */
	unsigned assertions; /* assertions reached */
};

/* selftest_run - run the suites of @c in the order of the file; write a line for each
 * suite to @out, and below it a line for each failure. No other state changes. Blocks: as
 * long as the suites run. */
void selftest_run(
    const struct config *c, struct strbuf *out, struct selftest_result *result);

#endif

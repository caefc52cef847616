/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Self-tests of a configuration: what `ternd -t` runs. */
#ifndef TERN_NEST_SELFTEST_H
#define TERN_NEST_SELFTEST_H

#include "nest/conf/config.h"

struct selftest_result {
	unsigned suites, failed; /* bt_test_same counts as a suite */
	unsigned assertions; /* that were reached */
};

/* selftest_run - run the suites of @c in the order of the file; one line a suite goes to
 * @out, and below it a line for whatever failed. Nothing else is touched.
 * Blocks: as long as the suites take. */
void selftest_run(
    const struct config *c, struct strbuf *out, struct selftest_result *result);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configurations of route servers for the set-up of a run. */
#ifndef TERN_TEST_LOAD_CONF_H
#define TERN_TEST_LOAD_CONF_H

#include "test/load/load_run.h"

/* load_conf_print - on stdout, for the daemon r->opt->conf. Returns: 0, or -EINVAL:
 * unknown, said on stderr. */
int load_conf_print(const struct load_run *r);

#endif

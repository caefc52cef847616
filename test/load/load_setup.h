/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From options to a run that can start. */
#ifndef TERN_TEST_LOAD_SETUP_H
#define TERN_TEST_LOAD_SETUP_H

#include "test/load/load_step.h"

struct mrt_file;

/* load_setup - clients, routes, what is expected. @mrt: read already, or NULL.
 * Returns: 0 or negative errno, said on stderr. */
int load_setup(struct load_run *r, const struct mrt_file *mrt);
/* load_setup_net - what load_setup leaves for when the server is really to be talked to.
 */
int load_setup_net(struct load_run *r);
void load_setup_fini(struct load_run *r);

#endif

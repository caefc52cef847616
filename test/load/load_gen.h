/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes up an exchange: prefixes, who announces them, and with which attributes. */
#ifndef TERN_TEST_LOAD_GEN_H
#define TERN_TEST_LOAD_GEN_H

#include "test/load/load_run.h"

/* load_gen_nets - fill r->nets from a file or by itself. Returns: 0 or negative errno. */
int load_gen_nets(struct load_run *r);
/* load_gen_routes - give the clients routes with attribute sets. */
void load_gen_routes(struct load_run *r);
/* load_gen_set - a new random attribute set as @client would announce it for its path
 * @id. */
uint32_t load_gen_set(struct load_run *r, uint32_t client, enum family fam, uint8_t id);

#endif

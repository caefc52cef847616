/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configurations of route servers for the set-up of a run. */
#ifndef TERN_TEST_LOAD_CONF_H
#define TERN_TEST_LOAD_CONF_H

#include "test/load/load_run.h"

/* load_conf_print - on stdout, for the daemon r->opt->conf. Returns: 0, or -EINVAL:
 * unknown, said on stderr. */
int load_conf_print(const struct load_run *r);

/* load_conf_addr - @client's address. @buf: IP_STR_MAX. */
const char *load_conf_addr(const struct load_run *r, uint32_t client, char *buf);
/* load_conf_next - step through the prefixes in @client's list. @at: 0 at first; @buf:
 * PREFIX_STR_MAX. Returns: false at the end. */
bool load_conf_next(
    const struct load_run *r, uint32_t client, enum family fam, uint32_t *at, char *buf);
void load_conf_frr(const struct load_run *r);
void load_conf_openbgpd(const struct load_run *r);
void load_conf_gobgp(const struct load_run *r);

#endif

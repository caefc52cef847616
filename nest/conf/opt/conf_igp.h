/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `igp table NAME`: the tables that resolve next hops, a table for each family of next
 * hops. The option may stand twice. Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_IGP_H
#define TERN_NEST_CONF_OPT_CONF_IGP_H

#include "filter/lang/diag.h"
#include "lib/net/prefix.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"

/* conf_igp_parse - read the name of a table, and store the table in @igp by its family;
 * the last table of a family counts. @pos: gets the place of the name; NULL: nothing
 * does. Returns: false after an error. */
bool conf_igp_parse(struct conf_args *a, const struct conf_table *igp[FAM_CNT],
    struct src_pos pos[FAM_CNT]);
/* conf_igp_master - name of the table that resolves next hops of a family without any
 * other table. */
const char *conf_igp_master(enum family f);
/* conf_igp_default - the table conf_igp_master. */
const struct conf_table *conf_igp_default(const struct conf_ctx *c, enum family f);

#endif

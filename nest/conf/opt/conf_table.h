/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables and their options, for the options of the top level. */
#ifndef TERN_NEST_CONF_TABLE_H
#define TERN_NEST_CONF_TABLE_H

#include "nest/conf/opt/conf_opt.h"

extern const struct conf_opt conf_table_options[];

/* conf_table_parse - what follows `TYPE table`; @o->def: the type (enum
 * conf_table_kind). A parser as struct conf_opt has it. */
bool conf_table_parse(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to);

/* conf_table_later - the same of a type that isn't supported yet: the table's name is
 * known then, and each use of the name is no error of its own. */
bool conf_table_later(
    struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to);

#endif

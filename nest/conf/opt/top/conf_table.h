/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares tables and their options, for the options of the top level. Loop: the thread
 * that parses. */
#ifndef TERN_NEST_CONF_OPT_TOP_CONF_TABLE_H
#define TERN_NEST_CONF_OPT_TOP_CONF_TABLE_H

#include "nest/conf/opt/conf_opt.h"

extern const struct conf_opt conf_table_options[];

/* conf_table_parse - parse function for `TYPE table`; @o->def: the type (enum
 * conf_table_kind). */
bool conf_table_parse(struct conf_args *a, void *to);

/* conf_table_later - like conf_table_parse, for a type that tern does not support yet:
 * the parser then knows the table's name, so that uses of the name cause no further
 * errors. */
bool conf_table_later(struct conf_args *a, void *to);

#endif

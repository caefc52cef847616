/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `communities file TEXT` and `filtered communities SET [, SET ...]` of the top level.
 * Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_TOP_CONF_COMM_H
#define TERN_NEST_CONF_OPT_TOP_CONF_COMM_H

#include "nest/conf/opt/conf_opt.h"

/* conf_comm_file, conf_comm_filtered - parse functions of the options; @to: a struct
 * config. conf_comm_file reads the file; a path that is not absolute is relative to the
 * option's file. */
bool conf_comm_file(struct conf_args *a, void *to);
bool conf_comm_filtered(struct conf_args *a, void *to);

#endif

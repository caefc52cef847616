/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `lan macs TEXT` of the top level. Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_TOP_CONF_LAN_H
#define TERN_NEST_CONF_OPT_TOP_CONF_LAN_H

#include "nest/conf/opt/conf_opt.h"

/* conf_lan_macs - parse function of the option; @to: a struct config. The function reads
 * the file; a path that is not absolute is relative to the option's file. */
bool conf_lan_macs(struct conf_args *a, void *to);

#endif

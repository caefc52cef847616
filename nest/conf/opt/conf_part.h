/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `export in NET FILTER` of a channel: the channel exports only networks in NET. Loop:
 * the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_PART_H
#define TERN_NEST_CONF_OPT_CONF_PART_H

#include "nest/conf/opt/conf_opt.h"

/* conf_part_export - parse function for an option of channels (struct conf_opt). */
bool conf_part_export(struct conf_args *a, void *to);

#endif

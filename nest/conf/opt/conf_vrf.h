/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the option `vrf ( TEXT | default )` of a protocol. Loop: the thread that
 * parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_VRF_H
#define TERN_NEST_CONF_OPT_CONF_VRF_H

#include "nest/conf/opt/conf_opt.h"

/* conf_vrf_parse - parse function of the option; @to: a struct conf_proto. */
bool conf_vrf_parse(struct conf_args *a, void *to);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of interfaces in configurations. */
#ifndef TERN_NEST_CONF_IFACE_H
#define TERN_NEST_CONF_IFACE_H

#include "nest/conf/opt/conf_opt.h"
#include "sysdep/iface/iface_pattern.h"

#define CONF_IFACES_FORM  "( - TEXT | TEXT ),..." /* without addresses, for the manual */
#define CONF_IFACES_ADDRS "( - TEXT | TEXT | PREFIX ),..." /* with them */

/* conf_arg_ifaces - step over patterns with commas between, into @first, which lies in
 * the configuration's arena. @addrs: they may have addresses. Returns: false after it has
 * said what was expected. */
bool conf_arg_ifaces(struct conf_ctx *c, struct conf_args *a, bool addrs,
    const struct iface_pattern **first);

#endif

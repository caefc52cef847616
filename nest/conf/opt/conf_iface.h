/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads patterns of interfaces. Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_IFACE_H
#define TERN_NEST_CONF_OPT_CONF_IFACE_H

#include "nest/conf/opt/conf_opt.h"
#include "sysdep/iface/iface_pattern.h"

#define CONF_IFACES_FORM  "( - TEXT | TEXT ),..." /* without addresses, for the manual */
#define CONF_IFACES_ADDRS "( - TEXT | TEXT | PREFIX ),..." /* with addresses */

/* conf_arg_ifaces - step over patterns with commas between, and store the patterns in
 * @first, in the configuration's arena. @addrs: patterns may have addresses. Returns:
 * false after a message has named the expected pattern. */
bool conf_arg_ifaces(struct conf_args *a, bool addrs, const struct iface_pattern **first);

#endif

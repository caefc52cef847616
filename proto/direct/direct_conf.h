/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol direct`. Owner: the configuration. Life: the arena of the
 * configuration; immutable after parsing. Loop: the thread that parses. */
#ifndef TERN_PROTO_DIRECT_DIRECT_CONF_H
#define TERN_PROTO_DIRECT_DIRECT_CONF_H

#include "lib/base/check.h"
#include "nest/conf/opt/conf_opt.h"
#include "sysdep/iface/iface_pattern.h"

/* One `interface` of the configuration. */
struct direct_ifaces {
	const struct iface_pattern *pattern;
	const struct direct_ifaces *before; /* the previous `interface` of the file */
};

/* Options of an instance. */
struct direct_conf {
	/* in the reverse order of the file; NULL: all interfaces */
	const struct direct_ifaces *last;
	bool check_link;
};

extern const struct conf_class direct_conf_class;

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol device`. Owner of struct device_conf: the configuration. Lives:
 * in the configuration's arena, until config_free. Loop: the thread that parses. */
#ifndef TERN_NEST_CONF_OPT_CONF_DEVICE_H
#define TERN_NEST_CONF_OPT_CONF_DEVICE_H

#include "lib/base/check.h"
#include "nest/conf/opt/conf_opt.h"
#include "sysdep/iface/iface_tune.h"

/* The options. Owner: the configuration. Freed by: the arena of the configuration. */
struct device_conf {
	uint32_t scan_time_s;
	const struct iface_prefer *prefer; /* in the order of the file */
	struct iface_prefer *last; /* end of prefer, while parsing */
};

extern const struct conf_class device_conf_class;

#endif

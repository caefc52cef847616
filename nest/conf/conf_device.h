/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol device`. */
#ifndef TERN_NEST_CONF_DEVICE_H
#define TERN_NEST_CONF_DEVICE_H

#include "lib/base/check.h"
#include "nest/conf/conf_opt.h"

struct device_conf {
	uint32_t scan_time_s;
};

extern const struct conf_class device_conf_class;

#endif

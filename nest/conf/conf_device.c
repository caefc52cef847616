/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol device`: every configuration has it, and little of it matters to a
 * route server. */
#include "nest/conf/conf_device.h"
#include "nest/conf/config.h"

#define OFF(field) offsetof(struct device_conf, field)

static const struct conf_opt iface_options[] = {
	{ "preferred", OPT_FORM, .form = "ADDRESS", .help = "the address to prefer" },
	{ .type = OPT_END },
};

static const struct conf_opt options[] = {
	{ "scan time", OPT_TIME_S, .off = OFF(scan_time_s), .def = 60, .min = 1,
	    .max = 3600, .change = CONF_CH_INPLACE,
	    .help = "how often interfaces are looked at" },
	{ "interface", OPT_FORM, .form = "( - TEXT | TEXT | PREFIX ),... [BLOCK]",
	    .sub = iface_options, .state = OPT_WARN,
	    .help = "addresses to prefer on interfaces" },
	{ .type = OPT_END },
};

const struct conf_class device_conf_class = {
	.keyword = "device",
	.name = "Device",
	.kind = PROTO_DEVICE,
	.preference = 240,
	.opt = options,
	.opt_size = sizeof(struct device_conf),
};

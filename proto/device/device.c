/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device protocol: it has no channels and no sockets; it is up unless it is disabled.
 */
#include "proto/device/device.h"

#include "nest/tern.h"
#include "nest/conf_opt.h"

struct device_conf {
	uint32_t scan_time_s;
};

static const struct conf_opt device_opts[] = {
	{ .words = "scan time",
	    .type = OPT_TIME_S,
	    .off = offsetof(struct device_conf, scan_time_s),
	    .min = 1,
	    .max = 3600,
	    .def = 60,
	    .change = CONF_CH_INPLACE,
	    .help = "seconds between scans of the interfaces" },
	{ .words = "interface", .type = OPT_IGNORED, .help = "preferred addresses" },
	{ .type = OPT_END },
};

static const struct conf_class device_conf_class = {
	.keyword = "device",
	.name = "Device",
	.kind = PROTO_DEVICE,
	.opt = device_opts,
	.opt_size = sizeof(struct device_conf),
};

static struct proto *
make(struct tern *t, const struct conf_proto *cf)
{
	(void)t;
	(void)cf;
	return mem_zalloc(MEM_PROTO, sizeof(struct proto));
}

static void
command(struct proto *p, struct proto_cmd *cmd)
{
	switch (cmd->kind) {
	case PROTO_START:
		proto_publish(p, PS_UP, false, "", NULL);
		break;
	case PROTO_STOP:
		proto_publish(p, PS_DOWN, true, "", cmd->message);
		break;
	case PROTO_RECONF:
		proto_adopt_conf(p, cmd);
		break;
	case PROTO_DELETE:
		proto_gone(p);
		break;
	default:
		break;
	}
}

static void
free_it(TAKE struct proto *p)
{
	mem_free(MEM_PROTO, p);
}

const struct proto_class device_proto_class = {
	.conf = &device_conf_class,
	.make = make,
	.command = command,
	.free = free_it,
};

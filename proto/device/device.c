/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device protocol: passes its configuration to the worker that follows the interfaces
 * (sysdep/iface/iface.h); the worker also runs without the protocol. The protocol has no
 * channels and no sockets, and is up unless disabled. Loop: the instance's. Tested by
 * test/net/test_links.py. */
#include "proto/device/device.h"

#include "nest/channel/instance/proto_life.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_device.h"
#include "nest/core/tern.h"
#include "sysdep/iface/iface.h"
#include "sysdep/iface/iface_tune.h"

static void
device_up(struct proto *p)
{
	const struct device_conf *cf = p->cf->opt;

	iface_source_tune(
	    &p->tern->ifaces, p, iface_tune_new(cf->scan_time_s, cf->prefer));
}

static bool
device_down(struct proto *p, const struct proto_cmd *cmd)
{
	(void)cmd;
	iface_source_tune(&p->tern->ifaces, p, NULL);
	return true;
}

static void
device_reconf(struct proto *p, struct proto_cmd *cmd)
{
	proto_life_adopt(p, cmd);
	if (proto_life_is_up(p))
		device_up(p);
}

const struct proto_class device_proto_class = {
	.conf = &device_conf_class,
	.size = sizeof(struct proto),
	.command = proto_life_command,
	.life = { .up = device_up, .down = device_down, .reconf = device_reconf },
};

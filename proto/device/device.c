/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device protocol: passes its configuration to the worker that follows the interfaces
 * (sysdep/iface/iface.h); the worker also runs without the protocol. The protocol has no
 * channels and no sockets, and is up unless disabled. Loop: the instance's. Tested by
 * test/net/test_links.py. */
#include "proto/device/device.h"

#include "lib/mem/mem.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_device.h"
#include "nest/core/tern.h"
#include "sysdep/iface/iface.h"
#include "sysdep/iface/iface_tune.h"

static struct proto *
device_make(struct tern *t, const struct conf_proto *cf)
{
	(void)t;
	(void)cf;
	return mem_zalloc(MEM_PROTO, sizeof(struct proto));
}

static void
device_tune(struct proto *p)
{
	const struct device_conf *cf = p->cf->opt;

	iface_source_tune(
	    &p->tern->ifaces, p, iface_tune_new(cf->scan_time_s, cf->prefer));
}

static void
device_up(struct proto *p)
{
	device_tune(p);
	proto_publish(p, PS_UP, false, "", NULL);
}

static void
device_command(struct proto *p, struct proto_cmd *cmd)
{
	switch (cmd->kind) {
	case PROTO_START:
		device_up(p);
		break;
	case PROTO_STOP:
		iface_source_tune(&p->tern->ifaces, p, NULL);
		proto_publish(p, PS_DOWN, true, "", cmd->message);
		break;
	case PROTO_RECONF:
		proto_adopt_conf(p, cmd);
		if (proto_status_get(p)->disabled && proto_revives(p, cmd))
			device_up(p);
		else if (!proto_status_get(p)->disabled)
			device_tune(p);
		break;
	case PROTO_DELETE:
		iface_source_tune(&p->tern->ifaces, p, NULL);
		proto_gone(p);
		break;
	default:
		break;
	}
}

static void
device_free(TAKE struct proto *p)
{
	mem_free(MEM_PROTO, p);
}

const struct proto_class device_proto_class = {
	.conf = &device_conf_class,
	.make = device_make,
	.command = device_command,
	.free = device_free,
};

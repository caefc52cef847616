/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device protocol: it has no channels and no sockets; it is up unless it is disabled.
 */
#include "proto/device/device.h"

#include "lib/base/mem.h"
#include "nest/channel/proto_run.h"
#include "nest/conf/conf_device.h"
#include "nest/conf/conf_parse.h"
#include "nest/tern.h"

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
		if (proto_status_get(p)->disabled && !p->cf->disabled)
			proto_publish(p, PS_UP, false, "", NULL);
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

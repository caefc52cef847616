/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker that follows interfaces, and who is told of what changes. Tested by
 * test/net/test_interface.py. */
#include "nest/daemon/control_priv.h"
#include "nest/tern.h"
#include "sysdep/iface.h"

static void
gone(struct iface_source *s)
{
	tern_worker_gone(container_of(s, struct tern, ifaces));
}

void
control_ifaces_start(struct tern *t)
{
	static const struct iface_source_ops ops = { .gone = gone };

	iface_source_read(
	    &t->ifaces); /* if it can't be had now, the worker tries again */
	iface_source_start(&t->ifaces, &ops);
}

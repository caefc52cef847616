/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of system calls that the sandbox has refused: a line for each call
 * (sysdep/os/sandbox.h). Loop: the control worker's. Tested by
 * test/net/test_sandbox.py. */
#include "nest/daemon/control_priv.h"

#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/os/sandbox.h"

static void
sandbox_ready(struct watch *wa, uint32_t events)
{
	struct sandbox_refusal r;

	(void)wa;
	(void)events;
	while (sandbox_refusal_next(&r)) {
		char name[32];

		sandbox_call_name(name, r.nr);
		log_msg(LOG_C_ERR,
		    "Sandbox refused system call %u (%s) of thread '%.16s'", r.nr, name,
		    r.thread);
	}
}

void
control_sandbox_start(struct control *c)
{
	if (os_fd_is_open(sandbox_refusals()))
		watch_add(&c->refusals, &c->worker, sandbox_refusals(), WATCH_READ,
		    sandbox_ready);
}

void
control_sandbox_stop(struct control *c)
{
	if (os_fd_is_open(sandbox_refusals()))
		watch_del(&c->refusals);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command about chosen nets (net_pick.h), for instances without a way of their own.
 * Loop: the instance's. Tested by test/net/test_reload.py. */
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/source.h"
#include "sysdep/log/log_class.h"

void
proto_part(struct proto *p, const struct proto_cmd *cmd)
{
	bool in = cmd->kind != PROTO_RELOAD_OUT, out = cmd->kind != PROTO_RELOAD_IN;
	struct channel *ch;

	if (p->cls->part) {
		p->cls->part(p, cmd->pick, in, out);
		return;
	}
	for (ch = load_relaxed_ptr(&p->channels); ch; ch = channel_next(ch)) {
		if (in && !channel_reload_part(ch, cmd->pick))
			proto_log(p, LOG_C_WARN,
			    "Can't reload a part of %s: routes before policy aren't kept",
			    channel_name(ch));
		if (out)
			channel_refresh_part(ch, cmd->pick);
	}
}

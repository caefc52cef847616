/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show configurations: the start of the daemon, and the last attempts to change the
 * configuration, with plan and result. The objects are events (nest/event/event_ring.h,
 * G4).
 *
 * No state; in the session's loop. Tested by test/net/test_subscribe.py. */
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/act/cmd_act.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/tern.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"

void
cmd_show_configurations(struct cli_session *s, struct cli_scan *sc)
{
	bool restricted = cli_is_restricted(s), plans = cli_reads_plans(s);
	const struct event *e[EVENT_CONF_CNT];
	unsigned cnt;

	if (!cli_at_end(s, sc))
		return;
	cnt = event_ring_confs(s->tern->events, e);
	for (unsigned i = 0; i < cnt; i++)
		cmd_put_event(s, e[i], restricted, plans);
	cli_end(s, CLI_DONE, "%s", "");
}

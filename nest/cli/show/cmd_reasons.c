/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show reasons [NAME | "pattern"]: numbers of routes that each channel kept back since
 * the start of its session, by reason (nest/core/reason.h).
 *
 * A job like `show protocols`: names are noted at the beginning, and each step looks up
 * the instance.
 *
 * Loop: the session's. Tested by test/net/test_reasons.py. */
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/cmd_proto_pick.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/table.h"

struct reasons_job {
	struct cli_job job;
	struct cmd_names names;
};

static void
cmd_reasons_reply(struct cli_session *s, const struct channel *ch)
{
	struct reply *r = cli_reply(s, "reasons");
	bool some;

	reply_str(r, "protocol", "%s", channel_proto(ch)->name);
	reply_str(r, "channel", ".%s", channel_name(ch));
	reply_str(r, "table", ", table %s:", table_name(channel_table(ch)));
	reply_part(r, 1);
	some = channel_reply_reasons(ch, r);
	reply_part(r, 0);
	reply_text(r, some ? "\n" : " nothing\n");
	cli_reply_end(s, CLI_PROTO_DETAIL);
}

static void
cmd_reasons_step(struct cli_session *s, struct cli_job *job)
{
	struct reasons_job *j = container_of(job, struct reasons_job, job);
	const struct proto *p;

	while (cli_go_on(s)) {
		if (j->names.pos == j->names.cnt) {
			cli_end(s, CLI_DONE, "%s", "");
			return;
		}
		p = cmd_names_proto(&j->names, tern_view_get(s->tern));
		j->names.pos++;
		for (struct channel *ch = p ? proto_first_channel(p) : NULL; ch;
		     ch = channel_after(p, ch))
			cmd_reasons_reply(s, ch);
	}
}

static void
cmd_reasons_job_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct reasons_job *j = container_of(job, struct reasons_job, job);

	(void)s;
	cmd_names_fini(&j->names);
	mem_free(MEM_OTHER, j);
}

void
cmd_show_reasons(struct cli_session *s, struct cli_scan *sc)
{
	struct proto_pick k;
	struct reasons_job *j;

	if (proto_pick_take(s, sc, &k, false)) {
		j = mem_zalloc(MEM_OTHER, sizeof(*j));
		j->job = (struct cli_job){ .step = cmd_reasons_step,
			.free = cmd_reasons_job_free };
		proto_pick_names(&k, &j->names, tern_view_get(s->tern));
		if (j->names.cnt) {
			cli_run_job(s, &j->job);
		} else {
			cmd_reasons_job_free(s, &j->job);
			cli_end(s, CLI_NO_PROTO, "No protocols match");
		}
	}
	proto_pick_fini(&k);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show reasons [NAME | "pattern"]: numbers of routes that each channel kept back since
 * the start of its session, by reason (nest/rib/reason.h).
 *
 * A job like `show protocols`: names are noted at the beginning, and each step looks up
 * the instance.
 *
 * Loop: the session's. Tested by test/net/test_reasons.py. */
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/cmd_proto_pick.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/tern.h"
#include "nest/rib/reason.h"
#include "nest/rib/table.h"

struct reasons_job {
	struct cli_job job;
	struct cmd_names names;
};

static uint64_t
cmd_reasons_count_of(const struct channel *ch, unsigned r)
{
	return counter64_get(&channel_stats_get(ch)->reason[r]);
}

static void
cmd_reasons_show_text(struct cli_session *s, const struct channel *ch)
{
	struct strbuf b;

	strbuf_init(&b);
	for (unsigned r = 1; r < REASON_CNT; r++)
		if (cmd_reasons_count_of(ch, r))
			strbuf_addf(&b, "  %-20s %10llu  %s\n",
			    reason_key((enum reason)r),
			    (unsigned long long)cmd_reasons_count_of(ch, r),
			    reason_text((enum reason)r));
	cli_say(s, CLI_PROTO_DETAIL, "%s.%s, table %s:%s", channel_proto(ch)->name,
	    channel_name(ch), table_name(channel_table(ch)), b.len ? "" : " nothing");
	cli_put_lines(s, CLI_PROTO_DETAIL, &b);
	strbuf_fini(&b);
}

static void
cmd_reasons_show_object(struct cli_session *s, const struct channel *ch)
{
	struct json *j = cli_object(s, "reasons");

	json_str(j, "protocol", channel_proto(ch)->name);
	json_str(j, "channel", channel_name(ch));
	json_str(j, "table", table_name(channel_table(ch)));
	channel_json_reasons(ch, j);
	cli_object_end(s);
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
			if (s->json)
				cmd_reasons_show_object(s, ch);
			else
				cmd_reasons_show_text(s, ch);
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

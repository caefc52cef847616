/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show overrides: orders of operators about routes and limits (nest/core/override.h).
 *
 * In one step, under RCU: a set has few overrides. No state; in the session's loop.
 * Tested by test/net/test_override.py. */
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/override.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "sysdep/os/clock.h"

#include <time.h>

/* cmd_overrides_meets - the number of sessions that @o is about. */
static uint32_t
cmd_overrides_meets(const struct tern_view *v, const struct override *o)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct proto *p = v->proto[i];
		struct proto_member m = { 0 };

		cnt += p->cls->member.describe && p->cls->member.describe(p, &m) &&
		       override_concerns(o, p->name, m.as);
	}
	return cnt;
}

static void
cmd_overrides_show_one(struct cli_session *s, const struct override *o)
{
	struct reply *r = cli_reply(s, "override");
	struct strbuf what;
	char until[32];
	struct tm tm;

	clock_local(&tm, o->until_s);
	strftime(until, sizeof(until), "%F %T", &tm);
	strbuf_init(&what);
	override_print(&what, o);
	reply_u64(r, "id", "%s: ", o->id);
	reply_str(r, "what", "%s", what.s);
	reply_str(r, "kind", NULL, override_kind_key(o->kind));
	if (o->has_net)
		reply_prefix(r, "network", NULL, &o->net);
	reply_bool(r, "longer", NULL, o->longer);
	if (o->kind == OVERRIDE_LIMIT)
		reply_u64(r, "limit", NULL, o->limit);
	reply_str(r, "protocol", NULL, o->proto);
	if (!o->proto)
		reply_u64(r, "as", NULL, o->as);
	reply_u64(r, "since_unix_s", NULL, o->since_s);
	reply_u64(r, "until_unix_s", NULL, o->until_s);
	reply_text(r, " until %s", until);
	reply_u64(r, "sessions", ", sessions: %s",
	    cmd_overrides_meets(tern_view_get(s->tern), o));
	reply_fill(r, "by", ", by %s", o->by);
	reply_str(r, "reason", ": %s\n", o->reason);
	strbuf_fini(&what);
	cli_reply_end(s, CLI_OVERRIDE);
}

void
cmd_show_overrides(struct cli_session *s, struct cli_scan *sc)
{
	const struct overrides *set = tern_overrides_get(s->tern);

	if (!cli_at_end(s, sc))
		return;
	for (uint32_t i = 0; set && i < set->cnt; i++)
		cmd_overrides_show_one(s, &set->at[i]);
	cli_end(s, CLI_DONE, "%s", "");
}

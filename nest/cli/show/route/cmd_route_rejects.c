/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `show route filtered reasons`: prints routes that an import filter has refused and that
 * the table does not keep, or that an import check has refused, with the prefix and the
 * reason in the channel's memory. Such a route has no attributes, so a query with `where`
 * or `filter` skips the route.
 *
 * I1  Between two steps the walk keeps the name of a member: members may join and leave
 *     meanwhile, and each member of the beginning is shown once.
 * I2  The walk looks at the clock and at the output after each bucket with routes. If the
 *     member has another memory by then, the walk of the member begins anew.
 *
 * In the session's loop, under RCU. Tested by test/net/test_filtered.py. */
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/core/tern.h"

#include <string.h>

#define BUCKETS_WORK 64 /* between two looks at the clock */

static bool
rejects_is_wanted(const struct route_job *j, const struct prefix *p)
{
	switch (j->q.where) {
	case WHERE_EQUAL:
	case WHERE_FOR:
		return prefix_contains(&j->q.prefix, p) &&
		       prefix_contains(p, &j->q.prefix);
	case WHERE_IN:
		return prefix_contains(&j->q.prefix, p);
	default:
		return true;
	}
}

static void
rejects_reply(struct cli_session *s, const struct channel *ch, const struct prefix *p,
    const struct reject *rej, const struct filtered *f)
{
	struct reply *r = cli_reply(s, "filtered_route");

	reply_str(r, "table", NULL, table_name(channel_table(ch)));
	reply_prefix(r, "network", "%-20s not kept ", p);
	reply_str(r, "protocol", "[%s]\n\t", channel_proto(ch)->name);
	reply_some(r, "path_id", NULL, reject_rid(rej));
	filtered_reply(r, s->conf->conf, f);
	reply_text(r, "\n");
	cli_reply_end(s, CLI_ROUTE);
}

static void
show_reject(struct cli_session *s, struct route_job *j, const struct channel *ch,
    const struct reject *r)
{
	const struct nlri *k = reject_net(r);
	struct prefix p = nlri_prefix(j->at.kind, k->word, k->head);
	struct filtered f = { .way = filtered_unkept(ch, r), .at = reject_where(r) };

	if (!rejects_is_wanted(j, &p) || !f.way)
		return;
	j->found = true;
	j->sum.shown++;
	j->sum.routes++;
	if (j->q.count)
		return;
	route_put_heading(s, j);
	rejects_reply(s, ch, &p, r, &f);
}

/* show_bucket - Returns: true: the bucket has routes. */
static bool
show_bucket(struct cli_session *s, struct route_job *j, const struct channel *ch,
    const struct reject_memory *m)
{
	const struct reject *r = NULL;
	bool some = false;

	while ((r = reject_in(m, j->rejects.bucket, r))) {
		some = true;
		show_reject(s, j, ch, r);
	}
	return some;
}

/* show_channel - I2. Returns: false: the step is over. */
static bool
show_channel(struct cli_session *s, struct route_job *j, const struct channel *ch)
{
	const struct reject_memory *m = channel_rejects(ch, false);

	if (m != j->rejects.memory)
		j->rejects.bucket = 0;
	j->rejects.memory = m;
	while (m && j->rejects.bucket < REJECT_BUCKETS) {
		bool some = show_bucket(s, j, ch, m);

		j->rejects.bucket++;
		if ((some || !(j->rejects.bucket % BUCKETS_WORK)) && !cli_go_on(s))
			return false;
	}
	return true;
}

/* show_member - as show_channel. */
static bool
show_member(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct proto *p)
{
	/* show_channel for each channel of @p that belongs to the table */
	for (struct channel *ch = proto_first_channel(p); ch; ch = channel_after(p, ch))
		if (channel_table(ch) == sc->table && !show_channel(s, j, ch))
			return false;
	return true;
}

static bool
rejects_is_member(const struct proto *p, const void *arg)
{
	const struct route_query *q = arg;

	return p->cls->member.describe && (!q->proto || !strcmp(q->proto, p->name));
}

bool
route_rejects(struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	const struct tern_view *v = tern_view_get(s->tern);

	if (j->q.expr)
		return true;
	if (!j->rejects.members.name)
		cmd_names_init(&j->rejects.members, v, rejects_is_member, &j->q);
	for (; j->rejects.members.pos < j->rejects.members.cnt;
	     j->rejects.members.pos++) {
		const struct proto *p = cmd_names_proto(&j->rejects.members, v);

		if (p && !show_member(s, j, sc, p))
			return false;
		j->rejects.memory = NULL;
	}
	cmd_names_fini(&j->rejects.members);
	j->rejects.members = (struct cmd_names){ 0 };
	return true;
}

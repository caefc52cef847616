/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `show route filtered reasons`: prints routes that an import filter has refused and that
 * the table does not keep, with the prefix and the refusing place in the channel's
 * memory. Such a route has no attributes, so a query with `where` or `filter` skips the
 * route.
 *
 * In the session's loop, under RCU. Tested by test/net/test_filtered.py. */
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/core/tern.h"

#include <string.h>

#define BUCKETS_WORK 64 /* between two looks at the clock */

static bool
is_wanted(const struct route_job *j, const struct prefix *p)
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
put_reject(struct cli_session *s, const struct channel *ch, const struct prefix *p,
    const struct reject *r, const struct filtered *f)
{
	struct json *j = cli_object(s, "filtered_route");

	json_str(j, "table", table_name(channel_table(ch)));
	json_prefix(j, "network", p);
	json_str(j, "protocol", channel_proto(ch)->name);
	if (reject_rid(r))
		json_u64(j, "path_id", reject_rid(r));
	filtered_json(j, s->conf->conf, f);
	filtered_json_at(j, s->conf->conf, &f->at);
	cli_object_end(s);
}

static void
say_reject(struct cli_session *s, struct route_job *j, const struct channel *ch,
    const struct prefix *p, const struct filtered *f)
{
	char net[PREFIX_STR_MAX];
	struct strbuf b;

	route_put_heading(s, j);
	cli_say(s, CLI_ROUTE, "%-20s not kept [%s]", prefix_str(net, p),
	    channel_proto(ch)->name);
	strbuf_init(&b);
	strbuf_addc(&b, '\t');
	filtered_text(&b, s->conf->conf, f);
	cli_put_line(s, CLI_ROUTE, b.s);
	strbuf_fini(&b);
}

static void
show_reject(struct cli_session *s, struct route_job *j, const struct channel *ch,
    const struct reject *r)
{
	const struct nlri *k = reject_net(r);
	struct prefix p = nlri_prefix(j->kind, k->word, k->head);
	struct filtered f = { .way = FILTERED_IMPORT, .at = reject_where(r) };

	if (!is_wanted(j, &p) || !filtered_is_refused(ch, r))
		return;
	j->found = true;
	j->sum.shown++;
	j->sum.routes++;
	if (j->q.count)
		return;
	if (s->json)
		put_reject(s, ch, &p, r, &f);
	else
		say_reject(s, j, ch, &p, &f);
}

/* show_channel - Returns: false: the step is over. */
static bool
show_channel(struct cli_session *s, struct route_job *j, const struct channel *ch)
{
	const struct reject_memory *m = channel_rejects(ch, false);

	for (; m && j->path < REJECT_BUCKETS; j->path++) {
		const struct reject *r = NULL;

		if (j->path && !(j->path % BUCKETS_WORK) && !cli_go_on(s))
			return false;
		while ((r = reject_in(m, j->path, r)))
			show_reject(s, j, ch, r);
	}
	j->path = 0;
	return true;
}

bool
route_rejects(struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	const struct tern_view *v = tern_view_get(s->tern);

	for (; !j->q.expr && j->pos < v->proto_cnt; j->pos++) {
		const struct proto *p = v->proto[j->pos];

		if (!p->cls->member || (j->q.proto && strcmp(j->q.proto, p->name) != 0))
			continue;
		/* a channel of the table is the only one of the instance */
		for (struct channel *ch = proto_first_channel(p); ch;
		     ch = channel_after(p, ch))
			if (channel_table(ch) == sc->table && !show_channel(s, j, ch))
				return false;
	}
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show table: counters of routing tables.
 *
 * All data is published state, read under RCU in one step.
 *
 * No state; in the session's loop. Tested by test/unit/test_cli.c and
 * test/net/test_match.py. */
#include "filter/lang/sym.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/rib/table.h"
#include "nest/rib/index/match_index.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"

static void
table_reply_counter(struct reply *r, const char *name, const char *key, uint64_t v)
{
	reply_text(r, "  %-20s ", name);
	reply_u64(r, key, "%s\n", v);
}

/* The size of the index of a ROA or ASPA table. */
static void
table_reply_rpki(struct reply *r, const struct tern_view *v, const struct table *t)
{
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		const struct rpki_index *x = v->rpki[i];

		if (rpki_index_table(x) == t)
			table_reply_counter(r, rpki_index_aspa(x) ? "ASPAs:" : "ROAs:",
			    rpki_index_aspa(x) ? "aspas" : "roas", rpki_index_cnt(x));
	}
}

/* The counters of `longest match index`. */
static void
table_reply_match(struct reply *r, const struct table *t)
{
	struct match_stats st;

	if (!match_index_stats(t, &st))
		return;
	table_reply_counter(r, "Index networks:", "index_networks", st.nets);
	table_reply_counter(r, "Index lag:", "index_lag", st.behind);
	table_reply_counter(r, "Index octets:", "index_octets", st.octets);
}

static void
cmd_table_reply(struct reply *r, const struct tern_view *v, const struct table *t)
{
	struct table_stats st;

	table_stats(t, &st);
	reply_str(r, "name", "Table %s:\n", table_name(t));
	table_reply_counter(r, "Networks:", "networks", st.nets);
	table_reply_rpki(r, v, t);
	table_reply_match(r, t);
	table_reply_counter(r, "Routes:", "routes", st.paths);
	table_reply_counter(r, "Filtered routes:", "filtered", st.filtered);
	table_reply_counter(r, "Changes:", "changes", st.changes);
	table_reply_counter(r, "Batches:", "batches", st.batches);
	table_reply_counter(r, "Segments:", "segments", st.segments);
	table_reply_counter(r, "Segment networks:", "segment_networks", st.segment_nets);
	reply_text(r, "  %-20s %.1f\n", "Networks a segment:",
	    st.segments ? (double)st.segment_nets / (double)st.segments : 0.0);
	table_reply_counter(
	    r, "Withdraw segments:", "withdraw_segments", st.withdraw_segments);
	table_reply_counter(r, "Journal octets:", "journal_octets", st.journal_bytes);
	table_reply_counter(r, "Readers cut off:", "readers_cut_off", st.journal_dropped);
	table_reply_counter(r, "Wake-up rounds:", "wakeup_rounds", st.wake_rounds);
	table_reply_counter(r, "Cuts built:", "cuts_built", st.cuts_built);
	table_reply_counter(r, "Cuts shared:", "cuts_shared", st.cuts_shared);
	table_reply_counter(r, "Network ids:", "network_ids", st.id_limit);
	table_reply_counter(r, "Waiting ids:", "waiting_ids", st.waiting_ids);
	reply_seconds(r, "cpu_s", NULL, st.cpu_ns);
	reply_text(r, "  %-20s %.3f s\n", "CPU time:", (double)st.cpu_ns / 1e9);
}

/* The sums of session counters about the table's segments. */
static void
table_reply_channels(struct reply *r, const struct tern_view *v, const struct table *t)
{
	uint64_t built = 0, sent = 0, decisions = 0, dirty = 0, cnt = 0;

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		for (struct channel *ch = load_acquire_ptr(&v->proto[i]->channels);
		     ch; /* pairs: PCHAN */
		     ch = channel_next(ch)) {
			const struct channel_stats *st = channel_stats(ch);

			if (channel_table(ch) != t)
				continue;
			cnt++;
			built += counter64_get(&st->messages_built);
			sent += counter64_get(&st->messages_sent);
			decisions += counter64_get(&st->decisions);
			dirty += counter64_get(&st->dirty);
		}
	table_reply_counter(r, "Channels:", "channels", cnt);
	table_reply_counter(r, "Messages built:", "messages_built", built);
	table_reply_counter(r, "Messages sent:", "messages_sent", sent);
	table_reply_counter(r, "Decisions:", "decisions", decisions);
	table_reply_counter(r, "Dirty networks:", "dirty_networks", dirty);
}

void
cmd_show_table(struct cli_session *s, struct cli_scan *sc)
{
	const struct tern_view *v = tern_view_get(s->tern);
	char *name = NULL;

	if (sc->tok != TOK_END &&
	    !cmd_parse_symbol(s, sc, SYM_TABLE, "Table name required",
		"a name or the end of the command", &name))
		return;
	if (cli_at_end(s, sc)) {
		for (uint32_t i = 0; i < v->table_cnt; i++)
			if (!name || !strcmp(name, table_name(v->table[i]))) {
				struct reply *r = cli_reply(s, "table");

				cmd_table_reply(r, v, v->table[i]);
				table_reply_channels(r, v, v->table[i]);
				cli_reply_end(s, CLI_ROUTE);
			}
		cli_end(s, CLI_DONE, "%s", "");
	}
	mem_free(MEM_OTHER, name);
}

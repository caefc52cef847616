/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show table: counters of routing tables.
 *
 * All data is published state, read under RCU in one step.
 *
 * No state; in the session's loop. Tested by test/unit/test_cli.c and
 * test/net/test_match.py. */
#include "filter/lang/sym.h"
#include "lib/base/json.h"
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
#include "nest/core/tern.h"

/* table_say_counter - print a line, or a member of the open object. */
static void
table_say_counter(struct cli_session *s, const char *name, const char *key, uint64_t v)
{
	if (s->json)
		json_u64(&s->object.json, key, v);
	else
		cli_say(s, CLI_ROUTE, "  %-20s %llu", name, (unsigned long long)v);
}

/* The size of the index of a ROA or ASPA table. */
static void
table_say_rpki(struct cli_session *s, const struct tern_view *v, const struct table *t)
{
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		const struct rpki_index *x = v->rpki[i];

		if (rpki_index_table(x) == t)
			table_say_counter(s, rpki_index_aspa(x) ? "ASPAs:" : "ROAs:",
			    rpki_index_aspa(x) ? "aspas" : "roas", rpki_index_cnt(x));
	}
}

/* The counters of `longest match index`. */
static void
table_say_match(struct cli_session *s, const struct table *t)
{
	struct match_stats st;

	if (!match_index_stats(t, &st))
		return;
	table_say_counter(s, "Index networks:", "index_networks", st.nets);
	table_say_counter(s, "Index lag:", "index_lag", st.behind);
	table_say_counter(s, "Index octets:", "index_octets", st.octets);
}

static void
cmd_table_print(struct cli_session *s, const struct tern_view *v, const struct table *t)
{
	struct table_stats st;

	table_stats(t, &st);
	if (s->json)
		json_str(cli_object(s, "table"), "name", table_name(t));
	else
		cli_say(s, CLI_ROUTE, "Table %s:", table_name(t));
	table_say_counter(s, "Networks:", "networks", st.nets);
	table_say_rpki(s, v, t);
	table_say_match(s, t);
	table_say_counter(s, "Routes:", "routes", st.paths);
	table_say_counter(s, "Filtered routes:", "filtered", st.filtered);
	table_say_counter(s, "Changes:", "changes", st.changes);
	table_say_counter(s, "Batches:", "batches", st.batches);
	table_say_counter(s, "Segments:", "segments", st.segments);
	table_say_counter(s, "Segment networks:", "segment_networks", st.segment_nets);
	if (!s->json)
		cli_say(s, CLI_ROUTE, "  %-20s %.1f", "Networks a segment:",
		    st.segments ? (double)st.segment_nets / (double)st.segments : 0.0);
	table_say_counter(
	    s, "Withdraw segments:", "withdraw_segments", st.withdraw_segments);
	table_say_counter(s, "Journal octets:", "journal_octets", st.journal_bytes);
	table_say_counter(s, "Readers cut off:", "readers_cut_off", st.journal_dropped);
	table_say_counter(s, "Wake-up rounds:", "wakeup_rounds", st.wake_rounds);
	table_say_counter(s, "Cuts built:", "cuts_built", st.cuts_built);
	table_say_counter(s, "Cuts shared:", "cuts_shared", st.cuts_shared);
	table_say_counter(s, "Network ids:", "network_ids", st.id_limit);
	table_say_counter(s, "Waiting ids:", "waiting_ids", st.waiting_ids);
	if (s->json)
		json_seconds(&s->object.json, "cpu_s", st.cpu_ns);
	else
		cli_say(
		    s, CLI_ROUTE, "  %-20s %.3f s", "CPU time:", (double)st.cpu_ns / 1e9);
}

/* The sums of session counters about the table's segments. */
static void
table_say_channels(
    struct cli_session *s, const struct tern_view *v, const struct table *t)
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
	table_say_counter(s, "Channels:", "channels", cnt);
	table_say_counter(s, "Messages built:", "messages_built", built);
	table_say_counter(s, "Messages sent:", "messages_sent", sent);
	table_say_counter(s, "Decisions:", "decisions", decisions);
	table_say_counter(s, "Dirty networks:", "dirty_networks", dirty);
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
				cmd_table_print(s, v, v->table[i]);
				table_say_channels(s, v, v->table[i]);
				if (s->json)
					cli_object_end(s);
			}
		cli_end(s, CLI_DONE, "%s", "");
	}
	mem_free(MEM_OTHER, name);
}

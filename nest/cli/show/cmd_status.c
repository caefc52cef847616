/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show status, threads, table, symbols.
 *
 * All of it is read under RCU from what others publish, in one step.
 *
 * No state; in the session's loop. */
#include "filter/lang/sym.h"
#include "lib/base/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
#include "nest/cli/cmd_parse.h"
#include "nest/conf/config.h"
#include "nest/rib/table.h"
#include "nest/rpki/rpki_index.h"
#include "nest/tern.h"
#include "sysdep/clock.h"
#include "sysdep/loop.h"

#include <stdio.h>
#include <unistd.h>

#define LOOP_MAX 4096

static void
say_time(struct cli_session *s, const char *what, uint64_t mono_ns)
{
	char text[128];

	clock_print(text, sizeof(text), cli_time(s, &s->conf->conf->time_base), mono_ns);
	cli_say(s, CLI_STATUS_LINE, "%s %s", what, text);
}

/* say_waiting - what routes wait for. */
static void
say_waiting(struct cli_session *s, const struct tern_view *v)
{
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		uint64_t ns = rpki_index_waits_ns(v->rpki[i]);

		if (ns)
			cli_say(s, CLI_STATUS_LINE,
			    "Waiting for the first data of table %s, %llu s more at most",
			    table_name(rpki_index_table(v->rpki[i])),
			    (unsigned long long)((ns + NS_PER_S - 1) / NS_PER_S));
	}
}

void
cmd_show_status(struct cli_session *s, struct cli_scan *sc)
{
	const struct tern *t = s->tern;
	const struct tern_view *v = tern_view_get(t);
	char host[256] = "", ip[IP_STR_MAX];

	if (!cli_at_end(s, sc))
		return;
	gethostname(host, sizeof(host) - 1);
	cli_say(s, CLI_VERSION, "BIRD " CMD_BIRD_VERSION);
	cli_say(s, CLI_STATUS_LINE, "Router ID is %s",
	    ip_str(ip, ip4(load_relaxed32(&t->router_id))));
	cli_say(s, CLI_STATUS_LINE, "Hostname is %s",
	    s->conf->conf->hostname ? s->conf->conf->hostname : host);
	say_time(s, "Current server time is", clock_now_ns());
	say_time(s, "Last reboot on", t->start_ns);
	say_time(s, "Last reconfiguration on", v->conf_time_ns);
	if (v->conf_bad) {
		say_time(s, "Last configure failed on", v->conf_bad_ns);
		cli_say(s, CLI_STATUS_LINE, "Reason is %.400s", v->conf_bad);
	}
	cli_say(s, CLI_STATUS_LINE, "tern " TERN_VERSION);
	say_waiting(s, v);
	if (load_acquire32(&t->shutting_down)) /* pairs: SHUTDOWN */
		cli_end(s, CLI_STATUS, "Shutdown in progress");
	else
		cli_end(s, CLI_STATUS, "Daemon is up and running");
}

/* ---- threads ---- */

void
cmd_show_threads(struct cli_session *s, struct cli_scan *sc)
{
	struct loop_info *li;
	unsigned cnt;

	cli_scan_word(sc, "all");
	if (!cli_at_end(s, sc))
		return;
	li = mem_alloc(MEM_OTHER, LOOP_MAX * sizeof(*li));
	cnt = loop_list(li, LOOP_MAX);
	cli_say(s, CLI_THREAD, "%-16s %7s %10s %10s %10s %10s", "Thread", "Workers",
	    "CPU s", "Rounds", "Wake-ups", "Longest ms");
	for (unsigned i = 0; i < cnt && i < LOOP_MAX; i++)
		cli_say(s, CLI_THREAD, "%-16s %7u %10.3f %10llu %10llu %10.3f",
		    li[i].name, li[i].worker_cnt, (double)li[i].cpu_ns / 1e9,
		    (unsigned long long)li[i].round_cnt,
		    (unsigned long long)li[i].wakeup_cnt, (double)li[i].longest_ns / 1e6);
	mem_free(MEM_OTHER, li);
	cli_end(s, CLI_DONE, "%s", "");
}

/* ---- counters of tables ---- */

static void
say_counter(struct cli_session *s, const char *name, uint64_t v)
{
	cli_say(s, CLI_ROUTE, "  %-20s %llu", name, (unsigned long long)v);
}

/* What filters find in a ROA or ASPA table. */
static void
say_rpki(struct cli_session *s, const struct tern_view *v, const struct table *t)
{
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		const struct rpki_index *x = v->rpki[i];

		if (rpki_index_table(x) == t)
			say_counter(s,
			    rpki_index_aspa(x) ? "ASPAs:" : "ROAs:", rpki_index_cnt(x));
	}
}

static void
say_table(struct cli_session *s, const struct tern_view *v, const struct table *t)
{
	struct table_stats st;

	table_stats(t, &st);
	cli_say(s, CLI_ROUTE, "Table %s:", table_name(t));
	say_counter(s, "Networks:", st.nets);
	say_rpki(s, v, t);
	say_counter(s, "Routes:", st.paths);
	say_counter(s, "Filtered routes:", st.filtered);
	say_counter(s, "Changes:", st.changes);
	say_counter(s, "Batches:", st.batches);
	say_counter(s, "Segments:", st.segments);
	say_counter(s, "Segment networks:", st.segment_nets);
	cli_say(s, CLI_ROUTE, "  %-20s %.1f", "Networks a segment:",
	    st.segments ? (double)st.segment_nets / (double)st.segments : 0.0);
	say_counter(s, "Withdraw segments:", st.withdraw_segments);
	say_counter(s, "Journal octets:", st.journal_bytes);
	say_counter(s, "Readers cut off:", st.journal_cut);
	say_counter(s, "Wake-up rounds:", st.wake_rounds);
	say_counter(s, "Cuts built:", st.cuts_built);
	say_counter(s, "Cuts shared:", st.cuts_shared);
	say_counter(s, "Network ids:", st.id_limit);
	say_counter(s, "Waiting ids:", st.waiting_ids);
	cli_say(s, CLI_ROUTE, "  %-20s %.3f s", "CPU time:", (double)st.cpu_ns / 1e9);
}

/* What the sessions on a table did with its segments, added up. */
static void
say_table_channels(
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
	say_counter(s, "Channels:", cnt);
	say_counter(s, "Messages built:", built);
	say_counter(s, "Messages sent:", sent);
	say_counter(s, "Decisions:", decisions);
	say_counter(s, "Dirty networks:", dirty);
}

void
cmd_show_table(struct cli_session *s, struct cli_scan *sc)
{
	const struct tern_view *v = tern_view_get(s->tern);
	char *name = NULL;

	if (sc->tok != TOK_END &&
	    !cmd_parse_symbol(
		s, sc, SYM_TABLE, "Table name required", "END or CF_SYM_KNOWN", &name))
		return;
	if (cli_at_end(s, sc)) {
		for (uint32_t i = 0; i < v->table_cnt; i++)
			if (!name || !strcmp(name, table_name(v->table[i]))) {
				say_table(s, v, v->table[i]);
				say_table_channels(s, v, v->table[i]);
			}
		cli_end(s, CLI_DONE, "%s", "");
	}
	mem_free(MEM_OTHER, name);
}

/* ---- symbols ---- */

static void
say_one_symbol(struct cli_session *s, struct cli_scan *sc)
{
	const struct sym *sym = sym_find(s->conf->conf->symbols, sc->text);
	char *name = mem_strdup(MEM_OTHER, sc->text);

	cli_scan_step(sc);
	if (cli_at_end(s, sc))
		cli_end(s, CLI_SYMBOL, "%-8s\t%s", name,
		    sym ? sym_class_name((enum sym_class)sym->class) : "undefined");
	mem_free(MEM_OTHER, name);
}

void
cmd_show_symbols(struct cli_session *s, struct cli_scan *sc)
{
	static const struct {
		const char *word;
		unsigned cls;
	} group[] = {
		{ "table", SYM_TABLE },
		{ "filter", SYM_FILTER },
		{ "function", SYM_FUNCTION },
		{ "protocol", SYM_PROTOCOL },
		{ "template", SYM_TEMPLATE },
	};
	unsigned cls = 0;

	for (unsigned i = 0; i < ARRAY_LEN(group) && !cls; i++)
		if (cli_scan_word(sc, group[i].word))
			cls = group[i].cls;
	if (cli_scan_is_name(sc)) {
		say_one_symbol(s, sc);
		return;
	}
	if (sc->tok != TOK_END) {
		cli_syntax(s, sc, NULL);
		return;
	}
	for (const struct sym *y = s->conf->conf->symbols->first; y; y = y->defined)
		if (!cls || y->class == cls)
			cli_say(s, CLI_SYMBOL, "%-8s\t%s", y->name,
			    sym_class_name((enum sym_class)y->class));
	cli_end(s, CLI_DONE, "%s", "");
}

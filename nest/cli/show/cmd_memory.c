/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show memory: the parts of the daemon's resident memory.
 *
 * Each row is counted; no row is a remainder: octets by purpose (lib/mem/mem.h), malloc's
 * free blocks from malloc's statistics, pages of stacks and of the program from the
 * kernel. The last row is the resident size; the row before it is the difference of the
 * rows above from the resident size.
 *
 * I1  Arrays and blocks with room for later contents count only with their resident part.
 * I2  Free blocks returned to the system are still free blocks for malloc: their row is
 *     reduced to the rest.
 *
 * No state; in the session's loop. Tested by test/net/test_memory.py and
 * test/unit/test_cli.c. */
#include "filter/lang/sym.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cmd_parse.h"
#include "nest/rib/index/match_index.h"
#include "nest/rib/table.h"

#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_memory.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/os.h"
#include "sysdep/os/page_file.h"

#include <stdio.h>

/* Rows by purpose, and a row for the indices of longest matches. */
#define MATCH_ROW MEM_TAG_CNT
#define ROWS      (MEM_TAG_CNT + 1)

static void
memory_put_size(char *to, size_t len, uint64_t octets)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB" };
	double v = (double)octets;
	unsigned u = 0;

	while (v >= 10240 && u + 1 < ARRAY_LEN(unit)) {
		v /= 1024;
		u++;
	}
	snprintf(to, len, "%7.1f %2s", v, unit[u]);
}

/* cmd_memory_reply_size - @octets, in the text as @form says. */
static void
cmd_memory_reply_size(struct reply *r, const char *key, const char *form, uint64_t octets)
{
	char text[32];

	reply_u64(r, key, NULL, octets);
	memory_put_size(text, sizeof(text), octets);
	reply_text(r, form, text);
}

static void
cmd_memory_say_row(struct cli_session *s, const struct memory_row *row)
{
	struct reply *r = cli_reply(s, "memory");

	reply_str(r, "name", NULL, row->key);
	reply_text(r, "%-17s", row->name);
	cmd_memory_reply_size(r, "effective_octets", "%s", row->used);
	cmd_memory_reply_size(r, "overhead_octets", "  %s\n", row->over);
	cli_reply_end(s, CLI_MEMORY);
}

static void
cmd_memory_take(uint64_t *from, uint64_t octets)
{
	*from -= octets < *from ? octets : *from;
}

/* memory_take_untouched - I1: subtract untouched parts of the tables' arrays; indices
 * have a separate row. */
static void
memory_take_untouched(const struct tern_view *v, uint64_t used[ROWS])
{
	for (uint32_t i = 0; i < v->table_cnt; i++) {
		uint64_t journal, table = table_untouched(v->table[i], &journal);
		struct match_stats st;

		cmd_memory_take(&used[MEM_TABLE], table);
		cmd_memory_take(&used[MEM_JOURNAL], journal);
		if (!match_index_stats(v->table[i], &st))
			continue;
		cmd_memory_take(&used[MEM_TABLE], st.open);
		used[MATCH_ROW] += st.octets;
	}
}

/* memory_take_file_untouched - I1: for the memory file of journals and messages. */
static void
memory_take_file_untouched(
    const struct tern *t, const struct os_memory *m, uint64_t used[ROWS])
{
	uint64_t taken = page_file_taken(t->messages.file);

	if (taken > m->shared)
		cmd_memory_take(&used[MEM_JOURNAL], taken - m->shared);
}

unsigned
memory_list(const struct tern *t, struct memory_row *out)
{
	static const struct {
		unsigned at; /* in `used` */
		const char *name, *key;
	} row[] = {
		{ MEM_TABLE, "Routing tables:", "tables" },
		{ MEM_ATTR, "Route attributes:", "attributes" },
		{ MATCH_ROW, "Match indices:", "match_indices" },
		{ MEM_JOURNAL, "Journals:", "journals" },
		{ MEM_RING, "Rings:", "rings" },
		{ MEM_PROTO, "Protocols:", "protocols" },
		{ MEM_CONFIG, "Current config:", "configuration" },
		{ MEM_LOOP, "Workers:", "workers" },
		{ MEM_OTHER, "Other:", "other" },
	};
	uint64_t used[ROWS] = { 0 }, sum, rest, stacks = loop_stacks();
	struct os_memory m;
	unsigned n = 0;

	_Static_assert(ARRAY_LEN(row) + 5 == MEMORY_ROWS, "the rows of memory_list");
	for (unsigned i = 0; i < MEM_TAG_CNT; i++)
		used[i] = mem_used((enum mem_tag)i);
	memory_take_untouched(tern_view_get(t), used);
	os_memory(&m);
	memory_take_file_untouched(t, &m, used);
	sum = stacks + m.program;
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		out[n++] = (struct memory_row){ row[i].name, row[i].key, used[row[i].at],
			0 };
		sum += used[row[i].at];
	}
	out[n++] = (struct memory_row){ "Thread stacks:", "thread_stacks", stacks, 0 };
	out[n++] = (struct memory_row){ "Program:", "program", m.program, 0 };
	rest = m.rss > sum ? m.rss - sum : 0;
	if (m.free > rest) /* I2 */
		m.free = rest;
	out[n++] = (struct memory_row){ "Standby memory:", "standby", 0, m.free };
	out[n++] = (struct memory_row){ "Not accounted:", "not_accounted", 0,
		rest - m.free };
	out[n++] = (struct memory_row){ "Total:", "total", sum, rest };
	return n;
}

static void
cmd_memory_show_all(struct cli_session *s)
{
	struct memory_row row[MEMORY_ROWS];
	unsigned cnt = memory_list(s->tern, row);

	cli_say(s, CLI_MEMORY, "BIRD memory usage");
	cli_say(s, CLI_MEMORY, "%-17s%10s  %10s", "", "Effective", "Overhead");
	for (unsigned i = 0; i < cnt; i++)
		cmd_memory_say_row(s, &row[i]);
}

/* ---- of tables ---- */

#define SIZES 6

static void
cmd_memory_say_table(struct cli_session *s, const struct table *t)
{
	static const char *const key[SIZES] = { "networks_octets", "paths_octets",
		"streams_octets", "journals_octets", "index_octets", "total_octets" };
	struct match_stats st = { .octets = 0 };
	struct table_memory m;
	struct reply *r;

	table_memory(t, &m);
	if (!match_index_stats(t, &st))
		st.octets = 0;

	uint64_t size[SIZES] = { m.networks, m.paths, m.streams, m.journals, st.octets,
		m.networks + m.paths + m.streams + m.journals + st.octets };

	r = cli_reply(s, "table_memory");
	reply_str(r, "name", "%-17s", table_name(t));
	for (unsigned i = 0; i < SIZES; i++)
		cmd_memory_reply_size(r, key[i], i ? " %s" : "%s", size[i]);
	cli_reply_end(s, CLI_MEMORY);
}

/* show_tables - @name NULL: all. */
static void
show_tables(struct cli_session *s, const char *name)
{
	const struct tern_view *v = tern_view_get(s->tern);

	cli_say(s, CLI_MEMORY, "%-17s%10s %10s %10s %10s %10s %10s", "Table", "Networks",
	    "Routes", "Streams", "Journals", "Index", "Total");
	for (uint32_t i = 0; i < v->table_cnt; i++)
		if (!name || !strcmp(name, table_name(v->table[i])))
			cmd_memory_say_table(s, v->table[i]);
}

/* Effective is memory in use, overhead is further held memory. */
void
cmd_show_memory(struct cli_session *s, struct cli_scan *sc)
{
	bool tables = cli_scan_word(sc, "tables");
	char *name = NULL;

	if (!tables && cli_scan_word(sc, "table") &&
	    !cmd_parse_symbol(s, sc, SYM_TABLE, "Table name required", "a table", &name))
		return;
	if (cli_at_end(s, sc)) {
		if (tables || name)
			show_tables(s, name);
		else
			cmd_memory_show_all(s);
		cli_end(s, CLI_DONE, "%s", "");
	}
	mem_free(MEM_OTHER, name);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show memory: what the daemon's resident memory is made of.
 *
 * Each row is counted, none is what is left over: octets by what they were asked for
 * (lib/base/mem.h), malloc's free blocks as it tells itself, pages of stacks and of the
 * program as the kernel tells. The last row is the resident size; the one before it is
 * how far the rows above miss it.
 *
 * I1  Arrays that were made large to be filled later count only as far as they are in
 *     memory.
 * I2  Free blocks that went back to the system are still free blocks to malloc: their row
 *     is cut to what is left.
 *
 * No state; in the session's loop. */
#include "nest/cli/cmd_list.h"
#include "nest/rib/match_index.h"
#include "nest/rib/table.h"

#include "lib/base/json.h"
#include "lib/base/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_session.h"
#include "nest/tern.h"
#include "sysdep/loop.h"
#include "sysdep/os.h"

#include <stdio.h>

#define LOOP_MAX 16384

/* Rows by what was asked for, and one of what tables' indices of longest matches are. */
#define MATCH_ROW MEM_TAG_CNT
#define ROWS      (MEM_TAG_CNT + 1)

static void
put_size(char *to, size_t len, uint64_t octets)
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

/* say_row - @key: its name in JSON, where sizes aren't rounded. */
static void
say_row(struct cli_session *s, const char *name, const char *key, uint64_t used,
    uint64_t over)
{
	char a[32], b[32];

	if (s->json) {
		struct json *j = cli_object(s, "memory");

		json_str(j, "name", key);
		json_u64(j, "effective_octets", used);
		json_u64(j, "overhead_octets", over);
		cli_object_end(s);
		return;
	}
	put_size(a, sizeof(a), used);
	put_size(b, sizeof(b), over);
	cli_say(s, CLI_MEMORY, "%-17s%s  %s", name, a, b);
}

static uint64_t
stack_octets(void)
{
	struct loop_info *li = mem_alloc(MEM_OTHER, LOOP_MAX * sizeof(*li));
	unsigned cnt = loop_list(li, LOOP_MAX);
	uint64_t sum = 0;

	for (unsigned i = 0; i < cnt && i < LOOP_MAX; i++)
		sum += li[i].stack_octets;
	mem_free(MEM_OTHER, li);
	return sum;
}

static void
take(uint64_t *from, uint64_t octets)
{
	*from -= octets < *from ? octets : *from;
}

/* take_untouched - I1: what the tables' arrays have not touched yet; and their indices
 * have a row of their own. */
static void
take_untouched(const struct tern_view *v, uint64_t used[ROWS])
{
	for (uint32_t i = 0; i < v->table_cnt; i++) {
		uint64_t journal, table = table_untouched(v->table[i], &journal);
		struct match_stats st;

		take(&used[MEM_TABLE], table);
		take(&used[MEM_JOURNAL], journal);
		if (!match_index_stats(v->table[i], &st))
			continue;
		take(&used[MEM_TABLE], st.open);
		used[MATCH_ROW] += st.octets;
	}
}

/* Effective is what is in use, overhead what is held besides. */
void
cmd_show_memory(struct cli_session *s, struct cli_scan *sc)
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
	uint64_t used[ROWS] = { 0 }, sum, rest, stacks = stack_octets();
	struct os_memory m;

	if (!cli_at_end(s, sc))
		return;
	for (unsigned i = 0; i < MEM_TAG_CNT; i++)
		used[i] = mem_used((enum mem_tag)i);
	take_untouched(tern_view_get(s->tern), used);
	os_memory(&m);
	if (!s->json) {
		cli_say(s, CLI_MEMORY, "BIRD memory usage");
		cli_say(s, CLI_MEMORY, "%-17s%10s  %10s", "", "Effective", "Overhead");
	}
	sum = stacks + m.program;
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		say_row(s, row[i].name, row[i].key, used[row[i].at], 0);
		sum += used[row[i].at];
	}
	say_row(s, "Thread stacks:", "thread_stacks", stacks, 0);
	say_row(s, "Program:", "program", m.program, 0);
	rest = m.rss > sum ? m.rss - sum : 0;
	if (m.free > rest) /* I2 */
		m.free = rest;
	say_row(s, "Standby memory:", "standby", 0, m.free);
	say_row(s, "Not accounted:", "not_accounted", 0, rest - m.free);
	say_row(s, "Total:", "total", sum, rest);
	cli_end(s, CLI_DONE, "%s", "");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of the page of counters about the daemon: status, health, tables, threads and
 * memory. No state. Loop: the session's, under RCU. Tested by
 * test/net/test_counters.py. */
#include "nest/cli/show/counters/counters.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/count_page.h"
#include "lib/net/ip.h"
#include "lib/wire/counters.h"
#include "nest/cli/cmd_list.h"
#include "nest/cli/show/cmd_memory.h"
#include "nest/cli/show/health.h"
#include "nest/core/exe_file.h"
#include "nest/core/tern.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define THREADS_MAX 16384

void
counters_begin(struct counters_block *b, enum counters_kind kind, const char *name)
{
	count_copy_init(&b->c, kind, name);
	b->text = counters_first(counters_texts, COUNTERS_TEXT_CNT, kind);
	b->value = counters_first(counters_values, COUNTERS_VALUE_CNT, kind);
	for (uint32_t i = b->value;
	     i < COUNTERS_VALUE_CNT && counters_values[i].kind == kind; i++)
		b->c.value[b->c.cnt++] = COUNT_NONE;
}

void
counters_add_text(struct counters_block *b, const char *s)
{
	const struct counters_row *r = &counters_texts[b->text++];

	ASSERT(r->kind == b->c.kind);
	(void)count_copy_text(&b->c, s, r->max);
}

void
counters_set(struct counters_block *b, enum counters_value which, uint64_t v)
{
	ASSERT(counters_values[which].kind == b->c.kind);
	b->c.value[which - b->value] = v;
}

void
counters_status(struct count_page *p, const struct tern *t, const struct tern_view *v,
    const char *host)
{
	struct counters_block b;
	char ip[IP_STR_MAX];

	counters_begin(&b, COUNTERS_STATUS, "");
	counters_add_text(&b, TERN_VERSION);
	counters_add_text(&b, CMD_BIRD_VERSION);
	counters_add_text(&b, ip_str(ip, ip4(load_relaxed32(&t->router_id))));
	counters_add_text(&b, host);
	counters_set(&b, COUNTERS_VALUE_STATUS_NOW, clock_real_ns(clock_now_ns()));
	counters_set(
	    &b, COUNTERS_VALUE_STATUS_STARTED, clock_real_ns(t->process.start_ns));
	counters_set(
	    &b, COUNTERS_VALUE_STATUS_CONFIGURED, clock_real_ns(v->conf_time_ns));
	if (v->conf_bad)
		counters_set(
		    &b, COUNTERS_VALUE_STATUS_FAILED, clock_real_ns(v->conf_bad_ns));
	counters_set(
	    &b, COUNTERS_VALUE_STATUS_REPLACED, exe_file_replaced(&t->process.program));
	count_page_put(p, &b.c);
}

void
counters_tables(struct count_page *p, const struct tern_view *v)
{
	for (uint32_t i = 0; i < v->table_cnt; i++) {
		struct counters_block b;
		struct table_stats st;

		table_stats(v->table[i], &st);
		counters_begin(&b, COUNTERS_TABLE, table_name(v->table[i]));
		counters_set(&b, COUNTERS_VALUE_TABLE_NETWORKS, st.nets);
		counters_set(&b, COUNTERS_VALUE_TABLE_ROUTES, st.paths);
		counters_set(&b, COUNTERS_VALUE_TABLE_FILTERED, st.filtered);
		counters_set(&b, COUNTERS_VALUE_TABLE_CHANGES, st.changes);
		counters_set(&b, COUNTERS_VALUE_TABLE_JOURNAL, st.journal_bytes);
		counters_set(&b, COUNTERS_VALUE_TABLE_CUT_OFF, st.journal_dropped);
		counters_set(&b, COUNTERS_VALUE_TABLE_CPU, st.cpu_ns);
		count_page_put(p, &b.c);
	}
}

void
counters_threads(struct count_page *p)
{
	struct loop_info *li = mem_alloc(MEM_OTHER, THREADS_MAX * sizeof(*li));
	unsigned cnt = loop_list(li, THREADS_MAX);

	for (unsigned i = 0; i < cnt && i < THREADS_MAX; i++) {
		struct counters_block b;

		counters_begin(&b, COUNTERS_THREAD, li[i].name);
		counters_set(&b, COUNTERS_VALUE_THREAD_WORKERS, li[i].worker_cnt);
		counters_set(&b, COUNTERS_VALUE_THREAD_CPU, li[i].cpu_ns);
		counters_set(&b, COUNTERS_VALUE_THREAD_ROUNDS, li[i].round_cnt);
		counters_set(&b, COUNTERS_VALUE_THREAD_WAKEUPS, li[i].wakeup_cnt);
		counters_set(&b, COUNTERS_VALUE_THREAD_LONGEST, li[i].longest_ns);
		counters_set(&b, COUNTERS_VALUE_THREAD_LAG, li[i].round_ns);
		count_page_put(p, &b.c);
	}
	mem_free(MEM_OTHER, li);
}

void
counters_memory(struct count_page *p, const struct memory_row *row, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++) {
		struct counters_block b;

		counters_begin(&b, COUNTERS_MEMORY, row[i].key);
		counters_set(&b, COUNTERS_VALUE_MEMORY_EFFECTIVE, row[i].used);
		counters_set(&b, COUNTERS_VALUE_MEMORY_OVERHEAD, row[i].over);
		count_page_put(p, &b.c);
	}
}

/* A look at the faults, for the page. */
struct counters_look {
	struct health h; /* first */
	struct count_page *page;
};

static void
counters_found(struct health *h, const struct health_about *a, const char *text)
{
	struct counters_block b;

	counters_begin(&b, COUNTERS_PROBLEM, "");
	counters_add_text(&b, a->kind);
	counters_add_text(&b, a->proto);
	counters_add_text(&b, a->channel);
	counters_add_text(&b, a->table);
	counters_add_text(&b, text);
	count_page_put(container_of(h, struct counters_look, h)->page, &b.c);
}

void
counters_health(struct count_page *p, const struct tern *t, const struct tern_view *v,
    unsigned conf_bad_len)
{
	struct counters_look l = {
		.h = { .tern = t, .conf_bad_len = conf_bad_len, .found = counters_found },
		.page = p
	};
	struct counters_block b;
	struct log_lost lost;

	health_find(&l.h, v);
	counters_begin(&b, COUNTERS_SESSIONS, "");
	counters_set(&b, COUNTERS_VALUE_SESSIONS_UP, l.h.up);
	counters_set(&b, COUNTERS_VALUE_SESSIONS_WANTED, l.h.wanted);
	counters_set(&b, COUNTERS_VALUE_SESSIONS_STALE, l.h.stale);
	count_page_put(p, &b.c);
	log_lost(&lost);
	counters_begin(&b, COUNTERS_LOG, "");
	counters_set(&b, COUNTERS_VALUE_LOG_DROPPED, log_dropped());
	counters_set(&b, COUNTERS_VALUE_LOG_LOST, lost.lines);
	counters_set(&b, COUNTERS_VALUE_LOG_LOST_AUDIT, lost.audit_lines);
	count_page_put(p, &b.c);
}

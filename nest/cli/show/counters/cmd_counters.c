/* SPDX-License-Identifier: GPL-3.0-or-later */
/* subscribe counters: the session gets a page of counters in shared memory, until the
 * client leaves. The daemon passes the descriptor of the page, which permits reading
 * alone, with the first line of the reply, and then writes the counters again and again.
 * A read of the page costs the daemon nothing.
 *
 * I1  The workers of sessions and tables have no part in the page: they count in cache
 *     lines of their own, as for `show`, and the thread of this session copies the
 *     counts.
 * I2  A sweep runs in steps of CLI_STEP_NS. Sweeps use at most a part in SWEEP_SHARE of
 *     the time: the next sweep begins PERIOD_NS after the last sweep, or later if the
 *     sweep was long.
 * I3  The page has no block that the session may not ask for: the rights of the socket
 *     and of `restrict` are looked up for each sweep. A socket that loses the right to
 *     subscribe loses the page: the last word of the page says so.
 * I4  The session holds a configuration during a sweep only.
 * I5  If instances come or go during a sweep, the sweep begins again.
 *
 * Loop: the session's. Tested by test/net/test_counters.py. */
#include "nest/cli/show/counters/counters.h"

#include "lib/mem/mem.h"
#include "lib/mt/count_page.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/counters.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
#include "nest/cli/show/cmd_memory.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/cli/show/member/cmd_members_line.h"
#include "nest/cli/show/member/cmd_members_tally.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/event/event_ring.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/share_page.h"
#include "sysdep/sock/names.h"

#include <limits.h>

#define PERIOD_NS   NS_PER_S
#define MEMORY_NS   (10 * NS_PER_S)
#define SWEEP_SHARE 100 /* a sweep of 10 ms: the next sweep begins 1 s later */
#define PAGE_BLOCKS 65536 /* reserved; the kernel adds memory to written blocks */

#define KIND_BIT(k) (1ull << COUNTERS_##k)

/* Parts of the page, with the command that has the same data. */
static const struct {
	const char *command;
	uint64_t kinds;
} counters_part[] = {
	{ "show status", KIND_BIT(STATUS) },
	{ "show health", KIND_BIT(PROBLEM) | KIND_BIT(SESSIONS) | KIND_BIT(LOG) },
	{ "show table", KIND_BIT(TABLE) },
	{ "show threads", KIND_BIT(THREAD) },
	{ "show memory", KIND_BIT(MEMORY) },
	{ "show protocols all",
	    KIND_BIT(PROTOCOL) | KIND_BIT(CHANNEL) | KIND_BIT(REASONS) },
	{ "show members", KIND_BIT(MEMBER) | KIND_BIT(MEMBERS) },
};

struct counters_job {
	struct cli_job job;
	struct share_page file;
	struct count_page page;
	struct timer timer; /* the next sweep */
	struct cli_session *s;
	bool due; /* a sweep begins, or is under way */
	/* Of the sweep under way. */
	bool sweeps;
	uint64_t kinds; /* of the page */
	uint64_t view_nr;
	uint64_t spent_ns;
	uint32_t at; /* of the instances */
	uint32_t sessions, up;
	struct members_tally tally;
	/* The parts of memory, which cost system calls for each thread. */
	struct memory_row memory[MEMORY_ROWS];
	unsigned memory_cnt;
	uint64_t memory_ns; /* of the look */
};

static void
counters_timer_fired(struct timer *t)
{
	struct counters_job *j = container_of(t, struct counters_job, timer);

	j->due = true;
	worker_again(&j->s->worker);
}

/* ---- a sweep ---- */

/* counters_kinds - the kinds of blocks that the session may see. */
static uint64_t
counters_kinds(const struct cli_session *s, const struct config *conf)
{
	uint64_t kinds = 0;

	for (unsigned i = 0; i < ARRAY_LEN(counters_part); i++)
		if (cmd_is_granted(s, conf, counters_part[i].command))
			kinds |= counters_part[i].kinds;
	return kinds;
}

/* counters_put_memory - the parts of memory, MEMORY_NS old at most. */
static void
counters_put_memory(struct cli_session *s, struct counters_job *j)
{
	uint64_t now = clock_now_ns();

	if (!j->memory_cnt || now - j->memory_ns >= MEMORY_NS) {
		j->memory_cnt = memory_list(s->tern, j->memory);
		j->memory_ns = now;
	}
	counters_memory(&j->page, j->memory, j->memory_cnt);
}

/* counters_put_daemon - the blocks that need one step. */
static void
counters_put_daemon(
    struct cli_session *s, struct counters_job *j, const struct tern_view *v)
{
	const char *name = s->conf->conf->hostname;
	char host[NAMES_HOST_ROOM];

	names_host(host, sizeof(host));
	if (j->kinds & KIND_BIT(STATUS))
		counters_status(&j->page, s->tern, v, name ? name : host);
	if (j->kinds & KIND_BIT(PROBLEM))
		counters_health(&j->page, s->tern, v,
		    v->conf_bad ? (unsigned)cmd_conf_bad_len(s, v, INT_MAX) : 0);
	if (j->kinds & KIND_BIT(TABLE))
		counters_tables(&j->page, v);
	if (j->kinds & KIND_BIT(THREAD))
		counters_threads(&j->page);
	if (j->kinds & KIND_BIT(MEMORY))
		counters_put_memory(s, j);
}

static void
counters_sweep_drop(struct cli_session *s, struct counters_job *j)
{
	if (!j->sweeps)
		return;
	j->sweeps = false;
	members_tally_fini(&j->tally);
	if (s->conf)
		cli_drop_conf(s); /* I4 */
}

static void
counters_sweep_begin(struct cli_session *s, struct counters_job *j)
{
	const struct tern_view *v;

	counters_sweep_drop(s, j);
	cli_hold_conf(s);
	v = tern_view_get(s->tern);
	members_tally_init(&j->tally, s);
	j->sweeps = true;
	j->view_nr = v->nr;
	j->kinds = counters_kinds(s, s->conf->conf);
	j->at = j->sessions = j->up = 0;
	j->spent_ns = 0;
	count_page_begin(&j->page);
	counters_put_daemon(s, j, v);
}

/* counters_sweep_proto - the blocks of @p. Returns: false: the step is over, and the
 * member of @p is not there yet. */
static bool
counters_sweep_proto(struct cli_session *s, struct counters_job *j, const struct proto *p)
{
	struct members_line l = { 0 };

	/* the walk may need several steps: all blocks of an instance in one step */
	if ((j->kinds & KIND_BIT(MEMBER)) && p->cls->member.describe &&
	    !members_tally_proto(&j->tally, s, p))
		return false;
	if (j->kinds & KIND_BIT(PROTOCOL))
		counters_proto(&j->page, p);
	if (j->kinds & KIND_BIT(MEMBER))
		members_line_add(&l, p);
	if (l.cnt) {
		j->sessions++;
		j->up += members_is_up(p);
		counters_member(&j->page, &l.row[0]);
	}
	return true;
}

static void
counters_sweep_end(struct cli_session *s, struct counters_job *j)
{
	uint64_t now = clock_now_ns(),
		 wait = max_u64(PERIOD_NS, j->spent_ns * SWEEP_SHARE);
	struct counters_block b;

	if (j->kinds & KIND_BIT(MEMBERS)) {
		counters_begin(&b, COUNTERS_MEMBERS, "");
		counters_set(&b, COUNTERS_VALUE_MEMBERS_SESSIONS, j->sessions);
		counters_set(&b, COUNTERS_VALUE_MEMBERS_UP, j->up);
		count_page_put(&j->page, &b.c);
	}
	count_page_end(&j->page, clock_real_ns(now), wait / NS_PER_MS, j->kinds);
	counters_sweep_drop(s, j);
	j->due = false;
	timer_set(&j->timer, now + wait);
}

/* counters_sweep - a step of the sweep. Returns: true: the sweep is over. */
static bool
counters_sweep(struct cli_session *s, struct counters_job *j)
{
	const struct tern_view *v = tern_view_get(s->tern);

	if (!j->sweeps || v->nr != j->view_nr) { /* I5 */
		counters_sweep_begin(s, j);
		v = tern_view_get(s->tern);
	}
	while (j->at < v->proto_cnt && v->nr == j->view_nr && cli_go_on(s)) {
		if (!counters_sweep_proto(s, j, v->proto[j->at]))
			return false;
		j->at++;
	}
	return j->at == v->proto_cnt && v->nr == j->view_nr;
}

/* ---- the job ---- */

static bool
counters_waits(const struct cli_session *s, const struct cli_job *job)
{
	const struct counters_job *j = container_of(job, const struct counters_job, job);

	return !s->in.eof && !j->due;
}

static void
counters_step(struct cli_session *s, struct cli_job *job)
{
	struct counters_job *j = container_of(job, struct counters_job, job);
	uint64_t began = clock_thread_cpu_ns();

	if (s->in.eof) {
		cli_end(s, CLI_DONE, "%s", "");
		return;
	}
	if (!cmd_is_granted(
		s, tern_view_get(s->tern)->conf->conf, "subscribe counters")) {
		cli_end(s, CLI_DENIED, "Access denied");
		return;
	}
	if (counters_sweep(s, j)) {
		j->spent_ns += clock_thread_cpu_ns() - began;
		counters_sweep_end(s, j);
	} else {
		j->spent_ns += clock_thread_cpu_ns() - began;
	}
}

static void
counters_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct counters_job *j = container_of(job, struct counters_job, job);

	counters_sweep_drop(s, j);
	timer_cancel(&j->timer);
	count_page_close(&j->page);
	share_page_free(&j->file);
	mem_free(MEM_OTHER, j);
}

/* counters_put_head - the line with the descriptor. */
static void
counters_put_head(struct cli_session *s, const struct counters_job *j)
{
	struct reply *r;

	cli_pass(s, j->file.read_fd);
	r = cli_reply(s, "counters");
	reply_u64(r, "version",
	    "Page of counters, version %s: read the descriptor that comes with this "
	    "line\n",
	    COUNT_VERSION);
	reply_u64(r, "octets", NULL, j->file.len);
	reply_u64(r, "block_octets", NULL, COUNT_BLOCK_WORDS * sizeof(uint64_t));
	reply_u64(r, "boot", NULL, event_ring_boot(s->tern->events));
	cli_reply_end(s, CLI_EVENT);
}

void
cmd_subscribe_counters(struct cli_session *s, struct cli_scan *sc)
{
	struct counters_job *j;
	int err;

	if (!cli_at_end(s, sc))
		return;
	j = mem_zalloc(MEM_OTHER, sizeof(*j));
	j->job = (struct cli_job){
		.step = counters_step, .free = counters_free, .waits = counters_waits
	};
	err = share_page_new(
	    &j->file, (1 + (size_t)PAGE_BLOCKS) * sizeof(struct count_block));
	if (err) {
		mem_free(MEM_OTHER, j);
		cli_end(s, CLI_FAILED, "No page of counters: %s", strerror(-err));
		return;
	}
	count_page_init(
	    &j->page, j->file.memory, j->file.len, event_ring_boot(s->tern->events));
	j->s = s;
	j->due = true;
	timer_init(&j->timer, &s->worker, counters_timer_fired);
	cli_drop_conf(s);
	counters_put_head(s, j);
	cli_run_job(s, &j->job);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show status, show threads.
 *
 * All data is published state, read under RCU in one step.
 *
 * No state; in the session's loop. Tested by test/unit/test_cli.c and
 * test/net/test_cli.py. */
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"
#include "nest/core/exe_file.h"
#include "nest/core/recovery.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/file.h"
#include "sysdep/os/sandbox.h"
#include "sysdep/sock/names.h"

#include <limits.h>
#include <stdio.h>

#define LOOP_MAX 4096

/* status_reply_waiting - tables whose first data routes wait for. */
static void
status_reply_waiting(struct reply *r, const struct tern_view *v)
{
	reply_list(r, "waits_for");
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		uint64_t ns = rpki_index_waits_ns(v->rpki[i]);

		if (!ns)
			continue;
		reply_open(r, NULL);
		reply_str(r, "table", "Waiting for the first data of table %s, ",
		    table_name(rpki_index_table(v->rpki[i])));
		reply_seconds(r, "left_s", NULL, ns);
		reply_text(r, "%llu s more at most\n",
		    (unsigned long long)((ns + NS_PER_S - 1) / NS_PER_S));
		reply_close(r);
	}
	reply_close(r);
}

/* status_recovery_ns - longest remaining time without announcements to peers after
 * `ternd -R`; 0: recovery is over. */
static uint64_t
status_recovery_ns(const struct recovery *r)
{
	uint64_t until = counter64_get(&r->until_ns), now = clock_now_ns();

	if (!recovery_held(r))
		return 0;
	return until > now ? until - now : 1;
}

static void
status_reply_recovery(struct reply *r, const struct recovery *v)
{
	uint64_t left = status_recovery_ns(v);

	if (!left)
		return;
	reply_text(r, "Graceful restart recovery in progress\n");
	reply_open(r, "recovery");
	reply_u64(r, "channels", "  Waiting for %s channels to recover\n",
	    load_relaxed32(&v->left));
	reply_seconds(r, "left_s", "  Wait timer is %s/", left);
	reply_text(r, "%u\n", load_relaxed32(&v->wait_s));
	reply_close(r);
}

int
cmd_conf_bad_len(const struct cli_session *s, const struct tern_view *v, unsigned max)
{
	size_t len = strlen(v->conf_bad);

	if (cli_is_restricted(s) && v->conf_bad_place_len)
		len = v->conf_bad_place_len;
	return (int)(len < max ? len : max);
}

/* status_reply_bad - the last failed change of the configuration. The text has room for a
 * part of the reason. */
static void
status_reply_bad(struct cli_session *s, struct reply *r, const struct tern_view *v)
{
	if (!v->conf_bad)
		return;
	reply_time(r, "configure_failed_unix_s", "Last configure failed on %s\n",
	    v->conf_bad_ns);
	reply_span(r, "configure_failed_reason", "Reason is %s\n", v->conf_bad,
	    (size_t)cmd_conf_bad_len(s, v, r->json ? INT_MAX : 400));
}

/* status_reply_paths - JSON alone: where the files of the daemon lie. A looking glass
 * gets no paths. */
static void
status_reply_paths(struct cli_session *s, struct reply *r)
{
	char *conf, *folder;

	if (!r->json || cli_is_restricted(s))
		return;
	conf = file_absolute(s->conf->conf->path);
	folder = file_real(".");
	reply_str(r, "configuration_file", NULL, conf);
	reply_str(r, "working_folder", NULL, folder);
	mem_free(MEM_OTHER, conf);
	mem_free(MEM_OTHER, folder);
}

static void
status_reply_sandbox(struct reply *r, const struct sandbox_active *a)
{
	uint64_t refused = sandbox_refused_cnt();

	reply_text(r, ", sandbox: %s%s",
	    a->calls   ? "system calls"
	    : a->files ? "files"
		       : "none",
	    a->calls && a->files ? ", files" : "");
	reply_open(r, "sandbox");
	reply_bool(r, "system_calls", NULL, a->calls);
	reply_bool(r, "files", NULL, a->files);
	reply_u64(r, "refused", NULL, refused);
	reply_close(r);
	if (refused)
		reply_text(r, "; refused calls: %llu", (unsigned long long)refused);
}

static void
status_reply(struct cli_session *s, const struct tern_view *v, const char *host)
{
	const struct tern *t = s->tern;
	struct reply *r = cli_reply(s, "status");

	reply_str(r, "bird_version", "BIRD %s\n", CMD_BIRD_VERSION);
	cli_reply_lines(s, CLI_VERSION);
	reply_ip(r, "router_id", "Router ID is %s\n", ip4(load_relaxed32(&t->router_id)));
	reply_str(r, "hostname", "Hostname is %s\n", host);
	reply_time(r, "now_unix_s", "Current server time is %s\n", clock_now_ns());
	reply_time(r, "started_unix_s", "Last reboot on %s\n", t->process.start_ns);
	reply_time(
	    r, "configured_unix_s", "Last reconfiguration on %s\n", v->conf_time_ns);
	status_reply_bad(s, r, v);
	reply_str(r, "version", "tern %s", TERN_VERSION);
	reply_str(r, "instance", ", instance %s", t->process.instance);
	status_reply_sandbox(r, &t->process.sandbox);
	reply_text(r, "\n");
	reply_bool(r, "program_replaced", CMD_PROGRAM_REPLACED "\n",
	    exe_file_replaced(&t->process.program));
	if (exe_file_missing(&t->process.program))
		reply_text(r, "%s\n", CMD_PROGRAM_MISSING);
	status_reply_waiting(r, v);
	cli_reply_lines(s, CLI_STATUS_LINE);
	status_reply_recovery(r, &t->recovery);
	status_reply_paths(s, r);
	cli_reply_end(s, CLI_RECOVERY);
}

void
cmd_show_status(struct cli_session *s, struct cli_scan *sc)
{
	const struct tern_view *v = tern_view_get(s->tern);
	const char *name = s->conf->conf->hostname;
	char host[NAMES_HOST_ROOM];

	if (!cli_at_end(s, sc))
		return;
	names_host(host, sizeof(host));
	status_reply(s, v, name ? name : host);
	if (load_acquire32(&s->tern->shutting_down)) /* pairs: SHUTDOWN */
		cli_end(s, CLI_STATUS, "Shutdown in progress");
	else
		cli_end(s, CLI_STATUS, "Daemon is up and running");
}

/* ---- threads ---- */

static void
status_reply_thread(struct cli_session *s, const struct loop_info *l)
{
	struct reply *r = cli_reply(s, "thread");

	reply_str(r, "name", "%-16s", l->name);
	reply_u64(r, "workers", " %7s", l->worker_cnt);
	reply_seconds(r, "cpu_s", " %10s", l->cpu_ns);
	reply_u64(r, "rounds", " %10s", l->round_cnt);
	reply_u64(r, "wakeups", " %10s", l->wakeup_cnt);
	reply_seconds(r, "longest_round_s", NULL, l->longest_ns);
	reply_seconds(r, "lag_s", NULL, l->round_ns);
	reply_text(r, " %10.3f %10.3f\n", (double)l->longest_ns / 1e6,
	    (double)l->round_ns / 1e6);
	cli_reply_end(s, CLI_THREAD);
}

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
	cli_say(s, CLI_THREAD, "%-16s %7s %10s %10s %10s %10s %10s", "Thread", "Workers",
	    "CPU s", "Rounds", "Wake-ups", "Longest ms", "Lag ms");
	for (unsigned i = 0; i < cnt && i < LOOP_MAX; i++)
		status_reply_thread(s, &li[i]);
	mem_free(MEM_OTHER, li);
	cli_end(s, CLI_DONE, "%s", "");
}

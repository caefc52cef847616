/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show status, show threads.
 *
 * All data is published state, read under RCU in one step.
 *
 * No state; in the session's loop. Tested by test/unit/test_cli.c and
 * test/net/test_cli.py. */
#include "lib/base/json.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"
#include "nest/core/exe_file.h"
#include "nest/core/recovery.h"
#include "nest/core/tern.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/file.h"
#include "sysdep/sock/names.h"

#include <limits.h>
#include <stdio.h>

#define LOOP_MAX 4096

static void
status_say_time(struct cli_session *s, const char *what, uint64_t mono_ns)
{
	char text[128];

	clock_print(text, sizeof(text), cli_time(s, &s->conf->conf->time.base), mono_ns);
	cli_say(s, CLI_STATUS_LINE, "%s %s", what, text);
}

/* status_say_waiting - tables whose first data routes wait for. */
static void
status_say_waiting(struct cli_session *s, const struct tern_view *v)
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
status_say_recovery(struct cli_session *s, const struct recovery *r)
{
	uint64_t left = status_recovery_ns(r);

	if (!left)
		return;
	cli_say(s, CLI_RECOVERY, "Graceful restart recovery in progress");
	cli_say(s, CLI_RECOVERY, "  Waiting for %u channels to recover",
	    load_relaxed32(&r->left));
	cli_say(s, CLI_RECOVERY, "  Wait timer is %u.%03u/%u",
	    (unsigned)(left / NS_PER_S), (unsigned)(left % NS_PER_S / NS_PER_MS),
	    load_relaxed32(&r->wait_s));
}

static void
status_put_recovery(struct json *j, const struct recovery *r)
{
	uint64_t left = status_recovery_ns(r);

	if (!left)
		return;
	json_open(j, "recovery");
	json_u64(j, "channels", load_relaxed32(&r->left));
	json_seconds(j, "left_s", left);
	json_close(j);
}

int
cmd_conf_bad_len(const struct cli_session *s, const struct tern_view *v, unsigned max)
{
	size_t len = strlen(v->conf_bad);

	if (cli_is_restricted(s) && v->conf_bad_place_len)
		len = v->conf_bad_place_len;
	return (int)(len < max ? len : max);
}

static void
status_say(struct cli_session *s, const struct tern_view *v, const char *host)
{
	const struct tern *t = s->tern;
	char ip[IP_STR_MAX];

	cli_say(s, CLI_VERSION, "BIRD " CMD_BIRD_VERSION);
	cli_say(s, CLI_STATUS_LINE, "Router ID is %s",
	    ip_str(ip, ip4(load_relaxed32(&t->router_id))));
	cli_say(s, CLI_STATUS_LINE, "Hostname is %s", host);
	status_say_time(s, "Current server time is", clock_now_ns());
	status_say_time(s, "Last reboot on", t->process.start_ns);
	status_say_time(s, "Last reconfiguration on", v->conf_time_ns);
	if (v->conf_bad) {
		status_say_time(s, "Last configure failed on", v->conf_bad_ns);
		cli_say(s, CLI_STATUS_LINE, "Reason is %.*s", cmd_conf_bad_len(s, v, 400),
		    v->conf_bad);
	}
	cli_say(s, CLI_STATUS_LINE, "tern " TERN_VERSION "%s%s",
	    t->process.instance ? ", instance " : "",
	    t->process.instance ? t->process.instance : "");
	if (exe_file_replaced(&t->process.program))
		cli_say(s, CLI_STATUS_LINE, "%s", CMD_PROGRAM_REPLACED);
	if (exe_file_missing(&t->process.program))
		cli_say(s, CLI_STATUS_LINE, "%s", CMD_PROGRAM_MISSING);
	status_say_waiting(s, v);
	status_say_recovery(s, &t->recovery);
}

/* status_put_paths - where the files of the daemon lie. A looking glass gets no paths. */
static void
status_put_paths(struct cli_session *s, struct json *j)
{
	char *conf, *folder;

	if (cli_is_restricted(s))
		return;
	conf = file_absolute(s->conf->conf->path);
	folder = file_real(".");
	json_str(j, "configuration_file", conf);
	json_str(j, "working_folder", folder);
	mem_free(MEM_OTHER, conf);
	mem_free(MEM_OTHER, folder);
}

static void
status_put(struct cli_session *s, const struct tern_view *v, const char *host)
{
	const struct tern *t = s->tern;
	struct json *j = cli_object(s, "status");

	json_str(j, "version", TERN_VERSION);
	json_str(j, "instance", t->process.instance);
	json_bool(j, "program_replaced", exe_file_replaced(&t->process.program));
	json_str(j, "bird_version", CMD_BIRD_VERSION);
	json_ip(j, "router_id", ip4(load_relaxed32(&t->router_id)));
	json_str(j, "hostname", host);
	json_seconds(j, "now_unix_s", clock_real_ns(clock_now_ns()));
	json_seconds(j, "started_unix_s", clock_real_ns(t->process.start_ns));
	json_seconds(j, "configured_unix_s", clock_real_ns(v->conf_time_ns));
	if (v->conf_bad) {
		json_seconds(j, "configure_failed_unix_s", clock_real_ns(v->conf_bad_ns));
		json_fmt(j, "configure_failed_reason", "%.*s",
		    cmd_conf_bad_len(s, v, INT_MAX), v->conf_bad);
	}
	json_list(j, "waits_for");
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		uint64_t ns = rpki_index_waits_ns(v->rpki[i]);

		if (!ns)
			continue;
		json_open(j, NULL);
		json_str(j, "table", table_name(rpki_index_table(v->rpki[i])));
		json_seconds(j, "left_s", ns);
		json_close(j);
	}
	json_close(j);
	status_put_recovery(j, &t->recovery);
	status_put_paths(s, j);
	cli_object_end(s);
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
	if (s->json)
		status_put(s, v, name ? name : host);
	else
		status_say(s, v, name ? name : host);
	if (load_acquire32(&s->tern->shutting_down)) /* pairs: SHUTDOWN */
		cli_end(s, CLI_STATUS, "Shutdown in progress");
	else
		cli_end(s, CLI_STATUS, "Daemon is up and running");
}

/* ---- threads ---- */

static void
status_say_thread(struct cli_session *s, const struct loop_info *l)
{
	cli_say(s, CLI_THREAD, "%-16s %7u %10.3f %10llu %10llu %10.3f %10.3f", l->name,
	    l->worker_cnt, (double)l->cpu_ns / 1e9, (unsigned long long)l->round_cnt,
	    (unsigned long long)l->wakeup_cnt, (double)l->longest_ns / 1e6,
	    (double)l->round_ns / 1e6);
}

static void
status_put_thread(struct cli_session *s, const struct loop_info *l)
{
	struct json *j = cli_object(s, "thread");

	json_str(j, "name", l->name);
	json_u64(j, "workers", l->worker_cnt);
	json_seconds(j, "cpu_s", l->cpu_ns);
	json_u64(j, "rounds", l->round_cnt);
	json_u64(j, "wakeups", l->wakeup_cnt);
	json_seconds(j, "longest_round_s", l->longest_ns);
	json_seconds(j, "lag_s", l->round_ns);
	cli_object_end(s);
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
	if (!s->json)
		cli_say(s, CLI_THREAD, "%-16s %7s %10s %10s %10s %10s %10s", "Thread",
		    "Workers", "CPU s", "Rounds", "Wake-ups", "Longest ms", "Lag ms");
	for (unsigned i = 0; i < cnt && i < LOOP_MAX; i++)
		if (s->json)
			status_put_thread(s, &li[i]);
		else
			status_say_thread(s, &li[i]);
	mem_free(MEM_OTHER, li);
	cli_end(s, CLI_DONE, "%s", "");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log for the control plane: its destinations, and lines written on request.
 *
 * Loop: the control worker's. Tested by test/net/test_log_targets.py. */
#include "lib/base/list.h"
#include "lib/base/plural.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "nest/core/tern.h"
#include "nest/daemon/control_priv.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/file.h"

#include <string.h>

int
commit_log(struct control *c, const struct config *conf, const char **bad)
{
	struct log_sink sink[2] = { { .target = LOG_T_SYSLOG,
	    .classes = LOG_CLASS_ALL } };
	unsigned cnt = 0;

	if (c->log.debug_file)
		sink[cnt++] = (struct log_sink){ .target = LOG_T_FILE,
			.classes = LOG_CLASS_ALL,
			.path = c->log.debug_file };
	if (c->log.foreground)
		sink[cnt++] = (struct log_sink){ .target = LOG_T_STDERR,
			.classes = LOG_CLASS_ALL };
	if (cnt)
		return log_configure(sink, cnt, &conf->time.log, bad);
	/* a dry run leaves the files of the live server alone */
	if (!conf->log.cnt || c->tern->dry_run)
		return log_configure(sink, 1, &conf->time.log, bad);
	return log_configure(conf->log.sink, conf->log.cnt, &conf->time.log, bad);
}

char *
control_log_to(struct control *c, const struct config *conf)
{
	const char *bad;
	struct strbuf b;
	int rc = commit_log(c, conf, &bad);

	if (!rc)
		return NULL;
	strbuf_init(&b);
	strbuf_addf(&b, "Cannot open log file %s: %s (the log stays unchanged)", bad,
	    strerror(-rc));
	log_msg(LOG_C_ERR, "%s", b.s);
	return strbuf_take(&b);
}

void
control_log_check(struct control *c, const struct config *conf, struct control_req *r)
{
	/* Options of the command line and a dry run replace the files of @conf. */
	if (c->log.debug_file || c->log.foreground || c->tern->dry_run)
		return;
	for (unsigned i = 0; i < conf->log.cnt; i++) {
		const struct log_sink *s = &conf->log.sink[i];
		bool file = s->target == LOG_T_FILE || s->target == LOG_T_FIXED;
		int rc = file ? file_may_append(s->path) : 0;

		if (rc)
			control_answer(r, CLI_READING,
			    "Warning: Cannot open log file %s: %s", s->path,
			    strerror(-rc));
	}
}

void
control_log_reopen(struct control *c, struct control_req *r)
{
	/* Open files are closed after their pending lines. */
	char *why = control_log_to(c, c->conf->conf);

	if (why) {
		control_answer(r, CLI_OPEN_FAILED, "%s", why);
		mem_free(MEM_OTHER, why);
	} else {
		control_answer(r, CLI_DONE, "%s", "");
		log_msg(LOG_C_INFO, "Log files reopened");
	}
}

static void
log_dump_table(const struct table_slot *ts)
{
	struct table_stats st;

	table_stats(ts->t, &st);
	log_msg(LOG_C_INFO,
	    "Table %s: %llu network%s, %llu route%s, %llu segment%s, %llu octets of "
	    "journal",
	    ts->name, (unsigned long long)st.nets, plural(st.nets, "", "s"),
	    (unsigned long long)st.paths, plural(st.paths, "", "s"),
	    (unsigned long long)st.segments, plural(st.segments, "", "s"),
	    (unsigned long long)st.journal_bytes);
}

void
control_log_state(struct control *c)
{
	static const char *const state[] = { [PS_DOWN] = "down",
		[PS_START] = "start",
		[PS_UP] = "up",
		[PS_STOP] = "stop" };
	struct list *n;

	list_for_each (n, &c->tables)
		log_dump_table(container_of(n, struct table_slot, link));
	list_for_each (n, &c->instances) {
		struct instance *in = container_of(n, struct instance, link);
		const struct proto_status *st = in->p ? proto_status_get(in->p) : NULL;

		log_msg(LOG_C_INFO, "Protocol %s: %s %s", in->name,
		    st ? state[st->state] : "waiting", st ? st->info : "");
	}
}

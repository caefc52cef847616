/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show protocols [all] [NAME | "pattern"] [where ...] [sort ...].
 *
 * A job: the names are noted at the beginning; each step looks up the instance by name,
 * since the list may be replaced between two steps.
 *
 * Loop: the session's. Tested by test/unit/test_cli.c and test/net/test_birdc.py. */
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/cmd_proto_pick.h"
#include "nest/cli/show/cmd_protocols.h"
#include "nest/cli/cmd_names.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/rib/table.h"

#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "sysdep/os/clock.h"

#include <stdio.h>
#include <time.h>

struct protocols_job {
	struct cli_job job;
	struct cmd_names names;
	bool all;
};

/* protocols_only_table - table of an instance with a single channel that cannot have
 * more; NULL: another kind of instance. */
static const char *
protocols_only_table(const struct proto *p)
{
	struct channel *ch = proto_first_channel(p);

	if (!ch || p->cls->conf->kind == PROTO_BGP || channel_after(p, ch))
		return NULL;
	return table_name(channel_table(ch));
}

/* protocols_table_text - the table column: BIRD names no table for protocols that may
 * have several channels. */
static const char *
protocols_table_text(const struct proto *p)
{
	uint8_t kind = p->cls->conf->kind;
	const char *table = protocols_only_table(p);

	return table && kind != PROTO_DIRECT && kind != PROTO_RPKI ? table : "---";
}

const char *const protocols_state_name[] = {
	[PS_DOWN] = "down", [PS_START] = "start", [PS_UP] = "up", [PS_STOP] = "stop"
};

void
protocols_take_info(
    struct strbuf *info, const struct proto *p, const struct proto_status *st)
{
	const struct proto_drain *drain = proto_drain_get(p);
	struct strbuf trouble;

	strbuf_init(info);
	strbuf_adds(info, st->info);
	if (drain || load_relaxed32(&p->orders.held))
		strbuf_addf(info, "%s%s",
		    info->len && info->s[info->len - 1] != ' ' ? "; " : "",
		    !drain        ? "held"
		    : drain->done ? "drained"
				  : "draining");
	if (load_relaxed32(&p->orders.quarantine))
		strbuf_addf(info, "%squarantine",
		    info->len && info->s[info->len - 1] != ' ' ? "; " : "");
	strbuf_init(&trouble);
	if (p->cls->health.trouble)
		p->cls->health.trouble(p, &trouble);
	if (info->len && trouble.len && info->s[info->len - 1] != ' ')
		strbuf_adds(info, "; ");
	strbuf_adds(info, trouble.s);
	strbuf_fini(&trouble);
}

static const char *
protocols_time(char text[32], uint32_t at_s)
{
	struct tm tm;

	clock_local(&tm, at_s);
	strftime(text, 32, "%F %T", &tm);
	return text;
}

/* protocols_reply_hold - text alone. */
static void
protocols_reply_hold(const struct proto *p, struct reply *r)
{
	uint32_t since_s = load_relaxed32(&p->orders.held);
	char text[32];

	if (since_s)
		reply_text(r, "  Held:           since %s, until `%s`\n",
		    protocols_time(text, since_s),
		    proto_drain_get(p) ? "undrain" : "enable");
}

/* protocols_reply_quarantine - text alone. */
static void
protocols_reply_quarantine(const struct proto *p, struct reply *r)
{
	uint32_t since_s = load_relaxed32(&p->orders.quarantine);
	char text[32];

	if (since_s)
		reply_text(r,
		    "  Quarantine:     since %s, until `quarantine release %s`\n",
		    protocols_time(text, since_s), p->name);
}

void
protocols_reply_drain(const struct proto *p, struct reply *r, bool all)
{
	const struct proto_drain *d = proto_drain_get(p);
	char text[32];

	if (!d)
		return;
	reply_open(r, "drain");
	reply_str(r, "phase", NULL, d->done ? "drained" : "draining");
	reply_u64(r, "since_unix_s", NULL, d->since_s);
	reply_u64(r, "until_unix_s", NULL, d->until_s);
	reply_u64(r, "networks_left", NULL, d->left);
	reply_fill(r, "by", NULL, d->by);
	reply_str(r, "message", NULL, d->message);
	reply_close(r);
	if (!all)
		return;
	reply_text(r, "  Drain:          %s since %s, by %s\n",
	    d->done ? "drained" : "draining", protocols_time(text, d->since_s),
	    d->by[0] ? d->by : "?");
	if (!d->done)
		reply_text(r, "    Networks left: %llu, at most until %s\n",
		    (unsigned long long)d->left, protocols_time(text, d->until_s));
}

static void
protocols_reply_details(
    struct reply *r, const struct proto *p, const struct proto_status *st)
{
	const struct conf_proto *cf = proto_conf_get(p);

	if (cf->vrf)
		reply_text(r, "  VRF:            %s\n", cf->vrf);
	reply_fill(r, "message", "  Message:        %s\n", st->message);
	protocols_reply_hold(p, r);
	protocols_reply_quarantine(p, r);
	if (p->cls->show.all)
		p->cls->show.all(p, r);
	if (!p->cls->show.shows_channels) {
		reply_list(r, "channels");
		for (struct channel *ch = proto_first_channel(p); ch;
		     ch = channel_after(p, ch))
			channel_reply(ch, r);
		reply_close(r);
	}
	reply_text(r, "\n");
}

/* protocols_reply_info - the last column. JSON lacks the blanks of the column. */
static void
protocols_reply_info(
    struct reply *r, const struct proto *p, const struct proto_status *st)
{
	struct strbuf info;

	protocols_take_info(&info, p, st);
	while (r->json && info.len && info.s[info.len - 1] == ' ')
		strbuf_truncate(&info, info.len - 1);
	reply_span(r, "info", "%s\n", info.s, info.len);
	strbuf_fini(&info);
}

static void
cmd_protocols_show_one(struct cli_session *s, const struct proto *p, bool all)
{
	const struct proto_status *st = proto_status_get(p);
	/* bird_exporter does not know BMP, and stops at the description of such a
	 * protocol */
	const char *form = p->cls->conf->kind == PROTO_BMP ? "  Comment:        %s\n"
							   : "  Description:    %s\n";
	struct reply *r = cli_reply(s, "protocol");

	r->time = cli_time(s, &s->conf->conf->time.protocol);
	reply_str(r, "name", "%-10s ", p->name);
	reply_str(r, "protocol", "%-10s ", p->cls->conf->name);
	reply_str(r, "table", NULL, protocols_only_table(p));
	reply_text(r, "%-10s ", protocols_table_text(p));
	reply_str(r, "state", "%-6s ", protocols_state_name[st->state]);
	reply_time(r, "since_unix_s", "%-12s  ", st->since_ns);
	protocols_reply_info(r, p, st);
	cli_reply_lines(s, CLI_PROTO);
	reply_bool(r, "disabled", NULL, st->disabled);
	reply_bool(r, "by_limit", NULL, st->by_limit);
	reply_bool(r, "held", NULL, load_relaxed32(&p->orders.held));
	reply_bool(r, "quarantine", NULL, load_relaxed32(&p->orders.quarantine));
	protocols_reply_drain(p, r, all);
	reply_str(r, "description", all ? form : NULL, proto_conf_get(p)->description);
	if (all)
		protocols_reply_details(r, p, st);
	cli_reply_end(s, CLI_PROTO_DETAIL);
}

static void
cmd_protocols_step(struct cli_session *s, struct cli_job *job)
{
	struct protocols_job *j = container_of(job, struct protocols_job, job);

	while (cli_go_on(s)) {
		const struct proto *p;

		if (j->names.pos == j->names.cnt) {
			cli_end(s, CLI_DONE, "%s", "");
			return;
		}
		p = cmd_names_proto(&j->names, tern_view_get(s->tern));
		j->names.pos++;
		if (p)
			cmd_protocols_show_one(s, p, j->all);
	}
}

static void
cmd_protocols_job_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct protocols_job *j = container_of(job, struct protocols_job, job);

	(void)s;
	cmd_names_fini(&j->names);
	mem_free(MEM_OTHER, j);
}

static void
cmd_protocols_begin(struct cli_session *s, const struct proto_pick *k, bool all)
{
	struct protocols_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->job = (struct cli_job){ .step = cmd_protocols_step,
		.free = cmd_protocols_job_free };
	j->all = all;
	proto_pick_names(k, &j->names, tern_view_get(s->tern));
	/* an empty selection by `where` is no error */
	if (!j->names.cnt && !k->cond_cnt) {
		cmd_protocols_job_free(s, &j->job);
		cli_end(s, CLI_NO_PROTO, "No protocols match");
		return;
	}
	cli_say(s, CLI_PROTO_HEAD, "%-10s %-10s %-10s %-6s %-12s  %s", "Name", "Proto",
	    "Table", "State", "Since", "Info");
	cli_run_job(s, &j->job);
}

void
cmd_show_protocols(struct cli_session *s, struct cli_scan *sc)
{
	bool all = cli_scan_word(sc, "all");
	struct proto_pick k;

	if (proto_pick_take(s, sc, &k, all))
		cmd_protocols_begin(s, &k, all);
	proto_pick_fini(&k);
}

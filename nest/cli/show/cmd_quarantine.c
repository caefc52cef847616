/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show quarantine [NAME | "pattern"] [limit N]: the members in quarantine, the verdicts
 * of the import filter, and the effect of a release.
 *
 * The control plane answers with a preview (nest/preview) of the running configuration in
 * which the members are released. The session looks at the routes in steps, as a job, and
 * replies an object for each channel of a member, and the sums of all other sessions.
 *
 * Loop: the session's. Tested by test/net/test_quarantine.py. */
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/control.h"
#include "nest/core/reason.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/preview/preview.h"
#include "sysdep/os/clock.h"

#include <string.h>
#include <time.h>

#define SAMPLES_DEFAULT 5
#define SAMPLES_MAX     1000

struct quarantine_job {
	struct cli_job job;
	struct preview *preview;
	bool walked;
	unsigned member, channel; /* the next object */
	unsigned cnt; /* members */
};

/* quarantine_proto - the instance of @m; NULL: gone. */
static const struct proto *
quarantine_proto(const struct tern_view *v, const struct preview_member *m)
{
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (!strcmp(v->proto[i]->name, m->name))
			return v->proto[i];
	return NULL;
}

static const struct channel *
quarantine_channel(const struct proto *p, const struct preview_channel *c)
{
	for (struct channel *ch = proto_first_channel(p); ch; ch = channel_after(p, ch))
		if (!strcmp(channel_name(ch), c->name))
			return ch;
	return NULL;
}

/* quarantine_reply_refused - the routes that import refuses also after a release. */
static void
quarantine_reply_refused(struct reply *r, const struct channel *ch)
{
	const struct channel_stats *st = channel_stats_get(ch);

	reply_list(r, "refused");
	for (unsigned i = 1; i < REASON_CNT; i++) {
		uint64_t cnt = counter64_get(&st->reason[i]);

		if (!cnt || i == REASON_QUARANTINE ||
		    reason_stage((enum reason)i) > REASON_AT_LIMIT)
			continue;
		reply_open(r, NULL);
		reply_str(r, "reason", NULL, reason_key((enum reason)i));
		reply_text(r, "    %s", reason_text((enum reason)i));
		reply_u64(r, "routes", ": %s\n", cnt);
		reply_close(r);
	}
	reply_close(r);
}

static void
quarantine_reply_samples(struct reply *r, const char *key, const struct preview_routes *p)
{
	reply_list(r, key);
	for (uint32_t i = 0; i < p->samples[PREVIEW_GAINED]; i++)
		reply_prefix(r, NULL, "    %s\n", &p->sample[PREVIEW_GAINED][i].net);
	reply_close(r);
	if (p->cnt[PREVIEW_GAINED] > p->samples[PREVIEW_GAINED] &&
	    p->samples[PREVIEW_GAINED])
		reply_text(r, "    %llu more\n",
		    (unsigned long long)(p->cnt[PREVIEW_GAINED] -
					 p->samples[PREVIEW_GAINED]));
}

static void
quarantine_reply_limits(struct reply *r, const struct preview_channel *c)
{
	static const char *const word[] = { "import", "receive", "export" };

	reply_list(r, "limits");
	for (unsigned i = 0; i < c->limit_cnt; i++) {
		const struct preview_limit *l = &c->limit[i];

		reply_open(r, NULL);
		reply_str(r, "limit", "  %s limit", word[l->kind]);
		reply_u64(r, "max", " %s will be crossed", l->max);
		reply_u64(r, "routes", " by %s routes\n", l->routes);
		reply_close(r);
	}
	reply_close(r);
}

static void
quarantine_reply_since(struct reply *r, const struct proto *p)
{
	uint32_t since_s = load_relaxed32(&p->orders.quarantine);
	char since[32];
	struct tm tm;

	clock_local(&tm, since_s);
	strftime(since, sizeof(since), "%F %T", &tm);
	reply_u64(r, "since_unix_s", NULL, since_s);
	reply_text(r, ": in quarantine since %s", since);
	reply_bool(r, "up", NULL, proto_status_get(p)->state == PS_UP);
	reply_text(r, ", the session is %s\n",
	    proto_status_get(p)->state == PS_UP ? "up" : "down");
}

static void
quarantine_reply_channel(struct cli_session *s, const struct preview_member *m,
    const struct preview_channel *c)
{
	const struct proto *p = quarantine_proto(tern_view_get(s->tern), m);
	const struct channel *ch = p ? quarantine_channel(p, c) : NULL;
	struct reply *r;

	if (!ch)
		return;
	r = cli_reply(s, "quarantine");
	reply_str(r, "protocol", "%s", m->name);
	reply_str(r, "channel", " %s", c->name);
	reply_some(r, "as", " AS%s", m->as);
	quarantine_reply_since(r, p);
	reply_str(
	    r, "skipped", "  the effect of a release is not known: %s\n", c->skipped);
	reply_bool(r, "moved",
	    "  the session went up or down meanwhile: counts are incomplete\n", m->moved);
	reply_u64(r, "received", "  received: %s\n",
	    counter64_get(&channel_stats_get(ch)->imp_upd_received));
	quarantine_reply_refused(r, ch);
	reply_u64(
	    r, "accepted", "  accepted by the import filter: %s routes\n", c->in.next);
	quarantine_reply_samples(r, "accepted_routes", &c->in);
	reply_u64(r, "export", "  would be sent to the member: %s routes\n", c->out.next);
	quarantine_reply_samples(r, "export_routes", &c->out);
	quarantine_reply_limits(r, c);
	cli_reply_end(s, CLI_QUARANTINE);
}

/* quarantine_reply_sums - the sessions that are not released. */
static void
quarantine_reply_sums(struct cli_session *s, const struct quarantine_job *j)
{
	uint64_t cnt[PREVIEW_CHANGES] = { 0 };
	struct reply *r = cli_reply(s, "quarantine_sum");

	for (unsigned i = 0; i < preview_member_cnt(j->preview); i++) {
		const struct preview_member *m = preview_member_at(j->preview, i);

		for (unsigned n = 0; !m->released && m->session && n < m->channel_cnt;
		     n++)
			for (unsigned k = 0; k < PREVIEW_CHANGES; k++)
				cnt[k] += m->channel[n].out.cnt[k];
	}
	reply_u64(r, "members", "Members in quarantine: %s\n", j->cnt);
	reply_u64(
	    r, "gained", "Routes to the other sessions: gained %s", cnt[PREVIEW_GAINED]);
	reply_u64(r, "lost", ", lost %s", cnt[PREVIEW_LOST]);
	reply_u64(r, "changed", ", changed %s\n", cnt[PREVIEW_CHANGED]);
	cli_reply_end(s, CLI_QUARANTINE);
}

/* ---- the job ---- */

static void
quarantine_print(struct cli_session *s, struct quarantine_job *j)
{
	while (cli_go_on(s)) {
		const struct preview_member *m;

		if (j->member == preview_member_cnt(j->preview)) {
			quarantine_reply_sums(s, j);
			cli_end(s, CLI_DONE, "%s", "");
			return;
		}
		m = preview_member_at(j->preview, j->member);
		j->cnt += m->released && !j->channel;
		if (!m->released || j->channel == m->channel_cnt) {
			j->member++;
			j->channel = 0;
			continue;
		}
		quarantine_reply_channel(s, m, &m->channel[j->channel++]);
	}
}

static void
quarantine_step(struct cli_session *s, struct cli_job *job)
{
	struct quarantine_job *j = container_of(job, struct quarantine_job, job);

	if (j->walked) {
		quarantine_print(s, j);
		return;
	}
	j->walked = preview_step(j->preview, clock_now_ns() + CLI_STEP_NS);
	if (j->walked && preview_failed(j->preview))
		cli_end(s, CLI_FAILED, "No preview: %s", preview_failed(j->preview));
}

static void
quarantine_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct quarantine_job *j = container_of(job, struct quarantine_job, job);

	(void)s;
	preview_free(j->preview);
	mem_free(MEM_OTHER, j);
}

/* quarantine_answered - the control plane has answered. */
static void
quarantine_answered(struct worker *w, TAKE struct msg *m)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct control_req *r = container_of(m, struct control_req, msg);
	struct quarantine_job *j;

	if (r->preview) {
		j = mem_zalloc(MEM_OTHER, sizeof(*j));
		j->job = (struct cli_job){ .step = quarantine_step,
			.free = quarantine_free };
		j->preview = r->preview;
		r->preview = NULL;
		preview_keep(j->preview, r->timeout_s);
		cli_run_job(s, &j->job);
	} else { /* the daemon ends */
		cli_end(s, r->answer.line[r->answer.cnt - 1].code, "%s",
		    r->answer.line[r->answer.cnt - 1].text);
	}
	cli_req_free(r);
	cli_answered(s);
}

void
cmd_show_quarantine(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r = control_req_new(CTL_RELEASE_PREVIEW);

	r->timeout_s = SAMPLES_DEFAULT;
	r->done = quarantine_answered;
	if (sc->tok == TOK_TEXT ||
	    (cli_scan_is_name(sc) && strcmp(sc->text, "limit") != 0)) {
		r->pattern = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
	}
	if (cli_scan_word(sc, "limit") &&
	    !cmd_parse_number(s, sc, 0, SAMPLES_MAX, &r->timeout_s)) {
		control_req_free(r);
		return;
	}
	if (sc->tok != TOK_END) {
		cli_syntax(
		    s, sc, "a protocol, a pattern in quotes, 'limit' or " CLI_EXPECT_END);
		control_req_free(r);
		return;
	}
	cli_ask(s, r);
}

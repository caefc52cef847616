/* SPDX-License-Identifier: GPL-3.0-or-later */
/* configure preview ["FILE"] [for NAME | "pattern"] [limit N] [fail if "CONDITIONS"]: the
 * effect of a configuration on the routes of all sessions.
 *
 * The control plane reads the file and answers with the plan and a preview. Then the
 * session looks at the routes in steps, as a job, and replies: an object for each channel
 * with a change, and the sums. When the client leaves, the job ends.
 *
 * Loop: the session's. Tested by test/net/test_preview.py. */
#include "lib/base/plural.h"
#include "lib/base/scan.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "lib/base/strbuf.h"
#include "nest/cli/act/cmd_act.h"
#include "nest/cli/act/preview_fail.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/core/control.h"
#include "nest/core/reply.h"
#include "nest/preview/preview.h"
#include "nest/core/reason.h"
#include "sysdep/os/clock.h"

#define SAMPLES_DEFAULT 10
#define SAMPLES_MAX     1000

struct preview_job {
	struct cli_job job;
	struct preview *preview; /* NULL: not yet */
	char *pattern; /* NULL: all. MEM_OTHER */
	uint32_t limit;
	struct preview_fail fail;
	bool walked;
	unsigned member, channel; /* the next object */
};

/* ---- values ---- */

static const char *const preview_fate_word[] = { "stays", "closes", "disabled",
	"removed" };
static const char *const preview_change_word[] = { "gained", "lost", "changed" };
static const char *const preview_known_word[] = { "all", "accepted", "none" };
static const char *const preview_limit_word[] = { "import", "receive", "export" };
static const char *const preview_action_word[] = { "off", "warn", "block", "restart",
	"disable" };

static bool
preview_has(const struct preview_routes *r)
{
	return r->cnt[PREVIEW_GAINED] || r->cnt[PREVIEW_LOST] || r->cnt[PREVIEW_CHANGED];
}

static void
preview_reply_sample(
    struct reply *r, const struct preview_sample *s, enum preview_change k)
{
	reply_open(r, NULL);
	reply_text(r, "    %s", preview_change_word[k]);
	reply_prefix(r, "network", " %s", &s->net);
	if (s->rid)
		reply_u64(r, "path_id", " path %s", s->rid);
	if (k == PREVIEW_LOST)
		reply_str(r, "reason", NULL, reason_key((enum reason)s->reason));
	if (k == PREVIEW_LOST)
		reply_text(r, ": %s", reason_text((enum reason)s->reason));
	if (k == PREVIEW_LOST && s->file) {
		reply_str(r, "file", ", %s", s->file);
		reply_u64(r, "line", ":%s", s->line);
	}
	reply_text(r, "\n");
	reply_close(r);
}

static void
preview_reply_samples(struct reply *r, const struct preview_routes *p)
{
	static const char *const key[] = { "gained_routes", "lost_routes",
		"changed_routes" };

	for (unsigned k = 0; k < PREVIEW_CHANGES; k++) {
		reply_list(r, key[k]);
		for (uint32_t i = 0; i < p->samples[k]; i++)
			preview_reply_sample(r, &p->sample[k][i], (enum preview_change)k);
		reply_close(r);
		if (p->cnt[k] > p->samples[k] && p->samples[k])
			reply_text(r, "    %s: %llu more\n", preview_change_word[k],
			    (unsigned long long)(p->cnt[k] - p->samples[k]));
	}
}

static void
preview_reply_reasons(struct reply *r, const struct preview_routes *p)
{
	reply_list(r, "reasons");
	for (unsigned i = 1; i < REASON_CNT; i++) {
		if (!p->reason[i])
			continue;
		reply_open(r, NULL);
		reply_str(r, "reason", NULL, reason_key((enum reason)i));
		reply_text(r, "    lost, %s", reason_text((enum reason)i));
		reply_u64(r, "routes", ": %s\n", p->reason[i]);
		reply_close(r);
	}
	reply_close(r);
}

static void
preview_reply_routes(struct reply *r, const char *key, const struct preview_routes *p)
{
	reply_open(r, key);
	reply_text(r, "  %s:", key);
	reply_u64(r, "routes", " %s", p->now);
	reply_u64(r, "routes_next", " -> %s routes", p->next);
	reply_u64(r, "gained", ", gained %s", p->cnt[PREVIEW_GAINED]);
	reply_u64(r, "lost", ", lost %s", p->cnt[PREVIEW_LOST]);
	reply_u64(r, "changed", ", changed %s\n", p->cnt[PREVIEW_CHANGED]);
	preview_reply_reasons(r, p);
	preview_reply_samples(r, p);
	reply_close(r);
}

static void
preview_reply_limits(struct reply *r, const struct preview_channel *c)
{
	reply_list(r, "limits");
	for (unsigned i = 0; i < c->limit_cnt; i++) {
		const struct preview_limit *l = &c->limit[i];

		reply_open(r, NULL);
		reply_str(r, "limit", "  %s limit", preview_limit_word[l->kind]);
		reply_u64(r, "max", " %s is crossed", l->max);
		reply_u64(r, "routes", " by %s routes", l->routes);
		reply_str(r, "action", ", action %s\n", preview_action_word[l->action]);
		reply_close(r);
	}
	reply_close(r);
}

/* preview_reply_channel - @c with its member @m. */
static void
preview_reply_channel(struct cli_session *s, const struct preview_member *m,
    const struct preview_channel *c)
{
	struct reply *r = cli_reply(s, "preview_channel");

	reply_str(r, "protocol", "%s", m->name);
	reply_str(r, "channel", " %s", c->name);
	reply_some(r, "as", " AS%s", m->as);
	reply_str(r, "session", m->fate ? ": the session %s" : NULL,
	    preview_fate_word[m->fate]);
	reply_text(r, "\n");
	reply_str(r, "skipped", "  not previewed: %s\n", c->skipped);
	reply_bool(r, "moved",
	    "  the session went up or down during the preview: counts are incomplete\n",
	    m->moved);
	if (c->known_matters)
		reply_str(r, "received",
		    "  known received routes: %s; refused routes are not kept\n",
		    preview_known_word[c->known]);
	preview_reply_limits(r, c);
	preview_reply_routes(r, "import", &c->in);
	preview_reply_routes(r, "export", &c->out);
	cli_reply_end(s, CLI_PREVIEW);
}

static bool
preview_is_shown(const struct preview_job *j, const struct preview_member *m,
    const struct preview_channel *c)
{
	if (j->pattern && !scan_glob(j->pattern, m->name))
		return false;
	return m->fate || c->skipped || c->limit_cnt || (c->known_matters && c->in.now) ||
	       preview_has(&c->in) || preview_has(&c->out);
}

static void
preview_reply_sums(struct cli_session *s, const struct preview_job *j)
{
	struct preview_sums m = preview_sums(j->preview);
	struct reply *r = cli_reply(s, "preview");

	reply_u64(r, "routes", "Sent routes: %s", m.now);
	reply_u64(r, "routes_next", " -> %s", m.next);
	reply_u64(r, "gained", ", gained %s", m.cnt[PREVIEW_GAINED]);
	reply_u64(r, "lost", ", lost %s", m.cnt[PREVIEW_LOST]);
	reply_u64(r, "changed", ", changed %s\n", m.cnt[PREVIEW_CHANGED]);
	reply_u64(r, "closed", "Sessions that close: %s", m.closed);
	reply_u64(r, "sessions", " of %s\n", m.sessions);
	reply_some(
	    r, "unknown", "Channels with unknown received routes: %s\n", m.unknown);
	reply_some(r, "skipped", "Channels that are not previewed: %s\n", m.skipped);
	reply_u64(r, "decisions", "Decisions: %s", m.decided);
	reply_u64(r, "steps", ", steps of filters: %s", m.steps_now);
	reply_u64(r, "steps_next", " -> %s", m.steps_next);
	reply_seconds(r, "cpu_s", ", in %s s\n", m.spent_ns);
	cli_reply_end(s, CLI_PREVIEW);
}

/* ---- the job ---- */

static struct preview_job *
preview_job_of(struct cli_job *j)
{
	return container_of(j, struct preview_job, job);
}

static bool
preview_wanted(const void *arg, const char *name)
{
	return scan_glob(arg, name);
}

/* preview_end - the conditions that are met, and the last line. */
static void
preview_end(struct cli_session *s, const struct preview_job *j)
{
	unsigned met = 0;
	struct strbuf b;

	strbuf_init(&b);
	for (unsigned i = 0; i < j->fail.cnt; i++) {
		struct reply *r;

		strbuf_reset(&b);
		if (!preview_fail_met(&j->fail, i, j->preview, &b))
			continue;
		met++;
		r = cli_reply(s, "preview_condition");
		reply_str(r, "met", "Condition met: %s\n", b.s);
		cli_reply_end(s, CLI_PREVIEW);
	}
	strbuf_fini(&b);
	if (met)
		cli_end(s, CLI_CONDITION, "%u condition%s met", met,
		    plural(met, " is", "s are"));
	else
		cli_end(s, CLI_CHECKED, "Configuration OK");
}

static void
preview_print(struct cli_session *s, struct preview_job *j)
{
	while (cli_go_on(s)) {
		const struct preview_member *m;

		if (j->member == preview_member_cnt(j->preview)) {
			preview_reply_sums(s, j);
			preview_end(s, j);
			return;
		}
		m = preview_member_at(j->preview, j->member);
		if (j->channel == m->channel_cnt) {
			j->member++;
			j->channel = 0;
			continue;
		}
		if (preview_is_shown(j, m, &m->channel[j->channel]))
			preview_reply_channel(s, m, &m->channel[j->channel]);
		j->channel++;
	}
}

static void
preview_job_step(struct cli_session *s, struct cli_job *job)
{
	struct preview_job *j = preview_job_of(job);

	if (!j->walked) {
		j->walked = preview_step(j->preview, clock_now_ns() + CLI_STEP_NS);
		if (j->walked && preview_failed(j->preview))
			cli_end(
			    s, CLI_FAILED, "No preview: %s", preview_failed(j->preview));
		return;
	}
	preview_print(s, j);
}

static void
preview_job_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct preview_job *j = preview_job_of(job);

	(void)s;
	if (j->preview)
		preview_free(j->preview);
	mem_free(MEM_OTHER, j->pattern);
	mem_free(MEM_OTHER, j);
}

/* preview_put_plan - the lines of the plan, as far as the session may read plans. A reply
 * of objects has an object of them. */
static void
preview_put_plan(struct cli_session *s, const struct control_answer *a, unsigned cnt)
{
	struct reply *r;

	if (!cli_reads_plans(s))
		cnt = 0;
	for (unsigned i = 0; i < cnt; i++)
		cli_put_line(s, a->line[i].code, a->line[i].text);
	if (!s->json)
		return;
	r = cli_reply(s, "plan");
	reply_list(r, "lines");
	for (unsigned i = 0; i < cnt; i++)
		reply_str(r, NULL, NULL, a->line[i].text);
	reply_close(r);
	cli_reply_end(s, CLI_PREVIEW);
}

/* preview_answered - the control plane has answered. */
static void
preview_answered(struct worker *w, TAKE struct msg *m)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct control_req *r = container_of(m, struct control_req, msg);
	struct preview_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));
	const char *bad;
	unsigned last = r->answer.cnt - 1;

	preview_put_plan(s, &r->answer, last);
	if (!r->preview)
		cli_end(s, r->answer.line[last].code, "%s", r->answer.line[last].text);
	*j = (struct preview_job){ .job = { .step = preview_job_step,
				       .free = preview_job_free },
		.preview = r->preview,
		.pattern = r->pattern,
		.limit = r->timeout_s };
	if (r->message)
		(void)preview_fail_parse(&j->fail, r->message, &bad);
	r->preview = NULL;
	r->pattern = NULL;
	if (j->preview) {
		preview_keep(j->preview, j->limit);
		if (j->pattern)
			preview_only(j->preview, preview_wanted, j->pattern);
		cli_run_job(s, &j->job);
	} else {
		preview_job_free(s, &j->job);
	}
	cli_req_free(r);
	cli_answered(s);
}

/* preview_parse_fail - if "CONDITIONS". Returns: false: the reply has ended. */
static bool
preview_parse_fail(struct cli_session *s, struct cli_scan *sc, struct control_req *r)
{
	struct preview_fail f;
	const char *bad;

	if (!cli_scan_word(sc, "if") || sc->tok != TOK_TEXT) {
		cli_syntax(s, sc, "'if' and conditions in quotes");
		return false;
	}
	if (!preview_fail_parse(&f, sc->text, &bad)) {
		cli_end(s, CLI_BAD_COMMAND,
		    "conditions: unexpected '%s'; expected conditions as \"lost > 5 %%, "
		    "closed > 3, member.lost > 100\"",
		    bad);
		return false;
	}
	r->message = mem_strdup(MEM_OTHER, sc->text);
	cli_scan_step(sc);
	return true;
}

/* preview_parse - the arguments. Returns: false: the reply has ended. */
static bool
preview_parse(struct cli_session *s, struct cli_scan *sc, struct control_req *r)
{
	r->timeout_s = SAMPLES_DEFAULT;
	if (sc->tok == TOK_TEXT) {
		r->path = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
	}
	if (cli_scan_word(sc, "for")) {
		if (sc->tok != TOK_TEXT && !cli_scan_is_name(sc)) {
			cli_syntax(s, sc, "a protocol or a pattern in quotes");
			return false;
		}
		r->pattern = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
	}
	if (cli_scan_word(sc, "limit") &&
	    !cmd_parse_number(s, sc, 0, SAMPLES_MAX, &r->timeout_s))
		return false;
	if (cli_scan_word(sc, "fail") && !preview_parse_fail(s, sc, r))
		return false;
	if (sc->tok == TOK_END)
		return true;
	cli_syntax(
	    s, sc, "a text in quotes, 'for', 'limit', 'fail' or the end of the command");
	return false;
}

void
cmd_configure_preview(struct cli_session *s, struct cli_scan *sc)
{
	struct control_req *r = control_req_new(CTL_PREVIEW);

	if (!preview_parse(s, sc, r)) {
		control_req_free(r);
		return;
	}
	r->done = preview_answered;
	cli_drop_conf(s);
	cli_ask(s, r);
}

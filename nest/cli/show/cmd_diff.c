/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show diff since TIME [until TIME] [NAME | "pattern" | AS]: what has changed. First the
 * configurations of the daemon, then for each member the entries of its list
 * (nest/channel/instance/proto_changes.h).
 *
 * I1  A part of the time that a list does not have is a `gap` in front of its entries:
 *     `lost` if the list has dropped entries, `restart` if the list is younger. The
 *     configurations are such a list, too.
 * I2  Entries hold no words of a configuration, and a restricted session gets all.
 *
 * A job as that of `show members`: names are noted at the beginning, and each instance is
 * looked up again.
 *
 * Loop: the session's. Tested by test/net/test_show_diff.py. */
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/instance/proto_changes.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/cmd_time.h"
#include "nest/cli/show/member/cmd_member_pick.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"
#include "sysdep/os/clock.h"

struct diff_job {
	struct cli_job job;
	struct cmd_names names;
	struct member_pick pick;
	uint64_t since_ns, until_ns; /* monotonic */
	/* of the present member */
	uint64_t begin_ns; /* of its list; 0: not begun */
	uint64_t nr; /* the next entry */
};

static const char *const diff_word[] = { "session_up", "session_down", "reload",
	"routes" };

/* The parts of a line. */
enum { LINE_TIME, LINE_NAME, LINE_WORD, LINE_CAUSE };

static const char *
diff_direction(const struct proto_change *e)
{
	return !(e->what & CHANGE_EXPORT)   ? "import"
	       : !(e->what & CHANGE_IMPORT) ? "export"
					    : "both";
}

static void
diff_reply_routes(struct reply *r, const struct proto_change *e)
{
	const char *more = "";

	reply_time(r, "from_unix_s", NULL, e->at_ns - e->span_ms * NS_PER_MS);
	for (unsigned f = 0; f < FAM_CNT; f++) {
		const struct change_routes *n = &e->routes[f];
		const char *family = family_name((enum family)f);

		if (!(e->what & 1u << f))
			continue;
		reply_open(r, family);
		reply_text(r, "%s%s ", more, family);
		reply_u64(r, "gained", "+%s", n->gained);
		reply_u64(r, "lost", " -%s", n->lost);
		reply_u64(r, "accepted", ", %s accepted", n->accepted);
		reply_u64(r, "filtered", ", %s filtered", n->filtered);
		reply_close(r);
		more = "; ";
	}
}

static void
diff_reply_reload(struct reply *r, const struct proto_change *e)
{
	bool by_configuration = e->what & CHANGE_CONFIGURE;

	reply_str(r, "direction", "%s", diff_direction(e));
	reply_str(r, "by", by_configuration ? ", by a %s" : NULL,
	    by_configuration ? "configuration" : "command");
	if (e->what & CHANGE_REFRESH)
		reply_bool(r, "refresh", ", refresh", true);
	if (e->what & CHANGE_PARTIAL)
		reply_bool(r, "partial", ", partial", true);
}

/* diff_reply_down - JSON has a cause if the session had one. */
static void
diff_reply_down(struct reply *r, const struct proto_change *e)
{
	const char *side = proto_cause_key((enum member_cause)e->side);

	reply_part(r, LINE_CAUSE);
	reply_u64(r, "up_s", ", after %s s", e->up_s);
	reply_part(r, LINE_WORD);
	if (r->json && e->side == MEMBER_FINE)
		return;
	reply_open(r, "cause");
	reply_str(r, "side", "%s", side);
	reply_str(r, "text", e->text[0] ? ": %s" : NULL, e->text);
	reply_close(r);
}

/* diff_reply_who - the member of a line; NULL: the daemon. */
static void
diff_reply_who(struct reply *r, const struct proto *p)
{
	struct proto_member m;

	reply_part(r, LINE_NAME);
	if (r->text || p)
		reply_str(r, "protocol", "%-16s ", p ? p->name : "");
	if (p && p->cls->member.describe(p, &m) && m.as)
		reply_u64(r, "as", NULL, m.as);
	reply_part(r, LINE_WORD);
}

/* ---- lines ---- */

/* diff_begin - begin a change of @p, of the daemon if @p is NULL. */
static struct reply *
diff_begin(struct cli_session *s, const struct proto *p, uint64_t at_ns, const char *kind)
{
	struct reply *r = cli_reply(s, "change");

	r->time = cli_time(s, &time_iso_long_ms);
	reply_part(r, LINE_WORD);
	reply_str(r, "kind", "%-16s ", kind);
	reply_part(r, LINE_TIME);
	reply_time(r, "at_unix_s", "%s ", at_ns);
	diff_reply_who(r, p);
	return r;
}

static void
diff_end(struct cli_session *s, struct reply *r)
{
	reply_part(r, LINE_CAUSE);
	reply_text(r, "\n");
	cli_reply_end(s, CLI_EVENT);
}

static void
diff_entry(struct cli_session *s, const struct proto *p, const struct proto_change *e)
{
	struct reply *r = diff_begin(s, p, e->at_ns, diff_word[e->kind]);

	if (e->kind == CHANGE_DOWN)
		diff_reply_down(r, e);
	else if (e->kind == CHANGE_RELOAD)
		diff_reply_reload(r, e);
	else if (e->kind == CHANGE_ROUTES)
		diff_reply_routes(r, e);
	diff_end(s, r);
}

/* diff_put_gap - changes before @until_ns are missing, of @p; NULL: of the daemon. */
static void
diff_put_gap(struct cli_session *s, const struct proto *p, bool lost, uint64_t until_ns)
{
	struct reply *r = cli_reply(s, "gap");

	r->time = cli_time(s, &time_iso_long_ms);
	reply_str(r, "reason", NULL, lost ? "lost" : "restart");
	reply_time(r, "until_unix_s", "%s ", until_ns);
	diff_reply_who(r, p);
	reply_text(r, "%-16s %s", "gap",
	    lost ? "earlier changes are lost" : "the history begins");
	diff_end(s, r);
}

/* diff_gap - I1. */
static void
diff_gap(struct cli_session *s, const struct diff_job *d, const struct proto *p)
{
	uint64_t lost_ns = proto_changes_lost_ns(p->changes);
	uint64_t begin_ns = proto_changes_begin_ns(p->changes);

	if (lost_ns && d->since_ns <= lost_ns)
		diff_put_gap(s, p, true, lost_ns);
	else if (d->since_ns < begin_ns)
		diff_put_gap(s, p, false, begin_ns);
}

/* diff_configurations - the start and the last configurations within the time. */
static void
diff_configurations(struct cli_session *s, const struct diff_job *d)
{
	const struct event *e[EVENT_CONF_CNT];
	unsigned cnt = s->tern->events ? event_ring_confs(s->tern->events, e) : 0;

	if (cnt && d->since_ns < e[0]->at_ns) /* I1: the oldest one */
		diff_put_gap(s, NULL, e[0]->kind != EVENT_STARTED, e[0]->at_ns);
	for (unsigned i = 0; i < cnt; i++)
		if (e[i]->at_ns >= d->since_ns && e[i]->at_ns <= d->until_ns)
			diff_end(
			    s, diff_begin(s, NULL, e[i]->at_ns, event_word(e[i]->kind)));
}

/* ---- the job ---- */

/* diff_member - the lines of @p from the position on. Returns: false: the step is over
 * before the end of the list. */
static bool
diff_member(struct cli_session *s, struct diff_job *d, const struct proto *p)
{
	uint64_t begin_ns = proto_changes_begin_ns(p->changes);
	const struct proto_change *e;

	if (d->begin_ns != begin_ns) {
		d->begin_ns = begin_ns;
		d->nr = 1;
		diff_gap(s, d, p);
	}
	while ((e = proto_changes_get(p->changes, &d->nr)) && e->at_ns <= d->until_ns) {
		if (!cli_go_on(s))
			return false;
		if (e->at_ns >= d->since_ns)
			diff_entry(s, p, e);
		d->nr++;
	}
	return true;
}

static void
diff_step(struct cli_session *s, struct cli_job *job)
{
	struct diff_job *d = container_of(job, struct diff_job, job);
	const struct proto *p;

	while (cli_go_on(s)) {
		if (d->names.pos == d->names.cnt) {
			cli_end(s, CLI_DONE, "%s", "");
			return;
		}
		p = cmd_names_proto(&d->names, tern_view_get(s->tern));
		if (p && p->changes && !diff_member(s, d, p))
			return;
		d->names.pos++;
		d->begin_ns = 0;
	}
}

static void
diff_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct diff_job *d = container_of(job, struct diff_job, job);

	(void)s;
	cmd_names_fini(&d->names);
	member_pick_fini(&d->pick);
	mem_free(MEM_OTHER, d);
}

static bool
diff_wanted(const struct proto *p, const void *arg)
{
	return member_pick_wants(arg, p);
}

/* diff_head - JSON alone: the times as understood. */
static void
diff_head(struct cli_session *s, const struct diff_job *d)
{
	struct reply *r = cli_reply(s, "diff");

	reply_time(r, "since_unix_s", NULL, d->since_ns);
	reply_time(r, "until_unix_s", NULL, d->until_ns);
	cli_reply_end(s, CLI_EVENT);
}

/* diff_parse - the arguments. Returns: false: the reply has ended. */
static bool
diff_parse(struct cli_session *s, struct cli_scan *sc, struct diff_job *d)
{
	static const char *const words[] = { "since", "until", NULL };

	d->until_ns = clock_now_ns();
	if (!cli_scan_word(sc, "since")) {
		cli_syntax(s, sc, "'since'");
		return false;
	}
	if (!cmd_parse_time(s, sc, &d->since_ns))
		return false;
	if (cli_scan_word(sc, "until") && !cmd_parse_time(s, sc, &d->until_ns))
		return false;
	return member_pick_take(s, sc, &d->pick, words) && cli_at_end(s, sc);
}

void
cmd_show_diff(struct cli_session *s, struct cli_scan *sc)
{
	struct diff_job *d = mem_zalloc(MEM_OTHER, sizeof(*d));

	d->job = (struct cli_job){ .step = diff_step, .free = diff_free };
	if (!diff_parse(s, sc, d)) {
		diff_free(s, &d->job);
		return;
	}
	cmd_names_init(&d->names, tern_view_get(s->tern), diff_wanted, &d->pick);
	if (!d->names.cnt && !member_pick_is_all(&d->pick)) {
		diff_free(s, &d->job);
		cli_end(s, CLI_NO_PROTO, "No members match");
		return;
	}
	diff_head(s, d);
	if (member_pick_is_all(&d->pick))
		diff_configurations(s, d);
	cli_run_job(s, &d->job);
}

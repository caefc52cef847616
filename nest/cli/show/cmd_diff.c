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
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/instance/proto_changes.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/cmd_time.h"
#include "nest/cli/show/cmd_member_pick.h"
#include "nest/cli/show/cmd_show.h"
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

/* ---- text ---- */

static void
diff_say(struct cli_session *s, uint64_t at_ns, const char *name, const char *word,
    const char *text)
{
	char at[64];

	clock_print(at, sizeof(at), cli_time(s, &time_iso_long_ms), at_ns);
	cli_say(s, CLI_EVENT, "%s %-16s %-16s %s", at, name, word, text);
}

static const char *
diff_direction(const struct proto_change *e)
{
	return !(e->what & CHANGE_EXPORT)   ? "import"
	       : !(e->what & CHANGE_IMPORT) ? "export"
					    : "both";
}

/* diff_text - the words of @e behind its kind. */
static void
diff_text(struct strbuf *b, const struct proto_change *e)
{
	const char *more = "";

	switch (e->kind) {
	case CHANGE_DOWN:
		strbuf_addf(b, "%s%s%s, after %u s",
		    proto_cause_key((enum member_cause)e->side), e->text[0] ? ": " : "",
		    e->text, e->up_s);
		break;
	case CHANGE_RELOAD:
		strbuf_addf(b, "%s%s%s%s", diff_direction(e),
		    e->what & CHANGE_CONFIGURE ? ", by a configuration" : "",
		    e->what & CHANGE_REFRESH ? ", refresh" : "",
		    e->what & CHANGE_PARTIAL ? ", partial" : "");
		break;
	case CHANGE_ROUTES:
		for (unsigned f = 0; f < FAM_CNT; f++) {
			const struct change_routes *r = &e->routes[f];

			if (!(e->what & 1u << f))
				continue;
			strbuf_addf(b, "%s%s +%u -%u, %u accepted, %u filtered", more,
			    family_name((enum family)f), r->gained, r->lost, r->accepted,
			    r->filtered);
			more = "; ";
		}
		break;
	default:
		break;
	}
}

/* ---- JSON ---- */

static void
diff_put_routes(struct json *j, const struct proto_change *e)
{
	json_seconds(j, "from_unix_s", clock_real_ns(e->at_ns - e->span_ms * NS_PER_MS));
	for (unsigned f = 0; f < FAM_CNT; f++) {
		const struct change_routes *r = &e->routes[f];

		if (!(e->what & 1u << f))
			continue;
		json_open(j, family_name((enum family)f));
		json_u64(j, "gained", r->gained);
		json_u64(j, "lost", r->lost);
		json_u64(j, "accepted", r->accepted);
		json_u64(j, "filtered", r->filtered);
		json_close(j);
	}
}

static void
diff_put_reload(struct json *j, const struct proto_change *e)
{
	json_str(j, "direction", diff_direction(e));
	json_str(j, "by", e->what & CHANGE_CONFIGURE ? "configuration" : "command");
	if (e->what & CHANGE_REFRESH)
		json_bool(j, "refresh", true);
	if (e->what & CHANGE_PARTIAL)
		json_bool(j, "partial", true);
}

static void
diff_put_down(struct json *j, const struct proto_change *e)
{
	json_u64(j, "up_s", e->up_s);
	if (e->side == MEMBER_FINE)
		return;
	json_open(j, "cause");
	json_str(j, "side", proto_cause_key((enum member_cause)e->side));
	json_str(j, "text", e->text);
	json_close(j);
}

/* diff_put_who - the member of a line. */
static void
diff_put_who(struct json *j, const struct proto *p)
{
	struct proto_member m;

	json_str(j, "protocol", p->name);
	if (p->cls->member.describe(p, &m) && m.as)
		json_u64(j, "as", m.as);
}

/* ---- lines ---- */

static void
diff_entry(struct cli_session *s, const struct proto *p, const struct proto_change *e)
{
	struct strbuf b;
	struct json *j;

	if (!s->json) {
		strbuf_init(&b);
		diff_text(&b, e);
		diff_say(s, e->at_ns, p->name, diff_word[e->kind], b.len ? b.s : "");
		strbuf_fini(&b);
		return;
	}
	j = cli_object(s, "change");
	json_str(j, "kind", diff_word[e->kind]);
	json_seconds(j, "at_unix_s", clock_real_ns(e->at_ns));
	diff_put_who(j, p);
	if (e->kind == CHANGE_DOWN)
		diff_put_down(j, e);
	else if (e->kind == CHANGE_RELOAD)
		diff_put_reload(j, e);
	else if (e->kind == CHANGE_ROUTES)
		diff_put_routes(j, e);
	cli_object_end(s);
}

/* diff_put_gap - changes before @until_ns are missing, of @p; NULL: of the daemon. */
static void
diff_put_gap(struct cli_session *s, const struct proto *p, bool lost, uint64_t until_ns)
{
	struct json *j;

	if (!s->json) {
		diff_say(s, until_ns, p ? p->name : "", "gap",
		    lost ? "earlier changes are lost" : "the history begins");
		return;
	}
	j = cli_object(s, "gap");
	json_str(j, "reason", lost ? "lost" : "restart");
	json_seconds(j, "until_unix_s", clock_real_ns(until_ns));
	if (p)
		diff_put_who(j, p);
	cli_object_end(s);
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
	uint64_t last = 0;

	for (unsigned i = 0; s->tern->events && i < EVENT_CONF_CNT; i++) {
		const struct event *e = event_ring_conf(s->tern->events, i);
		struct json *j;

		if (!e || e->nr <= last)
			continue;
		if (!last && d->since_ns < e->at_ns) /* I1: the oldest one */
			diff_put_gap(s, NULL, e->kind != EVENT_STARTED, e->at_ns);
		last = e->nr;
		if (e->at_ns < d->since_ns || e->at_ns > d->until_ns)
			continue;
		if (!s->json) {
			diff_say(s, e->at_ns, "", event_word(e->kind), "");
			continue;
		}
		j = cli_object(s, "change");
		json_str(j, "kind", event_word(e->kind));
		json_seconds(j, "at_unix_s", clock_real_ns(e->at_ns));
		cli_object_end(s);
	}
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

/* diff_head - the times as understood. */
static void
diff_head(struct cli_session *s, const struct diff_job *d)
{
	struct json *j;

	if (!s->json)
		return;
	j = cli_object(s, "diff");
	json_seconds(j, "since_unix_s", clock_real_ns(d->since_ns));
	json_seconds(j, "until_unix_s", clock_real_ns(d->until_ns));
	cli_object_end(s);
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

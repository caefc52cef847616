/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show shadow [NAME] [all]: in ternshadow, the differences between the live server's
 * announcements and the shadow's, for each member, and the state of members. `all`: also
 * differences of the last moments.
 *
 * The shadow's worker sends a complete answer; a job prints, and keeps its position.
 *
 * Loop: the session's. Tested by test/net/test_shadow.py. */
#include "filter/lang/sym.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_json.h"
#include "lib/attr/attr_print.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/shadow/shadow.h"

struct shadow_job {
	struct cli_job job;
	struct shadow_ask *a;
	uint32_t peer, row; /* next peer and row to print */
};

/* ---- differences ---- */

static const char *
cmd_shadow_name_of(const struct shadow_peer *p, char buf[IP_STR_MAX])
{
	return p->name[0] ? p->name : ip_str(buf, p->addr);
}

/* cmd_shadow_next_of - the item of @w at *@pos; false: end. */
static bool
cmd_shadow_next_of(struct attr_item *it, const struct wire_set *w, uint32_t *pos)
{
	return attr_item_next(it, w->data, w->len, pos);
}

/* Side of the shown attributes. */
struct show_arg {
	struct reply *r;
	const char *form;
};

static void
cmd_shadow_show_line(void *arg, const char *line)
{
	const struct show_arg *a = arg;

	reply_str(a->r, NULL, a->form, line);
}

static void
show_item(struct reply *r, const char *form, const struct attr_item *it)
{
	struct show_arg a = { r, form };

	attr_print_item(it, cmd_shadow_show_line, &a);
}

/* show_items - differing items of both sides, in order of codes. */
static void
show_items(struct reply *r, const struct wire_set *live, const struct wire_set *ours)
{
	struct attr_item a, b;
	uint32_t at_a = 0, at_b = 0;
	bool has_a = cmd_shadow_next_of(&a, live, &at_a),
	     has_b = cmd_shadow_next_of(&b, ours, &at_b);

	while (has_a || has_b) {
		bool both = has_a && has_b && a.code == b.code;
		bool take_a = has_a && (!has_b || a.code <= b.code);
		bool take_b = has_b && (!has_a || b.code <= a.code);
		bool same = both && a.len == b.len && !memcmp(a.val, b.val, a.len);

		if (take_a && !same)
			show_item(r, "\tlive%.480s\n", &a);
		if (take_b && !same)
			show_item(r, "\there%.480s\n", &b);
		if (take_a)
			has_a = cmd_shadow_next_of(&a, live, &at_a);
		if (take_b)
			has_b = cmd_shadow_next_of(&b, ours, &at_b);
	}
}

static const char *
shadow_what_of(const struct shadow_row *r)
{
	return r->live && r->ours ? "differs" : r->live ? "only live" : "only here";
}

/* shadow_reply_side - JSON alone: all attributes of a side; NULL: no route. */
static void
shadow_reply_side(struct reply *r, const char *key, const struct wire_set *w)
{
	if (!r->json || !w)
		return;
	reply_open(r, key);
	attr_json_wire(r->json, w);
	reply_close(r);
}

static void
shadow_reply_row(
    struct cli_session *s, const struct shadow_peer *p, const struct shadow_row *row)
{
	struct reply *r = cli_reply(s, "shadow_route");
	struct wire_set none;
	char ip[IP_STR_MAX];

	reply_str(r, "member", "%s", cmd_shadow_name_of(p, ip));
	reply_prefix(r, "network", "\t%s", &row->net);
	reply_str(r, "difference", "\t%s", shadow_what_of(row));
	reply_str(r, "cause", "\tdifferent %s\n", row->input ? "input" : "decision");
	shadow_reply_side(r, "live", row->live);
	shadow_reply_side(r, "here", row->ours);
	if (r->text) {
		memset(&none, 0, sizeof(none));
		show_items(
		    r, row->live ? row->live : &none, row->ours ? row->ours : &none);
	}
	cli_reply_end(s, CLI_SHADOW);
}

/* ---- members ---- */

static const char *
shadow_state_of(const struct shadow_peer *p)
{
	if (!p->fed)
		return "not fed";
	if (!p->up)
		return "no session";
	if (p->paths)
		return "not compared: several paths";
	return p->compared ? "compared"
			   : "not compared: the live server does not report the session";
}

static void
shadow_reply_peer(struct cli_session *s, const struct shadow_peer *p)
{
	struct reply *r = cli_reply(s, "shadow_member");

	reply_fill(r, "name", "%s\t", p->name[0] || r->json ? p->name : "---");
	reply_ip(r, "address", "%s", p->addr);
	reply_u64(r, "as", " AS%s\t", p->as);
	reply_text(r, "%s", shadow_state_of(p));
	reply_bool(r, "fed", NULL, p->fed);
	reply_bool(r, "session", NULL, p->up);
	reply_bool(r, "compared", NULL, p->compared);
	reply_fill(r, "reason", ": %s", p->why);
	reply_u64(r, "announced", "\tannounces %s", p->announced);
	reply_u64(r, "live", ", live sends %s", p->live_cnt);
	reply_u64(r, "here", ", here %s", p->ours_cnt);
	reply_u64(r, "differences", "\t%s differ", p->diffs);
	reply_u64(r, "waiting", ", %s wait\n", p->waiting);
	cli_reply_end(s, CLI_SHADOW);
}

static void
shadow_reply_snapshot(struct cli_session *s, const struct shadow_snapshot *n)
{
	struct reply *r = cli_reply(s, "shadow_snapshot");

	reply_u64(r, "records", "snapshot: records: %s", n->records);
	reply_bool(r, "complete", ", complete", n->ended && !n->why[0]);
	reply_fill(r, "reason", ", %s", n->why);
	reply_text(r, "\n");
	cli_reply_end(s, CLI_SHADOW);
}

/* ---- the job ---- */

static void
cmd_shadow_end(struct cli_session *s, const struct shadow_ask *a)
{
	uint32_t compared = 0, with = 0, waiting = 0;
	uint64_t diffs = 0;

	for (uint32_t i = 0; i < a->peer_cnt; i++) {
		compared += a->peer[i].compared;
		with += a->peer[i].diffs != 0;
		diffs += a->peer[i].diffs;
		waiting += a->peer[i].waiting;
	}
	if (a->more)
		cli_say(s, CLI_SHADOW, "%u more aren't listed", a->more);
	if (s->json)
		cli_end(s, CLI_DONE, "%s", "");
	else
		cli_end(s, CLI_DONE,
		    "%llu difference%s of %u member%s; %u of %u compared; %u change%s "
		    "under way",
		    (unsigned long long)diffs, plural(diffs, "", "s"), with,
		    plural(with, "", "s"), compared, a->peer_cnt, waiting,
		    plural(waiting, "", "s"));
}

static void
cmd_shadow_step(struct cli_session *s, struct cli_job *job)
{
	struct shadow_job *j = container_of(job, struct shadow_job, job);
	const struct shadow_ask *a = j->a;

	while (cli_go_on(s)) {
		if (j->row < a->row_cnt) {
			const struct shadow_row *r = &a->row[j->row++];

			shadow_reply_row(s, &a->peer[r->peer], r);
		} else if (j->peer < a->peer_cnt) {
			shadow_reply_peer(s, &a->peer[j->peer++]);
		} else {
			if (a->snapshot.has)
				shadow_reply_snapshot(s, &a->snapshot);
			cmd_shadow_end(s, a);
			return;
		}
	}
}

static void
cmd_shadow_job_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct shadow_job *j = container_of(job, struct shadow_job, job);

	shadow_ask_free(s->tern, j->a);
	mem_free(MEM_OTHER, j);
}

static void
cmd_shadow_answered(struct worker *w, TAKE struct msg *m)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct shadow_ask *a = container_of(m, struct shadow_ask, msg);
	struct shadow_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->job = (struct cli_job){ .step = cmd_shadow_step, .free = cmd_shadow_job_free };
	j->a = a;
	cli_run_job(s, &j->job);
	cli_answered(s);
}

static void
cmd_show_shadow(struct cli_session *s, struct cli_scan *sc)
{
	struct shadow_ask *a;
	char *name = NULL;
	bool all = cli_scan_word(sc, "all");

	if (!all && sc->tok != TOK_END &&
	    !cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
		"a protocol, 'all' or the end of the command", &name))
		return;
	all |= cli_scan_word(sc, "all");
	if (!cli_at_end(s, sc)) {
		mem_free(MEM_OTHER, name);
		return;
	}
	a = mem_zalloc(MEM_OTHER, sizeof(*a));
	a->asker = &s->worker;
	a->done = cmd_shadow_answered;
	a->name = name;
	a->all = all;
	cli_waits(s);
	shadow_ask_post(s->tern, a);
}

const struct cmd cmd_shadow_list[] = {
	{ CMD_SHADOW_WORDS, cmd_show_shadow, false,
	    "Differences between a live server's routes and the shadow's", NULL,
	    CMD_SHADOW_OPTIONS },
	{ NULL, NULL, false, NULL, NULL, NULL },
};

_Static_assert(
    ARRAY_LEN(cmd_shadow_list) <= CMD_PART_MAX + 1, "the last row is no command");

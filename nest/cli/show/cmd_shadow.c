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
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_show.h"
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
	struct cli_session *s;
	const char *who;
};

static void
cmd_shadow_show_line(void *arg, const char *line)
{
	const struct show_arg *a = arg;

	cli_say(a->s, CLI_SHADOW, "\t%s%.480s", a->who, line);
}

static void
show_item(struct cli_session *s, const char *who, const struct attr_item *it)
{
	struct show_arg a = { s, who };

	attr_print_item(it, cmd_shadow_show_line, &a);
}

/* show_items - differing items of both sides, in order of codes. */
static void
show_items(
    struct cli_session *s, const struct wire_set *live, const struct wire_set *ours)
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
			show_item(s, "live", &a);
		if (take_b && !same)
			show_item(s, "here", &b);
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

static void
show_row(struct cli_session *s, const struct shadow_peer *p, const struct shadow_row *r)
{
	struct wire_set none;
	char net[PREFIX_STR_MAX], ip[IP_STR_MAX];

	memset(&none, 0, sizeof(none));
	cli_say(s, CLI_SHADOW, "%s\t%s\t%s\t%s", cmd_shadow_name_of(p, ip),
	    prefix_str(net, &r->net), shadow_what_of(r),
	    r->input ? "different input" : "different decision");
	show_items(s, r->live ? r->live : &none, r->ours ? r->ours : &none);
}

static void
shadow_row_object(
    struct cli_session *s, const struct shadow_peer *p, const struct shadow_row *r)
{
	struct json *j = cli_object(s, "shadow_route");
	char net[PREFIX_STR_MAX], ip[IP_STR_MAX];

	json_str(j, "member", cmd_shadow_name_of(p, ip));
	json_str(j, "network", prefix_str(net, &r->net));
	json_str(j, "difference", shadow_what_of(r));
	json_str(j, "cause", r->input ? "input" : "decision");
	if (r->live) {
		json_open(j, "live");
		attr_json_wire(j, r->live);
		json_close(j);
	}
	if (r->ours) {
		json_open(j, "here");
		attr_json_wire(j, r->ours);
		json_close(j);
	}
	cli_object_end(s);
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
show_peer(struct cli_session *s, const struct shadow_peer *p)
{
	char ip[IP_STR_MAX];

	cli_say(s, CLI_SHADOW,
	    "%s\t%s AS%u\t%s%s%s\tannounces %u, live sends %u, here %u\t%u differ, %u "
	    "wait",
	    p->name[0] ? p->name : "---", ip_str(ip, p->addr), p->as, shadow_state_of(p),
	    p->why[0] ? ": " : "", p->why, p->announced, p->live_cnt, p->ours_cnt,
	    p->diffs, p->waiting);
}

static void
shadow_peer_object(struct cli_session *s, const struct shadow_peer *p)
{
	struct json *j = cli_object(s, "shadow_member");

	json_str(j, "name", p->name[0] ? p->name : NULL);
	json_ip(j, "address", p->addr);
	json_u64(j, "as", p->as);
	json_bool(j, "fed", p->fed);
	json_bool(j, "session", p->up);
	json_bool(j, "compared", p->compared);
	json_str(j, "reason", p->why[0] ? p->why : NULL);
	json_u64(j, "announced", p->announced);
	json_u64(j, "live", p->live_cnt);
	json_u64(j, "here", p->ours_cnt);
	json_u64(j, "differences", p->diffs);
	json_u64(j, "waiting", p->waiting);
	cli_object_end(s);
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
	if (a->more && !s->json)
		cli_say(s, CLI_SHADOW, "%u more aren't listed", a->more);
	if (s->json)
		cli_end(s, CLI_DONE, "%s", "");
	else
		cli_end(s, CLI_DONE,
		    "%llu differences of %u members; %u of %u compared; %u changes under "
		    "way",
		    (unsigned long long)diffs, with, compared, a->peer_cnt, waiting);
}

static void
cmd_shadow_step(struct cli_session *s, struct cli_job *job)
{
	struct shadow_job *j = container_of(job, struct shadow_job, job);
	const struct shadow_ask *a = j->a;

	while (cli_go_on(s)) {
		if (j->row < a->row_cnt) {
			const struct shadow_row *r = &a->row[j->row++];

			(s->json ? shadow_row_object : show_row)(s, &a->peer[r->peer], r);
		} else if (j->peer < a->peer_cnt) {
			(s->json ? shadow_peer_object : show_peer)(
			    s, &a->peer[j->peer++]);
		} else {
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show members [NAME | "pattern" | AS] [down | filtered | near limit]: a line for each
 * member, and the sums. A line has one session, or an IPv4 session and an IPv6 session
 * (nest/cli/show/member/cmd_members_join.h). JSON has an object for each session.
 *
 * A job as that of `show protocols`: names are noted at the beginning, and each instance
 * is looked up again.
 *
 * Loop: the session's. Tested by test/net/test_members.py. */
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/member/cmd_member_pick.h"
#include "nest/cli/show/cmd_protocols.h"
#include "nest/cli/show/member/cmd_members_join.h"
#include "nest/cli/show/member/cmd_members_line.h"
#include "nest/cli/show/member/cmd_members_tally.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

#define NEAR_PERCENT 90 /* as `show health` */
#define NAME_MAX     40 /* octets of the names of a session, and of an interface */
#define COUNT_LEN    48
#define LINE_MAX_LEN 500

enum members_only { MEMBERS_ALL, MEMBERS_DOWN, MEMBERS_FILTERED, MEMBERS_NEAR };

/* What is asked. */
struct members_pick {
	struct member_pick who;
	enum members_only only;
};

static const char *const count_key[] = { "received", "accepted", "filtered", "exported" };

struct members_job {
	struct cli_job job;
	struct members_join join;
	struct members_pick pick;
	struct members_tally tally;
	int name_len, addr_len; /* of the columns */
	uint32_t cnt, up; /* of the sessions so far */
	uint32_t line_cnt, line_up; /* of the lines so far */
	struct member_routes sum[FAM_CNT];
};

/* members_name_text - "as64501 (Example Networks)", "as64501_4+as64501_6 (Example
 * Networks)" */
static void
members_name_text(struct strbuf *b, const struct proto *p, const struct proto *other)
{
	const char *d = proto_conf_get(p)->description;

	strbuf_addf(b, "%s%s%s", p->name, other ? "+" : "", other ? other->name : "");
	if (d)
		strbuf_addf(b, " (%s)", d);
}

static void
members_addr_text(struct strbuf *b, const struct proto_member *m)
{
	char ip[IP_STR_MAX];

	strbuf_addf(b, "%s%s%s%s", b->len ? ", " : "", ip_str(ip, m->addr),
	    m->iface ? "%" : "", m->iface ? m->iface : "");
}

static const char *const cause_word[] = { "", "them", "us", "the link", "BFD", "limit" };

/* ---- choosing ---- */

static bool
members_wanted(const struct proto *p, const void *arg)
{
	return member_pick_wants(&((const struct members_pick *)arg)->who, p);
}

static bool
members_fits(const struct members_pick *k, const struct member_row *r)
{
	switch (k->only) {
	case MEMBERS_DOWN:
		return !members_is_up(r->p);
	case MEMBERS_FILTERED:
		for (unsigned f = 0; f < FAM_CNT; f++)
			if (r->routes[f].n[MEMBERS_REFUSED])
				return true;
		return false;
	case MEMBERS_NEAR:
		return r->limit.kind && r->limit.percent >= NEAR_PERCENT;
	default:
		return true;
	}
}

/* ---- lines ---- */

static bool
members_line_fits(const struct members_line *l, const struct members_pick *k)
{
	for (unsigned i = 0; i < l->cnt; i++)
		if (members_fits(k, &l->row[i]))
			return true;
	return false;
}

static bool
members_line_up(const struct members_line *l)
{
	return members_is_up(members_line_shown(l)->p);
}

/* ---- text ---- */

/* members_count_text - the numbers of both families: "120/80", "-/80". */
static const char *
members_count_text(char *to, const struct member_routes *r, enum members_count c)
{
	size_t len = 0;

	for (unsigned f = 0; f < FAM_CNT; f++)
		len += (size_t)snprintf(to + len, COUNT_LEN - len,
		    r[f].has ? "%s%llu" : "%s-", f ? "/" : "",
		    (unsigned long long)r[f].n[c]);
	return to;
}

static void
members_say_counts(struct strbuf *b, const struct member_routes *r)
{
	char text[COUNT_LEN];

	for (unsigned c = 0; c < MEMBERS_COUNTS; c++)
		strbuf_addf(
		    b, " %13s", members_count_text(text, r, (enum members_count)c));
}

static void
cmd_members_say_head(struct cli_session *s, const struct members_job *j)
{
	cli_say(s, CLI_MEMBER_HEAD,
	    "%-10s %-*s %-*s %-8s %-12s %13s %13s %13s %13s  %-12s %s", "AS", j->name_len,
	    "Name", j->addr_len, "Address", "State", "Since", "Received", "Accepted",
	    "Filtered", "Exported", "Limit", "Cause");
}

/* members_say_cause - "them: not connected yet". In a line with two sessions the name of
 * the session stands before the text, unless both sessions have the cause. */
static void
members_say_cause(
    struct strbuf *b, const struct members_line *l, const struct member_row *shown)
{
	bool same = l->cnt == 1 || (l->row[0].who.cause == l->row[1].who.cause &&
				       !strcmp(l->row[0].who.text, l->row[1].who.text));

	strbuf_adds(b, cause_word[shown->who.cause]);
	if (!shown->who.cause)
		return;
	if (!same)
		strbuf_addf(b, ": %s", shown->p->name);
	if (shown->who.text[0])
		strbuf_addf(b, ": %s", shown->who.text);
}

/* members_state_word - of a line of text. */
static const char *
members_state_word(const struct proto *p)
{
	return members_is_up(p) && proto_drain_get(p) ? "draining"
						      : members_state_text(p);
}

static void
cmd_members_say_line(
    struct cli_session *s, const struct members_job *j, const struct members_line *l)
{
	const struct member_row *shown = members_line_shown(l);
	char since[128], limit[32] = "-", as[16] = "-";
	struct strbuf b, name, addr;

	strbuf_init(&b);
	strbuf_init(&name);
	strbuf_init(&addr);
	members_name_text(&name, l->row[0].p, l->cnt > 1 ? l->row[1].p : NULL);
	for (unsigned i = 0; i < l->cnt; i++)
		members_addr_text(&addr, &l->row[i].who);
	clock_print(since, sizeof(since), cli_time(s, &s->conf->conf->time.protocol),
	    proto_status_get(shown->p)->since_ns);
	if (shown->who.as)
		snprintf(as, sizeof(as), "%u", shown->who.as);
	strbuf_addf(&b, "%-10s %-*.*s %-*s %-8s %-12s", as, j->name_len, j->name_len,
	    name.s, j->addr_len, addr.s, members_state_word(shown->p), since);
	members_say_counts(&b, l->routes);
	if (l->limit.kind)
		snprintf(limit, sizeof(limit), "%llu%% %s",
		    (unsigned long long)l->limit.percent, l->limit.kind);
	strbuf_addf(&b, "  %-12s ", limit);
	members_say_cause(&b, l, shown);
	while (b.s[b.len - 1] == ' ')
		strbuf_truncate(&b, b.len - 1);
	if (b.len > LINE_MAX_LEN)
		strbuf_truncate(&b, LINE_MAX_LEN);
	cli_put_line(s, CLI_MEMBER, b.s);
	strbuf_fini(&addr);
	strbuf_fini(&name);
	strbuf_fini(&b);
}

static void
members_say_sum(struct cli_session *s, const struct members_job *j)
{
	char up[32];
	struct strbuf b;

	strbuf_init(&b);
	snprintf(up, sizeof(up), "%u of %u up", j->line_up, j->line_cnt);
	strbuf_addf(&b, "%-10s %-*s %-*s %-8s %-12s", "Total", j->name_len, up,
	    j->addr_len, "", "", "");
	members_say_counts(&b, j->sum);
	cli_put_line(s, CLI_MEMBER, b.s);
	strbuf_fini(&b);
}

/* ---- JSON ---- */

static void
members_put_counts(struct reply *r, const struct member_routes *n)
{
	static const char *const family[] = { [FAM_IP4] = "ipv4", [FAM_IP6] = "ipv6" };

	for (unsigned f = 0; f < FAM_CNT; f++) {
		if (!n[f].has)
			continue;
		reply_open(r, family[f]);
		for (unsigned c = 0; c < MEMBERS_COUNTS; c++)
			reply_u64(r, count_key[c], NULL, n[f].n[c]);
		reply_open(r, "filtered_by");
		for (unsigned w = FILTERED_IMPORT; w < FILTERED_WAYS; w++)
			reply_u64(
			    r, filtered_key((enum filtered_way)w), NULL, n[f].by[w]);
		reply_close(r);
		reply_close(r);
	}
}

static void
members_put_list(struct reply *r, const char *key, const uint32_t *n, unsigned cnt)
{
	reply_list(r, key);
	for (unsigned i = 0; i < cnt; i++)
		reply_u64(r, NULL, NULL, n[i]);
	reply_close(r);
}

static void
members_put_downs(struct reply *r, const struct proto *p)
{
	struct members_downs d;

	members_downs(p, &d);
	if (d.in_hours)
		members_put_list(r, "downs", d.hour, MEMBERS_HOURS);
	if (d.in_days)
		members_put_list(r, "downs_days", d.day, MEMBERS_DAYS);
}

static void
members_put_row(
    struct cli_session *s, const struct members_line *l, const struct member_row *row)
{
	const struct proto *p = row->p;
	struct reply *r = cli_reply(s, "member");

	reply_str(r, "name", NULL, p->name);
	reply_str(r, "line", NULL, l->cnt > 1 ? l->row[0].p->name : NULL);
	reply_str(r, "description", NULL, proto_conf_get(p)->description);
	if (row->who.as)
		reply_u64(r, "as", NULL, row->who.as);
	reply_ip(r, "address", NULL, row->who.addr);
	reply_str(r, "interface", NULL, row->who.iface);
	reply_str(r, "state", NULL, members_state_text(p));
	reply_time(r, "since_unix_s", NULL, proto_status_get(p)->since_ns);
	if (row->who.cause) {
		reply_open(r, "cause");
		reply_str(r, "side", NULL, proto_cause_key(row->who.cause));
		reply_str(r, "text", NULL, row->who.text);
		reply_close(r);
	}
	protocols_reply_drain(p, r, false); /* in text, the state has the drain */
	members_put_downs(r, p);
	members_put_counts(r, row->routes);
	if (row->limit.kind) {
		reply_open(r, "limit");
		reply_str(r, "kind", NULL, row->limit.kind);
		reply_str(r, "channel", NULL, row->limit.channel);
		reply_u64(r, "max", NULL, row->limit.max);
		reply_u64(r, "used_percent", NULL, row->limit.percent);
		reply_close(r);
	}
	cli_reply_end(s, CLI_MEMBER);
}

static void
members_put_sum(struct cli_session *s, const struct members_job *m)
{
	struct reply *r = cli_reply(s, "members");

	reply_u64(r, "sessions", NULL, m->cnt);
	reply_u64(r, "up", NULL, m->up);
	reply_u64(r, "members", NULL, m->line_cnt);
	reply_u64(r, "members_up", NULL, m->line_up);
	members_put_counts(r, m->sum);
	cli_reply_end(s, CLI_MEMBER);
}

/* ---- the job ---- */

static void
members_add(struct members_job *j, const struct member_row *r)
{
	j->cnt++;
	j->up += members_is_up(r->p);
	for (unsigned f = 0; f < FAM_CNT; f++) {
		j->sum[f].has |= r->routes[f].has;
		for (unsigned c = 0; c < MEMBERS_COUNTS; c++)
			j->sum[f].n[c] += r->routes[f].n[c];
		for (unsigned w = FILTERED_IMPORT; w < FILTERED_WAYS; w++)
			j->sum[f].by[w] += r->routes[f].by[w];
	}
}

/* members_one_line - a line with @first, which may be NULL, and @last. The sums are those
 * of the shown sessions: JSON omits the sessions of a line that the command does not
 * ask about. */
static void
members_one_line(struct cli_session *s, struct members_job *j, const struct proto *first,
    const struct proto *last)
{
	struct members_line l = { 0 };

	members_line_add(&l, first);
	members_line_add(&l, last);
	if (!l.cnt || !members_line_fits(&l, &j->pick))
		return;
	j->line_cnt++;
	j->line_up += members_line_up(&l);
	for (unsigned i = 0; i < l.cnt; i++) {
		if (s->json && !members_fits(&j->pick, &l.row[i]))
			continue;
		members_add(j, &l.row[i]);
		if (s->json)
			members_put_row(s, &l, &l.row[i]);
	}
	if (!s->json)
		cmd_members_say_line(s, j, &l);
}

static void
members_end(struct cli_session *s, const struct members_job *j)
{
	if (s->json)
		members_put_sum(s, j);
	else
		members_say_sum(s, j);
	cli_end(s, CLI_DONE, "%s", "");
}

static void
members_step(struct cli_session *s, struct cli_job *job)
{
	struct members_job *j = container_of(job, struct members_job, job);
	const struct proto *p;

	while (cli_go_on(s)) {
		struct cmd_names *n = &j->join.names;
		bool second = n->pos && j->join.with_next[n->pos - 1];

		if (n->pos == n->cnt) {
			members_end(s, j);
			return;
		}
		p = cmd_names_proto(n, tern_view_get(s->tern));
		if (p && !members_tally_proto(&j->tally, s, p))
			return;
		if (!p)
			members_tally_skip(&j->tally);
		/* the counts of both sessions of a line come first, then the line */
		if (!j->join.with_next[n->pos])
			members_one_line(s, j,
			    second ? cmd_proto_named(s->tern, n->name[n->pos - 1]) : NULL,
			    p);
		n->pos++;
	}
}

static void
members_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct members_job *j = container_of(job, struct members_job, job);

	if (s->conf && s->conf->conf->debug.show_route)
		log_msg(LOG_C_TRACE, "CLI: show members: %u tables walked",
		    j->tally.walk_cnt);
	members_join_fini(&j->join);
	members_tally_fini(&j->tally);
	member_pick_fini(&j->pick.who);
	mem_free(MEM_OTHER, j);
}

/* members_widths - widths of the columns with unbounded texts. */
static void
members_widths(struct members_job *j)
{
	int name_max = NAME_MAX;
	struct proto_member m;
	struct strbuf name, addr;

	strbuf_init(&name);
	strbuf_init(&addr);
	j->name_len = (int)strlen("Name");
	j->addr_len = (int)strlen("Address");
	for (uint32_t i = 0; i < j->join.names.cnt; i++) {
		const struct proto *p = j->join.proto[i];
		bool pair = j->join.with_next[i];

		if (p->cls->member.describe(p, &m))
			members_addr_text(&addr, &m);
		/* the first session of a line has the names of both */
		if (!i || !j->join.with_next[i - 1])
			members_name_text(&name, p, pair ? j->join.proto[i + 1] : NULL);
		j->name_len = (int)max_u64((uint64_t)j->name_len, name.len);
		j->addr_len = (int)max_u64((uint64_t)j->addr_len, addr.len);
		if (pair) {
			name_max = 2 * NAME_MAX;
			continue;
		}
		strbuf_reset(&name);
		strbuf_reset(&addr);
	}
	j->name_len = (int)min_u64((uint64_t)j->name_len, (uint64_t)name_max);
	strbuf_fini(&addr);
	strbuf_fini(&name);
}

static const char *const only_word[] = { "down", "filtered", "near", NULL };

static bool
members_take_only(struct cli_session *s, struct cli_scan *sc, struct members_pick *k)
{
	if (cli_scan_word(sc, "down")) {
		k->only = MEMBERS_DOWN;
	} else if (cli_scan_word(sc, "filtered")) {
		k->only = MEMBERS_FILTERED;
	} else if (cli_scan_word(sc, "near")) {
		k->only = MEMBERS_NEAR;
		if (!cli_scan_word(sc, "limit")) {
			cli_syntax(s, sc, "'limit'");
			return false;
		}
	} else if (sc->tok != TOK_END) {
		cmd_no_option(s, sc, "option", only_word);
		return false;
	}
	return cli_at_end(s, sc);
}

void
cmd_show_members(struct cli_session *s, struct cli_scan *sc)
{
	struct members_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->job = (struct cli_job){ .step = members_step, .free = members_free };
	members_tally_init(&j->tally, s);
	if (!member_pick_take(s, sc, &j->pick.who, only_word) ||
	    !members_take_only(s, sc, &j->pick)) {
		members_free(s, &j->job);
		return;
	}
	members_join_init(&j->join, tern_view_get(s->tern), members_wanted, &j->pick);
	if (!j->join.names.cnt && !member_pick_is_all(&j->pick.who)) {
		members_free(s, &j->job);
		cli_end(s, CLI_NO_PROTO, "No members match");
		return;
	}
	members_widths(j);
	cmd_members_say_head(s, j);
	cli_run_job(s, &j->job);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show members [NAME | "pattern" | AS] [down | filtered | near limit]: a line for each
 * session with a member, and the sums.
 *
 * I1  Received is accepted plus filtered. Filtered counts the routes of the import
 *     filter, of the import checks, of the pipe to the shared table, and of reason
 *     communities.
 *
 * A job as that of `show protocols`: names are noted at the beginning, and each instance
 * is looked up again.
 *
 * Loop: the session's. Tested by test/net/test_members.py. */
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/cmd_member_pick.h"
#include "nest/cli/show/cmd_members.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

#define NEAR_PERCENT 90 /* as `show health` */
#define NAME_MAX     40 /* octets of the columns of names and addresses */
#define COUNT_LEN    48
#define LINE_MAX_LEN 500

enum members_only { MEMBERS_ALL, MEMBERS_DOWN, MEMBERS_FILTERED, MEMBERS_NEAR };

/* What is asked. */
struct members_pick {
	struct member_pick who;
	enum members_only only;
};

enum members_count {
	MEMBERS_RECEIVED,
	MEMBERS_ACCEPTED,
	MEMBERS_REFUSED, /* filtered */
	MEMBERS_EXPORTED,
	MEMBERS_COUNTS
};

static const char *const count_key[] = { "received", "accepted", "filtered", "exported" };

/* Routes of one family. */
struct member_routes {
	bool has; /* the session has the family */
	uint64_t n[MEMBERS_COUNTS];
	uint64_t by[FILTERED_WAYS]; /* of MEMBERS_REFUSED, by enum filtered_way */
};

/* A limit, and how much of it is used. */
struct member_limit {
	const char *kind, *channel; /* kind NULL: no limit */
	uint32_t max;
	uint64_t percent;
};

/* A line. */
struct member_row {
	struct proto_member who;
	struct member_routes routes[FAM_CNT];
	struct member_limit limit; /* the one that is used most */
};

struct members_job {
	struct cli_job job;
	struct cmd_names names;
	struct members_pick pick;
	struct members_tally tally;
	int name_len, addr_len; /* of the columns */
	uint32_t cnt, up; /* of the members so far */
	struct member_routes sum[FAM_CNT];
};

/* ---- facts ---- */

static void
cmd_members_look_at_limit(struct member_limit *most, const struct channel *ch,
    const char *kind, const struct conf_limit *l, uint64_t now)
{
	uint64_t percent;

	if (l->action == LIMIT_OFF)
		return;
	percent = l->max ? now * 100 / l->max : 100;
	if (!most->kind || percent > most->percent)
		*most = (struct member_limit){ kind, channel_name(ch), l->max, percent };
}

static void
look_at_limits(struct member_limit *most, const struct channel *ch)
{
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);

	cmd_members_look_at_limit(most, ch, "receive", &cf->limit.receive,
	    feeder_counted(&st->in, LIMIT_RECEIVE));
	cmd_members_look_at_limit(
	    most, ch, "import", &cf->limit.import, feeder_counted(&st->in, LIMIT_IMPORT));
	cmd_members_look_at_limit(
	    most, ch, "export", &cf->limit.export, counter64_get(&st->exported));
}

/* members_channel - the routes of @ch: none while the session is away without kept
 * routes. */
static void
members_channel(struct member_row *r, const struct channel *ch)
{
	const struct channel_stats *st = channel_stats_get(ch);
	struct member_routes *to = &r->routes[channel_family(ch)];
	uint64_t imported;

	to->has = true;
	if (!channel_seems_up(ch) && !counter64_get(&st->in.stale))
		return;
	members_tally_get(ch, to->by);
	to->by[FILTERED_IMPORT] += counter64_get(&st->in.filtered);
	imported = counter64_get(&st->in.imported);
	to->n[MEMBERS_RECEIVED] = imported + to->by[FILTERED_IMPORT] +
				  to->by[FILTERED_CHECK];
	for (unsigned w = FILTERED_IMPORT; w < FILTERED_WAYS; w++)
		to->n[MEMBERS_REFUSED] += to->by[w];
	/* the walk and the counters are of different times */
	to->n[MEMBERS_REFUSED] = min_u64(to->n[MEMBERS_REFUSED], to->n[MEMBERS_RECEIVED]);
	to->n[MEMBERS_ACCEPTED] = to->n[MEMBERS_RECEIVED] - to->n[MEMBERS_REFUSED];
	if (channel_seems_up(ch))
		to->n[MEMBERS_EXPORTED] = counter64_get(&st->exported);
	look_at_limits(&r->limit, ch);
}

/* members_row - Returns: false: @p is no member. */
static bool
members_row(struct member_row *r, const struct proto *p)
{
	*r = (struct member_row){ 0 };
	if (!p->cls->member.describe || !p->cls->member.describe(p, &r->who))
		return false;
	for (struct channel *ch = proto_first_channel(p); ch; ch = channel_after(p, ch))
		if (channel_family(ch) < FAM_CNT)
			members_channel(r, ch);
	return true;
}

/* name_text - "as64501 (Example Networks)" */
static void
name_text(struct strbuf *b, const struct proto *p)
{
	const char *d = proto_conf_get(p)->description;

	strbuf_adds(b, p->name);
	if (d)
		strbuf_addf(b, " (%s)", d);
}

static const char *
addr_text(char *to, size_t size, const struct proto_member *m)
{
	char ip[IP_STR_MAX];

	snprintf(to, size, "%s%s%s", ip_str(ip, m->addr), m->iface ? "%" : "",
	    m->iface ? m->iface : "");
	return to;
}

static bool
is_up(const struct proto *p)
{
	return proto_status_get(p)->state == PS_UP;
}

static const char *
cmd_members_state_text(const struct proto *p)
{
	const struct proto_status *st = proto_status_get(p);

	return st->state == PS_UP                     ? "up"
	       : st->disabled && st->state == PS_DOWN ? "disabled"
						      : "down";
}

static const char *const cause_word[] = { "", "them", "us", "the link", "BFD", "limit" };

/* ---- choosing ---- */

static bool
members_wanted(const struct proto *p, const void *arg)
{
	return member_pick_wants(&((const struct members_pick *)arg)->who, p);
}

static bool
members_fits(
    const struct members_pick *k, const struct proto *p, const struct member_row *r)
{
	switch (k->only) {
	case MEMBERS_DOWN:
		return !is_up(p);
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

/* ---- text ---- */

/* count_text - the numbers of both families: "120/80", "-/80". */
static const char *
count_text(char *to, const struct member_routes *r, enum members_count c)
{
	size_t len = 0;

	for (unsigned f = 0; f < FAM_CNT; f++)
		len += (size_t)snprintf(to + len, COUNT_LEN - len,
		    r[f].has ? "%s%llu" : "%s-", f ? "/" : "",
		    (unsigned long long)r[f].n[c]);
	return to;
}

static void
say_counts(struct strbuf *b, const struct member_routes *r)
{
	char text[COUNT_LEN];

	for (unsigned c = 0; c < MEMBERS_COUNTS; c++)
		strbuf_addf(b, " %13s", count_text(text, r, (enum members_count)c));
}

static void
cmd_members_say_head(struct cli_session *s, const struct members_job *j)
{
	cli_say(s, CLI_MEMBER_HEAD,
	    "%-10s %-*s %-*s %-8s %-12s %13s %13s %13s %13s  %-12s %s", "AS", j->name_len,
	    "Name", j->addr_len, "Address", "State", "Since", "Received", "Accepted",
	    "Filtered", "Exported", "Limit", "Cause");
}

static void
cmd_members_say_row(struct cli_session *s, const struct members_job *j,
    const struct proto *p, const struct member_row *r)
{
	char since[128], addr[IP_STR_MAX + NAME_MAX], limit[32] = "-";
	struct strbuf b, name;

	strbuf_init(&b);
	strbuf_init(&name);
	name_text(&name, p);
	clock_print(since, sizeof(since), cli_time(s, &s->conf->conf->time.protocol),
	    proto_status_get(p)->since_ns);
	strbuf_addf(&b, "%-10u %-*.*s %-*s %-8s %-12s", r->who.as, j->name_len, NAME_MAX,
	    name.s, j->addr_len, addr_text(addr, sizeof(addr), &r->who),
	    cmd_members_state_text(p), since);
	say_counts(&b, r->routes);
	if (r->limit.kind)
		snprintf(limit, sizeof(limit), "%llu%% %s",
		    (unsigned long long)r->limit.percent, r->limit.kind);
	strbuf_addf(&b, "  %-12s %s%s%s", limit, cause_word[r->who.cause],
	    r->who.text[0] ? ": " : "", r->who.text);
	while (b.s[b.len - 1] == ' ')
		strbuf_truncate(&b, b.len - 1);
	if (b.len > LINE_MAX_LEN)
		strbuf_truncate(&b, LINE_MAX_LEN);
	cli_put_line(s, CLI_MEMBER, b.s);
	strbuf_fini(&name);
	strbuf_fini(&b);
}

static void
say_sum(struct cli_session *s, const struct members_job *j)
{
	char up[32];
	struct strbuf b;

	strbuf_init(&b);
	snprintf(up, sizeof(up), "%u of %u up", j->up, j->cnt);
	strbuf_addf(&b, "%-10s %-*s %-*s %-8s %-12s", "Total", j->name_len, up,
	    j->addr_len, "", "", "");
	say_counts(&b, j->sum);
	cli_put_line(s, CLI_MEMBER, b.s);
	strbuf_fini(&b);
}

/* ---- JSON ---- */

static void
put_counts(struct json *j, const struct member_routes *r)
{
	static const char *const family[] = { [FAM_IP4] = "ipv4", [FAM_IP6] = "ipv6" };

	for (unsigned f = 0; f < FAM_CNT; f++) {
		if (!r[f].has)
			continue;
		json_open(j, family[f]);
		for (unsigned c = 0; c < MEMBERS_COUNTS; c++)
			json_u64(j, count_key[c], r[f].n[c]);
		json_open(j, "filtered_by");
		for (unsigned w = FILTERED_IMPORT; w < FILTERED_WAYS; w++)
			json_u64(j, filtered_key((enum filtered_way)w), r[f].by[w]);
		json_close(j);
		json_close(j);
	}
}

static void
put_row(struct cli_session *s, const struct proto *p, const struct member_row *r)
{
	struct json *j = cli_object(s, "member");

	json_str(j, "name", p->name);
	json_str(j, "description", proto_conf_get(p)->description);
	if (r->who.as)
		json_u64(j, "as", r->who.as);
	json_ip(j, "address", r->who.addr);
	json_str(j, "interface", r->who.iface);
	json_str(j, "state", cmd_members_state_text(p));
	json_seconds(j, "since_unix_s", clock_real_ns(proto_status_get(p)->since_ns));
	if (r->who.cause) {
		json_open(j, "cause");
		json_str(j, "side", proto_cause_key(r->who.cause));
		json_str(j, "text", r->who.text);
		json_close(j);
	}
	put_counts(j, r->routes);
	if (r->limit.kind) {
		json_open(j, "limit");
		json_str(j, "kind", r->limit.kind);
		json_str(j, "channel", r->limit.channel);
		json_u64(j, "max", r->limit.max);
		json_u64(j, "used_percent", r->limit.percent);
		json_close(j);
	}
	cli_object_end(s);
}

static void
put_sum(struct cli_session *s, const struct members_job *m)
{
	struct json *j = cli_object(s, "members");

	json_u64(j, "sessions", m->cnt);
	json_u64(j, "up", m->up);
	put_counts(j, m->sum);
	cli_object_end(s);
}

/* ---- the job ---- */

static void
members_add(struct members_job *j, const struct proto *p, const struct member_row *r)
{
	j->cnt++;
	j->up += is_up(p);
	for (unsigned f = 0; f < FAM_CNT; f++) {
		j->sum[f].has |= r->routes[f].has;
		for (unsigned c = 0; c < MEMBERS_COUNTS; c++)
			j->sum[f].n[c] += r->routes[f].n[c];
		for (unsigned w = FILTERED_IMPORT; w < FILTERED_WAYS; w++)
			j->sum[f].by[w] += r->routes[f].by[w];
	}
}

static void
members_one(struct cli_session *s, struct members_job *j, const struct proto *p)
{
	struct member_row r;

	if (!members_row(&r, p) || !members_fits(&j->pick, p, &r))
		return;
	members_add(j, p, &r);
	if (s->json)
		put_row(s, p, &r);
	else
		cmd_members_say_row(s, j, p, &r);
}

static void
members_end(struct cli_session *s, const struct members_job *j)
{
	if (s->json)
		put_sum(s, j);
	else
		say_sum(s, j);
	cli_end(s, CLI_DONE, "%s", "");
}

static void
members_step(struct cli_session *s, struct cli_job *job)
{
	struct members_job *j = container_of(job, struct members_job, job);
	const struct proto *p;

	while (cli_go_on(s)) {
		if (j->names.pos == j->names.cnt) {
			members_end(s, j);
			return;
		}
		p = cmd_names_proto(&j->names, tern_view_get(s->tern));
		if (p && !members_tally_proto(&j->tally, s, p))
			return;
		if (p)
			members_one(s, j, p);
		else
			members_tally_skip(&j->tally);
		j->names.pos++;
	}
}

static void
members_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct members_job *j = container_of(job, struct members_job, job);

	if (s->conf && s->conf->conf->debug.show_route)
		log_msg(LOG_C_TRACE, "CLI: show members: %u tables walked",
		    j->tally.walk_cnt);
	cmd_names_fini(&j->names);
	members_tally_fini(&j->tally);
	member_pick_fini(&j->pick.who);
	mem_free(MEM_OTHER, j);
}

/* members_widths - widths of the columns with unbounded texts. */
static void
members_widths(struct members_job *j, const struct tern_view *v)
{
	char addr[IP_STR_MAX + NAME_MAX];
	struct proto_member m;
	struct strbuf b;

	strbuf_init(&b);
	j->name_len = (int)strlen("Name");
	j->addr_len = (int)strlen("Address");
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		if (!members_wanted(v->proto[i], &j->pick))
			continue;
		strbuf_reset(&b);
		name_text(&b, v->proto[i]);
		j->name_len = (int)max_u64((uint64_t)j->name_len, b.len);
		v->proto[i]->cls->member.describe(v->proto[i], &m);
		j->addr_len = (int)max_u64(
		    (uint64_t)j->addr_len, strlen(addr_text(addr, sizeof(addr), &m)));
	}
	j->name_len = (int)min_u64((uint64_t)j->name_len, NAME_MAX);
	strbuf_fini(&b);
}

static const char *const only_word[] = { "down", "filtered", "near", NULL };

static bool
take_only(struct cli_session *s, struct cli_scan *sc, struct members_pick *k)
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
	    !take_only(s, sc, &j->pick)) {
		members_free(s, &j->job);
		return;
	}
	cmd_names_init(&j->names, tern_view_get(s->tern), members_wanted, &j->pick);
	if (!j->names.cnt && !member_pick_is_all(&j->pick.who)) {
		members_free(s, &j->job);
		cli_end(s, CLI_NO_PROTO, "No members match");
		return;
	}
	members_widths(j, tern_view_get(s->tern));
	if (!s->json)
		cmd_members_say_head(s, j);
	cli_run_job(s, &j->job);
}

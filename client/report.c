/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of filtered routes: replies of the daemon as JSON, counted by member and by
 * rule.
 *
 * I1  A rule is a place that refuses routes: a filter with file and line, an import
 *     check, a pipe, or a community that marks refused routes. Texts of a filter belong
 *     to the rule while all its routes have one text.
 * I2  The report is printed after all replies are complete: an error leaves no part of a
 *     report.
 * I3  Routes are counted as their lines arrive. Memory grows with members and rules.
 *
 * Loop: the only thread of ternc. Tested by test/net/test_report.py. */
#include "client/report.h"

#include "client/session.h"
#include "lib/json/json.h"
#include "lib/json/jview.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPORT_ANSWER_MS 60000 /* longest pause within a reply */

/* The facts that name a rule, in the order of the text. */
enum report_fact {
	FACT_WAY,
	FACT_REASON,
	FACT_FILTER,
	FACT_FILE,
	FACT_LINE,
	FACT_PIPE,
	FACT_PIPE_FILTER,
	FACT_COMMUNITY,
	FACT_COMMUNITY_TEXT,
	FACT_ADDED,
	FACT_ADDED_TEXT,
	FACTS,
};

static const char *const report_fact_key[FACTS] = { "filtered_by", "reason", "filter",
	"file", "line", "pipe", "pipe_filter", "community", "community_text",
	"added_communities", "added_communities_text" };

/* Owner: struct report. */
struct report_rule {
	char *fact[FACTS]; /* MEM_OTHER; NULL: absent */
	char *said; /* of all routes; NULL: none, or several texts. MEM_OTHER */
	bool says_several;
	uint64_t routes;
	uint64_t invalid; /* routes that ROAs make invalid */
	uint32_t members;
};

/* Routes of one member by one rule. Owner: struct report. */
struct report_count {
	uint32_t rule;
	uint64_t routes;
	char *example; /* the network of the first route. MEM_OTHER */
};

struct report_family {
	bool has;
	uint64_t received, accepted, filtered;
};

/* Owner: struct report. */
struct report_member {
	char *name, *as, *address, *state; /* MEM_OTHER; NULL: unknown */
	struct report_family family[2]; /* IPv4, IPv6 */
	struct report_count *count;
	uint32_t cnt, cap;
};

/* Owner: report_manrs. Life: on the stack. */
struct report {
	struct session *s;
	struct report_member *member;
	uint32_t member_cnt, member_cap;
	struct report_rule *rule;
	uint32_t rule_cnt, rule_cap;
	/* facts of the daemon; MEM_OTHER, NULL: unknown */
	char *version, *router_id, *sha256;
	uint64_t configured_s;
	uint64_t problems; /* of caches, whose data is old or missing */
	uint32_t caches;
};

static const char *const report_family_key[2] = { "ipv4", "ipv6" };

/* ---- facts ---- */

/* report_copy - the text of @v, in MEM_OTHER; NULL: absent. */
static char *
report_copy(struct jview v)
{
	struct strbuf b;
	char *copy;

	if (!v.p)
		return NULL;
	strbuf_init(&b);
	jview_add(&b, v);
	copy = mem_strdup(MEM_OTHER, b.len ? b.s : "");
	strbuf_fini(&b);
	return copy;
}

static void
report_put(char **at, struct jview v)
{
	mem_free(MEM_OTHER, *at);
	*at = report_copy(v);
}

static bool
report_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* ---- members and rules ---- */

static struct report_member *
report_member_of(struct report *r, struct jview name)
{
	struct report_member *m;

	for (uint32_t i = 0; i < r->member_cnt; i++)
		if (jview_is(name, r->member[i].name))
			return &r->member[i];
	r->member = vec_room(
	    MEM_OTHER, r->member, &r->member_cap, r->member_cnt + 1, sizeof(*m));
	m = &r->member[r->member_cnt++];
	*m = (struct report_member){ .name = report_copy(name) };
	return m;
}

/* report_rule_of - the number of the rule with these facts; takes @fact and @said. */
static uint32_t
report_rule_of(struct report *r, TAKE char *fact[FACTS], TAKE char *said)
{
	struct report_rule *u;
	uint32_t i, k;

	for (i = 0; i < r->rule_cnt; i++) {
		for (k = 0; k < FACTS && report_same(r->rule[i].fact[k], fact[k]); k++)
			;
		if (k == FACTS)
			break;
	}
	if (i == r->rule_cnt) {
		r->rule = vec_room(
		    MEM_OTHER, r->rule, &r->rule_cap, r->rule_cnt + 1, sizeof(*u));
		u = &r->rule[r->rule_cnt++];
		*u = (struct report_rule){ .said = said };
		memcpy(u->fact, fact, sizeof(u->fact));
		return i;
	}
	u = &r->rule[i];
	if (!report_same(u->said, said))
		u->says_several = true;
	for (k = 0; k < FACTS; k++)
		mem_free(MEM_OTHER, fact[k]);
	mem_free(MEM_OTHER, said);
	return i;
}

static void
report_count_route(
    struct report *r, struct report_member *m, uint32_t rule, struct jview net)
{
	struct report_count *c = NULL;

	for (uint32_t i = 0; i < m->cnt && !c; i++)
		if (m->count[i].rule == rule)
			c = &m->count[i];
	if (!c) {
		m->count = vec_room(MEM_OTHER, m->count, &m->cap, m->cnt + 1, sizeof(*c));
		c = &m->count[m->cnt++];
		*c = (struct report_count){ rule, 0, report_copy(net) };
		r->rule[rule].members++;
	}
	c->routes++;
	r->rule[rule].routes++;
}

/* ---- objects of the daemon ---- */

/* report_take_route - a `route` or `filtered_route` of `show route filtered reasons`. */
static void
report_take_route(struct report *r, struct jview o)
{
	char *fact[FACTS], *said;
	uint32_t rule;

	for (unsigned i = 0; i < FACTS; i++)
		fact[i] = report_copy(jview_get(o, report_fact_key[i]));
	said = report_copy(jview_get(o, "said"));
	rule = report_rule_of(r, fact, said);
	r->rule[rule].invalid += jview_is(jview_get(o, "roa_state"), "invalid");
	report_count_route(r, report_member_of(r, jview_get(o, "protocol")), rule,
	    jview_get(o, "network"));
}

static void
report_take_member(struct report *r, struct jview o)
{
	struct report_member *m = report_member_of(r, jview_get(o, "name"));

	report_put(&m->as, jview_get(o, "as"));
	report_put(&m->address, jview_get(o, "address"));
	report_put(&m->state, jview_get(o, "state"));
	for (unsigned i = 0; i < 2; i++) {
		struct jview f = jview_get(o, report_family_key[i]);

		m->family[i] = (struct report_family){ f.p != NULL,
			jview_u64(jview_get(f, "received"), 0),
			jview_u64(jview_get(f, "accepted"), 0),
			jview_u64(jview_get(f, "filtered"), 0) };
	}
}

/* report_take - session_io.put: an object of a reply. */
static bool
report_take(void *self, const char *line)
{
	struct jview o = jview_of(line, strlen(line)), type = jview_get(o, "type");
	struct report *r = self;

	if (jview_is(type, "route") || jview_is(type, "filtered_route")) {
		report_take_route(r, o);
	} else if (jview_is(type, "member")) {
		report_take_member(r, o);
	} else if (jview_is(type, "status")) {
		report_put(&r->version, jview_get(o, "version"));
		report_put(&r->router_id, jview_get(o, "router_id"));
	} else if (jview_is(type, "configuration")) {
		report_put(&r->sha256, jview_get(o, "sha256"));
		r->configured_s = jview_u64(jview_get(o, "configured_unix_s"), 0);
	} else if (jview_is(type, "rpki_data")) {
		r->caches++;
	} else if (jview_is(type, "problem")) {
		struct jview kind = jview_get(o, "kind");

		r->problems += jview_is(kind, "rpki_old") ||
			       jview_is(kind, "rpki_away") ||
			       jview_is(kind, "rpki_waits");
	}
	return true;
}

static bool
report_wait(void *self, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int rc;

	(void)self;
	do
		rc = poll(&p, 1, REPORT_ANSWER_MS);
	while (rc < 0 && errno == EINTR);
	return rc > 0;
}

/* report_ask - Returns: false after an error (reported). */
static bool
report_ask(struct report *r, const char *command)
{
	if (session_run(r->s, command))
		return false;
	/* problems of health are facts of the report */
	if (r->s->last_code < CLI_FAILED || r->s->last_code == CLI_UNHEALTHY)
		return true;
	fprintf(stderr, "ternc: '%s' failed with code %u\n", command, r->s->last_code);
	return false;
}

/* ---- the report ---- */

/* report_rule_text - the rule in words. */
static void
report_rule_text(struct strbuf *b, const struct report_rule *u)
{
	const char *const *f = (const char *const *)u->fact;

	if (u->said && !u->says_several)
		strbuf_adds(b, u->said);
	else if (f[FACT_ADDED_TEXT])
		strbuf_adds(b, f[FACT_ADDED_TEXT]);
	else if (f[FACT_COMMUNITY_TEXT])
		strbuf_adds(b, f[FACT_COMMUNITY_TEXT]);
	else if (f[FACT_COMMUNITY])
		strbuf_addf(b, "community %s", f[FACT_COMMUNITY]);
	else if (f[FACT_ADDED])
		strbuf_addf(b, "communities %s", f[FACT_ADDED]);
	else if (f[FACT_REASON])
		strbuf_adds(b, f[FACT_REASON]);
	else
		strbuf_adds(b, f[FACT_WAY] ? f[FACT_WAY] : "unknown");
	if (f[FACT_PIPE])
		strbuf_addf(b, ", pipe %s", f[FACT_PIPE]);
	if (f[FACT_FILTER] || f[FACT_PIPE_FILTER])
		strbuf_addf(b, ", filter %s",
		    f[FACT_FILTER] ? f[FACT_FILTER] : f[FACT_PIPE_FILTER]);
	if (f[FACT_FILE])
		strbuf_addf(b, ", %s:%s", f[FACT_FILE], f[FACT_LINE] ? f[FACT_LINE] : "");
}

static struct report_family
report_sum(const struct report *r)
{
	struct report_family sum = { true, 0, 0, 0 };

	for (uint32_t i = 0; i < r->member_cnt; i++)
		for (unsigned k = 0; k < 2; k++) {
			sum.received += r->member[i].family[k].received;
			sum.accepted += r->member[i].family[k].accepted;
			sum.filtered += r->member[i].family[k].filtered;
		}
	return sum;
}

static void
report_print_text(const struct report *r)
{
	struct report_family sum = report_sum(r);
	time_t now = time(NULL);
	struct strbuf b;
	char when[32];

	strftime(when, sizeof(when), "%F %T %z", localtime(&now));
	printf("Filtered routes of router %s (tern %s), %s\n",
	    r->router_id ? r->router_id : "?", r->version ? r->version : "?", when);
	if (r->sha256)
		printf("Configuration: SHA-256 %s\n", r->sha256);
	printf(
	    "RPKI caches: %" PRIu32 ", problems: %" PRIu64 "\n", r->caches, r->problems);
	printf("Sessions: %" PRIu32 "; routes: %" PRIu64 " received, %" PRIu64
	       " accepted, %" PRIu64 " filtered\n",
	    r->member_cnt, sum.received, sum.accepted, sum.filtered);
	strbuf_init(&b);
	for (uint32_t i = 0; i < r->rule_cnt; i++) {
		strbuf_reset(&b);
		report_rule_text(&b, &r->rule[i]);
		printf("Rule %" PRIu32 ": %s: routes: %" PRIu64 ", sessions: %" PRIu32,
		    i + 1, b.s, r->rule[i].routes, r->rule[i].members);
		if (r->rule[i].invalid)
			printf(", invalid by ROAs: %" PRIu64, r->rule[i].invalid);
		printf("\n");
	}
	strbuf_fini(&b);
	for (uint32_t i = 0; i < r->member_cnt; i++) {
		const struct report_member *m = &r->member[i];

		printf("%s AS%s %s %s:", m->name, m->as ? m->as : "?",
		    m->address ? m->address : "?", m->state ? m->state : "?");
		for (unsigned k = 0; k < 2; k++)
			if (m->family[k].has)
				printf(" %s received %" PRIu64 ", accepted %" PRIu64
				       ", filtered %" PRIu64 ";",
				    k ? "IPv6" : "IPv4", m->family[k].received,
				    m->family[k].accepted, m->family[k].filtered);
		printf("\n");
		for (uint32_t k = 0; k < m->cnt; k++)
			printf("  rule %" PRIu32 ": routes: %" PRIu64 ", first %s\n",
			    m->count[k].rule + 1, m->count[k].routes,
			    m->count[k].example ? m->count[k].example : "?");
	}
}

static void
report_json_rule(struct json *j, const struct report_rule *u, uint32_t nr)
{
	json_open(j, NULL);
	json_str(j, "type", "manrs_rule");
	json_u64(j, "rule", nr);
	for (unsigned i = 0; i < FACTS; i++)
		if (i == FACT_LINE && u->fact[i])
			json_u64(j, report_fact_key[i], strtoull(u->fact[i], NULL, 10));
		else
			json_str(j, report_fact_key[i], u->fact[i]);
	if (!u->says_several)
		json_str(j, "said", u->said);
	json_u64(j, "routes", u->routes);
	json_u64(j, "sessions", u->members);
	json_u64(j, "invalid", u->invalid);
	json_close(j);
}

static void
report_json_member(struct json *j, const struct report_member *m)
{
	json_open(j, NULL);
	json_str(j, "type", "manrs_member");
	json_str(j, "protocol", m->name);
	if (m->as)
		json_u64(j, "as", strtoull(m->as, NULL, 10));
	json_str(j, "address", m->address);
	json_str(j, "state", m->state);
	for (unsigned i = 0; i < 2; i++) {
		if (!m->family[i].has)
			continue;
		json_open(j, report_family_key[i]);
		json_u64(j, "received", m->family[i].received);
		json_u64(j, "accepted", m->family[i].accepted);
		json_u64(j, "filtered", m->family[i].filtered);
		json_close(j);
	}
	json_list(j, "rules");
	for (uint32_t i = 0; i < m->cnt; i++) {
		json_open(j, NULL);
		json_u64(j, "rule", m->count[i].rule + 1);
		json_u64(j, "routes", m->count[i].routes);
		json_str(j, "network", m->count[i].example);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void
report_json_head(struct json *j, const struct report *r)
{
	struct report_family sum = report_sum(r);

	json_open(j, NULL);
	json_str(j, "type", "manrs_report");
	json_u64(j, "at_unix_s", (uint64_t)time(NULL));
	json_str(j, "version", r->version);
	json_str(j, "router_id", r->router_id);
	json_str(j, "sha256", r->sha256);
	if (r->configured_s)
		json_u64(j, "configured_unix_s", r->configured_s);
	json_u64(j, "rpki_caches", r->caches);
	json_u64(j, "rpki_problems", r->problems);
	json_u64(j, "sessions", r->member_cnt);
	json_u64(j, "received", sum.received);
	json_u64(j, "accepted", sum.accepted);
	json_u64(j, "filtered", sum.filtered);
	json_close(j);
}

static void
report_print_json(const struct report *r)
{
	struct strbuf b;
	struct json j;

	/* object 0 is the head; the rules and the members follow */
	for (uint64_t i = 0; i <= (uint64_t)r->rule_cnt + r->member_cnt; i++) {
		strbuf_init(&b);
		json_init(&j, &b);
		if (!i)
			report_json_head(&j, r);
		else if (i <= r->rule_cnt)
			report_json_rule(&j, &r->rule[i - 1], (uint32_t)i);
		else
			report_json_member(&j, &r->member[i - 1 - r->rule_cnt]);
		printf("%s\n", b.s);
		strbuf_fini(&b);
	}
}

static void
report_fini(struct report *r)
{
	for (uint32_t i = 0; i < r->rule_cnt; i++) {
		for (unsigned k = 0; k < FACTS; k++)
			mem_free(MEM_OTHER, r->rule[i].fact[k]);
		mem_free(MEM_OTHER, r->rule[i].said);
	}
	for (uint32_t i = 0; i < r->member_cnt; i++) {
		struct report_member *m = &r->member[i];

		for (uint32_t k = 0; k < m->cnt; k++)
			mem_free(MEM_OTHER, m->count[k].example);
		mem_free(MEM_OTHER, m->count);
		mem_free(MEM_OTHER, m->name);
		mem_free(MEM_OTHER, m->as);
		mem_free(MEM_OTHER, m->address);
		mem_free(MEM_OTHER, m->state);
	}
	mem_free(MEM_OTHER, r->member);
	mem_free(MEM_OTHER, r->rule);
	mem_free(MEM_OTHER, r->version);
	mem_free(MEM_OTHER, r->router_id);
	mem_free(MEM_OTHER, r->sha256);
}

int
report_manrs(struct session *s)
{
	struct report r = { .s = s };
	bool json = s->json, complete;

	s->io = (struct session_io){
		.put = report_take, .wait = report_wait, .self = &r
	};
	s->json = true;
	if (session_open(s)) {
		report_fini(&r);
		return EXIT_FAILURE;
	}
	complete = report_ask(&r, "show status") && report_ask(&r, "show health") &&
		   report_ask(&r, "show members") &&
		   report_ask(&r, "show route filtered reasons");
	session_close(s);
	if (complete && json)
		report_print_json(&r);
	else if (complete)
		report_print_text(&r);
	report_fini(&r);
	if (complete && (fflush(stdout) || ferror(stdout))) {
		fprintf(stderr, "ternc: the report could not be written: %s\n",
		    strerror(errno));
		complete = false;
	}
	return complete ? EXIT_SUCCESS : EXIT_FAILURE;
}

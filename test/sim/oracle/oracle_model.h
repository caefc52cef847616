/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The objects of the model (oracle.h). One check makes all objects, in a copy of the
 * process; the end of the copy frees the objects.
 *
 * A doubt is the name of a feature that the model does not know. A route with a doubt may
 * exist or not, and its attributes are unknown. A network with such a route is not
 * judged.
 *
 * ORACLE_DOUBT_TABLE(X): name, the feature as people call the feature. */
#ifndef TERN_TEST_SIM_ORACLE_MODEL_H
#define TERN_TEST_SIM_ORACLE_MODEL_H

#include "filter/filter.h"
#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "test/sim/link.h"
#include "test/sim/oracle/oracle.h"

struct bgp_conf;

#define ORACLE_WAY_MAX  16 /* tables on the way of a route */
#define ORACLE_LINK_MAX 16

#define ORACLE_DOUBT_TABLE(X)                                                            \
	X(NONE, "")                                                                      \
	X(FILE, "a file that is not in force as a whole")                                \
	X(CUT, "members behind a cut cable, or that do not read")                        \
	X(RAW, "octets as they are")                                                     \
	X(STRANGER, "members without an instance")                                       \
	X(STALE, "stale routes")                                                         \
	X(RESTART, "restart of the daemon")                                              \
	X(RECURSIVE, "recursive next hops")                                              \
	X(LINK_LOCAL, "link-local next hops")                                            \
	X(LIMIT, "reached limits")                                                       \
	X(OLDER, "prefer older")                                                         \
	X(AIGP, "aigp")                                                                  \
	X(AS2, "2-octet AS numbers")                                                     \
	X(VRF, "vrf")                                                                    \
	X(VOLATILE, "filters that read time or interfaces")                              \
	X(GATEWAY, "static routes with gateways")                                        \
	X(PROTOCOL, "protocols other than bgp, static, pipe, rpki")                      \
	X(RPKI, "records of validators on the way")

enum oracle_doubt {
#define X(name, text) DOUBT_##name,
	ORACLE_DOUBT_TABLE(X)
#undef X
	    DOUBT_CNT
};

/* Kinds of protocols in their order of preference (doc/reasons.md, other_protocol). */
enum oracle_kind { ORACLE_DIRECT, ORACLE_STATIC, ORACLE_BGP, ORACLE_OTHER };

/* The speaker of routes: a member, or an instance without a peer. */
struct oracle_source {
	const struct conf_proto *proto;
	const struct member *member; /* NULL: no member */
	enum oracle_kind kind;
	struct route_source facts;
};

struct oracle_route {
	struct prefix net;
	uint32_t id; /* path identifier of the member, or the number of a static route */
	const struct oracle_source *source;
	const struct conf_proto
	    *by; /* the instance that brought the route to the table */
	const struct attr_set *set;
	enum reason refused; /* REASON_NONE: the route takes part in the selection */
	enum oracle_doubt doubt;
	bool is_kept_out; /* a limit may have refused the route, too */
	/* the tables on the way, this table last */
	const struct oracle_table *way[ORACLE_WAY_MAX];
	unsigned way_cnt;
};

struct oracle_table {
	const struct conf_table *conf;
	struct oracle_route *route;
	unsigned cnt, cap, spread; /* spread: pipes have seen the routes before */
	bool is_unsure; /* of ROAs or ASPAs: the daemon may have other records */
};

/* A member with its instance. */
struct oracle_session {
	const struct member *member;
	const struct conf_proto
	    *proto; /* NULL: the file has no instance for the member */
	struct oracle_source source;
	enum oracle_doubt doubt; /* about the whole session */
	/* the link that both ends share; cnt 0: none */
	const struct link *link;
	struct prefix subnet[ORACLE_LINK_MAX];
	unsigned subnet_cnt;
};

/* An answer of the daemon. */
struct oracle_answer {
	struct prefix net; /* of `show route why` */
	const struct member *to; /* of `show route why ... to`; NULL: of all sessions */
	bool has_routes; /* all routes; else counts */
	char *text;
};

/* Sums of all runs of the program: checks, judged networks of members, reasons and
 * counts of replies, networks that were not judged by the doubt. Shared memory; several
 * processes add. */
struct oracle_sums {
	uint64_t check_cnt, judged_cnt, reason_cnt, count_cnt, limit_cnt,
	    doubt_cnt[DOUBT_CNT];
};

struct oracle {
	const struct world *w;
	const char *when;
	struct config *conf;
	struct arena arena;
	struct filter_thread *thread;
	const struct attr_set *empty;
	struct oracle_table *table; /* one for each of conf->table */
	struct oracle_session *session;
	unsigned session_cnt;
	struct oracle_answer *answer;
	unsigned answer_cnt;
	struct oracle_sums *sums;
	unsigned wrong; /* differences */
};

/* ---- oracle_route.c ---- */
/* oracle_set - an attribute set of the result of @e. */
const struct attr_set *oracle_set(struct oracle *o, const struct attr_edit *e);
/* oracle_filter - run @f on the route @net of @src with the attributes @set. Returns:
 * false: refused. *@set: the attributes after the filter. *@doubt: set if the filter
 * reads what the model does not know. */
bool oracle_filter(struct oracle *o, const struct filter *f, const struct prefix *net,
    const struct oracle_source *src, const struct attr_set **set,
    enum oracle_doubt *doubt);
/* oracle_code - run the code of a static route: the changes count, the verdict does
 * not. */
void oracle_code(struct oracle *o, const struct filter *code, struct oracle_route *r);
/* oracle_get, oracle_get_u32 - an attribute. Returns: false: absent; *@it is empty then,
 * and *@v as before. */
bool oracle_get(const struct attr_set *s, uint8_t code, struct attr_item *it);
bool oracle_get_u32(const struct attr_set *s, uint8_t code, uint32_t *v);
bool oracle_has_community(const struct attr_set *s, uint32_t community);
/* oracle_hop - the (global) next hop; IP_NONE: none. */
struct ip_addr oracle_hop(const struct attr_set *s);
struct prefix oracle_prefix(const struct rib_key *k);
struct ip_addr oracle_ip(const char *text);
/* oracle_table_of - the model of a table. */
struct oracle_table *oracle_table_of(const struct oracle *o, const struct conf_table *t);
/* oracle_add - a copy of the route in the table. */
void oracle_add(struct oracle_table *t, const struct oracle_route *r);
/* oracle_doubt - count one route that is not judged because of the feature @what. */
void oracle_doubt(struct oracle *o, enum oracle_doubt what);

/* ---- oracle_session.c: members and instances ---- */
void oracle_sessions(struct oracle *o);

/* ---- oracle_import.c: the routes of members, as their tables get the routes ---- */
void oracle_import(struct oracle *o);

/* ---- oracle_limit.c ---- */
/* Routes that a limit counts. */
struct oracle_limit {
	const struct conf_limit *limit;
	uint32_t all, seen; /* all routes; the routes that the limit let through */
	uint32_t spare; /* refused routes that may count */
	bool is_exact; /* the limit lets through as many routes as the limit allows */
};
/* oracle_limit_judge - compare the numbers of routes with the limit; @what: the kind. */
void oracle_limit_judge(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, const char *what, const struct oracle_limit *l);
/* oracle_limits - judge the limits for routes of the session, which are the routes of the
 * table from @from on, and mark the routes that a limit keeps out. */
void oracle_limits(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, struct oracle_table *t, unsigned from);

/* ---- oracle_static.c: static routes and records ---- */
/* oracle_records - fill the maps that filters query. */
void oracle_records(struct oracle *o);
void oracle_statics(struct oracle *o);

/* ---- oracle_pipe.c ---- */
void oracle_pipes(struct oracle *o);

/* ---- oracle_select.c ---- */
/* oracle_select - the best of the @cnt routes of one network; NULL: all are refused. */
const struct oracle_route *oracle_select(
    const struct oracle_route *const *r, unsigned cnt);

/* oracle_lost - the reason for which @r lost to @best, the best of the @cnt routes @all.
 */
enum reason oracle_lost(const struct oracle_route *const *all, unsigned cnt,
    const struct oracle_route *best, const struct oracle_route *r);

/* ---- oracle_export.c ---- */
/* oracle_export - the attributes with which the member of @s gets the route @r on @ch, in
 * the form of struct rib_attrs. Returns: NULL: the member does not get the route; *@why:
 * the reason. */
struct rib_attrs *oracle_export(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, const struct oracle_route *r, enum reason *why,
    enum oracle_doubt *doubt);

/* ---- oracle_judge.c ---- */
/* oracle_judge - compare each member with the model. */
void oracle_judge(struct oracle *o);

/* ---- oracle_ask.c, oracle_reply.c ---- */
/* oracle_ask - collect answers of the daemon; @file: the text of the file in force.
 * oracle_replies - compare the answers. */
void oracle_ask(struct oracle *o, struct world *w, const char *file);
void oracle_replies(struct oracle *o);
/* reply_word - the text or number behind "@name": in an object. Returns: false: the
 * object has no such field. reply_is - the field has the value. reply_next - the next
 * object of an answer; NULL: the end. */
bool reply_word(const char *line, const char *name, char *out, size_t room);
bool reply_is(const char *line, const char *name, const char *value);
const char *reply_next(const char *at);

#endif

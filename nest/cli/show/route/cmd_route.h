/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route: what was asked (cmd_route.c), the walk (cmd_route_walk.c), the choice of
 * paths (cmd_route_pick.c, cmd_route_kept.c) and the text (cmd_route_print.c). */
#ifndef TERN_NEST_CMD_ROUTE_H
#define TERN_NEST_CMD_ROUTE_H

#include "lib/mem/arena.h"
#include "lib/mt/rcu.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/route/cmd_netsort.h"
#include "nest/rib/nlri.h"
#include "nest/rib/reason.h"

struct path;
struct route_view;

enum route_where { WHERE_ALL, WHERE_EQUAL, WHERE_FOR, WHERE_IN };
enum route_export { EXPORT_ANY, EXPORT_YES, EXPORT_NO, EXPORT_BEFORE };

/* Which routes of a table: all of them; those that a channel has brought, as they came
 * (its import table); what its peer was told (its export table). */
enum route_kept { KEPT_NOT, KEPT_IMPORT, KEPT_EXPORT };

struct route_table {
	char *name;
	enum route_kept kept;
	char *proto, *channel; /* of what is kept; else NULL */
	bool asked; /* by name: its heading is shown even if it has no match */
};

/* What was asked. */
struct route_query {
	enum route_where where;
	/* where isn't ALL: of the tables that it may be in */
	enum nlri_kind kind;
	struct nlri net; /* EQUAL */
	struct prefix prefix; /* FOR, IN */
	bool has_table; /* `table` was said */
	struct route_table *table;
	uint32_t table_cnt, table_cap;
	char *proto; /* protocol P */
	enum route_export export;
	char *export_proto, *export_channel; /* the channel: NULL: any of its tables */
	struct cli_expr *expr; /* where, filter */
	bool all, primary, filtered, stale, count, stats;
};

/* Objects of this step, found by name under RCU. */
struct route_scene {
	const struct table *table;
	struct rcu_loan loan; /* of all pointers in it */
	uint32_t src; /* of query.proto in it; UINT32_MAX: none */
	const struct channel *to; /* of query.export_proto */
	enum route_kept kept;
	const struct channel *of; /* which keeps it */
	/* by which routes of the table go to a kernel; NULL: they go to none */
	const struct channel *kernel;
	/* what an overlay has of its base; NULL: all routes are those of the table's
	 * nets. In the scene of the base itself `below` is set */
	const struct overlay *over;
	bool below;
	enum channel_gives gives; /* `of`: asked once, since its session may change it */
};

struct route_sum {
	uint64_t shown, routes, nets;
};

enum route_phase { PHASE_COLLECT, PHASE_SORT, PHASE_PRINT, PHASE_COUNT, PHASE_ONE };

struct route_job {
	struct cli_job job;
	struct route_query q;
	/* position */
	unsigned table; /* in q.table */
	bool in_table;
	/* of the table when it was begun; NLRI_CNT: there was none */
	enum nlri_kind kind;
	struct overlay *over; /* and what it had of its base; NULL: it is none */
	enum route_phase phase;
	uint32_t pos; /* net id while collecting and counting, else index in `sort` */
	uint64_t table_nr; /* of the present table */
	uint32_t path; /* paths of the present net that are done */
	uint32_t looked; /* and those that route_told has looked at */
	bool net_counted, net_named;
	bool had_first; /* of a net without a best route: the first one is done */
	struct net_sort sort;
	bool has_sort;
	bool found; /* WHERE_EQUAL, WHERE_FOR: some table has the net */
	bool heading; /* of the present table is out */
	unsigned headings;
	struct route_sum sum, total;
	uint64_t began_ns;
	/* tools */
	struct filter_thread *ft;
	struct arena arena;
	const struct iface_source *ifaces;
	uint64_t time_ns; /* what time_text is about; 0: nothing */
	char time_text[64];
};

/* A route that may be shown. */
struct route_shown {
	const struct net *net;
	const struct path *path;
	struct attr_set *came_as; /* NULL: as it is there */
	bool named; /* with its prefix */
	bool best; /* with a star */
	/* Of route_pick: its attributes as they are shown, and a reference on them; NULL:
	 * none. */
	struct attr_set *set;
	struct attr_set *held;
};

/* ---- cmd_route_net.c ---- */
/* route_take_net - a prefix, an address (FOR), or a constant. Returns: false after it has
 * ended the reply. route_take_customer - the same, behind `aspa`. */
bool route_take_net(struct cli_session *s, struct cli_scan *sc, struct route_query *q,
    enum route_where w);
bool route_take_customer(
    struct cli_session *s, struct cli_scan *sc, struct route_query *q);

/* ---- cmd_route_walk.c ---- */
/* route_job_new - takes the content of @q. */
OWNED struct route_job *route_job_new(
    struct route_query *q, const struct iface_source *ifaces);
void route_query_fini(struct route_query *q);
/* route_table_title - what it is called in a reply. */
void route_table_fini(struct route_table *t);
const char *route_table_title(const struct route_table *t);
/* route_put_heading - of the present table, once. */
void route_put_heading(struct cli_session *s, struct route_job *j);

/* route_show - one route, if it is picked. */
void route_show(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    struct route_shown *r);
/* route_net_done - the next net begins. */
void route_net_done(struct route_job *j);

/* ---- cmd_route_over.c; sc->over isn't NULL ---- */
/* route_over_show - paths of the net at @k from j->path on, the table's own and those of
 * its base. Returns: false: it isn't through, a step later it goes on. */
bool route_over_show(struct cli_session *s, struct route_job *j,
    const struct route_scene *sc, const struct nlri *k);
/* route_over_has - is there a route of it that the query is about? */
bool route_over_has(
    struct route_job *j, const struct route_scene *sc, const struct nlri *k);
/* route_over_at - as over_at, of nets that are asked for. */
bool route_over_at(const struct route_job *j, const struct route_scene *sc, uint32_t pos,
    struct nlri *k);
/* route_over_longest - the longest net that contains what is asked for. Returns: false:
 * none does. */
bool route_over_longest(
    struct route_job *j, const struct route_scene *sc, struct nlri *k);

/* ---- cmd_route_pick.c ---- */
/* route_scene_find - sc->table is NULL if the table isn't there. */
void route_scene_find(struct route_scene *sc, const struct tern *t,
    const struct route_query *q, unsigned table);
/* route_counts - is @p one of the routes that the query is about at all? */
bool route_counts(
    const struct route_scene *sc, const struct route_query *q, const struct path *p);
/* route_failure - why the kernel has not taken the best route @r. REASON_NONE: it has, or
 * none was asked. */
enum reason route_failure(const struct route_scene *sc, const struct route_shown *r);
/* route_is_from - does it come from q->proto, if through pipes? */
bool route_is_from(
    const struct route_scene *sc, const struct route_query *q, const struct path *p);
/* route_pick - is it among those to show? */
bool route_pick(struct route_job *j, struct cli_session *s, const struct route_scene *sc,
    struct route_shown *r);

/* ---- cmd_route_kept.c; sc->kept isn't KEPT_NOT ---- */
/* route_is_kept - is @p, which is live, one of which something may be kept? */
bool route_is_kept(const struct route_scene *sc, const struct path *p);
/* route_tells_one - of a net one route was told, if any. Then:
 * route_is_told - was one of @n?
 * route_told - which one; *@told NULL: none. Returns: false: it isn't through, a step
 * later it goes on. */
bool route_tells_one(const struct route_scene *sc);
bool route_is_told(const struct route_scene *sc, const struct net *n);
bool route_told(struct route_job *j, struct cli_session *s, const struct route_scene *sc,
    const struct net *n, const struct path **told);
/* route_kept_set - of route_pick: what is kept of @r. */
bool route_kept_set(struct route_job *j, struct cli_session *s,
    const struct route_scene *sc, const struct route_view *v, struct route_shown *r);

/* ---- cmd_route_json.c; s->json ---- */
/* route_print_object - one route. route_print_table - what there was of the present
 * table. */
void route_print_object(struct cli_session *s, struct route_job *j,
    const struct route_scene *sc, const struct route_shown *r);
void route_print_table(struct cli_session *s, const struct route_job *j);

/* ---- cmd_route_print.c ---- */
/* route_print - the lines of one route, or its object. */
void route_print(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct route_shown *r);
void route_print_sum(struct cli_session *s, const struct route_sum *m, const char *table);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route: the query (cmd_route.c), the walk (cmd_route_walk.c), the selection of
 * paths (cmd_route_pick.c, cmd_route_kept.c) and the reply (cmd_route_print.c).
 *
 * Owner of the structs: the job; scenes and shown routes live for one step, on the stack,
 * the rest until the job is freed.
 *
 * Loop: the session's. */
#ifndef TERN_NEST_CLI_SHOW_ROUTE_CMD_ROUTE_H
#define TERN_NEST_CLI_SHOW_ROUTE_CMD_ROUTE_H

#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mt/rcu.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_netsort.h"
#include "nest/core/reason.h"
#include "nest/core/reply.h"
#include "nest/rib/nlri.h"

struct path;
struct route_view;

enum route_where { WHERE_ALL, WHERE_EQUAL, WHERE_FOR, WHERE_IN };
enum route_export { EXPORT_ANY, EXPORT_YES, EXPORT_NO, EXPORT_BEFORE };

/* Which routes of a table: all routes; routes of a channel before policy (its import
 * table); routes sent to its peer (its export table). */
enum route_kept { KEPT_NOT, KEPT_IMPORT, KEPT_EXPORT };

/* A table of the query. Owner: the job; freed with the job. */
struct route_table {
	char *name;
	enum route_kept kept;
	char *proto, *channel; /* of an import or export table; else NULL */
	bool asked; /* by name: the heading is shown even without a match */
};

/* The query. */
struct route_query {
	enum route_where where;
	/* unless ALL: kind of the tables that may have the net */
	enum nlri_kind kind;
	struct nlri net; /* EQUAL */
	struct prefix prefix; /* FOR, IN */
	bool has_table; /* with `table` */
	struct route_table *table;
	uint32_t table_cnt, table_cap;
	char *proto; /* protocol P */
	enum route_export export;
	char *export_proto, *export_channel; /* export_channel: NULL: any channel */
	struct cli_expr *expr; /* where, filter */
	bool all, primary, filtered, stale, count, stats;
	bool bars; /* `noexport NAME reasons` */
	/* `filtered reasons`: of `filtered`, but in all four ways (cmd_filtered.h) */
	struct filtered_index *reasons;
};

/* Objects of a step, found by name under RCU. */
struct route_scene {
	const struct table *table;
	struct rcu_loan loan; /* for all pointers of the scene */
	uint32_t src; /* source number of query.proto; UINT32_MAX: none */
	const struct channel *to; /* of query.export_proto */
	const struct channel *pipe; /* filtered_pipe of the table, for `reasons` */
	enum route_kept kept;
	const struct channel *of; /* owner of the import or export table */
	/* channel that exports the table to a kernel; NULL: none */
	const struct channel *kernel;
	/* overlay state; NULL: the table's nets have all routes. `below` is set in the
	 * scene of the base */
	const struct overlay *over;
	bool below;
	/* of `of`; read once, since the session may change it */
	enum channel_gives gives;
};

/* The counts of a table. Owner: the job; by value: nothing to free. */
struct route_sum {
	uint64_t shown, routes, nets;
};

enum route_phase {
	PHASE_COLLECT,
	PHASE_SORT,
	PHASE_PRINT,
	PHASE_COUNT,
	PHASE_ONE,
	PHASE_REJECTS
};

/* The present table. cmd_route_walk.c. Owner: the session. Life: embedded in struct
 * route_job. */
struct route_place {
	unsigned table; /* in q.table */
	bool in_table;
	bool heading; /* the heading of the present table was sent */
	/* of the table at its start; NLRI_CNT: no table */
	enum nlri_kind kind;
	struct overlay *over; /* overlay state at the start; NULL: none */
	uint32_t pos; /* net id while collecting and counting; else index in `sort` */
	uint64_t table_nr; /* of the present table */
};

/* The present net. cmd_route_walk.c, cmd_route_one.c. Owner: the session. Life: embedded
 * in struct route_job. */
struct route_net {
	uint32_t path; /* finished paths of the present net */
	uint32_t looked; /* paths that route_announced has examined */
	bool summed, named;
	bool had_first; /* the first path of a net without a best path is done */
};

/* PHASE_REJECTS: the members, the bucket, and the present member's memory: an identity,
 * which nobody follows. cmd_route_rejects.c. Owner: the session. Life: embedded in
 * struct route_job. */
struct route_rejects {
	struct cmd_names members;
	uint32_t bucket;
	const struct reject_memory *memory;
};

/* Owner: the session. Life: as the job. */
struct route_job {
	struct cli_job job;
	struct route_query q;
	enum route_phase phase;
	struct route_place at;
	struct route_net net;
	struct route_rejects rejects;
	struct net_sort sort;
	bool has_sort;
	bool found; /* WHERE_EQUAL, WHERE_FOR: a table has the net */
	unsigned headings;
	struct route_sum sum, total;
	uint64_t began_ns;
	/* tools */
	struct filter_thread *ft;
	struct arena arena;
	const struct iface_source *ifaces;
	/* routes of one batch have one time, whose text costs as much as the rest of the
	 * line */
	struct reply_time_text time;
	struct strbuf comms; /* of filtered_refused */
};

/* A route to show. */
struct route_shown {
	const struct net *net;
	const struct path *path;
	struct attr_set *came_as; /* set before policy; NULL: the path's set */
	bool named; /* show the prefix */
	bool best; /* show a star */
	/* By route_pick: the shown set, and a reference; NULL: none. */
	struct attr_set *set;
	struct attr_set *held;
	struct filtered filtered; /* of route_pick, for `filtered reasons` */
	struct export_why bar; /* of route_pick, for `noexport NAME reasons` */
};

/* ---- cmd_route_net.c ---- */
/* route_take_net - read a prefix, an address (FOR), or a constant. route_take_customer -
 * read the customer after `aspa`. Returns: false: the reply has ended. */
bool route_take_net(struct cli_session *s, struct cli_scan *sc, struct route_query *q,
    enum route_where w);
bool route_take_customer(
    struct cli_session *s, struct cli_scan *sc, struct route_query *q);

/* ---- cmd_route_walk.c ---- */
/* route_job_new - takes over the contents of @q. */
OWNED struct route_job *route_job_new(
    struct route_query *q, const struct iface_source *ifaces);
void route_query_fini(struct route_query *q);
void route_table_fini(struct route_table *t);

/* ---- cmd_route_one.c ---- */
/* route_show - show one route, if picked. */
void route_show(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    struct route_shown *r);
/* route_net_done - begin the next net. */
void route_net_done(struct route_job *j);

/* ---- cmd_route_over.c ---- */
/* route_over_leads - true: the table is an overlay, and the overlay or its base has an
 * accepted route of @n, which precedes refused routes. sc->over is NULL. */
bool route_over_leads(
    struct route_job *j, const struct route_scene *sc, const struct net *n);
/* The following functions need an sc->over that isn't NULL. */
/* route_over_show - show paths of net @k, own and base routes, from j->path on. Returns:
 * false: continue in the next step. */
bool route_over_show(struct cli_session *s, struct route_job *j,
    const struct route_scene *sc, const struct nlri *k);
/* route_over_has - true: net @k has a route for the query. */
bool route_over_has(
    struct route_job *j, const struct route_scene *sc, const struct nlri *k);
/* route_over_at - over_at, for nets of the query only. */
bool route_over_at(const struct route_job *j, const struct route_scene *sc, uint32_t pos,
    struct nlri *k);
/* route_over_longest - the longest net that contains the queried address or prefix.
 * Returns: false: none. */
bool route_over_longest(
    struct route_job *j, const struct route_scene *sc, struct nlri *k);

/* ---- cmd_route_pick.c ---- */
/* route_scene_find - find the objects. sc->table NULL: no such table. */
void route_scene_find(struct route_scene *sc, const struct tern *t,
    const struct route_query *q, unsigned table);
/* route_counts - true: @p belongs to the routes of the query. */
bool route_counts(
    const struct route_scene *sc, const struct route_query *q, const struct path *p);
/* route_failure - why the kernel refused the best route @r. REASON_NONE: not refused, or
 * not exported to a kernel. */
enum reason route_failure(const struct route_scene *sc, const struct route_shown *r);
/* route_is_from - true: the path comes from q->proto, directly or through pipes. */
bool route_is_from(
    const struct route_scene *sc, const struct route_query *q, const struct path *p);
/* route_pick - true: show the route. */
bool route_pick(struct route_job *j, struct cli_session *s, const struct route_scene *sc,
    struct route_shown *r);

/* ---- cmd_route_kept.c; sc->kept isn't KEPT_NOT ---- */
/* route_is_kept - true: the living path @p may have an entry in the import or export
 * table. */
bool route_is_kept(const struct route_scene *sc, const struct path *p);
/* route_announces_one - true: the peer gets at most one route of a net. Then:
 * route_is_announced - true: the peer has a route of @n.
 * route_announced - find that route; *@announced NULL: none. Returns: false: continue in
 * the next step. */
bool route_announces_one(const struct route_scene *sc);
bool route_is_announced(const struct route_scene *sc, const struct net *n);
bool route_announced(struct route_job *j, struct cli_session *s,
    const struct route_scene *sc, const struct net *n, const struct path **announced);
/* route_kept_set - for route_pick: r->set becomes the set in the import table (before
 * policy) or in the export table (as announced), and r->held a reference to the set if
 * r->set needs one. @v: the view of @r, for the export filter. Returns: false: the export
 * table lacks the route. */
bool route_kept_set(struct route_job *j, struct cli_session *s,
    const struct route_scene *sc, const struct route_view *v, struct route_shown *r);

/* ---- cmd_route_rejects.c; q->reasons isn't NULL ---- */
/* route_rejects - show refused routes that the present table does not keep, and drop the
 * names of the members at the end. Returns: false: a step later it goes on. */
bool route_rejects(
    struct cli_session *s, struct route_job *j, const struct route_scene *sc);

/* ---- cmd_route_print.c ---- */
/* route_table_title - name of the table in a reply. */
const char *route_table_title(const struct route_table *t);
/* route_put_heading - send the heading of the present table, once. */
void route_put_heading(struct cli_session *s, struct route_job *j);
/* route_print - the lines of one route, or its object. */
void route_print(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct route_shown *r);
void route_print_sum(struct cli_session *s, const struct route_sum *m, const char *table);
/* route_print_table - JSON: the sums of the present table. */
void route_print_table(struct cli_session *s, const struct route_job *j);

#endif

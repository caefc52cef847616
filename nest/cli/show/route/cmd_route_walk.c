/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk of `show route`, in steps.
 *
 *      whole table:  COLLECT nets by id -> SORT -> PRINT each by exact match
 *      count:        COUNT by net id
 *      a net, for:   ONE
 *
 * I1  Between two steps the walk keeps only names, the table's number, a net id or an
 *     index of the sorted nets, and the number of finished paths of the present net. A
 *     net removed in between is left out; a new net is missed; a path of a net that
 *     changed in the middle of its printing may be left out or shown twice.
 * I2  The table's thread takes no part.
 * I3  The next step does not search again for a route found by route_announced: the
 *     filter runs of the search may fill several steps. Such a net shows a single path,
 *     and the walk checks the clock before the path.
 * I4  Each step makes progress. The way back to the position in a net with many paths, at
 *     most 65,536, may take longer than a step, so the time of a step begins at the
 *     position.
 *
 * Loop: the session's. Tested by test/unit/test_cli.c and
 * test/net/test_many_paths.py. */
#include "filter/filter.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/route/cmd_netsort.h"
#include "nest/channel/export/over_routes.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table.h"
#include "sysdep/os/clock.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"

#define SORT_WORK 4096
#define IDS_WORK  256 /* ids, or paths, between two looks at the clock */

/* ---- headings and sums ---- */

static bool
walk_is_address(const struct route_query *q)
{
	return q->where == WHERE_EQUAL || q->where == WHERE_FOR;
}

static void
walk_table_done(struct cli_session *s, struct route_job *j)
{
	const struct route_table *t = &j->q.table[j->at.table];

	if (j->q.reasons && j->at.kind != NLRI_CNT && j->phase != PHASE_REJECTS) {
		j->phase = PHASE_REJECTS; /* and then again */
		j->at.pos = 0;
		route_net_done(j);
		return;
	}

	if (s->json) {
		if (j->at.kind != NLRI_CNT)
			route_print_table(s, j);
	} else if (!walk_is_address(&j->q)) {
		if (!j->q.count && (t->asked || j->q.stats))
			route_put_heading(s, j);
		if (j->q.count || j->q.stats)
			route_print_sum(s, &j->sum, route_table_title(t));
	}
	j->total.shown += j->sum.shown;
	j->total.routes += j->sum.routes;
	j->total.nets += j->sum.nets;
	if (j->has_sort)
		net_sort_fini(&j->sort);
	j->has_sort = false;
	j->at.in_table = false;
	j->at.table++;
}

static void
cmd_route_walk_all_done(struct cli_session *s, struct route_job *j)
{
	const struct route_sum *m = &j->total;

	if (walk_is_address(&j->q)) {
		if (j->found)
			cli_end(s, CLI_DONE, "%s", "");
		else
			cli_end(s, CLI_NO_ROUTE, "Network not found");
		return;
	}
	if (!(j->q.count || j->q.stats) || j->q.table_cnt < 2) {
		cli_end(s, CLI_DONE, "%s", "");
		return;
	}
	if (j->q.stats && !s->json)
		cli_put_line(s, CLI_ROUTE, "");
	cli_end(s, CLI_ROUTE_TOTAL,
	    "Total: %llu of %llu routes for %llu networks in %u tables",
	    (unsigned long long)m->shown, (unsigned long long)m->routes,
	    (unsigned long long)m->nets, j->q.table_cnt);
}

/* ---- one net ---- */

static void
show_path(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct net *n, const struct path *p, bool first)
{
	struct route_shown r = {
		.net = n, .path = p, .named = !j->net.named, .best = first
	};

	route_show(s, j, sc, &r);
}

/* walk_shown_after - the path shown after @p (NULL: the first): @best, if present, then
 * the remaining paths in order. */
static const struct path *
walk_shown_after(const struct net *n, const struct path *best, const struct path *p)
{
	const struct path *next = p && p != best ? path_next(p) : net_first(n);

	if (!p && best)
		return best;
	return next && next == best ? path_next(next) : next;
}

/* route_path_at - the path at the job's position in @n. The way to the position is not
 * part of the step's work (I4). */
static const struct path *
route_path_at(struct cli_session *s, const struct route_job *j, const struct net *n,
    const struct path *best)
{
	const struct path *p = walk_shown_after(n, best, NULL);

	if (!j->net.path)
		return p;
	for (uint32_t i = 0; p && i < j->net.path; i++)
		p = walk_shown_after(n, best, p);
	cli_at_place(s, 0);
	return p;
}

/* route_is_first - true: @p represents the net. @best: of accepted paths; NULL: the first
 * refused path represents the net. */
static bool
route_is_first(struct route_job *j, const struct route_scene *sc, const struct path *p,
    const struct path *best, bool counts)
{
	if (best)
		return p == best;
	if (j->net.had_first)
		return false;
	j->net.had_first = sc->kept ? counts : path_live(sc->table, p);
	return j->net.had_first;
}

/* route_has_time - is there time for one more path? Paths outside the query are examined
 * many at a time. The first path of a step is always handled, so that each step makes
 * progress (I4). */
static bool
route_has_time(
    const struct cli_session *s, const struct route_job *j, uint32_t done, bool counts)
{
	return !done || (!counts && j->net.path % IDS_WORK) || cli_go_on(s);
}

/* show_net - show paths from j->path on. Returns: false: continue in the next step. */
static bool
show_net(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    const struct net *n)
{
	/* The best path is not always first: MED is not part of the order
	 * (nest/rib/table/table_best.c). Refused paths have no best path, and the first
	 * refused path represents them. */
	const struct path *announced = NULL, *best = NULL, *p;
	bool one = route_announces_one(sc);

	if (n && one && !j->q.filtered) {
		if (!route_announced(j, s, sc, n, &announced))
			return false;
		if (!announced)
			n = NULL;
	}
	if (n && !sc->kept && !j->q.filtered)
		best = net_best(n);
	p = n ? route_path_at(s, j, n, best) : NULL;
	if (p && j->q.filtered && !j->net.path && (j->q.primary || !j->q.count))
		j->net.had_first = route_over_leads(j, sc, n);
	for (uint32_t done = 0; p; p = walk_shown_after(n, best, p), j->net.path++) {
		bool counts = route_counts(sc, &j->q, p) && (!one || p == announced),
		     first;

		if (!one && !route_has_time(s, j, done++, counts)) /* I3 */
			return false;
		first = route_is_first(j, sc, p, best, counts);
		if (!counts || (j->q.primary && !first))
			continue;
		j->sum.routes++;
		if (!j->net.summed)
			j->sum.nets++;
		j->net.summed = true;
		show_path(s, j, sc, n, p, first);
		if (j->q.primary)
			break;
	}
	route_net_done(j);
	return true;
}

/* ---- phases ---- */

static bool
walk_in_range(const struct route_query *q, const struct table *t, const struct net *n)
{
	struct prefix p;

	if (q->where != WHERE_IN)
		return true;
	p = net_prefix(t, n);
	return prefix_contains(&q->prefix, &p);
}

/* A cheap test whether a net may have a path to show, so that only such nets are sorted.
 * @work counts the examined paths. */
static bool
walk_worth_sorting(const struct route_job *j, const struct route_scene *sc,
    const struct net *n, uint32_t *work)
{
	for (const struct path *p = net_first(n); p; p = path_next(p), ++*work)
		if (route_counts(sc, &j->q, p) &&
		    (j->q.stats || !j->q.proto || route_is_from(sc, &j->q, p)))
			return true;
	return false;
}

/* walk_collect_over - as collect, of an overlay. */
static void
walk_collect_over(
    struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	uint32_t limit = over_limit(sc->over);

	for (; j->at.pos < limit; j->at.pos++) {
		struct nlri k;

		if (!(j->at.pos % IDS_WORK) && !cli_go_on(s))
			return;
		if (route_over_at(j, sc, j->at.pos, &k))
			net_sort_add(&j->sort, &k);
	}
	j->phase = PHASE_SORT;
}

static void
cmd_route_walk_collect(
    struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	uint32_t limit = table_id_limit(sc->table);

	while (j->at.pos < limit && cli_go_on(s)) {
		uint32_t work = 0;

		for (; j->at.pos < limit && work < IDS_WORK; j->at.pos++, work++) {
			const struct net *n = table_net_at(sc->table, j->at.pos);
			struct nlri k;

			if (!n || !walk_in_range(&j->q, sc->table, n) ||
			    !walk_worth_sorting(j, sc, n, &work))
				continue;
			k = net_nlri(sc->table, n);
			net_sort_add(&j->sort, &k);
		}
	}
	if (j->at.pos >= limit)
		j->phase = PHASE_SORT;
}

static void
cmd_route_walk_sort(struct cli_session *s, struct route_job *j)
{
	while (cli_go_on(s))
		if (net_sort_step(&j->sort, SORT_WORK)) {
			j->at.pos = 0;
			j->phase = PHASE_PRINT;
			return;
		}
}

static void
cmd_route_walk_print(
    struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	for (; j->at.pos < net_sort_cnt(&j->sort); j->at.pos++) {
		struct nlri k = net_sort_get(&j->sort, j->at.pos);

		if (!cli_go_on(s) ||
		    !(sc->over ? route_over_show(s, j, sc, &k)
			       : show_net(s, j, sc, table_find_nlri(sc->table, &k))))
			return;
	}
	walk_table_done(s, j);
}

/* walk_count_over - as count, of an overlay. */
static void
walk_count_over(struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	for (; j->at.pos < over_limit(sc->over); j->at.pos++) {
		struct nlri k;

		if (!(j->at.pos % IDS_WORK) && !cli_go_on(s))
			return;
		if (route_over_at(j, sc, j->at.pos, &k) && !route_over_show(s, j, sc, &k))
			return;
	}
	walk_table_done(s, j);
}

static void
cmd_route_walk_count(
    struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	uint32_t limit = table_id_limit(sc->table);

	for (; j->at.pos < limit; j->at.pos++) {
		const struct net *n = table_net_at(sc->table, j->at.pos);

		if ((sc->kept || !(j->at.pos % IDS_WORK)) && !cli_go_on(s))
			return;
		/* NULL: the net may have been removed since the last step, half shown */
		if ((!n || walk_in_range(&j->q, sc->table, n)) && !show_net(s, j, sc, n))
			return;
	}
	walk_table_done(s, j);
}

/* walk_has_some - true: @n has a path to show. */
static bool
walk_has_some(
    const struct route_job *j, const struct route_scene *sc, const struct net *n)
{
	const struct path *p;

	if (route_announces_one(sc) && !route_is_announced(sc, n))
		return false;
	for (p = net_first(n); p && !route_counts(sc, &j->q, p); p = path_next(p))
		;
	return p != NULL;
}

/* cmd_route_walk_longest - the longest net that contains the queried address or prefix.
 * In a part of the table (sc->kept) a shorter net counts if the part lacks the longer
 * net. */
static const struct net *
cmd_route_walk_longest(const struct route_job *j, const struct route_scene *sc)
{
	const struct net *n = table_match_prefix(sc->table, &j->q.prefix);

	while (n && sc->kept && !walk_has_some(j, sc, n)) {
		struct prefix p = net_prefix(sc->table, n);

		if (!p.len)
			return NULL;
		p = prefix_make(p.addr, p.len - 1u, p.fam);
		n = table_match_prefix(sc->table, &p);
	}
	return n;
}

/* walk_single_over - as show_single, of an overlay. */
static void
walk_single_over(struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	struct nlri k = j->q.net;
	bool has = table_kind(sc->table) == j->q.kind &&
		   (j->q.where == WHERE_EQUAL ? route_over_has(j, sc, &k)
					      : route_over_longest(j, sc, &k));

	j->found |= has;
	if (!has || j->q.count || route_over_show(s, j, sc, &k))
		walk_table_done(s, j);
}

static void
show_single(struct cli_session *s, struct route_job *j, const struct route_scene *sc)
{
	const struct net *n = NULL;

	if (table_kind(sc->table) == j->q.kind)
		n = j->q.where == WHERE_EQUAL ? table_find_nlri(sc->table, &j->q.net)
					      : cmd_route_walk_longest(j, sc);
	j->found = j->found || (n && walk_has_some(j, sc, n));
	if (j->q.count || show_net(s, j, sc, n))
		walk_table_done(s, j);
}

static enum nlri_kind
cmd_route_walk_kind_of(const struct route_scene *sc)
{
	return sc->table ? table_kind(sc->table) : NLRI_CNT;
}

/* route_is_same - true: the walked table still has its name. */
static bool
route_is_same(const struct route_job *j, const struct route_scene *sc)
{
	return sc->table && table_number(sc->table) == j->at.table_nr;
}

/* cmd_route_walk_drop_over - drop the overlay state of the present table. */
static void
cmd_route_walk_drop_over(struct route_job *j)
{
	if (j->at.over)
		overlay_put(j->at.over);
	j->at.over = NULL;
}

static void
walk_begin_table(struct route_job *j, const struct route_scene *sc)
{
	enum nlri_kind kind = cmd_route_walk_kind_of(sc);

	cmd_route_walk_drop_over(j);
	j->at.over = sc->over ? overlay_ref(sc->table) : NULL;
	j->at.in_table = true;
	j->at.kind = kind;
	j->at.table_nr = sc->table ? table_number(sc->table) : 0;
	j->at.heading = false;
	j->at.pos = 0;
	route_net_done(j);
	j->sum = (struct route_sum){ 0 };
	if (kind == NLRI_CNT)
		return;
	if (walk_is_address(&j->q)) {
		j->phase = PHASE_ONE;
	} else if (j->q.count) {
		j->phase = PHASE_COUNT;
	} else {
		j->phase = PHASE_COLLECT;
		net_sort_init(&j->sort, kind);
		j->has_sort = true;
	}
}

static void
cmd_route_walk_step(struct cli_session *s, struct cli_job *job)
{
	struct route_job *j = container_of(job, struct route_job, job);
	struct route_scene sc;

	while (cli_go_on(s)) {
		if (j->at.table == j->q.table_cnt) {
			cmd_route_walk_all_done(s, j);
			return;
		}
		route_scene_find(&sc, s->tern, &j->q, j->at.table);
		if (!j->at.in_table)
			walk_begin_table(j, &sc);
		sc.over = j->at.over;
		if (j->at.kind == NLRI_CNT || !route_is_same(j, &sc) ||
		    (sc.over && sc.over->over != sc.table))
			walk_table_done(s, j); /* removed meanwhile, or not yet made */
		else if (j->phase == PHASE_COLLECT)
			(sc.over ? walk_collect_over : cmd_route_walk_collect)(s, j, &sc);
		else if (j->phase == PHASE_REJECTS) {
			if (route_rejects(s, j, &sc))
				walk_table_done(s, j);
		} else if (j->phase == PHASE_SORT)
			cmd_route_walk_sort(s, j);
		else if (j->phase == PHASE_PRINT)
			cmd_route_walk_print(s, j, &sc);
		else if (j->phase == PHASE_COUNT)
			(sc.over ? walk_count_over : cmd_route_walk_count)(s, j, &sc);
		else
			(sc.over ? walk_single_over : show_single)(s, j, &sc);
	}
}

/* ---- life ---- */

void
route_table_fini(struct route_table *t)
{
	mem_free(MEM_OTHER, t->name);
	mem_free(MEM_OTHER, t->proto);
	mem_free(MEM_OTHER, t->channel);
}

void
route_query_fini(struct route_query *q)
{
	for (unsigned i = 0; i < q->table_cnt; i++)
		route_table_fini(&q->table[i]);
	mem_free(MEM_OTHER, q->table);
	mem_free(MEM_OTHER, q->proto);
	mem_free(MEM_OTHER, q->export_proto);
	mem_free(MEM_OTHER, q->export_channel);
	if (q->expr)
		cli_expr_free(q->expr);
	if (q->reasons)
		filtered_index_fini(q->reasons);
	mem_free(MEM_OTHER, q->reasons);
}

static void
cmd_route_walk_job_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct route_job *j = container_of(job, struct route_job, job);

	if (s->conf && s->conf->conf->debug.show_route)
		log_msg(LOG_C_TRACE, "CLI: show route: %llu of %llu routes in %.3f s%s",
		    (unsigned long long)j->total.shown,
		    (unsigned long long)j->total.routes,
		    (double)(clock_now_ns() - j->began_ns) / (double)NS_PER_S,
		    j->at.table == j->q.table_cnt ? "" : ", given up");
	if (j->has_sort)
		net_sort_fini(&j->sort);
	cmd_route_walk_drop_over(j);
	cmd_names_fini(&j->rejects.members);
	route_query_fini(&j->q);
	filter_thread_free(j->ft);
	strbuf_fini(&j->comms);
	arena_fini(&j->arena);
	mem_free(MEM_OTHER, j);
}

struct route_job *
route_job_new(struct route_query *q, const struct iface_source *ifaces)
{
	struct route_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->job = (struct cli_job){ .step = cmd_route_walk_step,
		.free = cmd_route_walk_job_free };
	j->q = *q;
	j->began_ns = clock_now_ns();
	j->ft = filter_thread_new(ifaces);
	strbuf_init(&j->comms);
	arena_init(&j->arena, MEM_OTHER, 4096);
	j->ifaces = ifaces;
	return j;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROA tables: routes for VRPs, from one or several sources, and the map that filters ask.
 * Tables of type aspa are ROA tables, too: there a struct vrp stands for a customer, whose
 * AS it has as asn, and all else in it is 0; the providers are in the route's set
 * (nest/rpki/aspa_table.h).
 *
 * A ROA table has one writer, its worker. Sources post batches of changes to it; filters
 * and commands read its map under RCU (lib/net/roa.h, aspa.h). With each VRP stands a struct
 * roa_paths, immutable, replaced whole. Whoever must know of changes subscribes
 * (struct roa_sub). */
#ifndef TERN_NEST_ROA_TABLE_H
#define TERN_NEST_ROA_TABLE_H

#include "lib/net/aspa.h"
#include "lib/net/roa.h"
#include "nest/rib/attr_store.h"
#include "nest/conf/config.h"
#include "sysdep/loop.h"

struct proto;
struct tern;

struct roa_table;
struct table;
struct table_mark;
struct roa_group;
struct roa_mark;

/* ---- life ---- */

/* roa_table_new - with a reference, the control worker's; its worker is launched. */
OWNED struct roa_table *roa_table_new(struct tern *t, const struct conf_table *cf);
/* roa_table_delete - no source is there any more, or they are on their way out; it ends
 * when all sources and subscribers have gone. Gives up the reference. Control worker. */
void roa_table_delete(TAKE struct roa_table *t);
/* roa_table_ref, roa_table_unref - configurations and subscribers hold it, so that its map
 * stays for their filters. Any thread. */
struct roa_table *roa_table_ref(struct roa_table *t);
/* roa_table_ref_live - false: the last reference is gone; under RCU. */
MUST_CHECK bool roa_table_ref_live(struct roa_table *t);
void roa_table_unref(TAKE struct roa_table *t);
/* roa_table_settle - times between changes and what they cause. Control worker. */
void roa_table_settle(struct roa_table *t, const struct conf_table *cf);

const char *roa_table_name(const struct roa_table *t);
/* roa_table_map - NULL: it is of type aspa. */
struct roa_map *roa_table_map(const struct roa_table *t);
/* roa_table_aspa - NULL: it isn't of that type. */
struct aspa_map *roa_table_aspa(const struct roa_table *t);
/* roa_table_family - of VRPs. */
enum family roa_table_family(const struct roa_table *t);
/* roa_table_vrps - VRPs or customers in it; any thread under RCU. */
uint64_t roa_table_vrps(const struct roa_table *t);
uint64_t roa_table_routes(const struct roa_table *t);
/* roa_table_of - the table of a configuration's entry, made already. Control worker or
 * cls->make. */
struct roa_table *roa_table_of(struct tern *t, const struct conf_table *cf);

/* ---- sources ---- */

/* A channel that puts routes into a ROA table. Embedded; lives: until a grace period after
 * roa_table_leave has answered. */
struct roa_source {
	const struct proto *proto; /* constant */
	struct worker *worker; /* constant */
	struct counter64 imported, preferred, accepted, ignored, wd_accepted, wd_ignored;
};

/* One path of a VRP. */
struct roa_path {
	struct roa_source *src;
	struct attr_set *set; /* counted */
	uint64_t time_ns;
};

/* What stands with a VRP in the map: its paths, best first. Immutable. */
struct roa_paths {
	uint32_t cnt; /* never 0 */
	struct roa_path path[];
};

/* roa_table_next - the first VRP or customer beyond *@v in order (@first: the very first)
 * into *@v. Any thread under RCU. Returns: NULL: there is none. */
const struct roa_paths *roa_table_next(
    const struct roa_table *t, struct vrp *v, bool first);

struct roa_route {
	struct vrp vrp;
	struct attr_set *set; /* a reference goes with it; NULL: withdraw */
};

/* A batch of changes. @done: posted back to the source when it has been carried out; the
 * source lets few be under way. */
struct roa_batch {
	struct msg msg;
	struct roa_table *table;
	struct roa_source *src;
	struct msg *done;
	uint32_t cnt;
	struct roa_route route[]; /* at most one for each VRP */
};

void roa_table_join(struct roa_table *t, struct roa_source *s);
void roa_table_post(struct roa_table *t, TAKE struct roa_batch *b);
/* roa_table_leave - behind all batches; its routes have been withdrawn. @done is posted to
 * s->worker. */
void roa_table_leave(struct roa_table *t, struct roa_source *s, TAKE struct msg *done);

/* ---- subscribers: nest/rpki/roa_notify.c ---- */

/* Net ids of a table whose answers may differ. Immutable, counted. */
struct roa_hits {
	struct counter32 refs;
	bool all; /* every net; id isn't there */
	uint32_t cnt, cap;
	uint32_t *id; /* ascending */
};
void roa_hits_unref(TAKE struct roa_hits *h);

/* Who wants to know when answers about the nets of an IP table change. owner: the
 * subscriber, but for what is marked; freed by: the subscriber
 * after roa_sub_drop has answered. */
struct roa_sub {
	struct roa_table *table; /* counted */
	struct worker *worker;
	struct table *routes; /* lives as long as the subscription */
	bool import; /* decides what goes into `routes`; see ask */
	bool
	    other_nets; /* asks about other prefixes, too: every change concerns all nets */
	/* ask - put a mark behind all that was decided before: table_marked is to be called, in any
	 * thread, when the last of it is in `routes`. With `import` only. In worker. */
	void (*ask)(struct roa_sub *s, TAKE struct table_mark *mark);
	/* hits - look at these nets again. In worker. */
	void (*hits)(struct roa_sub *s, TAKE struct roa_hits *h);
	/* dropped - nothing comes any more. In worker. */
	void (*dropped)(struct roa_sub *s);
	/* private to roa_notify.c; but for `begun` and `since` the ROA table's */
	struct list link; /* of group->subs */
	struct roa_group *group;
	struct roa_mark *asked; /* the mark that is awaited */
	uint8_t late; /* enum roa_late */
	uint64_t
	    begun; /* rounds that had begun when it started: their changes it knows */
	struct pub64
	    since; /* batches of changes that all its decisions know; its worker writes */
};

/* roa_sub_start - s->table, worker, routes, import, other_nets and the functions are set.
 * In s->worker. Returns: false: the table was deleted and ends, nothing is subscribed. */
MUST_CHECK bool roa_sub_start(struct roa_sub *s);
/* roa_sub_renew - nothing that was decided until now counts any more (a session that is up anew): it isn't told of
 * changes that were there before. In s->worker, before the first decision. */
void roa_sub_renew(struct roa_sub *s);
/* roa_sub_drop - hits and ask may come until dropped. In s->worker. */
void roa_sub_drop(struct roa_sub *s);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routing tables as the rest of the daemon sees them.
 *
 * A table has one writer, its worker. Everybody else reads under RCU: nets, the paths of
 * a net, the best one. A pointer found is good until the reader's next quiescent state
 * (the return of its callback). What a reader sees of a net is its state now or a later
 * one than any segment that it has read. */
#ifndef TERN_NEST_TABLE_H
#define TERN_NEST_TABLE_H

#include "lib/attr/route.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "sysdep/loop/loop.h"

struct tern;

struct table;
struct net;
struct path;
struct origin;
struct attr_store;

/* table_new - made and launched by the control worker. */
OWNED struct table *table_new(struct tern *t, const struct conf_table *cf);
/* table_delete - it is in no view any more, so that nobody attaches to it. It frees
 * itself when the last who uses it has gone, a grace period later. */
void table_delete(TAKE struct table *t);
/* table_use, table_unuse - whoever has its address beyond a callback: a channel, from its
 * start until it is freed. Any thread; unuse under RCU or in one of its callbacks. */
void table_use(struct table *t);
void table_unuse(struct table *t);

/* table_set_debug - what goes to the log: DEBUG_STATES, _ROUTES, _EVENTS. Control worker.
 */
void table_set_debug(struct table *t, uint32_t debug);

const char *table_name(const struct table *t);
/* table_number - no other table of this process has or had the number. Whoever comes back
 * to a table by its name after a yield sees by the number whether the table is the same:
 * another table may lie at the same address. */
uint64_t table_number(const struct table *t);
enum family table_family(const struct table *t);
enum nlri_kind table_kind(const struct table *t);
/* table_store - where its attribute sets are interned. */
struct attr_store *table_store(const struct table *t);

/* A message that a session puts behind its records: it goes to @to when all of them are
 * in the table. */
struct table_mark {
	struct msg msg;
	struct worker *to;
	/* in_table - NULL, or called in the table's worker before that; the feeder that
	 * has sent it is still there */
	void (*in_table)(struct table_mark *m);
};

/* table_worker - a mark to it is handled when what came before it is published, too. */
struct worker *table_worker(struct table *t);
/* table_marked - send it. Any thread. */
static inline void
table_marked(TAKE struct table_mark *m)
{
	worker_post(m->to, &m->msg);
}

/* ---- reading, any thread under RCU ---- */

/* table_find_nlri - exact match; NULL: none (or it has no paths). */
const struct net *table_find_nlri(const struct table *t, const struct nlri *k);
/* table_find - the same in a table of IP prefixes of any family. */
const struct net *table_find(const struct table *t, const struct prefix *p);
/* table_match - longest match for @a among nets that have a best route. */
const struct net *table_match(const struct table *t, struct ip_addr a);
/* table_match_prefix - the longest net with a best route that contains @p. */
const struct net *table_match_prefix(const struct table *t, const struct prefix *p);
/* table_id_limit - all net ids are below it. */
uint32_t table_id_limit(const struct table *t);
/* table_batch - number of the batch under way or last done: what is published by now is
 * of it or of older ones. */
uint32_t table_batch(const struct table *t);
/* table_net_at - the net of an id; NULL if none has it or it has no paths. */
const struct net *table_net_at(const struct table *t, uint32_t id);

struct nlri net_nlri(const struct table *t, const struct net *n);
/* table_net_of - the net of an id, also if it has no paths any more; the id is held back
 * for the caller. */
const struct net *table_net_of(const struct table *t, uint32_t id);
uint32_t net_id(const struct table *t, const struct net *n);
struct prefix net_prefix(const struct table *t, const struct net *n);
/* net_view - as nlri_view. */
void net_view(
    const struct table *t, const struct net *n, struct route_view *r, struct fnet *what);
/* net_best - NULL: no path is selectable. */
const struct path *net_best(const struct net *n);
/* net_first, path_next - all paths in the order of rank: filtered ones last. */
const struct path *net_first(const struct net *n);
const struct path *path_next(const struct path *p);

/* path_set - after policy; of a filtered path before policy. */
struct attr_set *path_set(const struct path *p);
/* path_pre - before policy; NULL if it isn't kept. */
struct attr_set *path_pre(const struct path *p);
/* path_id - its id among all paths; 0: nobody reads those, or it is filtered. */
uint32_t path_id(const struct path *p);
bool path_filtered(const struct path *p);
/* path_shown_filtered - is it filtered, and not only kept for `import table`? */
bool path_shown_filtered(const struct table *t, const struct path *p);
/* path_live - its source is still there (the walk that removes dead ones may not have
 * come by). */
bool path_live(const struct table *t, const struct path *p);
/* path_stale - of one that is live: does it wait to be announced again? */
bool path_stale(const struct table *t, const struct path *p);
uint32_t path_src(const struct path *p);
/* path_rid - the path identifier that it came with (RFC 7911, 3); 0: none. */
uint32_t path_rid(const struct path *p);
/* path_origin_of - where it comes from: its source's present incarnation, or what was
 * there before the pipes that it has passed; NULL: the source is gone. path_facts - what
 * that says of itself. path_piped - has it passed a pipe? */
const struct origin *path_origin_of(const struct table *t, const struct path *p);
const struct route_source *path_facts(const struct table *t, const struct path *p);
bool path_piped(const struct path *p);
/* path_time_ns - monotonic time of its last change, to 10 ms. */
uint64_t path_time_ns(const struct table *t, const struct path *p);

struct table_stats {
	uint64_t nets, paths, filtered; /* nets with a path; paths with filtered ones */
	uint64_t batches, changes, segments, segment_nets, withdraw_segments;
	uint64_t journal_bytes, journal_cut, wake_rounds, cuts_built, cuts_shared;
	uint64_t waiting_ids, id_limit;
	uint64_t cpu_ns; /* of the table's thread in its callbacks */
};
void table_stats(const struct table *t, struct table_stats *st);
/* What a table has in memory, in octets: networks with the index of them, paths, what
 * its readers follow, and the journals with what lies in them. */
struct table_memory {
	uint64_t networks, paths, streams, journals;
};
/* table_memory - cost: a look at each page. Any thread under RCU. */
void table_memory(const struct table *t, struct table_memory *m);
/* table_untouched - octets of its large arrays that were never used, so that they aren't
 * in memory; *@journal: of the journal's. Any thread under RCU. */
uint64_t table_untouched(const struct table *t, uint64_t *journal);

#endif

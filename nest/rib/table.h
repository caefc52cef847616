/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routing tables, for the rest of the daemon.
 *
 * A table has one writer, its worker. All other threads read under RCU: nets, paths of a
 * net, the best path. A pointer is valid until the reader's next quiescent state (the
 * return of the callback). A reader of a net sees the present state, never a state older
 * than the segments that the reader has read.
 *
 * Owner: the table's worker. Life: from table_new until the table frees itself, a grace
 * period after table_delete and the last table_unuse. */
#ifndef TERN_NEST_RIB_TABLE_H
#define TERN_NEST_RIB_TABLE_H

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

/* table_new - make and launch a table. Control worker. */
OWNED struct table *table_new(struct tern *t, const struct conf_table *cf);
/* table_delete - no view has @t any more, so no further object attaches. The table frees
 * itself a grace period after the last user is gone. */
void table_delete(TAKE struct table *t);
/* table_use, table_unuse - count a user that keeps the address beyond a callback: a
 * channel, from its start until it is freed. Any thread; unuse under RCU or in a callback
 * of RCU. */
void table_use(struct table *t);
void table_unuse(struct table *t);

/* table_set_debug - select log lines: DEBUG_STATES, _ROUTES, _EVENTS. Control worker. */
void table_set_debug(struct table *t, uint32_t debug);

const char *table_name(const struct table *t);
/* table_number - a number that no other table of the process has or had. Code that finds
 * a table by its name after a yield compares numbers: another table may have the old
 * address. */
uint64_t table_number(const struct table *t);
enum family table_family(const struct table *t);
enum nlri_kind table_kind(const struct table *t);
/* table_store - the store of the table's attribute sets. */
struct attr_store *table_store(const struct table *t);

/* A message that a session sends after its records; @to gets it when the table has all
 * these records. Embedded in its sender's object; owner: the sender, then the ring, then
 * @to. */
struct table_mark {
	struct msg msg;
	struct worker *to;
	/* in_table - NULL, or called in the table's worker before the message is posted;
	 * the sending feeder still exists */
	void (*in_table)(struct table_mark *m);
};

/* table_worker - a mark posted to the table's worker is handled after the publication of
 * all earlier changes. */
struct worker *table_worker(struct table *t);
/* table_marked - post the mark. Any thread. */
static inline void
table_marked(TAKE struct table_mark *m)
{
	worker_post(m->to, &m->msg);
}

/* ---- reading, any thread under RCU ---- */

/* table_find_nlri - the net with key @k; NULL: no such net with paths. */
const struct net *table_find_nlri(const struct table *t, const struct nlri *k);
/* table_match - longest match for @a among nets with a best route. */
const struct net *table_match(const struct table *t, struct ip_addr a);
/* table_match_prefix - the longest net with a best route that contains @p. */
const struct net *table_match_prefix(const struct table *t, const struct prefix *p);
/* table_may_have_len - false: no net has the length @len, at most 128. */
bool table_may_have_len(const struct table *t, unsigned len);
/* table_id_limit - upper bound of all net ids. */
uint32_t table_id_limit(const struct table *t);
/* table_batch - number of the present or last batch: all published changes belong to it
 * or to older batches. */
uint32_t table_batch(const struct table *t);
/* table_net_at - the net with id @id; NULL: no such net with paths. */
const struct net *table_net_at(const struct table *t, uint32_t id);

struct nlri net_nlri(const struct table *t, const struct net *n);
/* table_net_of - the net with id @id, even without paths; the id is held back for the
 * caller. */
const struct net *table_net_of(const struct table *t, uint32_t id);
uint32_t net_id(const struct table *t, const struct net *n);
struct prefix net_prefix(const struct table *t, const struct net *n);
/* net_view - nlri_view of the net. */
void net_view(
    const struct table *t, const struct net *n, struct route_view *r, struct fnet *what);
/* net_best - NULL: no path is selectable. */
const struct path *net_best(const struct net *n);
/* net_first, path_next - all paths in the order of rank: filtered ones last. */
const struct path *net_first(const struct net *n);
const struct path *path_next(const struct path *p);

/* path_set - set after import policy; of a filtered path, before policy. */
struct attr_set *path_set(const struct path *p);
/* path_pre - set before import policy; NULL: not kept. */
struct attr_set *path_pre(const struct path *p);
/* path_id - id among all paths; 0: the stream of all paths has no readers, or the path is
 * filtered. */
uint32_t path_id(const struct path *p);
bool path_filtered(const struct path *p);
/* path_shown_filtered - true: policy filtered the path; false for paths that only `import
 * table` keeps. */
bool path_shown_filtered(const struct table *t, const struct path *p);
/* path_live - false: the source is gone, and the walk over dead paths has not yet removed
 * the path. */
bool path_live(const struct table *t, const struct path *p);
/* path_stale - true: the live path waits for a new announcement. */
bool path_stale(const struct table *t, const struct path *p);
uint32_t path_src(const struct path *p);
/* path_rid - the received path identifier (RFC 7911, 3); 0: none. */
uint32_t path_rid(const struct path *p);
/* path_origin_of - origin of the path: the present incarnation of its source, or the
 * origin before the pipes; NULL: the source is gone. path_facts - facts of that origin.
 * path_piped - true: the path came through a pipe. */
const struct origin *path_origin_of(const struct table *t, const struct path *p);
const struct route_source *path_facts(const struct table *t, const struct path *p);
bool path_piped(const struct path *p);
/* path_time_ns - monotonic time of the last change of the path, to 10 ms. */
uint64_t path_time_ns(const struct table *t, const struct path *p);

/* Counts of a table. Owner: the caller; by value: nothing to free. */
struct table_stats {
	uint64_t nets, paths, filtered; /* nets with a path; paths with filtered ones */
	uint64_t batches, changes, segments, segment_nets, withdraw_segments;
	uint64_t journal_bytes, journal_dropped, wake_rounds, cuts_built, cuts_shared;
	uint64_t waiting_ids, id_limit;
	uint64_t cpu_ns; /* of the table's thread, in callbacks */
};
void table_stats(const struct table *t, struct table_stats *st);
/* Memory of a table, in octets: nets with their index, paths, streams, and journals with
 * their contents. Owner: the caller, on the stack. */
struct table_memory {
	uint64_t networks, paths, streams, journals;
};
/* table_memory - Cost: one look at each page. Any thread under RCU. */
void table_memory(const struct table *t, struct table_memory *m);
/* table_untouched - octets of the table's large arrays that were never used and so are
 * not in memory; *@journal: of the journals. Any thread under RCU. */
uint64_t table_untouched(const struct table *t, uint64_t *journal);

/* What knows the longest matches of a table: an index (nest/rib/index/match_index.h) puts
 * itself in the table's `match`. owner: the index; freed by: the index. */
struct table_matcher {
	/* match_index_answers */
	bool (*answers)(
	    const struct table *t, const struct net **n, const struct prefix *p);
};

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a table. Only files of nest/rib include the header. Owner of the structs: the
 * table. Life: as the table, unless the struct says otherwise; freed by the table.
 *
 * I1  Only the table's worker writes nets, paths, the hash, ids and the journal's tail.
 * I2  net->best changes by one store; before the store, net->batch and the chunk's
 *     version get the number of the present batch. A thread that reads a best path and
 *     then table->batch knows that all observed changes belong to batches up to that
 *     number.
 * I3  A net whose best path changed in a batch is in exactly one segment of that batch,
 *     with the best path at the batch's end, even if the first and the last best path are
 *     equal. A net of which only another path changed is in a segment too, if a reader
 *     wants such nets (table_behind.readers); a net with many paths may be published
 *     later (table_behind.c).
 * I4  Paths are immutable but for `next`, for the epoch in `from` when a stale path is
 *     announced again, and for `id` when the stream of all paths gets its first reader.
 *     The table's worker frees an unlinked path a grace period later.
 * I5  A net without paths ("dead") keeps its id and its place in the hash until every
 *     session has sent the withdrawal (journal_min_out) and a grace period has passed. */
#ifndef TERN_NEST_RIB_TABLE_PRIV_H
#define TERN_NEST_RIB_TABLE_PRIV_H

#include "lib/base/bitmap.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/mem/arena.h"
#include "lib/mem/buddy.h"
#include "lib/mt/atomic.h"
#include "lib/mt/bump.h"
#include "lib/mt/journal.h"
#include "lib/mt/near.h"
#include "lib/mt/rcu.h"
#include "lib/mt/slab.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/stream.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"

#define TABLE_CS_NS      10000000ull /* resolution of the clock that dates paths */
#define NET_PARTS        256
#define HASH_START_ORDER 4 /* of a part */

#define NET_HASHED 0x01
/* the net is in the queue of dead nets, once */
#define NET_WAITING 0x02
#define NET_REDIED  0x04 /* NET_WAITING, and lived and died again since */
#define NET_MANY    0x08 /* the paths have an index (nest/rib/table/path_index.h) */
#define NET_MOVED   0x10 /* the best path changed in the present batch */

/* Owner: the table. A dead net's place serves a later net; freed with the table. */
struct net {
	struct near paths; /* struct path, in the order of rank */
	struct near best;
	struct pub32 batch; /* of its latest segment */
	uint16_t head; /* with word: the key of the net (struct nlri) */
	uint8_t flags; /* private to the writer */
	uint32_t word[]; /* number of words: by kind */
};

/* Owner: the table, which frees a replaced array a grace period later. */
struct hash_arr {
	/* 0: empty; else bits of the hash, then id + 1 (table_hash.c) */
	struct pub32 *slot;
	uint32_t mask;
	uint8_t order; /* 2^order slots */
	uint8_t id_bits, known;
	struct hash_arr *next_old; /* of hash.old_arrs */
};

/* A part of the hash. Owner: the table that embeds the part: freed with the table. */
struct hash_part {
	struct pubptr arr; /* struct hash_arr * */
	uint32_t used; /* slots in use, including removed nets */
	uint32_t live;
};

/* Number of a detached feeder: free when all readers of best routes have passed @seq, and
 * all readers of all paths @all_seq. */
struct held_id {
	uint32_t id;
	uint64_t seq, all_seq;
};

/* Feeders by number. A larger array replaces the array. */
struct feeder_arr {
	struct rcu_node rcu;
	uint32_t cnt;
	struct pubptr at[]; /* struct feeder * */
};

/* Feeders of a table; feeder.c. Feeders with records: table_inbox.c. */
struct feeders {
	struct pubptr arr; /* struct feeder_arr *; any thread reads */
	struct pubptr *at; /* places of the array, for the table */
	struct bitmap taken; /* numbers in use or held */
	struct held_id *held; /* held numbers, oldest first */
	uint32_t held_cnt, held_cap;
	uint32_t cnt; /* attached or detaching */
	uint32_t overdue_cnt; /* with epoch.overdue */
	struct list all; /* attached, and not detaching */
	struct list detaching; /* detaching; gone when the last path is gone */
	struct list running; /* feeders with records on the ring, round robin */
	struct pubptr active; /* stack of feeders with new records: any session pushes */
};

/* The walk that removes dead paths; table.c. */
struct table_walk {
	struct bitmap chunks; /* chunks to walk */
	uint32_t chunk_cnt; /* number of chunks to walk */
	uint32_t pos, end; /* range of net ids in the present chunk */
	uint64_t nr; /* counts requests, each with possible dead paths */
	bool trims; /* nets may have more paths than `net limit` allows */
};

/* Counters; written by the table's thread, but for the last two. */
struct table_counts {
	struct counter64 nets, paths, filtered, batches, changes, segments, segment_nets,
	    withdraws, dropped, journal_bytes, waiting, cpu_ns, wake_rounds;
	struct counter64 cuts_built, cuts_shared; /* sessions add */
};

/* The nets by key. Any thread reads; the table writes. */
struct table_hash {
	struct hash_part part[NET_PARTS];
	struct pub64 lens[3]; /* bit l: the table has or had nets of length l */
	uint64_t seed; /* constant */
	/* private to the table: */
	uint32_t len_cnt[129];
	struct buddy mem; /* memory of the arrays */
	struct hash_arr *old_arrs; /* arrays replaced since the last batch ended */
};

/* By id of an origin: number of paths whose origin is not their feeder's present
 * origin. */
struct table_origins {
	uint32_t *cnt, cap;
};

/* Memory of paths. */
struct table_paths {
	struct slab_region mem;
	struct slab slab[4]; /* by the extras of a path (path_slab) */
	struct htab many; /* struct path_index: nets with many paths */
	struct table_origins origins;
};

/* The present batch. */
struct table_work {
	struct path **retired; /* paths unlinked in the batch */
	uint32_t retired_cnt, retired_cap;
	/* paths unlinked in earlier batches, free of readers */
	struct retire_batch *over;
	uint64_t over_cnt;
	struct arena scratch;
	bool used; /* the number of the batch was used */
	bool releases; /* more ids of dead nets can be released now */
};

/* Memory of segments and messages. Any session allocates from cut, head and msg. */
struct table_out {
	struct bump seg, cut, head, msg;
};

#define BEHIND_PACES 11 /* 2^i ms: up to a second */

/* Nets in which a path behind the best changed, published later; table_behind.c. */
struct table_behind {
	uint32_t readers; /* readers that want SEG_BEHIND */
	uint32_t cnt; /* nets in waits */
	struct list waits[BEHIND_PACES]; /* struct path_index */
	struct timer timer;
};

/* Scratch memory for grouping a whole batch, so that grouping does not call malloc. */
#define SCRATCH_SIZE 98304

/* The array of nets. Any thread reads. table_net.c. Owner: the table's worker. Life: as
 * the table. */
struct table_nets {
	/* by id, `size` octets each, usable up to net_open; paths follow */
	uint8_t *at;
	uint32_t size, words; /* octets and words of a struct net */
};

/* Pointers that the table or an index publishes; any thread reads under RCU. Owner: the
 * table's worker. Life: as the table. */
struct table_published {
	struct pubptr all; /* table.all, for threads that did not ask for the stream */
	struct pubptr overlay; /* struct overlay *: base and policy of an overlay */
	struct pubptr match; /* struct table_matcher *; written by the matcher's worker */
	struct pubptr igp; /* struct igp_watcher *: reports changed next hops */
	/* the chunk of work.scratch, SCRATCH_SIZE octets, for table_untouched; NULL: no
	 * chunk */
	struct pubptr scratch;
};

/* Users and end of a table. table_get.c, table.c. Owner: the table's worker. Life: as
 * the table. */
struct table_life {
	struct counter32 users; /* any thread increments; messages decrement */
	uint32_t graces; /* running grace periods of table_grace */
	bool deleting;
};

/* Clock and timers of the worker. table_inbox.c, table_age.c, table.c. Owner: the
 * table's worker. Life: as the table. */
struct table_times {
	uint64_t now_ns; /* time of the batch */
	uint64_t now_cs; /* now_ns since base_ns; at most PATH_TIME_MAX */
	uint64_t full_ns; /* time of the last log line about refused routes; 0: never */
	uint32_t aged; /* number of the batch when table_age.c last began */
	bool ages; /* the walk of table_age.c runs */
	struct timer tick, cut;
};

/* Owner: its worker. Life: until table_life.users is 0 and a grace period has passed. */
struct table {
	struct worker worker;
	struct tern *tern;
	struct attr_store *store;
	char *name;
	uint64_t nr; /* number, unique in the process */
	enum nlri_kind kind; /* of nets */
	uint64_t base_ns;

	/* any thread reads: */
	struct table_nets net;
	struct pub32 batch; /* number of the present or last batch; from 1 */
	struct pub32 done; /* number of the last published batch */
	struct table_hash hash;
	struct feeders feeders;
	struct pub32 debug; /* DEBUG_*; written by the control worker */
	struct table_out out;
	/* of nets; every reader of best routes reads it in each turn */
	struct stream best;
	struct stream *all; /* of paths; NULL: not wanted yet */
	struct table_published pub;
	struct table_counts st;
	struct table_life life;

	/* private to the worker: */
	struct pub64 net_open; /* octets of usable nets */
	struct table_times time;
	struct table_paths paths;
	struct table_work work;
	struct table_walk walk;
	struct table_behind behind;
};

/* table_each_stream - @s: struct stream *; the existing streams. The table's worker. */
#define table_each_stream(s, t)                                                          \
	for ((s) = &(t)->best; (s); (s) = (s) == &(t)->best ? (t)->all : NULL)

/* Work after a grace period. Embedded in the object to work on. */
struct table_grace {
	struct rcu_node rcu;
	struct msg msg;
	struct table *table;
	void (*end)(struct table *t, TAKE struct table_grace *g);
};
/* table_grace - call @end after a grace period; the table lives until then. */
void table_grace(struct table *t, TAKE struct table_grace *g,
    void (*end)(struct table *t, TAKE struct table_grace *g));

/* ---- table_net.c ---- */
void table_nets_init(struct table *t);
void table_nets_fini(struct table *t);
/* path_slab - the slab for paths with @flags. */
static inline struct slab *
path_slab(struct table *t, unsigned flags)
{
	_Static_assert(PATH_PRE == 2 && PATH_EXT == 4, "orders number the slabs");

	return &t->paths.slab[(flags & (PATH_PRE | PATH_EXT)) / PATH_PRE];
}

/* table_has_room - true: a path with @flags can be allocated. */
static inline bool
table_has_room(struct table *t, unsigned flags)
{
	return slab_has(path_slab(t, flags));
}

/* table_has_len - true: the table has or had nets of length @len. Any thread. */
static inline bool
table_has_len(const struct table *t, unsigned len)
{
	return load_acquire64(&t->hash.lens[len / 64]) >> (len % 64) &
	       1; /* pairs: TLENS */
}

/* table_id_free - the id may be reused. */
void table_id_free(struct table *t, uint32_t id);
/* table_nets_open - make the first @cnt nets usable. */
void table_nets_open(struct table *t, uint32_t cnt);

/* table_net_ptr - @id < table_id_limit() */
static inline struct net *
table_net_ptr(const struct table *t, uint32_t id)
{
	return (struct net *)(void *)(t->net.at + (size_t)id * t->net.size);
}

/* table_place - number of a path's address, where a pointer has no room; never 0.
 * table_path_at - the path at @place. */
static inline uint32_t
table_place(const struct table *t, const struct path *p)
{
	return (uint32_t)((size_t)((const uint8_t *)p - t->net.at) / NEAR_UNIT);
}

static inline struct path *
table_path_at(const struct table *t, uint32_t place)
{
	return (struct path *)(void *)(t->net.at + (size_t)place * NEAR_UNIT);
}

/* stream_net - net of item @id. stream_path - present path of the item; NULL: none.
 * stream_batch_of - batch of the item's latest segment. Any thread under RCU. */
static inline struct net *
stream_net(const struct stream *st, uint32_t id)
{
	return table_net_ptr(
	    st->table, unlikely(st->slot) ? load_relaxed32(&st->slot[id].net) : id);
}

static inline const struct path *
stream_path(const struct stream *st, uint32_t id)
{
	uint32_t place;

	if (likely(!st->slot))
		return net_best(table_net_ptr(st->table, id));
	place = load_acquire32(&st->slot[id].path); /* pairs: PSLOT */
	return place ? table_path_at(st->table, place) : NULL;
}

static inline struct pub32 *
stream_batch_of(const struct stream *st, uint32_t id)
{
	return unlikely(st->slot) ? &st->slot[id].batch
				  : &table_net_ptr(st->table, id)->batch;
}

/* stream_is_newest - true: @batch is the newest batch that changed item @id. */
static inline bool
stream_is_newest(const struct stream *st, uint32_t batch, uint32_t id)
{
	return load_acquire32(stream_batch_of(st, id)) == batch; /* pairs: NBATCH */
}

static inline bool
net_is(const struct table *t, const struct net *n, const struct nlri *k)
{
	return nlri_same(t->net.words, n->word, n->head, k);
}

/* ---- table_hash.c ---- */
void table_hash_init(struct table *t);
/* table_hash_octets - size of the arrays. Any thread under RCU. */
uint64_t table_hash_octets(const struct table *t);
void table_hash_fini(struct table *t);
/* table_hash_free_old - free the list @a, a grace period after replacement. */
void table_hash_free_old(struct table *t, TAKE struct hash_arr *a);
/* table_net_unhash - look-ups no longer find net @id. */
void table_net_unhash(struct table *t, uint32_t id);
/* table_hash_trim - the table has no nets: free the arrays after a grace period. */
void table_hash_trim(struct table *t);
/* table_hash_ahead - prefetch the lines for a removal of net @id. */
void table_hash_ahead(const struct table *t, uint32_t id);
struct net *table_net_find(const struct table *t, const struct nlri *k, uint32_t *id);
/* Look-ups of many nets: read the keys, perhaps from many records, then look up all keys.
 * A key is valid while no net leaves the hash.
 * table_keys_read - read at most @max NLRI from *@pos on. Returns: number of keys.
 * table_keys_ahead - prefetch the lines for the look-ups. */
#define NET_KEYS 32
/* Owner: the caller, on the stack: nothing to free. */
struct net_key {
	struct nlri n;
	uint64_t hash;
	const struct hash_arr *arr; /* array for the net */
	uint32_t likely; /* probable id of the net, or NO_ID */
	uint32_t rid; /* path identifier, if received */
};
uint32_t table_keys_read(const struct table *t, bool ids, struct net_key *key,
    uint32_t max, const uint8_t **pos, const uint8_t *end);
void table_keys_ahead(const struct table *t, struct net_key *key, uint32_t cnt);
struct net *table_net_get_key(struct table *t, const struct net_key *k, uint32_t *id);
struct net *table_net_find_key(
    const struct table *t, const struct net_key *k, uint32_t *id);

/* table_lends - true: readers have their own threads, and other threads may run them. */
bool table_lends(const struct table *t);
/* table_feeder_at - feeder with number @id, a number of a path, segment or feeder; NULL:
 * detached. */
static inline struct feeder *
table_feeder_at(const struct table *t, uint32_t id)
{
	const struct feeder_arr *a = load_acquire_ptr(
	    &t->feeders.arr); /* pairs: TFEEDERS */

	return load_acquire_ptr(&a->at[id]); /* pairs: TSRC */
}

/* table_feeder_local - table_feeder_at for the table's thread. */
static inline struct feeder *
table_feeder_local(const struct table *t, uint32_t id)
{
	return load_relaxed_ptr(&t->feeders.at[id]);
}

/* path_origin_local - origin of an existing path, for the table's thread. path_order_of -
 * order of the routes of that origin. path_generation - number of pipes on the way. */
static inline const struct origin *
path_origin_local(const struct table *t, const struct path *p)
{
	return unlikely(path_origin(p))
		   ? path_origin_of(t, p)
		   : load_relaxed_ptr(&table_feeder_local(t, path_feeder(p))->facts);
}

static inline const struct path_order *
path_order_of(const struct table *t, const struct path *p)
{
	return unlikely(path_origin(p)) ? path_origin_of(t, p)->order
					: table_feeder_local(t, path_feeder(p))->order;
}

static inline int
path_generation(const struct table *t, const struct path *p)
{
	return unlikely(path_origin(p)) ? (int)path_origin_of(t, p)->generation : 0;
}

/* ---- path.c ---- */
/* table_path_free - free @p, which no thread reads any more. */
void table_path_free(struct table *t, TAKE struct path *p);

/* ---- path_count.c ---- */
/* table_path_count - net @id got a path (@add 1) or lost a path (-1). */
void table_path_count(struct table *t, uint32_t id, const struct path *p, int add);
/* table_path_freshen - an equal announcement arrived: the path is not stale any more. */
void table_path_freshen(struct feeder *s, struct path *p);

/* ---- origin.c ---- */
/* table_origin_hold - a path names the origin with number @id, which is counted.
 * table_origin_drop - such a path was freed. */
void table_origin_hold(struct table *t, uint32_t id);
void table_origin_drop(struct table *t, uint32_t id);

/* ---- table_best.c ---- */
/* An announcement of a feeder. By value; life: one call. */
struct route_in {
	struct attr_set *set; /* borrowed */
	struct attr_set *pre; /* borrowed; with PATH_PRE */
	uint32_t rid; /* received path identifier; with PATH_EXT, or 0 */
	uint32_t origin; /* id; with PATH_EXT, or 0: the feeder's present origin */
	uint8_t flags; /* PATH_FILTERED, PATH_PRE, PATH_EXT, PATH_OVERDUE */
	bool blocked; /* a limit refuses and has counted the route */
	/* from a reload, not from the peer: a stale path stays stale */
	bool again;
	bool seen; /* REC_SEEN */
};

/* table_announce - set path @r->rid of @s for net @id; kept sets are referenced. Returns:
 * false: no room (table_has_room), and the previous path of @s was removed. */
bool table_announce(struct table *t, struct feeder *s, struct net *n, uint32_t id,
    const struct route_in *r);
/* table_withdraw - remove that path. Returns: true: an unfiltered path was removed. */
bool table_withdraw(
    struct table *t, struct feeder *s, struct net *n, uint32_t id, uint32_t rid);
/* table_feeder_path - the path @rid of @s in its present epoch; NULL: none. */
const struct path *table_feeder_path(
    const struct table *t, const struct feeder *s, const struct net *n, uint32_t rid);
/* table_prune - remove the dead paths of a net. */
void table_prune(struct table *t, struct net *n, uint32_t id);

/* ---- overdue.c ---- */
/* table_overdue - stale paths of @n become overdue, for feeders that ask for it. */
void table_overdue(struct table *t, struct net *n, uint32_t id);
/* overdue_set - the set of an overdue path that would have @set, and a reference; NULL:
 * the path must leave the table. */
OWNED struct attr_set *overdue_set(struct table *t, struct attr_set *set);

/* ---- table_behind.c ---- */
struct path_index;

void table_behind_init(struct table *t);
/* table_behind_later - a path behind the best of the net of @ix changed. Returns: true:
 * publish later; false: publish with this batch, or no reader wants the change. */
bool table_behind_later(struct table *t, struct path_index *ix);
/* table_behind_end - the net has few paths again: cancel the late publication. */
void table_behind_end(struct table *t, struct path_index *ix);
/* table_behind_step - publish the due nets with this batch. Returns: next due time; 0:
 * none. */
uint64_t table_behind_step(struct table *t, uint64_t now_ns);

/* ---- table_inbox.c ---- */
/* table_take_records - one batch. Returns: true: records are left. */
bool table_take_records(struct table *t);

static inline bool
table_walk_is_on(const struct table *t)
{
	return t->walk.chunk_cnt || t->walk.pos < t->walk.end;
}

/* ---- path_count.c ---- */
/* feeder_chunks_grow - make room in f->chunks for @chunk and more. Returns: the chunk's
 * count. */
struct pub32 *feeder_chunks_grow(struct feeder *f, uint32_t chunk);
/* feeder_chunk - number of nets with a path of @f in the chunk of net @id. */
static inline struct pub32 *
feeder_chunk(struct feeder *f, uint32_t id)
{
	struct feeder_chunks *c = load_relaxed_ptr(&f->chunks);
	uint32_t i = id >> CHUNK_ORDER;

	return likely(c && i < c->cnt) ? &c->paths[i] : feeder_chunks_grow(f, i);
}
/* feeder_walk - ask the table's walk to look at all nets of @f. */
void feeder_walk(struct table *t, const struct feeder *f);

/* ---- table_publish.c ---- */
/* table_net_dead - @n lost its last path in this batch. */
void table_net_dead(struct table *t, struct net *n, uint32_t id);
/* table_batch_end - group and publish changes, retire paths. Returns: true: published. */
bool table_batch_end(struct table *t);
/* table_free_step - free a bounded number of unread paths; a batch that removes dead
 * paths delays the work, up to a bound. Returns: true: call again now. */
bool table_free_step(struct table *t);
/* table_release_dead - release ids of a bounded number of dead nets whose withdrawals all
 * sessions have sent. Returns: true: call again now. */
bool table_release_dead(struct table *t);

/* ---- table_all.c ---- */
/* table_all - the stream of all paths, made at the first request; the reader wants no
 * path of @shunned (NULL: wants all). table_all_free - no reader is left; no effect
 * without a stream.
 * table_all_takes - true: paths wait to get or to lose an id. table_all_step - at the
 * start of a batch: a bounded number of these paths. Returns: true: the last path was
 * taken; call readers_attach_waiting. table_all_forget - feeder @feeder has no paths. */
struct stream *table_all(struct table *t, const struct feeder *shunned);
/* table_all_left - a reader of the stream left. table_all_trim - ids were freed. */
void table_all_left(struct table *t);
void table_all_trim(struct table *t);
void table_all_free(struct table *t);
static inline bool
table_all_takes(const struct table *t)
{
	return unlikely(t->all) && unlikely(t->all->take_pos != UINT32_MAX);
}
bool table_all_step(struct table *t);
/* readers_attach_waiting - in reader_life.c: attach the readers of @st->waiting. */
void readers_attach_waiting(struct stream *st);
void table_all_forget(struct table *t, uint32_t feeder);
/* table_path_publish - before @p of net @net is linked; @old: the replaced path, which
 * passes its id to @p; NULL: none. table_path_unpublish - after @p was unlinked. No
 * effect without a stream of all paths. */
void table_path_publish(
    struct table *t, uint32_t net, struct path *p, const struct path *old);
void table_path_unpublish(struct table *t, const struct path *p);

/* ---- cut.c ---- */
/* stream_cuts_free - at the table's end. */
void stream_cuts_free(struct stream *st);
/* stream_cuts_expire - drop cuts without use since the last call. Returns: true: cuts are
 * left. */
bool stream_cuts_expire(struct stream *st);

/* ---- overlay.c ---- */
/* table_overlay_drop - free the overlay at the table's end. */
void table_overlay_drop(struct table *t);

/* ---- table_trace.c ---- */

static inline bool
table_traces(const struct table *t, uint32_t what)
{
	return load_relaxed32(&t->debug) & what;
}

/* table_trace_best - log that @p is the best route of @n (NULL: none).
 * table_trace_dropped - log that the journal dropped @cnt segments. table_trace_state -
 * log a state of the table. */
void table_trace_best(const struct table *t, const struct net *n, const struct path *p);
void table_trace_dropped(const struct table *t, uint64_t cnt);
void table_trace_state(const struct table *t, const char *what);

#endif

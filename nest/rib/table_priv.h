/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a table: for the files of nest/rib only.
 *
 * I1  Only the table's worker writes nets, paths, the hash, ids and the journal's tail.
 * I2  net->best changes by one store; before it, net->batch and the chunk's version have
 *     the number of the batch that is under way. Whoever reads a best path and then
 *     table->batch knows: all that he saw was made by batches up to that number.
 * I3  A net whose best changed in a batch is in exactly one segment of that batch, with
 *     its best as of the batch's end, also if that is what it was before. So is a net of
 *     which only another path changed, if a reader wants that (behind_cnt); but where
 *     there are many the segment may come later (table_behind.c).
 * I4  Path objects are immutable but for `next`, for the epoch in `from` when a stale
 *     path is announced again, and for `id` in the moment in which somebody asks for all
 *     paths first; what is unlinked goes back to the slab a grace period later, in the
 *     table's worker.
 * I5  A net without paths ("dead") keeps its id and its place in the hash until every
 *     session has sent its withdrawal (journal_min_out) and a grace period has passed. */
#ifndef TERN_NEST_TABLE_PRIV_H
#define TERN_NEST_TABLE_PRIV_H

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

#define TABLE_CS_NS      10000000ull /* a step of the clock that dates paths */
#define NET_PARTS        256
#define HASH_START_ORDER 4 /* of a part */

#define NET_HASHED 0x01
/* it is in the queue of dead nets, once, whatever happens to it since */
#define NET_WAITING 0x02
#define NET_REDIED  0x04 /* and has lived and died again since it was put there */
#define NET_MANY    0x08 /* its paths have an index (nest/rib/table/path_index.h) */
#define NET_MOVED   0x10 /* in the batch under way its best was another path */

struct net {
	struct near paths; /* struct path, in the order of rank */
	struct near best;
	struct pub32 batch; /* of its latest segment */
	uint16_t head; /* with word: which net it is (struct nlri) */
	uint8_t flags; /* writer's */
	uint32_t word[]; /* as many as its kind has */
};

struct hash_arr {
	/* 0: empty; else bits of the hash, then id + 1 (table_hash.c) */
	struct pub32 *slot;
	uint32_t mask;
	uint8_t order; /* 2^order slots */
	uint8_t id_bits, known;
	struct hash_arr *next_old; /* of hash.old_arrs */
};

struct hash_part {
	struct pubptr arr; /* struct hash_arr * */
	uint32_t used; /* slots that are not empty (with those of removed nets) */
	uint32_t live;
};

/* The number of a feeder that has gone: free when all readers of best routes are beyond
 * @seq, and those of all paths beyond @all_seq. */
struct held_id {
	uint32_t id;
	uint64_t seq, all_seq;
};

/* Feeders by number. Replaced whole when it grows. */
struct feeder_arr {
	struct rcu_node rcu;
	uint32_t cnt;
	struct pubptr at[]; /* struct feeder * */
};

/* All feeders of a table. owner: the table, but for active; feeder.c, and who has
 * records: table_inbox.c. */
struct feeders {
	struct pubptr arr; /* struct feeder_arr *; read by all */
	struct pubptr *at; /* the same array's places, for the table */
	struct bitmap taken; /* numbers that are given, or held back */
	struct held_id *held; /* these, oldest first */
	uint32_t held_cnt, held_cap;
	uint32_t cnt; /* attached, or not yet let go */
	uint32_t long_cnt; /* with long_lived */
	struct list all; /* attached, and not told to go */
	struct list detaching; /* those that go when their last path is gone */
	struct list running; /* whose ring is not empty, round robin */
	struct pubptr active; /* stack of those that have records: any session pushes */
};

/* The walk that removes dead paths. owner: the table; table.c. */
struct table_walk {
	struct bitmap chunks; /* those to look at */
	uint32_t chunk_cnt; /* how many they are */
	uint32_t pos, end; /* net ids of the one that is looked at */
	uint64_t nr; /* counts what it is asked for: since then there may be dead paths */
	bool trims; /* nets may have more paths than `net limit` allows */
};

/* What is counted; the table's thread, but for the last two. */
struct table_counts {
	struct counter64 nets, paths, filtered, batches, changes, segments, segment_nets,
	    withdraws, cut, journal_bytes, waiting, cpu_ns, wake_rounds;
	struct counter64 cuts_built, cuts_shared; /* sessions add */
};

/* Which nets there are: found by their key. Read by all; the table writes. */
struct table_hash {
	struct hash_part part[NET_PARTS];
	struct pub64 lens[3]; /* bit l: there are nets of length l (or were) */
	uint64_t seed; /* constant */
	/* the table's own */
	uint32_t len_cnt[129];
	struct buddy mem; /* of its arrays */
	struct hash_arr *old_arrs; /* replaced since a batch ended */
};

/* Where paths lie. owner: the table. */
struct table_paths {
	struct slab_region mem;
	struct slab slab[4]; /* by what stands behind them (path_slab) */
	struct htab many; /* struct path_index: of nets with many paths */
};

/* How many paths name an origin that isn't their feeder's, by its number. owner: the
 * table. */
struct table_origins {
	uint32_t *cnt, cap;
};

/* The batch under way. owner: the table. */
struct table_work {
	struct path **retired; /* unlinked in it */
	uint32_t retired_cnt, retired_cap;
	/* of earlier batches: paths that nobody reads any more, to be freed */
	struct retire_batch *over;
	uint64_t over_cnt;
	struct arena scratch;
	bool used; /* its number has been used */
	bool releases; /* ids of dead nets are left to be let go now */
};

/* Where segments and messages lie, side by side. Any session takes of all but the
 * first. */
struct table_out {
	struct bump seg, cut, head, msg;
};

#define BEHIND_PACES 11 /* 2^i ms: up to a second */

/* Nets of which a path behind the best changed, and that are told later. owner: the
 * table; table_behind.c. */
struct table_behind {
	struct list waits[BEHIND_PACES]; /* struct path_index */
	struct timer timer;
};

/* What grouping a whole batch takes, so that it asks no arena of malloc's. */
#define SCRATCH_SIZE 98304

struct table {
	struct worker worker;
	struct tern *tern;
	struct attr_store *store;
	char *name;
	uint64_t nr; /* no other table of this process has it */
	enum nlri_kind kind; /* of nets */
	uint32_t net_size, net_words; /* octets of a struct net; words that it ends in */
	uint64_t base_ns;

	/* read by all */
	/* by id, net_size octets each; open up to net_open; paths lie behind them */
	uint8_t *net;
	struct pub32 batch; /* number of the batch under way or last done; from 1 */
	struct pub32 done; /* number of the last batch that is wholly published */
	struct table_hash hash;
	struct feeders feeders;
	uint32_t
	    behind_cnt; /* readers that want nets told whose best stays (SEG_BEHIND) */
	struct pub32 debug; /* DEBUG_*; the control worker sets it */
	struct table_out out;
	/* where the chunk of work.scratch begins, of SCRATCH_SIZE octets; NULL: there is
	 * none. To be told how much of it is in memory */
	struct pubptr scratch;
	struct stream best; /* of nets; readers follow it in each turn */
	struct stream *all; /* of paths; NULL: nobody has asked for it */
	struct pubptr all_pub; /* the same, for who hasn't asked for it */
	struct pubptr overlay; /* struct overlay *: what it has of its base */
	struct pubptr
	    match; /* struct match_index *: longest matches; its worker writes */
	struct pubptr igp; /* struct igp_lookout *: who tells of changed next hops */
	struct table_counts st;
	struct counter32 users; /* any thread adds, by messages it goes down */

	/* the worker's own */
	struct pub64 net_open; /* octets; stepwise */
	uint64_t now_ns; /* time of the batch */
	uint64_t now_cs; /* the same, since base_ns; at most PATH_TIME_MAX */
	uint32_t aged; /* number of the batch when the last walk of table_age.c began */
	bool ages; /* that walk is on */
	struct table_paths paths;
	struct table_origins origins;
	struct table_work work;
	struct table_walk walk;
	struct table_behind behind;
	struct timer tick, cut_timer;
	uint64_t full_ns; /* when it was last told that routes are refused; 0: never */
	uint32_t graces; /* grace periods that will post to us */
	bool deleting;
};

/* table_each_stream - @s: struct stream *; those that there are. The table's worker. */
#define table_each_stream(s, t)                                                          \
	for ((s) = &(t)->best; (s); (s) = (s) == &(t)->best ? (t)->all : NULL)

/* What the table does when a grace period is over. Embedded in what it is about. */
struct table_grace {
	struct rcu_node rcu;
	struct msg msg;
	struct table *table;
	void (*end)(struct table *t, TAKE struct table_grace *g);
};
/* table_grace - @end is called a grace period from now; the table stays until then. */
void table_grace(struct table *t, TAKE struct table_grace *g,
    void (*end)(struct table *t, TAKE struct table_grace *g));

/* ---- table_net.c ---- */
void table_nets_init(struct table *t);
void table_nets_fini(struct table *t);
/* table_net_new - an id for @k, which isn't in the hash. NULL: NET_ID_MAX nets exist. */
struct net *table_net_new(struct table *t, const struct nlri *k, uint32_t *id);
/* path_slab - where paths of @flags lie. */
static inline struct slab *
path_slab(struct table *t, unsigned flags)
{
	_Static_assert(PATH_PRE == 2 && PATH_EXT == 4, "they number the slabs");

	return &t->paths.slab[(flags & (PATH_PRE | PATH_EXT)) / PATH_PRE];
}

/* table_has_room - is there an address for one more path of @flags? */
static inline bool
table_has_room(struct table *t, unsigned flags)
{
	return slab_has(path_slab(t, flags));
}

/* table_has_len - are there nets of length @len, or were there? Any thread. */
static inline bool
table_has_len(const struct table *t, unsigned len)
{
	return load_acquire64(&t->hash.lens[len / 64]) >> (len % 64) &
	       1; /* pairs: TLENS */
}

/* table_net_unhash - its id can't be found any more; table_id_free - and may be given
 * again. */
void table_net_unhash(struct table *t, uint32_t id);
void table_id_free(struct table *t, uint32_t id);
/* table_nets_open - the first @cnt nets can be used. */
void table_nets_open(struct table *t, uint32_t cnt);

/* table_net_ptr - @id < table_id_limit() */
static inline struct net *
table_net_ptr(const struct table *t, uint32_t id)
{
	return (struct net *)(void *)(t->net + (size_t)id * t->net_size);
}

/* table_place - of a path: what names it where there is no room for a pointer; never 0.
 * table_path_at - the path at @place. */
static inline uint32_t
table_place(const struct table *t, const struct path *p)
{
	return (uint32_t)((size_t)((const uint8_t *)p - t->net) / NEAR_UNIT);
}

static inline struct path *
table_path_at(const struct table *t, uint32_t place)
{
	return (struct path *)(void *)(t->net + (size_t)place * NEAR_UNIT);
}

/* stream_net - the net of item @id; stream_path - its state, NULL: none; stream_batch_of
 * - of its latest segment. Any thread under RCU. */
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

/* stream_is_newest - is @batch the newest that has changed item @id? */
static inline bool
stream_is_newest(const struct stream *st, uint32_t batch, uint32_t id)
{
	return load_acquire32(stream_batch_of(st, id)) == batch; /* pairs: NBATCH */
}

static inline bool
net_is(const struct table *t, const struct net *n, const struct nlri *k)
{
	return nlri_same(t->net_words, n->word, n->head, k);
}

/* ---- table_hash.c ---- */
void table_hash_init(struct table *t);
/* table_hash_octets - of its arrays. Any thread under RCU. */
uint64_t table_hash_octets(const struct table *t);
void table_hash_fini(struct table *t);
/* table_hash_free_old - those from @a on, a grace period after they were replaced. */
void table_hash_free_old(struct table *t, TAKE struct hash_arr *a);
void table_hash_remove(struct table *t, uint32_t id);
/* table_hash_rest - there is no net: nor are there arrays, a grace period later. */
void table_hash_rest(struct table *t);
/* table_hash_ahead - the lines that removing it needs are under way when it returns. */
void table_hash_ahead(const struct table *t, uint32_t id);
/* table_net_get - find or make; NULL: NET_ID_MAX nets exist. Writer. */
struct net *table_net_get(struct table *t, const struct nlri *k, uint32_t *id);
struct net *table_net_find(const struct table *t, const struct nlri *k, uint32_t *id);
/* The same for nets that come many at a time: the keys are read, perhaps of many records,
 * then all looked up; good while no net leaves the hash.
 * table_keys_read - at most @max of the NLRI from *@pos on; table_keys_ahead - the lines
 * that looking them up needs are under way when it returns. Returns: how many. */
#define NET_KEYS 32
struct net_key {
	struct nlri n;
	uint64_t hash;
	const struct hash_arr *arr; /* in which it is, or would be */
	uint32_t likely; /* id of the net that it is, as a rule; or NO_SOURCE */
	uint32_t rid; /* its path identifier; only where there are such */
};
uint32_t table_keys_read(const struct table *t, bool ids, struct net_key *key,
    uint32_t max, const uint8_t **pos, const uint8_t *end);
void table_keys_ahead(const struct table *t, struct net_key *key, uint32_t cnt);
struct net *table_net_get_key(struct table *t, const struct net_key *k, uint32_t *id);
struct net *table_net_find_key(
    const struct table *t, const struct net_key *k, uint32_t *id);

/* table_lends - may the thread of a reader, or of the table, run readers that it would
 * wake? If they have threads of their own. */
bool table_lends(const struct table *t);
/* table_feeder_at - the one of number @id, which was read of a path, a segment or a
 * feeder; NULL: it has gone. */
static inline struct feeder *
table_feeder_at(const struct table *t, uint32_t id)
{
	const struct feeder_arr *a = load_acquire_ptr(
	    &t->feeders.arr); /* pairs: TFEEDERS */

	return load_acquire_ptr(&a->at[id]); /* pairs: TSRC */
}

/* table_own_feeder - the same in the table's thread. */
static inline struct feeder *
table_own_feeder(const struct table *t, uint32_t id)
{
	return load_relaxed_ptr(&t->feeders.at[id]);
}

/* path_own_origin - the same in the table's thread, of a path that is there.
 * path_order_of - which of the routes from there is the best. path_generation - how many
 * pipes it has passed. */
static inline const struct origin *
path_own_origin(const struct table *t, const struct path *p)
{
	return unlikely(path_origin(p))
		   ? path_origin_of(t, p)
		   : load_relaxed_ptr(&table_own_feeder(t, path_feeder(p))->facts);
}

static inline const struct path_order *
path_order_of(const struct table *t, const struct path *p)
{
	return unlikely(path_origin(p)) ? path_origin_of(t, p)->order
					: table_own_feeder(t, path_feeder(p))->order;
}

static inline int
path_generation(const struct table *t, const struct path *p)
{
	return unlikely(path_origin(p)) ? (int)path_origin_of(t, p)->generation : 0;
}

/* ---- path.c ---- */
/* table_path_free - nobody reads @p any more. */
void table_path_free(struct table *t, TAKE struct path *p);

/* ---- path_count.c ---- */
/* table_path_count - one path more or less (@add: 1 or -1) of net @id. */
void table_path_count(struct table *t, uint32_t id, const struct path *p, int add);
/* table_path_freshen - it was announced again as it is: not stale any more. */
void table_path_freshen(struct feeder *s, struct path *p);

/* ---- origin.c ---- */
/* table_origin_hold - one more path names the origin of number @id, which is counted.
 * table_origin_drop - one less does, and nobody reads it any more. */
void table_origin_hold(struct table *t, uint32_t id);
void table_origin_drop(struct table *t, uint32_t id);

/* ---- table_best.c ---- */
/* What a feeder says of a net. */
struct route_in {
	struct attr_set *set; /* borrowed */
	struct attr_set *pre; /* borrowed; with PATH_PRE */
	uint32_t rid; /* path identifier received; with PATH_EXT, or 0 */
	uint32_t origin; /* id of it; with PATH_EXT, or 0: the feeder's present one */
	uint8_t flags; /* PATH_FILTERED, PATH_PRE, PATH_EXT, PATH_LONG */
	bool blocked; /* by a limit, which has counted it */
	/* of a reload: the peer hasn't announced it again, so what is stale stays it */
	bool again;
	bool seen; /* REC_SEEN */
};

/* table_announce - the path @r->rid of @s for net @id; sets are referenced if kept.
 * Returns: false: there is no room for it (table_has_room); then the path of @s before it
 * has gone. */
bool table_announce(struct table *t, struct feeder *s, struct net *n, uint32_t id,
    const struct route_in *r);
/* table_withdraw - that path goes. Returns: was there one that wasn't filtered? */
bool table_withdraw(
    struct table *t, struct feeder *s, struct net *n, uint32_t id, uint32_t rid);
/* table_own_path - the present path @rid of @s; NULL: none. */
const struct path *table_own_path(
    const struct table *t, const struct feeder *s, const struct net *n, uint32_t rid);
/* table_prune - remove the dead paths of a net. */
void table_prune(struct table *t, struct net *n, uint32_t id);

/* ---- long_lived.c ---- */
/* table_long_lived - stale paths of @n get LLGR_STALE, of feeders that ask for it. */
void table_long_lived(struct table *t, struct net *n, uint32_t id);
/* long_lived_set - @set with that community, and a reference; NULL: it doesn't fit. */
OWNED struct attr_set *long_lived_set(struct table *t, const struct attr_set *set);

/* ---- table_behind.c ---- */
struct path_index;

void table_behind_init(struct table *t);
/* table_behind_later - a path behind the best of the net of @ix changed: is that told
 * later? False: it is to be told with this batch, or to nobody. */
bool table_behind_later(struct table *t, struct path_index *ix);
/* table_behind_end - its net has few paths again: nothing of it waits any more. */
void table_behind_end(struct table *t, struct path_index *ix);
/* table_behind_step - whose time is over is told with this batch. Returns: when the next
 * one's is; 0: none waits. */
uint64_t table_behind_step(struct table *t, uint64_t now_ns);

/* ---- table_inbox.c ---- */
/* table_take_records - one batch. Returns: true if records are left. */
bool table_take_records(struct table *t);

static inline bool
table_walk_is_on(const struct table *t)
{
	return t->walk.chunk_cnt || t->walk.pos < t->walk.end;
}

/* ---- feeder.c ---- */
void feeders_init(struct table *t);
void feeders_fini(struct table *t);
/* feeders_put - whoever asks for number @id finds @f (NULL: nobody). */
void feeders_put(struct table *t, uint32_t id, struct feeder *f);
/* feeder_chunks_grow - make room in f->chunks for @chunk, and more. Returns: the chunk's
 * count. */
struct pub32 *feeder_chunks_grow(struct feeder *f, uint32_t chunk);
/* feeder_chunk - in how many nets of the chunk of net @id does @f have a path? */
static inline struct pub32 *
feeder_chunk(struct feeder *f, uint32_t id)
{
	struct feeder_chunks *c = load_relaxed_ptr(&f->chunks);
	uint32_t i = id >> CHUNK_ORDER;

	return likely(c && i < c->cnt) ? &c->paths[i] : feeder_chunks_grow(f, i);
}
/* feeder_up - a new incarnation begins, whose facts are @o (TAKE); feeder_new_epoch - it
 * ends: all its paths are dead from now on, and a walk removes them. feeder_stale - they
 * are stale from now on; @away: and it ends. feeder_sweep - those that are stale are
 * dead. feeder_limits - new ones. */
void feeder_up(struct table *t, struct feeder *f, TAKE struct origin *o);
void feeder_new_epoch(struct table *t, struct feeder *f);
void feeder_stale(struct table *t, struct feeder *f, bool away);
void feeder_sweep(struct table *t, struct feeder *f);
/* feeder_walk - the table's walk is to look at all nets of @f. */
void feeder_walk(struct table *t, const struct feeder *f);
/* feeder_long_lived - what is stale gets LLGR_STALE. */
void feeder_long_lived(struct table *t, struct feeder *f);
void feeder_limits(struct feeder *f, const struct rec *r);
/* feeder_count_withdraw - what isn't there, or is filtered already (not @was_ok), is
 * ignored, but for what our policy has refused and doesn't keep (@by_policy). */
static inline void
feeder_count_withdraw(struct feeder *f, bool was_ok, bool by_policy)
{
	if (was_ok)
		counter64_bump(&f->stats->imp_wd_accepted, 1);
	else if (!by_policy)
		counter64_bump(&f->stats->imp_wd_ignored, 1);
}
/* feeders_check - those that detach and whose last path has gone go. */
void feeders_check(struct table *t);

/* ---- table_publish.c ---- */
/* table_net_dead - @n lost its last path in this batch. */
void table_net_dead(struct table *t, struct net *n, uint32_t id);
/* table_batch_end - group what changed, publish, retire. Returns: whether something was
 * published. */
bool table_batch_end(struct table *t);
/* table_free_step - frees some of the paths that nobody reads any more; while dead ones
 * are still being removed that can wait, up to a bound. Returns: whether there are more
 * to be freed now. */
bool table_free_step(struct table *t);
/* table_release_dead - let ids of dead nets go whose withdrawals all sessions have sent,
 * a step of them. Returns: is there more to be done now? */
bool table_release_dead(struct table *t);

/* ---- table_all.c ---- */
/* table_all - the stream of all paths, for one who wants none of @own (NULL: who wants
 * all); made by the first who asks. table_all_free - if there is one; no reader is left.
 * table_all_takes - do paths still have to get an id there, for which who asks waits, or
 * to lose it? table_all_step - then, first of a batch: some of them do.
 * table_all_forget - the feeder of that number has no path any more. */
struct stream *table_all(struct table *t, const struct feeder *own);
/* table_all_left - a reader of it has gone. table_all_rest - ids have been freed. */
void table_all_left(struct table *t);
void table_all_rest(struct table *t);
void table_all_free(struct table *t);
static inline bool
table_all_takes(const struct table *t)
{
	return unlikely(t->all) && unlikely(t->all->take_pos != UINT32_MAX);
}
void table_all_step(struct table *t);
/* readers_attach_waiting - in reader_life.c: those of @st->waiting. */
void readers_attach_waiting(struct stream *st);
void table_all_forget(struct table *t, uint32_t feeder);
/* table_path_publish - @p, of net @net, is to be linked; @old: the path whose place it
 * takes, of which it keeps the id; NULL: none. table_path_unpublish - it has been
 * unlinked. No effect if nobody has asked for all paths. */
void table_path_publish(
    struct table *t, uint32_t net, struct path *p, const struct path *old);
void table_path_unpublish(struct table *t, const struct path *p);

/* ---- cut.c ---- */
/* stream_cuts_free - at the table's end. */
void stream_cuts_free(struct stream *st);
/* stream_cuts_expire - drop those that nobody used since the last call. Returns: whether
 * any is left. */
bool stream_cuts_expire(struct stream *st);

/* ---- overlay.c ---- */
/* table_overlay_drop - nobody asks any more. */
void table_overlay_drop(struct table *t);

/* ---- table_trace.c ---- */

static inline bool
table_traces(const struct table *t, uint32_t what)
{
	return load_relaxed32(&t->debug) & what;
}

/* table_trace_best - @p is the best route of @n from now on; NULL: there is none. _cut -
 * the journal has cut @cnt segments off. _state - what has become of the table. */
void table_trace_best(const struct table *t, const struct net *n, const struct path *p);
void table_trace_cut(const struct table *t, uint64_t cnt);
void table_trace_state(const struct table *t, const char *what);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a table publishes: for the files of nest/rib only.
 *
 * A table has a stream of its nets, each with its best route: all readers but a few
 * follow that. When somebody wants more than the best routes there is one of all paths as
 * well. Both are one mechanism: items with dense ids, a journal of their changes, chunks
 * of neighbouring ids of which cuts are made, ids that wait until all readers have told
 * their withdrawal.
 *
 *      stream   item   its state           id
 *      best     net    net->best           of the net
 *      all      path   the path, or none   of (net, feeder, identifier received): kept
 *                                          when the path is replaced (path.id)
 *
 * The table's worker writes; what readers may look at is marked. */
#ifndef TERN_NEST_STREAM_H
#define TERN_NEST_STREAM_H

#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "nest/rib/ids.h"
#include "nest/rib/stream/express.h"
#include "sysdep/loop/loop.h"

struct attr_set;
struct bump;
struct cursor;
struct table;

/* What belongs to 4,096 items with neighbouring ids. */
struct net_chunk {
	struct pub32 ver; /* newest batch that changed the state of one of them */
	/* struct cut *, shared by sessions with dirty nets; see cut.h */
	struct pubptr cut;
};

/* An item whose state changed in this batch. */
struct change {
	uint32_t id : NET_ID_BITS;
	uint32_t single : 1; /* its source changes little (nest/rib/stream/express.h) */
	uint32_t old_src; /* NO_SOURCE: there was no best */
	const struct attr_set *old_set;
};

/* A dead item: its id may be reused when all readers of the stream are beyond @seq. */
struct dead_item {
	uint32_t id;
	/* of a net: lower half of the position in the stream of all paths that has to be
	 * passed, too, since a path's prefix is its net's. If the table has no stream of
	 * all paths: the position at which such a stream will begin */
	uint32_t all_seq;
	uint64_t seq;
};

/* Those that wait. owner: the table; table_dead.c. */
struct dead_items {
	/* queue, in blocks: the oldest is at `head` of the first */
	struct dead_item **block;
	uint32_t block_cnt, block_cap;
	uint32_t head, cnt;
	uint32_t fresh; /* how many at its end came in this batch: no seq yet */
	/* so many are always allowed; with more than max it doesn't count that a session
	 * progresses */
	uint32_t min, max;
	uint64_t crowded_ns; /* when too many waited last; 0: they don't */
};

/* When readers are woken. owner: the table; table_stream.c. */
struct stream_waking {
	struct timer timer;
	bool waits;
	uint64_t last_ns;
	uint64_t tail; /* of the journal, when the last round began */
};

/* Numbers of items. */
struct stream_ids {
	struct pub32 limit; /* read by all */
	/* the table's own */
	uint32_t free_cnt, alloc_pos;
	struct bitmap free;
};

/* A path by its id. Written before anybody is told of the id; net stays until it is given
 * again. */
struct path_slot {
	struct pub32 path; /* its place (table_place); 0: it has gone */
	struct pub32 batch; /* of its latest segment */
	struct pub32 net; /* id of its net */
};

/* owner: its table, in which it is embedded, or by which it was made; lives: as long as
 * that. */
struct stream {
	struct table *table;
	/* read by all */
	struct path_slot *slot; /* by id, of all paths; NULL: of nets */
	struct net_chunk *chunk; /* CHUNK_MAX */
	struct stream_ids ids;
	struct journal journal;
	struct tail_news news; /* of the journal's tail */
	struct counter32 cuts_live; /* cuts that chunks hold; sessions add */
	_Alignas(CACHE_LINE) struct express express; /* read by all in each turn */

	/* the table's own */
	struct list readers; /* all that are attached (read.h) */
	uint32_t reader_cnt;
	struct change *change; /* of the batch under way */
	uint32_t change_cnt, change_cap;
	uint32_t change_seen; /* so many were looked at by stream_note_single */
	struct dead_items dead;
	struct stream_waking waking;
	uint64_t reclaimed_at; /* octets left in the journal when it was last reclaimed */
	struct pub64 slot_open; /* octets of slot that can be used; any thread reads */
	uint64_t full_ns; /* when it was last told that ids are missing; 0: never */
	/* of paths: number of a feeder whose own none of the readers wants; its paths
	 * have no id. NO_SOURCE: there is none such */
	uint32_t shunned;
	/* of paths: nobody reads them, so they have no ids */
	bool idle;
	/* of paths: nets from here on may have some without id, or with one if the stream
	 * is idle. UINT32_MAX: none has */
	uint32_t take_pos;
	uint32_t age_pos; /* table_age.c: items before it are looked through */
	struct list waiting; /* of paths: to be attached when all have one */
};

static inline struct net_chunk *
stream_chunk(const struct stream *st, uint32_t chunk)
{
	return &st->chunk[chunk];
}

/* ---- table_stream.c ---- */
/* stream_init - @t is whole but for its worker. stream_fini - no reader is left. */
void stream_init(struct stream *st, struct table *t);
void stream_fini(struct stream *st);
/* stream_limit - all ids are below it. Any thread. */
static inline uint32_t
stream_limit(const struct stream *st)
{
	return load_acquire32(&st->ids.limit); /* pairs: TLIMIT */
}
/* stream_id_new - the next id of the run in use, else of the lowest wholly free block of
 * 64, else a new one; scattered free ids only when they are more than an eighth. Returns:
 * NO_SOURCE: no id is left. stream_id_free - nobody can find it any more. */
uint32_t stream_id_new(struct stream *st);
void stream_id_free(struct stream *st, uint32_t id);
/* stream_empty - has it no item, not even a dead one? stream_rest - of one like that,
 * between batches: all that the next items need goes. */
bool stream_empty(const struct stream *st);
void stream_rest(struct stream *st);
/* stream_grow_changes - room for one more; for stream_note. */
void stream_grow_changes(struct stream *st);
/* stream_note - an item is to be published with @batch, which is under way; before its
 * state changes, which it does if it @moves. @was: which one, and what it is until now.
 * @at: stream_batch_of. */
static inline void
stream_note(
    struct stream *st, struct change was, struct pub32 *at, uint32_t batch, bool moves)
{
	if (load_relaxed32(at) != batch) {
		if (unlikely(st->change_cnt == st->change_cap))
			stream_grow_changes(st);
		st->change[st->change_cnt++] = was;
		store_release32(at, batch); /* pairs: NBATCH */
	}
	if (moves)
		store_release32(&stream_chunk(st, was.id >> CHUNK_ORDER)->ver,
		    batch); /* pairs: CVER */
}
/* stream_note_single - what was noted since the last call was made by one source, which
 * changes little (@few), or not. */
void stream_note_single(struct stream *st, bool few);
/* stream_publish - what was noted, if anybody reads. Returns: whether there was
 * something. */
bool stream_publish(struct stream *st);
/* stream_tell_single - which of it was single, to readers that lag. Nothing is noted any
 * more. */
void stream_tell_single(struct stream *st);
/* stream_wake - what this turn has published (@used), or go on with a round. @quiet:
 * nothing waits for the table. Returns: whether it goes on in the table's next turn. */
bool stream_wake(struct stream *st, bool used, bool quiet);
/* stream_few - has little been published since readers were woken? */
bool stream_few(const struct stream *st);
/* stream_reclaim - free what all readers have passed; stream_grown - is it time to? */
void stream_reclaim(struct stream *st);
bool stream_grown(const struct stream *st);
/* stream_holds - is there anything that waits for readers? */
static inline bool
stream_holds(const struct stream *st)
{
	return st->journal.bytes || st->dead.cnt;
}

/* ---- table_dead.c ---- */
/* stream_dead_put - @id lost its state in this batch. */
void stream_dead_put(struct stream *st, uint32_t id);
/* stream_dead_settle - the withdrawals of what was put last are published. */
void stream_dead_settle(struct stream *st);
/* stream_dead_min - up to where have all readers settled withdrawals? Closes those that
 * hold too much. */
uint64_t stream_dead_min(struct stream *st);
/* stream_dead_first - the one that waits longest; NULL: none does. stream_dead_ahead -
 * the one @k after it; NULL: there is none. stream_dead_pop - it waits no longer. */
const struct dead_item *stream_dead_ahead(const struct stream *st, uint32_t k);
static inline const struct dead_item *
stream_dead_first(const struct stream *st)
{
	return stream_dead_ahead(st, 0);
}
struct dead_item stream_dead_pop(struct stream *st);
/* stream_dead_free - nothing waits: give memory back. */
void stream_dead_free(struct stream *st);

#endif

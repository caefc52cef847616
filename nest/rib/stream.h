/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The publications of a table. Only files of nest/rib include the header.
 *
 * A table has a stream of its nets with their best routes; most readers follow that
 * stream. If a reader wants more than the best routes, the table also has a stream of all
 * paths. Both streams use one mechanism: items with dense ids, a journal of changes,
 * chunks of neighbouring ids that share cuts, and ids that wait until all readers have
 * sent the withdrawal of the item.
 *
 *      stream   item   state               id
 *      best     net    net->best           of the net
 *      all      path   the path, or none   of (net, feeder, identifier received): kept
 *                                          when the path is replaced (path.id)
 *
 * Owner of the structs: the table; its worker writes, other threads read marked fields.
 * Life: as the table, in which or by which the streams are made; stream_fini frees the
 * memory of a stream. */
#ifndef TERN_NEST_RIB_STREAM_H
#define TERN_NEST_RIB_STREAM_H

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

/* A chunk: 4,096 items with neighbouring ids. */
struct net_chunk {
	/* newest batch that changed the state of an item of the chunk */
	struct pub32 ver;
	/* struct cut *, shared by sessions with dirty nets; see cut.h */
	struct pubptr cut;
};

/* An item whose state changed in the present batch. */
struct change {
	uint32_t id : NET_ID_BITS;
	uint32_t single : 1; /* the source changes little (nest/rib/stream/express.h) */
	uint32_t old_src; /* NO_FEEDER: the net had no best route */
	const struct attr_set *old_set;
};

/* A dead item: the id may be reused when all readers of the stream have passed @seq. */
struct dead_item {
	uint32_t id;
	/* of a net: lower half of the position that readers of all paths must pass too,
	 * since the prefix of a path is the prefix of its net. Without a stream of all
	 * paths: the position at which such a stream will begin */
	uint32_t all_seq;
	uint64_t seq;
};

/* The waiting dead items; table_dead.c. */
struct dead_items {
	/* a queue in blocks: the oldest item is at `head` of the first block */
	struct dead_item **block;
	uint32_t block_cnt, block_cap;
	uint32_t head, cnt;
	uint32_t fresh; /* items at the end that died in this batch and have no seq yet */
	/* min items may always wait; with more than max, even sessions that make progress
	 * are closed */
	uint32_t min, max;
	uint64_t crowded_ns; /* when too many items last waited; 0: not now */
};

/* Rounds of waking readers; table_stream.c. */
struct stream_waking {
	struct timer timer;
	bool waits;
	uint64_t last_ns;
	uint64_t tail; /* the journal's tail when the last round began */
};

/* The ids of a stream's items. */
struct stream_ids {
	struct pub32 limit; /* any thread reads */
	/* private to the table: */
	uint32_t free_cnt, alloc_pos;
	struct bitmap free;
};

/* A path by its id. Written before the id is published; `net` stays until the id is
 * reused. */
struct path_slot {
	struct pub32 path; /* place of the path (table_place); 0: the path is gone */
	struct pub32 batch; /* of its latest segment */
	struct pub32 net; /* id of its net */
};

/* A stream. The stream of nets is embedded in struct table; table_all makes the stream of
 * all paths. */
struct stream {
	struct table *table;
	/* any thread reads: */
	struct path_slot *slot; /* all paths by id; NULL: the items are nets */
	struct net_chunk *chunk; /* CHUNK_MAX */
	struct stream_ids ids;
	struct journal journal;
	struct tail_news news; /* of the journal's tail */
	struct counter32 cuts_live; /* cuts held by chunks; sessions increment */
	/* each reader reads it in each turn */
	_Alignas(CACHE_LINE) struct express express;

	/* private to the table: */
	struct list readers; /* all attached readers (read.h) */
	uint32_t reader_cnt;
	struct change *change; /* changes of the present batch */
	uint32_t change_cnt, change_cap;
	uint32_t change_seen; /* changes that stream_note_single has handled */
	struct dead_items dead;
	struct stream_waking waking;
	uint64_t reclaimed_at; /* octets left in the journal after the last reclaim */
	struct pub64 slot_open; /* usable octets of slot; any thread reads */
	uint64_t full_ns; /* time of the last log line about missing ids; 0: never */
	/* all paths: number of a feeder whose paths no reader wants; the paths have no
	 * ids. NO_FEEDER: no such feeder */
	uint32_t shunned;
	/* all paths: without readers, so paths have no ids */
	bool idle;
	/* all paths: nets from take_pos on may have paths without an id, or, if the
	 * stream is idle, with an id. UINT32_MAX: none */
	uint32_t take_pos;
	uint32_t age_pos; /* table_age.c: earlier items were checked */
	struct list waiting; /* all paths: readers to attach when each path has an id */
};

static inline struct net_chunk *
stream_chunk(const struct stream *st, uint32_t chunk)
{
	return &st->chunk[chunk];
}

/* ---- table_stream.c ---- */
/* stream_init - @t is complete except for its worker. stream_fini - no reader is left. */
void stream_init(struct stream *st, struct table *t);
void stream_fini(struct stream *st);
/* stream_limit - upper bound of all ids. Any thread. */
static inline uint32_t
stream_limit(const struct stream *st)
{
	return load_acquire32(&st->ids.limit); /* pairs: TLIMIT */
}
/* stream_id_new - the next id of the present run; else of the lowest wholly free block of
 * 64; else a new id; scattered free ids only if more than an eighth is free. Returns:
 * NO_ID: no id is left. stream_id_free - free @id; no thread can find the item. */
uint32_t stream_id_new(struct stream *st);
void stream_id_free(struct stream *st, uint32_t id);
/* stream_empty - true: the stream has no item, not even a dead item. stream_trim - free
 * spare memory of an empty stream, between batches. */
bool stream_empty(const struct stream *st);
void stream_trim(struct stream *st);
/* stream_grow_changes - make room for one change, for stream_note. */
void stream_grow_changes(struct stream *st);
/* stream_note - publish an item with the present batch @batch. Called before the state of
 * the item changes (@moves). @was: the item and its state until now. @at:
 * stream_batch_of. */
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
/* stream_note_single - all changes since the last call came from one source that changes
 * little (@few), or did not. */
void stream_note_single(struct stream *st, bool few);
/* stream_publish - publish the noted changes, if the stream has readers. Returns: true:
 * something was published. */
bool stream_publish(struct stream *st);
/* stream_notify_single - notify lagging readers of single changes. Ends the notes. */
void stream_notify_single(struct stream *st);
/* stream_wake - wake readers after a turn that published (@used), or continue a round.
 * @quiet: no work waits for the table. Returns: true: continue in the table's next
 * turn. */
bool stream_wake(struct stream *st, bool used, bool quiet);
/* stream_few - true: little was published since readers were last woken. */
bool stream_few(const struct stream *st);
/* stream_reclaim - free segments that all readers passed. stream_grown - true: call
 * stream_reclaim now. */
void stream_reclaim(struct stream *st);
bool stream_grown(const struct stream *st);
/* stream_holds - true: segments or dead items wait for readers. */
static inline bool
stream_holds(const struct stream *st)
{
	return st->journal.bytes || st->dead.cnt;
}

/* ---- table_dead.c ---- */
/* stream_dead_put - item @id lost its state in this batch. */
void stream_dead_put(struct stream *st, uint32_t id);
/* stream_dead_settle - the withdrawals of the latest dead items are published. */
void stream_dead_settle(struct stream *st);
/* stream_dead_min - the position up to which all readers have settled withdrawals. Closes
 * readers that hold too many items. */
uint64_t stream_dead_min(struct stream *st);
/* stream_dead_first - the oldest waiting item; NULL: none. stream_dead_ahead - the item
 * @k places after the oldest; NULL: none. stream_dead_pop - remove the oldest item. */
const struct dead_item *stream_dead_ahead(const struct stream *st, uint32_t k);
static inline const struct dead_item *
stream_dead_first(const struct stream *st)
{
	return stream_dead_ahead(st, 0);
}
struct dead_item stream_dead_pop(struct stream *st);
/* stream_dead_free - no item waits: free memory. */
void stream_dead_free(struct stream *st);

#endif

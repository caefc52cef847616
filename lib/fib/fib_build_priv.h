/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a builder, for the files of lib/fib.
 *
 * A block is the addresses that share the first 16 bits. The prefixes of at most 16 bits
 * lie in an array. The longer prefixes of a block lie in a tree of nodes; a node decides
 * 8 bits and holds the prefixes that end within these bits. A node of IPv4 becomes one
 * chunk. For IPv6 the first node becomes a table, the node below and its nodes of the
 * next three levels become one chunk of keys, and each node below becomes a chunk.
 *
 * Loop: the owner of the builder. */
#ifndef TERN_LIB_FIB_FIB_BUILD_PRIV_H
#define TERN_LIB_FIB_FIB_BUILD_PRIV_H

#include "lib/fib/fib_build.h"
#include "lib/fib/fib_chunk.h"
#include "lib/fib/fib_file.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/fib_space.h"
#include "lib/fib/fib_value.h"
#include "lib/net/prefix.h"

#define FIB_ROOT 0x80000000u /* in fib_node.parent: the rest is a block, not a node */
/* Compaction begins when more than one of so many units lies in holes. */
#define FIB_COMPACT_SHARE 20
/* Compaction while nothing changes begins when more than one of so many units lies in
 * holes. The larger share spares a busy table steps for few holes. */
#define FIB_PACK_SHARE 14
/* The attribute sets in use fill at most so many octets of FIB_SET. So a new file always
 * has room for the sets, and the rest of the section has room for sets that readers may
 * still read. */
#define FIB_SETS_OCTETS (FIB_SET_OCTETS / 4 * 3)
#define FIB_RENEW_UNITS 65536 /* fewer units in holes never cause a new file */

/* Prefixes within 8 bits of the address. The items are sorted by key: the first value
 * that the prefix covers, times 16, plus the number of bits (1 to 8). Owner: the builder.
 * Freed by: fib_tree_unset of the last item, fib_tree_fini. */
struct fib_node {
	uint64_t *value; /* @item_cap values, then @item_cap keys of 16 bits */
	uint32_t *kid; /* @kid_cap nodes in the order of their bytes, then the bytes */
	uint16_t item_cnt, item_cap, kid_cnt, kid_cap;
	uint32_t parent; /* a node, or FIB_ROOT and a block */
	uint8_t byte; /* the value of the parent that leads here */
	bool dirty; /* items or kids changed since the chunk was written */
	bool move; /* write the chunk to another place even if unchanged */
	uint32_t unit; /* the chunk; 0: none */
	uint64_t inherit; /* the answer of shorter prefixes at the last build */
	uint64_t
	    ref; /* the word that leads to the chunk, or the answer of all addresses */
	uint64_t sum; /* of the chunk; see fib_live.content_sum */
};

/* Where a prefix lies: a level of nodes and the key in the node. Owner: the caller. Life:
 * by value. */
struct fib_place {
	uint32_t block;
	uint8_t byte[14]; /* address octets behind the block */
	uint8_t depth; /* nodes above the node with the item */
	uint16_t key;
};

#define FIB_CHANGES 32u /* changes whose memory is fetched at the same time */

/* A change that waits. Owner: the builder. Life: embedded in struct fib. */
struct fib_change {
	struct prefix p;
	uint64_t value; /* with a reference; 0: the prefix goes */
	/* for the steps of a fetch */
	struct fib_place at;
	const uint64_t *item; /* the value of the prefix, or of a neighbour; NULL: none */
	uint32_t node; /* 0: none */
	uint32_t attr; /* index of the former attribute set; 0: none */
};

/* The prefixes. Owner: the builder. Freed by: fib_tree_fini. */
struct fib_tree {
	uint64_t
	    *shorts; /* prefixes of at most 16 bits: at (1 << len) + the bits; 0: none */
	uint32_t *root; /* by block; 0: none */
	struct fib_node *node; /* node[0] is not used */
	uint32_t node_cap, node_top, free; /* @free: a list through parent */
	uint32_t node_cnt;
	uint64_t dirty[FIB_SLOTS / 64]; /* a bit for each block */
	uint32_t dirty_cnt;
	uint64_t prefix_cnt;
	uint64_t octets; /* of items and kids */
};

/* Counts of struct fib_stat, from fib_new on. Owner: the builder. Life: embedded in
 * struct fib. */
struct fib_counts {
	uint64_t published, rebuilt, chunks_written, octets_written, chunks_moved;
	uint64_t failures;
	uint64_t last_ns; /* time of the last publication */
};

/* Changes that wait for their memory. Owner: the builder. Life: embedded in struct
 * fib. */
struct fib_changes {
	struct fib_change *at; /* FIB_CHANGES */
	uint32_t cnt;
};

/* Memory for the octets of one attribute set. Owner: the builder. Life: embedded in
 * struct fib. */
struct fib_set_key {
	uint8_t *at;
	uint32_t cap;
};

/* Owner: the caller of fib_new. Freed by: fib_free. */
struct fib {
	struct fib_options options;
	char table[FIB_TABLE_NAME_MAX];
	struct fib_tree tree;
	struct fib_intern hop, origin, attr;
	struct fib_space chunk, set; /* FIB_CHUNK and FIB_SET */
	struct fib_file_map file;
	uint64_t *slot; /* the slots as readers see them */
	struct fib_sweep sweep; /* the runs of one chunk of keys */
	uint32_t block; /* the block in work */
	uint64_t generation;
	uint64_t complete[2]; /* the last publications that changed all blocks */
	uint64_t content_sum;
	uint64_t chunk_cnt;
	bool all; /* the next publication writes all chunks */
	bool failed; /* blocks or objects of the last publication wait */
	bool packs; /* steps of compaction were begun and have not ended */
	bool packed; /* the last steps of compaction moved nothing, and no hole waits */
	struct fib_counts counts;
	struct fib_changes changes;
	struct fib_set_key set_key;
	uint64_t (*paint)[FIB_VALUES]; /* FIB_DEPTH_MAX arrays */
	uint64_t *scratch; /* one encoded chunk: FIB_KEYS_OCTETS_MAX octets */
};

/* fib_tree_init - no prefix. */
void fib_tree_init(struct fib_tree *t);
void fib_tree_fini(struct fib_tree *t);
/* fib_tree_set - store @value (not 0) for @p. Returns: the former value; 0: none. */
uint64_t fib_tree_set(struct fib_tree *t, const struct prefix *p, uint64_t value);
/* fib_tree_unset - remove @p, and give back the chunks of nodes that become empty.
 * Returns: the former value; 0: none. */
uint64_t fib_tree_unset(struct fib *f, const struct prefix *p);
uint64_t fib_tree_get(const struct fib_tree *t, const struct prefix *p);
/* fib_tree_place - where @p lies. */
struct fib_place fib_tree_place(const struct prefix *p);
/* fib_node_item - the number of items with keys below @key. fib_node_step - the node that
 * @byte leads to; 0: none. */
unsigned fib_node_item(const struct fib_node *n, uint16_t key);
uint32_t fib_node_step(const struct fib_node *n, uint8_t byte);
/* fib_tree_cover - the answer of the prefixes of at most 16 bits for @block. */
uint64_t fib_tree_cover(const struct fib_tree *t, uint32_t block);
/* fib_tree_touch - mark a node and all nodes above as changed. */
void fib_tree_touch(struct fib_tree *t, uint32_t node);
/* fib_tree_touch_all - mark all blocks and nodes; their chunks are no longer in a file.
 *  */
void fib_tree_touch_all(struct fib_tree *t);

/* fib_tree_gone - readers of @block no longer need the chunk of @n. */
void fib_tree_gone(struct fib *f, struct fib_node *n, uint32_t block);

/* fib_sweep_node - f->sweep becomes the runs of the bits that @node and the nodes of the
 * next three levels decide, below the answer @inherit of shorter prefixes. @write: builds
 * the chunks of the nodes below (fib_write_node).
 * Returns: false: no room, or too many runs (then f->sweep.cnt is above
 * f->options.max_keys + 1). */
MUST_CHECK bool fib_sweep_node(
    struct fib *f, uint32_t node, uint64_t inherit, fib_sweep_write write);

/* ---- fib_change.c ---- */

/* fib_change_all - make the changes that wait. */
void fib_change_all(struct fib *f);
/* fib_value_ref - one reference of @value more. fib_entry.c. */
void fib_value_ref(struct fib *f, uint64_t value);

static inline uint32_t
fib_value_hop(uint64_t value)
{
	return (uint32_t)(value & FIB_HOP_MAX);
}

static inline uint32_t
fib_value_origin(uint64_t value)
{
	return (uint32_t)(value >> FIB_HOP_BITS & FIB_ORIGIN_MAX);
}

static inline uint32_t
fib_value_attr(uint64_t value)
{
	return (uint32_t)(value >> (FIB_HOP_BITS + FIB_ORIGIN_BITS));
}

static inline uint16_t *
fib_node_keys(const struct fib_node *n)
{
	return (uint16_t *)(void *)(n->value + n->item_cap);
}

static inline uint8_t *
fib_node_bytes(const struct fib_node *n)
{
	return (uint8_t *)(n->kid + n->kid_cap);
}

/* ---- fib_write.c: from nodes to chunks of the file ---- */

/* fib_write_block - build the chunks of @block and store the slot.
 * Returns: 0, or -ENOSPC: readers keep the former chunks of the block. */
MUST_CHECK int fib_write_block(struct fib *f, uint32_t block);
/* fib_write_fetch - begin to fetch memory that fib_write_block of @block will need; step
 * @step of FIB_FETCHES, which needs the memory of the steps before. */
#define FIB_FETCHES 3u
/* fib_write_prefetch - begin to fetch up to FIB_FETCH_MAX octets from @from on. */
#define FIB_FETCH_MAX  2560u
#define FIB_FETCH_LINE 64u /* octets of a line of the cache */
static inline void
fib_write_prefetch(const void *from, size_t len)
{
	const char *at = from;

	for (size_t i = 0; i < len && i < FIB_FETCH_MAX; i += FIB_FETCH_LINE)
		__builtin_prefetch(at + i);
	if (len)
		__builtin_prefetch(at + (len < FIB_FETCH_MAX ? len : FIB_FETCH_MAX) - 1);
}
void fib_write_fetch(const struct fib *f, uint32_t block, uint32_t step);
/* fib_write_node - build the chunk of @node and of the nodes below that changed.
 * Recursion: at most FIB_DEPTH_MAX calls. Returns: false: no room; the node stays
 * dirty. */
MUST_CHECK bool fib_write_node(
    struct fib *f, uint32_t node, uint64_t inherit, unsigned depth);
/* fib_write_objects - write the objects that the file lacks. */
MUST_CHECK int fib_write_objects(struct fib *f, uint64_t next);
/* fib_write_moves - mark nodes whose chunks lie last in the file, if many holes exist. */
void fib_write_moves(struct fib *f);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the builder's memory to the file: objects, chunks, slots.
 *
 * I1  A chunk and the objects of its answers lie in the file before a slot refers to
 *     them.
 * I2  A former chunk is given back, but the space waits until all blocks are published.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c. */
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_build_priv.h"
#include "lib/fib/fib_chunk.h"
#include "lib/fib/fib_file.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/fib_space.h"
#include "lib/fib/fib_value.h"
#include "lib/mt/mapped.h"
#include <errno.h>

/* ---- chunks ---- */

static uint8_t *
fib_write_chunk_at(const struct fib *f, uint32_t unit)
{
	return (uint8_t *)fib_file_section(&f->file, FIB_CHUNK) +
	       (uint64_t)unit * FIB_UNIT;
}

static void
fib_write_chunk_gone(struct fib *f, struct fib_node *n)
{
	if (!n->unit)
		return;
	fib_space_give(&f->chunk, n->unit, f->block);
	f->content_sum -= n->sum;
	f->chunk_cnt--;
	n->unit = 0;
	n->sum = 0;
}

/* fib_write_chunk - store the encoded chunk of @node in the file, unless the file has an
 * equal chunk of the node. Returns: false: no room. */
static bool
fib_write_chunk(struct fib *f, uint32_t node, uint32_t len)
{
	struct fib_node *n = &f->tree.node[node];
	uint32_t units = len / FIB_UNIT, unit;

	if (n->unit && !n->move && fib_space_len(&f->chunk, n->unit) == units &&
	    !memcmp(fib_write_chunk_at(f, n->unit), f->scratch, len))
		return true;
	unit = fib_space_take(&f->chunk, units, node);
	if (!unit)
		return false;
	if (fib_file_room(&f->file, FIB_CHUNK, (uint64_t)f->chunk.top * FIB_UNIT)) {
		fib_space_back(&f->chunk, unit);
		return false;
	}
	memcpy(fib_write_chunk_at(f, unit), f->scratch, len);
	f->chunks_moved += n->move;
	fib_write_chunk_gone(f, n);
	n->unit = unit;
	n->sum = fib_sum(0, f->scratch, fib_chunk_octets((void *)f->scratch));
	f->content_sum += n->sum;
	f->chunk_cnt++;
	f->chunks_written++;
	f->octets_written += len;
	return true;
}

/* fib_write_items - the answers of the prefixes of the node, over @inherit. */
static void
fib_write_items(const struct fib_node *n, uint64_t *leaf, uint64_t inherit)
{
	const uint16_t *keys = fib_node_keys(n);

	for (unsigned i = 0; i < FIB_VALUES; i++)
		leaf[i] = inherit;
	for (unsigned i = 0; i < n->item_cnt; i++) {
		unsigned from = keys[i] >> 4;
		unsigned cnt = 1u << (FIB_STRIDE - (keys[i] & 15));

		for (unsigned j = 0; j < cnt; j++)
			leaf[from + j] = n->value[i];
	}
}

/* fib_write_node - build the chunk of @node and of the nodes below that changed.
 * Recursion: at most FIB_DEPTH_MAX calls. Returns: false: no room; the node stays
 * dirty. */
static bool
fib_write_node(struct fib *f, uint32_t node, uint64_t inherit, unsigned depth)
{
	struct fib_node *n = &f->tree.node[node];
	uint64_t *leaf = f->paint[depth];
	uint32_t len;

	n->dirty = true;
	fib_write_items(n, leaf, inherit);
	for (unsigned i = 0; i < n->kid_cnt; i++) {
		uint64_t *l = &leaf[fib_node_bytes(n)[i]];
		struct fib_node *k = &f->tree.node[n->kid[i]];

		if ((k->dirty || k->inherit != *l) &&
		    !fib_write_node(f, n->kid[i], *l, depth + 1))
			return false;
		*l = k->unit ? FIB_LEAF_CHILD | k->unit : k->answer;
	}
	len = fib_chunk_encode(f->scratch, leaf);
	if (!len) {
		fib_write_chunk_gone(f, n);
		n->answer = leaf[0];
	} else if (!fib_write_chunk(f, node, len)) {
		return false;
	}
	n->inherit = inherit;
	n->dirty = n->move = false;
	return true;
}

/* ---- slots ---- */

/* fib_write_direct - the slot for an answer without a chunk. Returns: false: no room. */
static bool
fib_write_direct(struct fib *f, uint64_t answer, uint32_t *slot)
{
	uint64_t *to = fib_file_section(&f->file, FIB_DIRECT);

	*slot = (uint32_t)answer;
	if (!answer || !f->options.fields)
		return true;
	*slot = fib_intern_get(&f->direct, &answer, sizeof(answer));
	if (!*slot)
		return false;
	f->direct.fresh_cnt = 0;
	if (fib_file_room(&f->file, FIB_DIRECT, (*slot + 1ull) * sizeof(*to))) {
		fib_intern_drop(&f->direct, *slot, f->generation + 1);
		return false;
	}
	mapped_store_relaxed64(&to[*slot], answer);
	return true;
}

/* fib_write_slot_sum - the part of a slot in fib_live.content_sum. */
static uint64_t
fib_write_slot_sum(uint32_t block, uint64_t answer)
{
	return answer ? fib_sum(block, &answer, sizeof(answer)) : 0;
}

/* fib_write_tree - build what changed in the tree of @block, below the answer of shorter
 * prefixes *@answer. *@unit: the chunk of the block; 0: the block has the answer
 * *@answer. Returns: false: no room. */
static bool
fib_write_tree(struct fib *f, uint32_t block, uint64_t *answer, uint32_t *unit)
{
	uint32_t node = f->tree.root[block];
	struct fib_node *n = &f->tree.node[node];

	*unit = 0;
	f->block = block;
	if (!node)
		return true;
	if ((n->dirty || n->inherit != *answer) && !fib_write_node(f, node, *answer, 0))
		return false;
	*unit = n->unit;
	*answer = n->unit ? 0 : n->answer;
	return true;
}

int
fib_write_block(struct fib *f, uint32_t block)
{
	uint32_t *slots = fib_file_section(&f->file, FIB_SLOT);
	uint32_t old = f->slot[block], unit, slot;
	uint64_t answer = fib_tree_cover(&f->tree, block);

	if (!fib_write_tree(f, block, &answer, &unit))
		return -ENOSPC;
	slot = FIB_SLOT_CHUNK | unit;
	if (unit ? old == slot
		 : !(old & FIB_SLOT_CHUNK) && f->slot_answer[block] == answer)
		return 0;
	if (!unit && !fib_write_direct(f, answer, &slot))
		return -ENOSPC;
	mapped_store_release32(&slots[block], slot);
	f->content_sum += fib_write_slot_sum(block, answer) -
			  fib_write_slot_sum(block, f->slot_answer[block]);
	if (f->options.fields && !(old & FIB_SLOT_CHUNK))
		fib_intern_drop(&f->direct, old, f->generation + 1);
	f->slot[block] = slot;
	f->slot_answer[block] = answer;
	return 0;
}

/* ---- objects ---- */

/* fib_write_hop, fib_write_origin, fib_write_attr - write the object of index @i. The
 * disk blocks exist. A reader that looks at the index meanwhile finds since 0. */
static int
fib_write_hop(struct fib *f, struct fib_object *o, uint64_t next)
{
	struct fib_hop *to = (struct fib_hop *)fib_file_section(&f->file, FIB_HOP) +
			     o->index;
	struct fib_hop hop;

	memcpy(&hop, o->key, sizeof(hop));
	mapped_store_relaxed64(&to->since, 0);
	mapped_fence_release();
	memcpy((uint8_t *)to + sizeof(to->since), (uint8_t *)&hop + sizeof(hop.since),
	    sizeof(hop) - sizeof(hop.since));
	mapped_store_release64(&to->since, next);
	return 0;
}

static int
fib_write_origin(struct fib *f, struct fib_object *o, uint64_t next)
{
	uint64_t *to = (uint64_t *)fib_file_section(&f->file, FIB_ORIGIN) + o->index;
	struct fib_origin origin = { .since = (uint32_t)next };
	uint64_t word;

	memcpy(&origin.asn, o->key, sizeof(origin.asn));
	memcpy(&word, &origin, sizeof(word));
	mapped_store_release64(to, word);
	return 0;
}

static int
fib_write_attr(struct fib *f, struct fib_object *o, uint64_t next)
{
	uint64_t *to = (uint64_t *)fib_file_section(&f->file, FIB_ATTR) + o->index;
	uint32_t units = (o->len + FIB_UNIT - 1) / FIB_UNIT;
	struct fib_attr attr = { .since = (uint32_t)next };
	uint64_t word;
	uint8_t *sets = fib_file_section(&f->file, FIB_SET);

	if (units < FIB_RANGE_MIN)
		units = FIB_RANGE_MIN;
	attr.set = fib_space_take(&f->set, units, 1);
	if (!attr.set)
		return -EFBIG;
	if (fib_file_room(&f->file, FIB_SET, (uint64_t)f->set.top * FIB_UNIT)) {
		fib_space_back(&f->set, attr.set);
		return -ENOSPC;
	}
	memcpy(sets + (uint64_t)attr.set * FIB_UNIT, o->key, o->len);
	memcpy(&word, &attr, sizeof(word));
	mapped_store_release64(to, word);
	o->place = attr.set;
	return 0;
}

static int
fib_write_kind(struct fib *f, struct fib_intern *t, enum fib_section_id id, size_t size,
    uint64_t next)
{
	int err = fib_file_room(&f->file, id, (uint64_t)t->top * size);

	while (!err && t->fresh_cnt) {
		struct fib_object *o = t->at[t->fresh[t->fresh_cnt - 1]];

		if (o && id == FIB_HOP)
			err = fib_write_hop(f, o, next);
		else if (o && id == FIB_ORIGIN)
			err = fib_write_origin(f, o, next);
		else if (o && !o->place)
			err = fib_write_attr(f, o, next);
		t->fresh_cnt -= !err;
	}
	return err;
}

int
fib_write_objects(struct fib *f, uint64_t next)
{
	int err = fib_write_kind(f, &f->hop, FIB_HOP, sizeof(struct fib_hop), next);

	if (!err)
		err = fib_write_kind(
		    f, &f->origin, FIB_ORIGIN, sizeof(struct fib_origin), next);
	if (!err)
		err = fib_write_kind(
		    f, &f->attr, FIB_ATTR, sizeof(struct fib_attr), next);
	return err;
}

/* ---- compaction ---- */

void
fib_write_moves(struct fib *f)
{
	struct fib_space *s = &f->chunk;
	struct fib_range r;
	uint32_t end = s->top;

	if (s->idle <= s->top / FIB_COMPACT_SHARE)
		return;
	for (unsigned i = 0; i < FIB_COMPACT_MAX && end > 1; i++) {
		uint32_t node = fib_space_last(s, end, &r);

		if (node) {
			f->tree.node[node].move = true;
			fib_tree_touch(&f->tree, node);
		}
		end = r.at;
	}
}

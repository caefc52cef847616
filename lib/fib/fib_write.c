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
#include "lib/net/prefix.h"
#include <errno.h>

/* ---- chunks ---- */

static uint8_t *
fib_write_chunk_at(const struct fib *f, uint32_t unit)
{
	return (uint8_t *)fib_file_section(&f->file, FIB_CHUNK) +
	       (uint64_t)unit * FIB_UNIT;
}

/* fib_write_sum - the part of the encoded chunk of @ref in fib_live.content_sum. */
static uint64_t
fib_write_sum(const struct fib *f, uint64_t ref)
{
	const void *p = f->scratch;

	switch ((enum fib_kind)(ref >> FIB_KIND_SHIFT)) {
	case FIB_KIND_OCTETS:
		return fib_sum(0, p, fib_chunk_octets_len(p, ref));
	case FIB_KIND_KEYS:
		return fib_sum(0, p, fib_chunk_keys_len(ref));
	case FIB_KIND_TABLE:
		return fib_sum(0, p, FIB_TABLE_OCTETS);
	case FIB_KIND_ANSWER:
	case FIB_KIND_CHUNK:
	default:
		return fib_sum(0, p, fib_chunk_octets(p));
	}
}

/* fib_write_chunk - store the encoded chunk of @node in the file, unless the file has an
 * equal chunk of the node (the sums are compared first, because the file lies outside the
 * caches), and compaction does not want the chunk moved or has no hole
 * below: moves go down, so compaction ends. @ref: the reference without unit. Returns:
 * false: no room. */
static bool
fib_write_chunk(struct fib *f, uint32_t node, uint64_t ref, uint32_t len)
{
	struct fib_node *n = &f->tree.node[node];
	uint32_t units = len / FIB_UNIT, unit;
	uint64_t sum = fib_write_sum(f, ref);

	if (units < FIB_RANGE_MIN) {
		memset((uint8_t *)f->scratch + len, 0, FIB_RANGE_MIN * FIB_UNIT - len);
		units = FIB_RANGE_MIN;
		len = units * FIB_UNIT;
	}
	if (n->unit && n->ref == (ref | n->unit) && n->sum == sum &&
	    fib_space_len(&f->chunk, n->unit) == units &&
	    !(n->move && fib_space_below(&f->chunk, units, n->unit)) &&
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
	f->counts.chunks_moved += n->move;
	fib_tree_gone(f, n, f->block);
	n->unit = unit;
	n->ref = ref | unit;
	n->sum = sum;
	f->content_sum += n->sum;
	f->chunk_cnt++;
	f->counts.chunks_written++;
	f->counts.octets_written += len;
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
		uint64_t *to = &leaf[keys[i] >> 4], v = n->value[i];
		unsigned cnt = 1u << (FIB_STRIDE - (keys[i] & 15));

		/* most prefixes cover at most 4 values: no branch for their length */
		to[0] = v;
		to[1 & (cnt - 1)] = v;
		to[2 & (cnt - 1)] = v;
		to[3 & (cnt - 1)] = v;
		for (unsigned j = 4; j < cnt; j++)
			to[j] = v;
	}
}

/* fib_write_paint - the leaves of the 256 values of @node; nodes below are written.
 * @words: the nodes below are words of a table, not leaves of a chunk. Returns: false: no
 * room. */
static bool
fib_write_paint(
    struct fib *f, uint32_t node, uint64_t inherit, unsigned depth, bool words)
{
	struct fib_node *n = &f->tree.node[node];
	uint64_t *leaf = f->paint[depth];

	fib_write_items(n, leaf, inherit);
	for (unsigned i = 0; i < n->kid_cnt; i++) {
		uint64_t *l = &leaf[fib_node_bytes(n)[i]];
		struct fib_node *k = &f->tree.node[n->kid[i]];

		if ((k->dirty || k->inherit != *l) &&
		    !fib_write_node(f, n->kid[i], *l, depth + 1))
			return false;
		*l = k->unit && !words ? FIB_LEAF_CHILD | k->unit : k->ref;
	}
	return true;
}

/* fib_write_table - encode the table of 256 words. Returns: octets; 0: all words are one
 * answer. */
static uint32_t
fib_write_table(struct fib *f, uint64_t *ref, const uint64_t *word)
{
	bool same = !(word[0] >> FIB_KIND_SHIFT);

	for (unsigned i = 1; same && i < FIB_VALUES; i++)
		same = word[i] == word[0];
	if (same)
		return 0;
	memcpy(f->scratch, word, FIB_TABLE_OCTETS);
	*ref = (uint64_t)FIB_KIND_TABLE << FIB_KIND_SHIFT;
	return FIB_TABLE_OCTETS;
}

/* fib_write_encode - encode the chunk of a node from the leaves; *@ref: see
 * fib_write_chunk. Returns: octets; 0: all leaves are one answer. */
static uint32_t
fib_write_encode(struct fib *f, uint64_t *ref, const uint64_t *leaf, unsigned depth)
{
	bool four = f->options.family == FAM_IP4;
	uint32_t len;

	if (!four && depth == 0)
		return fib_write_table(f, ref, leaf);
	len = four && depth == 0 ? fib_chunk_encode_octets(f->scratch, ref, leaf) : 0;
	if (len)
		return len;
	len = fib_chunk_encode(f->scratch, leaf);
	*ref = (uint64_t)FIB_KIND_CHUNK << FIB_KIND_SHIFT;
	return len;
}

/* fib_write_keys - encode the keys of a node. *@len: 0: all runs are one answer; *@answer
 * is the answer. Returns: false: no room, or too many keys (*@many). */
static bool
fib_write_keys(struct fib *f, uint32_t node, uint64_t inherit, uint64_t *ref,
    uint32_t *len, bool *many)
{
	const struct fib_sweep *s = &f->sweep;
	bool ok = fib_sweep_node(f, node, inherit, fib_write_node);

	*many = !ok && s->cnt > f->options.max_keys + 1;
	if (!ok)
		return false;
	*len = s->cnt > 1 ? fib_chunk_encode_keys(f->scratch, ref, s) : 0;
	f->paint[1][0] = s->leaf[0];
	return true;
}

bool
fib_write_node(struct fib *f, uint32_t node, uint64_t inherit, unsigned depth)
{
	struct fib_node *n = &f->tree.node[node];
	bool six = f->options.family == FAM_IP6, many = false;
	uint32_t len = 0;
	uint64_t ref = 0;

	n->dirty = true;
	if (!six || depth != 1 || !fib_write_keys(f, node, inherit, &ref, &len, &many)) {
		if (six && depth == 1 && !many)
			return false;
		if (!fib_write_paint(f, node, inherit, depth, six && depth == 0))
			return false;
		len = fib_write_encode(f, &ref, f->paint[depth], depth);
	}
	if (!len) {
		fib_tree_gone(f, n, f->block);
		n->ref = f->paint[depth][0];
	} else if (!fib_write_chunk(f, node, ref, len)) {
		return false;
	}
	n->inherit = inherit;
	n->dirty = n->move = false;
	return true;
}

/* ---- slots ---- */

/* fib_write_slot_sum - the part of a slot in fib_live.content_sum. */
static uint64_t
fib_write_slot_sum(uint32_t block, uint64_t slot)
{
	return slot ? fib_sum(block, &slot, sizeof(slot)) : 0;
}

void
fib_write_fetch(const struct fib *f, uint32_t block, uint32_t step)
{
	const struct fib_tree *t = &f->tree;
	const struct fib_node *n;

	if (step == 0) {
		__builtin_prefetch(&t->root[block]);
		__builtin_prefetch(&f->slot[block]);
		/* shorter prefixes lie near the start of the array, in the caches */
		for (uint32_t i = FIB_SLOTS + block; i > FIB_SLOTS / 64; i /= 2)
			__builtin_prefetch(&t->shorts[i]);
		return;
	}
	if (!t->root[block])
		return;
	n = &t->node[t->root[block]];
	if (step == 1) {
		__builtin_prefetch(n);
		__builtin_prefetch((const char *)n + sizeof(*n) - 1);
	} else if (step == 2) {
		fib_write_prefetch(
		    n->value, n->item_cap * (sizeof(*n->value) + sizeof(uint16_t)));
		if (n->unit)
			__builtin_prefetch(&f->chunk.tag[n->unit]);
	}
}

int
fib_write_block(struct fib *f, uint32_t block)
{
	uint64_t *slots = fib_file_section(&f->file, FIB_SLOT);
	uint32_t node = f->tree.root[block];
	struct fib_node *n = &f->tree.node[node];
	uint64_t slot = fib_tree_cover(&f->tree, block);

	f->block = block;
	if (node) {
		if ((n->dirty || n->inherit != slot) && !fib_write_node(f, node, slot, 0))
			return -ENOSPC;
		slot = n->ref;
	}
	if (f->slot[block] == slot)
		return 0;
	mapped_store_release64(&slots[block], slot);
	f->content_sum += fib_write_slot_sum(block, slot) -
			  fib_write_slot_sum(block, f->slot[block]);
	f->slot[block] = slot;
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

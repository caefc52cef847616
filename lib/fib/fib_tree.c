/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prefixes of a builder: an array for the prefixes of at most 16 bits, and a tree of
 * nodes for each block.
 *
 * I1  A node has an item or a kid.
 * I2  If a node is dirty, all nodes above are dirty, and the block's bit is set.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c. */
#include "lib/base/vec.h"
#include "lib/fib/fib_build_priv.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/fib_space.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

#define ITEM_OCTETS (sizeof(uint64_t) + sizeof(uint16_t))
#define KID_OCTETS  (sizeof(uint32_t) + sizeof(uint8_t))

void
fib_tree_init(struct fib_tree *t)
{
	t->shorts = mem_zalloc(MEM_PROTO, 2 * FIB_SLOTS * sizeof(*t->shorts));
	t->root = mem_zalloc(MEM_PROTO, FIB_SLOTS * sizeof(*t->root));
	t->node_top = 1;
}

void
fib_tree_fini(struct fib_tree *t)
{
	for (uint32_t i = 1; i < t->node_top; i++) {
		mem_free(MEM_PROTO, t->node[i].value);
		mem_free(MEM_PROTO, t->node[i].kid);
	}
	mem_free(MEM_PROTO, t->node);
	mem_free(MEM_PROTO, t->root);
	mem_free(MEM_PROTO, t->shorts);
}

/* ---- marks ---- */

static void
fib_tree_touch_block(struct fib_tree *t, uint32_t block)
{
	uint64_t bit = 1ull << (block % 64), *w = &t->dirty[block / 64];

	t->dirty_cnt += !(*w & bit);
	*w |= bit;
}

void
fib_tree_touch(struct fib_tree *t, uint32_t node)
{
	for (;;) {
		struct fib_node *n = &t->node[node];

		n->dirty = true;
		if (n->parent & FIB_ROOT) {
			fib_tree_touch_block(t, n->parent & ~FIB_ROOT);
			return;
		}
		node = n->parent;
	}
}

void
fib_tree_touch_all(struct fib_tree *t)
{
	memset(t->dirty, 0xff, sizeof(t->dirty));
	t->dirty_cnt = FIB_SLOTS;
	for (uint32_t i = 1; i < t->node_top; i++) {
		t->node[i].dirty = true;
		t->node[i].unit = 0;
		t->node[i].ref = 0;
		t->node[i].sum = 0;
	}
}

/* ---- places ---- */

struct fib_place
fib_tree_place(const struct prefix *p)
{
	struct fib_place at;
	uint8_t octet[16];
	const uint8_t *a = octet;

	ip_put16(octet, p->addr);
	if (p->fam == FAM_IP4)
		a += 12;
	at.block = (uint32_t)a[0] << 8 | a[1];
	at.depth = 0;
	at.key = 0;
	if (p->len > FIB_STAGE_BITS) {
		unsigned bits = p->len - FIB_STAGE_BITS;

		at.depth = (uint8_t)((bits - 1) / FIB_STRIDE);
		memcpy(at.byte, a + 2, at.depth + 1u);
		at.key = (uint16_t)(at.byte[at.depth] << 4 |
				    (bits - at.depth * FIB_STRIDE));
	}
	return at;
}

static uint32_t
fib_tree_short(const struct prefix *p, uint32_t block)
{
	return (1u << p->len) + (block >> (FIB_STAGE_BITS - p->len));
}

unsigned
fib_node_item(const struct fib_node *n, uint16_t key)
{
	const uint16_t *keys = fib_node_keys(n);
	unsigned from = 0, cnt = n->item_cnt;

	if (cnt && keys[cnt - 1] < key)
		return cnt; /* prefixes that arrive in order */
	while (cnt) {
		unsigned half = cnt / 2;

		if (keys[from + half] < key) {
			from += half + 1;
			cnt -= half + 1;
		} else {
			cnt = half;
		}
	}
	return from;
}

static bool
fib_node_has(const struct fib_node *n, unsigned i, uint16_t key)
{
	return i < n->item_cnt && fib_node_keys(n)[i] == key;
}

static unsigned
fib_node_kid(const struct fib_node *n, uint8_t byte)
{
	const uint8_t *bytes = fib_node_bytes(n);
	unsigned i = 0;

	while (i < n->kid_cnt && bytes[i] < byte)
		i++;
	return i;
}

uint32_t
fib_node_step(const struct fib_node *n, uint8_t byte)
{
	unsigned i = fib_node_kid(n, byte);

	return i < n->kid_cnt && fib_node_bytes(n)[i] == byte ? n->kid[i] : 0;
}

/* fib_tree_find - the node of the place; 0: none. */
static uint32_t
fib_tree_find(const struct fib_tree *t, const struct fib_place *at)
{
	uint32_t node = t->root[at->block];

	for (unsigned i = 0; i < at->depth && node; i++)
		node = fib_node_step(&t->node[node], at->byte[i]);
	return node;
}

/* ---- growth ---- */

static uint32_t
fib_tree_node_new(struct fib_tree *t, uint32_t parent, uint8_t byte)
{
	uint32_t node = t->free;

	if (node) {
		t->free = t->node[node].parent;
	} else {
		node = t->node_top++;
		t->node = vec_room(
		    MEM_PROTO, t->node, &t->node_cap, t->node_top, sizeof(*t->node));
	}
	t->node[node] = (struct fib_node){ .parent = parent, .byte = byte };
	t->node_cnt++;
	return node;
}

static void
fib_tree_items_grow(struct fib_tree *t, struct fib_node *n)
{
	unsigned cap = n->item_cap ? n->item_cap + n->item_cap / 2u : 4;
	struct fib_node old = *n;

	n->value = mem_alloc(MEM_PROTO, cap * ITEM_OCTETS);
	n->item_cap = (uint16_t)cap;
	if (old.item_cnt) {
		memcpy(n->value, old.value, old.item_cnt * sizeof(*n->value));
		memcpy(fib_node_keys(n), fib_node_keys(&old),
		    old.item_cnt * sizeof(uint16_t));
	}
	mem_free(MEM_PROTO, old.value);
	t->octets += (cap - old.item_cap) * ITEM_OCTETS;
}

static void
fib_tree_item_add(
    struct fib_tree *t, struct fib_node *n, unsigned i, uint16_t key, uint64_t value)
{
	uint16_t *keys;

	if (n->item_cnt == n->item_cap)
		fib_tree_items_grow(t, n);
	keys = fib_node_keys(n);
	memmove(keys + i + 1, keys + i, (n->item_cnt - i) * sizeof(*keys));
	memmove(n->value + i + 1, n->value + i, (n->item_cnt - i) * sizeof(*n->value));
	keys[i] = key;
	n->value[i] = value;
	n->item_cnt++;
}

static void
fib_tree_kid_add(struct fib_tree *t, uint32_t node, uint8_t byte, uint32_t kid)
{
	struct fib_node *n = &t->node[node];
	unsigned i = fib_node_kid(n, byte);
	uint8_t *bytes;

	if (n->kid_cnt == n->kid_cap) {
		unsigned cap = n->kid_cap ? n->kid_cap * 2u : 4;
		struct fib_node old = *n;

		n->kid = mem_alloc(MEM_PROTO, cap * KID_OCTETS);
		n->kid_cap = (uint16_t)cap;
		if (old.kid_cnt) {
			memcpy(n->kid, old.kid, old.kid_cnt * sizeof(*n->kid));
			memcpy(fib_node_bytes(n), fib_node_bytes(&old), old.kid_cnt);
		}
		mem_free(MEM_PROTO, old.kid);
		t->octets += (cap - old.kid_cap) * KID_OCTETS;
	}
	bytes = fib_node_bytes(n);
	memmove(bytes + i + 1, bytes + i, n->kid_cnt - i);
	memmove(n->kid + i + 1, n->kid + i, (n->kid_cnt - i) * sizeof(*n->kid));
	bytes[i] = byte;
	n->kid[i] = kid;
	n->kid_cnt++;
}

/* fib_tree_make - the node of the place; missing nodes are made. */
static uint32_t
fib_tree_make(struct fib_tree *t, const struct fib_place *at)
{
	uint32_t node = t->root[at->block];

	if (!node)
		node = t->root[at->block] = fib_tree_node_new(t, FIB_ROOT | at->block, 0);
	for (unsigned i = 0; i < at->depth; i++) {
		uint32_t kid = fib_node_step(&t->node[node], at->byte[i]);

		if (!kid) {
			kid = fib_tree_node_new(t, node, at->byte[i]);
			fib_tree_kid_add(t, node, at->byte[i], kid);
		}
		node = kid;
	}
	return node;
}

/* ---- changes ---- */

static uint64_t
fib_tree_set_short(
    struct fib_tree *t, const struct prefix *p, uint32_t block, uint64_t value)
{
	uint64_t *at = &t->shorts[fib_tree_short(p, block)], old = *at;
	uint32_t cnt = 1u << (FIB_STAGE_BITS - p->len);

	if (old == value)
		return old;
	*at = value;
	for (uint32_t i = 0; i < cnt; i++)
		fib_tree_touch_block(t, block + i);
	t->prefix_cnt += !old;
	t->prefix_cnt -= !value;
	return old;
}

uint64_t
fib_tree_set(struct fib_tree *t, const struct prefix *p, uint64_t value)
{
	struct fib_place at = fib_tree_place(p);
	struct fib_node *n;
	uint64_t old = 0;
	uint32_t node;
	unsigned i;

	if (p->len <= FIB_STAGE_BITS)
		return fib_tree_set_short(t, p, at.block, value);
	node = fib_tree_make(t, &at);
	n = &t->node[node];
	i = fib_node_item(n, at.key);
	if (fib_node_has(n, i, at.key)) {
		old = n->value[i];
		n->value[i] = value;
	} else {
		fib_tree_item_add(t, n, i, at.key, value);
		t->prefix_cnt++;
	}
	if (old != value)
		fib_tree_touch(t, node);
	return old;
}

void
fib_tree_gone(struct fib *f, struct fib_node *n, uint32_t block)
{
	if (!n->unit)
		return;
	fib_space_give(&f->chunk, n->unit, block);
	f->content_sum -= n->sum;
	f->chunk_cnt--;
	n->unit = 0;
	n->sum = 0;
}

/* fib_tree_prune - free @node and the nodes above, as far as they are empty. */
static void
fib_tree_prune(struct fib *f, uint32_t node, uint32_t block)
{
	struct fib_tree *t = &f->tree;

	for (;;) {
		struct fib_node *n = &t->node[node], *up;
		uint32_t parent = n->parent;
		unsigned i;

		if (n->item_cnt || n->kid_cnt)
			return;
		fib_tree_gone(f, n, block);
		t->octets -= n->item_cap * ITEM_OCTETS + n->kid_cap * KID_OCTETS;
		mem_free(MEM_PROTO, n->value);
		mem_free(MEM_PROTO, n->kid);
		*n = (struct fib_node){ .parent = t->free };
		t->free = node;
		t->node_cnt--;
		if (parent & FIB_ROOT) {
			t->root[parent & ~FIB_ROOT] = 0;
			return;
		}
		up = &t->node[parent];
		for (i = 0; up->kid[i] != node; i++)
			continue;
		up->kid_cnt--;
		memmove(
		    up->kid + i, up->kid + i + 1, (up->kid_cnt - i) * sizeof(*up->kid));
		memmove(
		    fib_node_bytes(up) + i, fib_node_bytes(up) + i + 1, up->kid_cnt - i);
		node = parent;
	}
}

uint64_t
fib_tree_unset(struct fib *f, const struct prefix *p)
{
	struct fib_tree *t = &f->tree;
	struct fib_place at = fib_tree_place(p);
	struct fib_node *n;
	uint64_t old;
	uint32_t node;
	unsigned i;

	if (p->len <= FIB_STAGE_BITS)
		return fib_tree_set_short(t, p, at.block, 0);
	node = fib_tree_find(t, &at);
	if (!node)
		return 0;
	n = &t->node[node];
	i = fib_node_item(n, at.key);
	if (!fib_node_has(n, i, at.key))
		return 0;
	old = n->value[i];
	n->item_cnt--;
	memmove(n->value + i, n->value + i + 1, (n->item_cnt - i) * sizeof(*n->value));
	memmove(fib_node_keys(n) + i, fib_node_keys(n) + i + 1,
	    (n->item_cnt - i) * sizeof(uint16_t));
	t->prefix_cnt--;
	fib_tree_touch(t, node);
	fib_tree_prune(f, node, at.block);
	return old;
}

uint64_t
fib_tree_get(const struct fib_tree *t, const struct prefix *p)
{
	struct fib_place at = fib_tree_place(p);
	uint32_t node;
	unsigned i;

	if (p->len <= FIB_STAGE_BITS)
		return t->shorts[fib_tree_short(p, at.block)];
	node = fib_tree_find(t, &at);
	if (!node)
		return 0;
	i = fib_node_item(&t->node[node], at.key);
	return fib_node_has(&t->node[node], i, at.key) ? t->node[node].value[i] : 0;
}

uint64_t
fib_tree_cover(const struct fib_tree *t, uint32_t block)
{
	for (uint32_t i = FIB_SLOTS + block; i; i /= 2)
		if (t->shorts[i])
			return t->shorts[i];
	return 0;
}

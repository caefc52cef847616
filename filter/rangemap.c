/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges in blocks of one cache line, and a tree of fences that leads to them.
 *
 * Keys are counted from the first range's start, in units of the largest power of two
 * that divides all starts: lists of /24 and shorter have 24 bits. A block begins at its
 * fence, which is the start of its first range; it holds the starts of the others,
 * relative to the fence, and behind them the numbers of all. Both have one width for the
 * whole map: that which takes the fewest blocks. A block ends where it is full or where
 * the next start is too far away.
 *
 * The fences are the lowest level of a tree without pointers: node k of a level (16 keys,
 * or 8 of 64 bits: one line) stands below key k of the level above. A search counts the
 * keys of a node that aren't greater: no branch depends on the key, so the processor
 * looks up several keys at a time and memory's latency overlaps.
 *
 * I1  Unused starts of a block are the greatest number, their ids that of the last range:
 * they are never told apart from it. I2  The same for fences: what fills up nodes is
 * greater than any key, or is brought back to the last.
 *
 * Tried and dropped: an index by the highest bits with 8 octets a range (two misses among
 * three times as many lines; IPv6, where addresses cluster, needs many steps more). */
#include "filter/rangemap.h"

#define BLOCK  64
#define NODE32 16
#define NODE64 8
/* Starts in a block with ids of one octet. No other sizes have as many. */
#define CAP_16 21
#define CAP_32 12

typedef int16_t vec16 __attribute__((vector_size(16)));
typedef int32_t vec32 __attribute__((vector_size(16)));

/* Numbers are kept with the highest bit turned: processors compare signed ones. */
static uint16_t
bias16(uint64_t v)
{
	return (uint16_t)((v > UINT16_MAX ? UINT16_MAX : v) ^ 0x8000);
}

static uint32_t
bias32(uint64_t v)
{
	return (uint32_t)((v > UINT32_MAX ? UINT32_MAX : v) ^ 0x80000000);
}

static uint64_t
width_max(unsigned width)
{
	return width == 8 ? UINT64_MAX : (1ull << (8 * width)) - 1;
}

static unsigned
block_cap(unsigned width, unsigned id_width)
{
	return (BLOCK - id_width) / (width + id_width);
}

/* ---- building ---- */

/* A block in the making, for one width. */
struct fill {
	uint64_t first, max;
	uint32_t left, blocks;
	unsigned cap;
};

static bool
begins_block(struct fill *f, uint64_t start)
{
	if (f->left && start - f->first <= f->max) {
		f->left--;
		return false;
	}
	f->first = start;
	f->left = f->cap;
	f->blocks++;
	return true;
}

/* The width with the fewest blocks; sets m->block_cnt. */
static void
choose_width(struct rangemap *m, const uint64_t *start, uint32_t cnt)
{
	struct fill f[3];
	uint32_t i;
	unsigned k, best = 0;

	for (k = 0; k < 3; k++)
		f[k] = (struct fill){ .max = width_max(2u << k),
			.cap = block_cap(2u << k, m->id_width) };
	for (i = 0; i < cnt; i++) {
		uint64_t s = (start[i] - m->base) >> m->shift;

		begins_block(&f[0], s);
		begins_block(&f[1], s);
		begins_block(&f[2], s);
	}
	for (k = 1; k < 3; k++)
		if (f[k].blocks < f[best].blocks)
			best = k;
	m->width = (uint8_t)(2u << best);
	m->cap = (uint8_t)f[best].cap;
	m->block_cnt = f[best].blocks;
}

static void
put_start(const struct rangemap *m, uint8_t *block, unsigned i, uint64_t v)
{
	uint16_t v16 = bias16(v);
	uint32_t v32 = bias32(v);

	if (m->width == 2)
		memcpy(block + 2 * i, &v16, 2);
	else if (m->width == 4)
		memcpy(block + 4 * i, &v32, 4);
	else
		memcpy(block + 8 * i, &v, 8);
}

static void
put_id(const struct rangemap *m, uint8_t *block, unsigned i, uint32_t id)
{
	uint8_t *at = block + m->cap * m->width + i * m->id_width;
	uint16_t id16 = (uint16_t)id;

	if (m->id_width == 1)
		*at = (uint8_t)id;
	else if (m->id_width == 2)
		memcpy(at, &id16, 2);
	else
		memcpy(at, &id, 4);
}

/* From slot @i on the block repeats its last range (I1). */
static void
close_block(const struct rangemap *m, uint8_t *block, unsigned i, uint32_t id)
{
	for (; i <= m->cap; i++) {
		put_start(m, block, i - 1, UINT64_MAX);
		put_id(m, block, i, id);
	}
}

/* @first: where the starts of blocks go. */
static void
fill_blocks(struct rangemap *m, uint8_t *block, uint64_t *first, const uint64_t *start,
    const uint32_t *id, uint32_t cnt)
{
	struct fill f = { .max = width_max(m->width), .cap = m->cap };
	uint8_t *b = block;
	unsigned slot = 0;
	uint32_t i;

	for (i = 0; i < cnt; i++) {
		uint64_t s = (start[i] - m->base) >> m->shift;

		if (begins_block(&f, s)) {
			if (i) {
				close_block(m, b, slot, id[i - 1]);
				b += BLOCK;
			}
			first[f.blocks - 1] = s;
			slot = 0;
		} else {
			put_start(m, b, slot - 1, s - f.first);
		}
		put_id(m, b, slot++, id[i]);
	}
	close_block(m, b, slot, id[cnt - 1]);
}

static void
put_fence(const struct rangemap *m, void *to, uint32_t i, uint64_t v)
{
	if (m->wide)
		((uint64_t *)to)[i] = v;
	else
		((uint32_t *)to)[i] = bias32(v);
}

/* Levels from the root down; each key above is the first of a node. */
static void
build_fences(struct rangemap *m, struct arena *a, const uint64_t *first)
{
	uint32_t cnt = m->block_cnt, keys = 0, node, size, step = 1, i, k;
	unsigned levels = 0;
	uint8_t *to;

	m->wide = first[cnt - 1] >= UINT32_MAX - 1;
	node = m->wide ? NODE64 : NODE32;
	if (cnt == 1)
		return;
	for (i = cnt;; i = (i + node - 1) / node) {
		ASSERT(levels < RANGEMAP_LEVELS);
		levels++;
		keys += (i + node - 1) / node * node;
		if (i <= node)
			break;
	}
	size = m->wide ? 8 : 4;
	to = arena_alloc(a, (size_t)keys * size + BLOCK);
	to += (uintptr_t) - (uintptr_t)to % BLOCK;
	m->fence = to;
	m->levels = (uint8_t)levels;
	for (k = levels; k-- > 0; step *= node) {
		uint32_t here = (cnt + step - 1) / step;

		keys -= (here + node - 1) / node * node;
		m->level_at[k] = keys;
		m->level_cnt[k] = here;
		for (i = 0; i < here; i++)
			put_fence(m, to, keys + i, first[(size_t)i * step]);
		for (; i % node; i++)
			put_fence(m, to, keys + i, UINT64_MAX);
	}
}

void
rangemap_build(struct rangemap *m, struct arena *a, const uint64_t *start,
    const uint32_t *id, uint32_t cnt)
{
	uint64_t any = 0, *first;
	uint32_t i, id_max = 0;
	uint8_t *block;

	memset(m, 0, sizeof(*m));
	m->cnt = cnt;
	m->base = start[0];
	for (i = 0; i < cnt; i++) {
		any |= start[i] - m->base;
		if (id[i] > id_max)
			id_max = id[i];
	}
	m->shift = any ? (uint8_t)__builtin_ctzll(any) : 0;
	m->id_width = id_max <= UINT8_MAX ? 1 : id_max <= UINT16_MAX ? 2 : 4;
	choose_width(m, start, cnt);
	block = arena_alloc(a, ((size_t)m->block_cnt + 1) * BLOCK);
	block += (uintptr_t) - (uintptr_t)block % BLOCK;
	m->block = block;
	first = mem_alloc(MEM_CONFIG, m->block_cnt * sizeof(*first));
	fill_blocks(m, block, first, start, id, cnt);
	build_fences(m, a, first);
	mem_free(MEM_CONFIG, first);
}

/* ---- asking ---- */

/* Sum of the four or eight numbers of a vector, which are small. */
static inline uint32_t
sum32(vec32 v)
{
	uint64_t w[2];

	memcpy(w, &v, sizeof(w));
	w[0] += w[1];
	return (uint32_t)(w[0] + (w[0] >> 32));
}

static inline uint32_t
sum16(vec16 v)
{
	uint64_t w[2];

	memcpy(w, &v, sizeof(w));
	return (uint32_t)((w[0] + w[1]) * 0x0001000100010001ull >> 48);
}

/* How many of the 16 numbers at @p aren't greater than @v? Written out: compilers keep
 * loops over vectors in memory. */
static inline uint32_t
count_node32(const int32_t *p, int32_t v)
{
	vec32 a, b, c, d;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 4, sizeof(b));
	memcpy(&c, p + 8, sizeof(c));
	memcpy(&d, p + 12, sizeof(d));
	return sum32(-(((a <= v) + (b <= v)) + ((c <= v) + (d <= v))));
}

static inline uint32_t
count_node64(const uint64_t *p, uint64_t v)
{
	uint32_t x = (uint32_t)(p[0] <= v) + (p[1] <= v);
	uint32_t y = (uint32_t)(p[2] <= v) + (p[3] <= v);
	uint32_t z = (uint32_t)(p[4] <= v) + (p[5] <= v);

	return x + y + z + (p[6] <= v) + (p[7] <= v);
}

/* The same for the starts of a block with ids of one octet: 12 of 32 bits, or 21 of 16 in
 * three vectors, of which the last two have three numbers in common. */
static inline uint32_t
count_block32(const uint8_t *p, int32_t v)
{
	vec32 a, b, c;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 16, sizeof(b));
	memcpy(&c, p + 32, sizeof(c));
	return sum32(-((a <= v) + (b <= v) + (c <= v)));
}

static inline uint32_t
count_block16(const uint8_t *p, int16_t v)
{
	static const vec16 fresh = { 0, 0, 0, 1, 1, 1, 1, 1 };
	vec16 a, b, c;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 16, sizeof(b));
	memcpy(&c, p + 26, sizeof(c));
	return sum16(((c <= v) & fresh) - ((a <= v) + (b <= v)));
}

/* Number of the block for @k, and its fence. What fills up nodes is greater than any @k. */
static inline uint32_t
find_block(const struct rangemap *m, uint64_t k, uint64_t *fence)
{
	int32_t v = (int32_t)bias32(k < UINT32_MAX ? k : UINT32_MAX - 1);
	const int32_t *f = m->fence, *level = f;
	uint32_t at = 0;
	unsigned l;

	for (l = 0; l < m->levels; l++) {
		level = f + m->level_at[l];
		at *= NODE32;
		at += count_node32(level + at, v) - 1;
	}
	*fence = m->levels ? (uint32_t)level[at] ^ 0x80000000 : 0;
	return at;
}

static uint32_t
find_block_wide(const struct rangemap *m, uint64_t k, uint64_t *fence)
{
	const uint64_t *f = m->fence, *level = f;
	uint32_t at = 0;
	unsigned l;

	for (l = 0; l < m->levels; l++) {
		level = f + m->level_at[l];
		at *= NODE64;
		at += count_node64(level + at, k) - 1;
		at = at < m->level_cnt[l] ? at : m->level_cnt[l] - 1; /* I2 */
	}
	*fence = m->levels ? level[at] : 0;
	return at;
}

/* Sizes that are rarer: starts of 64 bits, or more than 256 different ids. */
static uint32_t
find_slot(const struct rangemap *m, const uint8_t *b, uint64_t d)
{
	int16_t v16 = (int16_t)bias16(d), x16;
	int32_t v32 = (int32_t)bias32(d), x32;
	uint32_t n = 0;
	uint64_t x64;
	unsigned i;

	for (i = 0; i < m->cap; i++) {
		if (m->width == 2) {
			memcpy(&x16, b + 2 * i, 2);
			n += x16 <= v16;
		} else if (m->width == 4) {
			memcpy(&x32, b + 4 * i, 4);
			n += x32 <= v32;
		} else {
			memcpy(&x64, b + 8 * i, 8);
			n += x64 <= d;
		}
	}
	return n;
}

uint32_t
rangemap_get(const struct rangemap *m, uint64_t key)
{
	const uint8_t *b, *ids;
	uint64_t k, fence;
	uint32_t slot, id;
	uint16_t id16;

	if (key < m->base)
		return 0;
	k = (key - m->base) >> m->shift;
	b = m->block;
	if (m->wide)
		b += (size_t)find_block_wide(m, k, &fence) * BLOCK;
	else
		b += (size_t)find_block(m, k, &fence) * BLOCK;
	k -= fence;
	if (m->cap == CAP_16)
		return b[2 * CAP_16 + count_block16(b, (int16_t)bias16(k))];
	if (m->cap == CAP_32)
		return b[4 * CAP_32 + count_block32(b, (int32_t)bias32(k))];
	slot = find_slot(m, b, k);
	ids = b + m->cap * m->width;
	if (m->id_width == 1)
		return ids[slot];
	if (m->id_width == 2) {
		memcpy(&id16, ids + 2 * slot, 2);
		return id16;
	}
	memcpy(&id, ids + 4 * slot, 4);
	return id;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges in blocks of one cache line, and a tree of fences above the blocks. The parser's
 * thread builds; any thread reads.
 *
 * Keys are counted from the base in units of the largest power of two that divides all
 * starts: lists of /24 and shorter have 24 bits. Units are grouped into cells, so large
 * that a cell's number has 31 bits: for IPv4 a cell is one or two units, for IPv6 often a
 * /36. A block begins with a cell, its fence. The block holds the starts of its ranges,
 * relative to the fence, and the numbers (ids) of all ranges; the first id is for keys
 * before the first start. All blocks of a map have starts and ids of one width, the width
 * that gives the fewest blocks. A block ends when it is full or when the next start is
 * too far away. The ranges of one cell lie in one block. If a cell has too many ranges,
 * its block points to a separate map for the cell; few addresses of a large set are so
 * close together.
 *
 * The fences are the lowest level of a tree without pointers: node k of a level (16
 * cells, one line) stands below cell k of the level above. A search counts the cells of a
 * node that are not greater than the key. No branch depends on the key, so the processor
 * looks up several keys at a time, and the latencies of memory overlap.
 *
 * Most ranges are single prefixes with a gap behind. The id of a range shows the end of
 * the range, so the gap needs no place.
 *
 * I1  Unused starts of a block and their ids repeat the block's last range.
 * I2  Padding in nodes is greater than any cell of a search.
 * I3  A range that ends by its id has no keys in the cell of a later start: range and
 *     cell are aligned powers of two, so a range that reaches into the cell would contain
 *     the cell. A block therefore begins with the id before the block, or with 0 if that
 *     range ends.
 *
 * Tried and dropped: an index by the highest bits with 8 octets a range (two misses among
 * three times as many lines; IPv6, where addresses cluster, needs many more steps);
 * fences of 64 bits, 8 a line, for IPv6 (two more levels, and no vectors for the
 * comparison). */
#include "filter/set/rangemap.h"
#include "lib/mem/mem.h"

#define BLOCK 64
#define NODE  16
/* Starts in a block with ids of one octet. No other sizes have as many. */
#define CAP_16 21
#define CAP_32 12

typedef int16_t vec16 __attribute__((vector_size(16)));
typedef int32_t vec32 __attribute__((vector_size(16)));

/* Starts are kept with the highest bit turned: processors compare signed numbers. */
static uint16_t
rangemap_bias16(uint64_t v)
{
	return (uint16_t)((v > UINT16_MAX ? UINT16_MAX : v) ^ 0x8000);
}

static uint32_t
rangemap_bias32(uint64_t v)
{
	return (uint32_t)((v > UINT32_MAX ? UINT32_MAX : v) ^ 0x80000000);
}

static uint64_t
rangemap_width_max(unsigned width)
{
	return width == 8 ? UINT64_MAX : (1ull << (8 * width)) - 1;
}

static unsigned
rangemap_block_cap(unsigned width, unsigned id_width)
{
	return (BLOCK - id_width) / (width + id_width);
}

/* rangemap_starts_at - offset of a block's starts; the ids precede the starts. */
static inline size_t
rangemap_starts_at(unsigned width, unsigned cap)
{
	return BLOCK - (size_t)width * cap;
}

/* ---- building ---- */

static uint64_t
rangemap_unit_of(const struct rangemap *m, const struct rangemap_source *s, uint32_t i)
{
	return (s->start[i] - m->base) >> m->shift;
}

/* rangemap_block_end - the ranges from @i on that form one block; *@dense: one cell with
 * too many ranges. Returns: the range after the block. */
static uint32_t
rangemap_block_end(
    const struct rangemap *m, const struct rangemap_source *s, uint32_t i, bool *dense)
{
	uint64_t cell = rangemap_unit_of(m, s, i) >> m->cell, fence = cell << m->cell;
	uint64_t max = rangemap_width_max(m->width);
	uint32_t k = i, whole = i; /* ranges in the block; ranges of whole cells */

	for (; k < s->cnt; k++) {
		uint64_t u = rangemap_unit_of(m, s, k);

		if (u >> m->cell != cell) {
			cell = u >> m->cell;
			whole = k;
		}
		if (k - i == m->cap || u - fence > max)
			break;
	}
	if (k == s->cnt)
		whole = k;
	*dense = whole == i;
	if (*dense)
		for (whole = k; whole < s->cnt; whole++)
			if (rangemap_unit_of(m, s, whole) >> m->cell != cell)
				break;
	return whole;
}

/* Octets of the map with starts of @width; sets width, cap, block_cnt. Returns also how
 * many cells are dense. */
static size_t
rangemap_measure(struct rangemap *m, const struct rangemap_source *s, unsigned width,
    uint32_t *dense_cnt)
{
	size_t octets = 0;
	uint32_t i, end;
	bool dense;

	m->width = (uint8_t)width;
	m->cap = (uint8_t)rangemap_block_cap(width, m->id_width);
	m->block_cnt = 0;
	*dense_cnt = 0;
	for (i = 0; i < s->cnt; i = end) {
		end = rangemap_block_end(m, s, i, &dense);
		m->block_cnt++;
		octets += BLOCK;
		if (dense) {
			++*dense_cnt;
			octets += sizeof(*m) + 2 * BLOCK + (end - i) / m->cap * BLOCK;
		}
	}
	return octets;
}

/* The width with the fewest octets. Returns: the number of dense cells. */
static uint32_t
rangemap_choose_width(struct rangemap *m, const struct rangemap_source *s)
{
	size_t best = SIZE_MAX;
	unsigned width, best_width = 0;
	uint32_t dense_cnt;

	for (width = 2; width <= 8; width *= 2) {
		size_t octets = rangemap_measure(m, s, width, &dense_cnt);

		if (octets < best) {
			best = octets;
			best_width = width;
		}
	}
	rangemap_measure(m, s, best_width, &dense_cnt);
	return dense_cnt;
}

static void
rangemap_put_start(const struct rangemap *m, uint8_t *block, unsigned i, uint64_t v)
{
	uint8_t *at = block + rangemap_starts_at(m->width, m->cap) + (size_t)i * m->width;
	uint16_t v16 = rangemap_bias16(v);
	uint32_t v32 = rangemap_bias32(v);

	if (m->width == 2)
		memcpy(at, &v16, 2);
	else if (m->width == 4)
		memcpy(at, &v32, 4);
	else
		memcpy(at, &v, 8);
}

static void
rangemap_put_id(const struct rangemap *m, uint8_t *block, unsigned i, uint32_t id)
{
	uint8_t *at = block + (size_t)i * m->id_width;
	uint16_t id16 = (uint16_t)id;

	if (m->id_width == 1)
		*at = (uint8_t)id;
	else if (m->id_width == 2)
		memcpy(at, &id16, 2);
	else
		memcpy(at, &id, 4);
}

/* Ranges @i up to @end; @carry: the id before them. */
static void
rangemap_put_block(const struct rangemap *m, uint8_t *block,
    const struct rangemap_source *s, uint32_t i, uint32_t end, uint32_t carry)
{
	uint64_t fence = rangemap_unit_of(m, s, i) >> m->cell << m->cell;
	unsigned k;

	rangemap_put_id(m, block, 0, carry);
	for (k = 0; k < m->cap; k++) {
		uint32_t at = i + k < end ? i + k : end - 1; /* I1 */

		rangemap_put_start(m, block, k, rangemap_unit_of(m, s, at) - fence);
		rangemap_put_id(m, block, k + 1, s->id[at]);
	}
}

/* Whatever key comes here, map @sub has to answer. */
static void
rangemap_put_sub(const struct rangemap *m, uint8_t *block, uint32_t sub)
{
	unsigned k;

	for (k = 0; k <= m->cap; k++)
		rangemap_put_id(m, block, k, m->sub_id);
	memcpy(block + rangemap_starts_at(m->width, m->cap), &sub, sizeof(sub));
}

/* Levels from the root down; each number above is the first of a node. */
static void
rangemap_build_fences(struct rangemap *m, struct arena *a, const uint32_t *first)
{
	uint32_t cnt = m->block_cnt, numbers = 0, i, k;
	unsigned levels = 0;
	uint64_t step = 1;
	uintptr_t at;
	int32_t *to;

	if (cnt == 1)
		return;
	for (i = cnt;; i = (i + NODE - 1) / NODE) {
		ASSERT(levels < RANGEMAP_LEVELS);
		levels++;
		numbers += (i + NODE - 1) / NODE * NODE;
		if (i <= NODE)
			break;
	}
	at = (uintptr_t)arena_alloc(a, (size_t)numbers * sizeof(*to) + BLOCK);
	to = (int32_t *)((at + BLOCK - 1) / BLOCK * BLOCK);
	m->fence = to;
	m->levels = (uint8_t)levels;
	for (k = levels; k-- > 0; step *= NODE) {
		uint32_t here = (uint32_t)((cnt + step - 1) / step);

		numbers -= (here + NODE - 1) / NODE * NODE;
		m->level_at[k] = numbers;
		for (i = 0; i < here; i++)
			to[numbers + i] = (int32_t)first[i * step];
		for (; i % NODE; i++)
			to[numbers + i] = INT32_MAX; /* I2 */
	}
}

static void rangemap_build_one(struct rangemap *m, struct arena *a,
    const struct rangemap_source *s, uint32_t before);

/* Maps of dense cells nest at most three deep: each has 31 bits less to distinguish. */
static void
rangemap_build_blocks(struct rangemap *m, struct arena *a,
    const struct rangemap_source *s, uint32_t before, uint32_t dense_cnt)
{
	struct rangemap *sub = arena_zalloc(a, dense_cnt * sizeof(*sub));
	uint32_t *first = mem_alloc(MEM_CONFIG, m->block_cnt * sizeof(*first));
	uintptr_t at = (uintptr_t)arena_alloc(a, ((size_t)m->block_cnt + 1) * BLOCK);
	uint8_t *block = (uint8_t *)((at + BLOCK - 1) / BLOCK * BLOCK);
	uint32_t i, end, n = 0, subs = 0, carry = before;
	bool dense;

	m->sub = sub;
	m->block = block;
	for (i = 0; i < s->cnt; i = end, block += BLOCK) {
		end = rangemap_block_end(m, s, i, &dense);
		first[n++] = (uint32_t)(rangemap_unit_of(m, s, i) >> m->cell);
		if (dense) {
			struct rangemap_source part = *s;

			part.start += i;
			part.id += i;
			part.cnt = end - i;
			rangemap_put_sub(m, block, subs);
			rangemap_build_one(&sub[subs++], a, &part, carry);
		} else {
			rangemap_put_block(m, block, s, i, end, carry);
		}
		carry = s->id[end - 1];
		carry = s->last[carry] == UINT64_MAX ? carry : 0; /* I3 */
	}
	ASSERT(n == m->block_cnt && subs == dense_cnt);
	rangemap_build_fences(m, a, first);
	mem_free(MEM_CONFIG, first);
}

static void
rangemap_build_one(
    struct rangemap *m, struct arena *a, const struct rangemap_source *s, uint32_t before)
{
	uint64_t any = 0;
	uint32_t i, id_max;

	memset(m, 0, sizeof(*m));
	m->before = before;
	m->last = s->last;
	for (i = 0; i < s->cnt; i++)
		any |= s->start[i];
	m->shift = any ? (uint8_t)__builtin_ctzll(any) : 0;
	for (;; m->cell++) { /* I2, I3 */
		m->base = s->start[0] >> m->cell >> m->shift << m->shift << m->cell;
		if (rangemap_unit_of(m, s, s->cnt - 1) >> m->cell < INT32_MAX)
			break;
	}
	m->sub_id = m->cell ? s->id_cnt : UINT32_MAX;
	id_max = m->cell ? s->id_cnt : s->id_cnt - 1;
	m->id_width = id_max <= UINT8_MAX ? 1 : id_max <= UINT16_MAX ? 2 : 4;
	rangemap_build_blocks(m, a, s, before, rangemap_choose_width(m, s));
}

void
rangemap_build(struct rangemap *m, struct arena *a, const struct rangemap_source *from)
{
	rangemap_build_one(m, a, from, 0);
}

/* ---- asking ---- */

/* Sum of the four or eight numbers of a vector, which are small. */
static inline uint32_t
rangemap_sum32(vec32 v)
{
	uint64_t w[2];

	memcpy(w, &v, sizeof(w));
	w[0] += w[1];
	return (uint32_t)(w[0] + (w[0] >> 32));
}

static inline uint32_t
rangemap_sum16(vec16 v)
{
	uint64_t w[2];

	memcpy(w, &v, sizeof(w));
	return (uint32_t)((w[0] + w[1]) * 0x0001000100010001ull >> 48);
}

/* How many of the 16 numbers at @p aren't greater than @v? Written out: compilers keep
 * loops over vectors in memory. */
static inline uint32_t
rangemap_count_node(const int32_t *p, int32_t v)
{
	vec32 a, b, c, d;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 4, sizeof(b));
	memcpy(&c, p + 8, sizeof(c));
	memcpy(&d, p + 12, sizeof(d));
	return rangemap_sum32(-(((a <= v) + (b <= v)) + ((c <= v) + (d <= v))));
}

/* count_block - count the starts of a block with ids of one octet: 12 starts of 32 bits,
 * or 21 of 16 bits in three vectors, of which the last two share three numbers. */
static inline uint32_t
rangemap_count_block32(const uint8_t *p, int32_t v)
{
	vec32 a, b, c;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 16, sizeof(b));
	memcpy(&c, p + 32, sizeof(c));
	return rangemap_sum32(-((a <= v) + (b <= v) + (c <= v)));
}

static inline uint32_t
rangemap_count_block16(const uint8_t *p, int16_t v)
{
	static const vec16 fresh = { 0, 0, 0, 1, 1, 1, 1, 1 };
	vec16 a, b, c;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 16, sizeof(b));
	memcpy(&c, p + 26, sizeof(c));
	return rangemap_sum16(((c <= v) & fresh) - ((a <= v) + (b <= v)));
}

/* Number of the block for unit @k; *@fence: its first unit. */
static inline uint32_t
rangemap_find_block(const struct rangemap *m, uint64_t k, uint64_t *fence)
{
	uint64_t cell = k >> m->cell;
	int32_t v = (int32_t)(cell < INT32_MAX ? cell : INT32_MAX - 1); /* I2 */
	const int32_t *level = m->fence;
	uint32_t at = 0;
	unsigned l;

	for (l = 0; l < m->levels; l++) {
		level = m->fence + m->level_at[l];
		at *= NODE;
		at += rangemap_count_node(level + at, v) - 1;
	}
	*fence = m->levels ? (uint64_t)level[at] << m->cell : 0;
	return at;
}

/* A place in a block: number of starts that are not greater, and the last such start. */
struct place {
	uint32_t slot;
	uint32_t id;
	uint64_t start; /* undefined if no start is smaller */
};

/* Sizes that are rarer: starts of 64 bits, or more than 256 different ids. */
static struct place
rangemap_find_slot(const struct rangemap *m, const uint8_t *b, uint64_t d)
{
	const uint8_t *starts = b + rangemap_starts_at(m->width, m->cap);
	struct place p = { 0, 0, 0 };
	unsigned i;

	for (i = 0; i < m->cap; i++) {
		uint64_t x = 0;
		uint16_t x16;
		uint32_t x32;

		if (m->width == 2) {
			memcpy(&x16, starts + 2 * i, 2);
			x = x16 ^ 0x8000;
		} else if (m->width == 4) {
			memcpy(&x32, starts + 4 * i, 4);
			x = x32 ^ 0x80000000;
		} else {
			memcpy(&x, starts + 8 * i, 8);
		}
		if (x > d)
			break;
		p.slot++;
		p.start = x;
	}
	if (m->id_width == 1) {
		p.id = b[p.slot];
	} else if (m->id_width == 2) {
		uint16_t id16;

		memcpy(&id16, b + 2 * p.slot, 2);
		p.id = id16;
	} else {
		memcpy(&p.id, b + 4 * p.slot, 4);
	}
	return p;
}

/* Where there is no start before, ids are read as one; nothing follows from it. */
static inline struct place
rangemap_find_place(const struct rangemap *m, const uint8_t *b, uint64_t d)
{
	struct place p;
	uint16_t x16;
	uint32_t x32;

	if (m->cap == CAP_16) {
		const uint8_t *starts = b + rangemap_starts_at(2, CAP_16);

		p.slot = rangemap_count_block16(starts, (int16_t)rangemap_bias16(d));
		memcpy(&x16, starts + 2 * p.slot - 2, 2);
		p.start = x16 ^ 0x8000;
		p.id = b[p.slot];
		return p;
	}
	if (m->cap == CAP_32) {
		const uint8_t *starts = b + rangemap_starts_at(4, CAP_32);

		p.slot = rangemap_count_block32(starts, (int32_t)rangemap_bias32(d));
		memcpy(&x32, starts + 4 * p.slot - 4, 4);
		p.start = x32 ^ 0x80000000;
		p.id = b[p.slot];
		return p;
	}
	return rangemap_find_slot(m, b, d);
}

uint32_t
rangemap_get(const struct rangemap *m, uint64_t key)
{
	uint64_t rest, k, fence;
	const uint8_t *b;
	struct place p;
	uint32_t sub;

	for (;; m = m->sub + sub) {
		if (key < m->base)
			return m->before;
		rest = key - m->base;
		k = rest >> m->shift;
		b = m->block + (size_t)rangemap_find_block(m, k, &fence) * BLOCK;
		p = rangemap_find_place(m, b, k - fence);
		if (likely(p.id != m->sub_id))
			break;
		memcpy(&sub, b + rangemap_starts_at(m->width, m->cap), sizeof(sub));
	}
	rest -= (fence + p.start) << m->shift;
	return p.id & -(uint32_t)(rest <= m->last[p.id]); /* no branch, as above */
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map of longest matches (lpm.h): an array for the first 16 bits of an address and, for
 * longer prefixes, nodes below the array for 8 bits each. One loop writes a map; any
 * thread under RCU reads.
 *
 * A node has 256 slots. A slot holds either the value of the longest covering prefix of
 * more than 16 bits, or the place of the next node. Neighbouring slots with equal
 * contents form a run. The node stores one bit per slot (set where a run begins) and an
 * array with the contents of the runs, as a poptrie does (Asai and Ohara, 2015). An entry
 * of the first array holds the value of the longest covering prefix of at most 16 bits,
 * and the place of the next node.
 *
 * I1  The bounds of the runs never change in a node that readers can find: the writer
 *     replaces the node by a copy. The contents of a run change in place.
 * I2  A node has at least two runs. If all slots of a node get equal contents, the writer
 *     frees the node and moves the contents to the slot above. A dropped prefix therefore
 *     leaves nothing behind.
 * I3  Each slot has one longest covering prefix. A put changes the slots of its prefix
 *     from the value of the cover to the new value, and leaves other slots alone. A drop
 *     changes the slots back to the value of the cover.
 * I4  A reader gets the contents that the run has at the instant of the read. In a
 *     replaced node the contents are those at the replacement, which happened after the
 *     reader had reached the node. If no node holds a value, the value of the first array
 *     counts. The reader then reads the entry again, to know that the entry was constant
 *     meanwhile; the number in the entry distinguishes a value from the same value
 *     dropped and put again.
 *
 * Tests: test_lpm.c, prop_lpm.c, stress_lpm.c. */
#include "lib/net/lpm.h"

#include "lib/base/vec.h"
#include "lib/mem/buddy.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"

#define ROOT_BITS 16
#define ROOT_CNT  (1u << ROOT_BITS)
#define SLOTS     256u

/* Where a node is: units from the beginning of their memory, from 1 on (the first page
 * has no node). */
#define UNIT       64u
#define PLACE_BITS 25
#define MEM_MAX    ((size_t)UNIT << PLACE_BITS)

/* A place of the first array: the node below, the value, and how often that changed. */
#define VALUE_BITS   25
#define PLACE_MASK   ((1ull << PLACE_BITS) - 1)
#define VALUE_MASK   (((1ull << VALUE_BITS) - 1) << PLACE_BITS)
#define CHANGE_SHIFT (PLACE_BITS + VALUE_BITS)

/* The content of a run: a value, or BELOW and the place of the node below. */
#define BELOW 0x80000000u

struct node {
	uint64_t begins[4]; /* one bit per slot: a run begins at the slot */
	uint8_t before[4]; /* runs that begin in the words before the word */
	uint32_t cnt; /* of runs, at least 2 */
	struct pub32 content[];
};

#define LEVELS_MAX 14u /* of 128 bits, below the first array */

_Static_assert(UNIT == 1u << BUDDY_MIN_ORDER, "a block is at a place");
_Static_assert(LPM_VALUE_MAX == (1u << VALUE_BITS) - 1, "a value has its bits");

/* Only the writer touches the struct, but for the marked fields. Owner: the writer. Life:
 * until lpm_free. Freed by: lpm_free. */
struct lpm {
	/* constant; read by all */
	enum family fam;
	struct pub64 *root; /* the first array */
	uint8_t *base; /* of nodes: those of `mem` */
	struct pub64 octets; /* of nodes; any thread reads */
	/* the writer's own */
	_Alignas(64) struct buddy mem;
	struct lpm_old *old;
};

struct lpm_old {
	uint32_t *place;
	uint32_t cnt, cap;
};

/* The bits of an address, the first one highest. */
struct key {
	uint64_t hi, lo;
};

static inline struct key
lpm_key_of(enum family fam, struct ip_addr a)
{
	return fam == FAM_IP4 ? (struct key){ (uint64_t)ip_to_v4(a) << 32, 0 }
			      : (struct key){ a.hi, a.lo };
}

static inline struct pub64 *
lpm_root_at(const struct lpm *m, uint32_t i)
{
	return &m->root[i];
}

static inline struct node *
lpm_node_at(const struct lpm *m, uint64_t place)
{
	return (struct node *)(void *)(m->base + (size_t)place * UNIT);
}

/* ---- readers ---- */

/* lpm_ones - bits that are 1. The builtin calls a function where the processor isn't
 * known to count. */
static inline unsigned
lpm_ones(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555ull;
	v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (unsigned)(v * 0x0101010101010101ull >> 56);
}

/* lpm_run_at - the number of the run of @slot. */
static inline unsigned
lpm_run_at(const struct node *n, unsigned slot)
{
	unsigned w = slot / 64;

	return n->before[w] + lpm_ones(n->begins[w] & ~0ull >> (63 - slot % 64)) - 1;
}

/* lpm_down - the contents of the last node on the path that starts at @place; 0: no
 * value. */
static inline uint32_t
lpm_down(const struct lpm *m, struct key k, uint64_t place)
{
	uint32_t content;

	k.hi = k.hi << ROOT_BITS | k.lo >> (64 - ROOT_BITS);
	k.lo <<= ROOT_BITS;
	for (;;) {
		const struct node *n = lpm_node_at(m, place);

		content = load_acquire32(&n->content[lpm_run_at(
		    n, (unsigned)(k.hi >> 56))]); /* pairs: LPMRUN */
		if (!(content & BELOW))
			return content;
		place = content & ~BELOW;
		k.hi = k.hi << 8 | k.lo >> 56;
		k.lo <<= 8;
	}
}

uint32_t
lpm_find(const struct lpm *m, struct ip_addr a)
{
	struct key k = lpm_key_of(m->fam, a);
	const struct pub64 *at = lpm_root_at(m, (uint32_t)(k.hi >> (64 - ROOT_BITS)));
	uint64_t e = load_acquire64(at); /* pairs: LPMROOT */

	while (e & PLACE_MASK) {
		uint32_t value = lpm_down(m, k, e & PLACE_MASK);
		uint64_t now;

		if (value)
			return value;
		now = load_acquire64(at); /* pairs: LPMROOT */
		if ((now & ~PLACE_MASK) == (e & ~PLACE_MASK)) /* I4 */
			break;
		e = now;
	}
	return (uint32_t)((e & VALUE_MASK) >> PLACE_BITS);
}

const void *
lpm_mem(const struct lpm *m, size_t *len, size_t *nodes)
{
	*len = ROOT_CNT * sizeof(struct pub64);
	*nodes = load_relaxed64(&m->octets);
	return m->root;
}

/* ---- memory ---- */

OWNED struct lpm *
lpm_new(enum family fam)
{
	struct lpm *m = mem_aligned(MEM_TABLE, 64, sizeof(*m));

	memset(m, 0, sizeof(*m));
	m->fam = fam;
	m->root = vmem_reserve(VMEM_STEP);
	vmem_open(MEM_TABLE, m->root, false);
	buddy_init(&m->mem, MEM_TABLE, MEM_MAX);
	m->base = buddy_base(&m->mem);
	return m;
}

void
lpm_free(TAKE struct lpm *m)
{
	if (m->old)
		mem_free(MEM_TABLE, m->old->place);
	mem_free(MEM_TABLE, m->old);
	vmem_fini(MEM_TABLE, m->root, VMEM_STEP, VMEM_STEP);
	buddy_fini(&m->mem);
	mem_free(MEM_TABLE, m);
}

bool
lpm_has_room(const struct lpm *m)
{
	return buddy_has(&m->mem, LEVELS_MAX + 1);
}

static unsigned
lpm_order_for(uint32_t runs)
{
	size_t len = sizeof(struct node) + runs * sizeof(struct pub32);
	unsigned order = BUDDY_MIN_ORDER;

	while ((size_t)1 << order < len)
		order++;
	return order;
}

static void
lpm_count(struct lpm *m, int nodes, unsigned order)
{
	store_relaxed64(
	    &m->octets, load_relaxed64(&m->octets) + ((uint64_t)(int64_t)nodes << order));
}

static uint32_t
lpm_node_take(struct lpm *m, uint32_t runs)
{
	unsigned order = lpm_order_for(runs);
	uint8_t *p = buddy_get(&m->mem, order);

	lpm_count(m, 1, order);
	return (uint32_t)((size_t)(p - m->base) / UNIT);
}

static void
lpm_node_give(struct lpm *m, uint32_t place)
{
	struct node *n = lpm_node_at(m, place);
	unsigned order = lpm_order_for(n->cnt);

	lpm_count(m, -1, order);
	buddy_put(&m->mem, n, order);
}

static void
lpm_node_retire(struct lpm *m, uint32_t place)
{
	struct lpm_old *o = m->old;

	if (!o)
		o = m->old = mem_zalloc(MEM_TABLE, sizeof(*o));
	o->place = vec_room(MEM_TABLE, o->place, &o->cap, o->cnt + 1, sizeof(*o->place));
	o->place[o->cnt++] = place;
}

OWNED struct lpm_old *
lpm_old_take(struct lpm *m)
{
	struct lpm_old *o = m->old;

	m->old = NULL;
	return o;
}

void
lpm_old_free(struct lpm *m, TAKE struct lpm_old *o)
{
	for (uint32_t i = 0; i < o->cnt; i++)
		lpm_node_give(m, o->place[i]);
	mem_free(MEM_TABLE, o->place);
	mem_free(MEM_TABLE, o);
	buddy_trim(&m->mem);
}

/* ---- the writer ---- */

/* The runs of a node; a missing node is one run of equal slots. */
struct runs {
	uint32_t cnt;
	uint32_t content[SLOTS];
	uint8_t at[SLOTS];
};

/* A change: within @p replace the value @from by @to. */
struct change {
	struct lpm *m;
	struct key key;
	unsigned len;
	uint32_t from, to;
};

static void
lpm_runs_add(struct runs *r, unsigned at, uint32_t content)
{
	if (r->cnt && r->content[r->cnt - 1] == content)
		return;
	r->at[r->cnt] = (uint8_t)at;
	r->content[r->cnt++] = content;
}

/* lpm_runs_get - the runs of a slot above with this content. */
static void
lpm_runs_get(struct runs *r, const struct lpm *m, uint32_t content)
{
	const struct node *n = lpm_node_at(m, content & ~BELOW);

	r->cnt = 0;
	if (!(content & BELOW)) {
		lpm_runs_add(r, 0, content);
		return;
	}
	for (unsigned w = 0; w < 4; w++)
		for (uint64_t left = n->begins[w]; left; left &= left - 1) {
			r->at[r->cnt] = (uint8_t)(64 * w +
						  (unsigned)__builtin_ctzll(left));
			r->content[r->cnt] = load_relaxed32(&n->content[r->cnt]);
			r->cnt++;
		}
}

/* lpm_runs_change - copy @was to @to; of the slots @a to @b, each slot with the value
 * @from gets the value @now. */
static void
lpm_runs_change(struct runs *to, const struct runs *was, unsigned a, unsigned b,
    uint32_t from, uint32_t now)
{
	to->cnt = 0;
	for (uint32_t i = 0; i < was->cnt; i++) {
		unsigned at = was->at[i],
			 end = i + 1 < was->cnt ? was->at[i + 1] - 1u : SLOTS - 1;
		uint32_t content = was->content[i];

		if (content != from || end < a || at > b) {
			lpm_runs_add(to, at, content);
			continue;
		}
		if (at < a)
			lpm_runs_add(to, at, content);
		lpm_runs_add(to, at < a ? a : at, now);
		if (end > b)
			lpm_runs_add(to, b + 1, content);
	}
}

/* lpm_in_place - if the runs of @n have the bounds of @r, copy the contents of @r into
 * @n. Returns: true: @n was updated. */
static bool
lpm_in_place(struct node *n, const struct runs *r)
{
	uint64_t begins[4] = { 0 };

	if (n->cnt != r->cnt)
		return false;
	for (uint32_t i = 0; i < r->cnt; i++)
		begins[r->at[i] / 64] |= 1ull << r->at[i] % 64;
	if (memcmp(begins, n->begins, sizeof(begins)) != 0)
		return false;
	for (uint32_t i = 0; i < r->cnt; i++)
		if (load_relaxed32(&n->content[i]) != r->content[i])
			store_release32(
			    &n->content[i], r->content[i]); /* pairs: LPMRUN */
	return true;
}

static uint32_t
lpm_node_make(struct lpm *m, const struct runs *r)
{
	uint32_t place = lpm_node_take(m, r->cnt), before = 0;
	struct node *n = lpm_node_at(m, place);

	memset(n, 0, sizeof(*n));
	n->cnt = r->cnt;
	for (uint32_t i = 0; i < r->cnt; i++) {
		n->begins[r->at[i] / 64] |= 1ull << r->at[i] % 64;
		store_relaxed32(&n->content[i], r->content[i]);
	}
	for (unsigned w = 0; w < 4; w++) {
		n->before[w] = (uint8_t)before;
		before += lpm_ones(n->begins[w]);
	}
	return place | BELOW;
}

/* lpm_replace_below - replace the value in the node at @place and in the nodes below. The
 * bounds of runs stay: prefixes inside the changed prefix are longer and remain. The
 * length of an address bounds the depth. */
static void
lpm_replace_below(const struct change *c, uint32_t place)
{
	struct node *n = lpm_node_at(c->m, place);

	for (uint32_t i = 0; i < n->cnt; i++) {
		uint32_t content = load_relaxed32(&n->content[i]);

		if (content & BELOW)
			lpm_replace_below(c, content & ~BELOW);
		else if (content == c->from)
			store_release32(&n->content[i], c->to); /* pairs: LPMRUN */
	}
}

/* lpm_edit - change slots @a to @b from @from to @to in the node that @content describes;
 * @deep: change the nodes below the slots as well. Returns: the new contents of the slot
 * above. */
static __attribute__((noinline)) uint32_t
lpm_edit(const struct change *c, uint32_t content, unsigned a, unsigned b, uint32_t from,
    uint32_t to, bool deep)
{
	struct runs was, now;
	uint32_t fresh;

	lpm_runs_get(&was, c->m, content);
	for (uint32_t i = 0; deep && i < was.cnt; i++)
		if (was.content[i] & BELOW && was.at[i] >= a && was.at[i] <= b)
			lpm_replace_below(c, was.content[i] & ~BELOW);
	lpm_runs_change(&now, &was, a, b, from, to);
	if (content & BELOW && lpm_in_place(lpm_node_at(c->m, content & ~BELOW), &now))
		return content;
	fresh = now.cnt == 1 ? now.content[0] : lpm_node_make(c->m, &now);
	if (content & BELOW)
		lpm_node_retire(c->m, content & ~BELOW);
	return fresh;
}

static unsigned
lpm_slot_of(const struct key *k, unsigned depth)
{
	return (unsigned)(depth < 64 ? k->hi >> (56 - depth) : k->lo >> (120 - depth)) &
	       (SLOTS - 1);
}

/* lpm_change_below - apply @c to the contents @content of a slot at @depth bits.
 * Returns: the new contents of the slot. The length of an address bounds the depth. */
static uint32_t
lpm_change_below(const struct change *c, uint32_t content, unsigned depth)
{
	unsigned slot = lpm_slot_of(&c->key, depth);
	uint32_t one = content, now;

	if (c->len <= depth + 8)
		return lpm_edit(c, content, slot, slot + (1u << (depth + 8 - c->len)) - 1,
		    c->from, c->to, true);
	if (content & BELOW) {
		const struct node *n = lpm_node_at(c->m, content & ~BELOW);

		one = load_relaxed32(&n->content[lpm_run_at(n, slot)]);
	}
	now = lpm_change_below(c, one, depth + 8);
	return now == one ? content : lpm_edit(c, content, slot, slot, one, now, false);
}

static void
lpm_change_root(const struct change *c)
{
	uint32_t first = (uint32_t)(c->key.hi >> (64 - ROOT_BITS));
	uint32_t cnt = 1u << (ROOT_BITS - c->len);

	for (uint32_t i = first; i < first + cnt; i++) {
		uint64_t e = load_relaxed64(lpm_root_at(c->m, i));

		if ((e & VALUE_MASK) >> PLACE_BITS != c->from)
			continue;
		e = (e & PLACE_MASK) | (uint64_t)c->to << PLACE_BITS |
		    ((e >> CHANGE_SHIFT) + 1) << CHANGE_SHIFT;
		store_release64(lpm_root_at(c->m, i), e); /* pairs: LPMROOT */
	}
}

static void
lpm_change(struct lpm *m, const struct prefix *p, uint32_t from, uint32_t to)
{
	struct change c = { m, lpm_key_of(m->fam, p->addr), p->len, from, to };
	struct pub64 *at = lpm_root_at(m, (uint32_t)(c.key.hi >> (64 - ROOT_BITS)));
	uint64_t e = load_relaxed64(at);
	uint32_t content = e & PLACE_MASK ? (uint32_t)(e & PLACE_MASK) | BELOW : 0, now;

	if (p->len <= ROOT_BITS) {
		lpm_change_root(&c);
		return;
	}
	now = lpm_change_below(&c, content, ROOT_BITS);
	DCHECK(now & BELOW || !now);
	if (now != content)
		store_release64(
		    at, (e & ~PLACE_MASK) | (now & ~BELOW)); /* pairs: LPMROOT */
}

/* lpm_value_by - the value that nodes, or the first array, store for an address of @p
 * whose longest match is @c. */
static uint32_t
lpm_value_by(const struct prefix *p, struct lpm_cover c)
{
	return p->len > ROOT_BITS && c.len <= ROOT_BITS ? 0 : c.value;
}

void
lpm_put(struct lpm *m, const struct prefix *p, uint32_t value, struct lpm_cover c)
{
	DCHECK(value && value <= LPM_VALUE_MAX && lpm_has_room(m));
	lpm_change(m, p, lpm_value_by(p, c), value);
}

void
lpm_drop(struct lpm *m, const struct prefix *p, uint32_t value, struct lpm_cover c)
{
	lpm_change(m, p, value, lpm_value_by(p, c));
}

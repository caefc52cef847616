/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Split-ordered list (O. Shalev, N. Shavit: "Split-ordered lists: lock-free extensible
 * hash tables", J. ACM 53, 2006) with marked next pointers for deletion (T. Harris, 2001;
 * M. Michael, 2002). Nodes are freed after an RCU grace period: no ABA can occur, and
 * readers need no hazard pointers. Any thread that has joined RCU may call.
 *
 * I1  One list in order of node.hash, the bit-reversed hash. The hash of an element ends
 *     in 1, the hash of a bucket's marker in 0. The marker of bucket b stands right
 *     before the elements of bucket b.
 * I2  A node whose next pointer has the lowest bit set is deleted. Every walk skips and
 *     unlinks deleted nodes; the next pointer of a deleted node never changes again.
 * I3  rchash_delete returns when no walk from the start of the list can reach the node:
 *     the function searches for the node's place, and the search unlinks all deleted
 *     nodes on the way.
 * I4  Markers lie in the arrays of dir and are freed by rchash_fini only. A marker has
 *     two bits of state beside its array. The thread that sets CLAIMED links the marker
 *     and then sets LINKED; meanwhile other threads start from the bucket's parent, so no
 *     thread waits. */
#include "lib/mt/rchash.h"

#define DELETED     1ul
#define START_ORDER 6
#define MAX_ORDER   28
#define LOAD        2 /* elements a bucket before the table doubles */

static inline struct rchash_node *
rchash_ptr(void *p)
{
	return (struct rchash_node *)((uintptr_t)p & ~DELETED);
}

static inline bool
rchash_is_deleted(void *p)
{
	return (uintptr_t)p & DELETED;
}

static inline uint64_t
rchash_reverse(uint64_t v)
{
	v = __builtin_bswap64(v);
	v = (v & 0x0f0f0f0f0f0f0f0full) << 4 | (v >> 4 & 0x0f0f0f0f0f0f0f0full);
	v = (v & 0x3333333333333333ull) << 2 | (v >> 2 & 0x3333333333333333ull);
	return (v & 0x5555555555555555ull) << 1 | (v >> 1 & 0x5555555555555555ull);
}

/* rchash_code_of - an element's place in the list. The code is never all ones, so that
 * search finds a place behind every element (I3). */
static inline uint32_t
rchash_code_of(uint64_t hash)
{
	uint32_t code = (uint32_t)(rchash_reverse(hash) >> 32) | 1;

	return code == UINT32_MAX ? code - 2 : code;
}

/* The two state bits of a marker, in words behind the array of markers. */
#define CLAIMED     1u
#define LINKED      2u
#define STATE_PAIRS 16 /* in a word */

/* A bucket's marker and where its state is. */
struct slot {
	struct rchash_node *marker;
	struct pub32 *word;
	unsigned shift;
};

/* rchash_slot_of - the array is made when first needed. */
static struct slot
rchash_slot_of(struct rchash *h, uint64_t bucket)
{
	unsigned k = bucket ? 64 - (unsigned)__builtin_clzll(bucket) : 0;
	uint64_t cnt = k ? 1ull << (k - 1) : 1, i = k ? bucket - cnt : 0;
	void *arr = load_acquire_ptr(&h->dir[k]); /* pairs: RCDIR */
	struct rchash_node *marker;

	if (unlikely(!arr)) {
		size_t words = (cnt + STATE_PAIRS - 1) / STATE_PAIRS;
		void *fresh = mem_zalloc(h->tag,
		    cnt * sizeof(struct rchash_node) + words * sizeof(struct pub32));

		if (cas_acq_rel_ptr(&h->dir[k], &arr, fresh)) /* pairs: RCDIR */
			arr = fresh;
		else
			mem_free(h->tag, fresh);
	}
	marker = arr;
	return (struct slot){ &marker[i],
		(struct pub32 *)(void *)&marker[cnt] + i / STATE_PAIRS,
		(unsigned)(i % STATE_PAIRS) * 2 };
}

static bool
rchash_slot_linked(const struct slot *s)
{
	return load_acquire32(s->word) >> s->shift & LINKED; /* pairs: RCSLOT */
}

/* rchash_slot_set - Returns: whether the bit was not set before. */
static bool
rchash_slot_set(const struct slot *s, uint32_t bit)
{
	uint32_t have = load_acquire32(s->word); /* pairs: RCSLOT */

	do {
		if (have >> s->shift & bit)
			return false;
	} while (
	    !cas_acq_rel32(s->word, &have, have | bit << s->shift)); /* pairs: RCSLOT */
	return true;
}

/* rchash_search - find the first node after @from with a hash of at least @key; *@prev is
 * the predecessor. The search unlinks deleted nodes on the way. */
static struct rchash_node *
rchash_search(struct rchash_node *from, uint32_t key, struct rchash_node **prev)
{
	struct rchash_node *p, *n;
	void *next, *link;

again:
	p = from;
	n = rchash_ptr(load_acquire_ptr(&p->next)); /* pairs: RCNEXT */
	while (n) {
		next = load_acquire_ptr(&n->next); /* pairs: RCNEXT */
		if (rchash_is_deleted(next)) {
			link = n;
			if (!cas_acq_rel_ptr(
				&p->next, &link, rchash_ptr(next))) /* pairs: RCNEXT */
				goto again; /* p was deleted, or somebody put one in */
			n = rchash_ptr(next);
			continue;
		}
		if (n->hash >= key)
			break;
		p = n;
		n = rchash_ptr(next);
	}
	*prev = p;
	return n;
}

/* rchash_link_marker - insert @m for hash @key behind @parent. Only the thread that
 * claimed @m calls. */
static void
rchash_link_marker(struct rchash_node *parent, struct rchash_node *m, uint32_t key)
{
	struct rchash_node *prev, *n;
	void *link;

	m->hash = key;
	do {
		n = rchash_search(parent, key, &prev);
		store_relaxed_ptr(&m->next, n);
		link = n;
	} while (!cas_acq_rel_ptr(&prev->next, &link, m)); /* pairs: RCNEXT */
}

/* rchash_split - the marker of @bucket. The function links the marker, and markers of its
 * parents, at the first use; the parent of bucket b is b without its highest bit.
 * Returns: the marker, or the nearest marker before @bucket while another thread links
 * the marker. */
static struct rchash_node *
rchash_split(struct rchash *h, uint64_t bucket)
{
	struct rchash_node *m = &h->first;
	struct slot s;
	uint64_t b = bucket;

	for (; b; b &= ~(1ull << (63 - __builtin_clzll(b)))) {
		s = rchash_slot_of(h, b);
		if (rchash_slot_linked(&s)) {
			m = s.marker;
			break;
		}
	}
	while (b != bucket) {
		uint64_t missing = bucket & ~b; /* the lowest missing bit is added next */

		b |= missing & -missing;
		s = rchash_slot_of(h, b);
		if (!rchash_slot_set(&s, CLAIMED))
			return m;
		rchash_link_marker(m, s.marker, (uint32_t)(rchash_reverse(b) >> 32));
		rchash_slot_set(&s, LINKED);
		m = s.marker;
	}
	return m;
}

static struct rchash_node *
rchash_bucket_start(struct rchash *h, uint64_t bucket)
{
	struct slot s;

	if (!bucket)
		return &h->first;
	s = rchash_slot_of(h, bucket);
	return likely(rchash_slot_linked(&s)) ? s.marker : rchash_split(h, bucket);
}

static struct rchash_node *
rchash_start_of(struct rchash *h, uint64_t hash)
{
	return rchash_bucket_start(h, hash & ((1ull << load_relaxed32(&h->order)) - 1));
}

void
rchash_init(struct rchash *h, enum mem_tag tag)
{
	memset(h, 0, sizeof(*h));
	h->tag = tag;
	store_relaxed32(&h->order, START_ORDER);
}

void
rchash_fini(struct rchash *h)
{
	for (unsigned k = 0; k < RCHASH_DIR_CNT; k++)
		mem_free(h->tag, load_acquire_ptr(&h->dir[k])); /* pairs: RCDIR */
	memset(h, 0, sizeof(*h));
}

/* rchash_same_run - the first element of hash @key at or after @n that @same accepts;
 * NULL: no such element. */
static struct rchash_node *
rchash_same_run(struct rchash_node *n, uint32_t key, rchash_same same, const void *arg)
{
	while (n && n->hash <= key) {
		void *next = load_acquire_ptr(&n->next); /* pairs: RCNEXT */

		if (n->hash == key && !rchash_is_deleted(next) && same(n, arg))
			return n;
		n = rchash_ptr(next);
	}
	return NULL;
}

struct rchash_node *
rchash_find(struct rchash *h, uint64_t hash, rchash_same same, const void *key)
{
	struct rchash_node *start = rchash_start_of(h, hash);

	/* Nothing is unlinked here: deleted nodes are only passed over. */
	return rchash_same_run(rchash_ptr(load_acquire_ptr(&start->next)),
	    rchash_code_of(hash), same, key); /* pairs: RCNEXT */
}

struct rchash_node *
rchash_insert(struct rchash *h, struct rchash_node *n, uint64_t hash, rchash_same same,
    const void *key)
{
	uint32_t order = load_relaxed32(&h->order), code = rchash_code_of(hash);
	struct rchash_node *start = rchash_start_of(h, hash), *prev, *at, *found;
	void *link;

	n->hash = code;
	do {
		/* A new element comes before the elements of equal hash. Two threads that
		 * insert equal elements at once change the same link, so the later thread
		 * sees the earlier thread's element. */
		at = rchash_search(start, code, &prev);
		found = rchash_same_run(at, code, same, key);
		if (found)
			return found;
		store_relaxed_ptr(&n->next, at);
		link = at;
	} while (!cas_acq_rel_ptr(&prev->next, &link, n)); /* pairs: RCNEXT */
	if (counter64_add(&h->cnt, 1) > (uint64_t)LOAD << order && order < MAX_ORDER) {
		uint32_t old = order;

		cas_acq_rel32(&h->order, &old, order + 1);
	}
	return n;
}

void
rchash_delete(struct rchash *h, struct rchash_node *n)
{
	struct rchash_node *start = rchash_start_of(
	    h, rchash_reverse((uint64_t)(n->hash & ~1u) << 32));
	struct rchash_node *prev;
	void *next = load_acquire_ptr(&n->next); /* pairs: RCNEXT */

	while (!cas_acq_rel_ptr(
	    &n->next, &next, (void *)((uintptr_t)next | DELETED))) /* pairs: RCNEXT */
		ASSERT(!rchash_is_deleted(next));
	rchash_search(
	    start, n->hash + 1, &prev); /* I3; the start is a marker, which never goes */
	counter64_add(&h->cnt, (uint64_t)-1);
}

uint64_t
rchash_count(const struct rchash *h)
{
	return counter64_get(&h->cnt);
}

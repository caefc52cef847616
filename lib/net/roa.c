/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VRPs in buckets, found by the leading octets of an address. One loop writes a map; any
 * thread under RCU reads.
 *
 *      IPv4:  root -> /8 -> bucket of all VRPs with 16 bits or more
 *      IPv6:  root -> /8 -> /16 -> bucket of all VRPs with 24 bits or more
 *
 * A node has 256 children and a bucket for the few VRPs that are too short for the next
 * level. A bucket is a sorted array, immutable once published. The last entry that begins
 * at or before an address lies inside every entry that covers the address, so the chain
 * of `up` from the last entry meets all covering entries, longest first.
 *
 * I1  Entries are in the order of vrp_cmp. `up` is the nearest earlier entry that covers
 *     the entry or has the same prefix; NONE: no such entry.
 * I2  The writer replaces whole buckets and frees a replaced bucket a grace period later,
 *     one call_rcu per batch. Nodes stay until the map is freed (2 kB for each /8, /16 in
 *     use).
 * I3  A VRP of len bits stands at depth min(len / 8, DEPTH). A question about a prefix
 *     therefore needs only the buckets on the prefix's path.
 *
 * Tried and dropped: a hash for each length (a probe for each length in use costs more
 * than these searches), a bit trie (20 dependent loads for 400,000 VRPs). */
#include "lib/net/roa.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"

#include <stdlib.h>

#define FANOUT 256
#define LEVELS 4 /* of buckets on the way to a leaf, its own too */
#define NONE   UINT32_MAX

struct vrp_rec {
	uint32_t asn;
	uint32_t up; /* I1 */
	uint8_t len, max_len;
};

/* Arrays of cnt behind the struct: addresses, then vrp_rec. */
struct bucket {
	/* private to the writer: next of the buckets that a batch replaced */
	struct bucket *retired;
	struct vrp_rec *rec;
	uint32_t cnt;
	_Alignas(16) uint8_t key[]; /* uint32_t (IPv4) or struct ip_addr */
};

struct roa_node {
	struct pubptr bucket; /* struct bucket *; NULL: empty */
	/* struct roa_node *, at the last level struct bucket * */
	struct pubptr child[FANOUT];
};

/* owner: the writer; lives: as the caller says. */
struct roa_map {
	enum family fam;
	unsigned depth; /* of the leaves: 2 or 3 */
	struct counter64 cnt;
	struct roa_node *root; /* constant */
};

struct roa_garbage {
	struct rcu_node rcu;
	struct bucket *first;
};

/* ---- addresses ---- */

static unsigned
roa_octet(enum family fam, struct ip_addr a, unsigned i)
{
	return (fam == FAM_IP4 ? ip_to_v4(a) >> (24 - 8 * i) : a.hi >> (56 - 8 * i)) &
	       0xff;
}

static bool
roa_same_bits(enum family fam, struct ip_addr a, struct ip_addr b, unsigned len)
{
	if (fam == FAM_IP4)
		return !((ip_to_v4(a) ^ ip_to_v4(b)) & mask4(len));
	if (len <= 64)
		return !((a.hi ^ b.hi) & mask64(len));
	return a.hi == b.hi && !((a.lo ^ b.lo) & mask64(len - 64));
}

static struct ip_addr
roa_key_at(enum family fam, const struct bucket *b, uint32_t i)
{
	if (fam == FAM_IP4)
		return ip4(((const uint32_t *)(const void *)b->key)[i]);
	return ((const struct ip_addr *)(const void *)b->key)[i];
}

static struct vrp
roa_vrp_at(enum family fam, const struct bucket *b, uint32_t i)
{
	const struct vrp_rec *r = &b->rec[i];

	return (struct vrp){ .net = { roa_key_at(fam, b, i), r->len, (uint8_t)fam },
		.max_len = r->max_len,
		.asn = r->asn };
}

int
vrp_cmp(const struct vrp *a, const struct vrp *b)
{
	int c = prefix_cmp(&a->net, &b->net);

	if (c)
		return c;
	if (a->max_len != b->max_len)
		return a->max_len < b->max_len ? -1 : 1;
	return a->asn < b->asn ? -1 : a->asn > b->asn;
}

/* ---- buckets ---- */

static struct bucket *
roa_bucket_new(enum family fam, uint32_t cnt)
{
	size_t key = (size_t)cnt * (fam == FAM_IP4 ? 4 : 16);
	struct bucket *b;

	b = mem_aligned(MEM_TABLE, 16, sizeof(*b) + key + (size_t)cnt * sizeof(*b->rec));
	b->retired = NULL;
	b->rec = (struct vrp_rec *)(void *)(b->key + key);
	b->cnt = 0;
	return b;
}

/* roa_bucket_add - append @v, which follows all entries of @b. */
static void
roa_bucket_add(enum family fam, struct bucket *b, const struct vrp *v)
{
	uint32_t i = b->cnt++, up = i ? i - 1 : NONE;

	if (fam == FAM_IP4)
		((uint32_t *)(void *)b->key)[i] = ip_to_v4(v->net.addr);
	else
		((struct ip_addr *)(void *)b->key)[i] = v->net.addr;
	while (up != NONE && !(b->rec[up].len <= v->net.len &&
				 roa_same_bits(fam, roa_key_at(fam, b, up), v->net.addr,
				     b->rec[up].len)))
		up = b->rec[up].up;
	b->rec[i] = (struct vrp_rec){
		.asn = v->asn, .up = up, .len = v->net.len, .max_len = v->max_len
	};
}

/* roa_upto - how many entries begin at @a or before. */
static uint32_t
roa_upto4(const uint32_t *key, uint32_t cnt, uint32_t a)
{
	uint32_t base = 0;

	while (cnt > 1) {
		uint32_t half = cnt / 2;

		base = key[base + half] <= a ? base + half : base;
		cnt -= half;
	}
	return base + (key[base] <= a);
}

static uint32_t
roa_upto6(const struct ip_addr *key, uint32_t cnt, struct ip_addr a)
{
	uint32_t base = 0;

	while (cnt > 1) {
		uint32_t half = cnt / 2;

		base = ip_cmp(key[base + half], a) <= 0 ? base + half : base;
		cnt -= half;
	}
	return base + (ip_cmp(key[base], a) <= 0);
}

static uint32_t
roa_upto(enum family fam, const struct bucket *b, struct ip_addr a)
{
	if (fam == FAM_IP4)
		return roa_upto4(
		    (const uint32_t *)(const void *)b->key, b->cnt, ip_to_v4(a));
	return roa_upto6((const struct ip_addr *)(const void *)b->key, b->cnt, a);
}

/* ---- places ---- */

static unsigned
roa_depth_of(const struct roa_map *m, const struct vrp *v)
{
	unsigned d = v->net.len / 8u;

	return d < m->depth ? d : m->depth;
}

/* roa_place - where the bucket for @v hangs; nodes on the way there are made. */
static struct pubptr *
roa_place(const struct roa_map *m, const struct vrp *v)
{
	unsigned depth = roa_depth_of(m, v);
	struct roa_node *n = m->root;

	for (unsigned d = 0; d < depth; d++) {
		struct pubptr *at = &n->child[roa_octet(m->fam, v->net.addr, d)];

		if (d + 1 == m->depth)
			return at;
		n = load_acquire_ptr(at); /* pairs: ROANODE */
		if (!n) {
			n = mem_zalloc(MEM_TABLE, sizeof(*n));
			store_release_ptr(at, n); /* pairs: ROANODE */
		}
	}
	return &n->bucket;
}

/* ---- writing ---- */

/* Changes for one bucket stand together: by depth, then in the order of VRPs. */
static int
roa_change_cmp(const void *x, const void *y)
{
	const struct vrp_change *a = x, *b = y;
	unsigned da = a->vrp.net.len / 8u, db = b->vrp.net.len / 8u;
	unsigned leaf = a->vrp.net.fam == FAM_IP4 ? 2 : 3;

	da = da < leaf ? da : leaf;
	db = db < leaf ? db : leaf;
	return da != db ? (da < db ? -1 : 1) : vrp_cmp(&a->vrp, &b->vrp);
}

/* roa_merge - @old with @cnt changes, in order. Returns: NULL if nothing is left. */
static struct bucket *
roa_merge(
    struct roa_map *m, const struct bucket *old, const struct vrp_change *c, uint32_t cnt)
{
	uint32_t have = old ? old->cnt : 0, i = 0;
	struct bucket *b = roa_bucket_new(m->fam, have + cnt);

	while (i < have || cnt) {
		struct vrp v = { 0 };
		int order = -1;

		if (i < have)
			v = roa_vrp_at(m->fam, old, i);
		if (cnt)
			order = i < have ? vrp_cmp(&v, &c->vrp) : 1;
		if (order < 0) {
			roa_bucket_add(m->fam, b, &v);
			i++;
			continue;
		}
		if (c->there)
			roa_bucket_add(m->fam, b, &c->vrp);
		i += !order;
		c++;
		cnt--;
	}
	counter64_bump(&m->cnt, (uint64_t)b->cnt - have);
	if (b->cnt)
		return b;
	mem_free(MEM_TABLE, b);
	return NULL;
}

static void
roa_free_buckets(struct bucket *b)
{
	while (b) {
		struct bucket *next = b->retired;

		mem_free(MEM_TABLE, b);
		b = next;
	}
}

static void
roa_free_garbage(struct rcu_node *n)
{
	struct roa_garbage *g = container_of(n, struct roa_garbage, rcu);

	roa_free_buckets(g->first);
	mem_free(MEM_TABLE, g);
}

void
roa_map_update(struct roa_map *m, struct vrp_change *c, uint32_t cnt)
{
	struct bucket *retired = NULL;
	struct roa_garbage *g;

	qsort(c, cnt, sizeof(*c), roa_change_cmp);
	while (cnt) {
		struct pubptr *at = roa_place(m, &c->vrp);
		struct bucket *old = load_relaxed_ptr(at);
		uint32_t n = 1;

		while (n < cnt && roa_place(m, &c[n].vrp) == at)
			n++;
		store_release_ptr(at, roa_merge(m, old, c, n)); /* pairs: ROABUCKET */
		if (old) {
			old->retired = retired;
			retired = old;
		}
		c += n;
		cnt -= n;
	}
	if (!retired)
		return;
	g = mem_alloc(MEM_TABLE, sizeof(*g));
	g->first = retired;
	rcu_free_later(&g->rcu, roa_free_garbage);
}

/* ---- questions ---- */

/* roa_ask - what the VRPs of @b say of @net. */
static enum roa_state
roa_ask(enum family fam, const struct bucket *b, const struct prefix *net, uint32_t asn)
{
	uint32_t i = roa_upto(fam, b, net->addr);
	enum roa_state s = ROA_UNKNOWN;

	for (i = i ? i - 1 : NONE; i != NONE; i = b->rec[i].up) {
		const struct vrp_rec *r = &b->rec[i];

		if (r->len > net->len ||
		    !roa_same_bits(fam, roa_key_at(fam, b, i), net->addr, r->len))
			continue;
		if (r->asn == asn && asn && net->len <= r->max_len)
			return ROA_VALID;
		s = ROA_INVALID;
	}
	return s;
}

enum roa_state
roa_map_check(const struct roa_map *m, const struct prefix *net, uint32_t asn)
{
	enum roa_state s = ROA_UNKNOWN, t;
	const struct roa_node *n = m->root;

	if (net->fam != m->fam)
		return ROA_UNKNOWN;
	for (unsigned d = 0;; d++) {
		const struct bucket *b;
		bool leaf = d == m->depth;

		b = leaf ? (const void *)n
			 : load_acquire_ptr(&n->bucket); /* pairs: ROABUCKET */
		t = b ? roa_ask(m->fam, b, net, asn) : ROA_UNKNOWN;
		if (t == ROA_VALID)
			return t;
		if (t != ROA_UNKNOWN)
			s = t;
		if (leaf || net->len < 8 * (d + 1))
			return s;
		/* pairs: ROANODE, ROABUCKET */
		n = load_acquire_ptr(&n->child[roa_octet(m->fam, net->addr, d)]);
		if (!n)
			return s;
	}
}

/* roa_on_path - collect the buckets in which VRPs that cover @net may stand (I3).
 * Returns: number of buckets, one a level at most. roa_map_check does not use the
 * function: the collection costs a tenth more instructions there. */
static unsigned
roa_on_path(
    const struct roa_map *m, const struct prefix *net, const struct bucket *b[LEVELS])
{
	const struct roa_node *n = m->root;
	unsigned cnt = 0;

	for (unsigned d = 0; n; d++) {
		bool leaf = d == m->depth;

		b[cnt] = leaf ? (const void *)n
			      : load_acquire_ptr(&n->bucket); /* pairs: ROABUCKET */
		cnt += b[cnt] != NULL;
		if (leaf || net->len < 8 * (d + 1))
			break;
		/* pairs: ROANODE, ROABUCKET */
		n = load_acquire_ptr(&n->child[roa_octet(m->fam, net->addr, d)]);
	}
	return cnt;
}

/* roa_list - find the VRPs of @b that cover @asked and match (@matching) or do not match.
 * Returns: number of VRPs; the first @room VRPs are in @out. */
static uint32_t
roa_list(const struct roa_map *m, const struct bucket *b, const struct vrp *asked,
    bool matching, struct vrp *out, uint32_t room)
{
	uint32_t i = roa_upto(m->fam, b, asked->net.addr), cnt = 0;

	for (i = i ? i - 1 : NONE; i != NONE; i = b->rec[i].up) {
		struct vrp v = roa_vrp_at(m->fam, b, i);

		if (!prefix_contains(&v.net, &asked->net) ||
		    vrp_matches(&v, &asked->net, asked->asn) != matching)
			continue;
		if (cnt < room)
			out[cnt] = v;
		cnt++;
	}
	return cnt;
}

void
roa_map_cover(
    const struct roa_map *m, struct roa_cover *c, const struct prefix *net, uint32_t asn)
{
	struct vrp asked = { .net = *net, .asn = asn };
	const struct bucket *b[LEVELS];
	unsigned cnt = net->fam == m->fam ? roa_on_path(m, net, b) : 0;

	c->cnt = 0;
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned i = 0; i < cnt; i++) {
			uint32_t have = (uint32_t)min_u64(c->cnt, ROA_COVER_MAX);

			c->cnt += roa_list(
			    m, b[i], &asked, !k, c->vrp + have, ROA_COVER_MAX - have);
		}
		if (!k)
			c->matching = c->cnt;
	}
	c->state = c->matching ? ROA_VALID : c->cnt ? ROA_INVALID : ROA_UNKNOWN;
}

/* ---- life ---- */

struct roa_map *
roa_map_new(enum family fam)
{
	struct roa_map *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->fam = fam;
	m->depth = fam == FAM_IP4 ? 2 : 3;
	m->root = mem_zalloc(MEM_TABLE, sizeof(*m->root));
	return m;
}

/* style: recursion, at most three deep. */
static void
roa_free_node(const struct roa_map *m, struct roa_node *n, unsigned d)
{
	for (unsigned i = 0; i < FANOUT && d < m->depth; i++) {
		struct roa_node *c = load_relaxed_ptr(&n->child[i]);

		if (c)
			roa_free_node(m, c, d + 1);
	}
	if (d < m->depth)
		mem_free(MEM_TABLE, load_relaxed_ptr(&n->bucket));
	mem_free(MEM_TABLE, n);
}

void
roa_map_free(TAKE struct roa_map *m)
{
	if (!m)
		return;
	roa_free_node(m, m->root, 0);
	mem_free(MEM_TABLE, m);
}

uint64_t
roa_map_cnt(const struct roa_map *m)
{
	return counter64_get(&m->cnt);
}

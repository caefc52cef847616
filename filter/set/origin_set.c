/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of prefixes with origins. The parser's thread builds; any thread reads.
 *
 * The different prefixes of a family stand in the order of address and length, so a
 * prefix stands behind each prefix that contains it. `up` leads from a prefix to the next
 * prefix above that contains it. The entries of a prefix stand together, in the order of
 * their origins.
 *
 * A lookup of N searches the last prefix that does not follow N. If this prefix does not
 * contain N, the way up from it leads to the longest prefix that does: each prefix that
 * contains N contains all prefixes between itself and N. From there the way up passes all
 * prefixes that contain N, 33 or 129 at most.
 *
 * I1  Prefixes of a part ascend strictly by (address, length).
 * I2  Entries of a prefix ascend strictly by (origin, lo, hi).
 *
 * Tested by test/unit/test_origin_set.c against a list of the entries. */
#include "filter/set/origin_set.h"

#include "lib/base/hash.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"

#include <stdlib.h>

#define NO_UP         UINT32_MAX
#define PRINT_MAX     100 /* entries that the text of a set names */
#define RADIX_MIN     256 /* fewer entries are sorted by comparison */
#define ORIGIN_DIGITS 18 /* of an entry's key: len, 16 octets of addr, fam */

/* A prefix of the set. */
struct origin_node {
	uint32_t up; /* node of the next prefix above that contains it; NO_UP: none */
	uint32_t first; /* its first entry; the next node has the end */
	uint8_t len;
	uint8_t lo, hi; /* least and greatest length that an entry allows */
	uint8_t holes; /* 1: no entry allows some length between */
};

struct origin_right {
	uint32_t origin;
	uint8_t lo, hi;
};

struct origin_part {
	uint32_t cnt; /* of prefixes */
	const struct origin_node *node; /* one more than cnt */
	const struct origin_right *right;
	/* the addresses of the prefixes, of one family */
	const uint32_t *addr4;
	const struct ip_addr *addr6;
};

struct origin_set {
	struct origin_part part[FAM_CNT];
	uint32_t cnt; /* different entries */
	uint64_t hash[2];
	/* for sets of PRINT_MAX entries at most: the entries, for the text */
	const struct origin_entry *shown;
};

/* ---- order of entries ---- */

static int
origin_cmp_u32(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/* origin_cmp_prefix - by family, address and length. */
static int
origin_cmp_prefix(const struct origin_entry *a, const struct origin_entry *b)
{
	int d = a->fam - b->fam;

	if (!d)
		d = ip_cmp(a->addr, b->addr);
	return d ? d : a->len - b->len;
}

static int
origin_cmp(const void *x, const void *y)
{
	const struct origin_entry *a = x, *b = y;
	int d = origin_cmp_prefix(a, b);

	if (!d)
		d = origin_cmp_u32(a->origin, b->origin);
	if (!d)
		d = a->lo - b->lo;
	return d ? d : a->hi - b->hi;
}

/* origin_digit - octet @k of the key of @e; the last octet is the most significant. */
static inline unsigned
origin_digit(const struct origin_entry *e, unsigned k)
{
	if (k == 0)
		return e->len;
	if (k == ORIGIN_DIGITS - 1)
		return e->fam;
	return (k <= 8 ? e->addr.lo >> 8 * (k - 1) : e->addr.hi >> 8 * (k - 9)) & 0xff;
}

/* origin_deal - copy @from to @to in the order of digit @k, equal digits in the present
 * order. */
static void
origin_deal(struct origin_entry *to, const struct origin_entry *from, uint32_t cnt,
    unsigned k, uint32_t *at)
{
	uint32_t sum = 0;

	memset(at, 0, 256 * sizeof(*at));
	for (uint32_t i = 0; i < cnt; i++)
		at[origin_digit(&from[i], k)]++;
	for (unsigned d = 0; d < 256; d++) {
		uint32_t n = at[d];

		at[d] = sum;
		sum += n;
	}
	for (uint32_t i = 0; i < cnt; i++)
		to[at[origin_digit(&from[i], k)]++] = from[i];
}

/* origin_sort_digits - sort by prefix, digit by digit; digits that are equal in all
 * entries are left out. */
static void
origin_sort_digits(struct origin_entry *e, uint32_t cnt)
{
	struct origin_entry *to = mem_alloc(MEM_CONFIG, cnt * sizeof(*to)), *from = e;
	struct origin_entry *spare = to, *swap;
	bool vary[ORIGIN_DIGITS] = { false };
	struct ip_addr x = IP_NONE;
	uint32_t at[256];

	for (uint32_t i = 1; i < cnt; i++) {
		x.hi |= e[i].addr.hi ^ e[0].addr.hi;
		x.lo |= e[i].addr.lo ^ e[0].addr.lo;
		vary[0] |= e[i].len != e[0].len;
		vary[ORIGIN_DIGITS - 1] |= e[i].fam != e[0].fam;
	}
	for (unsigned k = 1; k < ORIGIN_DIGITS - 1; k++)
		vary[k] = ((k <= 8 ? x.lo >> 8 * (k - 1) : x.hi >> 8 * (k - 9)) & 0xff) !=
			  0;
	for (unsigned k = 0; k < ORIGIN_DIGITS; k++) {
		if (!vary[k])
			continue;
		origin_deal(to, from, cnt, k, at);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != e)
		memcpy(e, from, cnt * sizeof(*e));
	mem_free(MEM_CONFIG, spare);
}

/* origin_sort_rights - sort the entries of each prefix; the prefixes are in order. */
static void
origin_sort_rights(struct origin_entry *e, uint32_t cnt)
{
	for (uint32_t from = 0, to; from < cnt; from = to) {
		for (to = from + 1; to < cnt && !origin_cmp_prefix(&e[from], &e[to]);)
			to++;
		if (to - from > 1)
			qsort(e + from, to - from, sizeof(*e), origin_cmp);
	}
}

static void
origin_sort(struct origin_entry *e, uint32_t cnt)
{
	uint32_t i = 1;

	while (i < cnt && origin_cmp(&e[i - 1], &e[i]) <= 0)
		i++;
	if (i >= cnt)
		return;
	if (cnt < RADIX_MIN) {
		qsort(e, cnt, sizeof(*e), origin_cmp);
		return;
	}
	origin_sort_digits(e, cnt);
	origin_sort_rights(e, cnt);
}

/* origin_unique - drop entries that are equal to their predecessors. Returns: number of
 * remaining entries. */
static uint32_t
origin_unique(struct origin_entry *e, uint32_t cnt)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cnt; i++)
		if (!n || origin_cmp(&e[n - 1], &e[i])) {
			if (n != i)
				e[n] = e[i];
			n++;
		}
	return n;
}

/* ---- building ---- */

/* A walk over the sorted entries of one family. */
struct origin_making {
	const struct origin_entry *e;
	struct origin_node *node;
	struct origin_right *right;
	uint32_t *addr4;
	struct ip_addr *addr6;
	uint32_t nodes;
	uint32_t up[129]; /* the nodes that contain the present prefix */
	unsigned depth;
	uint64_t lens[3]; /* lengths that entries of the present prefix allow */
};

static struct prefix
origin_prefix(const struct origin_entry *e)
{
	return (struct prefix){ .addr = e->addr, .len = e->len, .fam = e->fam };
}

/* origin_open_node - a new prefix begins with the entry @i. */
static void
origin_open_node(struct origin_making *m, uint32_t i)
{
	struct prefix p = origin_prefix(&m->e[i]), above;
	struct origin_node *n = &m->node[m->nodes];

	while (m->depth) {
		above = origin_prefix(&m->e[m->node[m->up[m->depth - 1]].first]);
		if (prefix_contains(&above, &p))
			break;
		m->depth--;
	}
	*n = (struct origin_node){ .first = i, .len = p.len, .lo = UINT8_MAX };
	n->up = m->depth ? m->up[m->depth - 1] : NO_UP;
	if (m->addr4)
		m->addr4[m->nodes] = ip_to_v4(p.addr);
	else
		m->addr6[m->nodes] = p.addr;
	m->up[m->depth++] = m->nodes++;
	memset(m->lens, 0, sizeof(m->lens));
}

/* origin_allow - the present prefix has the lengths of @e. */
static void
origin_allow(struct origin_making *m, const struct origin_entry *e)
{
	struct origin_node *n = &m->node[m->nodes - 1];
	unsigned cnt = 0;

	if (e->lo < n->lo)
		n->lo = e->lo;
	if (e->hi > n->hi)
		n->hi = e->hi;
	for (unsigned len = e->lo; len <= e->hi; len++)
		m->lens[len / 64] |= (uint64_t)1 << len % 64;
	for (unsigned k = 0; k < ARRAY_LEN(m->lens); k++)
		cnt += (unsigned)__builtin_popcountll(m->lens[k]);
	n->holes = cnt != n->hi - n->lo + 1u;
}

static uint32_t
origin_count_prefixes(const struct origin_entry *e, uint32_t cnt)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cnt; i++)
		n += !i || origin_cmp_prefix(&e[i - 1], &e[i]) != 0;
	return n;
}

static void
origin_make_part(
    struct origin_part *p, struct arena *a, const struct origin_entry *e, uint32_t cnt)
{
	struct origin_making m = { .e = e };
	uint32_t nodes = origin_count_prefixes(e, cnt);

	m.node = arena_alloc(a, (nodes + 1) * sizeof(*m.node));
	m.right = arena_alloc(a, cnt * sizeof(*m.right));
	if (e->fam == FAM_IP4)
		m.addr4 = arena_alloc(a, nodes * sizeof(*m.addr4));
	else
		m.addr6 = arena_alloc(a, nodes * sizeof(*m.addr6));
	for (uint32_t i = 0; i < cnt; i++) {
		if (!i || origin_cmp_prefix(&e[i - 1], &e[i]))
			origin_open_node(&m, i);
		origin_allow(&m, &e[i]);
		m.right[i] = (struct origin_right){ e[i].origin, e[i].lo, e[i].hi };
	}
	m.node[nodes] = (struct origin_node){ .up = NO_UP, .first = cnt };
	*p = (struct origin_part){ nodes, m.node, m.right, m.addr4, m.addr6 };
}

static void
origin_add_hash(uint64_t h[2], const struct origin_entry *e, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		uint64_t rest = (uint64_t)e[i].origin << 32 | (uint32_t)e[i].fam << 24 |
				(uint32_t)e[i].len << 16 | (uint32_t)e[i].lo << 8 |
				e[i].hi;

		h[0] = hash_u64(h[0] ^ rest, e[i].addr.hi) + e[i].addr.lo;
		h[1] = hash_u64(h[1] + rest, ~e[i].addr.lo) ^ e[i].addr.hi;
	}
	h[0] = hash_u64(h[0], cnt);
	h[1] = hash_u64(h[1], cnt);
}

const struct origin_set *
origin_set_build(struct arena *a, struct origin_entry *e, uint32_t cnt)
{
	struct origin_set *s = arena_zalloc(a, sizeof(*s));
	uint32_t v4 = 0;

	origin_sort(e, cnt);
	cnt = s->cnt = origin_unique(e, cnt);
	while (v4 < cnt && e[v4].fam == FAM_IP4)
		v4++;
	if (v4)
		origin_make_part(&s->part[FAM_IP4], a, e, v4);
	if (cnt > v4)
		origin_make_part(&s->part[FAM_IP6], a, e + v4, cnt - v4);
	s->hash[0] = 5;
	s->hash[1] = 6;
	origin_add_hash(s->hash, e, cnt);
	if (cnt <= PRINT_MAX)
		s->shown = arena_memdup(a, e, cnt * sizeof(*e));
	return s;
}

/* ---- asking ---- */

/* origin_follows - does prefix @i of @t follow @p in the order of the part? */
static inline bool
origin_follows(const struct origin_part *t, uint32_t i, const struct prefix *p)
{
	int d = t->addr4 ? origin_cmp_u32(t->addr4[i], ip_to_v4(p->addr))
			 : ip_cmp(t->addr6[i], p->addr);

	return d ? d > 0 : t->node[i].len > p->len;
}

static inline bool
origin_contains(const struct origin_part *t, uint32_t i, const struct prefix *p)
{
	struct prefix n = { .addr = t->addr4 ? ip4(t->addr4[i]) : t->addr6[i],
		.len = t->node[i].len,
		.fam = p->fam };

	return prefix_contains(&n, p);
}

/* origin_set_find - the longest prefix of @t that contains @p; NO_UP: none. */
static uint32_t
origin_set_find(const struct origin_part *t, const struct prefix *p)
{
	uint32_t lo = 0, hi = t->cnt, i;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (origin_follows(t, mid, p))
			hi = mid;
		else
			lo = mid + 1;
	}
	i = lo ? lo - 1 : NO_UP;
	while (i != NO_UP && !origin_contains(t, i, p))
		i = t->node[i].up;
	return i;
}

/* origin_has_length - does an entry of prefix @n allow @len? */
static bool
origin_has_length(const struct origin_part *t, const struct origin_node *n, unsigned len)
{
	bool between = n->lo <= len && len <= n->hi;

	if (!between || !n->holes)
		return between;
	for (uint32_t i = n->first; i < n[1].first; i++)
		if (t->right[i].lo <= len && len <= t->right[i].hi)
			return true;
	return false;
}

/* origin_has_right - does an entry of prefix @n allow @len and @asn? */
static bool
origin_has_right(
    const struct origin_part *t, const struct origin_node *n, unsigned len, uint32_t asn)
{
	uint32_t lo = n->first, hi = n[1].first;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->right[mid].origin < asn)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n[1].first && t->right[lo].origin == asn; lo++)
		if (t->right[lo].lo <= len && len <= t->right[lo].hi)
			return true;
	return false;
}

enum irr_state
origin_set_check(const struct origin_set *s, const struct prefix *p, uint32_t asn)
{
	const struct origin_part *t = &s->part[p->fam];
	enum irr_state best = IRR_PREFIX;

	for (uint32_t i = origin_set_find(t, p); i != NO_UP; i = t->node[i].up) {
		if (best == IRR_PREFIX)
			best = IRR_LENGTH;
		if (!origin_has_length(t, &t->node[i], p->len))
			continue;
		if (origin_has_right(t, &t->node[i], p->len, asn))
			return IRR_VALID;
		best = IRR_ORIGIN;
	}
	return best;
}

uint32_t
origin_set_size(const struct origin_set *s)
{
	return s->cnt;
}

void
origin_set_hash(const struct origin_set *s, uint64_t out[2])
{
	out[0] = s->hash[0];
	out[1] = s->hash[1];
}

static void
origin_print_entry(struct strbuf *b, const struct origin_entry *e)
{
	struct prefix p = origin_prefix(e);
	char text[PREFIX_STR_MAX];

	strbuf_adds(b, prefix_str(text, &p));
	if (e->lo == e->len && e->hi == family_bits((enum family)e->fam) &&
	    e->hi != e->len)
		strbuf_addc(b, '+');
	else if (e->lo != e->len || e->hi != e->len)
		strbuf_addf(b, "{%u,%u}", e->lo, e->hi);
	strbuf_addf(b, " as %u", e->origin);
}

void
origin_set_print(struct strbuf *b, const struct origin_set *s)
{
	if (!s->shown) {
		strbuf_addf(
		    b, "[%u prefix%s with origins]", s->cnt, plural(s->cnt, "", "es"));
		return;
	}
	strbuf_addc(b, '[');
	for (uint32_t i = 0; i < s->cnt; i++) {
		strbuf_adds(b, i ? ", " : "");
		origin_print_entry(b, &s->shown[i]);
	}
	strbuf_addc(b, ']');
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a set of prefixes as BIRD 3.3.2 prints the set. The form was found by questions
 * to that program. Pure functions; any thread.
 *
 * I1  A node has a length that is a multiple of STEP. Nodes are: the root; for each
 *     pattern (P, lo, hi) the node at or above the end of P, where P is no longer than
 *     hi; all nodes of the next length within P, if P ends between two lengths of nodes
 *     and hi reaches the next length; the branches between two nodes.
 * I2  The mask of a node holds lengths: of a pattern that ends at the node all lengths,
 *     of a pattern that ends below the node the lengths up to the node's, of a pattern
 *     that ends above the node (I1) the lengths from the node's on.
 * I3  Shorts are the prefixes behind a node whose length is less than that of the next
 *     nodes. A short whose length is in the mask is not printed. A printed short includes
 *     the shorts below, as long as all shorts of the next length are there.
 *
 * Tests: test_pfxset_nodes.c, test/net/test_bird_suites. */
#include "filter/set/pfxset_nodes.h"

#include "lib/base/base.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

#include <stdlib.h>
#include <string.h>

#define STEP 4

/* A node. Owner: the set of nodes; by value. */
struct node {
	struct ip_addr addr;
	uint8_t len, fam;
	bool zero; /* the root: the length 0 is a member */
	uint16_t shorts; /* bit 2^D + i: the short i of D bits more than the node */
	struct ip_addr mask; /* bit N from the left stands for the length N; from 1 on */
};

/* Nodes, sorted: a node precedes the nodes below. Owner: the printing function. */
struct nodes {
	struct node *at;
	uint32_t cnt, cap;
};

static unsigned
node_max_len(unsigned fam)
{
	return fam == FAM_IP4 ? 32 : 128;
}

/* node_bit - the bit that stands for the length @len, or for the position @len of an
 * address. Length 0 has no bit. */
static struct ip_addr
node_bit(unsigned fam, unsigned len)
{
	unsigned at = len + 128 - node_max_len(fam);

	if (!len)
		return IP_NONE;
	return at <= 64 ? (struct ip_addr){ 1ull << (64 - at), 0 }
			: (struct ip_addr){ 0, 1ull << (128 - at) };
}

static bool
node_has_bit(struct ip_addr a, unsigned fam, unsigned len)
{
	struct ip_addr bit = node_bit(fam, len);

	return (a.hi & bit.hi) || (a.lo & bit.lo);
}

/* node_prefix - the first @len bits of @a. */
static struct ip_addr
node_prefix(struct ip_addr a, unsigned fam, unsigned len)
{
	return prefix_make(a, len, (enum family)fam).addr;
}

static bool
node_agrees(struct ip_addr a, struct ip_addr b, unsigned fam, unsigned len)
{
	return ip_equal(node_prefix(a, fam, len), node_prefix(b, fam, len));
}

/* node_below - the prefix that follows @a, of @len bits, by the @add bits of @i. */
static struct ip_addr
node_below(struct ip_addr a, unsigned fam, unsigned len, unsigned add, unsigned i)
{
	for (unsigned d = 1; d <= add; d++)
		if (i >> (add - d) & 1) {
			struct ip_addr bit = node_bit(fam, len + d);

			a.hi |= bit.hi;
			a.lo |= bit.lo;
		}
	return a;
}

/* ---- which nodes (I1) ---- */

static void
nodes_add(struct nodes *n, unsigned fam, struct ip_addr addr, unsigned len)
{
	n->at = vec_room(MEM_CONFIG, n->at, &n->cap, n->cnt + 1, sizeof(*n->at));
	n->at[n->cnt++] = (struct node){ .addr = node_prefix(addr, fam, len),
		.len = (uint8_t)len,
		.fam = (uint8_t)fam };
}

static unsigned
node_of_end(const struct pfx_pattern *t)
{
	return t->len < t->hi ? t->len : t->hi;
}

/* node_of_pattern - the length of the node at or above the end of the pattern. */
static unsigned
node_of_pattern(const struct pfx_pattern *t)
{
	return node_of_end(t) / STEP * STEP;
}

static void
nodes_add_pattern(struct nodes *n, const struct pfx_pattern *t)
{
	unsigned end = node_of_end(t), next = node_of_pattern(t) + STEP;

	nodes_add(n, t->fam, IP_NONE, 0);
	nodes_add(n, t->fam, t->addr, node_of_pattern(t));
	if (end % STEP && t->hi >= next)
		for (unsigned i = 0; i < 1u << (next - end); i++)
			nodes_add(n, t->fam,
			    node_below(node_prefix(t->addr, t->fam, end), t->fam, end,
				next - end, i),
			    next);
}

static int
node_cmp(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->fam != y->fam)
		return x->fam < y->fam ? -1 : 1;
	if (!ip_equal(x->addr, y->addr))
		return ip_cmp(x->addr, y->addr);
	return x->len < y->len ? -1 : x->len > y->len;
}

/* nodes_sort - sort, and remove nodes that occur again. */
static void
nodes_sort(struct nodes *n)
{
	uint32_t cnt = 0;

	if (n->cnt)
		qsort(n->at, n->cnt, sizeof(*n->at), node_cmp);
	for (uint32_t i = 0; i < n->cnt; i++)
		if (!cnt || node_cmp(&n->at[cnt - 1], &n->at[i]) != 0)
			n->at[cnt++] = n->at[i];
	n->cnt = cnt;
}

static void
nodes_add_branches(struct nodes *n)
{
	for (uint32_t i = 1, cnt = n->cnt; i < cnt; i++) {
		struct node x = n->at[i - 1], y = n->at[i];
		unsigned common = 0;

		if (x.fam != y.fam)
			continue;
		while (common < x.len && common < y.len &&
		       node_agrees(x.addr, y.addr, x.fam, common + 1))
			common++;
		nodes_add(n, x.fam, x.addr, common / STEP * STEP);
	}
}

/* ---- which lengths (I2) ---- */

static void
node_take(struct node *n, unsigned from, unsigned to)
{
	for (unsigned len = from; len <= to; len++) {
		struct ip_addr bit = node_bit(n->fam, len);

		n->mask.hi |= bit.hi;
		n->mask.lo |= bit.lo;
	}
}

/* node_take_shorts - take the shorts of a pattern that ends behind the node: the shorts
 * on the way to the end, and all shorts within the pattern's prefix. */
static void
node_take_shorts(struct node *n, const struct pfx_pattern *t)
{
	for (unsigned d = 1; d < STEP; d++) {
		unsigned len = n->len + d, end = node_of_end(t);

		if (len < t->lo || len > t->hi)
			continue;
		for (unsigned i = 0; i < 1u << d; i++)
			if (node_agrees(node_below(n->addr, n->fam, n->len, d, i),
				t->addr, n->fam, len < end ? len : end))
				n->shorts |= (uint16_t)(1u << ((1u << d) + i));
	}
}

static void
node_take_pattern(struct node *n, const struct pfx_pattern *t)
{
	unsigned end = node_of_end(t), at = node_of_pattern(t);

	if (n->fam != t->fam ||
	    !node_agrees(n->addr, t->addr, n->fam, n->len < end ? n->len : end))
		return;
	if (n->len <= end) {
		n->zero |= !n->len && !t->lo;
		node_take(n, t->lo, n->len == end ? t->hi : n->len);
		if (n->len < end)
			node_take_shorts(n, t);
	} else if (n->len == at + STEP && end % STEP) {
		node_take(n, t->lo > n->len ? t->lo : n->len, t->hi);
	}
}

/* ---- the text ---- */

static void
node_print_part(struct strbuf *b, const struct prefix *p, const struct ip_addr *mask)
{
	char text[PREFIX_STR_MAX], *end = text;

	strbuf_addf(b, "%s%s", b->s[b->len - 1] == '[' ? "" : ", ", prefix_str(text, p));
	if (!mask)
		return;
	if (p->fam == FAM_IP4)
		end = ip4_put_str(text, ip_to_v4(*mask));
	else if (!mask->hi && mask->lo >> 16 && !(mask->lo >> 32))
		end = ip4_put_str((char *)memcpy(text, "::", 2) + 2, ip_to_v4(*mask));
	else
		end = ip6_put_str(text, *mask);
	strbuf_addf(b, "{%.*s}", (int)(end - text), text);
}

/* node_has_all - are all shorts of @more bits behind the short @i of @d bits there? */
static bool
node_has_all(const struct node *n, unsigned d, unsigned i, unsigned more)
{
	uint32_t all = (1u << (1u << more)) - 1;

	return (n->shorts >> ((1u << (d + more)) + (i << more)) & all) == all;
}

/* node_print_short - print the short @i of @d bits with the shorts below (I3), which are
 * removed from @n. */
static void
node_print_short(struct strbuf *b, struct node *n, unsigned d, unsigned i)
{
	struct prefix p = { .addr = node_below(n->addr, n->fam, n->len, d, i),
		.len = (uint8_t)(n->len + d),
		.fam = n->fam };
	struct node group = { .fam = n->fam };

	for (unsigned more = 0; d + more < STEP && node_has_all(n, d, i, more); more++) {
		uint32_t all = (1u << (1u << more)) - 1;

		node_take(&group, p.len + more, p.len + more);
		n->shorts &= (uint16_t) ~(all << ((1u << (d + more)) + (i << more)));
	}
	node_print_part(b, &p, &group.mask);
}

static void
node_print(struct strbuf *b, struct node *n)
{
	struct prefix p = { .addr = n->addr, .len = n->len, .fam = n->fam };

	if (n->zero)
		node_print_part(b, &p, NULL);
	if (!ip_is_none(n->mask))
		node_print_part(b, &p, &n->mask);
	for (unsigned d = 1; d < STEP; d++)
		if (n->len + d <= node_max_len(n->fam) &&
		    node_has_bit(n->mask, n->fam, n->len + d))
			n->shorts &= (uint16_t) ~(((1u << (1u << d)) - 1) << (1u << d));
	for (unsigned d = 1; d < STEP; d++)
		for (unsigned i = 0; i < 1u << d; i++)
			if (n->shorts >> ((1u << d) + i) & 1)
				node_print_short(b, n, d, i);
}

void
pfxset_nodes_print(struct strbuf *b, const struct pfx_pattern *pat, uint32_t cnt)
{
	struct nodes n = { NULL, 0, 0 };

	for (uint32_t i = 0; i < cnt; i++)
		nodes_add_pattern(&n, &pat[i]);
	nodes_sort(&n);
	nodes_add_branches(&n);
	nodes_sort(&n);
	strbuf_addc(b, '[');
	for (uint32_t k = 0; k < n.cnt; k++) {
		for (uint32_t i = 0; i < cnt; i++)
			node_take_pattern(&n.at[k], &pat[i]);
		node_print(b, &n.at[k]);
	}
	strbuf_addc(b, ']');
	mem_free(MEM_CONFIG, n.at);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash table: chains of nodes, and the doubling of buckets.
 *
 * I1  The last bits of a node's hash give the bucket of the node.
 * I2  Newer nodes come first in a chain. A split walks the old chain from the first node
 *     to the last and appends to both halves, so the order stays.
 * I3  The table has at most as many nodes as buckets.
 *
 * Loop: the loop that owns the table. */
#include "lib/base/htab.h"
#include "lib/mem/mem.h"

#define BUCKETS_MIN 8

void
htab_init(struct htab *t, enum mem_tag tag)
{
	*t = (struct htab){ .tag = tag };
}

void
htab_init_arena(struct htab *t, struct arena *a)
{
	*t = (struct htab){ .arena = a };
}

void
htab_fini(struct htab *t)
{
	if (!t->arena)
		mem_free(t->tag, t->bucket);
	*t = (struct htab){ .tag = t->tag, .arena = t->arena };
}

static struct htab_node **
htab_bucket_of(const struct htab *t, uint64_t hash)
{
	return &t->bucket[hash & (t->bucket_cnt - 1)];
}

static void
htab_grow(struct htab *t)
{
	uint32_t old = t->bucket_cnt, cnt = old ? 2 * old : BUCKETS_MIN;
	size_t size = cnt * sizeof(struct htab_node *);
	struct htab_node **to = t->arena ? arena_zalloc(t->arena, size)
					 : mem_zalloc(t->tag, size);

	for (uint32_t i = 0; i < old; i++) {
		struct htab_node **end[2] = { &to[i], &to[i + old] }, *n;

		for (n = t->bucket[i]; n; n = n->next) { /* I2 */
			unsigned half = (n->hash & old) != 0;

			*end[half] = n;
			end[half] = &n->next;
		}
		*end[0] = *end[1] = NULL;
	}
	if (!t->arena)
		mem_free(t->tag, t->bucket);
	t->bucket = to;
	t->bucket_cnt = cnt;
}

void
htab_add(struct htab *t, struct htab_node *n, uint64_t hash)
{
	struct htab_node **b;

	if (t->cnt == t->bucket_cnt) /* I3 */
		htab_grow(t);
	b = htab_bucket_of(t, hash);
	n->hash = hash;
	n->next = *b;
	*b = n;
	t->cnt++;
}

void
htab_del(struct htab *t, struct htab_node *n)
{
	struct htab_node **at = htab_bucket_of(t, n->hash);

	while (*at != n) {
		ASSERT(*at);
		at = &(*at)->next;
	}
	*at = n->next;
	t->cnt--;
}

struct htab_node *
htab_walk(const struct htab *t, const struct htab_node *n)
{
	uint32_t i = 0;

	if (n) {
		if (n->next)
			return n->next;
		i = (n->hash & (t->bucket_cnt - 1)) + 1;
	}
	for (; i < t->bucket_cnt; i++)
		if (t->bucket[i])
			return t->bucket[i];
	return NULL;
}

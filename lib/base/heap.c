/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binary min-heap; a node stores its place, so moving or removing a timer needs no
 * search.
 *
 * I1  node[pos]->pos == pos for 1 <= pos <= cnt; node[0] is unused.
 * I2  node[i]->key >= node[i / 2]->key.
 *
 * Loop: the loop that owns the heap. */
#include "lib/base/heap.h"
#include "lib/base/vec.h"

void
heap_init(struct heap *h, enum mem_tag tag)
{
	*h = (struct heap){ .tag = tag };
}

void
heap_fini(struct heap *h)
{
	for (uint32_t i = 1; i <= h->cnt; i++)
		h->node[i]->pos = 0;
	mem_free(h->tag, h->node);
	heap_init(h, h->tag);
}

static void
heap_place(struct heap *h, uint32_t pos, struct heap_node *n)
{
	h->node[pos] = n;
	n->pos = pos;
}

/* heap_sift_up, heap_sift_down - place @pos is free; put @n at @pos or at the place that
 * the order demands. */
static void
heap_sift_up(struct heap *h, uint32_t pos, struct heap_node *n)
{
	for (; pos > 1 && h->node[pos / 2]->key > n->key; pos /= 2)
		heap_place(h, pos, h->node[pos / 2]);
	heap_place(h, pos, n);
}

static void
heap_sift_down(struct heap *h, uint32_t pos, struct heap_node *n)
{
	uint32_t child;

	while ((child = pos * 2) <= h->cnt) {
		if (child < h->cnt && h->node[child + 1]->key < h->node[child]->key)
			child++;
		if (h->node[child]->key >= n->key)
			break;
		heap_place(h, pos, h->node[child]);
		pos = child;
	}
	heap_place(h, pos, n);
}

void
heap_insert(struct heap *h, struct heap_node *n, uint64_t key)
{
	ASSERT(n->pos == 0);
	h->node = vec_room(
	    h->tag, h->node, &h->cap, h->cnt + 2, sizeof(struct heap_node *));
	n->key = key;
	heap_sift_up(h, ++h->cnt, n);
}

void
heap_remove(struct heap *h, struct heap_node *n)
{
	uint32_t pos = n->pos;
	struct heap_node *last;

	if (pos == 0)
		return;
	ASSERT(pos <= h->cnt && h->node[pos] == n);
	last = h->node[h->cnt--];
	n->pos = 0;
	if (last == n)
		return;
	if (pos > 1 && h->node[pos / 2]->key > last->key)
		heap_sift_up(h, pos, last);
	else
		heap_sift_down(h, pos, last);
}

struct heap_node *
heap_min(const struct heap *h)
{
	return h->cnt ? h->node[1] : NULL;
}

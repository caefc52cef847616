/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intrusive doubly linked list with a separate head. Owner: the loop of the head; nodes
 * are embedded in the loop's objects. Life: a node until list_del. */
#ifndef TERN_LIB_BASE_LIST_H
#define TERN_LIB_BASE_LIST_H

#include "lib/base/base.h"

/* A head or a node of a list. Owner: the object that embeds the struct, and that frees
 * the struct after list_del. */
struct list {
	struct list *next, *prev;
};

static inline void
list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool
list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void
list_insert_after(struct list *at, struct list *n)
{
	n->prev = at;
	n->next = at->next;
	at->next->prev = n;
	at->next = n;
}

static inline void
list_add_tail(struct list *l, struct list *n)
{
	list_insert_after(l->prev, n);
}

/* list_del - unlink @n. @n becomes a list of its own, so a second list_del is
 * harmless. */
static inline void
list_del(struct list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	list_init(n);
}

/* list_move_head - all of @from comes before what is in @l; @from is left empty. */
static inline void
list_move_head(struct list *l, struct list *from)
{
	if (list_empty(from))
		return;
	from->prev->next = l->next;
	l->next->prev = from->prev;
	l->next = from->next;
	from->next->prev = l;
	list_init(from);
}

#define list_for_each(n, l) for (n = (l)->next; n != (l); n = n->next)
/* The current node may be deleted; @t is scratch. */
#define list_for_each_safe(n, t, l)                                                      \
	for (n = (l)->next, t = n->next; n != (l); n = t, t = n->next)

#endif

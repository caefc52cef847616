/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Push stack: many threads push nodes, one thread takes all nodes at once. Inboxes and
 * lists of pending work are built on the stack.
 *
 * Which calls may run at the same time: stack_push and stack_empty from any thread, with
 * each other and with one stack_take. Only the taker touches the taken nodes.
 * G1  Exactly one stack_take returns a pushed node.
 * G2  The taker of a node sees all writes of the pushing thread before the push.
 * G3  stack_take returns the nodes of one thread in the order of the pushes.
 * G4  Among the pushes between two calls of stack_take exactly one push returns "the
 *     stack was empty".
 * Progress: pushing is lock-free, the rest wait-free. One exchange takes all nodes, so a
 * node may be pushed again as soon as the node was taken: no ABA can occur.
 *
 * Owner: the taker owns the stack, and the pusher owns a node until the push. Life: both
 * are embedded in the users' objects; a node stays until taken. */
#ifndef TERN_LIB_MT_STACK_H
#define TERN_LIB_MT_STACK_H

#include "lib/mt/atomic.h"

/* A node of a stack. Owner: the pusher until the push, then the taker, who frees the
 * object with the node. */
struct stack_node {
	struct pubptr next; /* private */
};

/* A stack. Owner: the taker, which embeds the struct: nothing to free. */
struct stack {
	struct pubptr head; /* the newest. private */
};

/* stack_push - push @n, which is in no stack. Returns: true: the stack was empty (G4). */
static inline bool
stack_push(struct stack *s, struct stack_node *n)
{
	void *head = load_relaxed_ptr(&s->head);

	do
		store_relaxed_ptr(&n->next, head);
	while (!cas_acq_rel_ptr(&s->head, &head, n)); /* pairs: STACK */
	return !head;
}

/* stack_empty - a glance; orders nothing. */
static inline bool
stack_empty(const struct stack *s)
{
	return !load_relaxed_ptr(&s->head);
}

/* stack_next - the node behind @n in what was taken; NULL: it was the last. */
static inline struct stack_node *
stack_next(const struct stack_node *n)
{
	return load_relaxed_ptr(&n->next);
}

/* stack_take - all nodes, oldest first, by stack_next; NULL: there are none. */
static inline struct stack_node *
stack_take(struct stack *s)
{
	struct stack_node *n, *next, *out = NULL;

	if (stack_empty(s))
		return NULL;
	for (n = xchg_acq_rel_ptr(&s->head, NULL); n; n = next) { /* pairs: STACK */
		next = stack_next(n);
		store_relaxed_ptr(&n->next, out);
		out = n;
	}
	return out;
}

#endif

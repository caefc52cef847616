/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Push stack: many threads push nodes, one takes all that are there at once. Base of
 * inboxes and of lists of who has work.
 *
 * Which calls may run at the same time: stack_push and stack_empty from any thread, with
 * each other and with one stack_take. What was taken is the taker's alone.
 * G1  A node that was pushed is given out by exactly one stack_take.
 * G2  What a thread wrote before it pushed a node is seen by whoever takes that node.
 * G3  stack_take gives the nodes of one thread in the order in which it pushed them.
 * G4  Of pushes without a stack_take between them, one is told that the stack was empty.
 * Progress: pushing is lock-free, the rest wait-free. All is taken by one exchange, so a
 * node may be pushed again as soon as it was taken: there is no ABA. */
#ifndef TERN_LIB_MT_STACK_H
#define TERN_LIB_MT_STACK_H

#include "lib/mt/atomic.h"

struct stack_node {
	struct pubptr next; /* private */
};

struct stack {
	struct pubptr head; /* the newest. private */
};

/* stack_push - @n is in no stack. Returns: whether the stack was empty (G4). */
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

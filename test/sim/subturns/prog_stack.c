/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/mt/stack.h: two threads push, one takes. G1 to G4 of the header hold; G4 alone
 * wakes the taker. */
#include "lib/base/base.h"
#include "lib/mt/stack.h"
#include "test/sim/subturns/subturns.h"

#define PUSHERS 2
#define NODES   4 /* of a pusher */

struct item {
	struct stack_node node;
	unsigned pusher, nr;
};

static struct stack stack;
static struct item item[PUSHERS][NODES];
static struct sub_permit work;

static void
stack_pushes(void *arg)
{
	struct item *mine = arg;
	unsigned pusher = mine == item[1];

	for (unsigned i = 0; i < NODES; i++) {
		mine[i].pusher = pusher;
		mine[i].nr = i + 1;
		if (stack_push(&stack, &mine[i].node))
			sub_permit_give(&work);
	}
}

static void
stack_takes(void *arg)
{
	unsigned last[PUSHERS] = { 0, 0 }, cnt = 0;

	(void)arg;
	while (cnt < PUSHERS * NODES) {
		struct stack_node *n, *next;

		sub_permit_take(&work);
		n = stack_take(&stack);
		if (!n)
			sub_fail(
			    "a push said that the stack was empty, and no node is there");
		for (; n; n = next) {
			const struct item *it = container_of(n, struct item, node);

			next = stack_next(n);
			if (it->pusher >= PUSHERS || it->nr != last[it->pusher] + 1)
				sub_fail(
				    "a node is out of order, or without its content");
			last[it->pusher]++;
			cnt++;
		}
	}
}

static void
stack_play(void)
{
	memset(&stack, 0, sizeof(stack));
	memset(item, 0, sizeof(item));
	memset(&work, 0, sizeof(work));
	sub_thread_new("taker", stack_takes, NULL);
	sub_thread_new("pusher 0", stack_pushes, item[0]);
	sub_thread_new("pusher 1", stack_pushes, item[1]);
}

extern const struct sub_program prog_stack;
const struct sub_program prog_stack = { "stack", "lib/mt/stack.h: two pushers, one taker",
	stack_play, NULL };

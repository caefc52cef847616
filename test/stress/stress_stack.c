/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many threads push, one takes: each node once (G1), each sender's in order (G3), and
 * what a node carries is written without more ado, so that TSan sees a missing order
 * (G2). As in an inbox, only who finds the stack empty tells the taker (G4); the taker
 * looks only when it was told, so a push that told nobody would be lost, and is missed at
 * the end. Prints nothing; aborts on a failure. Argument: pushes of each thread
 * (100,000). */
#include "lib/mt/stack.h"
#include "test/lib/stress.h"

#include <semaphore.h>

#define SENDERS 5
#define FLIGHT  64 /* nodes of a sender that may be under way */

struct letter {
	struct stack_node node;
	struct sender *from;
	uint64_t number; /* from 1 */
};

struct sender {
	struct stress base; /* first */
	struct letter letter[FLIGHT];
	uint64_t sent;
	uint64_t got; /* the taker's */
	struct pub64 done; /* numbers up to it were taken: their letters are free again */
};

static struct stack box;
static struct sender sender[SENDERS];
static sem_t called;
static uint64_t total;

static void
stress_stack_die(const char *what)
{
	fprintf(stderr, "stress_stack: %s\n", what);
	abort();
}

static void
stress_stack_step(struct stress *base)
{
	struct sender *s = container_of(base, struct sender, base);
	struct letter *l = &s->letter[s->sent % FLIGHT];

	while (s->sent - load_acquire64(&s->done) >= FLIGHT) /* pairs: TESTDONE */
		sched_yield();
	l->from = s;
	l->number = ++s->sent;
	if (stack_push(&box, &l->node))
		sem_post(&called);
}

static void
stress_stack_end(struct stress *base)
{
	(void)base;
}

static void *
stress_stack_take(void *arg)
{
	for (uint64_t cnt = 0; cnt < total;) {
		struct stack_node *n, *next;

		sem_wait(&called);
		for (n = stack_take(&box); n; n = next, cnt++) {
			struct letter *l = container_of(n, struct letter, node);
			struct sender *s = l->from;

			next = stack_next(n);
			if (l->number != ++s->got)
				stress_stack_die("not in order, or not once");
			store_release64(&s->done, s->got); /* pairs: TESTDONE */
		}
	}
	return arg;
}

int
main(int argc, char **argv)
{
	struct seed s = seed_start("stress_stack");
	uint64_t ops = argc > 1 ? strtoull(argv[1], NULL, 0) : seed_rounds(100000);
	pthread_t taker;

	total = ops * SENDERS;
	rcu_join();
	sem_init(&called, 0, 0);
	if (pthread_create(&taker, NULL, stress_stack_take, NULL))
		stress_stack_die("no thread");
	stress_run(sender, sizeof(sender[0]), SENDERS, &s, ops, stress_stack_step,
	    stress_stack_end);
	pthread_join(taker, NULL);
	if (!stack_empty(&box))
		stress_stack_die("something is left");
	rcu_leave();
	return 0;
}

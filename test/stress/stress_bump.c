/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces taken and put by many threads at once.
 *
 * What is checked: pieces don't overlap and stay while they are held (each is filled with
 * a mark that its holder looks for before it puts it), also when another thread puts it;
 * no block is left at the end. Prints nothing; aborts on a failure. Argument: operations
 * of each thread (100,000). */
#include "lib/mt/bump.h"
#include "lib/mt/rcu.h"
#include "test/lib/stress.h"
#include <string.h>

#define THREADS 6
#define HELD    64
#define BOARD   16

struct piece {
	struct bump_block *block;
	uint32_t size;
	uint8_t mark;
	uint8_t *data;
};

struct thread {
	struct stress base; /* first */
	struct piece held[HELD];
};

static struct bump bump;
static struct pubptr board[BOARD]; /* struct piece *: put by whoever takes it */

static void
stress_bump_die(const char *what)
{
	fprintf(stderr, "stress_bump: %s\n", what);
	abort();
}

static void
stress_bump_drop(const struct piece *p)
{
	for (uint32_t i = 0; i < p->size; i++)
		if (p->data[i] != p->mark)
			stress_bump_die("a piece was written by another");
	bump_put(p->block);
}

static struct piece
stress_bump_get(struct thread *t)
{
	struct piece p = { .mark = (uint8_t)seed_u64(&t->base.seed) };

	p.size = seed_below(&t->base.seed, 50) ? 1 + seed_below(&t->base.seed, 100)
					       : 1 + seed_below(&t->base.seed, 3000);
	p.data = bump_alloc(&bump, p.size, &p.block);
	memset(p.data, p.mark, p.size);
	return p;
}

static void
stress_bump_step(struct stress *base)
{
	struct thread *t = container_of(base, struct thread, base);
	struct piece *p = &t->held[seed_below(&t->base.seed, HELD)], *mine, *theirs;

	if (p->block)
		stress_bump_drop(p);
	if (!seed_below(&t->base.seed, 20))
		bump_trim(&bump);
	*p = stress_bump_get(t);
	if (seed_below(&t->base.seed, 8))
		return;
	mine = mem_alloc(MEM_CONFIG, sizeof(*mine));
	*mine = *p;
	p->block = NULL;
	theirs = xchg_acq_rel_ptr(&board[seed_below(&t->base.seed, BOARD)], mine);
	if (theirs) {
		stress_bump_drop(theirs);
		mem_free(MEM_CONFIG, theirs);
	}
}

static void
stress_bump_end(struct stress *base)
{
	struct thread *t = container_of(base, struct thread, base);

	for (unsigned i = 0; i < HELD; i++)
		if (t->held[i].block)
			stress_bump_drop(&t->held[i]);
}

int
main(int argc, char **argv)
{
	struct seed s = seed_start("stress_bump");
	struct thread thread[THREADS] = { 0 };
	uint64_t ops = argc > 1 ? strtoull(argv[1], NULL, 0) : seed_rounds(100000);

	rcu_join();
	bump_init(&bump, MEM_OTHER, 4096, 1);
	stress_run(thread, sizeof(thread[0]), THREADS, &s, ops, stress_bump_step,
	    stress_bump_end);
	for (unsigned i = 0; i < BOARD; i++) {
		struct piece *p = load_relaxed_ptr(&board[i]);

		if (p) {
			stress_bump_drop(p);
			mem_free(MEM_CONFIG, p);
		}
	}
	bump_fini(&bump);
	rcu_drain();
	if (mem_used(MEM_OTHER))
		stress_bump_die("blocks are left");
	rcu_leave();
	return 0;
}

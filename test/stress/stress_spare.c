/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects put and taken by many threads at once: nobody has one that another has, and
 * none is lost. Each is written by its holder without more ado, so that TSan sees a
 * missing order. Prints nothing; aborts on a failure. Argument: operations of each thread
 * (100,000). */
#include "lib/mt/spare.h"
#include "test/lib/stress.h"

#define THREADS 6
#define HELD    8 /* of each thread at most: more than there is room for in all */

struct thing {
	const void *holder;
	uint64_t uses;
};

struct thread {
	struct stress base; /* first */
	struct thing *held[HELD];
	unsigned cnt;
	uint64_t made, freed, used, gone; /* things; uses, and those of freed things */
};

static struct spare spare;

static void
stress_spare_die(const char *what)
{
	fprintf(stderr, "stress_spare: %s\n", what);
	abort();
}

static void
stress_spare_put(struct thread *t)
{
	struct thing *th = t->held[--t->cnt];

	if (th->holder != t)
		stress_spare_die("another has it, too");
	th->holder = NULL;
	th->uses++;
	t->used++;
	if (spare_put(&spare, th))
		return;
	t->gone += th->uses;
	t->freed++;
	free(th);
}

static void
stress_spare_step(struct stress *base)
{
	struct thread *t = container_of(base, struct thread, base);
	struct thing *th;

	if (t->cnt == HELD || (t->cnt && seed_below(&t->base.seed, 2))) {
		stress_spare_put(t);
		return;
	}
	th = spare_take(&spare);
	if (!th) {
		th = calloc(1, sizeof(*th));
		t->made++;
	}
	if (!th || th->holder)
		stress_spare_die("it isn't spare");
	th->holder = t;
	t->held[t->cnt++] = th;
}

static void
stress_spare_end(struct stress *base)
{
	struct thread *t = container_of(base, struct thread, base);

	while (t->cnt)
		stress_spare_put(t);
}

int
main(int argc, char **argv)
{
	struct seed s = seed_start("stress_spare");
	struct thread thread[THREADS] = { 0 };
	uint64_t ops = argc > 1 ? strtoull(argv[1], NULL, 0) : seed_rounds(100000);
	uint64_t made = 0, used = 0;
	struct thing *th;

	rcu_join();
	stress_run(thread, sizeof(thread[0]), THREADS, &s, ops, stress_spare_step,
	    stress_spare_end);
	for (unsigned i = 0; i < THREADS; i++) {
		made += thread[i].made - thread[i].freed;
		used += thread[i].used - thread[i].gone;
	}
	for (; (th = spare_take(&spare)); made--) {
		used -= th->uses;
		free(th);
	}
	if (made || used)
		stress_spare_die("some are lost");
	rcu_leave();
	return 0;
}

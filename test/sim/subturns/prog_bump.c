/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lib/mt/bump.c: two threads allocate pieces and put own pieces and pieces of the
 * other. A piece keeps its content until the bump_put (G1), and each block is freed
 * (G2). */
#include "lib/base/base.h"
#include "lib/mem/mem.h"
#include "lib/mt/bump.h"
#include "lib/mt/rcu.h"
#include "test/sim/subturns/subturns.h"

#define ALLOCATORS 2
#define PIECES     10 /* of a thread */
#define BLOCK      96 /* octets: four pieces */

struct piece {
	struct bump_block *block;
	uint64_t content[2];
};

static struct bump bump;
/* A thread publishes its pieces here, and the other thread takes the pieces out. */
static struct pubptr given[ALLOCATORS][PIECES];

static void
bump_check_put(struct piece *p, uint64_t content)
{
	if (p->content[0] != content || p->content[1] != content)
		sub_fail("a piece has the content of another piece");
	bump_put(p->block);
}

static uint64_t
bump_content(unsigned thread, unsigned i)
{
	return 100 * (thread + 1) + i;
}

/* bump_take_some - put the pieces of the thread @from that are there. */
static void
bump_take_some(unsigned from)
{
	for (unsigned i = 0; i < PIECES; i++) {
		struct piece *p = load_acquire_ptr(&given[from][i]); /* pairs: GIVEN */

		if (!p || sub_random(2))
			continue;
		store_relaxed_ptr(&given[from][i], NULL);
		bump_check_put(p, bump_content(from, i));
	}
}

static void
bump_allocator(void *arg)
{
	unsigned me = *(unsigned *)arg;

	rcu_join();
	for (unsigned i = 0; i < PIECES; i++) {
		struct bump_block *block;
		struct piece *p = bump_alloc(&bump, sizeof(*p), &block);

		p->block = block;
		p->content[0] = p->content[1] = bump_content(me, i);
		if (sub_random(2))
			bump_check_put(p, bump_content(me, i));
		else
			store_release_ptr(&given[me][i], p); /* pairs: GIVEN */
		bump_take_some(!me);
		if (!sub_random(4))
			bump_trim(&bump);
		rcu_quiesce();
	}
	rcu_leave();
}

static void
bump_play(void)
{
	static unsigned number[ALLOCATORS] = { 0, 1 };
	unsigned nr[ALLOCATORS];

	memset(given, 0, sizeof(given));
	bump_init(&bump, MEM_JOURNAL, BLOCK, 8);
	for (unsigned i = 0; i < ALLOCATORS; i++)
		nr[i] = sub_thread_new(
		    i ? "thread 1" : "thread 0", bump_allocator, &number[i]);
	for (unsigned i = 0; i < ALLOCATORS; i++)
		sub_thread_join(nr[i]);
	rcu_join();
	for (unsigned t = 0; t < ALLOCATORS; t++)
		for (unsigned i = 0; i < PIECES; i++) {
			struct piece *p = load_relaxed_ptr(&given[t][i]);

			if (p)
				bump_check_put(p, bump_content(t, i));
		}
	bump_fini(&bump);
	rcu_leave();
}

static void
bump_judge(void)
{
	if (sub_heap_left())
		sub_fail("%u blocks are never freed", sub_heap_left());
}

extern const struct sub_program prog_bump;
const struct sub_program prog_bump = { "bump",
	"lib/mt/bump.c: two threads that allocate and put", bump_play, bump_judge };

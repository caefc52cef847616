/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of ASPAs under threads that check paths while one replaces.
 *
 * Customers stand in pairs (a, b). The writer flips between two worlds: in one a attests
 * the provider TOP and b another, in the other it is b that attests TOP. TOP attests all
 * of them. So the path "TOP a TOP b" is invalid in both worlds, but valid for whoever
 * mixes them; and "TOP c" is always valid for those that both worlds have alike. Between
 * the flips other customers come and go. Prints nothing; aborts on a failure. Argument:
 * batches (2,000). */
#include "lib/mt/atomic.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "lib/net/aspa.h"
#include "test/lib/seed.h"
#include <pthread.h>

#define READERS 4
#define PAIRS   64
#define TOP     1u
#define ELSE    2u
#define FIRST   100u /* of the pairs */
#define SAME    1000u /* those that stay: SAME to SAME + PAIRS - 1 */
#define OTHER   2000u /* those that come and go */

static struct aspa_map *map;
static struct pub32 ended;

static void
stress_aspa_die(const char *what)
{
	fprintf(stderr, "stress_aspa: %s\n", what);
	abort();
}

static enum aspa_state
stress_aspa_check(const uint32_t *path, unsigned cnt)
{
	struct aspa_walk w;

	aspa_walk_init(&w, map);
	for (unsigned i = 0; i < cnt; i++)
		aspa_walk_as(&w, path[i]);
	return aspa_walk_state(&w, true);
}

static void
stress_aspa_ask(struct seed *s)
{
	uint32_t x = seed_below(s, PAIRS), a = FIRST + 2 * x;
	const uint32_t mixed[] = { TOP, a, TOP, a + 1 }, same[] = { TOP, SAME + x };

	if (stress_aspa_check(mixed, 4) != ASPA_INVALID)
		stress_aspa_die("two worlds are seen at once");
	if (stress_aspa_check(same, 2) != ASPA_VALID)
		stress_aspa_die("what is always valid isn't");
}

/* What is found of a customer is whole, and was attested in some world. */
static void
stress_aspa_look(struct seed *s)
{
	uint32_t x = FIRST + seed_below(s, SAME + PAIRS - FIRST);
	const struct aspa *a = aspa_map_get(map, x);
	bool stays = x < FIRST + 2 * PAIRS || x >= SAME;

	if (stays != (a != NULL))
		stress_aspa_die("one that stays isn't there, or another one is");
	if (a && (a->customer != x || a->cnt > 2))
		stress_aspa_die("what is found isn't whole");
}

static void *
stress_aspa_reader(void *arg)
{
	struct seed s = { (uintptr_t)arg };

	rcu_join();
	while (!load_acquire32(&ended)) { /* pairs: SASPAEND */
		for (unsigned i = 0; i < 64; i++)
			stress_aspa_ask(&s);
		if (seed_chance(&s, 4))
			stress_aspa_look(&s);
		rcu_quiesce();
	}
	rcu_leave();
	return NULL;
}

static void
stress_aspa_change(struct aspa_change *c, uint32_t *cnt, uint32_t customer,
    const uint32_t *provider, uint32_t provider_cnt)
{
	c[(*cnt)++] = (struct aspa_change){ customer,
		provider_cnt ? aspa_new(customer, provider, provider_cnt) : NULL };
}

static void
stress_aspa_batch(struct seed *s, unsigned world)
{
	static const uint32_t top[] = { TOP, 7 }, other[] = { ELSE };
	struct aspa_change c[4 * PAIRS + 1];
	uint32_t all[2 * PAIRS], cnt = 0;

	for (uint32_t x = 0; x < PAIRS; x++) {
		uint32_t a = FIRST + 2 * x;

		all[2 * x] = a;
		all[2 * x + 1] = a + 1;
		stress_aspa_change(c, &cnt, a + world, top, 2);
		stress_aspa_change(c, &cnt, a + !world, other, 1);
		stress_aspa_change(c, &cnt, SAME + x, top, 1 + seed_below(s, 2));
		if (seed_chance(s, 2))
			stress_aspa_change(c, &cnt, OTHER + x, other, seed_below(s, 2));
	}
	stress_aspa_change(c, &cnt, TOP, all, 2 * PAIRS);
	aspa_map_update(map, c, cnt);
	rcu_quiesce();
}

int
main(int argc, char **argv)
{
	uint32_t batches = argc > 1 ? (uint32_t)atoi(argv[1]) : 2000;
	struct seed s = seed_start("stress_aspa");
	pthread_t id[READERS];

	rcu_join();
	map = aspa_map_new();
	stress_aspa_batch(&s, 0);
	for (uintptr_t i = 0; i < READERS; i++)
		if (pthread_create(
			&id[i], NULL, stress_aspa_reader, (void *)(i + s.state)))
			stress_aspa_die("no thread");
	for (uint32_t i = 1; i < batches; i++)
		stress_aspa_batch(&s, i & 1);
	store_release32(&ended, 1); /* pairs: SASPAEND */
	rcu_sleep();
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(id[i], NULL);
	rcu_wake();
	rcu_drain();
	aspa_map_free(map);
	if (mem_used(MEM_TABLE))
		stress_aspa_die("something is left");
	rcu_leave();
	return 0;
}

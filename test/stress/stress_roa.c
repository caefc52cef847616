/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of VRPs under threads that ask while one replaces.
 *
 * The writer flips between two worlds: in both, 10.X.0.0/16 has a VRP for AS X + 1, in
 * one with room up to /24 and in the other up to /20; so a /20 is valid at all times for
 * that AS and invalid for any other, and a /8 is never covered. Between the flips other
 * VRPs come and go around them. Prints nothing; aborts on a failure. Argument: batches
 * (2,000). */
#include "lib/mt/atomic.h"
#include "lib/mem/mem.h"
#include "lib/mt/rcu.h"
#include "lib/net/roa.h"
#include "test/lib/seed.h"
#include <pthread.h>

#define READERS 4
#define NETS    64

static struct roa_map *map;
static struct pub32 ended;

static void
stress_roa_die(const char *what)
{
	fprintf(stderr, "stress_roa: %s\n", what);
	abort();
}

static struct vrp
stress_roa_vrp_of(uint32_t x, unsigned len, unsigned max, uint32_t asn)
{
	return (struct vrp){ prefix_make(ip4(10u << 24 | x << 16), len, FAM_IP4),
		(uint8_t)max, asn };
}

static void
stress_roa_ask(struct seed *s)
{
	uint32_t x = seed_below(s, NETS);
	struct prefix p20 = prefix_make(ip4(10u << 24 | x << 16 | 1u << 12), 20, FAM_IP4);
	struct prefix p8 = prefix_make(ip4(10u << 24), 8, FAM_IP4);

	if (roa_map_check(map, &p20, x + 1) != ROA_VALID)
		stress_roa_die("a route that is always valid isn't");
	if (roa_map_check(map, &p20, x + 1000) != ROA_INVALID)
		stress_roa_die("a route that is always invalid isn't");
	if (roa_map_check(map, &p8, x + 1) != ROA_UNKNOWN)
		stress_roa_die("a route that is never covered is");
}

static void *
stress_roa_reader(void *arg)
{
	struct seed s = { (uintptr_t)arg };

	rcu_join();
	while (!load_acquire32(&ended)) { /* pairs: SROAEND */
		for (unsigned i = 0; i < 64; i++)
			stress_roa_ask(&s);
		rcu_quiesce();
	}
	rcu_leave();
	return NULL;
}

static void
stress_roa_change(struct vrp_change *c, uint32_t *cnt, struct vrp v, bool there)
{
	c[(*cnt)++] = (struct vrp_change){ v, there };
}

static void
stress_roa_batch(struct seed *s, unsigned world)
{
	struct vrp_change c[8 * NETS];
	uint32_t cnt = 0;

	for (uint32_t x = 0; x < NETS; x++) {
		stress_roa_change(
		    c, &cnt, stress_roa_vrp_of(x, 16, 20, x + 1), world == 0);
		stress_roa_change(
		    c, &cnt, stress_roa_vrp_of(x, 16, 24, x + 1), world == 1);
		if (seed_chance(s, 2))
			stress_roa_change(c, &cnt,
			    stress_roa_vrp_of(x, 17 + seed_below(s, 3), 24, 999),
			    seed_chance(s, 2));
		if (seed_chance(s, 2))
			stress_roa_change(c, &cnt,
			    stress_roa_vrp_of(x, 24, 24, 7 + seed_below(s, 90)),
			    seed_chance(s, 2));
	}
	roa_map_update(map, c, cnt);
	rcu_quiesce();
}

int
main(int argc, char **argv)
{
	uint32_t batches = argc > 1 ? (uint32_t)atoi(argv[1]) : seed_scaled(2000);
	struct seed s = seed_start("stress_roa");
	pthread_t id[READERS];

	rcu_join();
	map = roa_map_new(FAM_IP4);
	stress_roa_batch(&s, 0);
	for (uintptr_t i = 0; i < READERS; i++)
		if (pthread_create(
			&id[i], NULL, stress_roa_reader, (void *)(i + s.state)))
			stress_roa_die("no thread");
	for (uint32_t i = 1; i < batches; i++)
		stress_roa_batch(&s, i & 1);
	store_release32(&ended, 1); /* pairs: SROAEND */
	rcu_sleep();
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(id[i], NULL);
	rcu_wake();
	rcu_drain();
	roa_map_free(map);
	if (mem_used(MEM_TABLE))
		stress_roa_die("something is left");
	rcu_leave();
	return 0;
}
